// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, as flame graph tools read them: "OUTERMOST;...;INNERMOST WEIGHT", sorted, each line once.
 *
 * An event weighs 1, or the value of one of its fields; its weight goes to its stack. Below 0 is taken for 0,
 * sums stop at 2^64 - 1. Without its event in the trace a stack weighs 1, or 0 where a field is asked for. Lines
 * of weight 0 are left out. What is not resolved goes to lines of its own, "[unresolved: WHY]", never to a stack.
 *
 * Tools take the last word of a line for its weight and split the rest at semicolons, and reverse it: so in each element
 * ';' becomes ':' and a blank '_', but for elements in brackets, which cannot end in a number.
 *
 * Counting: one entry for each stack with what its prefix is made of (type of event, pid). Text is made at the
 * end, once a stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cmd.h"
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

/* Open addressing, at most half full. */
struct folded {
	struct entry	*entries;
	unsigned int	bits;
	size_t		nr;
	uint64_t	seed;
	bool		with_type;
	bool		with_pid;
	bool		has_weight;	/* a type with the field was seen */
};

/* A line to be: the texts of prefix and frames, compared before they are put together. */
struct line {
	const char	*frames;
	char		*prefix;
	uint64_t	weight;
};

static int begin_folded(struct out *out)
{
	struct folded *folded = calloc(1, sizeof(*folded));
	unsigned int i;

	out->state = folded;
	if (!folded)
		return cmd_nomem();
	folded->bits = 12;
	folded->entries = calloc((size_t)1 << folded->bits, sizeof(*folded->entries));
	if (!folded->entries)
		return cmd_nomem();
	/* Numbers of a trace that was made to collide shall not. */
	if (getrandom(&folded->seed, sizeof(folded->seed), GRND_NONBLOCK) < 0)
		folded->seed = (uintptr_t)folded;
	folded->seed |= 1;
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

	if (folded)
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
	out->nr_negative++;
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

static int event_folded(struct out *out, struct event *event)
{
	struct folded *folded = out->state;
	enum stackmap_verdict verdict;
	struct entry key = { .trace = event->buffer->trace };

	if (!event->wanted)
		return CMD_OK;
	if (event->type->kind == EVENT_PLAIN) {
		if (out->options->weight)
			event->note = weight_of_event(out, event);
		return CMD_OK;
	}
	verdict = verdict_of(event);
	key.verdict = verdict;
	if (verdict == STACKMAP_VERDICT_RESOLVED)
		key.stack = event->stack;
	if (folded->with_type)
		key.type = event->owner;
	if (folded->with_pid)
		key.pid = event->pid;
	return count(folded, &key, out->options->weight ? event->note : 1);
}

/* ---- text ---- */

/* An element of a line, escaped and made safe. */
static void write_element(FILE *file, const char *text)
{
	size_t len = strlen(text), need = stackmap_escape(NULL, 0, text, len), i;
	bool in_brackets = *text == '[' && text[len - 1] == ']';
	char small[256], *escaped = small;

	if (need >= sizeof(small))
		escaped = malloc(need + 1);
	if (!escaped)
		return;
	stackmap_escape(escaped, need + 1, text, len);
	for (i = 0; i < need; i++) {
		if (escaped[i] == ';')
			escaped[i] = ':';
		else if (escaped[i] == ' ' && !in_brackets)
			escaped[i] = '_';
	}
	fwrite(escaped, 1, need, file);
	if (escaped != small)
		free(escaped);
}

/* Closes @file; the text made in it, or NULL after cmd_error(). */
static char *finish_text(FILE *file, char **text)
{
	bool failed = ferror(file);

	if (fclose(file) == 0 && !failed)
		return *text;
	free(*text);
	cmd_nomem();
	return NULL;
}

static char *make_frames(const struct out *out, struct stackmap_stack *stack)
{
	uint32_t depth = stackmap_stack_get_depth(stack), i;
	const char *frame;
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	if (!file) {
		cmd_nomem();
		return NULL;
	}
	if (!depth)
		fputs("[no frames]", file);
	for (i = depth; i-- > 0; ) {
		frame = out->options->offsets ? stackmap_stack_get_frame(stack, i) :
						stackmap_stack_get_frame_name(stack, i);
		write_element(file, frame ? frame : "[out of memory]");
		if (i)
			putc(';', file);
	}
	return finish_text(file, &text);
}

/* Borrowed; NULL after cmd_error(). */
static const char *frames_of(struct out *out, const struct entry *entry)
{
	static char unresolved[STACKMAP_NR_VERDICTS][80];
	struct stack_note *note;

	if (!entry->stack) {
		snprintf(unresolved[entry->verdict], sizeof(unresolved[0]), "[unresolved: %s]",
			 stackmap_verdict_get_text(entry->verdict));
		return unresolved[entry->verdict];
	}
	note = events_stack_note(out->events, entry->stack);
	if (note && !note->text)
		note->text = make_frames(out, entry->stack);
	return note ? note->text : NULL;
}

static void write_prefix(FILE *file, enum out_prefix prefix, const struct entry *entry)
{
	const char *comm;

	switch (prefix) {
	case OUT_PREFIX_COMM:
		comm = tep_data_comm_from_pid(entry->trace->tep, entry->pid);
		write_element(file, comm && *comm ? comm : "<...>");
		break;
	case OUT_PREFIX_PID:
		fprintf(file, "%d", entry->pid);
		break;
	case OUT_PREFIX_EVENT:
		write_element(file, entry->type && entry->type->tep ? entry->type->tep->name :
								      "[unknown event]");
		break;
	}
	putc(';', file);
}

/* "" where there is no prefix; NULL after cmd_error(). */
static char *make_prefix(const struct out *out, const struct entry *entry)
{
	char *text = NULL;
	unsigned int i;
	size_t len;
	FILE *file;

	if (!out->options->nr_prefix)
		return strdup("");
	file = open_memstream(&text, &len);
	if (!file) {
		cmd_nomem();
		return NULL;
	}
	for (i = 0; i < out->options->nr_prefix; i++)
		write_prefix(file, out->options->prefix[i], entry);
	return finish_text(file, &text);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *line_a = a, *line_b = b;
	int ret = strcmp(line_a->prefix, line_b->prefix);

	return ret ? ret : strcmp(line_a->frames, line_b->frames);
}

/* Stacks that differ in offsets only, or tasks of one name, are one line. */
static void print_lines(const struct line *lines, size_t nr)
{
	uint64_t weight;
	size_t i;

	for (i = 0; i < nr; i++) {
		weight = lines[i].weight;
		while (i + 1 < nr && !compare_lines(&lines[i], &lines[i + 1]))
			weight = add_weights(weight, lines[++i].weight);
		printf("%s%s %llu\n", lines[i].prefix, lines[i].frames, (unsigned long long)weight);
	}
}

static int make_lines(struct out *out, struct line *lines, size_t *ret_nr)
{
	const struct folded *folded = out->state;
	const struct entry *entry;
	size_t i;

	for (i = 0; i < (size_t)1 << folded->bits; i++) {
		entry = &folded->entries[i];
		if (!entry->is_used || !entry->weight)
			continue;
		lines[*ret_nr].weight = entry->weight;
		lines[*ret_nr].frames = frames_of(out, entry);
		lines[*ret_nr].prefix = make_prefix(out, entry);
		++*ret_nr;
		if (!lines[*ret_nr - 1].frames || !lines[*ret_nr - 1].prefix)
			return CMD_FAILED;
	}
	return CMD_OK;
}

static int end_folded(struct out *out)
{
	const struct folded *folded = out->state;
	struct line *lines;
	size_t nr = 0, i;
	int ret;

	if (out->options->weight && !folded->has_weight)
		return cmd_error("--weight: no event has a numeric field '%s'",
				 out->options->weight);
	lines = calloc(folded->nr + 1, sizeof(*lines));
	if (!lines)
		return cmd_nomem();
	ret = make_lines(out, lines, &nr);
	if (ret == CMD_OK) {
		qsort(lines, nr, sizeof(*lines), compare_lines);
		print_lines(lines, nr);
	}
	for (i = 0; i < nr; i++)
		free(lines[i].prefix);
	free(lines);
	return ret;
}

const struct out_ops out_folded = {
	.name = "folded",
	.flags = OUT_ANY_ORDER,
	.begin = begin_folded,
	.event = event_folded,
	.end = end_folded,
	.release = release_folded,
};
