/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of one CPU that wait for their stack: events.h tells why they nest.
 *
 * Entries stand in the order of their levels, inner contexts last. Within one level there can be
 * several of one task (a probe on what records the stack), each with flags or a preempt count of
 * its own.
 */
#ifndef CMD_WAITING_H
#define CMD_WAITING_H

#include <string.h>

#include "events.h"

/* include/linux/trace_events.h; libtraceevent has only the first two. */
#define CONTEXT_FLAG_HARDIRQ	0x08
#define CONTEXT_FLAG_SOFTIRQ	0x10
#define CONTEXT_FLAG_NMI	0x40

static inline unsigned char context_level(unsigned char flags)
{
	if (flags & CONTEXT_FLAG_NMI)
		return 3;
	if (flags & CONTEXT_FLAG_HARDIRQ)
		return 2;
	return flags & CONTEXT_FLAG_SOFTIRQ ? 1 : 0;
}

/* Something happened at @level: whatever interrupted that is over. */
static inline void waiting_leave(struct events_cpu *cpu, unsigned char level)
{
	while (cpu->nr_waiting && cpu->waiting[cpu->nr_waiting - 1].level > level)
		cpu->nr_waiting--;
}

/* What cannot get a stack any more now that @event came: its like, and other tasks of its level. */
static inline bool is_outdated(const struct event_waiting *waiting,
			       const struct event_waiting *event)
{
	return waiting->level == event->level &&
	       (waiting->context == event->context ||
		event_context_pid(waiting->context) != event_context_pid(event->context));
}

static inline void waiting_add(struct events_cpu *cpu, const struct event_waiting *event)
{
	unsigned int nr = 0, i;

	if (!cpu->nr_waiting) {
		cpu->waiting[0] = *event;
		cpu->nr_waiting = 1;
		return;
	}
	waiting_leave(cpu, event->level);
	for (i = 0; i < cpu->nr_waiting; i++) {
		if (!is_outdated(&cpu->waiting[i], event))
			cpu->waiting[nr++] = cpu->waiting[i];
	}
	if (nr == EVENTS_MAX_WAITING) {
		nr--;
		memmove(&cpu->waiting[0], &cpu->waiting[1], nr * sizeof(cpu->waiting[0]));
	}
	cpu->waiting[nr] = *event;
	cpu->nr_waiting = nr + 1;
}

/*
 * The event of this context, for its stack has come: it waits no longer, nor does what came after
 * it. Valid until the next call. NULL: there is none.
 */
static inline const struct event_waiting *waiting_take(struct events_cpu *cpu,
						       event_context context)
{
	unsigned char level = context_level(event_context_flags(context));
	unsigned int i;

	waiting_leave(cpu, level);
	for (i = cpu->nr_waiting; i-- > 0 && cpu->waiting[i].level == level; ) {
		if (cpu->waiting[i].context == context) {
			cpu->nr_waiting = i;
			return &cpu->waiting[i];
		}
	}
	return NULL;
}

static inline bool waiting_has(const struct events_cpu *cpu, uint64_t seq)
{
	unsigned int i;

	for (i = 0; i < cpu->nr_waiting; i++) {
		if (cpu->waiting[i].seq == seq)
			return true;
	}
	return false;
}

static inline void waiting_forget(struct events_cpu *cpu, uint64_t seq)
{
	unsigned int nr = 0, i;

	for (i = 0; i < cpu->nr_waiting; i++) {
		if (cpu->waiting[i].seq != seq)
			cpu->waiting[nr++] = cpu->waiting[i];
	}
	cpu->nr_waiting = nr;
}

#endif /* CMD_WAITING_H */
