// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "core/map.h"

/* A record as a line: a frame for each letter of @frames; a '-' is promised and not there. */
struct record {
	uint32_t	generation, slot, ref;
	const char	*frames;
};

static int add_record(struct smap_builder *builder, const struct record *record)
{
	const char *frame;
	int ret;

	ret = smap_builder_begin(builder, record->generation, record->slot, record->ref,
				 (uint32_t)strlen(record->frames));
	for (frame = record->frames; !ret && *frame && *frame != '-'; frame++)
		ret = smap_builder_add_text(builder, frame, 1);
	return ret;
}

static int build_from(const struct record *records, size_t nr, bool has_generation,
		      struct smap_export **ret_export)
{
	struct smap_builder *builder = smap_builder_new(has_generation);
	size_t i;
	int ret = builder ? 0 : -ENOMEM;

	for (i = 0; !ret && i < nr; i++)
		ret = add_record(builder, &records[i]);
	if (ret) {
		smap_builder_free(builder);
		return ret;
	}
	return smap_builder_finish(builder, ret_export);
}

static struct smap_export *build(const struct record *records, size_t nr)
{
	struct smap_export *export = NULL;

	assert_int_equal(build_from(records, nr, true, &export), 0);
	return export;
}

#define BUILD(records)	build(records, sizeof(records) / sizeof(*(records)))

/* The letters again. */
static const char *frames_of(const struct smap_export *export, const struct smap_stack *stack)
{
	static char text[64];
	uint32_t i;

	assert_non_null(stack);
	assert_true(stack->depth < sizeof(text));
	for (i = 0; i < stack->depth; i++) {
		const struct smap_frame *frame = smap_export_frame(export, stack, i);

		assert_int_equal(frame->kind, SMAP_FRAME_TEXT);
		assert_int_equal(frame->len, 1);
		assert_int_equal(strlen(smap_frame_text(export, frame)), 1);
		text[i] = *smap_frame_text(export, frame);
	}
	text[i] = '\0';
	return text;
}

static void a_stack_is_found_by_its_cookie(void **state)
{
	const struct record records[] = {
		{ 1, 5, 10, "abc" }, { 1, 9, 20, "bc" }, { 2, 5, 30, "x" },
	};
	struct smap_export *export = BUILD(records);
	const struct smap_stack *stack;

	stack = smap_export_find(export, smap_cookie(1, 5));
	assert_string_equal(frames_of(export, stack), "abc");
	assert_int_equal(stack->ref, 10);
	assert_int_equal(stack->stated_depth, 3);
	assert_int_equal(stack->flags, 0);
	assert_string_equal(frames_of(export, smap_export_find(export, smap_cookie(1, 9))), "bc");
	assert_string_equal(frames_of(export, smap_export_find(export, smap_cookie(2, 5))), "x");
	smap_export_free(export);
}

static void what_is_not_there_is_not_found(void **state)
{
	const struct record records[] = { { 1, 5, 10, "abc" } };
	struct smap_export *export = BUILD(records);

	assert_null(smap_export_find(export, smap_cookie(1, 6)));
	assert_null(smap_export_find(export, smap_cookie(0, 5)));
	assert_null(smap_export_find(export, UINT64_MAX));
	smap_export_free(export);
}

static void an_export_without_stacks_is_valid(void **state)
{
	struct smap_export *export = build(NULL, 0);

	assert_int_equal(export->nr_stacks, 0);
	assert_int_equal(export->nr_maps, 0);
	assert_null(smap_export_find(export, 0));
	smap_export_free(export);
	smap_export_free(NULL);
	smap_builder_free(NULL);
}

static void an_announced_map_is_there_without_stacks(void **state)
{
	struct smap_builder *builder = smap_builder_new(true);
	struct smap_export *export;

	assert_non_null(builder);
	smap_builder_announce(builder, 7);
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	assert_int_equal(export->nr_maps, 1);
	assert_int_equal(export->maps[0].generation, 7);
	assert_true(export->maps[0].has_generation);
	assert_int_equal(export->maps[0].nr_stacks, 0);
	assert_ptr_equal(export->maps[0].export, export);
	assert_null(smap_map_find(&export->maps[0], 1));
	smap_export_free(export);
}

static void an_announced_map_is_not_there_twice(void **state)
{
	static const struct record record = { 7, 42, 3, "ab" };
	struct smap_builder *builder = smap_builder_new(true);
	struct smap_export *export;

	assert_non_null(builder);
	smap_builder_announce(builder, 7);
	assert_int_equal(add_record(builder, &record), 0);
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	assert_int_equal(export->nr_maps, 1);
	assert_int_equal(export->maps[0].nr_stacks, 1);
	smap_export_free(export);
}

