// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alloc-fail.h"
#include "bin2.h"
#include "fixture.h"

#define REC(slot, name) "stack_id " #slot " gen 1 ref 1 depth 1\n => " name "+0x1/0x10\n"
#define GEN1_42	"stack_id 42 gen 1 ref 3 depth 2\n => one+0x1/0x10\n => two+0x2/0x20\n"
#define GEN1_42_OTHER "stack_id 42 gen 1 ref 3 depth 1\n => other+0x1/0x10\n"
#define GEN1_42_BARE "stack_id 42 gen 1 ref 3 depth 2\n => 0xffffffff81000001\n => two+0x2/0x20\n"
#define GEN1_43	"stack_id 43 gen 1 ref 1 depth 1\n => three+0x3/0x30 [mod]\n"
#define GEN2_42	"stack_id 42 gen 2 ref 1 depth 1\n => three+0x3/0x30 [mod]\n"
#define BARE_42	"stack_id 42 [ref 3, depth 1]\n  [0] one+0x1/0x10\n\n"
#define BARE_42_OTHER "stack_id 42 [ref 3, depth 1]\n  [0] other+0x1/0x10\n\n"
#define BARE_43	"stack_id 43 [ref 3, depth 1]\n  [0] two+0x1/0x10\n\n"

static struct stackmap_stack *find(struct fixture *f, uint32_t generation, uint32_t slot)
{
	struct stackmap_stack *stack;

	stack = stackmap_resolver_find(f->resolver, smap_cookie(generation, slot),
				       STACKMAP_TS_UNKNOWN);
	assert_non_null(stack);
	return stack;
}

static struct stackmap_stack *find_slot(struct fixture *f, uint32_t slot, uint64_t ts_ns)
{
	struct stackmap_stack *stack = stackmap_resolver_find_slot(f->resolver, slot, ts_ns);

	assert_non_null(stack);
	return stack;
}

static void expect(struct fixture *f, uint32_t slot)
{
	assert_int_equal(stackmap_resolver_expect_slot(f->resolver, slot), 0);
}

/* ---- with a generation ---- */

static void a_cookie_resolves_from_a_map_of_its_generation(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_text(*state, GEN1_42 GEN1_43);
	stack = find(*state, 1, 42);
	assert_verdict(stack, RESOLVED);
	assert_string_equal(stackmap_stack_get_reason(stack), "");
	assert_string_equal(fixture_text(stack), " => one+0x1/0x10\n => two+0x2/0x20");
	assert_int_equal(stackmap_stack_get_ref(stack), 3);
	assert_int_equal(stackmap_stack_get_slot(stack), 42);
	assert_int_equal(stackmap_stack_get_generation(stack), 1);
	assert_true(stackmap_stack_has_generation(stack));
}

static void the_same_stack_with_names_is_preferred(void **state)
{
	const char *const texts[] = { GEN1_42, GEN1_42_BARE, GEN1_42 };
	struct stackmap_stack *stack;
	size_t i;

	for (i = 0; i < 3; i++)
		fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, texts[i]);
	stack = find(*state, 1, 42);
	assert_verdict(stack, RESOLVED);
	assert_string_equal(fixture_text(stack), " => one+0x1/0x10\n => two+0x2/0x20");
}

static void names_are_preferred_where_they_come_later(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42_BARE);
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42);
	stack = find(*state, 1, 42);
	assert_verdict(stack, RESOLVED);
	assert_string_equal(fixture_text(stack), " => one+0x1/0x10\n => two+0x2/0x20");
}

static void a_bare_address_of_another_boot_is_another_stack(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42_BARE);
	fixture_add_saved(*state, BOOT_B, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42);
	assert_verdict(find(*state, 1, 42), AMBIGUOUS);
}

static void the_same_cookie_has_the_same_answer(void **state)
{
	fixture_add_text(*state, GEN1_42);
	assert_ptr_equal(find(*state, 1, 42), find(*state, 1, 42));
	assert_ptr_equal(find(*state, 9, 42), find(*state, 9, 42));
	assert_ptr_not_equal(find(*state, 1, 42), find(*state, 9, 42));
}

