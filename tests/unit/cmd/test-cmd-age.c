// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "said.h"

#include "age.h"
#include "store/layout.h"
#include "store/store.h"

#define S	1000000000ULL
#define HOUR	(3600 * S)
#define TODAY	(1790000000 * S)

static char path[64];
static struct stackmap_store *store;
static struct age_choice choice;
static struct age_now now;

static int setup(void **state)
{
	strcpy(path, "test-age-XXXXXX");
	close(mkstemp(path));
	unlink(path);
	now = (struct age_now){ .wall_ns = TODAY, .boot_ns = 100 * HOUR, .is_this_boot = true };
	return 0;
}

static int teardown(void **state)
{
	age_choice_release(&choice);
	stackmap_store_free(store);
	store = NULL;
	unlink(path);
	return 0;
}

/* A save of @generation (0: of a kernel that has none), made at @boot_ns. */
static void add_at(uint32_t generation, uint64_t boot_ns, uint64_t wall_ns)
{
	struct smap_error err = { "" };
	struct smap_save_input input = { .saved_boot_ns = boot_ns, .saved_wall_ns = wall_ns };
	char text[128];

	if (generation)
		snprintf(text, sizeof(text),
			 "stack_id 42 gen %u ref 1 depth 1\n => schedule+0x48/0xc0\n", generation);
	else
		snprintf(text, sizeof(text),
			 "stack_id 42 [ref 1, depth 1]\n  [0] schedule+0x48/0xc0\n\n");
	input.export = text;
	input.export_len = strlen(text);
	if (smap_store_append(path, &input, 1, &err))
		fail_msg("%s", err.text);
}

static void add(uint32_t generation, uint64_t boot_ns)
{
	add_at(generation, boot_ns, TODAY);
}

static void choose(uint64_t need, uint64_t max_age_ns)
{
	if (!store) {
		store = stackmap_store_new();
		assert_int_equal(stackmap_store_open(store, path), 0);
	}
	age_choice_release(&choice);
	assert_int_equal(age_choose(store, &now, need, max_age_ns, &choice), 0);
}

/* "xx--": the first two saves go. */
static void goes(const char *what)
{
	size_t i, nr = 0;
	bool is_chosen;

	assert_int_equal(strlen(what), stackmap_store_nr_saves(store));
	for (i = 0; what[i]; i++) {
		is_chosen = age_is_chosen(&choice, stackmap_store_get_save(store, i));
		if (is_chosen != (what[i] == 'x'))
			fail_msg("save %zu", i);
		nr += is_chosen;
	}
	assert_int_equal(choice.nr, nr);
}