static void equal_frames_are_kept_once(void **state)
{
	const struct record records[] = { { 1, 1, 1, "abab" }, { 1, 2, 1, "bac" } };
	struct smap_export *export = BUILD(records);

	assert_int_equal(export->nr_ids, 7);
	assert_int_equal(export->nr_frames, 3);
	smap_export_free(export);
}

static void generations_are_maps_of_their_own_in_rising_order(void **state)
{
	const struct record records[] = {
		{ 7, 3, 1, "a" }, { 2, 9, 1, "b" }, { 7, 1, 1, "c" }, { 4294967295, 1, 1, "d" },
	};
	struct smap_export *export = BUILD(records);

	assert_int_equal(export->nr_maps, 3);
	assert_int_equal(export->maps[0].generation, 2);
	assert_int_equal(export->maps[1].generation, 7);
	assert_int_equal(export->maps[2].generation, 4294967295);
	assert_int_equal(export->maps[1].nr_stacks, 2);
	assert_true(export->maps[1].has_generation);
	assert_int_equal(export->stacks[export->maps[1].first].slot, 1);
	assert_int_equal(export->stacks[export->maps[1].first + 1].slot, 3);
	assert_string_equal(frames_of(export, smap_map_find(&export->maps[1], 3)), "a");
	assert_null(smap_map_find(&export->maps[0], 3));
	smap_export_free(export);
}

static void records_of_one_stack_are_merged_with_the_largest_ref(void **state)
{
	const struct record records[] = {
		{ 1, 5, 10, "ab" }, { 1, 6, 1, "c" }, { 1, 5, 2147483647, "ab" }, { 1, 5, 7, "ab" },
	};
	struct smap_export *export = BUILD(records);
	const struct smap_stack *stack = smap_export_find(export, smap_cookie(1, 5));

	assert_int_equal(export->nr_stacks, 2);
	assert_int_equal(export->nr_repeated, 2);
	assert_int_equal(export->nr_conflicts, 0);
	assert_int_equal(stack->ref, 2147483647);
	assert_int_equal(stack->flags, 0);
	smap_export_free(export);
}

static void the_same_slot_in_another_generation_is_no_repeat(void **state)
{
	const struct record records[] = { { 1, 5, 10, "ab" }, { 2, 5, 20, "ab" } };
	struct smap_export *export = BUILD(records);

	assert_int_equal(export->nr_repeated, 0);
	assert_int_equal(export->nr_stacks, 2);
	smap_export_free(export);
}

static void two_stacks_of_one_cookie_both_stay_as_a_conflict(void **state)
{
	const struct record records[] = {
		{ 1, 5, 10, "ab" }, { 1, 6, 1, "x" }, { 1, 5, 20, "ac" }, { 1, 5, 30, "ab" },
	};
	struct smap_export *export = BUILD(records);
	const struct smap_stack *stack = smap_export_find(export, smap_cookie(1, 5));

	assert_int_equal(export->nr_conflicts, 1);
	assert_int_equal(export->nr_stacks, 3);
	assert_ptr_equal(stack, &export->stacks[0]);
	assert_string_equal(frames_of(export, &export->stacks[0]), "ab");
	assert_string_equal(frames_of(export, &export->stacks[1]), "ac");
	assert_int_equal(export->stacks[0].flags, SMAP_STACK_CONFLICT);
	assert_int_equal(export->stacks[1].flags, SMAP_STACK_CONFLICT);
	assert_int_equal(export->stacks[0].ref, 30);
	assert_int_equal(export->stacks[2].flags, 0);
	smap_export_free(export);
}

static void a_stack_that_is_the_beginning_of_another_is_another(void **state)
{
	const struct record records[] = { { 1, 5, 1, "ab" }, { 1, 5, 1, "abc" } };
	struct smap_export *export = BUILD(records);

	assert_int_equal(export->nr_conflicts, 1);
	smap_export_free(export);
}

static void a_record_that_lacks_frames_is_damaged(void **state)
{
	const struct record records[] = { { 1, 5, 10, "ab-" }, { 1, 6, 10, "ab" } };
	struct smap_export *export = BUILD(records);
	const struct smap_stack *stack = smap_export_find(export, smap_cookie(1, 5));

	assert_int_equal(export->nr_damaged, 1);
	assert_int_equal(stack->flags, SMAP_STACK_DAMAGED);
	assert_int_equal(stack->depth, 2);
	assert_int_equal(stack->stated_depth, 3);
	smap_export_free(export);
}

