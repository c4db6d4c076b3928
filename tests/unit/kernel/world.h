/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map in use that several contexts record into, each stopped where the test wants it.
 *
 * A context records one stack. What it met is kept, and checked when all have come to their end:
 * each cookie is that of its stack, no stack stands in the map twice, none was recorded in full
 * that the map has, and all counts are exact.
 */
#ifndef WORLD_H
#define WORLD_H

#include <linux/types.h>

#include "trace.h"
#include "trace_stackmap.h"

/* The map has room for 8 stacks and 16 slots */
#define WORLD_BITS		3
#define WORLD_MAX_CONTEXTS	4

/* The stacks that contexts record, all but the last two of one depth */
enum world_stack {
	WORLD_ONE,
	WORLD_COLLIDING,	/* with the first, as to its slot */
	WORLD_OTHER,
	WORLD_LONG,
	WORLD_SHORT,
	WORLD_NR_STACKS,
	WORLD_NONE = WORLD_NR_STACKS,
};

/* What of the map is taken before */
enum world_room {
	WORLD_EMPTY,
	WORLD_LAST_TICKET,	/* one more stack */
	WORLD_LAST_SPACE,	/* one more stack of the common depth */
	WORLD_LITTLE_SPACE,	/* one more short one */
	WORLD_LAST_SLOT,	/* one more stack of those that collide: where all do */
	WORLD_FULL,
	WORLD_NR_ROOMS,
};

struct world_context {
	enum world_stack	stack;
	bool			done;
	bool			as_cookie;	/* or lost, which the map counts */
	bool			absent;		/* recorded in full, and in no slot then */
};

struct world {
	struct ftrace_stackmap_reader	reader;
	struct ftrace_stackmap		*map;
	struct trace_buffer		*buffer;
	enum world_room			room;
	bool				at_once;	/* a context ends in the midst of another */
	unsigned int			nr_contexts;
	struct world_context		contexts[WORLD_MAX_CONTEXTS];
	uint32_t			entries;	/* before the contexts */
};

/* False: there is no such room, since not all stacks collide. */
bool world_begin(struct world *world, enum world_room room, unsigned int buffer_size);
/* Record a stack, as the context that is the next */
void world_record(struct world *world, enum world_stack stack);
/* Fails the test where something is not as it has to be. */
void world_end(struct world *world);

#endif
