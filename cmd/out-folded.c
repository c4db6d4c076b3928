// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, as flame graph tools read them: "OUTERMOST;...;INNERMOST WEIGHT", sorted, each
 * line once.
 *
 * An event weighs 1, or the value of one of its fields; its weight goes to its stack. Below 0 is
 * taken for 0, sums stop at 2^64 - 1. Without its event in the trace a stack weighs 1, or 0 where a
 * field is asked for. Lines of weight 0 are left out. What is not resolved goes to lines of its
 * own, "[unresolved: WHY]", never to a stack.
 *
 * Tools take the last word of a line for its weight and split the rest at semicolons, and reverse
 * it: so in each element ';' becomes ':' and a blank '_', but for elements in brackets, which
 * cannot end in a number.
 *
 * Counting: without a prefix at the note of the stack; else in a table, one entry for each stack
 * with what its prefix is made of (type of event, pid). At the end that becomes lines of numbers,
 * each standing for an element (elements.h), which is what is sorted and printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "comm.h"
#include "elements.h"
#include "out.h"

/* What is counted: a stack or, where there is none, the verdict. */
struct entry {
	struct stackmap_stack		*stack;
	const struct events_trace	*trace;
	const struct event_type		*type;	/* of the prefix, else NULL */
	int				pid;	/* likewise, else 0 */
	unsigned char			verdict;
	bool				is_used;
	uint64_t			weight;
};

struct folded {
	struct entry	*entries;	/* open addressing, at most half full */
	unsigned int	bits;
	size_t		nr;
	uint64_t	seed;
	bool		with_type;
	bool		with_pid;
	bool		has_weight;	/* a type with the field was seen */
	uint64_t	unresolved_weights[STACKMAP_NR_VERDICTS];	/* without a prefix */
	struct elements	elements;
	struct frames	*unresolved[STACKMAP_NR_VERDICTS];
};

/* A line to be, as numbers of elements. */
struct line {
	const struct frames	*frames;
	uint32_t		prefix[OUT_MAX_PREFIX];
	uint64_t		weight;
};

/* In frames->nr: the numbers are those of the sorted elements. */
#define RENUMBERED	(1U << 31)

static int begin_folded(struct out *out)
{
	struct folded *folded = calloc(1, sizeof(*folded));
	unsigned int i;

	out->state = folded;
	if (!folded)
		return cmd_nomem();
	elements_init(&folded->elements);
	folded->bits = 12;
	folded->entries = calloc((size_t)1 << folded->bits, sizeof(*folded->entries));
	if (!folded->entries)
		return cmd_nomem();
	/* Numbers of a trace that was made to collide shall not. */
	folded->seed = elements_seed();
	for (i = 0; i < out->options->nr_prefix; i++) {
		if (out->options->prefix[i] == OUT_PREFIX_EVENT)
			folded->with_type = true;
		else
			folded->with_pid = true;
	}
	return CMD_OK;
}

static void release_folded(struct out *out)
{
	struct folded *folded = out->state;
	size_t i;

	if (!folded)
		return;
	elements_release(&folded->elements);
	for (i = 0; i < STACKMAP_NR_VERDICTS; i++)
		free(folded->unresolved[i]);
	free(folded->entries);
	free(folded);
}

/* ---- weights ---- */

