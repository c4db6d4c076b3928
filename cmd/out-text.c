// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text, as trace-cmd report 3.1.6 prints it, with the frames of a stack below its line:
 *
 *	              sh-53    [001]     1.936915: stack_id:             <stack_id 15964 gen 1>
 *	 => __schedule+0x4a3/0x9c0
 *	 => schedule+0x2b/0xa0
 *
 * All but the stacks is the same byte for byte. Where there are several traces or instances, lines
 * begin with the name of their file or instance, as wide as the longest of them, or as many blanks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "comm.h"
#include "out.h"

#define NAME_WIDTH	20	/* of an event, as trace-cmd pads it */
#define NR_TASKS	1024

/* "            COMM-PID  " of a task, printed once. */
struct task {
	const struct events_trace	*trace;
	int				pid;
	char				text[128];
	size_t				len;
	bool				is_kept;
};

struct text {
	struct trace_seq	seq;
	bool			seq_is_made;
	struct task		tasks[NR_TASKS];
	bool			with_labels;
	int			label_width;
};

static bool is_harmless(const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if ((unsigned char)(data[i] - ' ') > '~' - ' ' && data[i] != '\n' &&
		    data[i] != '\t')
			return false;
		if (data[i] == '\\')
			return false;
	}
	return true;
}

static void put_escaped(const char *data, size_t len)
{
	char small[512], *big = NULL;
	size_t need = stackmap_escape(small, sizeof(small), data, len);

	if (need >= sizeof(small)) {
		big = malloc(need + 1);
		if (big)
			stackmap_escape(big, need + 1, data, len);
		else
			need = strlen(small);
	}
	fwrite_unlocked(big ? big : small, 1, need, stdout);
	free(big);
}

void out_put_text(const char *data, size_t len)
{
	size_t part;

	if (is_harmless(data, len)) {
		fwrite_unlocked(data, 1, len, stdout);
		return;
	}
	while (len) {
		for (part = 0; part < len && data[part] != '\n' && data[part] != '\t'; part++)
			;
		put_escaped(data, part);
		if (part == len)
			break;
		putc_unlocked(data[part], stdout);
		data += part + 1;
		len -= part + 1;
	}
}

static void put_string(const char *text)
{
	fwrite_unlocked(text, 1, strlen(text), stdout);
}

/* ---- labels ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *label_of(const struct out *out, const struct events_buffer *buffer)
{
	if (buffer->name)
		return base_name(buffer->name);
	return out->events->nr_traces > 1 ? base_name(buffer->trace->path) : "";
}

static void put_label(const struct out *out, const struct events_buffer *buffer)
{
	const struct text *text = out->state;
	const char *label = label_of(out, buffer);
	int pad = text->label_width - (int)strlen(label);

	while (pad-- > 0)
		putc_unlocked(' ', stdout);
	out_put_text(label, strlen(label));
	put_string(*label ? ": " : "  ");
}

static void widen_for(struct out *out, const struct events_buffer *buffer)
{
	struct text *text = out->state;
	int len = strlen(label_of(out, buffer));

	if (len > text->label_width)
		text->label_width = len;
}

/* The head of each trace; its instances widen the labels only after it, as in trace-cmd. */
static void put_heads(struct out *out)
{
	struct text *text = out->state;
	struct events_trace *trace;
	size_t i;
	int k;

	text->with_labels = out->events->nr_traces > 1;
	for (i = 0; text->with_labels && i < out->events->nr_traces; i++)
		widen_for(out, &out->events->traces[i].buffers[0]);
	for (i = 0; i < out->events->nr_traces; i++) {
		trace = &out->events->traces[i];
		if (text->with_labels)
			put_label(out, &trace->buffers[0]);
		printf("cpus=%d\n", trace->buffers[0].nr_cpus);
		for (k = 1; k < trace->nr_buffers; k++)
			widen_for(out, &trace->buffers[k]);
		if (trace->nr_buffers > 1)
			text->with_labels = true;
	}
}

static int begin_text(struct out *out)
{
	struct text *text = calloc(1, sizeof(*text));

	out->state = text;
	if (!text)
		return cmd_nomem();
	trace_seq_init(&text->seq);
	text->seq_is_made = true;
	put_heads(out);
	return CMD_OK;
}

/* ---- the columns before the event ---- */

static const struct task *find_task(struct text *text, const struct event *event)
{
	struct task *task = &text->tasks[(unsigned int)event->pid % NR_TASKS];
	const char *comm;
	char escaped[64];

	if (task->is_kept && task->pid == event->pid && task->trace == event->buffer->trace)
		return task;
	comm = comm_of(event->buffer->trace, event->pid);
	/* A plugin may learn it from the event that is printed next. */
	task->is_kept = strcmp(comm, COMM_UNKNOWN);
	stackmap_escape(escaped, sizeof(escaped), comm, strlen(comm));
	task->trace = event->buffer->trace;
	task->pid = event->pid;
	task->len = snprintf(task->text, sizeof(task->text), "%16s-%-5d [", escaped, event->pid);
	return task;
}

/* @number in decimal, right-aligned in @width, padded with @pad. Returns the end. */
static char *put_number(char *p, uint64_t number, int width, char pad)
{
	char digits[20];
	int nr = 0;

	do {
		digits[nr++] = '0' + number % 10;
		number /= 10;
	} while (number);
	for (; width > nr; width--)
		*p++ = pad;
	while (nr)
		*p++ = digits[--nr];
	return p;
}

