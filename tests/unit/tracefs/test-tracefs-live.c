// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

static void the_option_is_set_and_cleared(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	assert_int_equal(stackmap_live_is_enabled(f->live), 0);
	assert_int_equal(stackmap_live_set_enabled(f->live, true), 0);
	assert_int_equal(stackmap_live_is_enabled(f->live), 1);
	assert_int_equal(stackmap_live_set_enabled(f->live, false), 0);
	assert_int_equal(stackmap_live_is_enabled(f->live), 0);
}

static void a_reset_saves_nothing(void **state)
{
	struct fixture *f = *state;

	fixture_play("7", "", true);
	assert_int_equal(stackmap_live_reset(f->live), 0);
	assert_int_equal(fixture_entries(f), 0);
	assert_int_equal(fixture_nr_files(f), 0);
}

/* Which has one map: nobody can hold too many. */
static void series_7_says_that_somebody_else_resets(void **state)
{
	struct fixture *f = *state;

	fixture_play("7", "", true);
	fixture_shim("at -a before stack_map 0 fail EBUSY");
	fixture_failed(f, stackmap_live_reset(f->live), -EBUSY,
		       "not reset: another program is just resetting it");
}

static void a_map_in_use_is_not_freed(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_failed(f, stackmap_live_free_map(f->live, 0), -EBUSY, "the option stackmap is set");
	fixture_failed(f, stackmap_live_free_map(f->live, STACKMAP_FREE_NOWAIT), -EBUSY, "is set");
	assert_int_equal(fixture_entries(f), 500);
	assert_int_equal(stackmap_live_set_enabled(f->live, false), 0);
	assert_int_equal(stackmap_live_free_map(f->live, 0), 0);
	assert_int_equal(fixture_entries(f), UINT64_MAX);
}

static void series_4_to_7_cannot_free(void **state)
{
	struct fixture *f = *state;

	fixture_play("7", "", true);
	fixture_failed(f, stackmap_live_free_map(f->live, 0), -EOPNOTSUPP, "series 4 to 7");
}

/* While somebody reads the map, whom series 8 and ours wait for. */
static void free_without_waiting(struct fixture *f, const char *series)
{
	int fd;

	fixture_play(series, "", true);
	fixture_shim("set option=0");
	/* It is another kernel. */
	assert_int_equal(stackmap_live_open(f->live), 0);
	fd = open("/sys/kernel/tracing/stack_map", O_RDONLY);
	assert_true(fd >= 0);
	alarm(20);
	assert_int_equal(stackmap_live_free_map(f->live, STACKMAP_FREE_NOWAIT), 0);
	alarm(0);
	assert_int_equal(fixture_entries(f), UINT64_MAX);
	close(fd);
}

static void nobody_is_waited_for_who_reads_the_map(void **state)
{
	free_without_waiting(*state, "ours");
	free_without_waiting(*state, "8");
}

static void series_8_says_that_the_map_is_in_use_without_waiting_too(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	fixture_failed(f, stackmap_live_free_map(f->live, STACKMAP_FREE_NOWAIT), -EBUSY, "is set");
	assert_int_equal(fixture_entries(f), 500);
}

static void flags_of_a_newer_version_are_refused(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_failed(f, stackmap_live_free_map(f->live, 8), -EINVAL, "newer");
	fixture_failed(f, fixture_rotate(f, 8), -EINVAL, "newer");
	assert_int_equal(fixture_entries(f), 500);
}

static void none_is_freed_as_well(void **state)
{
	stackmap_live_free(NULL);
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(the_option_is_set_and_cleared),
	LIVE_TEST(a_reset_saves_nothing),
	LIVE_TEST(series_7_says_that_somebody_else_resets),
	LIVE_TEST(a_map_in_use_is_not_freed),
	LIVE_TEST(series_4_to_7_cannot_free),
	LIVE_TEST(nobody_is_waited_for_who_reads_the_map),
	LIVE_TEST(series_8_says_that_the_map_is_in_use_without_waiting_too),
	LIVE_TEST(flags_of_a_newer_version_are_refused),
	cmocka_unit_test(none_is_freed_as_well),
};

FIXTURE_MAIN(tests)