static uint64_t add_weights(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static struct tep_format_field *find_weight(struct out *out, struct event_type *type)
{
	const unsigned long no_number = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING |
					TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_RELATIVE;
	struct folded *folded = out->state;
	struct tep_format_field *field;

	if (type->weight_known)
		return type->weight;
	type->weight_known = true;
	field = type->tep ? tep_find_any_field(type->tep, out->options->weight) : NULL;
	if (field && !(field->flags & no_number))
		type->weight = field;
	if (type->weight)
		folded->has_weight = true;
	return type->weight;
}

static bool is_negative(const struct tep_format_field *field, uint64_t value)
{
	return field->flags & TEP_FIELD_IS_SIGNED && value >> (field->size * 8 - 1) & 1;
}

static uint64_t weight_of_event(struct out *out, struct event *event)
{
	struct tep_format_field *field = find_weight(out, event->type);
	uint64_t value;

	if (!field || !events_read_number(event->buffer->trace, event->record, field->offset,
					  field->size, &value))
		return 0;
	if (!is_negative(field, value))
		return value;
	event->buffer->trace->nr_negative++;
	return 0;
}

/* ---- counting ---- */

static bool same_entry(const struct entry *a, const struct entry *b)
{
	return a->stack == b->stack && a->type == b->type && a->pid == b->pid &&
	       a->verdict == b->verdict && a->trace == b->trace;
}

static struct entry *find_place(struct entry *entries, unsigned int bits, uint64_t seed,
				const struct entry *key)
{
	size_t mask = ((size_t)1 << bits) - 1, at;
	uint64_t hash;

	hash = ((uintptr_t)key->stack >> 4) + key->verdict + ((uintptr_t)key->type << 20);
	hash = (hash ^ hash >> 32) * seed;
	hash = (hash ^ hash >> 32 ^ (uint32_t)key->pid) * seed;
	at = hash >> (64 - bits);
	while (entries[at].is_used && !same_entry(&entries[at], key))
		at = (at + 1) & mask;
	return &entries[at];
}

static int grow(struct folded *folded)
{
	size_t size = (size_t)1 << folded->bits, i;
	struct entry *entries = calloc(size * 2, sizeof(*entries));

	if (!entries)
		return cmd_nomem();
	for (i = 0; i < size; i++) {
		if (folded->entries[i].is_used)
			*find_place(entries, folded->bits + 1, folded->seed,
				    &folded->entries[i]) = folded->entries[i];
	}
	free(folded->entries);
	folded->entries = entries;
	folded->bits++;
	return CMD_OK;
}

static int count(struct folded *folded, struct entry *key, uint64_t weight)
{
	struct entry *entry = find_place(folded->entries, folded->bits, folded->seed, key);

	if (!entry->is_used) {
		*entry = *key;
		entry->is_used = true;
		folded->nr++;
	}
	entry->weight = add_weights(entry->weight, weight);
	if (folded->nr * 2 > (size_t)1 << folded->bits)
		return grow(folded);
	return CMD_OK;
}

static enum stackmap_verdict verdict_of(const struct event *event)
{
	return event->stack ? stackmap_stack_get_verdict(event->stack) :
			      STACKMAP_VERDICT_BAD_EVENT;
}

static int count_with_prefix(struct folded *folded, const struct event *event, uint64_t weight)
{
	struct entry key = {
		.trace = event->buffer->trace,
		.verdict = verdict_of(event),
	};

	if (key.verdict == STACKMAP_VERDICT_RESOLVED)
		key.stack = event->stack;
	if (folded->with_type)
		key.type = event->owner;
	if (folded->with_pid)
		key.pid = event->pid;
	return count(folded, &key, weight);
}

static int count_plain(struct out *out, const struct event *event, uint64_t weight)
{
	struct folded *folded = out->state;
	enum stackmap_verdict verdict = verdict_of(event);
	uint64_t *sum = &folded->unresolved_weights[verdict];
	struct stack_note *note;

	if (verdict == STACKMAP_VERDICT_RESOLVED) {
		note = events_stack_note(out->events, event->stack);
		if (!note)
			return CMD_FAILED;
		sum = &note->weight;
	}
	*sum = add_weights(*sum, weight);
	return CMD_OK;
}

static int event_folded(struct out *out, struct event *event)
{
	struct folded *folded = out->state;
	uint64_t weight;

	if (!event->wanted)
		return CMD_OK;
	if (event->type->kind == EVENT_PLAIN) {
		if (out->options->weight)
			event->note = weight_of_event(out, event);
		return CMD_OK;
	}
	weight = out->options->weight ? event->note : 1;
	return out->options->nr_prefix ? count_with_prefix(folded, event, weight) :
					 count_plain(out, event, weight);
}

/* ---- lines ---- */

/* The elements of a stack, outermost first; made once, at its note. */
struct frames {
	uint32_t	nr;
	uint32_t	elements[];
};

static const struct frames *make_frames(struct out *out, struct stackmap_stack *stack)
{
	struct folded *folded = out->state;
	uint32_t depth = stackmap_stack_get_depth(stack), nr = depth ? depth : 1, i;
	struct frames *frames = malloc(sizeof(*frames) + nr * sizeof(frames->elements[0]));
	const char *frame = "[no frames]";

	if (!frames) {
		cmd_nomem();
		return NULL;
	}
	frames->nr = nr;
	for (i = 0; i < nr; i++) {
		if (depth)
			frame = out->options->offsets ?
				stackmap_stack_get_frame(stack, depth - 1 - i) :
				stackmap_stack_get_frame_name(stack, depth - 1 - i);
		frames->elements[i] = frame ? elements_add_constant(&folded->elements, frame) :
					      ELEMENT_NONE;
		if (frames->elements[i] == ELEMENT_NONE) {
			free(frames);
			return NULL;
		}
	}
	return frames;
}

/* NULL after cmd_error() */
static const struct frames *frames_of_stack(struct out *out, struct stackmap_stack *stack)
{
	struct stack_note *note = events_stack_note(out->events, stack);

	if (note && !note->data)
		note->data = (void *)make_frames(out, stack);
	return note ? note->data : NULL;
}

/* The bucket of what has no stack. */
static const struct frames *frames_of_verdict(struct out *out, unsigned int verdict)
{
	struct folded *folded = out->state;
	struct frames *frames = folded->unresolved[verdict];
	char text[80];

	if (frames)
		return frames;
	frames = malloc(sizeof(*frames) + sizeof(frames->elements[0]));
	if (!frames) {
		cmd_nomem();
		return NULL;
	}
	snprintf(text, sizeof(text), "[unresolved: %s]", stackmap_verdict_get_text(verdict));
	frames->nr = 1;
	frames->elements[0] = elements_add(&folded->elements, text);
	folded->unresolved[verdict] = frames;
	return frames->elements[0] == ELEMENT_NONE ? NULL : frames;
}

static uint32_t prefix_element(struct elements *elements, enum out_prefix prefix,
			       const struct entry *entry)
{
	const char *name;
	char pid[16];

	switch (prefix) {
	case OUT_PREFIX_COMM:
		return elements_add(elements, comm_of(entry->trace, entry->pid));
	case OUT_PREFIX_PID:
		snprintf(pid, sizeof(pid), "%d", entry->pid);
		return elements_add(elements, pid);
	default:
		name = entry->type && entry->type->tep ? entry->type->tep->name :
							 "[unknown event]";
		return elements_add(elements, name);
	}
}

static int make_line(struct out *out, const struct entry *entry, struct line *line)
{
	struct folded *folded = out->state;
	unsigned int i;

	line->weight = entry->weight;
	line->frames = entry->stack ? frames_of_stack(out, entry->stack) :
				      frames_of_verdict(out, entry->verdict);
	if (!line->frames)
		return CMD_FAILED;
	for (i = 0; i < out->options->nr_prefix; i++) {
		line->prefix[i] = prefix_element(&folded->elements, out->options->prefix[i], entry);
		if (line->prefix[i] == ELEMENT_NONE)
			return CMD_FAILED;
	}
	return CMD_OK;
}

/* Of what was counted without a prefix. */
static int make_plain_lines(struct out *out, struct line *lines, size_t *ret_nr)
{
	const struct folded *folded = out->state;
	struct entry entry = { 0 };
	struct stack_note *note;
	unsigned int i;

	for (note = out->events->notes; note; note = note->next) {
		entry.stack = note->stack;
		entry.weight = note->weight;
		if (entry.weight && make_line(out, &entry, &lines[(*ret_nr)++]))
			return CMD_FAILED;
	}
	entry.stack = NULL;
	for (i = 0; i < STACKMAP_NR_VERDICTS; i++) {
		entry.verdict = i;
		entry.weight = folded->unresolved_weights[i];
		if (entry.weight && make_line(out, &entry, &lines[(*ret_nr)++]))
			return CMD_FAILED;
	}
	return CMD_OK;
}

static int make_lines(struct out *out, struct line *lines, size_t *ret_nr)
{
	const struct folded *folded = out->state;
	const struct entry *entry;
	size_t i;

	if (!out->options->nr_prefix)
		return make_plain_lines(out, lines, ret_nr);
	for (i = 0; i < (size_t)1 << folded->bits; i++) {
		entry = &folded->entries[i];
		if (!entry->is_used || !entry->weight)
			continue;
		if (make_line(out, entry, &lines[*ret_nr]))
			return CMD_FAILED;
		++*ret_nr;
	}
	return CMD_OK;
}

/* From the numbers at which elements were added to those of their order. */
static void renumber(struct out *out, struct line *lines, size_t nr)
{
	struct folded *folded = out->state;
	const uint32_t *order = folded->elements.order;
	struct frames *frames;
	uint32_t k;
	size_t i;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < out->options->nr_prefix; k++)
			lines[i].prefix[k] = order[lines[i].prefix[k]];
		frames = (struct frames *)lines[i].frames;
		/* Several lines can share them: the highest bit says that it was done. */
		if (frames->nr & RENUMBERED)
			continue;
		for (k = 0; k < frames->nr; k++)
			frames->elements[k] = order[frames->elements[k]];
		frames->nr |= RENUMBERED;
	}
}

