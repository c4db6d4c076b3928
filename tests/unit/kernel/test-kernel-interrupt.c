// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recording a stack, interrupted at each of its steps: an interrupt, or an NMI, records another
 * stack or the same one to its end, and may itself be interrupted at each of its steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "shim.h"
#include "world.h"

#define NR_LEVELS	3

/* What records at each level, and at which step of it the next level begins */
static struct {
	struct world		world;
	unsigned int		level;
	enum world_stack	stacks[NR_LEVELS];
	unsigned int		at[NR_LEVELS];
	unsigned int		step[NR_LEVELS];
} now;

static void record_level(void)
{
	now.step[now.level] = 0;
	world_record(&now.world, now.stacks[now.level]);
}

static void interrupt(void)
{
	if (++now.step[now.level] != now.at[now.level] || now.level + 1 == NR_LEVELS ||
	    now.stacks[now.level + 1] == WORLD_NONE)
		return;
	now.level++;
	record_level();
	now.level--;
}

/* False: one of the levels had its end before the step at which it was to be interrupted. */
static bool run(enum world_room room, unsigned int buffer_size)
{
	unsigned int level;

	if (!world_begin(&now.world, room, buffer_size))
		return false;
	now.level = 0;
	shim_step_hook = interrupt;
	record_level();
	shim_step_hook = NULL;
	for (level = 0; level + 1 < NR_LEVELS && now.stacks[level + 1] != WORLD_NONE; level++) {
		if (now.world.nr_contexts < level + 2)
			break;
	}
	world_end(&now.world);
	return level + 1 == NR_LEVELS || now.stacks[level + 1] == WORLD_NONE;
}

static unsigned int run_steps(enum world_room room, enum world_stack outer,
			      enum world_stack inner, unsigned int buffer_size)
{
	unsigned int nr = 0;

	now.stacks[0] = outer;
	now.stacks[1] = inner;
	now.stacks[2] = WORLD_NONE;
	for (now.at[0] = 1; run(room, buffer_size); now.at[0]++)
		nr++;
	return nr;
}

static unsigned int run_nested(enum world_room room, enum world_stack inner,
			       enum world_stack innermost)
{
	/* On the way past many others nothing happens */
	unsigned int first = room == WORLD_LAST_SLOT ? 62 : 1, nr = 0, before;

	now.stacks[0] = WORLD_ONE;
	now.stacks[1] = inner;
	now.stacks[2] = innermost;
	for (now.at[0] = first; ; now.at[0]++) {
		before = nr;
		for (now.at[1] = first; run(room, 8); now.at[1]++)
			nr++;
		if (nr == before)
			return nr;
	}
}

static void a_record_can_be_interrupted_at_each_step(void **state)
{
	unsigned int room, outer, inner, nr = 0, most = 0, here;

	for (room = 0; room < WORLD_NR_ROOMS; room++) {
		for (outer = 0; outer < WORLD_NR_STACKS; outer++) {
			for (inner = 0; inner < WORLD_NR_STACKS; inner++) {
				here = run_steps(room, outer, inner, 8);
				nr += here;
				most = here > most ? here : most;
			}
		}
	}
	print_message("%u cases, up to %u steps\n", nr, most);
	/* Live map, slot, two looks at the room, event, two counters, slot, two counts, commit */
	assert_true(most >= 12);
}

static void so_can_the_record_that_interrupts_it(void **state)
{
	unsigned int room, inner, innermost, nr = 0;

	for (room = 0; room < WORLD_NR_ROOMS; room++)
		for (inner = 0; inner < WORLD_NR_STACKS; inner++)
			for (innermost = 0; innermost < WORLD_NR_STACKS; innermost++)
				nr += run_nested(room, inner, innermost);
	print_message("%u cases\n", nr);
	assert_true(nr > 10000);
}

/* The buffer has room for the one or for the other */
static void whoever_finds_the_buffer_full_leaves_the_map_alone(void **state)
{
	unsigned int room, inner, size, nr = 0;

	for (room = 0; room < WORLD_NR_ROOMS; room++)
		for (inner = 0; inner < WORLD_NR_STACKS; inner++)
			for (size = 0; size < 2; size++)
				nr += run_steps(room, WORLD_ONE, inner, size);
	print_message("%u cases\n", nr);
	assert_true(nr > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_can_be_interrupted_at_each_step),
		cmocka_unit_test(so_can_the_record_that_interrupts_it),
		cmocka_unit_test(whoever_finds_the_buffer_full_leaves_the_map_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