static void without_any_map_there_is_no_map(void **state)
{
	struct stackmap_stack *stack = find(*state, 1, 42);

	assert_verdict(stack, NO_MAP);
	assert_string_equal(fixture_text(stack), "");
	assert_int_equal(stackmap_stack_get_depth(stack), 0);
	assert_verdict(find_slot(*state, 42, 0), NO_MAP);
}

static void another_generation_is_not_saved(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_text(*state, GEN1_42);
	stack = find(*state, 2, 42);
	assert_verdict(stack, GENERATION_NOT_SAVED);
	assert_string_equal(stackmap_stack_get_reason(stack), "generation 2 not saved");
}

static void a_slot_that_the_map_lacks_is_not_saved(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_text(*state, GEN1_42);
	stack = find(*state, 1, 41);
	assert_verdict(stack, SLOT_NOT_SAVED);
	assert_string_equal(stackmap_stack_get_reason(stack),
			    "not in the saved map of generation 1");
}

static void two_generations_in_one_file_are_kept_apart(void **state)
{
	fixture_add_text(*state, GEN1_42 GEN2_42);
	assert_string_equal(fixture_text(find(*state, 1, 42)),
			    " => one+0x1/0x10\n => two+0x2/0x20");
	assert_string_equal(fixture_text(find(*state, 2, 42)), " => three+0x3/0x30 [mod]");
}

static void generation_0_is_a_generation_like_others(void **state)
{
	fixture_add_text(*state, "stack_id 42 gen 0 ref 1 depth 1\n => one+0x1/0x10\n");
	assert_verdict(find(*state, 0, 42), RESOLVED);
	assert_verdict(find(*state, 4294967295U, 42), GENERATION_NOT_SAVED);
}

/* ---- a binary export that has its generation ---- */

static void add_bin2(struct fixture *f, uint32_t generation, uint32_t nr_stacks)
{
	const struct bin2 bin = {
		.generation = generation, .nr_stacks = nr_stacks,
		.addresses = { 0xffffffff81000048, 0xffffffff81000050 },
	};

	fixture_file(f, "");
	assert_int_equal(bin2_write(&bin, f->path), 0);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
}

static void a_binary_export_resolves_cookies_of_its_generation_only(void **state)
{
	struct stackmap_stack *stack;

	add_bin2(*state, 1804289383, 2);
	stack = find(*state, 1804289383, 42);
	assert_verdict(stack, RESOLVED);
	assert_string_equal(fixture_text(stack), " => 0xffffffff81000048");
	stack = find(*state, 1804289383, 44);
	assert_verdict(stack, SLOT_NOT_SAVED);
	stack = find(*state, 1804289384, 42);
	assert_verdict(stack, GENERATION_NOT_SAVED);
	stack = find(*state, 0, 42);
	assert_verdict(stack, GENERATION_NOT_SAVED);
}

/* Slots are used again in each generation: nothing says that it was this one. */
static void a_cookie_without_generation_is_not_resolved_by_it(void **state)
{
	add_bin2(*state, 1804289383, 2);
	assert_verdict(find_slot(*state, 42, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
}

static void a_map_saved_empty_has_its_generation(void **state)
{
	struct stackmap_stack *stack;

	add_bin2(*state, 7, 0);
	stack = find(*state, 7, 42);
	assert_verdict(stack, SLOT_NOT_SAVED);
	assert_string_equal(stackmap_stack_get_reason(stack),
			    "not in the saved map of generation 7");
}

static void a_copy_made_before_the_first_stack_takes_nothing_away(void **state)
{
	add_bin2(*state, 7, 0);
	add_bin2(*state, 7, 2);
	add_bin2(*state, 7, 0);
	assert_verdict(find(*state, 7, 42), RESOLVED);
	assert_verdict(find(*state, 7, 44), SLOT_NOT_SAVED);
}

static void two_stacks_for_one_cookie_are_a_conflict(void **state)
{
	fixture_add_text(*state, GEN1_42 GEN1_42_OTHER GEN1_43);
	assert_verdict(find(*state, 1, 42), CONFLICT);
	assert_string_equal(fixture_text(find(*state, 1, 42)), "");
	assert_verdict(find(*state, 1, 43), RESOLVED);
}

static void a_record_with_another_depth_than_stated_is_damaged(void **state)
{
	fixture_add_text(*state, "stack_id 42 gen 1 ref 3 depth 3\n => one+0x1/0x10\n" GEN1_43);
	assert_verdict(find(*state, 1, 42), DAMAGED);
	assert_verdict(find(*state, 1, 43), RESOLVED);
}

/* ---- copies and boots ---- */

static void copies_of_one_boot_complete_each_other(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42);
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_43);
	assert_verdict(find(*state, 1, 42), RESOLVED);
	assert_verdict(find(*state, 1, 43), RESOLVED);
	assert_verdict(find(*state, 1, 44), SLOT_NOT_SAVED);
}

