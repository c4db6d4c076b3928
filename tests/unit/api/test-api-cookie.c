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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cookie_is_generation_and_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
