// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recording a stack: what becomes a cookie, what is recorded in full, and what counts it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <linux/init.h>
#include <linux/rcupdate.h>

#include "stacks.h"
#include "trace_stackmap.h"

#define DEPTH	8

extern const struct shim_param shim_param_ftrace_stackmap_set_bits;

static struct trace_array top;
static struct trace_buffer *buffer;
static struct ftrace_stackmap_reader reader;
static struct ftrace_stackmap_usage before;

static bool record(unsigned int nr, unsigned int depth)
{
	unsigned long frames[1024];
	bool done;

	stacks_make(frames, depth <= 1024 ? depth : 0, nr);
	preempt_disable();
	done = ftrace_stackmap_record(buffer, nr, frames, depth);
	preempt_enable();
	return done;
}

/* The @nr-th event of this CPU */
static const struct ring_buffer_event *event(unsigned int nr)
{
	assert_true(nr < buffer->cpus[raw_smp_processor_id()].nr);
	return &buffer->cpus[raw_smp_processor_id()].events[nr];
}

static unsigned int nr_events(void)
{
	return buffer->cpus[raw_smp_processor_id()].nr;
}

static u64 nr_bypassed(enum ftrace_stackmap_bypass bypass)
{
	struct ftrace_stackmap_usage usage;

	ftrace_stackmap_get_usage(&ftrace_stackmap_root, &usage);
	return usage.bypasses[bypass] - before.bypasses[bypass];
}

static void assert_counted(enum ftrace_stackmap_outcome counted, u64 nr)
{
	unsigned int outcome;

	for (outcome = 0; outcome < FTRACE_STACKMAP_NR_COUNTED; outcome++)
		assert_int_equal(ftrace_stackmap_sum(reader.map, outcome),
				 outcome == counted ? nr : 0);
}

/* A map with room for 8 stacks, that is in use, and a buffer with room for 16 events a CPU */
static int setup(void **state)
{
	buffer = shim_buffer_new(16);
	ftrace_stackmap_root.bits = 3;
	reader = (struct ftrace_stackmap_reader) { .root = &ftrace_stackmap_root };
	if (ftrace_stackmap_enable(&ftrace_stackmap_root))
		return -1;
	ftrace_stackmap_hold(&reader);
	ftrace_stackmap_get_usage(&ftrace_stackmap_root, &before);
	return 0;
}

static int teardown(void **state)
{
	shim_step_hook = NULL;
	shim_allocations_left = -1;
	top.has_stackmap = false;
	ftrace_stackmap_release(&reader);
	shim_buffer_free(buffer);
	return ftrace_stackmap_free(&ftrace_stackmap_root, NULL, true) || shim_nr_allocated();
}

/* Has to be the first: what is set by a boot parameter finds no tracefs. */
static void before_there_is_tracefs_the_option_makes_no_map(void **state)
{
	mutex_lock(&trace_types_lock);
	assert_int_equal(ftrace_stackmap_set_option(&top, true), 0);
	mutex_unlock(&trace_types_lock);
	assert_null(ftrace_stackmap_root.live);
	top.has_stackmap = true;

	/* And where it then fails it says so */
	shim_allocations_left = 0;
	ftrace_stackmap_init_tracefs(&top);
	assert_null(ftrace_stackmap_root.live);
	assert_int_equal(shim_nr_warnings, 1);

	ftrace_stackmap_init_tracefs(&top);
	assert_non_null(ftrace_stackmap_root.live);
	assert_ptr_equal(ftrace_stackmap_root.tr, &top);
	assert_int_equal(shim_nr_warnings, 1);
	top.has_stackmap = false;
	assert_int_equal(ftrace_stackmap_free(&ftrace_stackmap_root, NULL, true), 0);
}

static void the_option_makes_a_map_and_keeps_it(void **state)
{
	ftrace_stackmap_release(&reader);
	assert_int_equal(ftrace_stackmap_free(&ftrace_stackmap_root, NULL, true), 0);
	ftrace_stackmap_init_tracefs(&top);
	assert_null(ftrace_stackmap_root.live);

	mutex_lock(&trace_types_lock);
	shim_allocations_left = 0;
	assert_int_equal(ftrace_stackmap_set_option(&top, true), -ENOMEM);
	assert_null(ftrace_stackmap_root.live);
	assert_int_equal(ftrace_stackmap_set_option(&top, true), 0);
	assert_non_null(ftrace_stackmap_root.live);
	assert_int_equal(ftrace_stackmap_set_option(&top, false), 0);
	assert_non_null(ftrace_stackmap_root.live);
	mutex_unlock(&trace_types_lock);
}

