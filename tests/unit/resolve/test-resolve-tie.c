// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gens.dat is a recording of series 8. Its third map was copied before tracing stopped, so
 * that for 69 of the cookies of generation 3 it is the map of another boot that happens to hold the
 * others, if it claims to have been saved later.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc-fail.h"
#include "core/cookie.h"
#include "fixture.h"
#include "store/layout.h"
#include "store/store.h"
#include "tracedat/tracedat.h"

#define TRACE	"good/v8/gens.dat"

static const char map_a[] = "stack_id 1 gen 1 ref 1 depth 1\n => here+0x0/0x10\n";
static const char map_b[] = "stack_id 1 gen 1 ref 1 depth 1\n => there+0x0/0x10\n";
static const char map_random[] = "stack_id 1 gen 70000 ref 1 depth 1\n => here+0x0/0x10\n";

/* The bytes of a recording, to be freed. */
static char *read_data(const char *name)
{
	FILE *file = fopen(fixture_data(name), "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

struct save {
	const char	*boot_id;
	const char	*release;
	uint64_t	began;		/* by all clocks; 0: not known */
	bool		is_saved;	/* and not imported: when is known */
	bool		random_generation;
};

static void append(const char *path, struct save save, const char *text)
{
	struct smap_save_input input = {
		.origin.release = (char *)save.release,
		.origin.random_generation = save.random_generation,
		.saved_wall_ns = SMAP_TIME_UNKNOWN,
		.saved_boot_ns = save.is_saved ? 1 : SMAP_TIME_UNKNOWN,
		.read_times = { save.began != 0, save.began, save.began, save.began },
		.export = text,
		.export_len = strlen(text),
	};
	struct smap_error err = { "" };

	if (save.boot_id) {
		input.origin.has_boot_id = true;
		assert_int_equal(smap_boot_id_parse(save.boot_id, input.origin.boot_id), 0);
	}
	assert_int_equal(smap_store_append(path, &input, 1, &err), 0);
}

static const char *make(struct fixture *f, struct save save, const char *text)
{
	const char *path = fixture_file(f, "");

	remove(path);
	append(path, save, text);
	return path;
}

static void add(struct fixture *f, const char *path)
{
	assert_int_equal(stackmap_resolver_add_file(f->resolver, path), 0);
}

static void set_trace(struct fixture *f, const char *name)
{
	assert_int_equal(stackmap_resolver_set_trace(f->resolver, fixture_data(name)), 0);
}

static void tie(const char *path, const char *trace)
{
	struct stackmap_store *store = stackmap_store_new();

	assert_int_equal(stackmap_store_open(store, path), 0);
	assert_int_equal(stackmap_store_tie(store, fixture_data(trace)), 0);
	stackmap_store_free(store);
}

static void tie_is(struct fixture *f, size_t nr, enum stackmap_tie tie, const char *reason)
{
	struct stackmap_map *map = stackmap_resolver_get_map(f->resolver, nr);

	assert_string_equal(stackmap_map_get_tie_reason(map), reason);
	assert_int_equal(stackmap_map_get_tie(map), tie);
}

/* ---- what is in the trace ---- */

struct look {
	const char	*text;		/* of the map */
	uint32_t	generation;
	uint64_t	first_missing;	/* earliest time of a cookie that is not in it */
	uint64_t	missing, held;	/* one of each kind */
};

static bool holds(const struct look *look, uint64_t cookie)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "stack_id %u gen %u ", smap_cookie_slot(cookie),
		 smap_cookie_generation(cookie));
	return strstr(look->text, wanted);
}

static int look_at(uint64_t cookie, uint64_t ts, void *data)
{
	struct look *look = data;

	if (smap_cookie_generation(cookie) != look->generation)
		return 0;
	if (holds(look, cookie)) {
		look->held = cookie;
	} else if (ts < look->first_missing) {
		look->first_missing = ts;
		look->missing = cookie;
	}
	return 0;
}

static struct look look_into_trace(const char *text, uint32_t generation)
{
	struct look look = { text, generation, UINT64_MAX, 0, 0 };
	struct smap_tracedat *trace;
	struct smap_error err;

