// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON: one object a line, in the order of time. An object is an event together with its stack:
 *
 *	"ts"		time stamp, a whole number in the unit of the trace's clock: nanoseconds,
 *			but for clocks that count something else
 *	"cpu"		number of the CPU
 *	"file"		the trace, as it was given; only where there are several
 *	"buffer"	the instance; absent: the top level
 *	"event"		"SYSTEM:NAME"; null where the trace has no format of it, then with
 *	"type"		the number of its type
 *	"pid", "comm"	the task
 *	"fields"	object: each field of the event by its name. A number (of up to 64 bits),
 *			a string, or an array of numbers; null where the record does not reach
 *			that far
 *	"text"		the event as the text format prints it
 *	"cookie"	{"slot": N, "generation": N}, where the stack was recorded as a cookie;
 *			without "generation" where the trace has none
 *	"stack"		array of strings, innermost frame first, each as the kernel prints it:
 *			"NAME+0xOFF/0xSIZE [MODULE]"
 *	"names"		array of the same length: names only, as --names-only, --strip-suffix and
 *			--demangle shape them; present with one of these
 *	"verdict"	why there is no "stack" though there is a cookie: "slot-not-saved", ...; see
 *			verdicts in stackmap.h
 *	"reason"	the same in words, with particulars
 *
 * An event without a stack has none of the last five. A stack whose event is not in the trace is an
 * object of its own, with "event" "ftrace:stack_id" or "ftrace:kernel_stack" and without "fields"
 * and "text".
 *
 * Where the kernel lost events there is an object before the event that follows the gap:
 *
 *	"missed"	how many; null: unknown
 *	"ts", "cpu", "file", "buffer"	of that event
 *
 * Strings are written as json.h says: a strict parser accepts every line, nothing in it can steer a
 * terminal, and each string gives its bytes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "comm.h"
#include "json.h"
#include "out.h"

struct json_out {
	struct trace_seq	seq;
	FILE			*file;		/* stdout, or memory */
};

static void put_text(FILE *file, const char *text)
{
	json_write_string(file, text, strlen(text));
}

static void put_key(FILE *file, const char *key)
{
	putc_unlocked(',', file);
	put_text(file, key);
	putc_unlocked(':', file);
}

/* ---- fields ---- */

static int64_t sign_extend(uint64_t value, int size)
{
	int unused = 64 - size * 8;

	return (int64_t)(value << unused) >> unused;
}

static void put_number(FILE *file, uint64_t value, int size, bool is_signed)
{
	if (is_signed)
		fprintf(file, "%lld", (long long)sign_extend(value, size));
	else
		fprintf(file, "%llu", (unsigned long long)value);
}

/* Where a field's bytes are. */
struct extent {
	int	offset;
	int	len;
};

/*
 * __data_loc: offset in the low half, length in the high half; __rel_loc counts from the field's
 * end.
 */
static bool dynamic_extent(const struct event *event, const struct tep_format_field *field,
			   struct extent *ret_extent)
{
	uint64_t where;

	if (field->size != 4 || !events_read_number(event->buffer->trace, event->record,
						    field->offset, 4, &where))
		return false;
	ret_extent->offset = where & 0xffff;
	ret_extent->len = where >> 16;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		ret_extent->offset += field->offset + field->size;
	return true;
}

static bool find_extent(const struct event *event, const struct tep_format_field *field,
			struct extent *ret_extent)
{
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (!dynamic_extent(event, field, ret_extent))
			return false;
	} else {
		ret_extent->offset = field->offset;
		ret_extent->len = field->size;
		/* "char buf[]": the rest of the record */
		if (!field->size && field->flags & TEP_FIELD_IS_ARRAY &&
		    field->offset <= event->record->size)
			ret_extent->len = event->record->size - field->offset;
	}
	return ret_extent->offset >= 0 && ret_extent->len >= 0 &&
	       ret_extent->len <= event->record->size &&
	       ret_extent->offset <= event->record->size - ret_extent->len;
}

