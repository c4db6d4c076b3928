// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The copy of /proc/kallsyms in a trace.
 */
#include "fixture.h"

#define LINES	"kallsyms ffffffff81000000 T schedule\n" \
		"kallsyms ffffffffc0000000 t ext4_sync\t[ext4]\n"
#define TEXT	"ffffffff81000000 T schedule\nffffffffc0000000 t ext4_sync\t[ext4]\n"

static void assert_text(const char *head, const char *expected)
{
	struct smap_tracedat *tracedat = open_trace(make_tracef("%s", head));
	char *text = NULL;
	size_t len = 77;

	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, NULL), 0);
	assert_int_equal(len, strlen(expected));
	assert_string_equal(text, expected);
	free(text);
	smap_tracedat_close(tracedat);
}

static void the_text_is_the_same_in_every_kind_of_file(void **state)
{
	assert_text("version 6\n" LINES, TEXT);
	assert_text("version 6\nendian big\n" LINES, TEXT);
	assert_text("compression none\nendian big\n" LINES, TEXT);
	assert_text("compression zlib\n" LINES, TEXT);
	assert_text("compression zstd\nendian big\n" LINES, TEXT);
}

static void no_text_and_no_section_are_the_same(void **state)
{
	assert_text("version 6\n", "");
	assert_text("compression zstd\n", "");
	assert_text("without kallsyms\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_the_same_in_every_kind_of_file),
		cmocka_unit_test(no_text_and_no_section_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
