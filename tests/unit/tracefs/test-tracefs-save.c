// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc-fail.h"
#include "fixture.h"

static void what_was_saved_is_told_and_is_there(void **state)
{
	struct fixture *f = *state;
	struct smap_store *store;
	const struct stackmap_save *save;

	fixture_play("ours", "boot_id=6a9f0f63-1d0b-4c0f-8a5e-0123456789ab", true);
	assert_int_equal(fixture_save(f), 0);
	assert_true(f->saved.has_generation);
	assert_int_equal(f->saved.generation, 24301);
	assert_int_equal(f->saved.nr_stacks, 500);
	assert_int_equal(f->saved.nr_missing, 0);
	assert_true(f->saved.len > 0);
	assert_false(f->saved.is_reset || f->saved.is_complete || f->saved.is_elsewhere);
	assert_string_equal(stackmap_live_get_path(f->live), f->store);
	assert_string_equal(f->log, "");

	store = fixture_open(f->store);
	assert_int_equal(smap_store_nr_saves(store), 1);
	save = smap_store_save(store, 0);
	assert_string_equal(save->boot_id_text, "6a9f0f63-1d0b-4c0f-8a5e-0123456789ab");
	assert_non_null(save->origin.release);
	assert_true(save->saved_boot_ns && save->saved_boot_ns < save->saved_wall_ns);
	assert_true(save->has_stat && save->has_symbols);
	assert_int_equal(save->generations[0].nr_stacks, 500);
	assert_int_equal(smap_store_verify(store, NULL, NULL, NULL), 0);
	smap_store_close(store);
	assert_int_equal(fixture_nr_files(f), 1);
}

static void every_series_is_saved(void **state)
{
	static const char *const series[] = { "4", "5", "6", "7", "8", "ours" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		fixture_play(series[i], "", true);
		fixture_anew(f);
		snprintf(f->store, sizeof(f->store), "%s/of-%s", f->folder, series[i]);
		assert_int_equal(fixture_save(f), 0);
		assert_int_equal(f->saved.nr_stacks, 500);
		assert_int_equal(f->saved.has_generation, i >= 4);
		assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
	}
}

static void nothing_to_save_leaves_no_file(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	fixture_failed(f, fixture_save(f), -ENODATA, "no stack in it");
	fixture_shim("set option=1");
	fixture_failed(f, fixture_save(f), -ENODATA, "no stack in it");
	assert_null(stackmap_live_get_path(f->live));
	assert_int_equal(fixture_nr_files(f), 0);
}

static void the_later_and_fuller_save_of_a_generation_counts(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_save(f), 0);
	fixture_shim("record-many 10 1000");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_nr_good(f->store), 1);
	assert_int_equal(fixture_nr_stacks(f->store, fixture_nr_saves(f->store) - 1), 510);
	/* Superseded ones never are the larger part for long. */
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_save(f), 0);
	assert_true(fixture_nr_saves(f->store) <= 2);
	assert_int_equal(fixture_nr_files(f), 1);
}

static void other_generations_and_other_boots_stay(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "boot_id=6a9f0f63-1d0b-4c0f-8a5e-000000000001", true);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(stackmap_live_reset(f->live), 0);
	fixture_shim("record-many 500");
	assert_int_equal(fixture_save(f), 0);
	fixture_play("8", "boot_id=6a9f0f63-1d0b-4c0f-8a5e-000000000002", true);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_nr_good(f->store), 3);
}

static void hidden_symbols_are_told_once_and_the_text_is_saved_too(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("set kallsyms=hidden");
	assert_int_equal(fixture_save(f), 0);
	fixture_logged(f, "kptr_restrict");
	assert_int_equal(fixture_nr_good(f->store), 2);
	assert_int_equal(fixture_nr_stacks(f->store, 1), 500);
	f->log[0] = '\0';
	assert_int_equal(fixture_save(f), 0);
	assert_string_equal(f->log, "");
	assert_int_equal(fixture_nr_good(f->store), 2);
}

static void without_a_generation_only_the_one_with_names_is_saved(void **state)
{
	struct fixture *f = *state;

	fixture_play("7", "", true);
	fixture_shim("set kallsyms=hidden");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_nr_saves(f->store), 1);
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
}

static void a_container_without_proc_saves_what_it_knows(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "proc=no", true);
	assert_int_equal(fixture_save(f), 0);
	fixture_logged(f, "the id of this boot is not known");
	assert_int_equal(fixture_nr_stacks(f->store, 1), 500);
}

/* EIO in the middle, at the end, short reads, interrupted ones. */
static void faults_of_a_read_cost_nothing(void **state)
{
	static const char *const rules[] = {
		"at read stack_map_bin 4096 fail EINTR",
		"at read stack_map_bin 4096 fail EAGAIN",
		"at -a read stack_map_bin 0 limit 100",
		"at read stack_map_bin 4096 fail ESTALE",
	};
	struct fixture *f = *state;
	size_t i;

	fixture_play("ours", "", true);
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		fixture_shim("%s", rules[i]);
		assert_int_equal(fixture_save(f), 0);
		assert_int_equal(f->saved.nr_stacks, 500);
		fixture_shim("rules clear");
	}
	assert_string_equal(f->log, "");
	assert_int_equal(fixture_nr_good(f->store), 1);
}

