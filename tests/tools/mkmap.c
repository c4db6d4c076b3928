// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkmap FORMAT < DESCRIPTION > EXPORT: what the kernel would export, from text for people.
 *
 * FORMAT: text8, text4, bin1-le, bin1-be, bin2-le, bin2-be. The description:
 *
 *	# a comment; empty lines say nothing either
 *	map gen 1 capacity 16384 stext 0xffffffff81000000 closed
 *	stack 42 gen 1 ref 1337
 *		0xffffffff81000048 schedule+0x48/0xc0
 *		0xffffffffc0001010 ext4_sync+0x10/0x80 [ext4]
 *		[FTRACE TRAMPOLINE]
 *	skip kind 9 size 24
 *	stack 43
 *		schedule_timeout+0x1c/0x30
 *
 * What "map" says only bin2 has: "gen" (1), "capacity" (16384), "stext" (0), "trampoline"
 * (0x7fffffff), "build-id" with its hex digits (none), "successes" and "fallbacks" (0), "header"
 * with its size (64), and the flags "closed", "32bit", and "no-trailer" for an export that lacks
 * it. "skip" is a record of another kind, full of 0xff, in bin2 too.
 * A stack has its slot and, in any order, "gen", "ref" and "depth" with a number. What is not given
 * is gen 1, ref 1 and the depth that there is; a depth that is given is stated, whatever there is.
 * A frame is indented: an address, a text, or both with one blank between. Texts print the text of
 * a frame, or the address where it has none; binaries hold the address, which must be given there
 * but for the trampoline. The order is kept, and what a test may want to have wrong is not checked.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAMPOLINE	"[FTRACE TRAMPOLINE]"

struct frame {
	bool		has_address;
	uint64_t	address;
	char		*text;		/* NULL: only an address */
};

struct stack {
	bool		is_skip;	/* no stack at all */
	uint32_t	kind, size;
	uint32_t	slot, generation, ref, depth;
	bool		has_depth;
	struct frame	*frames;
	size_t		nr_frames;
};

struct map {
	struct stack	*stacks;
	size_t		nr_stacks;
	bool		is_closed, is_32bit, no_trailer;
	uint64_t	generation, capacity, stext, trampoline, successes, fallbacks, header;
	uint8_t		build_id[20];
	uint32_t	build_id_len;
};

static size_t line_number;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mkmap: line %zu: ", line_number);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

/* Room for one more element, all zero. */
static void *grow(void *array, size_t nr, size_t size)
{
	char *grown = realloc(array, (nr + 1) * size);

	if (!grown)
		die("out of memory");
	memset(grown + nr * size, 0, size);
	return grown;
}

/* ---- reading the description ---- */

static uint64_t get_long_number(const char *word)
{
	unsigned long long value;
	char *end;

	if (!word)
		die("a number is missing");
	value = strtoull(word, &end, strncmp(word, "0x", 2) ? 10 : 16);
	if (*end || !isdigit((unsigned char)*word))
		die("%s is no number", word);
	return value;
}

static uint32_t get_number(const char *word)
{
	uint64_t value = get_long_number(word);

	if (value > UINT32_MAX)
		die("%s has more than 32 bits", word);
	return (uint32_t)value;
}

static void get_build_id(struct map *map, const char *word)
{
	char digits[3] = "";
	size_t len = word ? strlen(word) / 2 : 0, i;

	if (!len || len > sizeof(map->build_id) || strspn(word, "0123456789abcdef") != 2 * len)
		die("no build ID");
	for (i = 0; i < len; i++) {
		memcpy(digits, word + 2 * i, 2);
		map->build_id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	map->build_id_len = (uint32_t)len;
}

static void read_map_word(struct map *map, const char *word)
{
	const struct { const char *name; uint64_t *value; } numbers[] = {
		{ "gen", &map->generation },
		{ "capacity", &map->capacity },
		{ "stext", &map->stext },
		{ "trampoline", &map->trampoline },
		{ "successes", &map->successes },
		{ "fallbacks", &map->fallbacks },
		{ "header", &map->header },
	};
	const struct { const char *name; bool *value; } flags[] = {
		{ "closed", &map->is_closed },
		{ "32bit", &map->is_32bit },
		{ "no-trailer", &map->no_trailer },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!strcmp(word, numbers[i].name)) {
			*numbers[i].value = get_long_number(strtok(NULL, " "));
			return;
		}
	}
	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (!strcmp(word, flags[i].name)) {
			*flags[i].value = true;
			return;
		}
	}
	if (strcmp(word, "build-id"))
		die("a map has no %s", word);
	get_build_id(map, strtok(NULL, " "));
}

static void read_map(struct map *map)
{
	char *word;

	while ((word = strtok(NULL, " ")))
		read_map_word(map, word);
}

