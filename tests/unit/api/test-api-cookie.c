// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stackmap.h"

static void a_cookie_is_generation_and_slot(void **state)
{
	assert_true(stackmap_cookie_make(1, 42) == 0x10000002aULL);
	assert_true(stackmap_cookie_make(UINT32_MAX, UINT32_MAX) == UINT64_MAX);
	assert_int_equal(stackmap_cookie_get_generation(0xfffffffe80000001ULL), 0xfffffffe);
	assert_int_equal(stackmap_cookie_get_slot(0xfffffffe80000001ULL), 0x80000001);
}

static void half_of_all_generations_are_later(void **state)
{
	assert_true(stackmap_generation_is_later(2, 1));
	assert_false(stackmap_generation_is_later(1, 2));
	assert_false(stackmap_generation_is_later(7, 7));
	assert_true(stackmap_generation_is_later(0, UINT32_MAX));
	assert_false(stackmap_generation_is_later(UINT32_MAX, 0));
	assert_true(stackmap_generation_is_later(0x80000006, 7));
	assert_false(stackmap_generation_is_later(0x80000008, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cookie_is_generation_and_slot),
		cmocka_unit_test(half_of_all_generations_are_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