static void copies_of_one_boot_that_differ_are_a_conflict(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42);
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42_OTHER GEN1_43);
	assert_verdict(find(*state, 1, 42), CONFLICT);
	assert_verdict(find(*state, 1, 43), RESOLVED);
}

static void a_whole_copy_stands_in_for_a_damaged_one(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN,
			  "stack_id 42 gen 1 ref 3 depth 2\n => one+0x1/0x10\n");
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42);
	assert_verdict(find(*state, 1, 42), RESOLVED);
}

static void a_later_copy_counts_more_uses(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_43);
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN,
			  "stack_id 43 gen 1 ref 2147483647 depth 1\n => three+0x3/0x30 [mod]\n");
	assert_int_equal(stackmap_stack_get_ref(find(*state, 1, 43)), 2147483647);
}

static void two_boots_resolve_only_where_they_agree(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42 GEN1_43);
	fixture_add_saved(*state, BOOT_B, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42_OTHER GEN1_43);
	stack = find(*state, 1, 42);
	assert_verdict(stack, AMBIGUOUS);
	assert_string_equal(stackmap_stack_get_reason(stack),
			    "generation 1 is saved from more than one boot");
	assert_verdict(find(*state, 1, 43), RESOLVED);
	assert_verdict(find(*state, 1, 44), SLOT_NOT_SAVED);
}

static void what_one_of_two_boots_lacks_is_ambiguous(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42 GEN1_43);
	fixture_add_saved(*state, BOOT_B, NULL, STACKMAP_TIME_UNKNOWN, GEN1_43);
	assert_verdict(find(*state, 1, 42), AMBIGUOUS);
}

static void unknown_boots_that_agree_are_copies(void **state)
{
	fixture_add_text(*state, GEN1_42);
	fixture_add_text(*state, GEN1_42 GEN1_43);
	assert_verdict(find(*state, 1, 43), RESOLVED);
}

static void unknown_boots_are_no_copies_where_each_has_more_than_the_other(void **state)
{
	fixture_add_text(*state, GEN1_42 REC(1, "one"));
	fixture_add_text(*state, GEN1_42 REC(2, "two"));
	assert_verdict(find(*state, 1, 42), RESOLVED);
	assert_verdict(find(*state, 1, 1), AMBIGUOUS);
	assert_verdict(find(*state, 1, 2), AMBIGUOUS);
}

static void unknown_boots_are_no_copies_where_the_fuller_one_counts_less(void **state)
{
	fixture_add_text(*state, "stack_id 1 gen 1 ref 2 depth 1\n => one+0x1/0x10\n");
	fixture_add_text(*state, REC(1, "one") REC(2, "two"));
	assert_verdict(find(*state, 1, 1), RESOLVED);
	assert_verdict(find(*state, 1, 2), AMBIGUOUS);
}

static void unknown_boots_that_share_no_slot_are_apart(void **state)
{
	fixture_add_text(*state, GEN1_42);
	fixture_add_text(*state, GEN1_43);
	assert_verdict(find(*state, 1, 42), AMBIGUOUS);
	assert_verdict(find(*state, 1, 43), AMBIGUOUS);
}

