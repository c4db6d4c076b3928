/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test sees and sets of the kernel that the shims stand for.
 *
 * The folders linux/ and asm/ beside this hold as much of the kernel's headers as the sources of
 * the stack map use, so that these are compiled as they are. A thread of a test is a CPU, and the
 * task that runs on it.
 */
#ifndef SHIM_H
#define SHIM_H

#include <linux/types.h>

#define SHIM_NR_CPUS	16

struct shim_task;

/* CPU 0 is that of the thread which asks first; no two threads may be one CPU at once. */
void shim_run_on_cpu(int cpu);
struct shim_task *shim_current(void);

/* These are as in a running kernel until they are changed */
void shim_set_cpu_online(int cpu, bool online);
void shim_set_rcu_watching(int cpu, bool watching);
void shim_kill(int cpu);
void shim_revive(int cpu);

/* Until just so many threads are asleep in wait queues, having seen all that they were woken for */
void shim_wait_for_waiters(unsigned int nr);

extern unsigned long shim_stext;

/* What get_random_u32() gives next; it counts up from there. */
extern uint32_t shim_next_random;

/* Allocations that succeed from now on, until one fails: that one alone. Negative: none fails. */
extern int shim_allocations_left;
/* What si_mem_available() says: pages */
extern long shim_available;
/* That are not freed, of any kind */
long shim_nr_allocated(void);

extern unsigned int shim_nr_warnings;
extern unsigned int shim_nr_grace_periods;

/* Called by the thread that is about to wait for a grace period */
extern void (*shim_before_grace_period)(void);

/* Called before each step that others can see, in the thread that makes it; see linux/atomic.h. */
extern __thread void (*shim_step_hook)(void);

static inline void shim_step(void)
{
#ifndef SHIM_NO_STEPS
	if (__builtin_expect(!!shim_step_hook, 0))
		shim_step_hook();
#endif
}

/* What the kernel would splat about ends the test. */
#define shim_must(condition)							\
	do {									\
		if (!(condition))						\
			shim_splat(__FILE__, __LINE__, #condition);		\
	} while (0)

__attribute__((noreturn)) void shim_splat(const char *file, int line, const char *condition);
__attribute__((format(printf, 1, 2))) void shim_warn(const char *format, ...);

#endif
