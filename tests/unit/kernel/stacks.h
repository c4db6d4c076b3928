/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks for the tests of the map, and what all of them do with a map.
 */
#ifndef STACKS_H
#define STACKS_H

#include "trace_stackmap_map.h"

#include "shim.h"

/* The @nr-th of stacks that are all distinct, also from those of another depth; near _stext */
static inline void stacks_make(unsigned long *frames, unsigned int depth, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < depth; i++)
		frames[i] = shim_stext + 0x1000 + (nr + 1) * 0x40UL + i * 4;
}

/* What recording does with a map, without the ring buffer */
static inline enum ftrace_stackmap_outcome
stacks_put(struct ftrace_stackmap *map, struct ftrace_stackmap_key *key,
	   const unsigned long *frames, unsigned int depth)
{
	enum ftrace_stackmap_outcome outcome = ftrace_stackmap_find(map, key, frames, depth);

	return outcome == FTRACE_STACKMAP_ABSENT ? ftrace_stackmap_insert(map, key) : outcome;
}

static inline bool stacks_are_equal(const struct ftrace_stackmap_stack *stack,
				    const unsigned long *frames, unsigned int depth)
{
	unsigned int i;

	if (stack->depth != depth)
		return false;
	for (i = 0; i < depth; i++) {
		if (ftrace_stackmap_get_frame(stack, i) != frames[i])
			return false;
	}
	return true;
}

static inline bool stacks_slot_has(const struct ftrace_stackmap *map, uint32_t slot,
				   const unsigned long *frames, unsigned int depth)
{
	struct ftrace_stackmap_stack stack;

	return ftrace_stackmap_get_stack(map, slot, &stack) &&
	       stacks_are_equal(&stack, frames, depth);
}

static inline uint32_t stacks_nr_records(const struct ftrace_stackmap *map)
{
	uint32_t slot, nr = 0;

	for (slot = ftrace_stackmap_next_slot(map, 0); slot < ftrace_stackmap_nr_slots(map);
	     slot = ftrace_stackmap_next_slot(map, slot + 1))
		nr++;
	return nr;
}

static inline uint32_t stacks_entries(const struct ftrace_stackmap *map)
{
	return (uint32_t)atomic_read(&map->entries);
}

/* Words of the arena that are taken, with the one that is never handed out */
static inline uint32_t stacks_cursor(const struct ftrace_stackmap *map)
{
	return (uint32_t)atomic_read(&map->cursor);
}

#endif