static void unknown_boots_that_differ_anywhere_are_apart(void **state)
{
	fixture_add_text(*state, GEN1_42);
	fixture_add_text(*state, GEN1_42_OTHER GEN1_43);
	assert_verdict(find(*state, 1, 43), AMBIGUOUS);
}


/* One map of an unknown boot fits two boots: whichever is given first, it joins neither. */
static void the_order_of_the_files_does_not_matter(void **state)
{
	static const char *const texts[] = {
		REC(1, "common"),
		REC(1, "common") REC(2, "only_in_a"),
		REC(1, "common") REC(3, "only_in_b"),
	};
	static const char *const boots[] = { NULL, BOOT_A, BOOT_B };
	static const unsigned int orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	struct fixture *f = *state;
	size_t i, k;

	for (i = 0; i < 6; i++) {
		stackmap_resolver_free(f->resolver);
		f->resolver = stackmap_resolver_new();
		assert_non_null(f->resolver);
		for (k = 0; k < 3; k++)
			fixture_add_saved(f, boots[orders[i][k]], NULL, STACKMAP_TIME_UNKNOWN,
					  texts[orders[i][k]]);
		assert_verdict(find(f, 1, 2), AMBIGUOUS);
		assert_verdict(find(f, 1, 3), AMBIGUOUS);
		assert_verdict(find(f, 1, 1), RESOLVED);
	}
}

static void one_map_can_show_that_two_others_are_copies(void **state)
{
	fixture_add_text(*state, REC(1, "one"));
	fixture_add_text(*state, REC(2, "two"));
	fixture_add_text(*state, REC(1, "one") REC(2, "two") REC(3, "three"));
	assert_verdict(find(*state, 1, 1), RESOLVED);
	assert_verdict(find(*state, 1, 3), RESOLVED);
}

static void but_not_where_these_two_differ(void **state)
{
	fixture_add_text(*state, REC(1, "one") REC(4, "this"));
	fixture_add_text(*state, REC(2, "two") REC(4, "that"));
	fixture_add_text(*state, REC(1, "one") REC(2, "two"));
	assert_verdict(find(*state, 1, 1), AMBIGUOUS);
	assert_verdict(find(*state, 1, 2), AMBIGUOUS);
}

static void more_maps_than_can_be_told_apart_resolve_nothing(void **state)
{
	char text[128];
	int i;

	for (i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "stack_id 1 gen 1 ref 1 depth 1\n => f%d+0x1/0x10\n",
			 i == 39);
		fixture_add_text(*state, text);
	}
	assert_verdict(find(*state, 1, 1), AMBIGUOUS);
}

/* ---- without a generation ---- */

static void one_map_is_believed_if_it_has_every_slot_of_the_trace(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_text(*state, BARE_42 BARE_43);
	expect(*state, 43);
	expect(*state, 42);
	expect(*state, 43);
	stack = find_slot(*state, 42, STACKMAP_TS_UNKNOWN);
	assert_verdict(stack, RESOLVED);
	assert_false(stackmap_stack_has_generation(stack));
	assert_string_equal(fixture_text(stack), " => one+0x1/0x10");
}

static void one_map_that_lacks_a_slot_of_the_trace_resolves_nothing(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_text(*state, BARE_42 BARE_43);
	expect(*state, 42);
	expect(*state, 44);
	stack = find_slot(*state, 42, STACKMAP_TS_UNKNOWN);
	assert_verdict(stack, AMBIGUOUS);
	assert_string_equal(stackmap_stack_get_reason(stack),
			    "no generation in the trace, and the only saved map lacks 1 of its cookies");
}

static void one_map_is_not_believed_where_the_trace_is_unknown(void **state)
{
	struct stackmap_stack *stack;

	fixture_add_text(*state, BARE_42);
	stack = find_slot(*state, 42, STACKMAP_TS_UNKNOWN);
	assert_verdict(stack, AMBIGUOUS);
	assert_non_null(strstr(stackmap_stack_get_reason(stack), "--generation"));
}

