// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>

#include "fixture.h"

#define TWO_GENERATIONS									\
	"stack_id 42 gen 1 ref 3 depth 1\n => one+0x1/0x10\n"				\
	"stack_id 42 gen 1 ref 3 depth 1\n => other+0x1/0x10\n"				\
	"stack_id 43 gen 1 ref 5 depth 2\n => one+0x1/0x10\n"				\
	"stack_id 7 gen 2 ref 1 depth 1\n => two+0x1/0x10\n"

static struct stackmap_map *map(struct fixture *f, size_t nr)
{
	struct stackmap_map *map = stackmap_resolver_get_map(f->resolver, nr);

	assert_non_null(map);
	return map;
}

static void every_generation_of_a_file_is_a_map(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, TWO_GENERATIONS);
	assert_int_equal(stackmap_resolver_nr_maps(f->resolver), 2);
	assert_int_equal(stackmap_map_get_generation(map(f, 0)), 1);
	assert_int_equal(stackmap_map_get_generation(map(f, 1)), 2);
	assert_true(stackmap_map_has_generation(map(f, 0)));
	assert_int_equal(stackmap_map_nr_stacks(map(f, 0)), 3);
	assert_int_equal(stackmap_map_nr_stacks(map(f, 1)), 1);
	assert_string_equal(stackmap_map_get_path(map(f, 1)), f->path);
	assert_true(stackmap_save_is_raw(stackmap_map_get_save(map(f, 0))));
}

static void stacks_are_shown_as_they_stand_with_their_verdict(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, TWO_GENERATIONS);
	assert_verdict(stackmap_map_get_stack(map(f, 0), 0), CONFLICT);
	assert_string_equal(fixture_text(stackmap_map_get_stack(map(f, 0), 0)), " => one+0x1/0x10");
	assert_string_equal(fixture_text(stackmap_map_get_stack(map(f, 0), 1)),
			    " => other+0x1/0x10");
	assert_verdict(stackmap_map_get_stack(map(f, 0), 2), DAMAGED);
	assert_int_equal(stackmap_stack_get_ref(stackmap_map_get_stack(map(f, 0), 2)), 5);
	assert_verdict(stackmap_map_get_stack(map(f, 1), 0), RESOLVED);
}

static void the_same_stack_is_the_same_object(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, TWO_GENERATIONS);
	assert_ptr_equal(stackmap_map_get_stack(map(f, 0), 2),
			 stackmap_map_get_stack(map(f, 0), 2));
}

static void past_the_end_is_a_range_error(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, TWO_GENERATIONS);
	assert_null(stackmap_resolver_get_map(f->resolver, 2));
	assert_int_equal(errno, ERANGE);
	errno = 0;
	assert_null(stackmap_map_get_stack(map(f, 0), 3));
	assert_int_equal(errno, ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(every_generation_of_a_file_is_a_map),
		RESOLVE_TEST(stacks_are_shown_as_they_stand_with_their_verdict),
		RESOLVE_TEST(the_same_stack_is_the_same_object),
		RESOLVE_TEST(past_the_end_is_a_range_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
