// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's stack map against a model of it that is right since it is simple: a list of stacks.
 *
 * The first byte chooses how large the map is and where the kernel lies, then each operation is a
 * byte with its arguments behind it. All that an operation returns, and what the map then holds,
 * has to be what the model says.
 */
#include <stdint.h>
#include <stdlib.h>

#include "stacks.h"
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_STACKS	16	/* of the largest map */
#define MAX_DEPTH	40
#define NR_ODD		12

#define must(condition)			\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

struct stack {
	unsigned int	depth;
	unsigned long	frames[MAX_DEPTH];
};

struct model {
	const uint8_t	*data;
	size_t		size;

	struct ftrace_stackmap *map;
	unsigned int	nr;
	struct stack	stacks[MAX_STACKS];
	uint32_t	slots[MAX_STACKS];
	uint32_t	refs[MAX_STACKS];
	uint32_t	cursor;
};

static const unsigned long stexts[] = {
	0xffffffff81000000UL, 0xffff800080010000UL, 0x100000UL, 0,
};

static uint8_t next(struct model *model)
{
	if (!model->size)
		return 0;
	model->size--;
	return *model->data++;
}

static unsigned long next_frame(struct model *model)
{
	const unsigned long odd[NR_ODD] = {
		FTRACE_TRAMPOLINE_MARKER, shim_stext - 0x80000000UL, shim_stext + 0x7fffffffUL,
		shim_stext + 0x80000000UL, shim_stext - 0x80000001UL, shim_stext ^ 1UL << 32, 0,
		~0UL, FTRACE_TRAMPOLINE_MARKER + 1, (uint32_t)shim_stext, 0x80000000UL, 1UL << 63,
	};
	uint8_t what = next(model);

	return what < NR_ODD ? odd[what] : shim_stext + what * 4;
}

static void next_stack(struct model *model, struct stack *stack)
{
	unsigned int i;

	stack->depth = next(model) % (MAX_DEPTH + 1);
	for (i = 0; i < stack->depth; i++)
		stack->frames[i] = next_frame(model);
}

static bool is_within(unsigned long frame, long least)
{
	long distance = (long)(frame - shim_stext);

	return distance >= least && distance <= 0x7fffffffL;
}

/* Words of a record: one a frame where all are within reach, with or without the marker */
static uint32_t record_words(const struct stack *stack)
{
	bool all_near = true, but_marker = true;
	unsigned int i;

	for (i = 0; i < stack->depth; i++) {
		all_near &= is_within(stack->frames[i], -0x80000000L);
		but_marker &= stack->frames[i] == FTRACE_TRAMPOLINE_MARKER ||
			      is_within(stack->frames[i], -0x7fffffffL);
	}
	return 1 + stack->depth * (all_near || but_marker ? 1 : 2);
}

/* Number in the model, or that of its stacks */
static unsigned int known(const struct model *model, const struct stack *stack)
{
	unsigned int i;

	for (i = 0; i < model->nr; i++) {
		if (model->stacks[i].depth == stack->depth &&
		    !memcmp(model->stacks[i].frames, stack->frames,
			    stack->depth * sizeof(*stack->frames)))
			break;
	}
	return i;
}

static enum ftrace_stackmap_outcome expected(const struct model *model, const struct stack *stack)
{
	if (!stack->depth)
		return FTRACE_STACKMAP_BAD_DEPTH;
	if (known(model, stack) < model->nr)
		return FTRACE_STACKMAP_SUCCESS;
	if (model->nr == model->map->capacity)
		return FTRACE_STACKMAP_NO_CAPACITY;
	if (model->cursor + record_words(stack) > model->map->arena_words)
		return FTRACE_STACKMAP_NO_SPACE;
	return FTRACE_STACKMAP_ABSENT;
}

static enum ftrace_stackmap_outcome find(const struct model *model, const struct stack *stack,
					 struct ftrace_stackmap_key *key)
{
	/* As large as the stack, for the address sanitizer to see what is read behind it */
	unsigned long *frames = malloc(stack->depth * sizeof(*frames) + !stack->depth);
	enum ftrace_stackmap_outcome outcome;

	must(frames);
	memcpy(frames, stack->frames, stack->depth * sizeof(*frames));
	outcome = ftrace_stackmap_find(model->map, key, frames, stack->depth);
	must(outcome == expected(model, stack));
	if (outcome == FTRACE_STACKMAP_SUCCESS)
		must(key->slot == model->slots[known(model, stack)]);
	free(frames);
	key->frames = stack->frames;
	return outcome;
}

static void insert(struct model *model, const struct stack *stack, struct ftrace_stackmap_key *key)
{
	enum ftrace_stackmap_outcome outcome = ftrace_stackmap_insert(model->map, key), wanted;

	wanted = expected(model, stack);
	if (wanted == FTRACE_STACKMAP_ABSENT) {
		must(outcome == FTRACE_STACKMAP_SUCCESS);
		model->stacks[model->nr] = *stack;
		model->refs[model->nr] = 0;
		model->slots[model->nr++] = key->slot;
		model->cursor += record_words(stack);
	} else {
		must(outcome == wanted);
		if (outcome == FTRACE_STACKMAP_SUCCESS)
			must(key->slot == model->slots[known(model, stack)]);
	}
	must(stacks_slot_has(model->map, key->slot, stack->frames, stack->depth) ==
	     (outcome == FTRACE_STACKMAP_SUCCESS));
}

/* Look up, let something else come between, insert */
static void put(struct model *model, const struct stack *stack, const struct stack *between)
{
	struct ftrace_stackmap_key key;
	bool absent = find(model, stack, &key) == FTRACE_STACKMAP_ABSENT;

	if (between)
		put(model, between, NULL);
	if (absent)
		insert(model, stack, &key);
}

static void use(struct model *model, unsigned int nr)
{
	if (!model->nr)
		return;
	ftrace_stackmap_count_use(model->map, model->slots[nr % model->nr]);
	model->refs[nr % model->nr]++;
}

static void check_all(const struct model *model)
{
	struct ftrace_stackmap_stack stack;
	unsigned int i;

	must(stacks_entries(model->map) == model->nr);
	must(stacks_nr_records(model->map) == model->nr);
	must(stacks_cursor(model->map) == model->cursor);
	for (i = 0; i < model->nr; i++) {
		must(ftrace_stackmap_get_stack(model->map, model->slots[i], &stack));
		must(stacks_are_equal(&stack, model->stacks[i].frames, model->stacks[i].depth));
		must(stack.ref == model->refs[i]);
	}
}

static void run_one(struct model *model)
{
	struct stack stack, between;
	struct ftrace_stackmap_key key;
	uint8_t what = next(model);

	switch (what % 4) {
	case 0:
		next_stack(model, &stack);
		put(model, &stack, NULL);
		break;
	case 1:
		/* The same, or another one, comes between */
		next_stack(model, &stack);
		if (what & 4)
			next_stack(model, &between);
		put(model, &stack, what & 4 ? &between : &stack);
		break;
	case 2:
		next_stack(model, &stack);
		find(model, &stack, &key);
		break;
	default:
		use(model, next(model));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model model = { .data = data, .size = size, .cursor = 1 };
	uint8_t first = next(&model);

	shim_stext = stexts[first / 4 % 4];
	model.map = ftrace_stackmap_alloc(1 + first % 4);
	must(model.map);
	while (model.size) {
		run_one(&model);
		check_all(&model);
	}
	ftrace_stackmap_destroy(model.map);
	must(!shim_nr_allocated());
	return 0;
}