static void nothing_goes_where_nothing_has_to(void **state)
{
	add(1, HOUR);
	add(2, 2 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(0, 0);
	goes("--");
}

static void the_oldest_go_until_there_is_room(void **state)
{
	uint64_t len;

	add(1, HOUR);
	add(2, 2 * HOUR);
	add(3, 3 * HOUR);
	add(4, 4 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(1, 0);
	goes("x---");
	len = stackmap_save_get_len(stackmap_store_get_save(store, 0));
	choose(len, 0);
	goes("x---");
	choose(len + 1, 0);
	goes("xx--");
}

/* Of 3 nobody knows whether it was over when the oldest event came. */
static void what_the_ring_buffer_may_need_stays(void **state)
{
	add(1, HOUR);
	add(2, 2 * HOUR);
	add(3, 3 * HOUR);
	add(4, 4 * HOUR);
	now.oldest_ns = 3 * HOUR + 1;
	choose(UINT64_MAX, 0);
	goes("xx--");
	now.oldest_ns = 3 * HOUR;
	choose(UINT64_MAX, 0);
	goes("x---");
	now.oldest_ns = HOUR;
	choose(UINT64_MAX, 1);
	goes("----");
	/* Who knows how old they are. */
	now.oldest_ns = 0;
	choose(UINT64_MAX, 1);
	goes("----");
}

static void whoever_says_so_drops_that_too(void **state)
{
	add(1, HOUR);
	add(2, 2 * HOUR);
	now.drops_live = true;
	choose(UINT64_MAX, 0);
	goes("xx");
}

static void of_another_boot_nothing_is_in_the_ring_buffer(void **state)
{
	add(1, HOUR);
	add(2, 2 * HOUR);
	now.is_this_boot = false;
	choose(UINT64_MAX, 0);
	goes("xx");
}

/* A save that is not the last of its generation, and one that came late. */
static void a_generation_goes_whole_or_stays(void **state)
{
	add(1, HOUR);
	add(2, 2 * HOUR);
	add(1, HOUR + 1);
	add(3, 3 * HOUR);
	add(4, 4 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(1, 0);
	goes("x-x--");
}

static void a_generation_that_is_saved_again_later_stays(void **state)
{
	add(1, HOUR);
	add(2, 2 * HOUR);
	add(1, 60 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(UINT64_MAX, 0);
	goes("---");
}

static void the_last_save_stays_however_old(void **state)
{
	add(7, HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(UINT64_MAX, 1);
	goes("-");
}

static void saves_without_generations_go_one_by_one(void **state)
{
	add(0, HOUR);
	add(0, 2 * HOUR);
	add(0, 3 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(1, 0);
	goes("x--");
	choose(UINT64_MAX, 0);
	goes("xx-");
}

static void a_save_of_unknown_time_stays(void **state)
{
	add(1, SMAP_TIME_UNKNOWN);
	add(2, 2 * HOUR);
	add(3, 3 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(UINT64_MAX, 1);
	goes("-x-");
}

static bool is_first(const struct stackmap_save *save, void *data)
{
	bool *is_known = data, was_known = *is_known;

	*is_known = true;
	return !was_known;
}

/* Somebody else wrote the file anew: where the oldest save stood, there is another one. */
static void what_has_moved_to_the_place_of_a_chosen_save_is_not_chosen(void **state)
{
	struct stackmap_store *other;
	bool is_known = false;

	add(1, HOUR);
	add(2, 2 * HOUR);
	add(3, 3 * HOUR);
	now.oldest_ns = 50 * HOUR;
	choose(1, 0);
	goes("x--");
	other = stackmap_store_new();
	assert_int_equal(stackmap_store_drop(other, path, is_first, &is_known), 1);
	assert_int_equal(stackmap_store_open(other, path), 0);
	assert_int_equal(stackmap_save_get_offset(stackmap_store_get_save(other, 0)),
			 stackmap_save_get_offset(stackmap_store_get_save(store, 0)));
	assert_false(age_is_chosen(&choice, stackmap_store_get_save(other, 0)));
	stackmap_store_free(other);
}

static void what_is_too_old_goes_without_need(void **state)
{
	add(1, 10 * HOUR);
	add(2, 20 * HOUR);
	add(3, 30 * HOUR);
	now.oldest_ns = 99 * HOUR;
	choose(0, 90 * HOUR);
	goes("---");
	choose(0, 90 * HOUR - 1);
	goes("x--");
	choose(0, 80 * HOUR - 1);
	goes("xx-");
}

/* The clock was set after the first save: how long that was before the last one counts. */
static void another_boot_is_as_old_as_its_last_time_of_day_says(void **state)
{
	add_at(1, HOUR, 5 * S);
	add_at(2, 11 * HOUR, TODAY - 10 * HOUR);
	now.is_this_boot = false;
	choose(0, 20 * HOUR);
	goes("--");
	choose(0, 20 * HOUR - 1);
	goes("x-");
	choose(0, 10 * HOUR - 1);
	goes("xx");
}

static void a_clock_that_was_never_set_tells_no_age(void **state)
{
	add_at(1, HOUR, 5 * S);
	add_at(2, 2 * HOUR, HOUR);
	now.is_this_boot = false;
	choose(0, 1);
	goes("--");
}

static void a_time_of_day_ahead_of_now_is_no_age(void **state)
{
	add_at(1, HOUR, TODAY + HOUR);
	now.is_this_boot = false;
	choose(0, 1);
	goes("-");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_goes_where_nothing_has_to),
		TEST(the_oldest_go_until_there_is_room),
		TEST(what_the_ring_buffer_may_need_stays),
		TEST(whoever_says_so_drops_that_too),
		TEST(of_another_boot_nothing_is_in_the_ring_buffer),
		TEST(a_generation_goes_whole_or_stays),
		TEST(a_generation_that_is_saved_again_later_stays),
		TEST(the_last_save_stays_however_old),
		TEST(saves_without_generations_go_one_by_one),
		TEST(a_save_of_unknown_time_stays),
		TEST(what_has_moved_to_the_place_of_a_chosen_save_is_not_chosen),
		TEST(what_is_too_old_goes_without_need),
		TEST(another_boot_is_as_old_as_its_last_time_of_day_says),
		TEST(a_clock_that_was_never_set_tells_no_age),
		TEST(a_time_of_day_ahead_of_now_is_no_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