	assert_int_equal(smap_tracedat_open(fixture_data(TRACE), &trace, &err), 0);
	assert_int_equal(smap_tracedat_scan_top(trace, look_at, &look, &err), 0);
	smap_tracedat_close(trace);
	return look;
}

/* When a save began of which the trace's clock, "local", says that all before @ts is in it. */
static uint64_t complete_until(uint64_t ts)
{
	return (ts + 1000000000) * 2000 / 1999;
}

static int take_earliest(uint64_t cookie, uint64_t ts, void *data)
{
	struct look *look = data;

	if (smap_cookie_generation(cookie) == look->generation && ts < look->first_missing)
		look->first_missing = ts;
	return 0;
}

/* When the first cookie of @generation was recorded. */
static uint64_t first_of(uint32_t generation)
{
	struct look look = { NULL, generation, UINT64_MAX, 0, 0 };
	struct smap_tracedat *trace;
	struct smap_error err;

	assert_int_equal(smap_tracedat_open(fixture_data(TRACE), &trace, &err), 0);
	assert_int_equal(smap_tracedat_scan_top(trace, take_earliest, &look, &err), 0);
	smap_tracedat_close(trace);
	return look.first_missing;
}

/* ---- tests ---- */

static void a_copy_by_hand_resolves_and_one_line_says_that_it_is_not_proven(void **state)
{
	struct fixture *f = *state;

	add(f, fixture_data("good/v8/gens.2.stack_map"));
	set_trace(f, TRACE);
	tie_is(f, 0, STACKMAP_TIE_UNKNOWN, "no release to compare, no times to compare");
	assert_null(stackmap_map_get_contradiction(stackmap_resolver_get_map(f->resolver, 0)));
	assert_string_equal(f->log, "");
	assert_verdict(stackmap_map_get_stack(stackmap_resolver_get_map(f->resolver, 0), 0),
		       RESOLVED);
	assert_string_equal(f->log, "");
}

static void the_line_is_said_once_and_names_the_file(void **state)
{
	char *text = read_data("good/v8/gens.2.stack_map");
	struct look look = look_into_trace(text, 2);
	struct fixture *f = *state;
	char *line;

	add(f, fixture_data("good/v8/gens.2.stack_map"));
	set_trace(f, TRACE);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), RESOLVED);
	line = strstr(f->log, "gens.2.stack_map: nothing proves that it is of this trace "
		      "(unknown: no release to compare, no times to compare)\n");
	assert_non_null(line);
	assert_null(strchr(strchr(line, '\n') + 1, '\n'));
	free(text);
}

static void what_is_tied_to_the_trace_is_proven_and_nothing_is_said(void **state)
{
	char *text = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(text, 3);
	struct fixture *f = *state;
	const char *path = make(f, (struct save){ .began = 3600000000000 }, text);

	tie(path, TRACE);
	add(f, path);
	set_trace(f, TRACE);
	assert_int_equal(stackmap_resolver_require_proof(f->resolver), 0);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), RESOLVED);
	/* It is believed: the trace is not asked about it. */
	assert_verdict(stackmap_resolver_find(f->resolver, look.missing, 0), SLOT_NOT_SAVED);
	tie_is(f, 0, STACKMAP_TIE_PROVEN, "recorded with this trace");
	assert_string_equal(f->log, "");
	assert_int_equal(stackmap_resolver_require_proof(f->resolver), -EBUSY);
	free(text);
}

static void a_tie_to_another_trace_proves_nothing(void **state)
{
	char *text = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(text, 3);
	struct fixture *f = *state;
	const char *path = make(f, (struct save){ 0 }, text);

	tie(path, "good/v8/sched.dat");
	add(f, path);
	set_trace(f, TRACE);
	assert_int_equal(stackmap_resolver_require_proof(f->resolver), 0);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), NOT_PROVEN);
	tie_is(f, 0, STACKMAP_TIE_UNKNOWN, "no release to compare, no times to compare");
	free(text);
}

