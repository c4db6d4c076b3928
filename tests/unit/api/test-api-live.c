// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alloc-fail.h"
#include "core/cookie.h"
#include "../tracefs/fixture.h"

static uint64_t entries(struct fixture *f)
{
	struct stackmap_stat *stat = stackmap_live_read_stat(f->live);
	uint64_t value = UINT64_MAX;

	assert_non_null(stat);
	stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &value);
	stackmap_stat_free(stat);
	return value;
}

static void statistics_are_those_of_now(void **state)
{
	struct stackmap_stat *stat;
	struct fixture *f = *state;
	uint64_t value;

	fixture_play("ours", "", false);
	assert_int_equal(entries(f), UINT64_MAX);
	fixture_shim("set option=1");
	assert_int_equal(entries(f), 0);
	fixture_shim("record-many 7");
	assert_int_equal(entries(f), 7);
	stat = stackmap_live_read_stat(f->live);
	assert_int_equal(stackmap_stat_find(stat, "arena_used", &value), 0);
	assert_true(value > 0);
	assert_int_equal(stackmap_stat_find(stat, "entries", &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(stackmap_stat_find(stat, "arena", &value), -ENOENT);
	stackmap_stat_free(stat);
}

static void statistics_that_are_none_are_an_error(void **state)
{
	struct fixture *f = *state;

	fixture_play("8", "remove=stack_map_stat", true);
	assert_null(stackmap_live_read_stat(f->live));
	fixture_failed(f, -errno, -ENOENT, "stack_map_stat: this kernel has no such file");
}

/* ---- resolving ---- */

/* The slot that the shim gives one more stack, recorded now. */
static uint32_t record(const char *frame, uint32_t *ret_generation)
{
	char args[128], says[256];
	uint32_t slot;

	snprintf(args, sizeof(args), "record '%s'", frame);
	fixture_shim_says(says, sizeof(says), args);
	assert_int_equal(sscanf(says, "<stack_id %u gen %u>", &slot, ret_generation), 2);
	return slot;
}

static struct stackmap_stack *find(struct stackmap_resolver *resolver, uint32_t generation,
				   uint32_t slot)
{
	struct stackmap_stack *stack;

	stack = stackmap_resolver_find(resolver, smap_cookie(generation, slot),
				       STACKMAP_TS_UNKNOWN);
	assert_non_null(stack);
	return stack;
}

static struct stackmap_resolver *add_live(struct fixture *f)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();

	assert_int_equal(stackmap_resolver_add_live(resolver, f->live), 0);
	return resolver;
}

static void a_cookie_is_resolved_from_the_running_kernel(void **state)
{
	struct stackmap_resolver *resolver;
	struct stackmap_stack *stack;
	struct fixture *f = *state;
	uint32_t slot, generation;

	fixture_play("ours", "option=1", false);
	slot = record("vfs_read+0x10/0x100", &generation);
	resolver = add_live(f);
	assert_int_equal(stackmap_resolver_nr_maps(resolver), 1);
	assert_string_equal(stackmap_map_get_path(stackmap_resolver_get_map(resolver, 0)),
			    "/sys/kernel/tracing/stack_map");
	stack = find(resolver, generation, slot);
	assert_int_equal(stackmap_stack_get_verdict(stack), STACKMAP_VERDICT_RESOLVED);
	assert_string_equal(stackmap_stack_get_text(stack, NULL), " => vfs_read+0x10/0x100");
	stackmap_resolver_free(resolver);
}

/* Asks until it is found: the map is read for a part of the time only. */
static void wait_until_found(struct stackmap_resolver *resolver, struct stackmap_stack *stack,
			     uint32_t generation, uint32_t slot)
{
	do
		assert_ptr_equal(find(resolver, generation, slot), stack);
	while (stackmap_stack_get_verdict(stack) != STACKMAP_VERDICT_RESOLVED);
}

static void what_is_recorded_later_is_found_when_it_is_asked_for_again(void **state)
{
	struct stackmap_stack *first, *later;
	struct stackmap_resolver *resolver;
	uint32_t slot, generation, free_slot;
	struct fixture *f = *state;

	fixture_play("ours", "option=1", false);
	slot = record("vfs_read+0x10/0x100", &generation);
	resolver = add_live(f);
	first = find(resolver, generation, slot);
	fixture_shim("record -s 77 'vfs_write+0x20/0x100'");
	free_slot = 77;
	later = find(resolver, generation, free_slot);
	assert_non_null(stackmap_stack_get_text(later, NULL));
	wait_until_found(resolver, later, generation, free_slot);
	assert_string_equal(stackmap_stack_get_text(later, NULL), " => vfs_write+0x20/0x100");
	assert_string_equal(stackmap_stack_get_reason(later), "");
	/* The second time only what is new was taken. */
	assert_int_equal(stackmap_resolver_nr_maps(resolver), 2);
	assert_int_equal(stackmap_map_nr_stacks(stackmap_resolver_get_map(resolver, 1)), 1);
	assert_string_equal(stackmap_stack_get_text(first, NULL), " => vfs_read+0x10/0x100");
	assert_ptr_equal(find(resolver, generation, slot), first);
	stackmap_resolver_free(resolver);
}

static void the_generations_behind_a_reset_are_found_too(void **state)
{
	struct stackmap_resolver *resolver;
	struct stackmap_stack *stack;
	struct fixture *f = *state;
	uint32_t slot, generation, later;

	fixture_play("ours", "option=1", false);
	slot = record("vfs_read+0x10/0x100", &generation);
	resolver = add_live(f);
	assert_int_equal(stackmap_live_reset(f->live), 0);
	slot = record("vfs_write+0x20/0x100", &later);
	assert_int_equal(later, generation + 1);
	stack = find(resolver, later, slot);
	wait_until_found(resolver, stack, later, slot);
	assert_string_equal(stackmap_stack_get_text(stack, NULL), " => vfs_write+0x20/0x100");
	/* What is nowhere stays so, and says why. */
	stack = find(resolver, later + 1, slot);
	assert_int_equal(stackmap_stack_get_verdict(stack), STACKMAP_VERDICT_GENERATION_NOT_SAVED);
	stackmap_resolver_free(resolver);
}

/* Who follows the ring buffer behind a rotation asks for many of those. */
static void a_generation_that_is_gone_does_not_have_the_map_read(void **state)
{
	struct stackmap_resolver *resolver;
	struct stackmap_stack *stack;
	struct fixture *f = *state;
	uint32_t slot, generation, later, i;

	fixture_play("ours", "option=1", false);
	slot = record("vfs_read+0x10/0x100", &generation);
	resolver = add_live(f);
	assert_int_equal(stackmap_live_reset(f->live), 0);
	slot = record("vfs_write+0x20/0x100", &later);
	fixture_shim("at -a open stack_map_bin r run 'echo >> map.read'");
	for (i = 0; i < 5; i++) {
		stack = find(resolver, generation, slot + 1 + i);
		assert_int_equal(stackmap_stack_get_verdict(stack),
				 STACKMAP_VERDICT_SLOT_NOT_SAVED);
	}
	assert_int_equal(fixture_nr_lines("map.read"), 0);
	stack = find(resolver, later, slot);
	assert_int_equal(stackmap_stack_get_verdict(stack), STACKMAP_VERDICT_RESOLVED);
	assert_int_equal(fixture_nr_lines("map.read"), 1);
	stackmap_resolver_free(resolver);
}

#define NR_FUNCTIONS	1000

static void load_functions(void)
{
	FILE *file = fopen("functions", "w");
	unsigned int i;

	assert_non_null(file);
	for (i = 0; i < NR_FUNCTIONS; i++)
		fprintf(file, "stack_id %u gen 1 ref 1 depth 1\n => a_function_of_the_kernel_%u"
			"+0x10/0x100\n", i, i);
	assert_int_equal(fclose(file), 0);
	fixture_shim("load functions");
}

/* Bytes, at most, that finding so many new stacks takes one by one. */
static size_t bytes_for(struct stackmap_resolver *resolver, unsigned int first, unsigned int nr)
{
	uint32_t slot, generation;
	char frame[64];
	unsigned int i;

	alloc_fail_watch_bytes();
	for (i = first; i < first + nr; i++) {
		snprintf(frame, sizeof(frame), "a_function_of_the_kernel_%u+0x20/0x100", i);
		slot = record(frame, &generation);
		find(resolver, generation, slot);
	}
	return alloc_fail_most_bytes();
}

static void stacks_that_come_one_by_one_take_no_map_each(void **state)
{
	struct stackmap_resolver *resolver;
	struct fixture *f = *state;
	size_t few, many;

	fixture_play("ours", "option=1 generation=1", false);
	load_functions();
	resolver = add_live(f);
	few = bytes_for(resolver, 0, 4);
	many = bytes_for(resolver, 4, 36);
	assert_true(many < few + 32 * NR_FUNCTIONS * sizeof(uint64_t));
	stackmap_resolver_free(resolver);
}

static void no_map_yet_is_no_error(void **state)
{
	struct stackmap_resolver *resolver;
	struct stackmap_stack *stack;
	struct fixture *f = *state;
	uint32_t slot, generation;

	fixture_play("8", "", false);
	resolver = add_live(f);
	assert_int_equal(stackmap_resolver_nr_maps(resolver), 0);
	stack = find(resolver, 1, 5);
	assert_int_equal(stackmap_stack_get_verdict(stack), STACKMAP_VERDICT_NO_MAP);
	fixture_shim("set option=1");
	slot = record("vfs_read+0x10/0x100", &generation);
	stack = find(resolver, generation, slot);
	wait_until_found(resolver, stack, generation, slot);
	stackmap_resolver_free(resolver);
}

static void series_7_resolves_too(void **state)
{
	struct stackmap_resolver *resolver;
	struct stackmap_stack *stack;
	struct fixture *f = *state;

	fixture_play("7", "option=1", false);
	fixture_shim("record -s 77 'vfs_read+0x10/0x100'");
	resolver = stackmap_resolver_new();
	assert_int_equal(stackmap_resolver_expect_slot(resolver, 77), 0);
	assert_int_equal(stackmap_resolver_add_live(resolver, f->live), 0);
	stack = stackmap_resolver_find_slot(resolver, 77, STACKMAP_TS_UNKNOWN);
	assert_string_equal(stackmap_stack_get_text(stack, NULL), " => vfs_read+0x10/0x100");
	stackmap_resolver_free(resolver);
}

static void what_stands_in_the_way_is_said(void **state)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	struct fixture *f = *state;

	fixture_play("0", "", false);
	assert_int_equal(stackmap_resolver_add_live(resolver, f->live), -EOPNOTSUPP);
	assert_non_null(strstr(stackmap_resolver_get_error(resolver), "no stack map"));
	fixture_play("ours", "", true);
	assert_int_equal(stackmap_resolver_add_live(resolver, f->live), 0);
	assert_int_equal(stackmap_resolver_add_live(resolver, f->live), -EBUSY);
	stackmap_resolver_free(resolver);
}

