/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RCU whose sections are those with preemption off. synchronize_rcu() waits for each that had begun
 * before, and for no other. It says so to ThreadSanitizer: what a section did is ordered before
 * that returns, what was done before it is called is ordered before sections that begin later, and
 * two sections are not ordered.
 */
#ifndef SHIM_LINUX_RCUPDATE_H
#define SHIM_LINUX_RCUPDATE_H

#include <linux/atomic.h>
#include <linux/mutex.h>

void preempt_disable(void);
void preempt_enable(void);
bool shim_preempt_is_off(void);
bool rcu_is_watching(void);
void synchronize_rcu(void);

#define rcu_read_lock()		preempt_disable()
#define rcu_read_unlock()	preempt_enable()

/* The order of a dependency is an acquire for C11. Out of a section it is a fault. */
#define rcu_dereference(p)				\
	({						\
		shim_must(shim_preempt_is_off());	\
		smp_load_acquire(&(p));			\
	})
#define rcu_dereference_sched(p)	rcu_dereference(p)

#define rcu_dereference_protected(p, condition)		\
	({						\
		shim_must(condition);			\
		(p);					\
	})

#define rcu_assign_pointer(p, value)	smp_store_release(&(p), value)
#define RCU_INIT_POINTER(p, value)	WRITE_ONCE(p, value)

#endif