static char *put_time(char *p, const struct event *event)
{
	uint64_t us;

	if (!event->buffer->trace->in_ns)
		return put_number(p, event->ts, 12, ' ');
	us = (event->ts + 500) / 1000;
	*p++ = ' ';
	p = put_number(p, us / 1000000, 5, ' ');
	*p++ = '.';
	return put_number(p, us % 1000000, 6, '0');
}

static void put_name(const char *name)
{
	static const char blanks[] = "                    ";
	size_t len = strlen(name);

	putc_unlocked(' ', stdout);
	out_put_text(name, len);
	put_string(": ");
	if (len < NAME_WIDTH)
		fwrite_unlocked(blanks, 1, NAME_WIDTH - len, stdout);
}

static void put_columns(struct text *text, const struct event *event)
{
	const struct task *task = find_task(text, event);
	char columns[128], *p = columns;

	fwrite_unlocked(task->text, 1, task->len, stdout);
	p = put_number(p, event->cpu, 3, '0');
	*p++ = ']';
	p = put_time(p, event);
	*p++ = ':';
	fwrite_unlocked(columns, 1, p - columns, stdout);
	put_name(event->type->tep->name);
}

/* ---- the event ---- */

static void put_frames(const struct out *out, struct stackmap_stack *stack)
{
	const char *frames;
	size_t len;

	frames = stackmap_stack_get_text(stack, &len);
	if (!frames || !len)
		return;
	putc_unlocked(out->options->style_flags & STACKMAP_STYLE_ONE_LINE ? ' ' : '\n', stdout);
	fwrite_unlocked(frames, 1, len, stdout);
}

static void put_cookie(const struct event *event, uint64_t cookie)
{
	char text[64], *p = text;
	uint32_t slot = stackmap_cookie_get_slot(cookie);

	memcpy(p, "<stack_id ", 10);
	p += 10;
	if (event->buffer->trace->has_generation) {
		p = put_number(p, slot, 0, ' ');
		memcpy(p, " gen ", 5);
		p = put_number(p + 5, stackmap_cookie_get_generation(cookie), 0, ' ');
	} else {
		if ((int32_t)slot < 0)
			*p++ = '-';
		p = put_number(p, (int32_t)slot < 0 ? -slot : slot, 0, ' ');
	}
	*p++ = '>';
	fwrite_unlocked(text, 1, p - text, stdout);
}

static void put_cookie_stack(const struct out *out, const struct event *event)
{
	enum stackmap_verdict verdict;
	uint64_t cookie;

	if (!event->stack || !events_read_cookie(event->buffer->trace, event->record, &cookie)) {
		put_string("<stack_id: the event is damaged>");
		return;
	}
	put_cookie(event, cookie);
	verdict = stackmap_stack_get_verdict(event->stack);
	if (verdict == STACKMAP_VERDICT_RESOLVED) {
		put_frames(out, event->stack);
	} else if (verdict != STACKMAP_VERDICT_NO_MAP) {
		put_string(" [unresolved: ");
		put_string(stackmap_stack_get_reason(event->stack));
		putc_unlocked(']', stdout);
	}
}

static void put_full_stack(const struct out *out, const struct event *event)
{
	put_string("<stack trace >");
	if (event->stack)
		put_frames(out, event->stack);
	else
		put_string(" [the event is damaged]");
}

bool out_print_info(struct trace_seq *seq, const struct event *event)
{
	trace_seq_reset(seq);
	tep_print_event(event->buffer->trace->tep, seq, event->record, "%s", TEP_PRINT_INFO);
	if (seq->state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(seq);
		trace_seq_init(seq);
		return false;
	}
	if (seq->len && seq->buffer[seq->len - 1] == '\n')
		seq->len--;
	return true;
}

static void put_gap(const struct event *event)
{
	if (event->missed > 0)
		printf("CPU:%d [%lld EVENTS DROPPED]\n", event->cpu, event->missed);
	else
		printf("CPU:%d [EVENTS DROPPED]\n", event->cpu);
}

static void put_event(struct out *out, const struct event *event)
{
	struct text *text = out->state;

	if (!event->type->tep) {
		put_string("[UNKNOWN EVENT][UNKNOWN EVENT] (NULL):               "
			   "[UNKNOWN EVENT]\n");
		return;
	}
	put_columns(text, event);
	if (event->type->kind == EVENT_COOKIE)
		put_cookie_stack(out, event);
	else if (event->type->kind == EVENT_FULL)
		put_full_stack(out, event);
	else if (out_print_info(&text->seq, event))
		out_put_text(text->seq.buffer, text->seq.len);
	putc_unlocked('\n', stdout);
}

static int event_text(struct out *out, struct event *event)
{
	const struct text *text = out->state;

	if (text->with_labels)
		put_label(out, event->buffer);
	if (event->missed)
		put_gap(event);
	if (event->wanted)
		put_event(out, event);
	return CMD_OK;
}

static int end_text(struct out *out)
{
	return CMD_OK;
}

static void release_text(struct out *out)
{
	struct text *text = out->state;

	if (text && text->seq_is_made)
		trace_seq_destroy(&text->seq);
	free(text);
}

const struct out_ops out_text = {
	.name = "text",
	.flags = OUT_WITH_PLUGINS,
	.begin = begin_text,
	.event = event_text,
	.end = end_text,
	.release = release_text,
};
