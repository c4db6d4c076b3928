// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc-fail.h"
#include "fixture.h"

#define SHIM	"$SMAP_TEST_SHIM/stackmap-shim"

static int tracing_on(void)
{
	FILE *file = fopen("/sys/kernel/tracing/tracing_on", "r");
	int value = -1;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &value), 1);
	fclose(file);
	return value;
}

/* ---- where nothing is lost ---- */

static void the_old_map_is_saved_whole_and_a_new_one_is_in_use(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.generation, 24301);
	assert_int_equal(f->saved.nr_stacks, 500);
	assert_int_equal(f->saved.nr_missing, 0);
	assert_true(f->saved.is_reset && f->saved.is_complete);
	assert_int_equal(fixture_entries(f), 0);
	fixture_shim("record-many 20");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.generation, 24302);
	assert_int_equal(fixture_nr_saves(f->store), 2);
	assert_string_equal(f->log, "");
}

static void what_comes_right_before_and_behind_the_reset_is_saved(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at before stack_map 0 run '" SHIM " record-many 7 1000'");
	fixture_shim("at after stack_map 0 run '" SHIM " record-many 9 2000'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.nr_stacks, 507);
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.nr_stacks, 9);
}

static void an_empty_map_is_not_reset(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	fixture_failed(f, fixture_rotate(f, 0), -ENODATA, "no stack in it");
	fixture_shim("set option=1");
	fixture_failed(f, fixture_rotate(f, 0), -ENODATA, "not reset");
	assert_int_equal(fixture_nr_files(f), 0);
}

