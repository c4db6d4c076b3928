// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc-fail.h"
#include "resolve/cache.h"

static void free_stack(void *stack)
{
	smap_stack_free(stack);
}

static struct stackmap_stack *add(struct smap_cache *cache, uint64_t key)
{
	struct stackmap_stack *stack = smap_stack_new(0, true, (uint32_t)key);

	assert_non_null(stack);
	assert_int_equal(smap_cache_add(cache, key, stack), 0);
	return stack;
}

static void an_empty_cache_knows_nothing(void **state)
{
	struct smap_cache cache = { 0 };

	assert_null(smap_cache_find(&cache, 0));
	smap_cache_release(&cache, free_stack);
}

static void what_was_added_is_found_as_it_grows(void **state)
{
	struct smap_cache cache = { 0 };
	struct stackmap_stack *stacks[5000];
	uint64_t i;

	for (i = 0; i < 5000; i++)
		stacks[i] = add(&cache, i << 29);
	for (i = 0; i < 5000; i++)
		assert_ptr_equal(smap_cache_find(&cache, i << 29), stacks[i]);
	assert_null(smap_cache_find(&cache, 1));
	assert_true(cache.nr * 2 <= (size_t)1 << cache.bits);
	smap_cache_release(&cache, free_stack);
}

static int add_some(void *data)
{
	struct smap_cache cache = { 0 };
	struct stackmap_stack *stack;
	int ret = 0;
	uint64_t i;

	for (i = 0; i < 20 && !ret; i++) {
		stack = smap_stack_new(0, true, 0);
		ret = stack ? smap_cache_add(&cache, i, stack) : -ENOMEM;
		if (ret)
			smap_stack_free(stack);
	}
	smap_cache_release(&cache, free_stack);
	errno = -ret;
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	assert_true(alloc_fail_each(add_some, NULL) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_cache_knows_nothing),
		cmocka_unit_test(what_was_added_is_found_as_it_grows),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