static void what_was_recorded_later_may_be_missing(void **state)
{
	char *text = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(text, 3);
	struct save save = {
		.release = "7.2.13+", .began = complete_until(look.first_missing - 1000000)
	};
	struct fixture *f = *state;

	assert_true(look.first_missing != UINT64_MAX);
	add(f, make(f, save, text));
	set_trace(f, TRACE);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), RESOLVED);
	assert_verdict(stackmap_resolver_find(f->resolver, look.missing, 0), SLOT_NOT_SAVED);
	tie_is(f, 0, STACKMAP_TIE_CONSISTENT,
	       "release, symbols and times agree, as they can in two boots");
	assert_non_null(strstr(f->log, "(consistent: "));
	free(text);
}

static void what_was_recorded_before_must_be_there(void **state)
{
	char *text = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(text, 3);
	struct save save = {
		.release = "7.2.13+", .began = complete_until(look.first_missing + 1000000)
	};
	struct fixture *f = *state;
	struct stackmap_stack *stack;
	char words[128];

	add(f, make(f, save, text));
	set_trace(f, TRACE);
	stack = stackmap_resolver_find(f->resolver, look.held, 0);
	assert_verdict(stack, CONTRADICTED);
	snprintf(words, sizeof(words), " gen 3> is not in it, and was recorded ");
	assert_non_null(strstr(stackmap_stack_get_reason(stack), words));
	assert_verdict(stackmap_resolver_find(f->resolver, look.missing, 0), CONTRADICTED);
	assert_non_null(strstr(stackmap_map_get_contradiction(
			       stackmap_resolver_get_map(f->resolver, 0)), words));
	assert_string_equal(f->log, "");
	free(text);
}

/* @text, where @cookie was recorded once. */
static void count_less(char *text, uint64_t cookie)
{
	char wanted[64], *found, *end;

	snprintf(wanted, sizeof(wanted), "stack_id %u gen %u ref ", smap_cookie_slot(cookie),
		 smap_cookie_generation(cookie));
	found = strstr(text, wanted);
	assert_non_null(found);
	found += strlen(wanted);
	end = strchr(found, ' ');
	assert_true(*found != '1' || end > found + 1);
	*found++ = '1';
	memmove(found, end, strlen(end) + 1);
}

static void what_was_recorded_before_must_be_counted(void **state)
{
	char *text = read_data("good/v8/gens.2.stack_map");
	struct look look = look_into_trace(text, 2);
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	count_less(text, look.held);
	add(f, make(f, (struct save){ .began = 3600000000000 }, text));
	set_trace(f, TRACE);
	stack = stackmap_resolver_find(f->resolver, look.held, 0);
	assert_verdict(stack, CONTRADICTED);
	assert_non_null(strstr(stackmap_stack_get_reason(stack), " times before it was saved, and "
			       "it says "));
	free(text);
}

static void what_was_recorded_later_need_not_be_counted(void **state)
{
	char *text = read_data("good/v8/gens.2.stack_map");
	struct look look = look_into_trace(text, 2);
	struct fixture *f = *state;

	count_less(text, look.held);
	/* Before the last of its events, and behind the first. */
	add(f, make(f, (struct save){ .began = complete_until(first_of(2) + 1000) }, text));
	set_trace(f, TRACE);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), RESOLVED);
	free(text);
}

static void one_that_was_saved_before_all_of_them_says_nothing_and_is_not_used(void **state)
{
	char *text = read_data("good/v8/gens.2.stack_map");
	struct look look = look_into_trace(text, 2);
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	add(f, make(f, (struct save){ .began = first_of(2) - 2000000000 - first_of(2) / 1000 },
		    text));
	set_trace(f, TRACE);
	stack = stackmap_resolver_find(f->resolver, look.held, 0);
	assert_verdict(stack, CONTRADICTED);
	assert_non_null(strstr(stackmap_stack_get_reason(stack),
			       "it was saved before any event of generation 2"));
	free(text);
}