static int resolve_once(void *data)
{
	struct stackmap_live *live = stackmap_live_new(NULL);
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	struct stackmap_stack *stack;
	int ret = -ENOMEM;

	if (live && resolver)
		ret = stackmap_resolver_add_live(resolver, live);
	if (!ret) {
		stack = stackmap_resolver_find(resolver, smap_cookie(24301, 77), 0);
		ret = stack && stackmap_stack_get_text(stack, NULL) ? 0 : -errno;
	}
	stackmap_resolver_free(resolver);
	stackmap_live_free(live);
	errno = -ret;
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	fixture_play("ours", "option=1", false);
	fixture_shim("record -s 77 'vfs_read+0x10/0x100'");
	alloc_fail_each_tolerant(resolve_once, NULL);
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(statistics_are_those_of_now),
	LIVE_TEST(statistics_that_are_none_are_an_error),
	LIVE_TEST(a_cookie_is_resolved_from_the_running_kernel),
	LIVE_TEST(what_is_recorded_later_is_found_when_it_is_asked_for_again),
	LIVE_TEST(the_generations_behind_a_reset_are_found_too),
	LIVE_TEST(a_generation_that_is_gone_does_not_have_the_map_read),
	LIVE_TEST(stacks_that_come_one_by_one_take_no_map_each),
	LIVE_TEST(no_map_yet_is_no_error),
	LIVE_TEST(series_7_resolves_too),
	LIVE_TEST(what_stands_in_the_way_is_said),
	LIVE_TEST(no_allocation_that_fails_does_harm),
};

FIXTURE_MAIN(tests)
