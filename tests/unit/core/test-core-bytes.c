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

#include "core/bytes.h"

static const uint8_t eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void numbers_are_read_in_the_byte_order_of_the_data(void **state)
{
	struct smap_bytes little = smap_bytes_init(eight, 8, SMAP_HOST_IS_BIG_ENDIAN);
	struct smap_bytes big = smap_bytes_init(eight, 8, !SMAP_HOST_IS_BIG_ENDIAN);
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;
	uint8_t u8;

	assert_true(smap_bytes_get_u8(&little, &u8));
	assert_int_equal(u8, 1);
	assert_true(smap_bytes_get_u16(&little, &u16));
	assert_int_equal(u16, 0x0302);
	assert_true(smap_bytes_get_u32(&little, &u32));
	assert_int_equal(u32, 0x07060504);
	assert_int_equal(smap_bytes_offset(&little), 7);

	assert_true(smap_bytes_get_u64(&big, &u64));
	assert_true(u64 == 0x0102030405060708ULL);
	assert_int_equal(smap_bytes_left(&big), 0);
}

static void a_read_that_does_not_fit_moves_nothing(void **state)
{
	struct smap_bytes bytes = smap_bytes_init(eight, 3, false);
	const void *data = NULL;
	uint64_t u64 = 42;
	uint32_t u32 = 42;

	assert_false(smap_bytes_get_u32(&bytes, &u32));
	assert_false(smap_bytes_get_u64(&bytes, &u64));
	assert_false(smap_bytes_get(&bytes, 4, &data));
	assert_false(smap_bytes_get(&bytes, SIZE_MAX, &data));
	assert_false(smap_bytes_skip(&bytes, SIZE_MAX - 1));
	assert_int_equal(u32, 42);
	assert_true(u64 == 42);
	assert_null(data);
	assert_int_equal(smap_bytes_left(&bytes), 3);
	assert_true(smap_bytes_get(&bytes, 3, &data));
	assert_ptr_equal(data, eight);
}

static void strings_must_end_within_the_bytes(void **state)
{
	struct smap_bytes bytes = smap_bytes_init("ab\0\0cd", 6, false);
	const char *string;

	assert_true(smap_bytes_get_string(&bytes, &string));
	assert_string_equal(string, "ab");
	assert_true(smap_bytes_get_string(&bytes, &string));
	assert_string_equal(string, "");
	assert_false(smap_bytes_get_string(&bytes, &string));
	assert_int_equal(smap_bytes_left(&bytes), 2);
}

static void nothing_can_be_read_from_nothing(void **state)
{
	struct smap_bytes bytes = smap_bytes_init(NULL, 0, false);
	const char *string;
	uint8_t u8;

	assert_false(smap_bytes_get_u8(&bytes, &u8));
	assert_false(smap_bytes_get_string(&bytes, &string));
	assert_true(smap_bytes_skip(&bytes, 0));
	assert_int_equal(smap_bytes_offset(&bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_in_the_byte_order_of_the_data),
		cmocka_unit_test(a_read_that_does_not_fit_moves_nothing),
		cmocka_unit_test(strings_must_end_within_the_bytes),
		cmocka_unit_test(nothing_can_be_read_from_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