static int compare_frames(const struct frames *a, const struct frames *b)
{
	uint32_t nr_a = a->nr & ~RENUMBERED, nr_b = b->nr & ~RENUMBERED, i;

	for (i = 0; i < nr_a && i < nr_b; i++) {
		if (a->elements[i] != b->elements[i])
			return a->elements[i] < b->elements[i] ? -1 : 1;
	}
	return (nr_a > nr_b) - (nr_a < nr_b);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *line_a = a, *line_b = b;
	unsigned int i;

	for (i = 0; i < OUT_MAX_PREFIX; i++) {
		if (line_a->prefix[i] != line_b->prefix[i])
			return line_a->prefix[i] < line_b->prefix[i] ? -1 : 1;
	}
	return compare_frames(line_a->frames, line_b->frames);
}

/* The line is put together here: one write of it costs less than one of each element. */
struct print {
	char	*at;
	char	*end;
	char	buf[64 * 1024];
};

static void print_flush(struct print *print)
{
	cmd_write(print->buf, print->at - print->buf);
	print->at = print->buf;
}

static void print_element(struct print *print, const struct elements *elements, uint32_t number,
			  char after)
{
	const struct element *element = &elements->items[number];

	if ((size_t)(print->end - print->at) < element->len + 1)
		print_flush(print);
	if (sizeof(print->buf) < element->len + 1) {
		cmd_write(element->text, element->len);
	} else {
		memcpy(print->at, element->text, element->len);
		print->at += element->len;
	}
	*print->at++ = after;
}

