/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the stack map uses of kernel/trace/trace.h. A buffer keeps the events of each CPU in the
 * order in which they were reserved, for the test to read; those of another CPU are not touched.
 */
#ifndef SHIM_TRACE_H
#define SHIM_TRACE_H

#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* As on the architectures that have the longest addresses: an int, whatever _stext is */
#define FTRACE_TRAMPOLINE_MARKER	((unsigned long)INT_MAX)

struct trace_seq;

struct trace_array {
	bool	has_stackmap;	/* the option is set */
};

/* Under trace_types_lock */
static inline bool trace_array_has_stackmap(struct trace_array *tr)
{
	shim_must(lockdep_is_held(&trace_types_lock));
	return tr->has_stackmap;
}

enum {
	TRACE_STACK_ID = 1,
};

struct trace_entry {
	int		type;
	unsigned int	trace_ctx;
};

struct stack_id_entry {
	struct trace_entry	ent;
	u64			stack_cookie;
};

static inline void tracing_generic_entry_update(struct trace_entry *entry, unsigned short type,
						unsigned int trace_ctx)
{
	entry->type = type;
	entry->trace_ctx = trace_ctx;
}

/* The task of the next event that is switched away is to be named. */
DECLARE_PER_CPU(bool, trace_taskinfo_save);

enum shim_event_state {
	SHIM_RESERVED,
	SHIM_COMMITTED,
	SHIM_DISCARDED,
};

struct ring_buffer_event {
	enum shim_event_state	state;
	struct stack_id_entry	entry;
};

struct trace_buffer {
	struct {
		struct ring_buffer_event	*events;
		unsigned int			nr;
	} cpus[SHIM_NR_CPUS];
	unsigned int	size;	/* events that a CPU has room for */
};

struct trace_buffer *shim_buffer_new(unsigned int size);
void shim_buffer_free(struct trace_buffer *buffer);

struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer,
						   unsigned long len);
void *ring_buffer_event_data(struct ring_buffer_event *event);
int ring_buffer_unlock_commit(struct trace_buffer *buffer);
void ring_buffer_discard_commit(struct trace_buffer *buffer, struct ring_buffer_event *event);

#endif
