// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "core/addresses.h"

#define NR	1000

/* In no order, each of them twice, and more often as they go on. */
static void make(uint64_t *addresses, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		addresses[i] = UINT64_C(0xffffffff81000000) + (i * 7919 % nr / 2) * 16;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *address_a = a, *address_b = b;

	return (*address_a > *address_b) - (*address_a < *address_b);
}

static void each_one_is_in_it_once(void **state)
{
	struct smap_addresses set = { 0 };
	uint64_t addresses[NR], list[NR];
	size_t i;

	make(addresses, NR);
	for (i = 0; i < NR; i += 100)
		assert_int_equal(smap_addresses_add(&set, addresses + i, 100), 0);
	assert_int_equal(smap_addresses_nr(&set), NR / 2);
	for (i = 0; i < NR; i++) {
		assert_true(smap_addresses_has(&set, addresses[i]));
		assert_false(smap_addresses_has(&set, addresses[i] + 1));
	}
	smap_addresses_list(&set, list);
	qsort(list, NR / 2, sizeof(*list), compare);
	for (i = 0; i < NR / 2; i++)
		assert_int_equal(list[i], UINT64_C(0xffffffff81000000) + i * 16);
	smap_addresses_release(&set);
	assert_int_equal(smap_addresses_nr(&set), 0);
}

static void zero_is_an_address_too(void **state)
{
	static const uint64_t addresses[] = { 1, 0, UINT64_MAX, 0, 1 }, zero = 0;
	struct smap_addresses set = { 0 };
	uint64_t list[3];

	assert_int_equal(smap_addresses_add(&set, &zero, 1), 0);
	assert_int_equal(smap_addresses_nr(&set), 1);
	smap_addresses_release(&set);
	assert_int_equal(smap_addresses_add(&set, addresses, 5), 0);
	assert_int_equal(smap_addresses_nr(&set), 3);
	assert_true(smap_addresses_has(&set, 0));
	smap_addresses_list(&set, list);
	qsort(list, 3, sizeof(*list), compare);
	assert_int_equal(list[0], 0);
	assert_int_equal(list[1], 1);
	assert_true(list[2] == UINT64_MAX);
	smap_addresses_release(&set);
}

static void nothing_is_in_an_empty_one(void **state)
{
	struct smap_addresses set = { 0 };

	assert_int_equal(smap_addresses_add(&set, NULL, 0), 0);
	assert_int_equal(smap_addresses_nr(&set), 0);
	assert_false(smap_addresses_has(&set, 0) || smap_addresses_has(&set, 1));
	smap_addresses_list(&set, NULL);
	smap_addresses_release(&set);
}

static int add_once(void *data)
{
	struct smap_addresses set = { 0 };
	int ret = smap_addresses_add(&set, data, NR);

	smap_addresses_release(&set);
	return ret;
}

static void every_failing_allocation_gives_enomem_and_leaks_nothing(void **state)
{
	uint64_t addresses[NR];

	make(addresses, NR);
	assert_true(alloc_fail_each(add_once, addresses) > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_one_is_in_it_once),
		cmocka_unit_test(zero_is_an_address_too),
		cmocka_unit_test(nothing_is_in_an_empty_one),
		cmocka_unit_test(every_failing_allocation_gives_enomem_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
