// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a map lives: enable, reset, free, and the files that hold one.
 */
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <linux/rcupdate.h>

#include "stacks.h"
#include "trace_stackmap.h"

#define DEPTH		8
#define BITS		4
#define PER_MAP		3	/* allocations */
#define MAX_HELD	FTRACE_STACKMAP_MAX_SWAPPED_OUT

static struct trace_array top;
static struct ftrace_stackmap_root root;

static int setup(void **state)
{
	root = (struct ftrace_stackmap_root) {
		.tr		= &top,
		.swap_lock	= __MUTEX_INITIALIZER(root.swap_lock),
		.lock		= __MUTEX_INITIALIZER(root.lock),
		.swapped_out	= LIST_HEAD_INIT(root.swapped_out),
		.bits		= BITS,
		.released	= __WAIT_QUEUE_HEAD_INITIALIZER(root.released),
	};
	top.has_stackmap = false;
	shim_next_random = 1000;
	return 0;
}

static int teardown(void **state)
{
	shim_before_grace_period = NULL;
	shim_allocations_left = -1;
	top.has_stackmap = false;
	return ftrace_stackmap_free(&root, NULL, false) || shim_nr_allocated();
}

static struct ftrace_stackmap_reader open_file(void)
{
	struct ftrace_stackmap_reader reader = { .root = &root };

	ftrace_stackmap_hold(&reader);
	return reader;
}

static void enable(void)
{
	assert_int_equal(ftrace_stackmap_enable(&root), 0);
	assert_non_null(root.live);
}

static int reset(struct ftrace_stackmap_reader *reader)
{
	return ftrace_stackmap_reset(&root, reader);
}

/* Into the map in use, or into one that was */
static void put(struct ftrace_stackmap *map, unsigned int nr)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];

	stacks_make(frames, DEPTH, nr);
	assert_int_equal(stacks_put(map, &key, frames, DEPTH), FTRACE_STACKMAP_SUCCESS);
}

static bool has(const struct ftrace_stackmap *map, unsigned int nr)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];

	stacks_make(frames, DEPTH, nr);
	return ftrace_stackmap_find(map, &key, frames, DEPTH) == FTRACE_STACKMAP_SUCCESS;
}

static void assert_maps(unsigned int nr)
{
	assert_int_equal(shim_nr_allocated(), nr * PER_MAP);
}

static void there_is_no_map_before_one_is_asked_for(void **state)
{
	struct ftrace_stackmap_reader reader = open_file();

	assert_null(reader.map);
	assert_int_equal(reset(&reader), 0);
	assert_int_equal(ftrace_stackmap_free(&root, &reader, true), 0);
	assert_null(root.live);
	assert_null(reader.map);
	/* It shows the first that there is when it is read, and keeps to that */
	enable();
	ftrace_stackmap_hold(&reader);
	assert_ptr_equal(reader.map, root.live);
	assert_int_equal(reset(NULL), 0);
	ftrace_stackmap_hold(&reader);
	assert_ptr_not_equal(reader.map, root.live);
	ftrace_stackmap_release(&reader);
	assert_maps(1);
}

static void a_map_in_use_is_kept_by_whoever_asks_for_one(void **state)
{
	struct ftrace_stackmap *map;

	enable();
	map = root.live;
	enable();
	assert_ptr_equal(root.live, map);
	assert_maps(1);
}

