// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One generation of the kernel's stack map, one context at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/limits.h>
#include <linux/mm.h>

#include <cmocka.h>

#include "stacks.h"
#include "trace.h"

#define BITS		10
#define CAPACITY	(1U << BITS)
#define DEPTH		8
#define WORDS		(1 + DEPTH)	/* of a record of that depth, near */

/* As large as what is recorded of a frame at most, and no frame is to be read behind it. */
static unsigned long *new_stack(unsigned int depth, unsigned int nr)
{
	unsigned long *frames = calloc(depth, sizeof(*frames));

	assert_non_null(frames);
	stacks_make(frames, depth, nr);
	return frames;
}

static long nr_allocated;

static int map_setup(void **state)
{
	struct ftrace_stackmap *map;

	nr_allocated = shim_nr_allocated();
	map = ftrace_stackmap_alloc(BITS);
	if (!map)
		return -1;
	map->generation = 7;
	*state = map;
	return 0;
}

static int map_teardown(void **state)
{
	ftrace_stackmap_destroy(*state);
	return shim_nr_allocated() != nr_allocated;
}

/* What a stack of @frames comes to: it is recorded, found again under its slot, and comes back */
static void assert_kept(struct ftrace_stackmap *map, const unsigned long *frames,
			unsigned int depth)
{
	struct ftrace_stackmap_key key, again;

	assert_int_equal(stacks_put(map, &key, frames, depth), FTRACE_STACKMAP_SUCCESS);
	assert_true(stacks_slot_has(map, key.slot, frames, depth));
	assert_int_equal(ftrace_stackmap_find(map, &again, frames, depth),
			 FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(again.slot, key.slot);
}

static void a_new_map_is_empty(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_stack stack;
	unsigned int outcome;

	assert_int_equal(stacks_entries(map), 0);
	assert_int_equal(ftrace_stackmap_nr_slots(map), 2 * CAPACITY);
	assert_int_equal(map->capacity, CAPACITY);
	assert_int_equal(ftrace_stackmap_next_slot(map, 0), 2 * CAPACITY);
	assert_false(ftrace_stackmap_get_stack(map, 0, &stack));
	for (outcome = 0; outcome < FTRACE_STACKMAP_NR_COUNTED; outcome++)
		assert_int_equal(ftrace_stackmap_sum(map, outcome), 0);
}

static void a_stack_is_found_under_the_slot_that_it_was_inserted_in(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key key, again;
	unsigned long frames[DEPTH];

	stacks_make(frames, DEPTH, 0);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(stacks_entries(map), 0);
	assert_int_equal(ftrace_stackmap_insert(map, &key), FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(ftrace_stackmap_find(map, &again, frames, DEPTH),
			 FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(again.slot, key.slot);
	assert_int_equal(stacks_entries(map), 1);
	assert_int_equal(ftrace_stackmap_cookie(map, key.slot), 7ULL << 32 | key.slot);
}

static void a_stack_inserted_twice_stands_in_the_map_once(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key one, other;
	unsigned long frames[DEPTH];

	stacks_make(frames, DEPTH, 0);
	assert_int_equal(ftrace_stackmap_find(map, &one, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_find(map, &other, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_insert(map, &one), FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(ftrace_stackmap_insert(map, &other), FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(one.slot, other.slot);
	assert_int_equal(stacks_entries(map), 1);
	assert_int_equal(stacks_nr_records(map), 1);
	/* What the second took is given back, it was the last piece */
	assert_int_equal(stacks_cursor(map), 1 + WORDS);
}

static void a_part_of_a_stack_is_another_stack(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];

	stacks_make(frames, DEPTH, 0);
	assert_kept(map, frames, DEPTH);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames, DEPTH - 1),
			 FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames + 1, DEPTH - 1),
			 FTRACE_STACKMAP_ABSENT);
}

/* From 1 word on, as many frames as a record can count */
static void stacks_of_every_depth_come_back(void **state)
{
	const unsigned int depths[] = { 1, 2, 6, 64, 65, 507, 1000, 1024 };
	struct ftrace_stackmap *map = *state;
	unsigned int i;

	for (i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		unsigned long *frames = new_stack(depths[i], i);
		unsigned int cursor = stacks_cursor(map);

		assert_kept(map, frames, depths[i]);
		assert_int_equal(stacks_cursor(map) - cursor, 1 + depths[i]);
		free(frames);
	}
}

static void the_deepest_stack_that_can_be_counted_comes_back(void **state)
{
	struct ftrace_stackmap *map = ftrace_stackmap_alloc(14);
	unsigned long *frames = new_stack(U16_MAX, 0);
	unsigned int i;

	assert_non_null(map);
	assert_kept(map, frames, U16_MAX);
	/* In two words a frame too */
	for (i = 0; i < U16_MAX; i++)
		frames[i] = ~frames[i];
	assert_kept(map, frames, U16_MAX);
	assert_int_equal(stacks_cursor(map), 1 + 1 + U16_MAX + 1 + 2 * U16_MAX);
	ftrace_stackmap_destroy(map);
	free(frames);
}

static void no_frame_or_too_many_are_refused_and_not_read(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key key;

	assert_int_equal(ftrace_stackmap_find(map, &key, NULL, 0), FTRACE_STACKMAP_BAD_DEPTH);
	assert_int_equal(ftrace_stackmap_find(map, &key, NULL, U16_MAX + 1),
			 FTRACE_STACKMAP_BAD_DEPTH);
	assert_int_equal(ftrace_stackmap_find(map, &key, NULL, UINT_MAX),
			 FTRACE_STACKMAP_BAD_DEPTH);
	assert_int_equal(stacks_entries(map), 0);
}

/* Where the kernel is, how frames lie to it, and what they then take each */
static const struct {
	unsigned long	stext;
	unsigned long	frames[4];
	unsigned int	words;
} odd_stacks[] = {
#define X86	0xffffffff81000000UL
#define ARM	0xffff800080010000UL
#define S390	0x100000UL
#define MARKER	FTRACE_TRAMPOLINE_MARKER
#define REACH	0x80000000UL
	/* Near: to both ends of what a word can say but for its least value */
	{ X86, { X86, X86 + 1, X86 - 1, X86 + 0x123456 }, 1 },
	{ X86, { X86, X86 + REACH - 1, X86 - REACH + 1, X86 + 1 }, 1 },
	{ ARM, { ARM, ARM + REACH - 1, ARM - REACH + 1, ARM }, 1 },
	/* The distance that stands for the marker is another frame's, where no marker is near */
	{ ARM, { ARM, ARM - REACH, ARM, ARM }, 1 },
	/* The marker, far from all kernels but one that lies low */
	{ X86, { X86, MARKER, X86 + 4, MARKER }, 1 },
	{ ARM, { MARKER, ARM + REACH - 1, ARM - REACH + 1, ARM }, 1 },
	{ ARM, { MARKER, MARKER, MARKER, MARKER }, 1 },
	{ S390, { MARKER, S390, S390 + 8, MARKER }, 1 },
	{ S390, { S390, MARKER - 1, MARKER + 1, S390 }, 1 },
	/* The marker beside the frame that its word would be taken for */
	{ ARM, { MARKER, ARM - REACH, ARM, ARM }, 2 },
	{ ARM, { ARM - REACH, ARM, ARM, MARKER }, 2 },
	{ S390, { MARKER, S390 - REACH, S390, S390 }, 1 },
	/* The addresses wrap: from the end of all memory the beginning is near */
	{ X86, { 0, X86, 4, ~0UL }, 1 },
	/* Out of reach, by one and by far */
	{ ARM, { ARM + REACH, ARM, ARM, ARM }, 2 },
	{ ARM, { ARM, ARM, ARM, ARM - REACH - 1 }, 2 },
	{ X86, { 1, ~0UL, 0x8000000000000000UL, X86 }, 2 },
	{ S390, { 0x3ffe0000000UL, S390, 0x3ffe0001234UL, MARKER }, 2 },
	{ ARM, { ARM ^ 1UL << 32, MARKER, ARM - REACH, ARM + REACH }, 2 },
};

#define NR_ODD	(sizeof(odd_stacks) / sizeof(*odd_stacks))

static void frames_come_back_wherever_they_lie(void **state)
{
	unsigned long stext = shim_stext;
	unsigned int i;

	for (i = 0; i < NR_ODD; i++) {
		struct ftrace_stackmap *map = ftrace_stackmap_alloc(BITS);

		assert_non_null(map);
		shim_stext = odd_stacks[i].stext;
		assert_kept(map, odd_stacks[i].frames, 4);
		assert_int_equal(stacks_cursor(map), 1 + 1 + 4 * odd_stacks[i].words);
		ftrace_stackmap_destroy(map);
	}
	shim_stext = stext;
}

/* All that can stand in one place, at all places, beside each other in one map */
static void stacks_that_differ_in_one_frame_are_different_stacks(void **state)
{
	const unsigned long odd[] = {
		ARM, ARM + 1, ARM - REACH, ARM - REACH - 1, ARM - REACH + 1, ARM + REACH,
		ARM + REACH - 1, ARM ^ 1UL << 32, MARKER, MARKER - 1, (u32)ARM, (u32)-REACH,
		0, ~0UL,
	};
	const unsigned int nr = sizeof(odd) / sizeof(*odd);
	struct ftrace_stackmap *map = *state;
	unsigned long stext = shim_stext, frames[3];
	struct ftrace_stackmap_key key;
	unsigned int i, j, k;

	shim_stext = ARM;
	for (i = 0; i < nr; i++) {
		for (j = 0; j < 8; j++) {
			for (k = 0; k < 8; k++) {
				frames[0] = odd[j];
				frames[1] = odd[i];
				frames[2] = odd[k];
				assert_int_equal(ftrace_stackmap_find(map, &key, frames, 3),
						 FTRACE_STACKMAP_ABSENT);
				assert_kept(map, frames, 3);
			}
		}
	}
	assert_int_equal(stacks_entries(map), nr * 64);
	shim_stext = stext;
}

/* One by one to the last, each with a look at what stands and at what does not */
static void a_map_takes_as_many_stacks_as_its_capacity_says(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];
	unsigned int nr;

	for (nr = 0; nr < CAPACITY; nr++) {
		stacks_make(frames, DEPTH, nr);
		assert_int_equal(stacks_put(map, &key, frames, DEPTH), FTRACE_STACKMAP_SUCCESS);
		assert_int_equal(stacks_entries(map), nr + 1);
	}
	stacks_make(frames, DEPTH, nr);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames, DEPTH),
			 FTRACE_STACKMAP_NO_CAPACITY);
	assert_int_equal(stacks_nr_records(map), CAPACITY);
	for (nr = 0; nr < CAPACITY; nr++) {
		stacks_make(frames, DEPTH, nr);
		assert_kept(map, frames, DEPTH);
	}
	assert_int_equal(stacks_entries(map), CAPACITY);
}

