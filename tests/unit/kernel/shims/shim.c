// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel that the sources of the stack map run in, in user space; see shim.h.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "trace.h"

struct shim_task {
	int		cpu;
	unsigned int	preempt_off;	/* nested so deep; its own thread only */
	unsigned int	nr_mutexes;	/* held; its own thread only */
	unsigned long	section;	/* odd: with preemption off */
	bool		offline;
	bool		not_watching;
	bool		killed;		/* guarded by wait_lock, as is what follows */
	struct shim_waiter *waiter;	/* NULL: in no wait queue */
} __attribute__((aligned(SHIM_CACHELINE)));

unsigned long shim_stext = 0xffffffff81000000UL;
u32 shim_next_random = 1;
int shim_allocations_left = -1;
long shim_available = LONG_MAX;
unsigned int shim_nr_warnings;
unsigned int shim_nr_grace_periods;
void (*shim_before_grace_period)(void);
__thread void (*shim_step_hook)(void);

DEFINE_PER_CPU(bool, trace_taskinfo_save);

struct mutex trace_types_lock = __MUTEX_INITIALIZER(trace_types_lock);

static struct shim_task tasks[SHIM_NR_CPUS];
static __thread struct shim_task *task = &tasks[0];

void shim_splat(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: must hold: %s\n", file, line, condition);
	abort();
}

void shim_warn(const char *format, ...)
{
	(void)format;
	__atomic_fetch_add(&shim_nr_warnings, 1, __ATOMIC_RELAXED);
}

/* CPUs and tasks */

void shim_run_on_cpu(int cpu)
{
	shim_must(cpu >= 0 && cpu < SHIM_NR_CPUS);
	task = &tasks[cpu];
	task->cpu = cpu;
}

struct shim_task *shim_current(void)
{
	return task;
}

int raw_smp_processor_id(void)
{
	return task->cpu;
}

bool cpu_online(int cpu)
{
	return !__atomic_load_n(&tasks[cpu].offline, __ATOMIC_RELAXED);
}

void shim_set_cpu_online(int cpu, bool online)
{
	__atomic_store_n(&tasks[cpu].offline, !online, __ATOMIC_RELAXED);
}

bool rcu_is_watching(void)
{
	return !__atomic_load_n(&task->not_watching, __ATOMIC_RELAXED);
}

void shim_set_rcu_watching(int cpu, bool watching)
{
	__atomic_store_n(&tasks[cpu].not_watching, !watching, __ATOMIC_RELAXED);
}

/* Sections and grace periods */

/*
 * Either this comes before the look of a synchronize_rcu() at the section, and is waited for, or
 * behind it, and then acquires what was published before that.
 */
void preempt_disable(void)
{
	if (!task->preempt_off++)
		__atomic_fetch_add(&task->section, 1, __ATOMIC_ACQ_REL);
}

void preempt_enable(void)
{
	shim_must(task->preempt_off);
	if (!--task->preempt_off)
		__atomic_fetch_add(&task->section, 1, __ATOMIC_RELEASE);
}

bool shim_preempt_is_off(void)
{
	return task->preempt_off;
}

static void wait_for_section(unsigned long *section)
{
	unsigned long seen = __atomic_fetch_add(section, 0, __ATOMIC_ACQ_REL);

	if (!(seen & 1))
		return;
	while (__atomic_load_n(section, __ATOMIC_ACQUIRE) == seen)
		sched_yield();
}

void synchronize_rcu(void)
{
	int cpu;

	shim_must(!shim_preempt_is_off());
	shim_must(!lockdep_is_held(&trace_types_lock));
	if (shim_before_grace_period)
		shim_before_grace_period();
	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++)
		wait_for_section(&tasks[cpu].section);
	__atomic_fetch_add(&shim_nr_grace_periods, 1, __ATOMIC_RELAXED);
}

/* Mutexes */

void mutex_lock(struct mutex *mutex)
{
	shim_must(!shim_preempt_is_off());
	shim_must(!lockdep_is_held(mutex));
	/* At most the one of resets and frees */
	shim_must(mutex != &trace_types_lock || task->nr_mutexes <= 1);
	pthread_mutex_lock(&mutex->lock);
	__atomic_store_n(&mutex->holder, task, __ATOMIC_RELAXED);
	task->nr_mutexes++;
}

