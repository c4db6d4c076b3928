// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stands in a section, against its own sizes.
 */
#include "fixture.h"

static int walk(unsigned int id, const void *data, size_t len, uint64_t *ret_pos,
		struct smap_error *err)
{
	struct smap_trace_input input;

	*ret_pos = 0;
	smap_trace_input_memory(&input, data, len, SMAP_HOST_IS_BIG_ENDIAN, err);
	return smap_trace_walk_section(id, &input, ret_pos);
}

/* Whole, it is walked to its end; anything shorter is cut off. */
static void check_section(unsigned int id, const char *data, size_t len)
{
	struct smap_error err;
	uint64_t pos;
	size_t i;

	assert_int_equal(walk(id, data, len, &pos, &err), 0);
	assert_int_equal(pos, len);
	for (i = 0; i < len; i++) {
		assert_int_equal(walk(id, data, i, &pos, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "is cut off"));
	}
}

#define CHECK(id, data)	check_section(id, data, sizeof(data) - 1)

static void every_form_is_walked_to_its_end(void **state)
{
	CHECK(TRACE_HEADER_INFO, "header_page\0\x03\0\0\0\0\0\0\0abc"
				 "header_event\0\x02\0\0\0\0\0\0\0xy");
	CHECK(TRACE_FTRACE_EVENTS, "\x02\0\0\0\x01\0\0\0\0\0\0\0a\x02\0\0\0\0\0\0\0bc");
	CHECK(TRACE_EVENT_FORMATS, "\x02\0\0\0sched\0\x01\0\0\0\x03\0\0\0\0\0\0\0abc"
				   "none\0\0\0\0\0");
	CHECK(TRACE_KALLSYMS, "\x05\0\0\0hello");
	CHECK(TRACE_PRINTK, "\x05\0\0\0hello");
	CHECK(TRACE_CMDLINES, "\x05\0\0\0\0\0\0\0hello");
}

static void sizes_that_wrap_around_are_cut_off(void **state)
{
	struct smap_error err;
	uint64_t pos;

	assert_int_equal(walk(TRACE_CMDLINES, "\xff\xff\xff\xff\xff\xff\xff\xffhello", 13,
			      &pos, &err), -EBADMSG);
	assert_int_equal(walk(TRACE_FTRACE_EVENTS,
			      "\xff\xff\xff\xff\xf8\xff\xff\xff\xff\xff\xff\xff", 12, &pos, &err),
			 -EBADMSG);
}

static int walk_format(const char *text)
{
	char data[512] = "\x01\0\0";
	size_t len = strlen(text);
	struct smap_error err;
	uint64_t pos;

	data[4] = (char)len;
	memcpy(data + 12, text, len);
	return walk(TRACE_FTRACE_EVENTS, data, 12 + len, &pos, &err);
}

static void brackets_of_a_field_must_close(void **state)
{
	assert_int_equal(walk_format("\tfield:char[] x;\n\tfield:char y[4];\toffset:8;"), 0);
	assert_int_equal(walk_format("\tfield:char y[4;\n"), -EBADMSG);
	assert_int_equal(walk_format("\tfield:char y[4"), -EBADMSG);
	assert_int_equal(walk_format("\tfield:char y[4\n]"), -EBADMSG);
	assert_int_equal(walk_format("\tfield:char y]4;\n"), -EBADMSG);
	assert_int_equal(walk_format("\tfield:char y[[4]];\n"), -EBADMSG);
	/* Elsewhere they mean nothing. */
	assert_int_equal(walk_format("print fmt: \"[%d\", REC->x[0"), 0);
	assert_int_equal(walk_format("fiel[d:\n"), 0);
}

static void a_format_has_no_nul(void **state)
{
	struct smap_error err;
	uint64_t pos;

	assert_int_equal(walk(TRACE_FTRACE_EVENTS, "\x01\0\0\0\x03\0\0\0\0\0\0\0a\0b", 15, &pos,
			      &err), -EBADMSG);
	assert_string_equal(err.text, "offset 13: ftrace event formats: the text is damaged");
}

static void a_label_must_be_there(void **state)
{
	struct smap_error err;
	uint64_t pos;

	assert_int_equal(walk(TRACE_HEADER_INFO, "header_pagE\0\0\0\0\0\0\0\0\0", 20, &pos, &err),
			 -EBADMSG);
	assert_string_equal(err.text, "offset 0: no header_page where it should be");
}

static void other_sections_are_passed_over(void **state)
{
	struct smap_error err;
	uint64_t pos;

	assert_int_equal(walk(4711, "anything", 8, &pos, &err), 0);
	assert_int_equal(pos, 8);
	assert_int_equal(walk(TRACE_STRINGS, "anything", 8, &pos, &err), 0);
	assert_int_equal(pos, 8);
}

static void only_sections_that_trace_cmd_knows_have_a_name(void **state)
{
	assert_string_equal(smap_trace_section_name(TRACE_KALLSYMS), "kallsyms");
	assert_string_equal(smap_trace_section_name(TRACE_DONE), "options");
	assert_null(smap_trace_section_name(TRACE_UNAME));
	assert_null(smap_trace_section_name(TRACE_NR));
	assert_null(smap_trace_section_name(4711));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_walked_to_its_end),
		cmocka_unit_test(sizes_that_wrap_around_are_cut_off),
		cmocka_unit_test(brackets_of_a_field_must_close),
		cmocka_unit_test(a_format_has_no_nul),
		cmocka_unit_test(a_label_must_be_there),
		cmocka_unit_test(other_sections_are_passed_over),
		cmocka_unit_test(only_sections_that_trace_cmd_knows_have_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