static void the_first_generation_is_a_positive_int(void **state)
{
	const struct {
		uint32_t	random;
		uint32_t	generation;
	} rows[] = {
		{ 5, 5 }, { INT_MAX, INT_MAX }, { UINT32_MAX, INT_MAX }, { 0, 1 },
		{ 0x80000000, 1 }, { 0x80000007, 7 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setup(NULL);
		shim_next_random = rows[i].random;
		enable();
		assert_int_equal(root.live->generation, rows[i].generation);
		assert_int_equal(teardown(NULL), 0);
	}
}

static void generations_count_on(void **state)
{
	enable();
	assert_int_equal(root.live->generation, 1000);
	assert_int_equal(reset(NULL), 0);
	assert_int_equal(root.live->generation, 1001);
	/* Over a free too: a cookie of before must not match */
	assert_int_equal(ftrace_stackmap_free(&root, NULL, true), 0);
	enable();
	assert_int_equal(root.live->generation, 1002);
}

static void generation_0_is_passed_over(void **state)
{
	root.generation = UINT32_MAX;
	enable();
	assert_int_equal(root.live->generation, UINT32_MAX);
	assert_int_equal(reset(NULL), 0);
	assert_int_equal(root.live->generation, 1);
	assert_int_equal(reset(NULL), 0);
	assert_int_equal(root.live->generation, 2);
}

static void a_map_that_nobody_holds_goes_with_the_reset(void **state)
{
	unsigned int grace_periods = shim_nr_grace_periods;
	unsigned int i;

	enable();
	for (i = 0; i < 2 * MAX_HELD; i++) {
		put(root.live, 0);
		assert_int_equal(reset(NULL), 0);
		assert_int_equal(stacks_entries(root.live), 0);
		assert_maps(1);
	}
	assert_int_equal(shim_nr_grace_periods - grace_periods, i);
}

static void a_file_has_the_whole_old_generation_after_its_reset(void **state)
{
	struct ftrace_stackmap_reader reader;

	enable();
	reader = open_file();
	put(root.live, 1);
	assert_false(reader.map->closed);
	assert_int_equal(reset(&reader), 0);
	put(root.live, 2);
	assert_int_equal(reader.map->generation, 1000);
	assert_true(reader.map->closed);
	assert_false(root.live->closed);
	assert_true(has(reader.map, 1));
	assert_false(has(reader.map, 2));
	assert_false(has(root.live, 1));
	assert_maps(2);
	ftrace_stackmap_release(&reader);
	assert_maps(1);
}

/* Opened, then somebody else resets, then it does: it gets what itself swapped out. */
static void a_file_that_was_not_read_moves_to_the_map_that_it_swaps_out(void **state)
{
	struct ftrace_stackmap_reader reader, late;

	late = open_file();
	enable();
	reader = open_file();
	assert_int_equal(reset(NULL), 0);
	assert_int_equal(reader.map->generation, 1000);
	assert_int_equal(reset(&reader), 0);
	assert_int_equal(reader.map->generation, 1001);
	assert_true(reader.map->closed);
	assert_maps(2);
	/* Also where there was no map as it was opened */
	assert_int_equal(reset(&late), 0);
	assert_int_equal(late.map->generation, 1002);
	assert_maps(3);
	ftrace_stackmap_release(&late);
	ftrace_stackmap_release(&reader);
	assert_maps(1);
}

static void a_file_that_was_read_keeps_its_map(void **state)
{
	struct ftrace_stackmap_reader reader;

	enable();
	reader = open_file();
	reader.started = true;
	assert_int_equal(reset(NULL), 0);
	assert_int_equal(reset(&reader), 0);
	assert_int_equal(reader.map->generation, 1000);
	assert_maps(2);
	ftrace_stackmap_release(&reader);
	assert_maps(1);
}

/* A record that is under way when the map is swapped */

static struct {
	struct ftrace_stackmap	*map;
	bool			in_section;
	bool			go_on;
	bool			done;
} underway;

static bool is_set(bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static void await(bool *flag)
{
	while (!is_set(flag))
		sched_yield();
}

static void *record_slowly(void *data)
{
	shim_run_on_cpu(1);
	preempt_disable();
	underway.map = ftrace_stackmap_get_live(&root, true);
	set(&underway.in_section);
	await(&underway.go_on);
	put(underway.map, 7);
	ftrace_stackmap_count(underway.map, FTRACE_STACKMAP_SUCCESS);
	set(&underway.done);
	preempt_enable();
	return NULL;
}

/* From here on everybody else records into the new map */
static void map_is_swapped(void)
{
	assert_ptr_not_equal(root.live, underway.map);
	assert_false(underway.map->closed);
	assert_false(is_set(&underway.done));
	set(&underway.go_on);
}

static void what_is_being_recorded_is_in_the_generation_that_it_was_recorded_in(void **state)
{
	struct ftrace_stackmap_reader reader;
	pthread_t thread;

	memset(&underway, 0, sizeof(underway));
	enable();
	reader = open_file();
	pthread_create(&thread, NULL, record_slowly, NULL);
	await(&underway.in_section);
	shim_before_grace_period = map_is_swapped;
	assert_int_equal(reset(&reader), 0);
	assert_true(is_set(&underway.done));
	assert_true(reader.map->closed);
	assert_true(has(reader.map, 7));
	assert_int_equal(ftrace_stackmap_sum(reader.map, FTRACE_STACKMAP_SUCCESS), 1);
	assert_int_equal(stacks_entries(root.live), 0);
	pthread_join(thread, NULL);
	ftrace_stackmap_release(&reader);
}

static void a_map_is_freed_after_whoever_records_into_it(void **state)
{
	pthread_t thread;

	memset(&underway, 0, sizeof(underway));
	enable();
	pthread_create(&thread, NULL, record_slowly, NULL);
	await(&underway.in_section);
	shim_before_grace_period = map_is_swapped;
	assert_int_equal(ftrace_stackmap_free(&root, NULL, true), 0);
	assert_true(is_set(&underway.done));
	assert_maps(0);
	pthread_join(thread, NULL);
}

static void with_8_maps_held_a_reset_changes_nothing(void **state)
{
	struct ftrace_stackmap_reader readers[MAX_HELD], reader;
	struct ftrace_stackmap_usage usage;
	struct ftrace_stackmap *live;
	unsigned int i;

	enable();
	for (i = 0; i < MAX_HELD; i++) {
		readers[i] = open_file();
		assert_int_equal(reset(&readers[i]), 0);
	}
	reader = open_file();
	live = root.live;
	put(live, 0);
	assert_int_equal(reset(&reader), -EBUSY);
	assert_int_equal(reset(NULL), -EBUSY);
	assert_ptr_equal(root.live, live);
	assert_ptr_equal(reader.map, live);
	assert_false(live->closed);
	assert_true(has(live, 0));
	assert_maps(1 + MAX_HELD);
	ftrace_stackmap_get_usage(&root, &usage);
	assert_int_equal(usage.swapped_out, MAX_HELD);
	assert_int_equal(usage.swapped_out_memory, MAX_HELD * live->memory);

	/* Any of them will do */
	ftrace_stackmap_release(&readers[3]);
	assert_int_equal(reset(&reader), 0);
	assert_int_equal(reader.map->generation, 1000 + MAX_HELD);
	assert_int_equal(root.live->generation, 1000 + MAX_HELD + 1);
	ftrace_stackmap_release(&reader);
	for (i = 0; i < MAX_HELD; i++) {
		if (i != 3)
			ftrace_stackmap_release(&readers[i]);
	}
	ftrace_stackmap_get_usage(&root, &usage);
	assert_int_equal(usage.swapped_out, 0);
	assert_int_equal(usage.swapped_out_memory, 0);
}

/* Two files that hold one map are one map held */
static void a_map_goes_with_the_last_file_that_holds_it(void **state)
{
	struct ftrace_stackmap_reader one, other;

	enable();
	one = open_file();
	other = open_file();
	assert_int_equal(reset(NULL), 0);
	assert_int_equal(root.nr_swapped_out, 1);
	ftrace_stackmap_release(&one);
	assert_maps(2);
	assert_int_equal(other.map->generation, 1000);
	ftrace_stackmap_release(&other);
	assert_maps(1);
	/* What was given back holds nothing; again is no fault */
	ftrace_stackmap_release(&other);
}

static void without_memory_nothing_changes(void **state)
{
	struct ftrace_stackmap_reader reader;
	struct ftrace_stackmap *live;
	int i;

	for (i = 0; i < PER_MAP; i++) {
		shim_allocations_left = i;
		assert_int_equal(ftrace_stackmap_enable(&root), -ENOMEM);
		assert_null(root.live);
		assert_maps(0);
	}
	enable();
	reader = open_file();
	live = root.live;
	put(live, 0);
	for (i = 0; i < PER_MAP; i++) {
		shim_allocations_left = i;
		assert_int_equal(reset(&reader), -ENOMEM);
		assert_ptr_equal(root.live, live);
		assert_ptr_equal(reader.map, live);
		assert_false(live->closed);
		assert_true(has(live, 0));
		assert_maps(1);
	}
	/* No number is spent on what there never was */
	assert_int_equal(reset(&reader), 0);
	assert_int_equal(root.live->generation, live->generation + 1);
	ftrace_stackmap_release(&reader);
}

/* Free */

static void a_map_is_not_freed_while_the_option_is_set(void **state)
{
	struct ftrace_stackmap_reader reader;

	enable();
	reader = open_file();
	top.has_stackmap = true;
	assert_int_equal(ftrace_stackmap_free(&root, NULL, true), -EBUSY);
	assert_int_equal(ftrace_stackmap_free(&root, &reader, true), -EBUSY);
	assert_int_equal(ftrace_stackmap_free(&root, &reader, false), -EBUSY);
	assert_ptr_equal(root.live, reader.map);
	assert_false(reader.map->closed);
	assert_false(reader.freeing);
	assert_int_equal(reader.map->nr_freeing, 0);
	ftrace_stackmap_release(&reader);
	/* An option of nobody */
	root.tr = NULL;
	assert_int_equal(ftrace_stackmap_free(&root, NULL, true), 0);
	assert_maps(0);
}

static void a_file_does_not_wait_for_itself(void **state)
{
	struct ftrace_stackmap_reader reader;

	enable();
	reader = open_file();
	put(root.live, 0);
	assert_int_equal(ftrace_stackmap_free(&root, &reader, true), 0);
	assert_null(root.live);
	assert_true(reader.map->closed);
	assert_true(has(reader.map, 0));
	assert_int_equal(reader.map->nr_freeing, 0);
	assert_maps(1);
	/* Again, with an older map than there is */
	enable();
	assert_int_equal(ftrace_stackmap_free(&root, &reader, true), 0);
	assert_maps(1);
	ftrace_stackmap_release(&reader);
	assert_maps(0);
}

static void one_that_may_not_wait_does_not(void **state)
{
	struct ftrace_stackmap_reader reader;

	enable();
	reader = open_file();
	assert_int_equal(ftrace_stackmap_free(&root, NULL, false), 0);
	assert_null(root.live);
	assert_true(reader.map->closed);
	assert_maps(1);
	ftrace_stackmap_release(&reader);
	assert_maps(0);
}

/* A free that waits, in a thread of its own */
struct freer {
	pthread_t			thread;
	int				cpu;
	struct ftrace_stackmap_reader	*reader;
	bool				returned;
	int				ret;
};

static void *free_map(void *data)
{
	struct freer *freer = data;

	shim_run_on_cpu(freer->cpu);
	freer->ret = ftrace_stackmap_free(&root, freer->reader, true);
	set(&freer->returned);
	return NULL;
}

static void begin_free(struct freer *freer, int cpu, struct ftrace_stackmap_reader *reader)
{
	*freer = (struct freer) { .cpu = cpu, .reader = reader };
	assert_int_equal(pthread_create(&freer->thread, NULL, free_map, freer), 0);
}

static void assert_freed(struct freer *freer, int ret)
{
	pthread_join(freer->thread, NULL);
	assert_int_equal(freer->ret, ret);
}

/* It has seen all that happened, and waits on. */
static void assert_waits(struct freer *freer)
{
	shim_wait_for_waiters(1);
	assert_false(is_set(&freer->returned));
}

static void a_free_waits_for_all_that_hold_the_map_or_an_older_one(void **state)
{
	struct ftrace_stackmap_reader oldest, older, own, current_one, same;
	struct freer freer;

	enable();
	oldest = open_file();
	own = open_file();
	assert_int_equal(reset(NULL), 0);
	older = open_file();
	older.started = true;
	assert_int_equal(reset(&older), 0);
	current_one = open_file();
	same = open_file();

	begin_free(&freer, 1, &own);
	assert_waits(&freer);
	assert_null(root.live);
	ftrace_stackmap_release(&older);
	assert_waits(&freer);
	ftrace_stackmap_release(&same);
	assert_waits(&freer);
	ftrace_stackmap_release(&current_one);
	assert_waits(&freer);
	ftrace_stackmap_release(&oldest);
	assert_freed(&freer, 0);
	/* Its own file's */
	assert_maps(1);
	ftrace_stackmap_release(&own);
}

/* Else whoever uses the map again at once would keep it waiting for ever. */
static void a_free_does_not_wait_for_a_newer_map(void **state)
{
	struct ftrace_stackmap_reader old, new;
	struct freer freer;

	enable();
	/* By the order in which they came, not by the number */
	root.generation = 1;
	old = open_file();
	begin_free(&freer, 1, NULL);
	assert_waits(&freer);
	enable();
	assert_true(root.live->generation < old.map->generation);
	new = open_file();
	assert_int_equal(reset(&new), 0);
	ftrace_stackmap_release(&old);
	assert_freed(&freer, 0);
	assert_maps(2);
	ftrace_stackmap_release(&new);
}

static void a_free_ends_where_its_task_is_killed(void **state)
{
	struct ftrace_stackmap_reader holder, own;
	struct freer freer;

	enable();
	holder = open_file();
	own = open_file();
	begin_free(&freer, 1, &own);
	assert_waits(&freer);
	shim_kill(1);
	assert_freed(&freer, -EINTR);
	shim_revive(1);
	assert_null(root.live);
	assert_false(own.freeing);
	assert_int_equal(holder.map->nr_freeing, 0);
	assert_int_equal(holder.map->nr_files, 2);
	ftrace_stackmap_release(&own);
	ftrace_stackmap_release(&holder);
}

static void one_file_frees_once_at_a_time(void **state)
{
	struct ftrace_stackmap_reader holder, own;
	struct freer freer;

	enable();
	holder = open_file();
	own = open_file();
	begin_free(&freer, 1, &own);
	assert_waits(&freer);
	assert_int_equal(ftrace_stackmap_free(&root, &own, true), -EBUSY);
	assert_waits(&freer);
	assert_true(own.freeing);
	ftrace_stackmap_release(&holder);
	assert_freed(&freer, 0);
	assert_int_equal(ftrace_stackmap_free(&root, &own, true), 0);
	ftrace_stackmap_release(&own);
}

/* Each would wait for the other one's file for ever. */
static void two_that_free_do_not_wait_for_each_other(void **state)
{
	struct ftrace_stackmap_reader one, other;
	struct freer first, second;

	enable();
	one = open_file();
	other = open_file();
	begin_free(&first, 1, &one);
	assert_waits(&first);
	begin_free(&second, 2, &other);
	/* Whichever is done first may be waited for as any file is, until it is closed */
	while (!is_set(&first.returned) && !is_set(&second.returned))
		sched_yield();
	ftrace_stackmap_release(is_set(&first.returned) ? &one : &other);
	assert_freed(&first, 0);
	assert_freed(&second, 0);
	ftrace_stackmap_release(&one);
	ftrace_stackmap_release(&other);
}

/* The map that a file holds can change while it waits: how it counts moves along. */
static void a_file_can_be_moved_while_it_frees(void **state)
{
	struct ftrace_stackmap_reader holder, own;
	struct freer freer;

	enable();
	holder = open_file();
	own = open_file();
	begin_free(&freer, 1, &own);
	assert_waits(&freer);
	enable();
	assert_int_equal(reset(&own), 0);
	assert_int_equal(own.map->generation, 1001);
	assert_int_equal(own.map->nr_freeing, 1);
	assert_int_equal(holder.map->nr_freeing, 0);
	assert_waits(&freer);
	ftrace_stackmap_release(&holder);
	assert_freed(&freer, 0);
	assert_int_equal(own.map->nr_freeing, 0);
	ftrace_stackmap_release(&own);
}

/* Nearly every open of a file of tracefs takes it */
static void nobody_holds_trace_types_lock(void)
{
	assert_false(lockdep_is_held(&trace_types_lock));
}

static void a_grace_period_is_not_waited_for_under_trace_types_lock(void **state)
{
	unsigned int grace_periods;

	enable();
	shim_before_grace_period = nobody_holds_trace_types_lock;
	assert_int_equal(reset(NULL), 0);
	grace_periods = shim_nr_grace_periods;
	assert_int_equal(ftrace_stackmap_free(&root, NULL, true), 0);
	assert_int_equal(shim_nr_grace_periods, grace_periods + 1);
}

#define test_of(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(there_is_no_map_before_one_is_asked_for),
		test_of(a_map_in_use_is_kept_by_whoever_asks_for_one),
		test_of(the_first_generation_is_a_positive_int),
		test_of(generations_count_on),
		test_of(generation_0_is_passed_over),
		test_of(a_map_that_nobody_holds_goes_with_the_reset),
		test_of(a_file_has_the_whole_old_generation_after_its_reset),
		test_of(a_file_that_was_not_read_moves_to_the_map_that_it_swaps_out),
		test_of(a_file_that_was_read_keeps_its_map),
		test_of(what_is_being_recorded_is_in_the_generation_that_it_was_recorded_in),
		test_of(a_map_is_freed_after_whoever_records_into_it),
		test_of(with_8_maps_held_a_reset_changes_nothing),
		test_of(a_map_goes_with_the_last_file_that_holds_it),
		test_of(without_memory_nothing_changes),
		test_of(a_map_is_not_freed_while_the_option_is_set),
		test_of(a_file_does_not_wait_for_itself),
		test_of(one_that_may_not_wait_does_not),
		test_of(a_free_waits_for_all_that_hold_the_map_or_an_older_one),
		test_of(a_free_does_not_wait_for_a_newer_map),
		test_of(a_free_ends_where_its_task_is_killed),
		test_of(one_file_frees_once_at_a_time),
		test_of(two_that_free_do_not_wait_for_each_other),
		test_of(a_file_can_be_moved_while_it_frees),
		test_of(a_grace_period_is_not_waited_for_under_trace_types_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