void mutex_unlock(struct mutex *mutex)
{
	lockdep_assert_held(mutex);
	task->nr_mutexes--;
	__atomic_store_n(&mutex->holder, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&mutex->lock);
}

bool lockdep_is_held(struct mutex *mutex)
{
	return __atomic_load_n(&mutex->holder, __ATOMIC_RELAXED) == task;
}

void lockdep_assert_held(struct mutex *mutex)
{
	shim_must(lockdep_is_held(mutex));
}

/* Wait queues: one lock and one condition for all */

static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_changed = PTHREAD_COND_INITIALIZER;
static unsigned int nr_asleep;

/* From now on it is on its way, even if it does not run yet. */
static void rouse(struct shim_waiter *waiter)
{
	nr_asleep -= waiter->asleep;
	waiter->asleep = false;
	pthread_cond_broadcast(&wait_changed);
}

void add_wait_queue(wait_queue_head_t *head, struct shim_waiter *waiter)
{
	pthread_mutex_lock(&wait_lock);
	list_add_tail(&waiter->queued, &head->waiters);
	task->waiter = waiter;
	pthread_mutex_unlock(&wait_lock);
}

void remove_wait_queue(wait_queue_head_t *head, struct shim_waiter *waiter)
{
	(void)head;
	pthread_mutex_lock(&wait_lock);
	list_del(&waiter->queued);
	task->waiter = NULL;
	pthread_mutex_unlock(&wait_lock);
}

void wake_up_all(wait_queue_head_t *head)
{
	struct shim_waiter *waiter;

	pthread_mutex_lock(&wait_lock);
	list_for_each_entry(waiter, &head->waiters, queued) {
		waiter->woken = true;
		rouse(waiter);
	}
	pthread_mutex_unlock(&wait_lock);
}

void wait_woken(struct shim_waiter *waiter, int mode, long timeout)
{
	(void)mode;
	(void)timeout;
	shim_must(!shim_preempt_is_off() && !task->nr_mutexes);
	pthread_mutex_lock(&wait_lock);
	if (!waiter->woken && !task->killed) {
		waiter->asleep = true;
		nr_asleep++;
		pthread_cond_broadcast(&wait_changed);
		while (waiter->asleep)
			pthread_cond_wait(&wait_changed, &wait_lock);
	}
	waiter->woken = false;
	pthread_mutex_unlock(&wait_lock);
}

void shim_wait_for_waiters(unsigned int nr)
{
	pthread_mutex_lock(&wait_lock);
	while (nr_asleep != nr)
		pthread_cond_wait(&wait_changed, &wait_lock);
	pthread_mutex_unlock(&wait_lock);
}

static void set_killed(int cpu, bool killed)
{
	pthread_mutex_lock(&wait_lock);
	tasks[cpu].killed = killed;
	if (killed && tasks[cpu].waiter)
		rouse(tasks[cpu].waiter);
	pthread_mutex_unlock(&wait_lock);
}

void shim_kill(int cpu)
{
	set_killed(cpu, true);
}

void shim_revive(int cpu)
{
	set_killed(cpu, false);
}

bool fatal_signal_pending(struct shim_task *of)
{
	bool killed;

	pthread_mutex_lock(&wait_lock);
	killed = of->killed;
	pthread_mutex_unlock(&wait_lock);
	return killed;
}

/* Memory */

static long nr_allocated;

long shim_nr_allocated(void)
{
	return __atomic_load_n(&nr_allocated, __ATOMIC_RELAXED);
}

static void *allocate(size_t size)
{
	void *p;

	shim_must(!shim_preempt_is_off());
	if (shim_allocations_left >= 0 && !shim_allocations_left--)
		return NULL;
	if (size > SIZE_MAX / 2)
		return NULL;
	if (posix_memalign(&p, SHIM_CACHELINE, size))
		return NULL;
	__atomic_fetch_add(&nr_allocated, 1, __ATOMIC_RELAXED);
	return p;
}

