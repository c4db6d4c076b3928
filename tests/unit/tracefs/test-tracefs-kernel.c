// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "fixture.h"

#define SERIES_8	(STACKMAP_CAN_GENERATIONS | STACKMAP_CAN_FREE)
#define OURS		(SERIES_8 | STACKMAP_CAN_BINARY | STACKMAP_CAN_ROTATE |		\
			 STACKMAP_CAN_RANDOM_GENERATION)

static unsigned int abilities(struct fixture *f)
{
	assert_int_equal(stackmap_live_open(f->live), 0);
	return stackmap_live_get_abilities(f->live);
}

static void each_series_can_what_it_can_with_and_without_a_map(void **state)
{
	static const struct {
		const char	*name;
		unsigned int	abilities;
	} series[] = {
		{ "4", STACKMAP_CAN_BINARY },
		{ "5", STACKMAP_CAN_BINARY },
		{ "6", STACKMAP_CAN_BINARY },
		{ "7", STACKMAP_CAN_BINARY },
		{ "8", SERIES_8 },
		{ "ours", OURS },
	};
	struct fixture *f = *state;
	size_t i;

	assert_int_equal(stackmap_live_get_abilities(f->live), 0);
	for (i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		fixture_play(series[i].name, "", false);
		assert_int_equal(abilities(f), series[i].abilities);
		fixture_shim("set option=1");
		assert_int_equal(abilities(f), series[i].abilities);
		fixture_shim("record-many 3");
		assert_int_equal(abilities(f), series[i].abilities);
	}
}

static void without_its_binary_export_ours_is_series_8(void **state)
{
	fixture_play("ours", "remove=stack_map_bin", true);
	assert_int_equal(abilities(*state), SERIES_8);
}

static void without_a_format_file_the_statistics_tell(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "remove=events/ftrace/stack_id/format", true);
	assert_int_equal(abilities(f), SERIES_8);
	fixture_play("7", "remove=events/ftrace/stack_id/format", true);
	assert_int_equal(abilities(f), STACKMAP_CAN_BINARY);
}

static void a_map_that_may_not_be_read_is_no_ability_but_an_error(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at open stack_map r fail EACCES");
	fixture_failed(f, stackmap_live_open(f->live), -EACCES, "stack_map");
}

static void where_the_binary_one_may_not_be_read_the_text_will_do(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at -a open stack_map_bin r fail EACCES");
	assert_int_equal(stackmap_live_open(f->live), 0);
	assert_true(stackmap_live_get_abilities(f->live) & STACKMAP_CAN_ROTATE);
	assert_int_equal(fixture_save(f), 0);
	fixture_logged(f, "stack_map_bin: no right to read it");
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(f->saved.nr_stacks, 500);
	assert_false(f->saved.has_losses);
}

/* Else ours is taken for series 8, by who looks once and runs for weeks. */
static void what_cannot_be_told_for_a_moment_is_an_error(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", false);
	fixture_shim("at open README r fail EIO");
	fixture_failed(f, stackmap_live_open(f->live), -EIO, "README");
	assert_int_equal(abilities(f), OURS);
}

static void a_kernel_is_looked_at_once(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	assert_int_equal(stackmap_live_open(f->live), 0);
	fixture_shim("at open events/ftrace/stack_id/format r fail EIO");
	assert_int_equal(stackmap_live_is_enabled(f->live), 1);
	/* Who asks for it is told what it is now. */
	assert_int_equal(stackmap_live_open(f->live), -EIO);
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(each_series_can_what_it_can_with_and_without_a_map),
	LIVE_TEST(without_its_binary_export_ours_is_series_8),
	LIVE_TEST(without_a_format_file_the_statistics_tell),
	LIVE_TEST(a_map_that_may_not_be_read_is_no_ability_but_an_error),
	LIVE_TEST(where_the_binary_one_may_not_be_read_the_text_will_do),
	LIVE_TEST(what_cannot_be_told_for_a_moment_is_an_error),
	LIVE_TEST(a_kernel_is_looked_at_once),
};

FIXTURE_MAIN(tests)