static void the_bits_are_taken_from_the_command_line(void **state)
{
	char bits_10[] = "10", bits_14[] = "14", bits_18[] = "0x12", bits_9[] = "9", none[] = "0";
	char bits_19[] = "19", huge[] = "4294967295", more[] = "4294967296", minus[] = "-1";
	char word[] = "many", nothing[] = "", tail[] = "12k";
	const struct {
		char		*value;
		unsigned int	bits;
		unsigned int	warnings;
	} rows[] = {
		{ bits_10, 10, 0 }, { bits_14, 14, 0 }, { bits_18, 18, 0 },
		{ bits_9, 10, 1 }, { none, 10, 1 }, { bits_19, 18, 1 }, { huge, 18, 1 },
		{ more, 18, 1 }, { minus, 10, 1 }, { word, 14, 1 }, { nothing, 14, 1 },
		{ tail, 14, 1 }, { NULL, 14, 1 },
	};
	const struct shim_param *param = &shim_param_ftrace_stackmap_set_bits;
	unsigned int i, warnings;

	assert_string_equal(param->name, "ftrace_stackmap.bits");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ftrace_stackmap_root.bits = FTRACE_STACKMAP_BITS_DEFAULT;
		warnings = shim_nr_warnings;
		assert_int_equal(param->set(rows[i].value), 0);
		assert_int_equal(ftrace_stackmap_root.bits, rows[i].bits);
		assert_int_equal(shim_nr_warnings - warnings, rows[i].warnings);
	}
}

static void a_stack_becomes_the_same_cookie_each_time(void **state)
{
	struct ftrace_stackmap_stack stack;
	unsigned long frames[DEPTH];
	u32 slot;

	stacks_make(frames, DEPTH, 5);
	assert_true(record(5, DEPTH));
	assert_true(record(5, DEPTH));
	assert_int_equal(nr_events(), 2);
	assert_int_equal(event(0)->state, SHIM_COMMITTED);
	assert_int_equal(event(0)->entry.ent.trace_ctx, 5);
	assert_int_equal(event(1)->entry.stack_cookie, event(0)->entry.stack_cookie);
	assert_int_equal(event(0)->entry.stack_cookie >> 32, reader.map->generation);
	slot = (u32)event(0)->entry.stack_cookie;
	assert_true(stacks_slot_has(reader.map, slot, frames, DEPTH));
	assert_true(ftrace_stackmap_get_stack(reader.map, slot, &stack));
	assert_int_equal(stack.ref, 2);
	assert_counted(FTRACE_STACKMAP_SUCCESS, 2);
}

/* As any event does, so that the trace tells the name of who was recorded */
static void a_cookie_has_its_task_named(void **state)
{
	bool *is_named = per_cpu_ptr(&trace_taskinfo_save, 0);

	shim_run_on_cpu(0);
	*is_named = false;
	assert_false(record(0, 0));
	assert_false(*is_named);
	assert_true(record(0, DEPTH));
	assert_true(*is_named);
}

static void a_cpu_counts_for_itself(void **state)
{
	int cpu, other;

	for (cpu = 0; cpu < 3; cpu++) {
		shim_run_on_cpu(cpu);
		assert_true(record(0, DEPTH));
	}
	shim_run_on_cpu(0);
	for (other = 0; other < SHIM_NR_CPUS; other++)
		assert_int_equal(local_read(&per_cpu_ptr(reader.map->counters, other)->
					    nr[FTRACE_STACKMAP_SUCCESS]), other < 3);
	assert_counted(FTRACE_STACKMAP_SUCCESS, 3);
}

static void without_a_map_a_stack_is_recorded_in_full(void **state)
{
	assert_int_equal(ftrace_stackmap_free(&ftrace_stackmap_root, NULL, false), 0);
	assert_false(record(0, DEPTH));
	assert_int_equal(nr_events(), 0);
	assert_int_equal(nr_bypassed(FTRACE_STACKMAP_NO_MAP), 1);
	assert_int_equal(nr_bypassed(FTRACE_STACKMAP_NOT_WATCHING), 0);
}

/* On a CPU that a grace period does not wait for, nothing of the map is looked at. */
static void where_rcu_does_not_watch_a_stack_is_recorded_in_full(void **state)
{
	assert_true(record(0, DEPTH));
	shim_set_rcu_watching(0, false);
	assert_false(record(0, DEPTH));
	shim_set_rcu_watching(0, true);
	shim_set_cpu_online(0, false);
	assert_false(record(0, DEPTH));
	rcu_read_lock();
	assert_null(ftrace_stackmap_get_live(&ftrace_stackmap_root,
					     ftrace_stackmap_is_waited_for()));
	rcu_read_unlock();
	shim_set_cpu_online(0, true);
	/* Another CPU is no matter of this one */
	shim_set_cpu_online(1, false);
	shim_set_rcu_watching(1, false);
	assert_true(record(0, DEPTH));
	shim_set_cpu_online(1, true);
	shim_set_rcu_watching(1, true);

	assert_int_equal(nr_events(), 2);
	assert_int_equal(nr_bypassed(FTRACE_STACKMAP_NOT_WATCHING), 3);
	assert_int_equal(nr_bypassed(FTRACE_STACKMAP_NO_MAP), 0);
	assert_counted(FTRACE_STACKMAP_SUCCESS, 2);
}

static void a_depth_that_is_none_is_recorded_in_full(void **state)
{
	assert_false(record(0, 0));
	assert_false(record(0, 65536));
	assert_int_equal(nr_events(), 0);
	assert_counted(FTRACE_STACKMAP_BAD_DEPTH, 2);
	assert_int_equal(ftrace_stackmap_fallbacks(reader.map), 0);
}