static void release(void *p)
{
	shim_must(!shim_preempt_is_off());
	if (!p)
		return;
	__atomic_fetch_sub(&nr_allocated, 1, __ATOMIC_RELAXED);
	free(p);
}

void *kzalloc(size_t size, unsigned long flags)
{
	void *p = allocate(size);

	(void)flags;
	return p ? memset(p, 0, size) : NULL;
}

void kfree(void *p)
{
	release(p);
}

long si_mem_available(void)
{
	return shim_available;
}

/* What is not asked to be zero is not. */
void *__vmalloc(size_t size, unsigned long flags)
{
	void *p = allocate(size);

	return p ? memset(p, flags & __GFP_ZERO ? 0 : 0xa5, size) : NULL;
}

void vfree(void *p)
{
	release(p);
}

/* Per CPU */

extern char __start_shim_percpu_area[] __attribute__((weak));
extern char __stop_shim_percpu_area[] __attribute__((weak));
static char percpu_static[SHIM_NR_CPUS][4096] __attribute__((aligned(SHIM_CACHELINE)));

void *shim_alloc_percpu(void)
{
	return kzalloc(SHIM_NR_CPUS * SHIM_PERCPU_SIZE, GFP_KERNEL);
}

void free_percpu(void *p)
{
	release(p);
}

void *shim_percpu(void *p, int cpu)
{
	uintptr_t at = (uintptr_t)p, start = (uintptr_t)__start_shim_percpu_area;

	if (at < start || at >= (uintptr_t)__stop_shim_percpu_area)
		return (char *)p + (size_t)cpu * SHIM_PERCPU_SIZE;
	shim_must(at - start < sizeof(percpu_static[0]));
	return &percpu_static[cpu][at - start];
}

/* The rest */

u32 get_random_u32(void)
{
	return shim_next_random++;
}

int kstrtoint(const char *text, unsigned int base, int *ret_value)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, (int)base);
	if (end == text || *end)
		return -EINVAL;
	if (errno || value < INT_MIN || value > INT_MAX)
		return -ERANGE;
	*ret_value = (int)value;
	return 0;
}

/* The ring buffer */

struct trace_buffer *shim_buffer_new(unsigned int size)
{
	struct trace_buffer *buffer = calloc(1, sizeof(*buffer));
	int cpu;

	shim_must(buffer);
	buffer->size = size;
	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++) {
		buffer->cpus[cpu].events = calloc(size + 1, sizeof(struct ring_buffer_event));
		shim_must(buffer->cpus[cpu].events);
	}
	return buffer;
}

void shim_buffer_free(struct trace_buffer *buffer)
{
	int cpu;

	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++)
		free(buffer->cpus[cpu].events);
	free(buffer);
}

struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned long len)
{
	struct ring_buffer_event *event;

	shim_must(shim_preempt_is_off());
	shim_must(len == sizeof(struct stack_id_entry));
	shim_step();
	if (buffer->cpus[task->cpu].nr >= buffer->size)
		return NULL;
	event = &buffer->cpus[task->cpu].events[buffer->cpus[task->cpu].nr++];
	event->state = SHIM_RESERVED;
	return event;
}

void *ring_buffer_event_data(struct ring_buffer_event *event)
{
	return &event->entry;
}

static void end_event(struct ring_buffer_event *event, enum shim_event_state state)
{
	shim_must(shim_preempt_is_off());
	shim_must(event->state == SHIM_RESERVED);
	shim_step();
	event->state = state;
}

/* Those of this CPU end in the reverse of the order in which they began. */
int ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
	struct ring_buffer_event *events = buffer->cpus[task->cpu].events;
	unsigned int nr = buffer->cpus[task->cpu].nr;

	while (nr && events[nr - 1].state != SHIM_RESERVED)
		nr--;
	shim_must(nr);
	shim_must(events[nr - 1].entry.ent.type == TRACE_STACK_ID);
	end_event(&events[nr - 1], SHIM_COMMITTED);
	return 0;
}

void ring_buffer_discard_commit(struct trace_buffer *buffer, struct ring_buffer_event *event)
{
	(void)buffer;
	end_event(event, SHIM_DISCARDED);
}
