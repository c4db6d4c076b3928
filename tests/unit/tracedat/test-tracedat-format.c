// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fields in the text of a format file, and what is taken from the formats of a trace.
 */
#include "fixture.h"

static const char series8[] =
	"name: stack_id\n"
	"ID: 21\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u64 stack_cookie;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:80;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"field:u64 fake; offset:1; size:2;\"\n";

static void assert_field(const char *text, const char *name, unsigned int offset, unsigned int size)
{
	struct smap_tracedat_field field = { 0, 0 };

	assert_true(smap_trace_find_field(text, strlen(text), name, &field));
	assert_int_equal(field.offset, offset);
	assert_int_equal(field.size, size);
}

static void assert_no_field(const char *text, const char *name)
{
	struct smap_tracedat_field field = { 77, 77 };

	assert_false(smap_trace_find_field(text, strlen(text), name, &field));
	assert_int_equal(field.offset, 77);
}

static void a_field_is_found_by_its_name(void **state)
{
	assert_field(series8, "common_type", 0, 2);
	assert_field(series8, "common_pid", 4, 4);
	assert_field(series8, "stack_cookie", 8, 8);
	assert_field(series8, "caller", 16, 64);
}

static void a_part_of_a_name_is_no_name(void **state)
{
	assert_no_field(series8, "cookie");
	assert_no_field(series8, "stack_cook");
	assert_no_field(series8, "u64");
	assert_no_field(series8, "");
}

static void the_print_format_is_no_field(void **state)
{
	assert_no_field(series8, "fake");
}

static void fields_may_be_spaced_in_any_way(void **state)
{
	assert_field("field: local_t commit; offset: 8 ; size: 4 ;", "commit", 8, 4);
	assert_field("  field:int\tx;offset:1;size:2;", "x", 1, 2);
}

static void a_damaged_line_is_no_field(void **state)
{
	static const char *const damaged[] = {
		"field:u64 x", "field:u64 x;", "field:u64 x; offset:", "field:u64 x; offset:8",
		"field:u64 x; offset:8; size:", "field:u64 x; offset:-8; size:8;",
		"field:u64 x; offset:4294967296; size:8;", "field:u64 x; size:8; offset:8;",
		"field:u64 x; offset:8; size:99999999999999999999;", "field", "field:", "field:;",
		"field:[];", "\n\n\n", "",
	};
	size_t i;

	for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		assert_no_field(damaged[i], "x");
}

static void nothing_is_read_past_the_end(void **state)
{
	size_t len = strlen(series8), i;
	struct smap_tracedat_field field;
	char *text;

	for (i = 0; i < len; i++) {
		text = malloc(i ? i : 1);
		assert_non_null(text);
		memcpy(text, series8, i);
		smap_trace_find_field(text, i, "caller", &field);
		free(text);
	}
}

static void series_8_has_a_generation(void **state)
{
	struct smap_tracedat *tracedat = open_described("series 8\n" SOME_EVENTS);

	assert_true(tracedat->has_stack_id);
	assert_true(tracedat->cookie_has_generation);
	assert_int_equal(tracedat->stack_id_type, 21);
	assert_int_equal(tracedat->cookie_field.offset, 8);
	assert_int_equal(tracedat->cookie_field.size, 8);
	smap_tracedat_close(tracedat);
}

static void series_4_to_7_have_none(void **state)
{
	struct smap_tracedat *tracedat = open_described("series 4\n" SOME_EVENTS);

	assert_true(tracedat->has_stack_id);
	assert_false(tracedat->cookie_has_generation);
	assert_int_equal(tracedat->cookie_field.size, 4);
	smap_tracedat_close(tracedat);
}

static void a_trace_without_the_format_says_so(void **state)
{
	struct smap_tracedat *tracedat = open_described("no-format stack_id\n" SOME_EVENTS);

	assert_false(tracedat->has_stack_id);
	smap_tracedat_close(tracedat);
	tracedat = open_described("without ftrace\n" SOME_EVENTS);
	assert_false(tracedat->has_stack_id);
	smap_tracedat_close(tracedat);
}

static void a_stack_id_of_another_system_is_none(void **state)
{
	struct smap_tracedat *tracedat;

	tracedat = open_described("format my:stack_id 500 u64:stack_cookie\nno-format stack_id\n"
				  "cpu 0\n1 1 value value=1\n");
	assert_false(tracedat->has_stack_id);
	smap_tracedat_close(tracedat);
}

static void fields_are_where_the_format_says(void **state)
{
	struct smap_tracedat *tracedat = open_described("common 16\n" SOME_EVENTS);
	struct scanned scanned = scan_trace(tracedat);

	assert_int_equal(tracedat->cookie_field.offset, 16);
	assert_int_equal(scanned.nr, 2);
	assert_int_equal(scanned.cookies[0], 3ULL << 32 | 42);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void long_is_that_of_the_kernel(void **state)
{
	struct smap_tracedat *tracedat;
	int fd = make_trace("long 8\n" SOME_EVENTS, NULL);

	/* As a trace-cmd of 32 bits writes it on a kernel of 64. */
	poke(fd, 13, 4, 1);
	tracedat = open_trace(fd);
	assert_int_equal(tracedat->long_size, 8);
	smap_tracedat_close(tracedat);
}

static void without_header_info_long_is_what_the_file_says(void **state)
{
	struct smap_tracedat *tracedat;

	tracedat = open_described("long 4\nwithout header_info\n" SOME_EVENTS);
	assert_int_equal(tracedat->long_size, 4);
	smap_tracedat_close(tracedat);
}

static void pages_that_are_not_described_are_refused(void **state)
{
	assert_refused(make_trace("without header_page\n" SOME_EVENTS, NULL), -EOPNOTSUPP,
		       "pages that are not described");
}

static void pages_of_another_form_are_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(SOME_EVENTS, &layout);
	char bytes[512], *found;
	uint64_t pos = part_offset(&layout, "headers");

	assert_int_equal(pread(fd, bytes, sizeof(bytes), (off_t)pos), sizeof(bytes));
	found = memmem(bytes, sizeof(bytes), "commit;\toffset:8", 16);
	assert_non_null(found);
	poke(fd, pos + (uint64_t)(found - bytes) + 15, '4', 1);
	assert_refused(fd, -EOPNOTSUPP, "pages of an unknown form");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_is_found_by_its_name),
		cmocka_unit_test(a_part_of_a_name_is_no_name),
		cmocka_unit_test(the_print_format_is_no_field),
		cmocka_unit_test(fields_may_be_spaced_in_any_way),
		cmocka_unit_test(a_damaged_line_is_no_field),
		cmocka_unit_test(nothing_is_read_past_the_end),
		cmocka_unit_test(series_8_has_a_generation),
		cmocka_unit_test(series_4_to_7_have_none),
		cmocka_unit_test(a_trace_without_the_format_says_so),
		cmocka_unit_test(a_stack_id_of_another_system_is_none),
		cmocka_unit_test(fields_are_where_the_format_says),
		cmocka_unit_test(long_is_that_of_the_kernel),
		cmocka_unit_test(without_header_info_long_is_what_the_file_says),
		cmocka_unit_test(pages_that_are_not_described_are_refused),
		cmocka_unit_test(pages_of_another_form_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
