// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The map where all stacks have one hash: they want the same slots, and their tags are the same.
 * This is compiled with a hash that comes to that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "stacks.h"
#include "trace.h"

#define BITS		10
#define DEPTH		4
#define MAX_PROBES	64

static int map_setup(void **state)
{
	*state = ftrace_stackmap_alloc(BITS);
	return *state ? 0 : -1;
}

static int map_teardown(void **state)
{
	ftrace_stackmap_destroy(*state);
	return 0;
}

static void fill(struct ftrace_stackmap *map, unsigned int nr)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		stacks_make(frames, DEPTH, i);
		assert_int_equal(stacks_put(map, &key, frames, DEPTH), FTRACE_STACKMAP_SUCCESS);
		assert_int_equal(key.hash, 0);
		assert_int_equal(key.probe, i);
	}
}

static void stacks_of_one_hash_are_told_apart(void **state)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];
	unsigned int i;

	fill(*state, MAX_PROBES);
	assert_int_equal(stacks_nr_records(*state), MAX_PROBES);
	for (i = 0; i < MAX_PROBES; i++) {
		stacks_make(frames, DEPTH, i);
		assert_int_equal(ftrace_stackmap_find(*state, &key, frames, DEPTH),
				 FTRACE_STACKMAP_SUCCESS);
		assert_true(stacks_slot_has(*state, key.slot, frames, DEPTH));
	}
}

/* Nothing but the comparison tells them apart here, and each kind of record has one of its own. */
static void frames_that_differ_in_any_bit_are_told_apart(void **state)
{
	const unsigned long base[] = {
		shim_stext, FTRACE_TRAMPOLINE_MARKER, shim_stext ^ 1UL << 40,
	};
	struct ftrace_stackmap_key key;
	unsigned long frames[3];
	unsigned int bit, place, i;

	for (i = 0; i < 3; i++) {
		for (place = 0; place < 3; place++) {
			struct ftrace_stackmap *map = ftrace_stackmap_alloc(BITS);

			assert_non_null(map);
			frames[0] = frames[1] = shim_stext + 0x1000;
			frames[2] = base[i];
			stacks_put(map, &key, frames, 3);
			/* As many as there is a slot for, from both ends */
			for (bit = 0; bit < 64; bit++) {
				frames[place] ^= 1UL << bit;
				if (bit < MAX_PROBES - 1) {
					assert_int_equal(ftrace_stackmap_find(map, &key, frames, 3),
							 FTRACE_STACKMAP_ABSENT);
					assert_int_equal(ftrace_stackmap_insert(map, &key),
							 FTRACE_STACKMAP_SUCCESS);
					assert_true(stacks_slot_has(map, key.slot, frames, 3));
				} else {
					assert_int_equal(ftrace_stackmap_find(map, &key, frames, 3),
							 FTRACE_STACKMAP_NO_SLOT);
				}
				frames[place] ^= 1UL << bit;
			}
			ftrace_stackmap_destroy(map);
		}
	}
}

static void stacks_of_which_one_begins_as_the_other_are_told_apart(void **state)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];
	unsigned int depth, far;

	for (far = 0; far < 2; far++) {
		stacks_make(frames, DEPTH, far);
		frames[0] ^= (unsigned long)far << 40;
		for (depth = DEPTH; depth; depth--) {
			assert_int_equal(ftrace_stackmap_find(*state, &key, frames, depth),
					 FTRACE_STACKMAP_ABSENT);
			assert_int_equal(ftrace_stackmap_insert(*state, &key),
					 FTRACE_STACKMAP_SUCCESS);
		}
	}
	assert_int_equal(stacks_nr_records(*state), 2 * DEPTH);
}

static void a_stack_with_too_many_before_it_has_no_slot(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];

	fill(map, MAX_PROBES);
	stacks_make(frames, DEPTH, MAX_PROBES);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames, DEPTH), FTRACE_STACKMAP_NO_SLOT);
	assert_int_equal(stacks_entries(map), MAX_PROBES);
	assert_true(MAX_PROBES < map->capacity);
}

/* Three find the last slot empty */
static void whoever_loses_the_last_slot_gives_back_what_it_took(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key winner, same, other;
	unsigned long frames[DEPTH], others[DEPTH];
	uint32_t cursor;

	fill(map, MAX_PROBES - 1);
	stacks_make(frames, DEPTH, 1000);
	stacks_make(others, DEPTH, 1001);
	assert_int_equal(ftrace_stackmap_find(map, &winner, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_find(map, &same, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_find(map, &other, others, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_insert(map, &winner), FTRACE_STACKMAP_SUCCESS);
	cursor = stacks_cursor(map);
	assert_int_equal(ftrace_stackmap_insert(map, &other), FTRACE_STACKMAP_NO_SLOT);
	assert_int_equal(ftrace_stackmap_insert(map, &same), FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(same.slot, winner.slot);
	assert_int_equal(stacks_cursor(map), cursor);
	assert_int_equal(stacks_entries(map), MAX_PROBES);
	assert_int_equal(stacks_nr_records(map), MAX_PROBES);
}

/* A map with fewer slots than are tried: the steps meet each of them */
static void every_slot_is_met(void **state)
{
	struct ftrace_stackmap *map = ftrace_stackmap_alloc(4);
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];
	uint32_t met = 0;
	unsigned int i;

	assert_non_null(map);
	/* More than it counts, since half of the slots stay empty otherwise */
	map->capacity = 2 * map->capacity;
	for (i = 0; i < map->capacity; i++) {
		stacks_make(frames, DEPTH, i);
		assert_int_equal(stacks_put(map, &key, frames, DEPTH), FTRACE_STACKMAP_SUCCESS);
		met |= 1U << key.slot;
	}
	assert_int_equal(met, UINT32_MAX);
	ftrace_stackmap_destroy(map);
}

#define with_map(test)	cmocka_unit_test_setup_teardown(test, map_setup, map_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_map(stacks_of_one_hash_are_told_apart),
		cmocka_unit_test(frames_that_differ_in_any_bit_are_told_apart),
		with_map(stacks_of_which_one_begins_as_the_other_are_told_apart),
		with_map(a_stack_with_too_many_before_it_has_no_slot),
		with_map(whoever_loses_the_last_slot_gives_back_what_it_took),
		cmocka_unit_test(every_slot_is_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
