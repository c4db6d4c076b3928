/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutexes that know who holds them, and guard(). The order of the locks is checked: one at most is
 * held where trace_types_lock is taken, and a grace period is not waited for under that one.
 */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

#include <pthread.h>

#include <linux/types.h>

struct mutex {
	pthread_mutex_t	lock;
	void		*holder;	/* identity of a thread; NULL: nobody's */
};

#define __MUTEX_INITIALIZER(name)	{ .lock = PTHREAD_MUTEX_INITIALIZER }

extern struct mutex trace_types_lock;

void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);
bool lockdep_is_held(struct mutex *mutex);
void lockdep_assert_held(struct mutex *mutex);

static inline struct mutex *shim_guard_begin(struct mutex *mutex)
{
	mutex_lock(mutex);
	return mutex;
}

static inline void shim_guard_end(struct mutex **mutex)
{
	mutex_unlock(*mutex);
}

#define guard(kind)		shim_guard_##kind
#define shim_guard_mutex(held)	shim_guard_scope(held, __COUNTER__)
#define shim_guard_scope(held, nr)	shim_guard_named(held, nr)
#define shim_guard_named(held, nr)					\
	struct mutex *shim_guard_##nr					\
	__attribute__((cleanup(shim_guard_end), unused)) = shim_guard_begin(held)

#endif
