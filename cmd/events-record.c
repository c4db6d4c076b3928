// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a record to its type and, where it is one, to its stack.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "events-internal.h"
#include "filter.h"

/* ---- its type ---- */

static enum event_kind kind_of(const struct tep_event *tep)
{
	if (!tep || !tep->system || strcmp(tep->system, "ftrace"))
		return EVENT_PLAIN;
	if (!strcmp(tep->name, "stack_id"))
		return EVENT_COOKIE;
	return strcmp(tep->name, "kernel_stack") ? EVENT_PLAIN : EVENT_FULL;
}

struct event_type *events_make_type(struct events *events, struct events_trace *trace,
				    unsigned int id)
{
	struct event_type *type = calloc(1, sizeof(*type));

	if (!type) {
		cmd_nomem();
		return NULL;
	}
	type->id = id;
	type->tep = tep_find_event(trace->tep, id);
	type->kind = kind_of(type->tep);
	type->wanted = !events->filter || filter_wants_type(events->filter, type->tep);
	if (!type->tep)
		trace->nr_unknown_types++;
	trace->types[id] = type;
	return type;
}

/* ---- its stack ---- */

static bool room_for_addresses(struct events *events, size_t nr)
{
	uint64_t *addresses;

	if (nr <= events->addresses_size)
		return true;
	addresses = realloc(events->addresses, nr * sizeof(*addresses));
	if (!addresses)
		return false;
	events->addresses = addresses;
	events->addresses_size = nr;
	return true;
}

/* The word behind the last frame, where a kernel does not say how many there are. */
static bool is_terminator(uint64_t address, int size)
{
	return address == (size == 4 ? UINT32_MAX : UINT64_MAX);
}

/*
 * How many addresses of @room the stack has. A stated depth rules: then an odd word in the middle
 * is a frame like others.
 */
static size_t stated_depth(const struct events_trace *trace, const struct tep_record *record,
			   size_t room, bool *ret_stated)
{
	const struct tep_format_field *field = trace->depth_field;
	uint64_t depth;

	*ret_stated = field && field->size == 4 &&
		      events_read_number(trace, record, field->offset, field->size, &depth) &&
		      depth && depth <= room;
	return *ret_stated ? depth : room;
}

/* -1: the record is too short for its format, or that is not known; -2: no memory */
static long read_addresses(struct events *events, const struct events_trace *trace,
			   const struct tep_record *record)
{
	const struct tep_format_field *field = trace->caller_field;
	int size = trace->address_size;
	size_t depth, i;
	bool stated;

	if (!size || field->offset < 0 || field->offset > record->size)
		return -1;
	depth = stated_depth(trace, record, (record->size - field->offset) / size, &stated);
	if (!room_for_addresses(events, depth))
		return -2;
	for (i = 0; i < depth; i++) {
		events->addresses[i] = events_read_field(trace,
							 (const unsigned char *)record->data +
							 field->offset + i * size, size);
		if (!stated && is_terminator(events->addresses[i], size))
			break;
	}
	return i;
}

static struct stackmap_stack *find_cookie(const struct events_trace *trace, uint64_t cookie,
					  uint64_t ts)
{
	if (trace->has_generation)
		return stackmap_resolver_find(trace->resolver, cookie, ts);
	return stackmap_resolver_find_slot(trace->resolver, (uint32_t)cookie, ts);
}

int events_resolve(struct events *events, struct event *event)
{
	const struct events_trace *trace = event->buffer->trace;
	uint64_t cookie;
	long nr;

	if (event->type->kind == EVENT_COOKIE) {
		if (!events_read_cookie(trace, event->record, &cookie))
			return CMD_OK;
		event->stack = find_cookie(trace, cookie, event->ts);
	} else {
		nr = read_addresses(events, trace, event->record);
		if (nr == -1)
			return CMD_OK;
		event->stack = NULL;
		if (nr >= 0)
			event->stack = stackmap_resolver_find_addresses(trace->resolver,
									events->addresses, nr);
	}
	return event->stack ? CMD_OK : cmd_nomem();
}