static void two_maps_resolve_only_where_they_agree(void **state)
{
	fixture_add_text(*state, BARE_42 BARE_43);
	fixture_add_text(*state, BARE_42_OTHER BARE_43);
	assert_verdict(find_slot(*state, 42, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
	assert_verdict(find_slot(*state, 43, STACKMAP_TS_UNKNOWN), RESOLVED);
}

static void a_slot_that_one_of_two_maps_lacks_is_ambiguous(void **state)
{
	fixture_add_text(*state, BARE_42 BARE_43);
	fixture_add_text(*state, BARE_43);
	assert_verdict(find_slot(*state, 42, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
	assert_verdict(find_slot(*state, 43, STACKMAP_TS_UNKNOWN), RESOLVED);
}

static void the_same_map_twice_is_one_map(void **state)
{
	fixture_add_text(*state, BARE_42);
	fixture_add_text(*state, BARE_42);
	expect(*state, 42);
	expect(*state, 43);
	assert_verdict(find_slot(*state, 42, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
}

static void every_one_of_many_maps_is_asked(void **state)
{
	char text[128];
	int i;

	for (i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "stack_id 1 [ref 1, depth 1]\n  [0] f%d+0x1/0x10\n\n"
			 "stack_id %d [ref 1, depth 1]\n  [0] g+0x1/0x10\n\n", i == 99, i + 2);
		fixture_add_text(*state, text);
	}
	assert_verdict(find_slot(*state, 1, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
}

/* Flip a bit in the middle of the file. */
static void damage(const char *path, long from_end)
{
	FILE *file = fopen(path, "r+");
	int c;

	assert_non_null(file);
	assert_int_equal(fseek(file, -from_end, SEEK_END), 0);
	c = fgetc(file);
	assert_int_equal(fseek(file, -from_end, SEEK_END), 0);
	assert_int_equal(fputc(c ^ 1, file), c ^ 1);
	assert_int_equal(fclose(file), 0);
}

/* Both maps in one file, the second one damaged. */
static void add_half_lost(struct fixture *f, const char *first, const char *second)
{
	char path[128];

	fixture_add_saved(f, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, first);
	stackmap_resolver_free(f->resolver);
	f->resolver = stackmap_resolver_new();
	strcpy(path, f->path);
	fixture_append_saved(path, BOOT_A, second);
	damage(path, 100);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, path), 0);
}

static void a_map_that_is_lost_could_have_been_meant(void **state)
{
	add_half_lost(*state, BARE_42 BARE_43, BARE_42_OTHER BARE_43);
	expect(*state, 42);
	assert_verdict(find_slot(*state, 42, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
}

static void unless_the_user_chooses_one_that_is_there(void **state)
{
	struct fixture *f = *state;

	add_half_lost(f, BARE_42 BARE_43, BARE_42_OTHER BARE_43);
	assert_int_equal(stackmap_resolver_set_generation(f->resolver, 1), 0);
	assert_verdict(find_slot(f, 42, STACKMAP_TS_UNKNOWN), RESOLVED);
}

static void with_a_generation_the_rest_is_served(void **state)
{
	add_half_lost(*state, GEN1_42, GEN2_42);
	assert_verdict(find(*state, 1, 42), RESOLVED);
	assert_verdict(find(*state, 2, 42), GENERATION_NOT_SAVED);
}

static void maps_of_one_boot_are_still_apart(void **state)
{
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, BARE_42);
	fixture_add_saved(*state, BOOT_A, NULL, STACKMAP_TIME_UNKNOWN, BARE_42 BARE_43);
	assert_verdict(find_slot(*state, 43, STACKMAP_TS_UNKNOWN), AMBIGUOUS);
}

static void a_user_chooses_the_map_by_its_number(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, BARE_42);
	fixture_add_text(f, BARE_42_OTHER);
	assert_int_equal(stackmap_resolver_set_generation(f->resolver, 2), 0);
	assert_string_equal(fixture_text(find_slot(f, 42, STACKMAP_TS_UNKNOWN)),
			    " => other+0x1/0x10");
	assert_verdict(find_slot(f, 43, STACKMAP_TS_UNKNOWN), SLOT_NOT_SAVED);
}

static void a_map_that_is_not_there_cannot_be_chosen(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, BARE_42);
	assert_int_equal(stackmap_resolver_set_generation(f->resolver, 2), 0);
	assert_verdict(find_slot(f, 42, STACKMAP_TS_UNKNOWN), GENERATION_NOT_SAVED);
}

/* ---- with the trace ---- */

static void set_trace(struct fixture *f, const char *name)
{
	if (stackmap_resolver_set_trace(f->resolver, fixture_data(name)))
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

static void add_data(struct fixture *f, const char *name)
{
	if (stackmap_resolver_add_file(f->resolver, fixture_data(name)))
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

static void the_trace_is_read_ahead_for_its_slots(void **state)
{
	add_data(*state, "good/v7/sched.stack_map");
	set_trace(*state, "good/v7/sched.dat");
	assert_verdict(find_slot(*state, 33, STACKMAP_TS_UNKNOWN), RESOLVED);
}

static void one_of_two_generations_of_a_trace_is_not_believed(void **state)
{
	struct stackmap_stack *stack;

	add_data(*state, "good/v7/gens.1.stack_map");
	set_trace(*state, "good/v7/gens.dat");
	stack = find_slot(*state, 33, STACKMAP_TS_UNKNOWN);
	assert_verdict(stack, AMBIGUOUS);
}

static void a_binary_copy_agrees_with_the_text(void **state)
{
	add_data(*state, "good/v7/sched.stack_map");
	add_data(*state, "good/v7/sched.stack_map_bin");
	set_trace(*state, "good/v7/sched.dat");
	assert_verdict(find_slot(*state, 33, STACKMAP_TS_UNKNOWN), RESOLVED);
}

static void a_map_saved_before_an_event_does_not_explain_it(void **state)
{
	struct stackmap_stack *stack;
	struct fixture *f = *state;

	fixture_add_saved(f, BOOT_A, NULL, 5000000000ULL, BARE_42);
	set_trace(f, "good/v7/func.dat");
	assert_int_equal(stackmap_resolver_set_generation(f->resolver, 1), 0);
	stack = find_slot(f, 42, 9000000000ULL);
	assert_verdict(stack, CONTRADICTED);
	assert_non_null(strstr(stackmap_stack_get_reason(stack), "before the event"));
}

/* ---- rules of the object ---- */

static void nothing_can_be_added_once_a_stack_was_asked_for(void **state)
{
	struct fixture *f = *state;

	fixture_add_text(f, GEN1_42);
	find(f, 1, 42);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), -EBUSY);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(stackmap_resolver_set_generation(f->resolver, 1), -EBUSY);
	assert_int_equal(stackmap_resolver_expect_slot(f->resolver, 1), -EBUSY);
	assert_int_equal(stackmap_resolver_add_maps_of(f->resolver, f->path), -EBUSY);
	assert_string_not_equal(stackmap_resolver_get_error(f->resolver), "");
}

static void a_list_of_files_is_taken_apart_at_colons(void **state)
{
	struct fixture *f = *state;
	char list[300], first[128];

	strcpy(first, fixture_file(f, GEN1_42));
	fixture_file(f, GEN2_42);
	snprintf(list, sizeof(list), "%s:%s", first, f->path);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, list), 0);
	assert_int_equal(stackmap_resolver_nr_maps(f->resolver), 2);
	assert_verdict(find(f, 2, 42), RESOLVED);
}

static void the_map_lies_beside_the_name_or_what_it_links_to(void **state)
{
	struct fixture *f = *state;
	char link[128], map[128], trace[128];

	strcpy(trace, fixture_file(f, ""));
	snprintf(map, sizeof(map), "%s.stackmap", trace);
	snprintf(link, sizeof(link), "%s/link", f->folder);
	assert_int_equal(symlink(trace, link), 0);
	assert_int_equal(stackmap_resolver_add_maps_of(f->resolver, link), 0);
	assert_int_equal(rename(fixture_file(f, GEN1_42), map), 0);
	assert_int_equal(stackmap_resolver_add_maps_of(f->resolver, trace), 1);
	assert_int_equal(stackmap_resolver_add_maps_of(f->resolver, link), 1);
	assert_int_equal(stackmap_resolver_nr_maps(f->resolver), 2);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(unlink(map), 0);
}

static void names_of_files_are_escaped_in_what_is_logged(void **state)
{
	struct fixture *f = *state;
	char path[128];
	FILE *file;

	/* A first block that is cut is passed over, which is worth a line. */
	fixture_add_saved(f, NULL, NULL, STACKMAP_TIME_UNKNOWN, GEN1_42);
	snprintf(path, sizeof(path), "%s/a\033[2J", f->folder);
	assert_int_equal(rename(f->path, path), 0);
	file = fopen(path, "a");
	assert_non_null(file);
	assert_int_equal(fputs("torn", file) < 0, 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, path), 0);
	assert_non_null(strstr(f->log, "a\\x1b[2J: 1 damaged part"));
	assert_int_equal(unlink(path), 0);
}

static void many_cookies_stay_apart(void **state)
{
	struct stackmap_stack *first[1000];
	uint32_t i;

	fixture_add_text(*state, GEN1_42);
	for (i = 0; i < 1000; i++)
		first[i] = find(*state, i % 7, i);
	for (i = 0; i < 1000; i++) {
		assert_ptr_equal(find(*state, i % 7, i), first[i]);
		assert_int_equal(stackmap_stack_get_slot(first[i]), i);
		assert_int_equal(stackmap_stack_get_generation(first[i]), i % 7);
	}
}

struct flow {
	const char	*first;
	const char	*second;
	const char	*trace;
	bool		has_generation;
};

/* Everything from an empty resolver to the text of a stack, for allocations to fail in. */
static int whole_flow(void *data)
{
	const struct flow *flow = data;
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	struct stackmap_stack *stack;
	int ret;

	if (!resolver)
		return -ENOMEM;
	ret = stackmap_resolver_add_file(resolver, flow->first);
	if (!ret)
		ret = stackmap_resolver_add_file(resolver, flow->second);
	if (!ret && flow->trace)
		ret = stackmap_resolver_set_trace(resolver, flow->trace);
	if (!ret && !flow->has_generation)
		ret = stackmap_resolver_expect_slot(resolver, 42);
	if (!ret) {
		if (flow->has_generation)
			stack = stackmap_resolver_find(resolver, 1ULL << 32 | 42, 0);
		else
			stack = stackmap_resolver_find_slot(resolver, 42, 0);
		if (!stack || !stackmap_stack_get_text(stack, NULL))
			ret = -ENOMEM;
	}
	stackmap_resolver_free(resolver);
	errno = -ret;
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	struct fixture *f = *state;
	struct flow flow = { .has_generation = true };
	char first[128];

	strcpy(first, fixture_file(f, GEN1_42 GEN1_43 GEN2_42));
	flow.first = first;
	flow.second = fixture_file(f, GEN1_42);
	alloc_fail_each(whole_flow, &flow);

	strcpy(first, fixture_file(f, BARE_42 BARE_43));
	flow.second = fixture_file(f, BARE_42);
	flow.has_generation = false;
	alloc_fail_each(whole_flow, &flow);
}

static void every_allocation_may_fail_with_a_trace(void **state)
{
	struct flow flow = { .has_generation = false };
	char first[512], second[512], trace[512];

	strcpy(first, fixture_data("good/v7/func.stack_map_bin"));
	strcpy(second, fixture_data("good/v7/func.stack_map"));
	strcpy(trace, fixture_data("good/v7/func.dat"));
	flow.first = first;
	flow.second = second;
	flow.trace = trace;
	/* A table that could not be shrunk to its size is as good. */
	alloc_fail_each_tolerant(whole_flow, &flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(a_cookie_resolves_from_a_map_of_its_generation),
		RESOLVE_TEST(the_same_stack_with_names_is_preferred),
		RESOLVE_TEST(names_are_preferred_where_they_come_later),
		RESOLVE_TEST(a_bare_address_of_another_boot_is_another_stack),
		RESOLVE_TEST(the_same_cookie_has_the_same_answer),
		RESOLVE_TEST(without_any_map_there_is_no_map),
		RESOLVE_TEST(another_generation_is_not_saved),
		RESOLVE_TEST(a_slot_that_the_map_lacks_is_not_saved),
		RESOLVE_TEST(two_generations_in_one_file_are_kept_apart),
		RESOLVE_TEST(generation_0_is_a_generation_like_others),
		RESOLVE_TEST(a_binary_export_resolves_cookies_of_its_generation_only),
		RESOLVE_TEST(a_cookie_without_generation_is_not_resolved_by_it),
		RESOLVE_TEST(a_map_saved_empty_has_its_generation),
		RESOLVE_TEST(a_copy_made_before_the_first_stack_takes_nothing_away),
		RESOLVE_TEST(two_stacks_for_one_cookie_are_a_conflict),
		RESOLVE_TEST(a_record_with_another_depth_than_stated_is_damaged),
		RESOLVE_TEST(copies_of_one_boot_complete_each_other),
		RESOLVE_TEST(copies_of_one_boot_that_differ_are_a_conflict),
		RESOLVE_TEST(a_whole_copy_stands_in_for_a_damaged_one),
		RESOLVE_TEST(a_later_copy_counts_more_uses),
		RESOLVE_TEST(two_boots_resolve_only_where_they_agree),
		RESOLVE_TEST(what_one_of_two_boots_lacks_is_ambiguous),
		RESOLVE_TEST(unknown_boots_that_agree_are_copies),
		RESOLVE_TEST(unknown_boots_are_no_copies_where_each_has_more_than_the_other),
		RESOLVE_TEST(unknown_boots_are_no_copies_where_the_fuller_one_counts_less),
		RESOLVE_TEST(unknown_boots_that_share_no_slot_are_apart),
		RESOLVE_TEST(unknown_boots_that_differ_anywhere_are_apart),
		RESOLVE_TEST(the_order_of_the_files_does_not_matter),
		RESOLVE_TEST(one_map_can_show_that_two_others_are_copies),
		RESOLVE_TEST(but_not_where_these_two_differ),
		RESOLVE_TEST(more_maps_than_can_be_told_apart_resolve_nothing),
		RESOLVE_TEST(every_one_of_many_maps_is_asked),
		RESOLVE_TEST(a_map_that_is_lost_could_have_been_meant),
		RESOLVE_TEST(unless_the_user_chooses_one_that_is_there),
		RESOLVE_TEST(with_a_generation_the_rest_is_served),
		RESOLVE_TEST(one_map_is_believed_if_it_has_every_slot_of_the_trace),
		RESOLVE_TEST(one_map_that_lacks_a_slot_of_the_trace_resolves_nothing),
		RESOLVE_TEST(one_map_is_not_believed_where_the_trace_is_unknown),
		RESOLVE_TEST(two_maps_resolve_only_where_they_agree),
		RESOLVE_TEST(a_slot_that_one_of_two_maps_lacks_is_ambiguous),
		RESOLVE_TEST(the_same_map_twice_is_one_map),
		RESOLVE_TEST(maps_of_one_boot_are_still_apart),
		RESOLVE_TEST(a_user_chooses_the_map_by_its_number),
		RESOLVE_TEST(a_map_that_is_not_there_cannot_be_chosen),
		RESOLVE_TEST(the_trace_is_read_ahead_for_its_slots),
		RESOLVE_TEST(one_of_two_generations_of_a_trace_is_not_believed),
		RESOLVE_TEST(a_binary_copy_agrees_with_the_text),
		RESOLVE_TEST(a_map_saved_before_an_event_does_not_explain_it),
		RESOLVE_TEST(nothing_can_be_added_once_a_stack_was_asked_for),
		RESOLVE_TEST(a_list_of_files_is_taken_apart_at_colons),
		RESOLVE_TEST(the_map_lies_beside_the_name_or_what_it_links_to),
		RESOLVE_TEST(names_of_files_are_escaped_in_what_is_logged),
		RESOLVE_TEST(many_cookies_stay_apart),
		RESOLVE_TEST(every_allocation_may_fail),
		RESOLVE_TEST(every_allocation_may_fail_with_a_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
