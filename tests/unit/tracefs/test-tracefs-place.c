// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>

#include "alloc-fail.h"
#include "fixture.h"
#include "tracefs/room.h"

static void found_in(struct fixture *f, const char *dir)
{
	assert_int_equal(stackmap_live_open(f->live), 0);
	assert_string_equal(stackmap_live_get_dir(f->live), dir);
}

static void it_is_found_where_it_usually_is(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	assert_null(stackmap_live_get_dir(f->live));
	found_in(f, "/sys/kernel/tracing");
}

static void it_is_found_under_debugfs(void **state)
{
	fixture_play("ours", "mount=/sys/kernel/debug/tracing", false);
	found_in(*state, "/sys/kernel/debug/tracing");
}

static void it_is_found_where_proc_mounts_says(void **state)
{
	fixture_play("ours", "mount=/mnt/trace", false);
	found_in(*state, "/mnt/trace");
}

static void one_that_was_mounted_elsewhere_meanwhile_is_found_again(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	found_in(f, "/sys/kernel/tracing");
	fixture_shim("set mount=/mnt/trace");
	assert_int_equal(fixture_save(f), 0);
	assert_string_equal(stackmap_live_get_dir(f->live), "/mnt/trace");
	fixture_shim("set mount=");
	fixture_failed(f, fixture_rotate(f, 0), -ENOENT, "not mounted");
	fixture_shim("set mount=/sys/kernel/tracing");
	assert_int_equal(fixture_rotate(f, 0), 0);
}

static void not_mounted_says_how_to_mount_it(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "mount=", false);
	fixture_failed(f, stackmap_live_open(f->live), -ENOENT, "mount -t tracefs");
}

static void a_kernel_without_a_map_is_told_by_the_name_of_the_feature(void **state)
{
	struct fixture *f = *state;

	fixture_play("0", "", false);
	fixture_failed(f, stackmap_live_open(f->live), -EOPNOTSUPP, "CONFIG_FTRACE_STACKMAP");
	fixture_failed(f, stackmap_live_is_enabled(f->live), -EOPNOTSUPP, "no stack map");
	fixture_failed(f, fixture_save(f), -EOPNOTSUPP, "no stack map");
	assert_int_equal(fixture_nr_files(f), 0);
}

static void each_way_of_not_being_allowed_has_its_words(void **state)
{
	static const struct {
		const char	*name;
		int		code;
		const char	*words;
	} ways[] = {
		{ "EACCES",	-EACCES,	"stack_map: no right to read it: run as root" },
		{ "EPERM",	-EPERM,		"locked down" },
		{ "ENODEV",	-ENODEV,	"tracing is disabled" },
	};
	struct fixture *f = *state;
	size_t i;

	fixture_play("ours", "", true);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		fixture_shim("at -a open stack_map r fail %s", ways[i].name);
		fixture_failed(f, fixture_save(f), ways[i].code, ways[i].words);
		fixture_shim("rules clear");
	}
	assert_int_equal(fixture_nr_files(f), 0);
}

static void an_instance_has_no_map(void **state)
{
	struct tracefs_instance *instance;
	struct stackmap_live *live;
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	assert_int_equal(mkdir("instances", 0700), 0);
	assert_int_equal(mkdir("instances/foo", 0700), 0);
	instance = tracefs_instance_alloc(f->folder, "foo");
	assert_non_null(instance);
	live = stackmap_live_new(instance);
	assert_int_equal(stackmap_live_open(live), -EOPNOTSUPP);
	assert_string_equal(stackmap_live_get_error(live),
			    "instance foo: only the top level has a stack map");
	stackmap_live_free(live);
	tracefs_instance_free(instance);
}

static void any_folder_may_stand_for_the_top_level(void **state)
{
	struct stackmap_live *live;
	struct tracefs_instance *instance;
	char dir[256];

	fixture_play("ours", "mount=", false);
	snprintf(dir, sizeof(dir), "%s/root", getenv("STACKMAP_SHIM"));
	instance = tracefs_instance_alloc(dir, NULL);
	live = stackmap_live_new(instance);
	assert_int_equal(stackmap_live_open(live), 0);
	assert_string_equal(stackmap_live_get_dir(live), dir);
	stackmap_live_free(live);
	tracefs_instance_free(instance);
}

static int open_once(void *data)
{
	struct stackmap_live *live = stackmap_live_new(NULL);
	int ret;

	if (!live)
		return -ENOMEM;
	ret = stackmap_live_open(live);
	/* What was not looked at for lack of memory is not missing. */
	if (!ret)
		assert_int_equal(stackmap_live_get_abilities(live), *(unsigned int *)data);
	stackmap_live_free(live);
	return ret ? smap_errno(ret) : 0;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	static const char *const places[] = {
		"", "mount=/sys/kernel/debug/tracing", "mount=/mnt/trace",
	};
	static const char *const series[] = { "7", "8", "ours" };
	struct fixture *f = *state;
	unsigned int abilities;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		fixture_play(series[i], places[i], true);
		assert_int_equal(stackmap_live_open(f->live), 0);
		abilities = stackmap_live_get_abilities(f->live);
		alloc_fail_each(open_once, &abilities);
	}
}

static int read_once(void *data)
{
	struct smap_buf text = SMAP_BUF_INIT;
	struct smap_error err;
	char head[8];
	size_t len;
	int ret;

	ret = smap_tracefs_read(data, "stack_map_stat", &text, &err);
	smap_buf_free(&text);
	if (!ret)
		ret = smap_tracefs_read_head(data, "stack_map", head, sizeof(head), &len, &err);
	if (!ret)
		ret = smap_tracefs_write(data, "options/stackmap", "1", &err);
	return ret ? smap_errno(ret) : 0;
}

static void files_are_read_and_written_or_memory_is_short(void **state)
{
	char dir[] = "/sys/kernel/tracing";

	fixture_play("ours", "", true);
	alloc_fail_each(read_once, dir);
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(it_is_found_where_it_usually_is),
	LIVE_TEST(it_is_found_under_debugfs),
	LIVE_TEST(it_is_found_where_proc_mounts_says),
	LIVE_TEST(one_that_was_mounted_elsewhere_meanwhile_is_found_again),
	LIVE_TEST(not_mounted_says_how_to_mount_it),
	LIVE_TEST(a_kernel_without_a_map_is_told_by_the_name_of_the_feature),
	LIVE_TEST(each_way_of_not_being_allowed_has_its_words),
	LIVE_TEST(an_instance_has_no_map),
	LIVE_TEST(any_folder_may_stand_for_the_top_level),
	LIVE_TEST(no_allocation_that_fails_does_harm),
	LIVE_TEST(files_are_read_and_written_or_memory_is_short),
};

FIXTURE_MAIN(tests)