static struct stack *new_stack(struct map *map)
{
	map->stacks = grow(map->stacks, map->nr_stacks, sizeof(*map->stacks));
	return &map->stacks[map->nr_stacks++];
}

static void read_skip(struct map *map)
{
	struct stack *skip = new_stack(map);
	char *word;

	skip->is_skip = true;
	skip->size = 8;
	while ((word = strtok(NULL, " "))) {
		if (!strcmp(word, "kind"))
			skip->kind = get_number(strtok(NULL, " "));
		else if (!strcmp(word, "size"))
			skip->size = get_number(strtok(NULL, " "));
		else
			die("a skip has no %s", word);
	}
}

static void read_stack(struct map *map)
{
	struct stack *stack = new_stack(map);
	char *word;

	stack->generation = 1;
	stack->ref = 1;
	stack->slot = get_number(strtok(NULL, " "));
	while ((word = strtok(NULL, " "))) {
		if (!strcmp(word, "gen")) {
			stack->generation = get_number(strtok(NULL, " "));
		} else if (!strcmp(word, "ref")) {
			stack->ref = get_number(strtok(NULL, " "));
		} else if (!strcmp(word, "depth")) {
			stack->depth = get_number(strtok(NULL, " "));
			stack->has_depth = true;
		} else {
			die("a stack has no %s", word);
		}
	}
}

static void read_item(struct map *map, char *line)
{
	const char *word = strtok(line, " ");

	if (word && !strcmp(word, "stack"))
		read_stack(map);
	else if (word && !strcmp(word, "map"))
		read_map(map);
	else if (word && !strcmp(word, "skip"))
		read_skip(map);
	else
		die("neither a map, a stack, a skip nor an indented frame");
}

static void read_frame(struct map *map, char *text)
{
	struct stack *stack;
	struct frame *frame;

	if (!map->nr_stacks || map->stacks[map->nr_stacks - 1].is_skip)
		die("a frame without a stack");
	stack = &map->stacks[map->nr_stacks - 1];
	stack->frames = grow(stack->frames, stack->nr_frames, sizeof(*stack->frames));
	frame = &stack->frames[stack->nr_frames++];
	if (!strncmp(text, "0x", 2)) {
		frame->address = strtoull(text, &text, 16);
		frame->has_address = true;
	}
	if (*text == ' ')
		text++;
	if (!*text)
		return;
	frame->text = strdup(text);
	if (!frame->text)
		die("out of memory");
}

static void read_description(struct map *map)
{
	size_t capacity = 0;
	char *line = NULL;
	ssize_t len;

	while ((len = getline(&line, &capacity, stdin)) > 0) {
		line_number++;
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!*line || *line == '#')
			continue;
		if (isblank((unsigned char)*line))
			read_frame(map, line + strspn(line, " \t"));
		else
			read_item(map, line);
	}
	free(line);
}

/* The next one that is a stack, from @stack on; NULL: no more. */
static const struct stack *stack_from(const struct map *map, const struct stack *stack)
{
	for (; stack < map->stacks + map->nr_stacks; stack++)
		if (!stack->is_skip)
			return stack;
	return NULL;
}

#define for_each_stack(map, stack)							\
	for (stack = stack_from(map, (map)->stacks); stack; stack = stack_from(map, stack + 1))

static uint32_t count_stacks(const struct map *map)
{
	const struct stack *stack;
	uint32_t nr = 0;

	for_each_stack(map, stack)
		nr++;
	return nr;
}

static uint32_t depth_of(const struct stack *stack)
{
	return stack->has_depth ? stack->depth : (uint32_t)stack->nr_frames;
}

/* ---- writing ---- */

static void print_frame(const struct frame *frame)
{
	if (frame->text)
		printf("%s\n", frame->text);
	else
		printf("0x%016llx\n", (unsigned long long)frame->address);
}

static void write_text8(const struct map *map)
{
	const struct stack *stack;
	size_t i;

	for_each_stack(map, stack) {
		printf("stack_id %u gen %u ref %u depth %u\n", stack->slot, stack->generation,
		       stack->ref, depth_of(stack));
		for (i = 0; i < stack->nr_frames; i++) {
			printf(" => ");
			print_frame(&stack->frames[i]);
		}
	}
}

static void write_text4(const struct map *map)
{
	const struct stack *stack;
	size_t i;

	for_each_stack(map, stack) {
		printf("stack_id %u [ref %u, depth %u]\n", stack->slot, stack->ref,
		       depth_of(stack));
		for (i = 0; i < stack->nr_frames; i++) {
			printf("  [%zu] ", i);
			print_frame(&stack->frames[i]);
		}
		putchar('\n');
	}
}

static void put_uint(uint64_t value, unsigned int size, bool big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		putchar((int)(value >> 8 * (big ? size - 1 - i : i) & 0xff));
}

