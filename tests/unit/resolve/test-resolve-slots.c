// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc-fail.h"
#include "resolve/slots.h"

static void every_slot_stands_once_and_in_order(void **state)
{
	static const uint32_t added[] = { 5, 3, 3, 4294967295U, 0, 5 };
	struct smap_slots slots = { 0 };
	size_t i;

	for (i = 0; i < sizeof(added) / sizeof(added[0]); i++)
		assert_int_equal(smap_slots_add(&slots, added[i]), 0);
	smap_slots_close(&slots);
	assert_int_equal(slots.nr, 4);
	assert_int_equal(slots.slots[0], 0);
	assert_int_equal(slots.slots[1], 3);
	assert_int_equal(slots.slots[2], 5);
	assert_int_equal(slots.slots[3], 4294967295U);
	smap_slots_release(&slots);
}

static void memory_follows_the_distinct_slots(void **state)
{
	struct smap_slots slots = { 0 };
	uint32_t i;

	for (i = 0; i < 1000000; i++)
		assert_int_equal(smap_slots_add(&slots, i % 100), 0);
	assert_true(slots.capacity <= 8192);
	smap_slots_close(&slots);
	assert_int_equal(slots.nr, 100);
	smap_slots_release(&slots);
}

static void closing_without_a_slot_is_fine(void **state)
{
	struct smap_slots slots = { 0 };

	smap_slots_close(&slots);
	assert_int_equal(slots.nr, 0);
	smap_slots_release(&slots);
}

static int add_some(void *data)
{
	struct smap_slots slots = { 0 };
	int ret = 0;
	uint32_t i;

	for (i = 0; i < 100 && !ret; i++)
		ret = smap_slots_add(&slots, i);
	smap_slots_release(&slots);
	errno = -ret;
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	assert_true(alloc_fail_each(add_some, NULL) > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slot_stands_once_and_in_order),
		cmocka_unit_test(memory_follows_the_distinct_slots),
		cmocka_unit_test(closing_without_a_slot_is_fine),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