static void a_record_can_be_marked_damaged_though_its_depth_fits(void **state)
{
	const struct record record = { 1, 5, 10, "ab" };
	struct smap_builder *builder = smap_builder_new(true);
	struct smap_export *export;

	assert_int_equal(add_record(builder, &record), 0);
	assert_int_equal(smap_builder_depth(builder), 2);
	smap_builder_mark_damaged(builder);
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	assert_int_equal(export->nr_damaged, 1);
	smap_export_free(export);
}

static void a_whole_record_beats_a_damaged_one_in_either_order(void **state)
{
	const struct record records[] = {
		{ 1, 5, 10, "ab-" }, { 1, 5, 3, "abc" },
		{ 1, 6, 3, "xyz" }, { 1, 6, 10, "xy-" },
	};
	struct smap_export *export = BUILD(records);

	assert_int_equal(export->nr_stacks, 2);
	assert_int_equal(export->nr_damaged, 0);
	assert_int_equal(export->nr_conflicts, 0);
	assert_string_equal(frames_of(export, &export->stacks[0]), "abc");
	assert_string_equal(frames_of(export, &export->stacks[1]), "xyz");
	/* The header of the damaged one was whole. */
	assert_int_equal(export->stacks[0].ref, 10);
	assert_int_equal(export->stacks[1].ref, 10);
	smap_export_free(export);
}

static void addresses_texts_and_the_trampoline_are_different_frames(void **state)
{
	struct smap_builder *builder = smap_builder_new(false);
	uint64_t address = 0x6161616161616161ULL;
	struct smap_export *export;
	const struct smap_stack *stack;
	int i;

	assert_int_equal(smap_builder_begin(builder, 0, 1, 1, 6), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(smap_builder_add_address(builder, address), 0);
		assert_int_equal(smap_builder_add_text(builder, "aaaaaaaa", 8), 0);
		assert_int_equal(smap_builder_add_trampoline(builder), 0);
	}
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	assert_int_equal(export->nr_frames, 3);
	stack = smap_export_find(export, 1);
	assert_int_equal(smap_export_frame(export, stack, 0)->kind, SMAP_FRAME_ADDRESS);
	assert_true(smap_export_frame(export, stack, 0)->value == address);
	assert_int_equal(smap_export_frame(export, stack, 1)->kind, SMAP_FRAME_TEXT);
	assert_int_equal(smap_export_frame(export, stack, 5)->kind, SMAP_FRAME_TRAMPOLINE);
	assert_false(export->maps[0].has_generation);
	smap_export_free(export);
}

/* Each begins as the one before and goes on otherwise: predictions come true half way. */
static void a_run_of_addresses_is_what_each_of_them_is(void **state)
{
	enum { NR = 50, DEPTH = 200 };
	struct smap_builder *builder = smap_builder_new(true);
	uint64_t addresses[DEPTH];
	struct smap_export *export;
	const struct smap_stack *stack;
	uint32_t i, at;

	for (i = 0; i < NR; i++) {
		for (at = 0; at < DEPTH; at++)
			addresses[at] = at < i * 4 ? at : 1000 * i + at % 7;
		assert_int_equal(smap_builder_begin(builder, 1, i, 1, DEPTH), 0);
		assert_int_equal(smap_builder_add_addresses(builder, addresses, i), 0);
		assert_int_equal(smap_builder_add_addresses(builder, addresses + i, DEPTH - i), 0);
	}
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	for (i = 0; i < NR; i++) {
		stack = smap_export_find(export, smap_cookie(1, i));
		assert_non_null(stack);
		assert_int_equal(stack->depth, DEPTH);
		for (at = 0; at < DEPTH; at++)
			assert_true(smap_export_frame(export, stack, at)->value ==
				    (at < i * 4 ? at : 1000 * i + at % 7));
	}
	smap_export_free(export);
}

static void a_frame_is_kept_to_its_last_byte(void **state)
{
	struct smap_builder *builder = smap_builder_new(true);
	size_t len = 100000;
	char *text = malloc(len);
	struct smap_export *export;
	const struct smap_frame *frame;

	memset(text, 'n', len);
	assert_int_equal(smap_builder_begin(builder, 1, 1, 1, 1), 0);
	assert_int_equal(smap_builder_add_text(builder, text, len), 0);
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	frame = smap_export_frame(export, &export->stacks[0], 0);
	assert_int_equal(frame->len, len);
	assert_memory_equal(smap_frame_text(export, frame), text, len);
	assert_int_equal(smap_frame_text(export, frame)[len], '\0');
	smap_export_free(export);
	free(text);
}

