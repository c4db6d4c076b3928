/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's atomic operations by those of C11, each with the order that the kernel promises and
 * no more, so that ThreadSanitizer sees the order that the source asks for: what is not ordered by
 * it is reported. One that fails orders nothing, as in the kernel.
 *
 * Each begins with shim_step(): the places where another context can come between.
 */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/types.h>

#include "shim.h"

#define READ_ONCE(x)							\
	({								\
		shim_step();						\
		__atomic_load_n(&(x), __ATOMIC_RELAXED);		\
	})

#define WRITE_ONCE(x, value)						\
	({								\
		shim_step();						\
		__atomic_store_n(&(x), value, __ATOMIC_RELAXED);	\
	})

#define smp_load_acquire(p)						\
	({								\
		shim_step();						\
		__atomic_load_n(p, __ATOMIC_ACQUIRE);			\
	})

#define smp_store_release(p, value)					\
	({								\
		shim_step();						\
		__atomic_store_n(p, value, __ATOMIC_RELEASE);		\
	})

#define shim_cmpxchg(p, old, new, order)				\
	({								\
		__typeof__(*(p)) shim_old = (old);			\
									\
		shim_step();						\
		__atomic_compare_exchange_n(p, &shim_old, new, false,	\
					    order, __ATOMIC_RELAXED);	\
		shim_old;						\
	})

#define cmpxchg(p, old, new)		shim_cmpxchg(p, old, new, __ATOMIC_SEQ_CST)
#define cmpxchg_acquire(p, old, new)	shim_cmpxchg(p, old, new, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, old, new)	shim_cmpxchg(p, old, new, __ATOMIC_RELEASE)
#define cmpxchg_relaxed(p, old, new)	shim_cmpxchg(p, old, new, __ATOMIC_RELAXED)

typedef struct {
	int	counter;
} atomic_t;

#define atomic_read(v)			READ_ONCE((v)->counter)
#define atomic_set(v, value)		WRITE_ONCE((v)->counter, value)

#define atomic_cmpxchg(v, old, new)		cmpxchg(&(v)->counter, (int)(old), (int)(new))
#define atomic_cmpxchg_acquire(v, old, new)	\
	cmpxchg_acquire(&(v)->counter, (int)(old), (int)(new))
#define atomic_cmpxchg_release(v, old, new)	\
	cmpxchg_release(&(v)->counter, (int)(old), (int)(new))
#define atomic_cmpxchg_relaxed(v, old, new)	\
	cmpxchg_relaxed(&(v)->counter, (int)(old), (int)(new))

#define shim_try_cmpxchg(v, old, new, order)				\
	({								\
		shim_step();						\
		__atomic_compare_exchange_n(&(v)->counter, old, (int)(new), false, \
					    order, __ATOMIC_RELAXED);	\
	})

#define atomic_try_cmpxchg(v, old, new)		\
	shim_try_cmpxchg(v, old, new, __ATOMIC_SEQ_CST)
#define atomic_try_cmpxchg_acquire(v, old, new)	\
	shim_try_cmpxchg(v, old, new, __ATOMIC_ACQUIRE)
#define atomic_try_cmpxchg_release(v, old, new)	\
	shim_try_cmpxchg(v, old, new, __ATOMIC_RELEASE)
#define atomic_try_cmpxchg_relaxed(v, old, new)	\
	shim_try_cmpxchg(v, old, new, __ATOMIC_RELAXED)

/* What returns nothing orders nothing */
static inline void atomic_add(int n, atomic_t *v)
{
	shim_step();
	__atomic_fetch_add(&v->counter, n, __ATOMIC_RELAXED);
}

static inline void atomic_inc(atomic_t *v)
{
	atomic_add(1, v);
}

static inline void atomic_dec(atomic_t *v)
{
	atomic_add(-1, v);
}

#endif