static void a_save_of_the_boot_that_was_recorded_with_the_trace_is_proven(void **state)
{
	char *second = read_data("good/v8/gens.2.stack_map");
	char *third = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(third, 3);
	struct save save = { .boot_id = BOOT_A, .is_saved = true };
	struct fixture *f = *state;
	const char *path = make(f, save, second);

	tie(path, TRACE);
	append(path, save, third);
	add(f, path);
	set_trace(f, TRACE);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), RESOLVED);
	tie_is(f, 1, STACKMAP_TIE_PROVEN, "saved in the boot that recorded this trace");
	assert_string_equal(f->log, "");
	free(second);
	free(third);
}

/* Its boot id was given by hand. */
static void one_that_was_imported_is_not(void **state)
{
	char *second = read_data("good/v8/gens.2.stack_map");
	char *third = read_data("good/v8/gens.3.stack_map");
	struct save save = { .boot_id = BOOT_A };
	struct fixture *f = *state;
	const char *path = make(f, save, second);

	tie(path, TRACE);
	append(path, save, third);
	add(f, path);
	set_trace(f, TRACE);
	tie_is(f, 1, STACKMAP_TIE_UNKNOWN, "no release to compare, no times to compare");
	free(second);
	free(third);
}

static void a_save_of_another_boot_than_that_is_foreign(void **state)
{
	char *second = read_data("good/v8/gens.2.stack_map");
	char *third = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(third, 3);
	struct save save = { .boot_id = BOOT_A, .is_saved = true };
	struct fixture *f = *state;
	struct stackmap_stack *stack;
	const char *path = make(f, save, second);

	tie(path, TRACE);
	save.boot_id = BOOT_B;
	append(path, save, third);
	add(f, path);
	set_trace(f, TRACE);
	stack = stackmap_resolver_find(f->resolver, look.held, 0);
	assert_verdict(stack, CONTRADICTED);
	assert_non_null(strstr(stackmap_stack_get_reason(stack),
			       "saved in another boot than the maps recorded with it"));
	free(second);
	free(third);
}

static void saves_of_a_foreign_boot_are_foreign(void **state)
{
	char *second = read_data("good/v8/gens.2.stack_map");
	char *third = read_data("good/v8/gens.3.stack_map");
	struct look look2 = look_into_trace(second, 2), look3 = look_into_trace(third, 3);
	struct save save = { .boot_id = BOOT_A, .began = 1000000000 };
	struct fixture *f = *state;
	const char *path = make(f, save, second);

	save.began = complete_until(look3.first_missing + 1000000);
	append(path, save, third);
	add(f, path);
	set_trace(f, TRACE);
	assert_verdict(stackmap_resolver_find(f->resolver, look2.held, 0), CONTRADICTED);
	free(second);
	free(third);
}

static void a_clock_that_cannot_be_compared_proves_nothing(void **state)
{
	char *text = read_data("good/v8/gens.3.stack_map");
	struct look look = look_into_trace(text, 3);
	struct fixture *f = *state;

	/* Shorter than the slack. */
	add(f, make(f, (struct save){ .began = 1000 }, text));
	set_trace(f, TRACE);
	assert_verdict(stackmap_resolver_find(f->resolver, look.held, 0), RESOLVED);
	tie_is(f, 0, STACKMAP_TIE_UNKNOWN, "no release to compare, no times to compare");
	free(text);
}

static void a_random_generation_is_proof(void **state)
{
	struct fixture *f = *state;

	add(f, make(f, (struct save){ .random_generation = true }, map_random));
	assert_int_equal(stackmap_resolver_require_proof(f->resolver), 0);
	assert_verdict(stackmap_resolver_find(f->resolver, smap_cookie(70000, 1), 0), RESOLVED);
	tie_is(f, 0, STACKMAP_TIE_PROVEN, "no other boot has its generation");
	assert_string_equal(f->log, "");
}

