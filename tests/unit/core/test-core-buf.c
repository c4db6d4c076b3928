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

#include "alloc-fail.h"
#include "core/array.h"
#include "core/buf.h"

static void what_is_added_stands_one_behind_the_other_with_a_nul(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add(&buf, "ab\0c", 4);
	smap_buf_add_str(&buf, "de");
	smap_buf_add_char(&buf, 'f');
	smap_buf_addf(&buf, "%d%s", 42, "g");
	assert_false(smap_buf_failed(&buf));
	assert_int_equal(buf.len, 10);
	assert_memory_equal(buf.data, "ab\0cdef42g", 11);
	smap_buf_free(&buf);
	assert_null(buf.data);
}

static void a_hex_number_is_as_printf_has_it(void **state)
{
	static const uint64_t values[] = { 0, 9, 0xa, 0x10, 0xffffffff81000000, UINT64_MAX };
	struct smap_buf buf = SMAP_BUF_INIT;
	char text[32];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		smap_buf_reset(&buf);
		smap_buf_add_hex(&buf, values[i]);
		snprintf(text, sizeof(text), "%llx", (unsigned long long)values[i]);
		assert_string_equal(buf.data, text);
		assert_int_equal(buf.len, strlen(text));
	}
	smap_buf_free(&buf);
}

static void nothing_can_be_added(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add(&buf, NULL, 0);
	assert_int_equal(buf.len, 0);
	assert_string_equal(buf.data, "");
	smap_buf_free(&buf);
}

static void long_formats_are_not_cut(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_addf(&buf, "%*s", 100000, "x");
	assert_int_equal(buf.len, 100000);
	assert_int_equal(buf.data[99999], 'x');
	smap_buf_free(&buf);
}

static void escaped_text_is_the_same_as_smap_escape_makes_it(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add_escaped(&buf, "plain", 5);
	smap_buf_add_escaped(&buf, "\033[2J\n", 5);
	smap_buf_add_escaped(&buf, "end", 3);
	assert_string_equal(buf.data, "plain\\x1b[2J\\x0aend");
	assert_int_equal(buf.len, strlen(buf.data));
	smap_buf_free(&buf);
}

static void reserved_room_can_be_filled_by_the_caller(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	char *room;

	smap_buf_add_str(&buf, "ab");
	room = smap_buf_reserve(&buf, 1000);
	assert_ptr_equal(room, buf.data + 2);
	memset(room, 'x', 1000);
	buf.len += 1000;
	smap_buf_add_char(&buf, 'y');
	assert_int_equal(strlen(buf.data), 1003);
	smap_buf_free(&buf);
}

static void a_size_that_overflows_fails_as_no_memory_does(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add_str(&buf, "ab");
	assert_null(smap_buf_reserve(&buf, SIZE_MAX - 1));
	assert_true(smap_buf_failed(&buf));
	smap_buf_reset(&buf);
	smap_buf_add_str(&buf, "ab");
	assert_null(smap_buf_reserve(&buf, SIZE_MAX - 2));
	assert_true(smap_buf_failed(&buf));
	assert_null(smap_buf_reserve(&buf, 1));
	smap_buf_free(&buf);
}

static void a_failure_sticks_until_the_reset(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add_str(&buf, "ab");
	alloc_fail_at(1, false);
	smap_buf_addf(&buf, "%*s", 1000, "x");
	alloc_fail_stop();
	smap_buf_add_str(&buf, "cd");
	assert_true(smap_buf_failed(&buf));
	assert_string_equal(buf.data, "ab");

	smap_buf_reset(&buf);
	assert_false(smap_buf_failed(&buf));
	smap_buf_add_str(&buf, "cd");
	assert_string_equal(buf.data, "cd");
	smap_buf_free(&buf);
}

static void detaching_hands_over_the_memory(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	size_t len = 0;
	char *data;

	smap_buf_add_str(&buf, "ab");
	data = smap_buf_detach(&buf, &len);
	assert_string_equal(data, "ab");
	assert_int_equal(len, 2);
	assert_null(buf.data);
	free(data);

	data = smap_buf_detach(&buf, NULL);
	assert_string_equal(data, "");
	free(data);
}

static void detaching_after_a_failure_gives_nothing_and_frees(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	size_t len = 17;

	smap_buf_add_str(&buf, "ab");
	buf.failed = true;
	assert_null(smap_buf_detach(&buf, &len));
	assert_int_equal(len, 17);
	assert_int_equal(alloc_fail_nr_live(), 0);
}

static int fill(void *data)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	char *text;
	int i;

	for (i = 0; i < 100; i++) {
		smap_buf_addf(&buf, "%d", i);
		smap_buf_add_escaped(&buf, "\001\002", 2);
	}
	text = smap_buf_detach(&buf, NULL);
	if (!text) {
		errno = ENOMEM;
		return -ENOMEM;
	}
	free(text);
	return 0;
}

static void every_failing_allocation_is_noticed_at_the_end(void **state)
{
	assert_true(alloc_fail_each(fill, NULL) > 2);
}

static void arrays_double_and_keep_their_elements(void **state)
{
	size_t capacity = 0, i;
	uint32_t *array = NULL;

	for (i = 0; i < 1000; i++) {
		assert_int_equal(SMAP_ARRAY_GROW(array, capacity, i + 1), 0);
		assert_true(capacity >= i + 1 && capacity < 2 * i + 10);
		array[i] = (uint32_t)i;
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	free(array);
}

static void an_array_whose_size_overflows_is_refused_and_untouched(void **state)
{
	size_t capacity = 0;
	uint64_t *array = NULL, *before;

	assert_int_equal(SMAP_ARRAY_GROW(array, capacity, 4), 0);
	before = array;
	errno = 0;
	assert_int_equal(SMAP_ARRAY_GROW(array, capacity, SIZE_MAX / 4), -ENOMEM);
	assert_int_equal(errno, ENOMEM);
	assert_ptr_equal(array, before);
	assert_int_equal(capacity, 8);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_stands_one_behind_the_other_with_a_nul),
		cmocka_unit_test(a_hex_number_is_as_printf_has_it),
		cmocka_unit_test(nothing_can_be_added),
		cmocka_unit_test(long_formats_are_not_cut),
		cmocka_unit_test(escaped_text_is_the_same_as_smap_escape_makes_it),
		cmocka_unit_test(reserved_room_can_be_filled_by_the_caller),
		cmocka_unit_test(a_size_that_overflows_fails_as_no_memory_does),
		cmocka_unit_test(a_failure_sticks_until_the_reset),
		cmocka_unit_test(detaching_hands_over_the_memory),
		cmocka_unit_test(detaching_after_a_failure_gives_nothing_and_frees),
		cmocka_unit_test(every_failing_allocation_is_noticed_at_the_end),
		cmocka_unit_test(arrays_double_and_keep_their_elements),
		cmocka_unit_test(an_array_whose_size_overflows_is_refused_and_untouched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