static void print_weight(struct print *print, uint64_t weight)
{
	if (print->end - print->at < 32)
		print_flush(print);
	print->at += sprintf(print->at, "%llu\n", (unsigned long long)weight);
}

static void print_line(struct print *print, const struct out *out, const struct line *line,
		       uint64_t weight)
{
	const struct folded *folded = out->state;
	uint32_t nr = line->frames->nr & ~RENUMBERED, i;

	for (i = 0; i < out->options->nr_prefix; i++)
		print_element(print, &folded->elements, line->prefix[i], ';');
	for (i = 0; i < nr; i++)
		print_element(print, &folded->elements, line->frames->elements[i],
			      i + 1 < nr ? ';' : ' ');
	print_weight(print, weight);
}

/* Stacks that differ in offsets only, or tasks of one name, are one line. */
static void print_lines(const struct out *out, const struct line *lines, size_t nr)
{
	struct print print;
	uint64_t weight;
	size_t i;

	print.at = print.buf;
	print.end = print.buf + sizeof(print.buf);
	for (i = 0; i < nr; i++) {
		weight = lines[i].weight;
		while (i + 1 < nr && !compare_lines(&lines[i], &lines[i + 1]))
			weight = add_weights(weight, lines[++i].weight);
		print_line(&print, out, &lines[i], weight);
	}
	print_flush(&print);
}

static size_t max_lines(const struct out *out)
{
	const struct folded *folded = out->state;
	const struct stack_note *note;
	size_t nr = folded->nr + STACKMAP_NR_VERDICTS;

	for (note = out->events->notes; note; note = note->next)
		nr++;
	return nr;
}

static int end_folded(struct out *out)
{
	struct folded *folded = out->state;
	struct line *lines;
	size_t nr = 0;
	int ret;

	if (out->options->weight && !folded->has_weight)
		return cmd_error("--weight: no event has a numeric field '%s'",
				 out->options->weight);
	lines = calloc(max_lines(out), sizeof(*lines));
	if (!lines)
		return cmd_nomem();
	ret = make_lines(out, lines, &nr);
	if (ret == CMD_OK)
		ret = elements_sort(&folded->elements);
	if (ret == CMD_OK) {
		renumber(out, lines, nr);
		qsort(lines, nr, sizeof(*lines), compare_lines);
		print_lines(out, lines, nr);
	}
	free(lines);
	return ret;
}

const struct out_ops out_folded = {
	.name = "folded",
	.flags = OUT_STACKS_ONLY,
	.begin = begin_folded,
	.event = event_folded,
	.end = end_folded,
	.release = release_folded,
};
