// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "fixture.h"

#define STACK										\
	"stack_id 42 gen 1 ref 3 depth 4\n => inner.isra.0+0x1/0x10\n"			\
	" => [FTRACE TRAMPOLINE]\n => middle+0x2/0x20 [mod]\n => 0xffffffffffffffff\n"

static struct stackmap_stack *styled(struct fixture *f, unsigned int flags, unsigned int max_frames,
				     const char *text)
{
	struct stackmap_style style = {
		.size = sizeof(style), .flags = flags, .max_frames = max_frames
	};
	struct stackmap_stack *stack;

	assert_int_equal(stackmap_resolver_set_style(f->resolver, &style), 0);
	fixture_add_text(f, text);
	stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
	assert_non_null(stack);
	return stack;
}

static void every_frame_is_a_line(void **state)
{
	struct stackmap_stack *stack = styled(*state, 0, 0, STACK);

	assert_string_equal(fixture_text(stack),
			    " => inner.isra.0+0x1/0x10\n => [FTRACE TRAMPOLINE]\n"
			    " => middle+0x2/0x20 [mod]\n => 0xffffffffffffffff");
}

static void one_line_joins_them_innermost_first(void **state)
{
	struct stackmap_stack *stack = styled(*state, STACKMAP_STYLE_ONE_LINE, 0, STACK);

	assert_string_equal(fixture_text(stack),
			    "inner.isra.0+0x1/0x10 <= [FTRACE TRAMPOLINE] <= middle+0x2/0x20 [mod]"
			    " <= 0xffffffffffffffff");
}

static void names_only_leaves_out_what_is_behind_the_name(void **state)
{
	struct stackmap_stack *stack;

	stack = styled(*state, STACKMAP_STYLE_ONE_LINE | STACKMAP_STYLE_NAMES_ONLY, 0, STACK);
	assert_string_equal(fixture_text(stack),
			    "inner.isra.0 <= [FTRACE TRAMPOLINE] <= middle <= 0xffffffffffffffff");
}

static void suffixes_can_be_stripped(void **state)
{
	struct stackmap_stack *stack = styled(*state, STACKMAP_STYLE_STRIP_SUFFIX, 0, STACK);

	assert_string_equal(stackmap_stack_get_frame_name(stack, 0), "inner");
	assert_string_equal(stackmap_stack_get_frame(stack, 0), "inner.isra.0+0x1/0x10");
}

static void a_limit_says_how_many_it_left_out(void **state)
{
	struct stackmap_stack *stack = styled(*state, 0, 2, STACK);

	assert_string_equal(fixture_text(stack),
			    " => inner.isra.0+0x1/0x10\n => [FTRACE TRAMPOLINE]\n => [2 more frames]");
	assert_int_equal(stackmap_stack_get_depth(stack), 4);
}

static void a_limit_that_is_not_reached_leaves_nothing_out(void **state)
{
	assert_null(strstr(fixture_text(styled(*state, 0, 4, STACK)), "more frame"));
}

static void control_characters_are_escaped_in_the_text_only(void **state)
{
	struct stackmap_stack *stack;

	stack = styled(*state, 0, 0, "stack_id 42 gen 1 ref 3 depth 1\n => a\033[2Jb+0x1/0x10\n");
	assert_string_equal(fixture_text(stack), " => a\\x1b[2Jb+0x1/0x10");
	assert_string_equal(stackmap_stack_get_frame(stack, 0), "a\033[2Jb+0x1/0x10");
}

static void a_frame_past_the_end_is_a_range_error(void **state)
{
	struct stackmap_stack *stack = styled(*state, 0, 0, STACK);

	assert_null(stackmap_stack_get_frame(stack, 4));
	assert_int_equal(errno, ERANGE);
	assert_null(stackmap_stack_get_frame_name(stack, 4));
}

static void a_pointer_of_the_caller_stays(void **state)
{
	struct stackmap_stack *stack = styled(*state, 0, 0, STACK);

	assert_null(stackmap_stack_get_private(stack));
	stackmap_stack_set_private(stack, *state);
	assert_ptr_equal(stackmap_stack_get_private(stack), *state);
}

static void a_style_of_a_newer_library_is_refused(void **state)
{
	struct stackmap_style style = { .size = sizeof(style) + 8 };
	struct fixture *f = *state;

	assert_int_equal(stackmap_resolver_set_style(f->resolver, &style), -EINVAL);
	style.size = sizeof(style);
	style.flags = 1U << 31;
	assert_int_equal(stackmap_resolver_set_style(f->resolver, &style), -EINVAL);
}

static void a_full_stack_of_every_depth_is_shown(void **state)
{
	static char text[100 * 64];
	struct stackmap_stack *stack;
	size_t i;

	strcpy(text, "stack_id 42 gen 1 ref 3 depth 90\n");
	for (i = 0; i < 90; i++)
		strcat(text, " => fn+0x1/0x10\n");
	stack = styled(*state, 0, 0, text);
	assert_verdict(stack, RESOLVED);
	assert_int_equal(stackmap_stack_get_depth(stack), 90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(every_frame_is_a_line),
		RESOLVE_TEST(one_line_joins_them_innermost_first),
		RESOLVE_TEST(names_only_leaves_out_what_is_behind_the_name),
		RESOLVE_TEST(suffixes_can_be_stripped),
		RESOLVE_TEST(a_limit_says_how_many_it_left_out),
		RESOLVE_TEST(a_limit_that_is_not_reached_leaves_nothing_out),
		RESOLVE_TEST(control_characters_are_escaped_in_the_text_only),
		RESOLVE_TEST(a_frame_past_the_end_is_a_range_error),
		RESOLVE_TEST(a_pointer_of_the_caller_stays),
		RESOLVE_TEST(a_style_of_a_newer_library_is_refused),
		RESOLVE_TEST(a_full_stack_of_every_depth_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