static void put_array(FILE *file, const struct event *event, const struct tep_format_field *field,
		      const struct extent *extent)
{
	int size = field->elementsize, at;
	uint64_t value;

	if (size != 2 && size != 4 && size != 8)
		size = 1;
	putc_unlocked('[', file);
	for (at = 0; at + size <= extent->len; at += size) {
		if (at)
			putc_unlocked(',', file);
		events_read_number(event->buffer->trace, event->record, extent->offset + at, size,
				   &value);
		put_number(file, value, size, field->flags & TEP_FIELD_IS_SIGNED);
	}
	putc_unlocked(']', file);
}

static void put_field(FILE *file, const struct event *event, const struct tep_format_field *field)
{
	const char *data = event->record->data;
	struct extent extent;
	uint64_t value;

	if (!find_extent(event, field, &extent))
		fputs("null", file);
	else if (field->flags & TEP_FIELD_IS_STRING)
		json_write_string(file, data + extent.offset,
				  strnlen(data + extent.offset, extent.len));
	else if (!(field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) &&
		 events_read_number(event->buffer->trace, event->record, field->offset,
				    field->size, &value))
		put_number(file, value, field->size, field->flags & TEP_FIELD_IS_SIGNED);
	else
		put_array(file, event, field, &extent);
}

static void put_fields(FILE *file, const struct event *event)
{
	const struct tep_format_field *field;
	bool is_first = true;

	put_key(file, "fields");
	putc_unlocked('{', file);
	for (field = event->type->tep->format.fields; field; field = field->next) {
		if (!is_first)
			putc_unlocked(',', file);
		is_first = false;
		put_text(file, field->name);
		putc_unlocked(':', file);
		put_field(file, event, field);
	}
	putc_unlocked('}', file);
}

static void put_info(struct json_out *json, const struct event *event)
{
	if (!out_print_info(&json->seq, event))
		return;
	put_key(json->file, "text");
	json_write_string(json->file, json->seq.buffer, json->seq.len);
}

/* ---- stacks ---- */

static const char *get_frame(struct stackmap_stack *stack, uint32_t nr)
{
	return stackmap_stack_get_frame(stack, nr);
}

static void put_frames(FILE *file, const char *key, struct stackmap_stack *stack,
		       const char *(*get)(struct stackmap_stack *stack, uint32_t nr))
{
	uint32_t depth = stackmap_stack_get_depth(stack), i;
	const char *frame;

	put_key(file, key);
	putc_unlocked('[', file);
	for (i = 0; i < depth; i++) {
		if (i)
			putc_unlocked(',', file);
		frame = get(stack, i);
		put_text(file, frame ? frame : "");
	}
	putc_unlocked(']', file);
}

static void put_cookie(FILE *file, const struct stackmap_stack *stack)
{
	put_key(file, "cookie");
	fprintf(file, "{\"slot\":%u", stackmap_stack_get_slot(stack));
	if (stackmap_stack_has_generation(stack))
		fprintf(file, ",\"generation\":%u", stackmap_stack_get_generation(stack));
	putc_unlocked('}', file);
}

static void put_verdict(FILE *file, enum stackmap_verdict verdict, const char *reason)
{
	put_key(file, "verdict");
	put_text(file, stackmap_verdict_get_name(verdict));
	put_key(file, "reason");
	put_text(file, reason);
}

static void write_stack(const struct out *out, FILE *file, struct stackmap_stack *stack,
			enum event_kind kind)
{
	const unsigned int shaped = STACKMAP_STYLE_NAMES_ONLY | STACKMAP_STYLE_STRIP_SUFFIX |
				    STACKMAP_STYLE_DEMANGLE;
	enum stackmap_verdict verdict = stackmap_stack_get_verdict(stack);

	if (kind == EVENT_COOKIE)
		put_cookie(file, stack);
	if (verdict != STACKMAP_VERDICT_RESOLVED) {
		put_verdict(file, verdict, stackmap_stack_get_reason(stack));
		return;
	}
	put_frames(file, "stack", stack, get_frame);
	if (out->options->style_flags & shaped)
		put_frames(file, "names", stack, stackmap_stack_get_frame_name);
}