static void a_binary_export_that_cannot_be_read_gives_way_to_the_text(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at -a read stack_map_bin 4096 fail EIO");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(f->saved.nr_stacks, 500);
	fixture_logged(f, "the text is saved in its place");
}

/* Right behind the header, and behind a stack, where nothing is cut. */
static void a_binary_export_that_ends_early_gives_way_to_the_text(void **state)
{
	static const struct {
		const char	*series;
		unsigned int	offset;
		const char	*words;
	} ends[] = {
		{ "ours", 64, "ends without its trailer" },
		{ "ours", 64 + 24 + 8 * 10, "ends without its trailer" },
		{ "7", 16, "3 announced records are missing" },
		{ "7", 16 + 16 + 8 * 10, "2 announced records are missing" },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		fixture_play(ends[i].series, "option=1", false);
		fixture_anew(f);
		fixture_shim("record-many 3 1 10");
		fixture_shim("at -a read stack_map_bin %u limit 0", ends[i].offset);
		f->log[0] = '\0';
		snprintf(f->store, sizeof(f->store), "%s/end-%zu", f->folder, i);
		assert_int_equal(fixture_save(f), 0);
		assert_int_equal(f->saved.nr_stacks, 3);
		fixture_logged(f, ends[i].words);
	}
}

static void a_map_that_cannot_be_read_leaves_the_file_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct stat before, after;

	fixture_play("8", "", true);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(stat(f->store, &before), 0);
	fixture_shim("at -a read stack_map 4096 fail EIO");
	fixture_failed(f, fixture_save(f), -EIO, "stack_map: read: ");
	assert_int_equal(stat(f->store, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
}

static void a_store_that_cannot_be_written_fails_before_anything_is_read(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	snprintf(f->store, sizeof(f->store), "%s/there/is/none", f->folder);
	fixture_failed(f, fixture_save(f), -ENOENT, f->store);
	snprintf(f->store, sizeof(f->store), "%s", f->folder);
	fixture_failed(f, fixture_save(f), -EISDIR, f->store);
	assert_int_equal(fixture_nr_files(f), 0);
}

static void a_full_disk_costs_nothing_that_was_there(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_save(f), 0);
	fixture_shim("record-many 10 1000");
	fixture_shim("at -a write '/*/maps*' - fail ENOSPC");
	fixture_failed(f, fixture_save(f), -ENOSPC, f->store);
	fixture_shim("rules clear");
	assert_int_equal(fixture_nr_stacks(f->store, 0), 500);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(f->saved.nr_stacks, 510);
}

static void a_file_of_another_kind_is_left_alone(void **state)
{
	struct fixture *f = *state;
	FILE *file = fopen(f->store, "w");

	fputs("precious\n", file);
	fclose(file);
	fixture_play("ours", "", true);
	fixture_failed(f, fixture_save(f), -EEXIST, "no saved-map file");
	assert_int_equal(fixture_nr_files(f), 1);
}

/* As one does that had to be saved elsewhere, and was put back later. */
static void the_latest_generation_need_not_stand_last(void **state)
{
	struct fixture *f = *state;
	struct smap_store *elsewhere;

	fixture_play("ours", "", true);
	assert_int_equal(stackmap_live_rotate(f->live, "elsewhere", 0, NULL), 0);
	fixture_shim("record-many 5");
	assert_int_equal(fixture_rotate(f, 0), 0);
	elsewhere = fixture_open("elsewhere");
	assert_int_equal(smap_store_append_saves(f->store, elsewhere, NULL), 0);
	smap_store_close(elsewhere);
	fixture_shim("record-many 5");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.generation, 24303);
	assert_null(strstr(f->log, "in no save"));
}

static void a_generation_that_nobody_saved_is_told(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(stackmap_live_reset(f->live), 0);
	fixture_shim("record-many 5");
	assert_int_equal(stackmap_live_reset(f->live), 0);
	fixture_shim("record-many 5");
	assert_int_equal(fixture_save(f), 0);
	fixture_logged(f, "generation 24302 is in no save of this file");
}

/* As somebody does who is killed between a reset and its save. */
static void stacks_between_a_save_and_a_reset_are_told(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_save(f), 0);
	assert_string_equal(f->log, "");
	assert_int_equal(stackmap_live_reset(f->live), 0);
	fixture_shim("record-many 5");
	assert_int_equal(fixture_save(f), 0);
	fixture_logged(f, "generation 24301 was reset after it was saved");
}

static void a_rotation_behind_a_save_leaves_nothing_to_tell(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_save(f), 0);
	fixture_shim("record-many 5 1000");
	assert_int_equal(stackmap_live_rotate(f->live, f->store, 0, NULL), 0);
	fixture_shim("record-many 5 2000");
	assert_int_equal(fixture_save(f), 0);
	assert_string_equal(f->log, "");
}