/* The binary export is of the map that the other tool swapped out. */
static void another_tool_that_resets_in_between_costs_nothing(void **state)
{
	struct fixture *f = *state;
	struct smap_store *store;

	fixture_play("ours", "", true);
	fixture_shim("at before stack_map 0 run '" SHIM " run sh -c \"echo 0 > "
		     "/sys/kernel/tracing/stack_map\"; " SHIM " record-many 11 1000'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_logged(f, "another tool reset the map a moment before: generation 24301");
	assert_int_equal(f->saved.generation, 24302);
	assert_int_equal(f->saved.nr_stacks, 11);
	store = fixture_open(f->store);
	assert_int_equal(smap_store_nr_saves(store), 2);
	assert_int_equal(smap_store_save(store, 0)->generations[0].generation, 24301);
	assert_int_equal(smap_store_save(store, 0)->generations[0].nr_stacks, 500);
	assert_int_equal(smap_store_save(store, 1)->generations[0].generation, 24302);
	smap_store_close(store);
}

/* What is saved beside the other generation is not told to be lost. */
static void behind_another_tool_only_what_is_lost_is_told(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_shim("record-many 7");
	fixture_shim("at before stack_map 0 run '" SHIM " run sh -c \"echo 0 > "
		     "/sys/kernel/tracing/stack_map\"; " SHIM " record-many 11 1000'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.generation, 24303);
	assert_null(strstr(f->log, "in no save"));
	fixture_shim("record-many 7");
	fixture_shim("at before stack_map 0 run '" SHIM " run sh -c \"echo 0 > "
		     "/sys/kernel/tracing/stack_map\"; " SHIM " record-many 3; " SHIM
		     " run sh -c \"echo 0 > /sys/kernel/tracing/stack_map\"; "
		     SHIM " record-many 11 1000'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.generation, 24306);
	fixture_logged(f, "generation 24305 is in no save of this file");
}

static void a_reset_that_the_kernel_refuses_changes_nothing(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at -a before stack_map 0 fail EBUSY");
	fixture_failed(f, fixture_rotate(f, 0), -EBUSY, "not reset: other programs hold");
	fixture_shim("rules clear");
	fixture_shim("at -a before stack_map 0 fail ENOMEM");
	fixture_failed(f, fixture_rotate(f, 0), -ENOMEM, "not reset: no memory");
	fixture_shim("rules clear");
	assert_int_equal(fixture_nr_files(f), 0);
	assert_int_equal(fixture_entries(f), 500);
}

static void readers_that_are_done_soon_are_waited_for(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at -n 3 before stack_map 0 fail EBUSY");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.nr_stacks, 500);
}

static void a_map_that_was_swapped_out_is_read_as_text_where_it_has_to_be(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	/* The first read of it sees what the kernel can. */
	fixture_shim("at after stack_map 0 run '" SHIM " at -a read stack_map_bin 4096 fail EIO'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_logged(f, "the text is saved in its place");
	assert_int_equal(f->saved.nr_stacks, 500);
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
}

/* Of a stream that ends right behind its header, nothing is cut. */
static void a_map_that_was_swapped_out_is_read_to_its_end(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at after stack_map 0 run '" SHIM " at -a read stack_map_bin 64 limit 0'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_logged(f, "ends without its trailer");
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
}

static void a_disk_that_is_full_sends_the_map_elsewhere(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char dir[128];
	mode_t mask;

	fixture_play("ours", "", true);
	snprintf(dir, sizeof(dir), "%s/else", f->folder);
	assert_int_equal(mkdir(dir, 0700), 0);
	setenv("TMPDIR", dir, 1);
	fixture_shim("at after stack_map 0 run '" SHIM " at -a write \"/*/maps\" - fail ENOSPC'");
	mask = umask(0);
	assert_int_equal(fixture_rotate(f, 0), 0);
	umask(mask);
	assert_true(f->saved.is_elsewhere && f->saved.is_reset);
	assert_non_null(strstr(stackmap_live_get_path(f->live), "/else/maps."));
	/* For its owner alone. */
	assert_int_equal(stat(stackmap_live_get_path(f->live), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	fixture_logged(f, "saved to ");
	fixture_logged(f, strerror(ENOSPC));
	fixture_shim("rules clear");
	assert_int_equal(fixture_nr_stacks(stackmap_live_get_path(f->live), 0), 500);
}

static void what_can_be_written_nowhere_is_written_the_next_time(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at after stack_map 0 run '" SHIM " at -a write \"/*/*maps*\" - fail ENOSPC; "
		     SHIM " at -a write \"/*/.stackmap-*\" - fail ENOSPC'");
	fixture_failed(f, fixture_rotate(f, 0), -ENOSPC, "the map was reset and 500 stacks");
	fixture_shim("record-many 5");
	/* And not one more before that. */
	fixture_failed(f, fixture_rotate(f, 0), -ENOSPC, "");
	assert_int_equal(fixture_entries(f), 5);
	fixture_shim("rules clear");
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_logged(f, "generation 24301, read before, is saved now");
	assert_int_equal(fixture_nr_saves(f->store), 2);
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
	assert_int_equal(fixture_nr_stacks(f->store, 1), 5);
}

static void a_map_that_cannot_be_read_is_held_until_it_can(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at after stack_map 0 run '" SHIM " at -a read stack_map_bin 0 fail EIO; "
		     SHIM " at -a read stack_map 0 fail EIO; " SHIM " record-many 5'");
	fixture_failed(f, fixture_rotate(f, 0), -EIO,
		       "the map was reset and could not be read yet");
	fixture_shim("rules clear");
	assert_int_equal(fixture_save(f), 0);
	fixture_logged(f, "generation 24301, read before, is saved now");
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
	assert_int_equal(fixture_nr_stacks(f->store, 1), 5);
}

static void two_rotate_at_once_and_each_has_its_generations(void **state)
{
	struct fixture *f = *state;
	int i, k, status;
	pid_t child;

	fixture_play("ours", "", true);
	for (i = 0; i < 3; i++) {
		child = fork();
		if (child)
			continue;
		for (k = 0; k < 3; k++) {
			if (system("env -u LD_PRELOAD " SHIM " record-many 50 1000 > /dev/null"))
				_exit(1);
			status = fixture_rotate(f, 0);
			if (status && status != -ENODATA)
				_exit(1);
		}
		_exit(0);
	}
	for (i = 0; i < 3; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	/* Each generation once, none left out. */
	assert_int_equal(fixture_nr_saves(f->store), fixture_nr_good(f->store));
	assert_int_equal(fixture_entries(f), 0);
	assert_string_equal(f->log, "");
}

/* ---- where the map is cleared ---- */

static void series_8_is_reset_once_the_copy_is_durable(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.generation, 1);
	assert_int_equal(f->saved.nr_stacks, 500);
	assert_int_equal(f->saved.nr_missing, 0);
	assert_true(f->saved.is_reset);
	assert_int_equal(fixture_entries(f), 0);
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
}

static void what_comes_between_copy_and_reset_is_counted(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	fixture_shim("at end stack_map - run '" SHIM " record-many 3 1000'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.nr_stacks, 500);
	assert_int_equal(f->saved.nr_missing, 3);
}

static void a_copy_that_is_not_durable_is_no_reason_to_reset(void **state)
{
	static const char *const faults[] = { "write", "fsync" };
	struct fixture *f = *state;
	size_t i;

	fixture_play("8", "", true);
	assert_int_equal(fixture_save(f), 0);
	fixture_shim("record-many 3 1000");
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		fixture_shim("at -a %s '/*/maps' - fail EIO", faults[i]);
		fixture_failed(f, fixture_rotate(f, 0), -EIO, f->store);
		fixture_shim("rules clear");
		assert_int_equal(fixture_entries(f), 503);
	}
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
}

static void who_may_not_write_is_told_before_anything_is_done(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	fixture_shim("at -a open stack_map w fail EACCES");
	fixture_failed(f, fixture_rotate(f, 0), -EACCES, "stack_map: no right to write to it");
	assert_int_equal(fixture_nr_files(f), 0);
	assert_int_equal(fixture_save(f), 0);
}

static void tracing_rests_where_that_is_asked_for(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	fixture_shim("at before stack_map 0 run 'test $(" SHIM " run cat "
		     "/sys/kernel/tracing/tracing_on) = 0 && touch paused'");
	assert_int_equal(fixture_rotate(f, STACKMAP_ROTATE_PAUSE), 0);
	assert_int_equal(f->saved.nr_missing, 0);
	assert_int_equal(access("paused", F_OK), 0);
	assert_int_equal(tracing_on(), 1);
}

static void tracing_is_as_it_was_whatever_fails(void **state)
{
	static const char *const faults[] = {
		"read stack_map 0", "write '/*/maps' -", "fsync '/*/maps' -", "before stack_map 0",
	};
	struct fixture *f = *state;
	size_t i;

	fixture_play("8", "", true);
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		fixture_shim("at -a %s fail EIO", faults[i]);
		assert_int_equal(fixture_rotate(f, STACKMAP_ROTATE_PAUSE), -EIO);
		fixture_shim("rules clear");
		assert_int_equal(tracing_on(), 1);
		assert_int_equal(fixture_entries(f), 500);
	}
	fixture_shim("set tracing_on=0");
	assert_int_equal(fixture_rotate(f, STACKMAP_ROTATE_PAUSE), 0);
	assert_int_equal(tracing_on(), 0);
}

static void a_reset_by_another_tool_behind_the_copy_is_seen(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	fixture_shim("at end stack_map - run '" SHIM " run sh -c \"echo 0 > "
		     "/sys/kernel/tracing/stack_map\"; " SHIM " record-many 4 1000'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_logged(f, "another tool reset generation 1 after it was copied");
	assert_int_equal(f->saved.generation, 2);
	assert_int_equal(f->saved.nr_stacks, 4);
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
	assert_int_equal(fixture_nr_stacks(f->store, 1), 4);
}

static void a_reset_by_another_tool_at_the_same_time_is_seen(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "", true);
	fixture_shim("at before stack_map 0 run '" SHIM " run sh -c \"echo 0 > "
		     "/sys/kernel/tracing/stack_map\"'");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_true(f->saved.nr_missing == STACKMAP_MISSING_UNKNOWN);
	fixture_logged(f, "another tool reset the map at the same time");
}

static void series_4_to_7_are_never_reset(void **state)
{
	static const char *const series[] = { "4", "5", "6", "7" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		fixture_play(series[i], "", true);
		fixture_anew(f);
		fixture_failed(f, fixture_rotate(f, 0), -EOPNOTSUPP, "not reset");
		fixture_failed(f, fixture_rotate(f, STACKMAP_ROTATE_PAUSE), -EOPNOTSUPP, "series");
		assert_int_equal(fixture_entries(f), 500);
	}
	assert_int_equal(fixture_nr_files(f), 0);
}

static int rotate_once(void *data)
{
	struct stackmap_live *live = stackmap_live_new(NULL);
	struct fixture *f = data;
	int ret;

	if (!live)
		return -errno;
	unlink(f->store);
	ret = stackmap_live_rotate(live, f->store, 0, NULL);
	stackmap_live_free(live);
	errno = -ret;
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "option=1", false);
	fixture_shim("record-many 3");
	fixture_shim("at -a after stack_map 0 run '" SHIM " record-many 3'");
	alloc_fail_each_tolerant(rotate_once, f);
	assert_int_equal(fixture_nr_files(f), 1);
}

/* Once it is reset, a map is in some file, or is kept for the next time. */
static int rotate_held_once(void *data)
{
	struct stackmap_live *live = stackmap_live_new(NULL);
	struct fixture *f = data;
	int ret;

	if (!live)
		return -errno;
	unlink(f->store);
	unlink("reset");
	ret = stackmap_live_rotate(live, f->store, 0, NULL);
	/* Reset or not is what a rule of the shim notes. */
	if (ret == -ENOMEM && !access("reset", F_OK) &&
	    !strstr(stackmap_live_get_error(live), "could not be read yet") &&
	    !strstr(stackmap_live_get_error(live), "are not written"))
		ret = -EIO;
	stackmap_live_free(live);
	errno = -ret;
	return ret;
}

static void no_allocation_that_fails_loses_a_map_that_was_reset(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "option=1", false);
	fixture_shim("record-many 3");
	fixture_shim("at -a after stack_map 0 run '" SHIM " record-many 3; touch reset'");
	alloc_fail_each_tolerant(rotate_held_once, f);
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(the_old_map_is_saved_whole_and_a_new_one_is_in_use),
	LIVE_TEST(what_comes_right_before_and_behind_the_reset_is_saved),
	LIVE_TEST(an_empty_map_is_not_reset),
	LIVE_TEST(another_tool_that_resets_in_between_costs_nothing),
	LIVE_TEST(behind_another_tool_only_what_is_lost_is_told),
	LIVE_TEST(a_reset_that_the_kernel_refuses_changes_nothing),
	LIVE_TEST(readers_that_are_done_soon_are_waited_for),
	LIVE_TEST(a_map_that_was_swapped_out_is_read_as_text_where_it_has_to_be),
	LIVE_TEST(a_map_that_was_swapped_out_is_read_to_its_end),
	LIVE_TEST(a_disk_that_is_full_sends_the_map_elsewhere),
	LIVE_TEST(what_can_be_written_nowhere_is_written_the_next_time),
	LIVE_TEST(a_map_that_cannot_be_read_is_held_until_it_can),
	LIVE_TEST(two_rotate_at_once_and_each_has_its_generations),
	LIVE_TEST(series_8_is_reset_once_the_copy_is_durable),
	LIVE_TEST(what_comes_between_copy_and_reset_is_counted),
	LIVE_TEST(a_copy_that_is_not_durable_is_no_reason_to_reset),
	LIVE_TEST(who_may_not_write_is_told_before_anything_is_done),
	LIVE_TEST(tracing_rests_where_that_is_asked_for),
	LIVE_TEST(tracing_is_as_it_was_whatever_fails),
	LIVE_TEST(a_reset_by_another_tool_behind_the_copy_is_seen),
	LIVE_TEST(a_reset_by_another_tool_at_the_same_time_is_seen),
	LIVE_TEST(series_4_to_7_are_never_reset),
	LIVE_TEST(no_allocation_that_fails_does_harm),
	LIVE_TEST(no_allocation_that_fails_loses_a_map_that_was_reset),
};

FIXTURE_MAIN(tests)
