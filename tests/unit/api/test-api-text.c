// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stackmap.h"

static void verdicts_have_the_words_of_the_header(void **state)
{
	assert_string_equal(stackmap_verdict_get_name(STACKMAP_VERDICT_RESOLVED), "resolved");
	assert_string_equal(stackmap_verdict_get_name(STACKMAP_VERDICT_GENERATION_NOT_SAVED),
			    "generation-not-saved");
	assert_string_equal(stackmap_verdict_get_text(STACKMAP_VERDICT_GENERATION_NOT_SAVED),
			    "generation not saved");
	assert_string_equal(stackmap_verdict_get_text(STACKMAP_VERDICT_BAD_EVENT),
			    "the event is damaged");
}

/* Scripts compare names: lower case and dashes, each once. */
static void names_are_for_programs(void **state)
{
	const char *name, *c;
	int i, j;

	for (i = 0; i < STACKMAP_NR_VERDICTS; i++) {
		name = stackmap_verdict_get_name((enum stackmap_verdict)i);
		assert_true(*name && *stackmap_verdict_get_text((enum stackmap_verdict)i));
		for (c = name; *c; c++)
			assert_true(islower((unsigned char)*c) || *c == '-');
		for (j = 0; j < i; j++)
			assert_string_not_equal(name,
				stackmap_verdict_get_name((enum stackmap_verdict)j));
	}
}

static void a_value_that_is_none_is_unknown(void **state)
{
	static const int values[] = { -1, STACKMAP_NR_VERDICTS, 1000000 };
	int i;

	for (i = 0; i < 3; i++) {
		assert_string_equal(stackmap_verdict_get_name((enum stackmap_verdict)values[i]),
				    "unknown");
		assert_string_equal(stackmap_verdict_get_text((enum stackmap_verdict)values[i]),
				    "unknown");
	}
}

static void escaping_measures_and_cuts(void **state)
{
	char out[8];

	assert_int_equal(stackmap_escape(NULL, 0, "a\033b", 3), 6);
	assert_int_equal(stackmap_escape(out, sizeof(out), "a\033b", 3), 6);
	assert_string_equal(out, "a\\x1bb");
	assert_int_equal(stackmap_escape(out, 5, "a\033b", 3), 6);
	assert_string_equal(out, "a");
	assert_int_equal(stackmap_escape(out, sizeof(out), NULL, 0), 0);
	assert_string_equal(out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_have_the_words_of_the_header),
		cmocka_unit_test(names_are_for_programs),
		cmocka_unit_test(a_value_that_is_none_is_unknown),
		cmocka_unit_test(escaping_measures_and_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