static void one_that_a_count_reaches_is_none(void **state)
{
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	add(f, make(f, (struct save){ .random_generation = true }, map_a));
	add(f, make(f, (struct save){ 0 }, map_random));
	assert_int_equal(stackmap_resolver_require_proof(f->resolver), 0);
	stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 1), 0);
	assert_verdict(stack, NOT_PROVEN);
	assert_string_equal(stackmap_stack_get_reason(stack),
			    "nothing proves that the saved map is of this trace");
	assert_verdict(stackmap_resolver_find(f->resolver, smap_cookie(70000, 1), 0), NOT_PROVEN);
	tie_is(f, 0, STACKMAP_TIE_UNKNOWN, "no trace.dat to compare it with");
}

static void a_proven_map_is_meant_and_not_another(void **state)
{
	struct fixture *f = *state;

	add(f, make(f, (struct save){ .boot_id = BOOT_B }, "stack_id 1 gen 70000 ref 1 depth 1\n"
		    " => there+0x0/0x10\n"));
	add(f, make(f, (struct save){ .random_generation = true, .boot_id = BOOT_A }, map_random));
	assert_string_equal(fixture_text(stackmap_resolver_find(f->resolver,
								smap_cookie(70000, 1), 0)),
			    " => here+0x0/0x10");
}

static void two_that_nothing_proves_stay_ambiguous(void **state)
{
	struct fixture *f = *state;

	add(f, make(f, (struct save){ .boot_id = BOOT_A }, map_a));
	add(f, make(f, (struct save){ .boot_id = BOOT_B }, map_b));
	assert_verdict(stackmap_resolver_find(f->resolver, smap_cookie(1, 1), 0), AMBIGUOUS);
	assert_string_equal(f->log, "");
}

/* Without a trace, whose symbols would be read for each allocation of the hundreds. */
static int find_one(void *data)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	struct stackmap_map *map;
	int ret = -ENOMEM;

	if (!resolver)
		return -ENOMEM;
	stackmap_resolver_set_log(resolver, fixture_log, data);
	if (!stackmap_resolver_add_file(resolver, ((struct fixture *)data)->path) &&
	    stackmap_resolver_find(resolver, smap_cookie(70000, 1), 0)) {
		map = stackmap_resolver_get_map(resolver, 0);
		if (stackmap_map_get_tie_reason(map))
			ret = 0;
	}
	stackmap_resolver_free(resolver);
	return ret ? smap_errno(ret) : 0;
}

static void no_memory_is_survived(void **state)
{
	struct fixture *f = *state;

	make(f, (struct save){ 0 }, map_random);
	alloc_fail_each(find_one, f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(a_copy_by_hand_resolves_and_one_line_says_that_it_is_not_proven),
		RESOLVE_TEST(the_line_is_said_once_and_names_the_file),
		RESOLVE_TEST(what_is_tied_to_the_trace_is_proven_and_nothing_is_said),
		RESOLVE_TEST(a_tie_to_another_trace_proves_nothing),
		RESOLVE_TEST(what_was_recorded_later_may_be_missing),
		RESOLVE_TEST(what_was_recorded_before_must_be_there),
		RESOLVE_TEST(what_was_recorded_before_must_be_counted),
		RESOLVE_TEST(what_was_recorded_later_need_not_be_counted),
		RESOLVE_TEST(one_that_was_saved_before_all_of_them_says_nothing_and_is_not_used),
		RESOLVE_TEST(a_save_of_the_boot_that_was_recorded_with_the_trace_is_proven),
		RESOLVE_TEST(one_that_was_imported_is_not),
		RESOLVE_TEST(a_save_of_another_boot_than_that_is_foreign),
		RESOLVE_TEST(saves_of_a_foreign_boot_are_foreign),
		RESOLVE_TEST(a_clock_that_cannot_be_compared_proves_nothing),
		RESOLVE_TEST(a_random_generation_is_proof),
		RESOLVE_TEST(one_that_a_count_reaches_is_none),
		RESOLVE_TEST(a_proven_map_is_meant_and_not_another),
		RESOLVE_TEST(two_that_nothing_proves_stay_ambiguous),
		RESOLVE_TEST(no_memory_is_survived),
	};

	return cmocka_run_group_tests_name("resolve-tie", tests, NULL, NULL);
}
