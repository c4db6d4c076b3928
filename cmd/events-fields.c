// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where in the records of a trace its numbers stand, and reading them there.
 */

#include "events-internal.h"

static bool is_number_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool events_read_number(const struct events_trace *trace, const struct tep_record *record,
			int offset, int size, uint64_t *ret_number)
{
	if (!is_number_size(size) || offset < 0 || record->size < size ||
	    offset > record->size - size)
		return false;
	*ret_number = events_read_field(trace, (const unsigned char *)record->data + offset, size);
	return true;
}

bool events_read_cookie(const struct events_trace *trace, const struct tep_record *record,
			uint64_t *ret_cookie)
{
	const struct tep_format_field *field = trace->cookie_field;

	return field && field->size == (trace->has_generation ? 8 : 4) &&
	       events_read_number(trace, record, field->offset, field->size, ret_cookie);
}

/* ---- finding ---- */

static bool find_common(struct tep_event *event, const char *name, struct event_common *ret_common)
{
	struct tep_format_field *field = tep_find_common_field(event, name);

	if (!field || !is_number_size(field->size) || field->offset < 0 || field->offset > 4096)
		return false;
	ret_common->offset = field->offset;
	ret_common->size = field->size;
	return true;
}

static bool is_at(const struct event_common *common, int offset, int size)
{
	return common->offset == offset && common->size == size;
}

static int end_of(const struct event_common *common)
{
	return common->offset + common->size;
}

/* All events of a trace share them: libtraceevent, too, asks the first one. */
static void find_common_fields(struct events_trace *trace)
{
	struct tep_event *event = tep_get_first_event(trace->tep);
	const struct event_common *fields[] = {
		&trace->type_field, &trace->flags_field, &trace->preempt_field, &trace->pid_field
	};
	size_t i;

	trace->min_size = INT32_MAX;
	if (!event || !find_common(event, "common_type", &trace->type_field) ||
	    !find_common(event, "common_flags", &trace->flags_field) ||
	    !find_common(event, "common_preempt_count", &trace->preempt_field) ||
	    !find_common(event, "common_pid", &trace->pid_field))
		return;
	trace->min_size = 0;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (trace->min_size < end_of(fields[i]))
			trace->min_size = end_of(fields[i]);
	}
	trace->is_usual = trace->is_native && trace->min_size == USUAL_SIZE &&
			  is_at(&trace->type_field, 0, 2) &&
			  is_at(&trace->flags_field, USUAL_FLAGS, 1) &&
			  is_at(&trace->preempt_field, USUAL_PREEMPT_COUNT, 1) &&
			  is_at(&trace->pid_field, USUAL_PID, 4);
}

/*
 * Bytes of an address in a full stack: those of the kernel's long, as the header of its pages says,
 * else as the initial format says, which can be that of a 32-bit trace-cmd. 0: the file does not
 * say, or its format of the event says something else. This machine's is never taken for it.
 */
static int find_address_size(const struct events_trace *trace)
{
	const struct tep_format_field *field = trace->caller_field;
	int size = tep_get_header_page_size(trace->tep);

	if (!size)
		size = tep_get_long_size(trace->tep);
	if (size != 4 && size != 8)
		return 0;
	if (field->arraylen && field->size != (long long)field->arraylen * size)
		return 0;
	return size;
}

static void find_stack_fields(struct events_trace *trace)
{
	struct tep_event *cookie = tep_find_event_by_name(trace->tep, "ftrace", "stack_id");
	struct tep_event *full = tep_find_event_by_name(trace->tep, "ftrace", "kernel_stack");

	trace->has_stacks = cookie || full;
	if (cookie) {
		trace->cookie_field = tep_find_field(cookie, "stack_cookie");
		trace->has_generation = trace->cookie_field;
		if (!trace->cookie_field)
			trace->cookie_field = tep_find_field(cookie, "stack_id");
	}
	if (full) {
		trace->caller_field = tep_find_field(full, "caller");
		trace->depth_field = tep_find_field(full, "size");
	}
	trace->address_size = trace->caller_field ? find_address_size(trace) : 0;
}

void events_find_fields(struct events_trace *trace)
{
	find_common_fields(trace);
	find_stack_fields(trace);
}
