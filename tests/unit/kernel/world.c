// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <linux/rcupdate.h>

#include "stacks.h"
#include "world.h"

#define DEPTH		6
#define DEPTH_LONG	9
#define DEPTH_SHORT	3
#define MAX_PROBES	64	/* of the map */

static struct {
	unsigned int	depth;
	unsigned long	frames[DEPTH_LONG];
} stacks[WORLD_NR_STACKS];

static uint32_t first_slot(const struct ftrace_stackmap *map, const unsigned long *frames,
			   unsigned int depth)
{
	struct ftrace_stackmap_key key;

	assert_int_equal(ftrace_stackmap_find(map, &key, frames, depth), FTRACE_STACKMAP_ABSENT);
	return key.slot;
}

static void make_stack(enum world_stack stack, unsigned int depth, unsigned int nr)
{
	stacks[stack].depth = depth;
	stacks_make(stacks[stack].frames, depth, nr);
}

/* @map is empty */
static void make_stacks(const struct ftrace_stackmap *map)
{
	unsigned int nr = 1000;
	uint32_t slot;

	make_stack(WORLD_ONE, DEPTH, 0);
	make_stack(WORLD_OTHER, DEPTH, 1);
	make_stack(WORLD_LONG, DEPTH_LONG, 2);
	make_stack(WORLD_SHORT, DEPTH_SHORT, 3);
	slot = first_slot(map, stacks[WORLD_ONE].frames, DEPTH);
	do {
		make_stack(WORLD_COLLIDING, DEPTH, nr++);
	} while (first_slot(map, stacks[WORLD_COLLIDING].frames, DEPTH) != slot);
}

/* Stacks of which no context records one; @depth of the @nr-th. False: there is no room. */
static bool fill(struct ftrace_stackmap *map, unsigned int nr, unsigned int depth)
{
	struct ftrace_stackmap_key key;
	unsigned long frames[1024];

	assert_true(depth <= 1024);
	stacks_make(frames, depth, 100 + nr);
	return stacks_put(map, &key, frames, depth) == FTRACE_STACKMAP_SUCCESS;
}

/* Of the arena, leave @words. */
static void fill_arena(struct ftrace_stackmap *map, unsigned int words)
{
	assert_true(fill(map, 0, map->arena_words - words - stacks_cursor(map) - 1));
	assert_int_equal(map->arena_words - stacks_cursor(map), words);
}

static void fill_map(struct ftrace_stackmap *map, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		assert_true(fill(map, i, 1));
}

/* Do stacks that share nothing share the slots that they may take? */
static bool all_collide(const struct ftrace_stackmap *map)
{
	uint32_t slot = first_slot(map, stacks[WORLD_ONE].frames, DEPTH);

	return first_slot(map, stacks[WORLD_OTHER].frames, DEPTH) == slot &&
	       first_slot(map, stacks[WORLD_SHORT].frames, DEPTH_SHORT) == slot;
}

static bool make_room(struct ftrace_stackmap *map, enum world_room room)
{
	switch (room) {
	case WORLD_EMPTY:
		return true;
	case WORLD_LAST_TICKET:
		fill_map(map, map->capacity - 1);
		return true;
	case WORLD_LAST_SPACE:
		fill_arena(map, 1 + DEPTH);
		return true;
	case WORLD_LITTLE_SPACE:
		fill_arena(map, 1 + DEPTH_SHORT + 1);
		return true;
	case WORLD_LAST_SLOT:
		if (!all_collide(map))
			return false;
		fill_map(map, MAX_PROBES - 1);
		return true;
	default:
		fill_map(map, map->capacity);
		return true;
	}
}

bool world_begin(struct world *world, enum world_room room, unsigned int buffer_size)
{
	bool there_is;

	memset(world, 0, sizeof(*world));
	world->room = room;
	/* For as many slots that are passed a map of 8 stacks has too few */
	ftrace_stackmap_root.bits = room == WORLD_LAST_SLOT ? 7 : WORLD_BITS;
	assert_int_equal(ftrace_stackmap_enable(&ftrace_stackmap_root), 0);
	world->reader.root = &ftrace_stackmap_root;
	ftrace_stackmap_hold(&world->reader);
	world->map = world->reader.map;
	world->buffer = shim_buffer_new(buffer_size);
	make_stacks(world->map);
	there_is = make_room(world->map, room);
	world->entries = stacks_entries(world->map);
	if (!there_is)
		world_end(world);
	return there_is;
}

