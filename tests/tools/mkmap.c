// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkmap FORMAT < DESCRIPTION > EXPORT: what the kernel would export, from text for people.
 *
 * FORMAT: text8, text4, bin1-le, bin1-be. The description:
 *
 *	# a comment; empty lines say nothing either
 *	stack 42 gen 1 ref 1337
 *		0xffffffff81000048 schedule+0x48/0xc0
 *		0xffffffffc0001010 ext4_sync+0x10/0x80 [ext4]
 *		[FTRACE TRAMPOLINE]
 *	stack 43
 *		schedule_timeout+0x1c/0x30
 *
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
	uint32_t	slot, generation, ref, depth;
	bool		has_depth;
	struct frame	*frames;
	size_t		nr_frames;
};

struct map {
	struct stack	*stacks;
	size_t		nr_stacks;
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

static uint32_t get_number(const char *word)
{
	char *end;
	unsigned long value;

	if (!word)
		die("a number is missing");
	value = strtoul(word, &end, 10);
	if (*end || !isdigit((unsigned char)*word) || value > UINT32_MAX)
		die("%s is no number", word);
	return (uint32_t)value;
}

static void read_stack(struct map *map, char *line)
{
	struct stack *stack;
	char *word;

	map->stacks = grow(map->stacks, map->nr_stacks, sizeof(*map->stacks));
	stack = &map->stacks[map->nr_stacks++];
	stack->generation = 1;
	stack->ref = 1;
	word = strtok(line, " ");
	if (!word || strcmp(word, "stack"))
		die("neither a stack nor an indented frame");
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

static void read_frame(struct map *map, char *text)
{
	struct stack *stack;
	struct frame *frame;

	if (!map->nr_stacks)
		die("a frame before any stack");
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
			read_stack(map, line);
	}
	free(line);
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

	for (stack = map->stacks; stack < map->stacks + map->nr_stacks; stack++) {
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

	for (stack = map->stacks; stack < map->stacks + map->nr_stacks; stack++) {
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

static uint64_t address_of(const struct frame *frame)
{
	if (frame->has_address)
		return frame->address;
	if (strcmp(frame->text, TRAMPOLINE))
		die("%s has no address", frame->text);
	return 0x7fffffff;
}

static void write_bin1(const struct map *map, bool big)
{
	const struct stack *stack;
	size_t i;

	put_uint(0x46534d42, 4, big);
	put_uint(1, 4, big);
	put_uint(map->nr_stacks, 4, big);
	put_uint(0, 4, big);
	for (stack = map->stacks; stack < map->stacks + map->nr_stacks; stack++) {
		put_uint(stack->slot, 4, big);
		put_uint(depth_of(stack), 4, big);
		put_uint(stack->ref, 4, big);
		put_uint(0, 4, big);
		for (i = 0; i < stack->nr_frames; i++)
			put_uint(address_of(&stack->frames[i]), 8, big);
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

static const struct {
	const char	*name;
	void		(*write)(const struct map *map);
} formats[] = {
	{ "text8", write_text8 },
	{ "text4", write_text4 },
	{ "bin1-le", write_bin1_le },
	{ "bin1-be", write_bin1_be },
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
	struct map map = { 0 };
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
	fprintf(stderr, "usage: mkmap text8|text4|bin1-le|bin1-be < DESCRIPTION > EXPORT\n");
	return 2;
}
