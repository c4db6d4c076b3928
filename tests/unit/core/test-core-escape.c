// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/escape.h"

struct escape_case {
	const char	*raw;
	size_t		len;
	const char	*escaped;
};

#define CASE(raw, escaped)	{ raw, sizeof(raw) - 1, escaped }

static void check_all(const struct escape_case *cases, size_t nr)
{
	char out[256];
	size_t i, len;

	for (i = 0; i < nr; i++) {
		len = smap_escape(out, sizeof(out), cases[i].raw, cases[i].len);
		assert_string_equal(out, cases[i].escaped);
		assert_int_equal(len, strlen(cases[i].escaped));
		assert_int_equal(smap_escape(NULL, 0, cases[i].raw, cases[i].len), len);
		assert_int_equal(smap_is_plain(cases[i].raw, cases[i].len),
				 len == cases[i].len && !memcmp(out, cases[i].raw, len));
	}
}

#define CHECK_ALL(cases)	check_all(cases, sizeof(cases) / sizeof(*(cases)))

static void plain_text_stays(void **state)
{
	const struct escape_case cases[] = {
		CASE("", ""),
		CASE("schedule+0x48/0xc0 [mod]", "schedule+0x48/0xc0 [mod]"),
		CASE("\xc3\xa4 \xe2\x82\xac", "\xc3\xa4 \xe2\x82\xac"),
		CASE("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"),
		CASE("a\\b", "a\\b"),
		CASE("\\", "\\"),
	};

	CHECK_ALL(cases);
}

static void control_characters_are_written_as_hex(void **state)
{
	const struct escape_case cases[] = {
		CASE("\033[2J", "\\x1b[2J"),
		CASE("a\tb\nc\r", "a\\x09b\\x0ac\\x0d"),
		CASE("\0", "\\x00"),
		CASE("\177", "\\x7f"),
		CASE("\xc2\x9b" "2J", "\\xc2\\x9b" "2J"),
		CASE("\xc2\xa0", "\xc2\xa0"),
	};

	CHECK_ALL(cases);
}

static void bytes_that_are_no_utf8_are_written_as_hex(void **state)
{
	const struct escape_case cases[] = {
		CASE("\x9b", "\\x9b"),
		CASE("\xff\xfe", "\\xff\\xfe"),
		CASE("a\xc3", "a\\xc3"),
		CASE("\xe2\x82" "a", "\\xe2\\x82" "a"),
		CASE("\xc0\x9b", "\\xc0\\x9b"),
		CASE("\xe0\x80\x9b", "\\xe0\\x80\\x9b"),
		CASE("\xed\xa0\x80", "\\xed\\xa0\\x80"),
		CASE("\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b"),
		CASE("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"),
	};

	CHECK_ALL(cases);
}

static void what_looks_like_an_escape_is_told_from_one(void **state)
{
	const struct escape_case cases[] = {
		CASE("\\x1b", "\\\\x1b"),
		CASE("\\\\x", "\\\\\\x"),
	};

	CHECK_ALL(cases);
}

static void too_little_room_cuts_at_a_whole_character(void **state)
{
	const char raw[] = "a\x01\xe2\x82\xac" "b";	/* escaped: a \x01 EURO b, 1 + 4 + 3 + 1 */
	static const size_t fits[] = { 0, 0, 1, 1, 1, 1, 5, 5, 5, 8, 9 };
	char out[16];
	size_t size;

	for (size = 1; size <= 10; size++) {
		memset(out, '#', sizeof(out));
		assert_int_equal(smap_escape(out, size, raw, sizeof(raw) - 1), 9);
		assert_int_equal(strlen(out), fits[size]);
		assert_int_equal(out[size], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(control_characters_are_written_as_hex),
		cmocka_unit_test(bytes_that_are_no_utf8_are_written_as_hex),
		cmocka_unit_test(what_looks_like_an_escape_is_told_from_one),
		cmocka_unit_test(too_little_room_cuts_at_a_whole_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
