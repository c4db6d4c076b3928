// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alloc-fail.h"
#include "fixture.h"

#define KALLSYMS							\
	"ffffffff81000000 T first\n"					\
	"ffffffff81000100 t second\n"					\
	"ffffffff81000180 T third\n"					\
	"ffffffffc0000000 t probe\t[mod]\n"				\
	"ffffffffc0000040 t remove\t[mod]\n"

static void add_kallsyms(struct fixture *f)
{
	assert_int_equal(stackmap_resolver_add_kallsyms(f->resolver, fixture_file(f, KALLSYMS)), 0);
}

static struct stackmap_stack *find(struct fixture *f, const uint64_t *addresses, uint32_t nr)
{
	struct stackmap_stack *stack = stackmap_resolver_find_addresses(f->resolver, addresses, nr);

	assert_non_null(stack);
	return stack;
}

static const uint64_t some[] = {
	0x7fffffff, 0xffffffff81000010, 0xffffffffc0000004, UINT64_MAX, 0x401234
};

static void addresses_read_as_those_of_a_map(void **state)
{
	struct stackmap_stack *stack;

	add_kallsyms(*state);
	stack = find(*state, some, 5);
	assert_verdict(stack, RESOLVED);
	assert_string_equal(stackmap_stack_get_reason(stack), "");
	assert_string_equal(fixture_text(stack),
			    " => [FTRACE TRAMPOLINE]\n"
			    " => first+0x10/0x100\n"
			    " => probe+0x4/0x40 [mod]\n"
			    " => 0xffffffffffffffff\n"
			    " => 0x401234");
	assert_int_equal(stackmap_stack_get_depth(stack), 5);
	assert_string_equal(stackmap_stack_get_frame_name(stack, 2), "probe");
	assert_false(stackmap_stack_has_generation(stack));
	assert_int_equal(stackmap_stack_get_ref(stack), 0);
}

static void without_symbols_they_are_hex(void **state)
{
	assert_string_equal(fixture_text(find(*state, some + 1, 1)), " => 0xffffffff81000010");
}

static void the_symbols_of_the_trace_name_them(void **state)
{
	struct fixture *f = *state;
	/* Of the recording: "=> __schedule (ffffffff9bfad32f)" in trace-cmd report. */
	const uint64_t address = 0xffffffff9bfad32f;

	assert_int_equal(stackmap_resolver_set_trace(f->resolver,
						     fixture_data("good/v8/sched-full.dat")), 0);
	assert_string_equal(fixture_text(find(f, &address, 1)), " => __schedule+0x61f/0x7a0");
}

static void the_style_is_that_of_all_stacks(void **state)
{
	const struct stackmap_style style = {
		.size = sizeof(style),
		.flags = STACKMAP_STYLE_ONE_LINE | STACKMAP_STYLE_NAMES_ONLY,
		.max_frames = 2,
	};
	struct fixture *f = *state;

	assert_int_equal(stackmap_resolver_set_style(f->resolver, &style), 0);
	add_kallsyms(f);
	assert_string_equal(fixture_text(find(f, some + 1, 3)), "first <= probe <= [1 more frame]");
}

static void the_same_addresses_have_the_same_answer(void **state)
{
	const uint64_t copy[] = { some[0], some[1] };

	assert_ptr_equal(find(*state, some, 2), find(*state, copy, 2));
	assert_ptr_not_equal(find(*state, some, 2), find(*state, some, 3));
	assert_ptr_not_equal(find(*state, some, 2), find(*state, some + 1, 2));
}

static void a_stack_without_frames_is_one(void **state)
{
	struct stackmap_stack *stack = find(*state, some, 0);

	assert_int_equal(stackmap_stack_get_depth(stack), 0);
	assert_string_equal(fixture_text(stack), "");
	assert_null(stackmap_stack_get_frame(stack, 0));
	assert_int_equal(errno, ERANGE);
}

static void many_stacks_stay_apart(void **state)
{
	struct stackmap_stack *first[64];
	uint64_t addresses[2];
	size_t i, k;

	for (i = 0; i < 64; i++) {
		addresses[0] = i;
		addresses[1] = 0xffffffff81000000 + i;
		first[i] = find(*state, addresses, 2);
		stackmap_stack_set_private(first[i], (void *)(i + 1));
	}
	for (k = 0; k < 20000; k++) {
		addresses[0] = 1000 + k;
		assert_null(stackmap_stack_get_private(find(*state, addresses, 2)));
	}
	for (i = 0; i < 64; i++) {
		addresses[0] = i;
		addresses[1] = 0xffffffff81000000 + i;
		assert_ptr_equal(find(*state, addresses, 2), first[i]);
		assert_ptr_equal(stackmap_stack_get_private(first[i]), (void *)(i + 1));
	}
}

static int whole_flow(void *data)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	struct stackmap_stack *stack;
	uint64_t addresses[3];
	int ret = resolver ? 0 : -ENOMEM, i;

	if (!ret)
		ret = stackmap_resolver_add_kallsyms(resolver, data);
	for (i = 0; !ret && i < 40; i++) {
		addresses[0] = 0xffffffff81000000 + i;
		addresses[1] = 0xffffffff81000080 + i;
		addresses[2] = i;
		stack = stackmap_resolver_find_addresses(resolver, addresses, 3);
		if (!stack || !stackmap_stack_get_text(stack, NULL))
			ret = -ENOMEM;
	}
	stackmap_resolver_free(resolver);
	errno = -ret;
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	alloc_fail_each_tolerant(whole_flow, (void *)fixture_file(*state, KALLSYMS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(addresses_read_as_those_of_a_map),
		RESOLVE_TEST(without_symbols_they_are_hex),
		RESOLVE_TEST(the_symbols_of_the_trace_name_them),
		RESOLVE_TEST(the_style_is_that_of_all_stacks),
		RESOLVE_TEST(the_same_addresses_have_the_same_answer),
		RESOLVE_TEST(a_stack_without_frames_is_one),
		RESOLVE_TEST(many_stacks_stay_apart),
		RESOLVE_TEST(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