/* What is found absent while there is room may have none by the time that it is inserted */
static void the_last_room_goes_to_one_of_two(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_key key, late, same;
	unsigned long frames[DEPTH], other[DEPTH];
	unsigned int nr, cursor;

	for (nr = 0; nr < CAPACITY - 1; nr++) {
		stacks_make(frames, DEPTH, nr);
		assert_int_equal(stacks_put(map, &key, frames, DEPTH), FTRACE_STACKMAP_SUCCESS);
	}
	stacks_make(frames, DEPTH, nr);
	stacks_make(other, DEPTH, nr + 1);
	assert_int_equal(ftrace_stackmap_find(map, &late, other, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(ftrace_stackmap_find(map, &same, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_int_equal(stacks_put(map, &key, frames, DEPTH), FTRACE_STACKMAP_SUCCESS);
	cursor = stacks_cursor(map);

	assert_int_equal(ftrace_stackmap_insert(map, &late), FTRACE_STACKMAP_NO_CAPACITY);
	/* Unless what took it was this very stack */
	assert_int_equal(ftrace_stackmap_insert(map, &same), FTRACE_STACKMAP_SUCCESS);
	assert_int_equal(same.slot, key.slot);
	assert_int_equal(stacks_entries(map), CAPACITY);
	assert_int_equal(stacks_nr_records(map), CAPACITY);
	assert_int_equal(stacks_cursor(map), cursor);
}

static void where_a_stack_does_not_fit_the_arena_a_shorter_one_may(void **state)
{
	struct ftrace_stackmap *map = *state;
	unsigned long *frames = new_stack(U16_MAX, 0);
	struct ftrace_stackmap_key key, late;
	unsigned int room = map->arena_words - 1, entries;

	/* Room for 9 words, of which a stack of 8 frames takes all */
	assert_kept(map, frames, room - 1 - WORDS);
	entries = stacks_entries(map);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames, DEPTH + 1),
			 FTRACE_STACKMAP_NO_SPACE);
	assert_int_equal(ftrace_stackmap_find(map, &late, frames, DEPTH), FTRACE_STACKMAP_ABSENT);
	assert_kept(map, frames, 3);
	assert_int_equal(ftrace_stackmap_insert(map, &late), FTRACE_STACKMAP_NO_SPACE);
	assert_int_equal(stacks_entries(map), entries + 1);
	assert_kept(map, frames, 4);
	assert_int_equal(stacks_cursor(map), map->arena_words);
	assert_int_equal(ftrace_stackmap_find(map, &key, frames, 1), FTRACE_STACKMAP_NO_SPACE);
	assert_kept(map, frames, room - 1 - WORDS);
	assert_int_equal(stacks_nr_records(map), stacks_entries(map));
	free(frames);
}

static void a_slot_that_is_none_has_no_stack(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_stack stack;
	unsigned long frame = shim_stext;
	uint32_t slot, nr = ftrace_stackmap_nr_slots(map);

	assert_kept(map, &frame, 1);
	slot = ftrace_stackmap_next_slot(map, 0);
	assert_true(slot < nr);
	assert_true(ftrace_stackmap_get_stack(map, slot, &stack));
	assert_int_equal(ftrace_stackmap_next_slot(map, slot), slot);
	assert_int_equal(ftrace_stackmap_next_slot(map, slot + 1), nr);
	assert_true(ftrace_stackmap_next_slot(map, nr) >= nr);
	assert_false(ftrace_stackmap_get_stack(map, nr, &stack));
	assert_false(ftrace_stackmap_get_stack(map, nr + slot, &stack));
	assert_false(ftrace_stackmap_get_stack(map, UINT32_MAX, &stack));
}

static void uses_are_counted_up_to_the_largest_int(void **state)
{
	struct ftrace_stackmap *map = *state;
	struct ftrace_stackmap_stack stack;
	struct ftrace_stackmap_key key;
	unsigned long frame = shim_stext;

	assert_int_equal(stacks_put(map, &key, &frame, 1), FTRACE_STACKMAP_SUCCESS);
	assert_true(ftrace_stackmap_get_stack(map, key.slot, &stack));
	assert_int_equal(stack.ref, 0);
	ftrace_stackmap_count_use(map, key.slot);
	ftrace_stackmap_count_use(map, key.slot);
	assert_true(ftrace_stackmap_get_stack(map, key.slot, &stack));
	assert_int_equal(stack.ref, 2);

	atomic_set(&map->refs[key.slot], INT_MAX - 1);
	ftrace_stackmap_count_use(map, key.slot);
	ftrace_stackmap_count_use(map, key.slot);
	assert_int_equal(atomic_read(&map->refs[key.slot]), INT_MAX);
	assert_true(ftrace_stackmap_get_stack(map, key.slot, &stack));
	assert_int_equal(stack.ref, INT_MAX);

	/* As many as were between the look and the count */
	atomic_set(&map->refs[key.slot], INT_MIN + 5);
	ftrace_stackmap_count_use(map, key.slot);
	assert_int_equal(atomic_read(&map->refs[key.slot]), INT_MIN + 5);
	assert_true(ftrace_stackmap_get_stack(map, key.slot, &stack));
	assert_int_equal(stack.ref, INT_MAX);
	/* The stack was recorded all the same */
	assert_int_equal(ftrace_stackmap_sum(map, FTRACE_STACKMAP_SUCCESS), 5);
}

static void what_is_counted_adds_up_over_the_cpus(void **state)
{
	struct ftrace_stackmap *map = *state;
	unsigned int outcome, i;
	int cpu;

	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++) {
		shim_run_on_cpu(cpu);
		for (outcome = 0; outcome < FTRACE_STACKMAP_NR_COUNTED; outcome++)
			for (i = 0; i <= outcome; i++)
				ftrace_stackmap_count(map, outcome);
	}
	shim_run_on_cpu(0);
	for (outcome = 0; outcome < FTRACE_STACKMAP_NR_COUNTED; outcome++)
		assert_int_equal(ftrace_stackmap_sum(map, outcome), SHIM_NR_CPUS * (outcome + 1));
	/* no_capacity, no_space and no_slot */
	assert_int_equal(ftrace_stackmap_fallbacks(map), SHIM_NR_CPUS * (2 + 3 + 4));
}

static void a_failed_allocation_leaves_nothing(void **state)
{
	struct ftrace_stackmap *map = NULL;
	long allocated = shim_nr_allocated();
	int i;

	for (i = 0; !map && i < 10; i++) {
		shim_allocations_left = i;
		map = ftrace_stackmap_alloc(BITS);
		if (!map)
			assert_int_equal(shim_nr_allocated(), allocated);
	}
	shim_allocations_left = -1;
	assert_int_equal(i, 4);
	ftrace_stackmap_destroy(map);
	ftrace_stackmap_destroy(NULL);
	assert_int_equal(shim_nr_allocated(), allocated);
}

/* Whoever needs a page meanwhile would be killed for it. */
static void what_there_is_no_memory_for_is_not_tried(void **state)
{
	struct ftrace_stackmap *map = *state;
	long pages = (long)(map->memory >> PAGE_SHIFT), available;
	long allocated = shim_nr_allocated();

	for (available = 0; available < pages; available++) {
		shim_available = available;
		assert_null(ftrace_stackmap_alloc(BITS));
		assert_int_equal(shim_nr_allocated(), allocated);
	}
	shim_available = pages + 1;
	map = ftrace_stackmap_alloc(BITS);
	shim_available = LONG_MAX;
	assert_non_null(map);
	ftrace_stackmap_destroy(map);
}

static void a_map_takes_no_more_memory_than_was_promised(void **state)
{
	const struct {
		unsigned int	bits;
		size_t		bound;
	} rows[] = {
		{ FTRACE_STACKMAP_BITS_DEFAULT, 1843 * 1024 },	/* 1.8 MiB */
		{ FTRACE_STACKMAP_BITS_MAX, 28 * 1024 * 1024 },
	};
	struct ftrace_stackmap *map;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		map = ftrace_stackmap_alloc(rows[i].bits);
		assert_non_null(map);
		print_message("bits %u: %zu bytes\n", rows[i].bits, map->memory);
		assert_true(map->memory <= rows[i].bound);
		assert_true(map->memory >= map->arena_words * 4 + map->capacity * 2 * 8);
		ftrace_stackmap_destroy(map);
	}
}