static uint64_t address_of(const struct map *map, const struct frame *frame)
{
	if (frame->has_address)
		return frame->address;
	if (strcmp(frame->text, TRAMPOLINE))
		die("%s has no address", frame->text);
	return map->trampoline;
}

static void write_bin1(const struct map *map, bool big)
{
	const struct stack *stack;
	size_t i;

	put_uint(0x46534d42, 4, big);
	put_uint(1, 4, big);
	put_uint(count_stacks(map), 4, big);
	put_uint(0, 4, big);
	for_each_stack(map, stack) {
		put_uint(stack->slot, 4, big);
		put_uint(depth_of(stack), 4, big);
		put_uint(stack->ref, 4, big);
		put_uint(0, 4, big);
		for (i = 0; i < stack->nr_frames; i++)
			put_uint(address_of(map, &stack->frames[i]), 8, big);
	}
}

static void write_bin1_le(const struct map *map)
{
	write_bin1(map, false);
}

static void write_bin1_be(const struct map *map)
{
	write_bin1(map, true);
}

/* ---- bin2 ---- */

static void put_header(const struct map *map, bool big)
{
	size_t i;

	put_uint(0x46534d32, 4, big);
	put_uint(2, 4, big);
	put_uint(map->header, 4, big);
	put_uint((map->is_closed ? 1 : 0) | (map->is_32bit ? 2 : 0), 4, big);
	put_uint(map->generation, 4, big);
	put_uint(map->capacity, 4, big);
	put_uint(map->stext, 8, big);
	put_uint(map->trampoline, 8, big);
	put_uint(map->build_id_len, 4, big);
	for (i = 0; i < sizeof(map->build_id); i++)
		put_uint(map->build_id[i], 1, big);
	for (i = 64; i < map->header; i++)
		put_uint(0xff, 1, big);
}

static uint64_t put_skip(const struct stack *skip, bool big)
{
	size_t i;

	put_uint(skip->kind, 4, big);
	put_uint(skip->size, 4, big);
	for (i = 8; i < skip->size; i++)
		put_uint(0xff, 1, big);
	return skip->size;
}

/* Returns the bytes that were put. */
static uint64_t put_stack(const struct map *map, const struct stack *stack, bool big)
{
	size_t i;

	put_uint(1, 4, big);
	put_uint(24 + 8 * depth_of(stack), 4, big);
	put_uint(stack->slot, 4, big);
	put_uint(stack->ref, 4, big);
	put_uint(depth_of(stack), 4, big);
	put_uint(24, 4, big);
	for (i = 0; i < stack->nr_frames; i++)
		put_uint(address_of(map, &stack->frames[i]), 8, big);
	return 24 + 8 * stack->nr_frames;
}

static void put_trailer(const struct map *map, uint64_t nr_bytes, bool big)
{
	put_uint(2, 4, big);
	put_uint(40, 4, big);
	put_uint(count_stacks(map), 4, big);
	put_uint(0, 4, big);
	put_uint(nr_bytes, 8, big);
	put_uint(map->successes, 8, big);
	put_uint(map->fallbacks, 8, big);
}

static void write_bin2(const struct map *map, bool big)
{
	uint64_t nr_bytes = map->header;
	const struct stack *stack;

	put_header(map, big);
	for (stack = map->stacks; stack < map->stacks + map->nr_stacks; stack++)
		nr_bytes += stack->is_skip ? put_skip(stack, big) : put_stack(map, stack, big);
	if (!map->no_trailer)
		put_trailer(map, nr_bytes, big);
}

static void write_bin2_le(const struct map *map)
{
	write_bin2(map, false);
}

static void write_bin2_be(const struct map *map)
{
	write_bin2(map, true);
}

static const struct {
	const char	*name;
	void		(*write)(const struct map *map);
} formats[] = {
	{ "text8", write_text8 },
	{ "text4", write_text4 },
	{ "bin1-le", write_bin1_le },
	{ "bin1-be", write_bin1_be },
	{ "bin2-le", write_bin2_le },
	{ "bin2-be", write_bin2_be },
};

static void free_map(struct map *map)
{
	size_t i, j;

	for (i = 0; i < map->nr_stacks; i++) {
		for (j = 0; j < map->stacks[i].nr_frames; j++)
			free(map->stacks[i].frames[j].text);
		free(map->stacks[i].frames);
	}
	free(map->stacks);
}

int main(int argc, char **argv)
{
	struct map map = {
		.generation = 1, .capacity = 16384, .trampoline = 0x7fffffff, .header = 64,
	};
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(argv[1], formats[i].name))
			continue;
		read_description(&map);
		formats[i].write(&map);
		free_map(&map);
		if (ferror(stdout) || fflush(stdout)) {
			perror("mkmap");
			return 2;
		}
		return 0;
	}
	fprintf(stderr,
		"usage: mkmap text8|text4|bin1-le|bin1-be|bin2-le|bin2-be < DESCRIPTION > EXPORT\n");
	return 2;
}
