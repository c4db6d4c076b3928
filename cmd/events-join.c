// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each stack joined with the event that it belongs to, whatever the order of reading: events.h
 * tells how they are known.
 */
#include "cmd.h"
#include "events-internal.h"
#include "filter.h"
#include "waiting.h"

/* ---- a stack ---- */

/* The filter's word about the frames of a stack, asked once a stack. */
static int match_frames(struct events *events, struct event *event)
{
	struct stack_note *note;

	if (!event->wanted || !events->filter || !events->filter->frames.nr)
		return CMD_OK;
	event->wanted = false;
	if (!event->stack)
		return CMD_OK;
	note = events_stack_note(events, event->stack);
	if (!note)
		return CMD_FAILED;
	if (!note->is_matched)
		note->matches = filter_wants_stack(events->filter, event->stack);
	note->is_matched = true;
	event->wanted = note->matches;
	return CMD_OK;
}

/* A stack whose event is not in the trace stands for itself, as far as it can. */
static bool lone_stack_is_wanted(const struct events *events, const struct event *event)
{
	const struct event_filter *filter = events->filter;

	return !filter || (!filter->events.nr && filter_wants_event(filter, event));
}

/* The event that waits as @waiting gets its stack, if it still stands in the queue. */
static void give_stack(struct events_cpu *cpu, const struct event_waiting *waiting,
		       const struct event *stack)
{
	struct event *event;

	if (waiting->seq == NO_SEQ || waiting->seq < cpu->seq ||
	    waiting->seq - cpu->seq >= cpu->queue_len)
		return;
	event = events_queue_at(cpu, waiting->seq);
	event->stack = stack->stack;
	event->stack_kind = stack->type->kind;
	event->wanted = stack->wanted;
	event->decided = true;
}

static int take_stack(struct events *events, struct events_cpu *cpu, struct event *event)
{
	const struct event_waiting *waiting = waiting_take(cpu, event->context);
	int ret = CMD_OK;

	event->stack_kind = event->type->kind;
	if (waiting) {
		event->owner = waiting->type;
		event->note = waiting->note;
	}
	event->wanted = waiting ? waiting->wanted : lone_stack_is_wanted(events, event);
	event->counts = event->wanted;
	if (event->wanted)
		ret = events_resolve(events, event);
	if (ret == CMD_OK)
		ret = match_frames(events, event);
	if (ret == CMD_OK && waiting && cpu->queue)
		give_stack(cpu, waiting, event);
	return ret;
}

/* ---- an event ---- */

/* The event waits for its stack from now on; @seq is its place. */
static inline void await_stack(struct events_cpu *cpu, const struct event *event, uint64_t seq)
{
	struct event_waiting waiting = {
		.type = event->type,
		.context = event->context,
		.seq = seq,
		.level = context_level(event_context_flags(event->context)),
		.wanted = event->wanted,
	};

	waiting_add(cpu, &waiting);
}

/* A record that does not reach to the end of the common fields. */
static int take_short(struct events *events, struct event *event)
{
	static struct event_type too_short = { .wanted = true };

	event->type = &too_short;
	event->context = 0;
	event->pid = 0;
	event->wanted = !events->filter || !events->filter->events.nr;
	return CMD_OK;
}

int events_take(struct events *events, struct events_cpu *cpu, struct tep_record *record,
		uint64_t seq, struct event *event)
{
	const struct events_trace *trace = cpu->buffer->trace;

	event->buffer = cpu->buffer;
	event->record = record;
	event->ts = record->ts;
	event->cpu = record->cpu;
	event->missed = record->missed_events;
	event->note = 0;
	event->stack = NULL;
	event->stack_kind = EVENT_PLAIN;
	event->owner = NULL;
	event->counts = false;
	event->decided = false;
	if (event->missed)
		cpu->nr_waiting = 0;
	if (record->size < trace->min_size)
		return take_short(events, event);
	event->type = events_type_of(events, cpu->buffer->trace, record);
	if (!event->type)
		return CMD_FAILED;
	event->context = events_context_of(trace, record);
	event->pid = event_context_pid(event->context);
	if (event->type->kind != EVENT_PLAIN)
		return take_stack(events, cpu, event);
	event->wanted = event->type->wanted &&
			(!events->filter || filter_wants_event(events->filter, event));
	if (trace->has_stacks)
		await_stack(cpu, event, seq);
	return CMD_OK;
}

/* ---- to the consumer ---- */

/* What the consumer noted at an event waits with it: it was the last to be added. */
static void keep_note(struct events_cpu *cpu, const struct event *event)
{
	if (event->type->kind == EVENT_PLAIN && event->note && cpu->nr_waiting)
		cpu->waiting[cpu->nr_waiting - 1].note = event->note;
}

int events_hand_out(struct events *events, struct events_cpu *cpu, struct tep_record *record,
		    events_fn fn, void *data)
{
	struct event event;
	int ret;

	ret = events_take(events, cpu, record, NO_SEQ, &event);
	if (ret != CMD_OK)
		return ret;
	if (events->stacks_only && event.type->kind == EVENT_PLAIN && !event.missed)
		return CMD_OK;
	ret = fn(&event, data);
	if (ret == CMD_OK)
		keep_note(cpu, &event);
	return ret;
}