/* Of the 16,384 stacks that a map of a busy machine held: how many were how deep, from 4 on */
static const unsigned int real_depths[] = {
	3, 3, 16, 39, 52, 95, 188, 291, 474, 768, 934, 1063, 1081, 1176, 1194, 1149, 1039, 880,
	937, 850, 763, 752, 623, 505, 453, 309, 241, 158, 93, 58, 44, 35, 26, 19, 15, 12, 6, 15,
	10, 5, 3, 3, 1, 0, 0, 2, 0, 1,
};

static void stacks_as_deep_as_real_ones_fit_as_many_as_a_map_counts(void **state)
{
	struct ftrace_stackmap *map = ftrace_stackmap_alloc(FTRACE_STACKMAP_BITS_DEFAULT);
	struct ftrace_stackmap_key key;
	unsigned int i, j, nr = 0;
	unsigned long frames[64];

	assert_non_null(map);
	for (i = 0; i < sizeof(real_depths) / sizeof(*real_depths); i++) {
		for (j = 0; j < real_depths[i]; j++) {
			stacks_make(frames, 4 + i, nr++);
			assert_int_equal(stacks_put(map, &key, frames, 4 + i),
					 FTRACE_STACKMAP_SUCCESS);
		}
	}
	assert_int_equal(nr, map->capacity);
	print_message("%u of %u words\n", stacks_cursor(map), map->arena_words);
	ftrace_stackmap_destroy(map);
}

