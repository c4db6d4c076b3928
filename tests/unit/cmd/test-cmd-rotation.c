// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "said.h"
#include "in-range.h"

#include "rotation.h"

#define MS	ROTATION_NS_PER_MS
#define S	ROTATION_NS_PER_S

static struct rotation rotation;
static struct rotation_look look;
static uint64_t now, sleep_ns;

static void begin(unsigned int percent, uint64_t every_ns, bool is_kept)
{
	struct rotation_policy policy = { percent, every_ns, is_kept };

	now = 1000 * S;
	look = (struct rotation_look){ true, 1, 0, 1000, 0, 0 };
	rotation_init(&rotation, &policy, now);
}

static enum rotation_due look_after(uint64_t ns, uint64_t entries)
{
	now += ns;
	look.entries = entries;
	return rotation_look(&rotation, &look, now, &sleep_ns);
}

static void rotate(uint64_t took)
{
	now += took;
	look.generation++;
	rotation_done(&rotation, now - took, now);
}

static void it_is_due_at_the_mark_and_not_before(void **state)
{
	begin(75, 0, false);
	assert_int_equal(look_after(S, 749), ROTATION_NOT_DUE);
	assert_int_equal(rotation_percent(&rotation), 74);
	assert_int_equal(look_after(S, 750), ROTATION_BY_FILL);
	assert_int_equal(rotation_percent(&rotation), 75);
}

static void without_a_mark_it_is_not_due_by_fill(void **state)
{
	begin(0, 0, false);
	assert_int_equal(look_after(S, 1000), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MAX);
}

static void an_arena_can_be_full_before_the_slots_are(void **state)
{
	begin(75, 0, false);
	look.arena_size = 4000;
	look.arena_used = 2999;
	assert_int_equal(look_after(S, 10), ROTATION_NOT_DUE);
	look.arena_used = 3000;
	assert_int_equal(look_after(S, 11), ROTATION_BY_FILL);
}

static void no_map_is_never_due(void **state)
{
	begin(1, S, false);
	look = (struct rotation_look){ .entries = 0 };
	assert_int_equal(look_after(10 * S, 0), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MAX);
}

static void numbers_that_cannot_be_are_full(void **state)
{
	begin(75, 0, false);
	look.capacity = UINT64_MAX;
	assert_int_equal(look_after(S, UINT64_MAX), ROTATION_BY_FILL);
	look.capacity = 1;
	assert_int_equal(look_after(S, UINT64_MAX), ROTATION_BY_FILL);
	assert_int_equal(rotation_percent(&rotation), 100);
}

static void it_is_due_by_time_once_there_is_a_stack(void **state)
{
	begin(0, 10 * S, false);
	assert_int_equal(look_after(100 * S, 0), ROTATION_NOT_DUE);
	assert_int_equal(look_after(5 * S, 1), ROTATION_NOT_DUE);
	assert_int_equal(look_after(4 * S, 1), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, S);
	assert_int_equal(look_after(S, 1), ROTATION_BY_TIME);
	rotate(S);
	assert_int_equal(look_after(9 * S, 1), ROTATION_NOT_DUE);
	assert_int_equal(look_after(S, 1), ROTATION_BY_TIME);
}

static void one_sleeps_until_the_time_comes_and_no_longer(void **state)
{
	begin(0, 10 * S, false);
	assert_int_equal(look_after(9900 * MS, 0), ROTATION_NOT_DUE);
	assert_int_equal(look_after(0, 1), ROTATION_NOT_DUE);
	assert_int_equal(look_after(9900 * MS, 1), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, 100 * MS);
}

static void another_tool_that_rotates_begins_a_new_time(void **state)
{
	begin(0, 10 * S, false);
	look_after(S, 100);
	look.generation = 7;
	assert_int_equal(look_after(9 * S, 200), ROTATION_NOT_DUE);
	assert_int_equal(look_after(9 * S, 300), ROTATION_NOT_DUE);
	assert_int_equal(look_after(S, 300), ROTATION_BY_TIME);
}

static void without_generations_fewer_entries_are_another_map(void **state)
{
	begin(0, 10 * S, true);
	look.has_generation = false;
	look_after(S, 100);
	assert_int_equal(look_after(8 * S, 99), ROTATION_NOT_DUE);
	assert_int_equal(look_after(9 * S, 99), ROTATION_NOT_DUE);
	assert_int_equal(look_after(S, 99), ROTATION_BY_TIME);
}

/* Half the way to the mark, at the rate seen. */
static void the_sleep_is_as_the_map_fills(void **state)
{
	begin(75, 0, false);
	look_after(S, 350);
	assert_uint_in_range(sleep_ns, 570 * MS, 572 * MS);
	look_after(500 * MS, 700);
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MIN);
	look_after(S, 700);
	assert_uint_in_range(sleep_ns, 71 * MS, 72 * MS);
	look_after(S, 700);
	assert_uint_in_range(sleep_ns, 142 * MS, 143 * MS);
	while (sleep_ns < ROTATION_SLEEP_MAX)
		look_after(S, 700);
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MAX);
}