static void many_stacks_in_any_order_are_all_found(void **state)
{
	enum { NR = 20000 };
	struct smap_builder *builder = smap_builder_new(true);
	struct smap_export *export;
	const struct smap_stack *stack;
	uint32_t i, slot, address;

	/* 7919 and NR have no common factor: every slot once, far from sorted. */
	for (i = 0; i < NR; i++) {
		slot = i * 7919 % NR;
		assert_int_equal(smap_builder_begin(builder, slot % 3, slot, i, 1), 0);
		assert_int_equal(smap_builder_add_address(builder, slot), 0);
	}
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	assert_int_equal(export->nr_stacks, NR);
	assert_int_equal(export->nr_maps, 3);
	for (slot = 0; slot < NR; slot++) {
		stack = smap_export_find(export, smap_cookie(slot % 3, slot));
		assert_non_null(stack);
		address = (uint32_t)smap_export_frame(export, stack, 0)->value;
		assert_int_equal(address, slot);
	}
	smap_export_free(export);
}

/* A cookie with as many stacks as there are records must not be compared with each of them. */
static void endless_conflicts_keep_a_few_stacks(void **state)
{
	struct smap_builder *builder = smap_builder_new(true);
	struct smap_export *export;
	uint32_t i;

	for (i = 0; i < 100000; i++) {
		assert_int_equal(smap_builder_begin(builder, 1, 1, 1, 1), 0);
		assert_int_equal(smap_builder_add_address(builder, i), 0);
	}
	assert_int_equal(smap_builder_finish(builder, &export), 0);
	assert_int_equal(export->nr_conflicts, 1);
	assert_true(export->nr_stacks < 100);
	smap_export_free(export);
}

static int build_and_free(void *data)
{
	static const struct record records[] = {
		{ 2, 5, 10, "abcdefghijklmnop" }, { 1, 6, 1, "qrstuvwxyz" }, { 1, 6, 2, "abc" },
		{ 3, 5, 10, "ABCDEFGHIJKL" }, { 4, 1, 1, "m" }, { 5, 1, 1, "n" }, { 6, 1, 1, "o" },
		{ 7, 1, 1, "p" }, { 8, 1, 1, "q" }, { 9, 1, 1, "r" }, { 10, 1, 1, "s" },
	};
	struct smap_export *export = NULL;
	int ret;

	ret = build_from(records, sizeof(records) / sizeof(*records), true, &export);
	if (!ret)
		smap_export_free(export);
	else
		assert_null(export);
	return ret;
}

static void every_failing_allocation_gives_enomem_and_leaks_nothing(void **state)
{
	assert_true(alloc_fail_each(build_and_free, NULL) > 10);
}

static void a_lookup_allocates_nothing(void **state)
{
	const struct record records[] = { { 1, 5, 10, "abc" } };
	struct smap_export *export = BUILD(records);

	alloc_fail_at(1, true);
	assert_non_null(smap_export_find(export, smap_cookie(1, 5)));
	assert_null(smap_export_find(export, smap_cookie(1, 7)));
	assert_int_equal(alloc_fail_stop(), 0);
	smap_export_free(export);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_found_by_its_cookie),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(an_export_without_stacks_is_valid),
		cmocka_unit_test(an_announced_map_is_there_without_stacks),
		cmocka_unit_test(an_announced_map_is_not_there_twice),
		cmocka_unit_test(equal_frames_are_kept_once),
		cmocka_unit_test(generations_are_maps_of_their_own_in_rising_order),
		cmocka_unit_test(records_of_one_stack_are_merged_with_the_largest_ref),
		cmocka_unit_test(the_same_slot_in_another_generation_is_no_repeat),
		cmocka_unit_test(two_stacks_of_one_cookie_both_stay_as_a_conflict),
		cmocka_unit_test(a_stack_that_is_the_beginning_of_another_is_another),
		cmocka_unit_test(a_record_that_lacks_frames_is_damaged),
		cmocka_unit_test(a_record_can_be_marked_damaged_though_its_depth_fits),
		cmocka_unit_test(a_whole_record_beats_a_damaged_one_in_either_order),
		cmocka_unit_test(addresses_texts_and_the_trampoline_are_different_frames),
		cmocka_unit_test(a_run_of_addresses_is_what_each_of_them_is),
		cmocka_unit_test(a_frame_is_kept_to_its_last_byte),
		cmocka_unit_test(many_stacks_in_any_order_are_all_found),
		cmocka_unit_test(endless_conflicts_keep_a_few_stacks),
		cmocka_unit_test(every_failing_allocation_gives_enomem_and_leaks_nothing),
		cmocka_unit_test(a_lookup_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