static void two_savers_wait_for_each_other(void **state)
{
	struct fixture *f = *state;
	int i, status;
	pid_t child;

	fixture_play("ours", "", true);
	for (i = 0; i < 4; i++) {
		child = fork();
		if (!child)
			_exit(fixture_save(f) ? 1 : 0);
	}
	for (i = 0; i < 4; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(fixture_nr_good(f->store), 1);
	assert_int_equal(fixture_nr_files(f), 1);
}

/* By a process that is stopped. */
static void a_file_that_stays_locked_changes_nothing(void **state)
{
	struct fixture *f = *state;
	int fd;

	fixture_play("ours", "", true);
	assert_int_equal(fixture_save(f), 0);
	fixture_shim("record-many 510");
	fd = open(f->store, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	stackmap_live_set_lock_wait(f->live, 10);
	fixture_failed(f, fixture_rotate(f, 0), -ETIMEDOUT, "locked for 0 s");
	fixture_failed(f, fixture_save(f), -ETIMEDOUT, "locked for 0 s");
	assert_int_equal(fixture_entries(f), 510);
	assert_int_equal(fixture_nr_files(f), 1);
	assert_int_equal(fixture_nr_saves(f->store), 1);
	close(fd);
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(fixture_nr_good(f->store), 1);
	assert_int_equal(fixture_entries(f), 0);
}

static void a_structure_of_another_version_is_refused(void **state)
{
	struct stackmap_saved saved = { .size = 1 };
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_failed(f, stackmap_live_save(f->live, f->store, &saved), -EINVAL, "saved");
	fixture_failed(f, stackmap_live_save(f->live, NULL, NULL), -EINVAL, "no path");
	fixture_failed(f, stackmap_live_save(f->live, "", NULL), -EINVAL, "no path");
	assert_int_equal(fixture_nr_files(f), 0);
	assert_int_equal(stackmap_live_save(f->live, f->store, NULL), 0);
}

static void copy_file(const char *from, const char *to)
{
	char room[65536];
	int fd = open(from, O_RDONLY);
	ssize_t len = read(fd, room, sizeof(room));

	assert_true(len > 0 && len < (ssize_t)sizeof(room));
	close(fd);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, room, (size_t)len), len);
	close(fd);
}

/* To a file that has two saves already, of which the first is superseded. */
static int save_once(void *data)
{
	struct stackmap_live *live = stackmap_live_new(NULL);
	struct fixture *f = data;
	int ret;

	if (!live)
		return -errno;
	copy_file("two-saves", f->store);
	ret = stackmap_live_save(live, f->store, NULL);
	stackmap_live_free(live);
	errno = -ret;
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	fixture_shim("set option=1");
	fixture_shim("record-many 3");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_nr_saves(f->store), 2);
	assert_int_equal(rename(f->store, "two-saves"), 0);
	/* What is a favour only is done without. */
	alloc_fail_each_tolerant(save_once, f);
	assert_int_equal(fixture_nr_good(f->store), 1);
	assert_int_equal(fixture_nr_files(f), 2);
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(what_was_saved_is_told_and_is_there),
	LIVE_TEST(every_series_is_saved),
	LIVE_TEST(nothing_to_save_leaves_no_file),
	LIVE_TEST(the_later_and_fuller_save_of_a_generation_counts),
	LIVE_TEST(other_generations_and_other_boots_stay),
	LIVE_TEST(hidden_symbols_are_told_once_and_the_text_is_saved_too),
	LIVE_TEST(without_a_generation_only_the_one_with_names_is_saved),
	LIVE_TEST(a_container_without_proc_saves_what_it_knows),
	LIVE_TEST(faults_of_a_read_cost_nothing),
	LIVE_TEST(a_binary_export_that_cannot_be_read_gives_way_to_the_text),
	LIVE_TEST(a_binary_export_that_ends_early_gives_way_to_the_text),
	LIVE_TEST(a_map_that_cannot_be_read_leaves_the_file_as_it_was),
	LIVE_TEST(a_store_that_cannot_be_written_fails_before_anything_is_read),
	LIVE_TEST(a_full_disk_costs_nothing_that_was_there),
	LIVE_TEST(a_file_of_another_kind_is_left_alone),
	LIVE_TEST(the_latest_generation_need_not_stand_last),
	LIVE_TEST(a_generation_that_nobody_saved_is_told),
	LIVE_TEST(stacks_between_a_save_and_a_reset_are_told),
	LIVE_TEST(a_rotation_behind_a_save_leaves_nothing_to_tell),
	LIVE_TEST(two_savers_wait_for_each_other),
	LIVE_TEST(a_file_that_stays_locked_changes_nothing),
	LIVE_TEST(a_structure_of_another_version_is_refused),
	LIVE_TEST(no_allocation_that_fails_does_harm),
};

FIXTURE_MAIN(tests)