/* At any constant rate that needs more than the shortest sleep it is seen before it is full. */
static void a_map_that_fills_evenly_is_seen_in_time(void **state)
{
	uint64_t fill_ns;
	double at;

	for (fill_ns = 500 * MS; fill_ns < 10000 * S; fill_ns = fill_ns * 5 / 4) {
		begin(75, 0, false);
		look.capacity = 1000000;
		look_after(1, 0);
		at = 0;
		do
			at += (double)sleep_ns / (double)fill_ns;
		while (look_after(sleep_ns, at < 1 ? (uint64_t)(at * 1000000) : 1000000) ==
		       ROTATION_NOT_DUE);
		if (fill_ns > 4 * S)
			assert_true(at < 0.95);
	}
}

/* The everyday stacks of a load alone pass the mark. */
static void a_map_that_is_full_at_once_is_rotated_with_rests(void **state)
{
	begin(75, 0, false);
	assert_int_equal(look_after(S, 900), ROTATION_BY_FILL);
	rotate(100 * MS);
	assert_int_equal(look_after(50 * MS, 900), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MAX);
	assert_int_equal(look_after(S, 900), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, 550 * MS);
	assert_int_equal(look_after(549 * MS, 900), ROTATION_NOT_DUE);
	assert_int_equal(look_after(MS, 900), ROTATION_BY_FILL);
}

static void a_rest_does_not_keep_it_from_being_due_by_time(void **state)
{
	begin(75, S, false);
	assert_int_equal(look_after(S, 900), ROTATION_BY_FILL);
	rotate(S);
	assert_int_equal(look_after(S - 1, 900), ROTATION_NOT_DUE);
	assert_int_equal(sleep_ns, 1);
	assert_int_equal(look_after(1, 900), ROTATION_BY_TIME);
}

static void what_failed_is_tried_again_ever_more_seldom(void **state)
{
	static const unsigned int seconds[] = { 1, 2, 4, 8, 16, 32, 60, 60 };
	size_t i;

	begin(75, 10 * S, false);
	assert_int_equal(look_after(20 * S, 900), ROTATION_BY_FILL);
	for (i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		rotation_failed(&rotation, now);
		assert_int_equal(look_after(seconds[i] * S - 1, 950), ROTATION_NOT_DUE);
		assert_int_equal(sleep_ns, 1);
		assert_int_equal(look_after(1, 950), ROTATION_BY_FILL);
	}
	rotate(MS);
	assert_int_equal(look_after(S, 900), ROTATION_BY_FILL);
	rotation_failed(&rotation, now);
	assert_int_equal(look_after(S, 900), ROTATION_BY_FILL);
}

static void a_map_that_is_kept_has_marks_that_come_closer(void **state)
{
	begin(75, 0, true);
	look.capacity = 10000;
	assert_int_equal(look_after(S, 7500), ROTATION_BY_FILL);
	rotation_done(&rotation, now, now);
	assert_int_equal(look_after(S, 8749), ROTATION_NOT_DUE);
	assert_int_equal(look_after(S, 9900), ROTATION_BY_FILL);
	rotation_done(&rotation, now, now);
	assert_int_equal(look_after(S, 9999), ROTATION_NOT_DUE);
	assert_int_equal(look_after(S, 10000), ROTATION_BY_FILL);
	rotation_done(&rotation, now, now);
	assert_int_equal(look_after(S, 10000), ROTATION_NOT_DUE);
	/* Somebody has reset it. */
	look.generation++;
	assert_int_equal(look_after(S, 7499), ROTATION_NOT_DUE);
	assert_int_equal(look_after(S, 7500), ROTATION_BY_FILL);
}

static void a_clock_that_goes_backwards_does_no_harm(void **state)
{
	begin(75, 10 * S, false);
	look_after(S, 100);
	now -= 500 * S;
	assert_int_equal(look_after(0, 200), ROTATION_NOT_DUE);
	assert_true(sleep_ns <= ROTATION_SLEEP_MAX);
	assert_int_equal(look_after(S, 800), ROTATION_BY_FILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_due_at_the_mark_and_not_before),
		cmocka_unit_test(without_a_mark_it_is_not_due_by_fill),
		cmocka_unit_test(an_arena_can_be_full_before_the_slots_are),
		cmocka_unit_test(no_map_is_never_due),
		cmocka_unit_test(numbers_that_cannot_be_are_full),
		cmocka_unit_test(it_is_due_by_time_once_there_is_a_stack),
		cmocka_unit_test(one_sleeps_until_the_time_comes_and_no_longer),
		cmocka_unit_test(another_tool_that_rotates_begins_a_new_time),
		cmocka_unit_test(without_generations_fewer_entries_are_another_map),
		cmocka_unit_test(the_sleep_is_as_the_map_fills),
		cmocka_unit_test(a_map_that_fills_evenly_is_seen_in_time),
		cmocka_unit_test(a_map_that_is_full_at_once_is_rotated_with_rests),
		cmocka_unit_test(a_rest_does_not_keep_it_from_being_due_by_time),
		cmocka_unit_test(what_failed_is_tried_again_ever_more_seldom),
		cmocka_unit_test(a_map_that_is_kept_has_marks_that_come_closer),
		cmocka_unit_test(a_clock_that_goes_backwards_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
