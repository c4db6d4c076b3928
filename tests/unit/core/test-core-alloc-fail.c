// SPDX-License-Identifier: GPL-2.0-or-later
/* The allocation-failure harness itself: one that finds nothing would make every test pass. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc-fail.h"

/* A compiler may leave out an allocation whose pointer goes nowhere. */
static void *volatile seen;

static void *see(void *ptr)
{
	seen = ptr;
	return seen;
}

/* Three allocations, all freed whatever happens. */
static int good(void *data)
{
	char *a = see(malloc(10)), *b = a ? see(strdup("text")) : NULL;
	char *c = b ? see(realloc(b, 100)) : NULL;

	free(a);
	free(c ? c : b);
	return c ? 0 : -ENOMEM;
}

static void a_clean_function_passes_and_its_allocations_are_counted(void **state)
{
	assert_int_equal(alloc_fail_each(good, NULL), 3);
	assert_int_equal(alloc_fail_nr_live(), 0);
}

static void the_chosen_allocation_fails_and_only_that_one(void **state)
{
	void *a, *b, *c;

	alloc_fail_at(2, false);
	a = see(malloc(1));
	b = see(malloc(1));
	c = see(malloc(1));
	assert_non_null(a);
	assert_null(b);
	assert_non_null(c);
	assert_int_equal(alloc_fail_stop(), 3);
	assert_true(alloc_fail_has_failed());
	assert_int_equal(alloc_fail_nr_live(), 2);
	free(a);
	free(c);
	assert_int_equal(alloc_fail_nr_live(), 0);
}

static void all_allocations_behind_the_chosen_one_fail_on_demand(void **state)
{
	void *a, *b;

	alloc_fail_at(2, true);
	a = see(malloc(1));
	assert_non_null(a);
	assert_null(see(calloc(1, 1)));
	assert_null(see(strdup("text")));
	b = see(realloc(see(a), 2));
	alloc_fail_stop();
	assert_null(b);
	free(b ? b : a);
}

static void a_failed_reallocation_keeps_the_old_block_alive(void **state)
{
	void *a = see(malloc(1)), *b;

	alloc_fail_at(1, false);
	b = see(realloc(see(a), 2));
	alloc_fail_stop();
	assert_null(b);
	assert_int_equal(alloc_fail_nr_live(), 1);
	free(b ? b : a);
}

static void many_live_allocations_are_all_found_again(void **state)
{
	static void *kept[5000];
	size_t i;

	for (i = 0; i < 5000; i++)
		kept[i] = see(malloc(i));
	assert_int_equal(alloc_fail_nr_live(), 5000);
	for (i = 0; i < 5000; i++)
		free(kept[i]);
	assert_int_equal(alloc_fail_nr_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_function_passes_and_its_allocations_are_counted),
		cmocka_unit_test(the_chosen_allocation_fails_and_only_that_one),
		cmocka_unit_test(all_allocations_behind_the_chosen_one_fail_on_demand),
		cmocka_unit_test(a_failed_reallocation_keeps_the_old_block_alive),
		cmocka_unit_test(many_live_allocations_are_all_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
