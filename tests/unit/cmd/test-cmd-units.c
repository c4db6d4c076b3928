// SPDX-License-Identifier: GPL-2.0-or-later
#include "said.h"

#include "units.h"

static void times_have_units_and_are_seconds_without(void **state)
{
	uint64_t ns;

	assert_true(units_parse_time("--x", "500ms", &ns));
	assert_int_equal(ns, 500000000);
	assert_true(units_parse_time("--x", "90", &ns));
	assert_int_equal(ns, 90000000000);
	assert_true(units_parse_time("--x", "90s", &ns));
	assert_int_equal(ns, 90000000000);
	assert_true(units_parse_time("--x", "10m", &ns));
	assert_int_equal(ns, 600000000000);
	assert_true(units_parse_time("--x", "2h", &ns));
	assert_int_equal(ns, 7200000000000);
	assert_true(units_parse_time("--x", "7d", &ns));
	assert_int_equal(ns, 604800000000000);
}

static void sizes_have_units_and_are_bytes_without(void **state)
{
	uint64_t len;

	assert_true(units_parse_size("--x", "65537", &len));
	assert_int_equal(len, 65537);
	assert_true(units_parse_size("--x", "64K", &len));
	assert_int_equal(len, 65536);
	assert_true(units_parse_size("--x", "3M", &len));
	assert_int_equal(len, 3145728);
	assert_true(units_parse_size("--x", "2G", &len));
	assert_int_equal(len, 2147483648);
}

static void a_part_is_a_percentage(void **state)
{
	unsigned int percent;

	assert_true(units_parse_percent("--x", "75%", &percent));
	assert_int_equal(percent, 75);
	assert_true(units_parse_percent("--x", "1", &percent));
	assert_int_equal(percent, 1);
	assert_true(units_parse_percent("--x", "100%", &percent));
	assert_int_equal(percent, 100);
}

static void what_is_none_of_them_is_said_and_changes_nothing(void **state)
{
	static const char *const wrong[] = {
		"", "x", "s", "0", "0s", "-1", "+1", " 1", "1 s", "1.5h", "10mm", "0x10", "1%%",
		"18446744073709551616", "18446744073709551615d", "18446744073709551615T", "101%"
	};
	unsigned int percent = 7;
	uint64_t number = 77;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(units_parse_time("--x", wrong[i], &number));
		assert_string_not_equal(said(), "");
		assert_false(units_parse_size("--x", wrong[i], &number));
		assert_string_not_equal(said(), "");
		assert_false(units_parse_percent("--x", wrong[i], &percent));
		assert_string_not_equal(said(), "");
	}
	assert_int_equal(number, 77);
	assert_int_equal(percent, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_units_and_are_seconds_without),
		cmocka_unit_test(sizes_have_units_and_are_bytes_without),
		cmocka_unit_test(a_part_is_a_percentage),
		cmocka_unit_test(what_is_none_of_them_is_said_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
