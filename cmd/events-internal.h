/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files that read events share. They are the only ones that do, through the public
 * functions of libtracecmd. What a record says of itself (type, task, context) is read at offsets
 * that are asked for once; libtraceevent's own accessors look each up by name again.
 *
 *	events-open.c		traces, their buffers and CPUs
 *	events-fields.c		where numbers stand in a record
 *	events-record.c		record -> type, stack
 *	events-join.c		event <-> stack
 *	events-by-cpu.c		\
 *	events-by-time.c	 > the three orders of reading
 *	events-merge.c		/
 *	events-notes.c		what is noted of a stack
 *
 * What is done for each record and is no more than a few instructions stands here, for the compiler
 * to put it into the loops.
 */
#ifndef CMD_EVENTS_INTERNAL_H
#define CMD_EVENTS_INTERNAL_H

#include <string.h>

#include "events.h"

/* Of the common fields, common_type first: the kernel's struct trace_entry for decades. */
#define USUAL_FLAGS		2
#define USUAL_PREEMPT_COUNT	3
#define USUAL_PID		4
#define USUAL_SIZE		8
/* No place in the queue. */
#define NO_SEQ			UINT64_MAX

/* ---- events-open.c ---- */

/* The buffer has so many CPUs from now on, or more. CMD_OK, or CMD_FAILED after cmd_error(). */
int events_make_cpus(struct events_buffer *buffer, int nr);

/*
 * Open @trace anew: libtracecmd keeps whatever it has decompressed until it is closed. What is
 * known of the types and of the CPUs stays. CMD_OK, or CMD_FAILED after cmd_error().
 */
int events_reopen(struct events_trace *trace);

/* ---- events-fields.c ---- */

/* Ask for all offsets of a trace that was opened. */
void events_find_fields(struct events_trace *trace);

/* What stands at @at, @size bytes of it: the record was found to reach that far. */
static inline uint64_t events_read_field(const struct events_trace *trace, const unsigned char *at,
					 int size)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return trace->is_native ? two : __builtin_bswap16(two);
	case 4:
		memcpy(&four, at, sizeof(four));
		return trace->is_native ? four : __builtin_bswap32(four);
	default:
		memcpy(&eight, at, sizeof(eight));
		return trace->is_native ? eight : __builtin_bswap64(eight);
	}
}

/* ---- events-record.c ---- */

/* The type of this number, met for the first time. NULL after cmd_error(): no memory. */
struct event_type *events_make_type(struct events *events, struct events_trace *trace,
				    unsigned int id);

/*
 * Find the stack that @event is; event->stack stays NULL where the record is damaged. CMD_OK, or
 * CMD_FAILED after cmd_error().
 */
int events_resolve(struct events *events, struct event *event);

/* The type of @record. NULL after cmd_error(): no memory. */
static inline struct event_type *events_type_of(struct events *events, struct events_trace *trace,
						const struct tep_record *record)
{
	uint16_t id;

	if (trace->is_usual)
		memcpy(&id, record->data, sizeof(id));
	else
		id = events_read_field(trace, (const unsigned char *)record->data +
				       trace->type_field.offset, trace->type_field.size);
	return trace->types[id] ? trace->types[id] : events_make_type(events, trace, id);
}

static inline event_context events_context_of(const struct events_trace *trace,
					      const struct tep_record *record)
{
	const unsigned char *data = record->data;
	uint32_t pid;

	if (trace->is_usual) {
		memcpy(&pid, data + USUAL_PID, sizeof(pid));
		return event_context_make(pid, data[USUAL_FLAGS], data[USUAL_PREEMPT_COUNT]);
	}
	pid = events_read_field(trace, data + trace->pid_field.offset, trace->pid_field.size);
	return event_context_make(pid, events_read_field(trace, data + trace->flags_field.offset,
							 trace->flags_field.size),
				  events_read_field(trace, data + trace->preempt_field.offset,
						    trace->preempt_field.size));
}

/* ---- events-join.c ---- */

/*
 * Make @event of @record: of a stack with its event, of an event so that it waits for its stack.
 * @seq is its place in the queue. CMD_OK, or CMD_FAILED after cmd_error().
 */
int events_take(struct events *events, struct events_cpu *cpu, struct tep_record *record,
		uint64_t seq, struct event *event);
/* The same, and give it to the consumer. Also what @fn returned. */
int events_hand_out(struct events *events, struct events_cpu *cpu, struct tep_record *record,
		    events_fn fn, void *data);

/* ---- events-by-time.c ---- */

/* Of all traces. */
size_t events_nr_buffers(const struct events *events);
/*
 * The top levels of all traces, then their instances: where time stamps are equal, this is the
 * order.
 */
void events_order_buffers(const struct events *events, struct events_buffer **buffers);

/* ---- events-merge.c ---- */

/* The event of this place, which is in the queue. */
static inline struct event *events_queue_at(const struct events_cpu *cpu, uint64_t seq)
{
	return &cpu->queue[seq & (cpu->queue_size - 1)];
}

/* ---- events-notes.c ---- */

void events_free_notes(struct stack_note *notes);

#endif /* CMD_EVENTS_INTERNAL_H */