/* An event that is reserved and discarded would cost the next one bytes */
static void a_full_map_takes_nothing_of_the_buffer(void **state)
{
	unsigned int nr;

	for (nr = 0; nr < reader.map->capacity; nr++)
		assert_true(record(nr, DEPTH));
	assert_false(record(nr, DEPTH));
	assert_false(record(nr, DEPTH));
	assert_int_equal(nr_events(), reader.map->capacity);
	assert_int_equal(ftrace_stackmap_sum(reader.map, FTRACE_STACKMAP_NO_CAPACITY), 2);
	assert_int_equal(ftrace_stackmap_fallbacks(reader.map), 2);
	/* What it knows it still knows */
	assert_true(record(0, DEPTH));
	assert_int_equal(event(nr)->entry.stack_cookie, event(0)->entry.stack_cookie);
}

static void a_stack_too_long_for_the_arena_is_recorded_in_full(void **state)
{
	assert_false(record(0, reader.map->arena_words));
	assert_int_equal(nr_events(), 0);
	assert_counted(FTRACE_STACKMAP_NO_SPACE, 1);
	assert_int_equal(ftrace_stackmap_fallbacks(reader.map), 1);
	assert_true(record(0, DEPTH));
}

/* It would not find room for a full stack either */
static void without_room_in_the_buffer_a_stack_is_lost_and_not_inserted(void **state)
{
	buffer->size = 1;
	assert_true(record(0, DEPTH));
	assert_true(record(1, DEPTH));
	assert_true(record(0, DEPTH));
	assert_int_equal(nr_events(), 1);
	assert_int_equal(stacks_entries(reader.map), 1);
	assert_int_equal(ftrace_stackmap_sum(reader.map, FTRACE_STACKMAP_NO_EVENT), 2);
	assert_int_equal(ftrace_stackmap_sum(reader.map, FTRACE_STACKMAP_SUCCESS), 1);
	assert_int_equal(ftrace_stackmap_fallbacks(reader.map), 0);
}

/* Once an event is reserved: other stacks take all room that the lookup saw. */
static void take_all_room(void)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[DEPTH];
	unsigned int nr;

	if (!nr_events())
		return;
	shim_step_hook = NULL;
	for (nr = 100; nr < 100 + reader.map->capacity; nr++) {
		stacks_make(frames, DEPTH, nr);
		stacks_put(reader.map, &key, frames, DEPTH);
	}
}

static void where_the_room_went_meanwhile_the_event_is_discarded(void **state)
{
	shim_step_hook = take_all_room;
	assert_false(record(0, DEPTH));
	assert_int_equal(nr_events(), 1);
	assert_int_equal(event(0)->state, SHIM_DISCARDED);
	assert_counted(FTRACE_STACKMAP_NO_CAPACITY, 1);
}

static void a_generation_is_known_while_it_is_in_use(void **state)
{
	u32 generation = reader.map->generation;

	rcu_read_lock();
	assert_ptr_equal(ftrace_stackmap_get_generation(&ftrace_stackmap_root, generation),
			 reader.map);
	assert_ptr_equal(ftrace_stackmap_get_live(&ftrace_stackmap_root, true), reader.map);
	assert_null(ftrace_stackmap_get_generation(&ftrace_stackmap_root, generation + 1));
	assert_null(ftrace_stackmap_get_generation(&ftrace_stackmap_root, 0));
	rcu_read_unlock();

	assert_int_equal(ftrace_stackmap_reset(&ftrace_stackmap_root, NULL), 0);
	rcu_read_lock();
	assert_null(ftrace_stackmap_get_generation(&ftrace_stackmap_root, generation));
	assert_non_null(ftrace_stackmap_get_generation(&ftrace_stackmap_root, generation + 1));
	rcu_read_unlock();

	assert_int_equal(ftrace_stackmap_free(&ftrace_stackmap_root, NULL, false), 0);
	rcu_read_lock();
	assert_null(ftrace_stackmap_get_generation(&ftrace_stackmap_root, generation + 1));
	rcu_read_unlock();
}

#define with_map(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_there_is_tracefs_the_option_makes_no_map),
		with_map(the_option_makes_a_map_and_keeps_it),
		with_map(the_bits_are_taken_from_the_command_line),
		with_map(a_stack_becomes_the_same_cookie_each_time),
		with_map(a_cookie_has_its_task_named),
		with_map(a_cpu_counts_for_itself),
		with_map(without_a_map_a_stack_is_recorded_in_full),
		with_map(where_rcu_does_not_watch_a_stack_is_recorded_in_full),
		with_map(a_depth_that_is_none_is_recorded_in_full),
		with_map(a_full_map_takes_nothing_of_the_buffer),
		with_map(a_stack_too_long_for_the_arena_is_recorded_in_full),
		with_map(without_room_in_the_buffer_a_stack_is_lost_and_not_inserted),
		with_map(where_the_room_went_meanwhile_the_event_is_discarded),
		with_map(a_generation_is_known_while_it_is_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
