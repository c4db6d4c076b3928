// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

/* Of these bytes this is told, a line each. */
static void told_of(const void *data, size_t len, const char *expected)
{
	struct parsed parsed = parsed_from(data, len);
	struct smap_error words;
	char told[1024] = "";
	int kind;

	assert_int_equal(parsed.ret, 0);
	for (kind = 0; kind < SMAP_NR_FINDINGS; kind++) {
		if (!smap_findings_get_words(&parsed.findings, kind, &words))
			continue;
		strcat(told, words.text);
		strcat(told, "\n");
	}
	assert_string_equal(told, expected);
	parsed_free(&parsed);
}

static void told_of_text(const char *text, const char *expected)
{
	told_of(text, strlen(text), expected);
}

static void a_sound_export_has_none(void **state)
{
	told_of_text("stack_id 7 gen 1 ref 1 depth 1\n => a\n", "");
}

static void a_cut_record_is_told_with_its_slot(void **state)
{
	told_of_text("stack_id 5 gen 1 ref 1 depth 1\n => a\n"
		     "stack_id 7 gen 1 ref 1 depth 2\n => a\n",
		     "the last record (slot 7) is cut, at byte 37\n");
}

static void a_record_cut_before_its_slot_is_told_without_one(void **state)
{
	told_of_text("stack_id 5 gen 1 ref 1 depth 1\n => a\nstack_id 1",
		     "the last record is cut, at byte 37\n");
}

static void records_that_are_missing_are_counted(void **state)
{
	size_t len;
	char *data = data_file("good/v7/sched.stack_map_bin", &len);

	/* 47 stacks behind 16 bytes of header. */
	told_of(data, 16, "47 announced records are missing\n");
	told_of(data, 20, "the last record is cut, at byte 16\n46 announced records are missing\n");
	free(data);
}

static void other_depths_are_told(void **state)
{
	told_of_text("stack_id 5 gen 1 ref 1 depth 2\n => a\n"
		     "stack_id 7 gen 1 ref 1 depth 1\n => a\n",
		     "1 record with another depth than stated, first at byte 0\n");
}

static void bytes_behind_the_end_are_told(void **state)
{
	size_t len;
	char *data = data_file("good/v7/sched.stack_map_bin", &len);
	char *longer = malloc(len + 2);

	memcpy(longer, data, len);
	memset(longer + len, 'x', 2);
	told_of(longer, len + 1, "1 byte behind the end\n");
	told_of(longer, len + 2, "2 bytes behind the end\n");
	free(longer);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_export_has_none),
		cmocka_unit_test(a_cut_record_is_told_with_its_slot),
		cmocka_unit_test(a_record_cut_before_its_slot_is_told_without_one),
		cmocka_unit_test(records_that_are_missing_are_counted),
		cmocka_unit_test(other_depths_are_told),
		cmocka_unit_test(bytes_behind_the_end_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