/* The members of a stack, made once. */
static int put_stack(struct out *out, struct stackmap_stack *stack, enum event_kind kind)
{
	struct stack_note *note = events_stack_note(out->events, stack);
	struct json_out *json = out->state;
	char *text = NULL;
	size_t len;
	FILE *file;

	if (!note)
		return CMD_FAILED;
	if (!note->data) {
		file = open_memstream(&text, &len);
		if (!file)
			return cmd_nomem();
		write_stack(out, file, stack, kind);
		if (fclose(file)) {
			free(text);
			return cmd_nomem();
		}
		note->data = text;
	}
	fputs(note->data, json->file);
	return CMD_OK;
}

/* ---- objects ---- */

static void put_place(const struct out *out, const struct event *event)
{
	FILE *file = ((struct json_out *)out->state)->file;

	fprintf(file, "\"ts\":%llu,\"cpu\":%d", (unsigned long long)event->ts, event->cpu);
	if (out->events->nr_traces > 1) {
		put_key(file, "file");
		put_text(file, event->buffer->trace->path);
	}
	if (event->buffer->name) {
		put_key(file, "buffer");
		put_text(file, event->buffer->name);
	}
}

static void put_gap(const struct out *out, const struct event *event)
{
	FILE *file = ((struct json_out *)out->state)->file;

	if (event->missed > 0)
		fprintf(file, "{\"missed\":%lld,", event->missed);
	else
		fputs("{\"missed\":null,", file);
	put_place(out, event);
	fputs("}\n", file);
}

static void put_type(FILE *file, const struct event_type *type)
{
	const char *system = type->tep && type->tep->system ? type->tep->system : "";

	put_key(file, "event");
	if (!type->tep) {
		fprintf(file, "null,\"type\":%u", type->id);
		return;
	}
	putc_unlocked('"', file);
	json_write_bytes(file, system, strlen(system));
	putc_unlocked(':', file);
	json_write_bytes(file, type->tep->name, strlen(type->tep->name));
	putc_unlocked('"', file);
}

static int put_event(struct out *out, struct event *event)
{
	struct json_out *json = out->state;
	FILE *file = json->file;
	const char *comm = comm_of(event->buffer->trace, event->pid);
	int ret = CMD_OK;

	putc_unlocked('{', file);
	put_place(out, event);
	put_type(file, event->type);
	fprintf(file, ",\"pid\":%d", event->pid);
	put_key(file, "comm");
	put_text(file, comm);
	if (event->type->tep && event->type->kind == EVENT_PLAIN) {
		put_fields(file, event);
		put_info(json, event);
	}
	if (event->stack)
		ret = put_stack(out, event->stack, event->stack_kind);
	else if (event->stack_kind != EVENT_PLAIN)
		put_verdict(file, STACKMAP_VERDICT_BAD_EVENT,
			    stackmap_verdict_get_text(STACKMAP_VERDICT_BAD_EVENT));
	fputs("}\n", file);
	return ret;
}

static int event_json(struct out *out, struct event *event)
{
	if (event->missed)
		put_gap(out, event);
	/* A stack that has its event was printed with it. */
	if (!event->wanted || event->owner)
		return CMD_OK;
	return put_event(out, event);
}

static int begin_json(struct out *out)
{
	struct json_out *json = calloc(1, sizeof(*json));

	out->state = json;
	if (!json)
		return cmd_nomem();
	trace_seq_init(&json->seq);
	json->file = stdout;
	return CMD_OK;
}

static int end_json(struct out *out)
{
	return CMD_OK;
}

static void release_json(struct out *out)
{
	struct json_out *json = out->state;

	if (json)
		trace_seq_destroy(&json->seq);
	free(json);
}

const struct out_ops out_json = {
	.name = "json",
	.flags = OUT_WITH_PLUGINS | OUT_WITH_STACKS,
	.begin = begin_json,
	.event = event_json,
	.end = end_json,
	.release = release_json,
};