#define line_of(member)	(offsetof(struct ftrace_stackmap, member) / SHIM_CACHELINE)

/* What each lookup on each CPU reads would otherwise be taken away by those that insert. */
static void what_is_written_has_cache_lines_of_its_own(void **state)
{
	/* In the first one is all that a lookup reads */
	assert_int_equal(line_of(arena_words), 0);
	assert_true(line_of(sequence) > 0);
	assert_true(line_of(cursor) > line_of(closed));
	assert_int_equal(line_of(cursor), line_of(entries));
}

#define with_map(test)	cmocka_unit_test_setup_teardown(test, map_setup, map_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_map(a_new_map_is_empty),
		with_map(a_stack_is_found_under_the_slot_that_it_was_inserted_in),
		with_map(a_stack_inserted_twice_stands_in_the_map_once),
		with_map(a_part_of_a_stack_is_another_stack),
		with_map(stacks_of_every_depth_come_back),
		with_map(the_deepest_stack_that_can_be_counted_comes_back),
		with_map(no_frame_or_too_many_are_refused_and_not_read),
		with_map(frames_come_back_wherever_they_lie),
		with_map(stacks_that_differ_in_one_frame_are_different_stacks),
		with_map(a_map_takes_as_many_stacks_as_its_capacity_says),
		with_map(the_last_room_goes_to_one_of_two),
		with_map(where_a_stack_does_not_fit_the_arena_a_shorter_one_may),
		with_map(a_slot_that_is_none_has_no_stack),
		with_map(uses_are_counted_up_to_the_largest_int),
		with_map(what_is_counted_adds_up_over_the_cpus),
		with_map(a_failed_allocation_leaves_nothing),
		with_map(what_there_is_no_memory_for_is_not_tried),
		with_map(a_map_takes_no_more_memory_than_was_promised),
		with_map(stacks_as_deep_as_real_ones_fit_as_many_as_a_map_counts),
		cmocka_unit_test(what_is_written_has_cache_lines_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
