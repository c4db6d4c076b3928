/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One generation of the stack map: each distinct stack once, under a slot.
 *
 *	hash of a stack
 *	   |
 *	   v	     slots		    arena
 *	 [ 0       |	 0 ]
 *	 [ tag     | place ] ------------> [ head | frame 0 | frame 1 | ... ]
 *	 [ 0       |	 0 ]
 *	    ...
 *
 * A map is never cleared and nothing in it ever moves or goes away: a slot is written once,
 * from 0 to the place of a record that is complete by then. That gives all the guarantees:
 *
 *  - A reader meets a whole stack or none, on whatever CPU and in whatever context.
 *  - Whoever looks for a stack walks the slots in one order, given by its hash, to the first
 *    that is empty. Two contexts that insert the same stack hence meet at the same empty slot,
 *    one of them wins it, the other finds the stack there: no stack stands in a map twice.
 *  - A lookup only reads what is never written again. What every insert writes, the cursor
 *    and the ticket, has a cache line of its own, and so do the use counts.
 *
 * Nothing here waits or allocates once a map exists, so all of it may run in an NMI. To start
 * over, make a new map; see trace_stackmap.c, which also says how long a map lives.
 *
 * The frames of a stack are nearly always within 2 GiB of _stext, where they take 4 bytes
 * each, see enum stackmap_kind.
 */
#ifndef _TRACE_STACKMAP_MAP_H
#define _TRACE_STACKMAP_MAP_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/local.h>

#define FTRACE_STACKMAP_BITS_MIN	10
#define FTRACE_STACKMAP_BITS_MAX	18
#define FTRACE_STACKMAP_BITS_DEFAULT	14

/* As many as a record can count */
#define FTRACE_STACKMAP_MAX_DEPTH	U16_MAX

/* What became of a stack. All but the last are counted, per map and CPU. */
enum ftrace_stackmap_outcome {
	FTRACE_STACKMAP_SUCCESS,	/* its slot is known */
	/* The fallbacks: this map is too small */
	FTRACE_STACKMAP_NO_CAPACITY,	/* as many stacks as it may have */
	FTRACE_STACKMAP_NO_SPACE,	/* its frames do not fit the arena */
	FTRACE_STACKMAP_NO_SLOT,	/* all slots that it may take are taken */
	/* No map would have taken it */
	FTRACE_STACKMAP_BAD_DEPTH,	/* no frame, or more than can be counted */
	FTRACE_STACKMAP_NO_EVENT,	/* the ring buffer had no room: lost */
	FTRACE_STACKMAP_NR_COUNTED,
	/* Not in the map, which has room for it */
	FTRACE_STACKMAP_ABSENT = FTRACE_STACKMAP_NR_COUNTED,
};

struct ftrace_stackmap_counters {
	local_t			nr[FTRACE_STACKMAP_NR_COUNTED];
};

struct ftrace_stackmap {
	/* What a lookup reads; constant once the map is published */
	u32			*slots;
	u32			*arena;
	atomic_t		*refs;		/* times recorded, by slot */
	struct ftrace_stackmap_counters __percpu *counters;
	u32			slot_mask;
	u32			tag_mask;	/* of what a slot holds; the rest is the place */
	u32			generation;	/* given when it is published */
	u32			capacity;	/* stacks */
	u32			arena_words;
	size_t			memory;		/* bytes that the map takes in all */

	/* How long it lives: guarded by the lock of its root, see trace_stackmap.c */
	u64			sequence ____cacheline_aligned_in_smp; /* of maps since boot */
	struct list_head	swapped_out;
	unsigned int		nr_files;	/* that hold it */
	unsigned int		nr_freeing;	/* of these, in the midst of a "free" */
	bool			closed;		/* nobody inserts or counts any more */

	/* What an insert writes */
	atomic_t		cursor ____cacheline_aligned_in_smp; /* free words begin here */
	atomic_t		entries;
};

/* A stack that is looked for: made by ftrace_stackmap_find() */
struct ftrace_stackmap_key {
	const unsigned long	*frames;
	u32			head;		/* of its record */
	u32			words;		/* that its record takes */
	u32			hash;
	u32			slot;		/* where it is, or the empty one where it belongs */
	u32			probe;		/* slots passed on the way */
};

/* A stack in a map */
struct ftrace_stackmap_stack {
	const u32		*record;
	u32			slot;
	u32			ref;		/* at most INT_MAX */
	u32			depth;
};

struct ftrace_stackmap *ftrace_stackmap_alloc(unsigned int bits);
void ftrace_stackmap_destroy(struct ftrace_stackmap *map);

enum ftrace_stackmap_outcome
ftrace_stackmap_find(const struct ftrace_stackmap *map, struct ftrace_stackmap_key *key,
		     const unsigned long *frames, unsigned int depth);
enum ftrace_stackmap_outcome
ftrace_stackmap_insert(struct ftrace_stackmap *map, struct ftrace_stackmap_key *key);

u32 ftrace_stackmap_next_slot(const struct ftrace_stackmap *map, u32 slot);
bool ftrace_stackmap_get_stack(const struct ftrace_stackmap *map, u32 slot,
			       struct ftrace_stackmap_stack *stack);
unsigned long ftrace_stackmap_get_frame(const struct ftrace_stackmap_stack *stack,
					unsigned int frame);
u64 ftrace_stackmap_sum(const struct ftrace_stackmap *map, enum ftrace_stackmap_outcome outcome);
u64 ftrace_stackmap_fallbacks(const struct ftrace_stackmap *map);

static inline u32 ftrace_stackmap_nr_slots(const struct ftrace_stackmap *map)
{
	return map->slot_mask + 1;
}

static inline u64 ftrace_stackmap_cookie(const struct ftrace_stackmap *map, u32 slot)
{
	return (u64)map->generation << 32 | slot;
}

/* With preemption off: what is counted belongs to this CPU. */
static inline void ftrace_stackmap_count(struct ftrace_stackmap *map,
					 enum ftrace_stackmap_outcome outcome)
{
	local_inc(this_cpu_ptr(&map->counters->nr[outcome]));
}

/*
 * Count the use of a stack. The count may pass INT_MAX by as many as are between the two
 * lines at once; whoever reads it cuts it back.
 */
static inline void ftrace_stackmap_count_use(struct ftrace_stackmap *map, u32 slot)
{
	if (likely((u32)atomic_read(&map->refs[slot]) < INT_MAX))
		atomic_inc(&map->refs[slot]);
	ftrace_stackmap_count(map, FTRACE_STACKMAP_SUCCESS);
}

#endif /* _TRACE_STACKMAP_MAP_H */
