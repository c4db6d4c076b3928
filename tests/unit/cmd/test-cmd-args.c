// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "said.h"

#include "cmd.h"

static const struct cmd_option one_table[] = {
	{ 'm', "map", "FILE", NULL, "" },
	{ 'q', "quiet", NULL, NULL, "" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option other_table[] = {
	{ CMD_KEY_OWN, "format", "WORD", "a b", "" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const tables[] = { one_table, other_table, NULL };
static const struct command command = { .name = "test", .options = tables };

static struct cmd_args args;
static char *argv[16];

static void begin(const char *first, const char *second, const char *third, const char *fourth)
{
	const char *words[] = { "test", first, second, third, fourth, NULL };
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	argv[argc] = NULL;
	assert_int_equal(cmd_args_init(&args, &command, argc, argv), CMD_OK);
}

static int teardown(void **state)
{
	cmd_args_release(&args);
	said();
	return 0;
}

static void options_come_from_all_tables(void **state)
{
	begin("-q", "-mfile", "--format", "word");
	assert_int_equal(cmd_args_next(&args), 'q');
	assert_int_equal(cmd_args_next(&args), 'm');
	assert_string_equal(args.value, "file");
	assert_int_equal(cmd_args_next(&args), CMD_KEY_OWN);
	assert_string_equal(args.value, "word");
	assert_int_equal(cmd_args_next(&args), CMD_ARGS_END);
	assert_int_equal(cmd_args_first(&args), 5);
}

static void plain_arguments_can_stand_anywhere(void **state)
{
	begin("one", "--quiet", "two", NULL);
	assert_int_equal(cmd_args_next(&args), 'q');
	assert_int_equal(cmd_args_next(&args), CMD_ARGS_END);
	assert_int_equal(cmd_args_first(&args), 2);
	assert_string_equal(argv[2], "one");
	assert_string_equal(argv[3], "two");
}

static void two_dashes_end_the_options(void **state)
{
	begin("--", "-q", NULL, NULL);
	assert_int_equal(cmd_args_next(&args), CMD_ARGS_END);
	assert_string_equal(argv[cmd_args_first(&args)], "-q");
}

static void an_unknown_option_is_named(void **state)
{
	begin("--nonsense=3", NULL, NULL, NULL);
	assert_int_equal(cmd_args_next(&args), CMD_ARGS_BAD);
	assert_non_null(strstr(said(), "'--nonsense=3'"));
	cmd_args_release(&args);
	begin("-qx", NULL, NULL, NULL);
	assert_int_equal(cmd_args_next(&args), 'q');
	assert_int_equal(cmd_args_next(&args), CMD_ARGS_BAD);
	assert_non_null(strstr(said(), "'-x'"));
}

static void a_missing_argument_is_told_from_it(void **state)
{
	begin("-m", NULL, NULL, NULL);
	assert_int_equal(cmd_args_next(&args), CMD_ARGS_BAD);
	assert_non_null(strstr(said(), "no argument after option '-m'"));
}

static void numbers_are_decimal_or_hex(void **state)
{
	uint64_t number;

	assert_true(cmd_parse_number("--x", "0", 10, &number));
	assert_int_equal(number, 0);
	assert_true(cmd_parse_number("--x", "010", 10, &number));
	assert_int_equal(number, 10);
	assert_true(cmd_parse_number("--x", "0xA", 10, &number));
	assert_int_equal(number, 10);
	assert_true(cmd_parse_number("--x", "18446744073709551615", UINT64_MAX, &number));
	assert_true(number == UINT64_MAX);
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const wrong[] = {
		"", "x", "0x", "0x0x1", "1x", " 1", "+1", "-1", "1.5", "11", "18446744073709551616"
	};
	uint64_t number = 77;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(cmd_parse_number("--x", wrong[i], 10, &number));
		assert_string_not_equal(said(), "");
	}
	assert_int_equal(number, 77);
}

#define TEST(fn)	cmocka_unit_test_teardown(fn, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(options_come_from_all_tables),
		TEST(plain_arguments_can_stand_anywhere),
		TEST(two_dashes_end_the_options),
		TEST(an_unknown_option_is_named),
		TEST(a_missing_argument_is_told_from_it),
		cmocka_unit_test(numbers_are_decimal_or_hex),
		cmocka_unit_test(what_is_no_number_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