static bool has_stack(const struct world *world, enum world_stack stack)
{
	struct ftrace_stackmap_key key;
	void (*hook)(void) = shim_step_hook;
	bool has;

	shim_step_hook = NULL;
	has = ftrace_stackmap_find(world->map, &key, stacks[stack].frames, stacks[stack].depth) ==
	      FTRACE_STACKMAP_SUCCESS;
	shim_step_hook = hook;
	return has;
}

void world_record(struct world *world, enum world_stack stack)
{
	struct world_context *context = &world->contexts[world->nr_contexts++];

	context->stack = stack;
	preempt_disable();
	context->as_cookie = ftrace_stackmap_record(world->buffer, stack, stacks[stack].frames,
						    stacks[stack].depth);
	preempt_enable();
	context->absent = !context->as_cookie && !has_stack(world, stack);
	context->done = true;
}

static void check_events(const struct world *world, unsigned int *uses, unsigned int *nr_discarded)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++) {
		for (i = 0; i < world->buffer->cpus[cpu].nr; i++) {
			const struct ring_buffer_event *event = &world->buffer->cpus[cpu].events[i];
			unsigned int stack = event->entry.ent.trace_ctx;

			assert_int_not_equal(event->state, SHIM_RESERVED);
			if (event->state == SHIM_DISCARDED) {
				++*nr_discarded;
				continue;
			}
			assert_int_equal(event->entry.stack_cookie >> 32, world->map->generation);
			assert_true(stacks_slot_has(world->map, (uint32_t)event->entry.stack_cookie,
						    stacks[stack].frames, stacks[stack].depth));
			uses[stack]++;
		}
	}
}

/* Each stack once at most, used as often as there are cookies of it, and at least once */
static void check_stacks(const struct world *world, const unsigned int *uses)
{
	uint32_t nr = stacks_nr_records(world->map), slot, new = 0;
	struct ftrace_stackmap_stack stack;
	unsigned int i, times;

	for (i = 0; i < WORLD_NR_STACKS; i++) {
		times = 0;
		for (slot = 0; slot < ftrace_stackmap_nr_slots(world->map); slot++) {
			if (!stacks_slot_has(world->map, slot, stacks[i].frames, stacks[i].depth))
				continue;
			assert_true(ftrace_stackmap_get_stack(world->map, slot, &stack));
			assert_int_equal(stack.ref, uses[i]);
			times++;
		}
		assert_int_equal(times, uses[i] ? 1 : 0);
		new += times;
	}
	assert_int_equal(nr, world->entries + new);
	assert_int_equal(stacks_entries(world->map), nr);
	assert_true(nr <= world->map->capacity);
	assert_true(stacks_cursor(world->map) <= world->map->arena_words);
}

static void check_counts(const struct world *world, const unsigned int *uses,
			 unsigned int nr_discarded)
{
	u64 cookies = 0, full = 0, used = 0;
	unsigned int i;

	for (i = 0; i < world->nr_contexts; i++) {
		assert_true(world->contexts[i].done);
		cookies += world->contexts[i].as_cookie;
		full += !world->contexts[i].as_cookie;
		if (world->contexts[i].as_cookie)
			continue;
		assert_int_not_equal(world->room, WORLD_EMPTY);
		/*
		 * What is recorded in full is not in the map. Unless a CPU took the last room for
		 * it, and had not published it yet: another one does not wait for that.
		 */
		assert_true(world->at_once || world->contexts[i].absent);
	}
	for (i = 0; i < WORLD_NR_STACKS; i++)
		used += uses[i];
	assert_int_equal(ftrace_stackmap_sum(world->map, FTRACE_STACKMAP_SUCCESS), used);
	assert_int_equal(ftrace_stackmap_sum(world->map, FTRACE_STACKMAP_NO_EVENT), cookies - used);
	assert_int_equal(ftrace_stackmap_fallbacks(world->map), full);
	assert_true(nr_discarded <= full);
}

void world_end(struct world *world)
{
	unsigned int uses[WORLD_NR_STACKS] = { 0 }, nr_discarded = 0;

	check_events(world, uses, &nr_discarded);
	check_stacks(world, uses);
	check_counts(world, uses, nr_discarded);
	shim_buffer_free(world->buffer);
	ftrace_stackmap_release(&world->reader);
	assert_int_equal(ftrace_stackmap_free(&ftrace_stackmap_root, NULL, true), 0);
	assert_int_equal(shim_nr_allocated(), 0);
}
