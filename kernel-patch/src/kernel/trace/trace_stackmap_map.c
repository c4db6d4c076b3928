// SPDX-License-Identifier: GPL-2.0
/*
 * One generation of the stack map: look up, insert, walk. See trace_stackmap_map.h for how it
 * hangs together.
 */
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "trace.h"
#include "trace_stackmap_map.h"

/*
 * Twice as many slots as stacks keep walks short. A walk is cut here: a stack with as many
 * others before it is recorded in full.
 */
#define STACKMAP_MAX_PROBES	64

/* Words of arena a stack: the frames of 22, more than a common stack has, and the head */
#define STACKMAP_WORDS_A_STACK	23

/*
 * Head of a record: the depth, and how the frames are stored. Equal heads are a part of what
 * makes stacks equal, so each stack has to have just one kind.
 */
#define STACKMAP_HEAD_DEPTH	GENMASK(15, 0)
#define STACKMAP_HEAD_KIND	GENMASK(31, 30)

enum stackmap_kind {
	/*
	 * The low half of the address, a word each: it tells the signed distance from _stext,
	 * which fits. On 32 bits, the address.
	 */
	STACKMAP_NEAR		= 0,
	/* As before, and STACKMAP_MARKER stands for FTRACE_TRAMPOLINE_MARKER */
	STACKMAP_NEAR_MARKED	= BIT(30),
	/* The address in two words, low half first: out of reach of _stext, as modules can be */
	STACKMAP_FAR		= BIT(31),
};

#ifdef CONFIG_64BIT
#define STACKMAP_BASE		((unsigned long)_stext)
#else
#define STACKMAP_BASE		0UL
#endif

/* The lowest address within reach */
#define STACKMAP_LOWEST		(STACKMAP_BASE + S32_MIN)

/* No frame of a stack that is stored so is there */
#define STACKMAP_MARKER		lower_32_bits(STACKMAP_LOWEST)

static u32 stackmap_marked_word(unsigned long frame)
{
	return frame == FTRACE_TRAMPOLINE_MARKER ? STACKMAP_MARKER : lower_32_bits(frame);
}

/* Of a stack in which a frame is out of reach */
static enum stackmap_kind stackmap_odd_kind(const unsigned long *frames, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++) {
		if (frames[i] == FTRACE_TRAMPOLINE_MARKER)
			continue;
		if (upper_32_bits(frames[i] - STACKMAP_LOWEST) || frames[i] == STACKMAP_LOWEST)
			return STACKMAP_FAR;
	}
	return STACKMAP_NEAR_MARKED;
}

static void stackmap_make_key(struct ftrace_stackmap_key *key, const unsigned long *frames,
			      unsigned int depth)
{
	enum stackmap_kind kind = STACKMAP_NEAR;
	unsigned long odd = 0;
	u64 hash = depth;

	/*
	 * The loops over frames are most of what a lookup costs. The depth is not known, so that
	 * a compiler leaves them as they are unless it is told.
	 */
#pragma GCC unroll 4
	for (unsigned int i = 0; i < depth; i++) {
		odd |= frames[i] - STACKMAP_LOWEST;
		hash = (hash ^ frames[i]) * GOLDEN_RATIO_64;
	}
	if (unlikely(upper_32_bits(odd)))
		kind = stackmap_odd_kind(frames, depth);

	key->frames = frames;
	key->head = kind | depth;
	key->words = 1 + (kind == STACKMAP_FAR ? 2 * depth : depth);
	/* A product is mixed best at its top */
	key->hash = hash >> 32;
}

/* A stack that is compared is nearly always equal: no way out half way. */
static bool stackmap_equals_near(const u32 *words, const unsigned long *frames,
				 unsigned int depth)
{
	u32 differ = 0;

#pragma GCC unroll 4
	for (unsigned int i = 0; i < depth; i++)
		differ |= words[i] ^ lower_32_bits(frames[i]);
	return !differ;
}

static bool stackmap_equals_marked(const u32 *words, const unsigned long *frames,
				   unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++) {
		if (words[i] != stackmap_marked_word(frames[i]))
			return false;
	}
	return true;
}

static bool stackmap_equals_far(const u32 *words, const unsigned long *frames,
				unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++) {
		if (words[2 * i] != lower_32_bits(frames[i]) ||
		    words[2 * i + 1] != upper_32_bits(frames[i]))
			return false;
	}
	return true;
}

static bool stackmap_equals(const u32 *record, const struct ftrace_stackmap_key *key)
{
	unsigned int depth = key->head & STACKMAP_HEAD_DEPTH;

	if (record[0] != key->head)
		return false;
	switch (key->head & STACKMAP_HEAD_KIND) {
	case STACKMAP_NEAR:
		return stackmap_equals_near(record + 1, key->frames, depth);
	case STACKMAP_NEAR_MARKED:
		return stackmap_equals_marked(record + 1, key->frames, depth);
	default:
		return stackmap_equals_far(record + 1, key->frames, depth);
	}
}

static void stackmap_write(u32 *record, const struct ftrace_stackmap_key *key)
{
	unsigned int depth = key->head & STACKMAP_HEAD_DEPTH;
	u32 kind = key->head & STACKMAP_HEAD_KIND;

	*record++ = key->head;
	for (unsigned int i = 0; i < depth; i++) {
		if (kind == STACKMAP_FAR) {
			*record++ = lower_32_bits(key->frames[i]);
			*record++ = upper_32_bits(key->frames[i]);
		} else if (kind == STACKMAP_NEAR_MARKED) {
			*record++ = stackmap_marked_word(key->frames[i]);
		} else {
			/* The marker too: it is within reach of a kernel that lies low */
			*record++ = lower_32_bits(key->frames[i]);
		}
	}
}

/* The bits of the hash that a slot holds beside the place of its record */
static u32 stackmap_tag(const struct ftrace_stackmap *map, u32 hash)
{
	return hash & map->tag_mask;
}

static u32 stackmap_place(const struct ftrace_stackmap *map, u32 value)
{
	return value & ~map->tag_mask;
}

/*
 * Walk on from where @key is to its stack or to an empty slot. Inline for those that begin: most
 * end at their first slot.
 */
static __always_inline enum ftrace_stackmap_outcome
stackmap_walk(const struct ftrace_stackmap *map, struct ftrace_stackmap_key *key)
{
	u32 tag = stackmap_tag(map, key->hash);

	while (key->probe < STACKMAP_MAX_PROBES) {
		/* Pairs with the cmpxchg_release() that filled the slot: reads a whole record */
		u32 value = smp_load_acquire(&map->slots[key->slot]);

		if (!value)
			return FTRACE_STACKMAP_ABSENT;
		if (stackmap_tag(map, value) == tag &&
		    stackmap_equals(map->arena + stackmap_place(map, value), key))
			return FTRACE_STACKMAP_SUCCESS;
		/* Steps that grow by one meet every slot, and leave a crowded place soon */
		key->slot = (key->slot + ++key->probe) & map->slot_mask;
	}
	return FTRACE_STACKMAP_NO_SLOT;
}

static noinline enum ftrace_stackmap_outcome
stackmap_walk_on(const struct ftrace_stackmap *map, struct ftrace_stackmap_key *key)
{
	return stackmap_walk(map, key);
}

static enum ftrace_stackmap_outcome stackmap_room(const struct ftrace_stackmap *map, u32 words)
{
	if (atomic_read(&map->entries) >= map->capacity)
		return FTRACE_STACKMAP_NO_CAPACITY;
	if (atomic_read(&map->cursor) + words > map->arena_words)
		return FTRACE_STACKMAP_NO_SPACE;
	return FTRACE_STACKMAP_ABSENT;
}

/* What took the last room may have been this very stack, since @key was found to be absent. */
static enum ftrace_stackmap_outcome stackmap_without_room(const struct ftrace_stackmap *map,
							  struct ftrace_stackmap_key *key,
							  enum ftrace_stackmap_outcome cause)
{
	return stackmap_walk_on(map, key) == FTRACE_STACKMAP_SUCCESS ? FTRACE_STACKMAP_SUCCESS :
								       cause;
}

/**
 * ftrace_stackmap_find - look a stack up
 * @map: where
 * @key: made of @frames, which it borrows; says where the stack is or belongs
 * @frames: of the stack, innermost first
 * @depth: number of frames
 *
 * Only reads. In any context.
 *
 * Return: FTRACE_STACKMAP_SUCCESS where @key->slot has it, FTRACE_STACKMAP_ABSENT where it can
 * be inserted with @key, else the cause for which it cannot.
 */
enum ftrace_stackmap_outcome
ftrace_stackmap_find(const struct ftrace_stackmap *map, struct ftrace_stackmap_key *key,
		     const unsigned long *frames, unsigned int depth)
{
	enum ftrace_stackmap_outcome outcome;

	if (unlikely(!depth || depth > FTRACE_STACKMAP_MAX_DEPTH))
		return FTRACE_STACKMAP_BAD_DEPTH;

	stackmap_make_key(key, frames, depth);
	key->slot = key->hash & map->slot_mask;
	key->probe = 0;
	outcome = stackmap_walk(map, key);
	if (likely(outcome != FTRACE_STACKMAP_ABSENT))
		return outcome;
	outcome = stackmap_room(map, key->words);
	if (likely(outcome == FTRACE_STACKMAP_ABSENT))
		return outcome;
	return stackmap_without_room(map, key, outcome);
}

/*
 * Add to a counter what keeps it at or below @max; false: it would pass that.
 *
 * Acquire pairs with stackmap_give_back(): what its last owner wrote to a piece of the arena must
 * not come behind what the next one writes.
 */
static bool stackmap_take(atomic_t *counter, u32 nr, u32 max, u32 *old)
{
	int value = atomic_read(counter);

	/* A repeat means that another context got something */
	do {
		if (value + nr > max)
			return false;
	} while (!atomic_try_cmpxchg_acquire(counter, &value, value + nr));
	*old = value;
	return true;
}

static void stackmap_give_back(struct ftrace_stackmap *map, u32 place, u32 words)
{
	/* Only the last piece can be: others lie behind it otherwise. It was never published. */
	atomic_cmpxchg_release(&map->cursor, place + words, place);
	atomic_dec(&map->entries);
}

/* Take a ticket and a piece of the arena */
static enum ftrace_stackmap_outcome stackmap_take_room(struct ftrace_stackmap *map, u32 words,
						       u32 *place)
{
	u32 ticket;

	if (!stackmap_take(&map->entries, 1, map->capacity, &ticket))
		return FTRACE_STACKMAP_NO_CAPACITY;
	if (!stackmap_take(&map->cursor, words, map->arena_words, place)) {
		atomic_dec(&map->entries);
		return FTRACE_STACKMAP_NO_SPACE;
	}
	return FTRACE_STACKMAP_SUCCESS;
}

/**
 * ftrace_stackmap_insert - insert a stack that was found to be absent
 * @map: where
 * @key: as ftrace_stackmap_find() left it; says where the stack is afterwards
 *
 * In any context, at the same time as others that insert the same stack.
 *
 * Return: FTRACE_STACKMAP_SUCCESS where @key->slot has it, inserted by this context or by
 * another one meanwhile, else the cause for which it could not be inserted.
 */
enum ftrace_stackmap_outcome
ftrace_stackmap_insert(struct ftrace_stackmap *map, struct ftrace_stackmap_key *key)
{
	enum ftrace_stackmap_outcome outcome;
	u32 place;

	outcome = stackmap_take_room(map, key->words, &place);
	if (unlikely(outcome != FTRACE_STACKMAP_SUCCESS))
		return stackmap_without_room(map, key, outcome);

	stackmap_write(map->arena + place, key);
	/* Pairs with the acquire of stackmap_walk() and of whoever reads the map */
	while (cmpxchg_release(&map->slots[key->slot], 0, stackmap_tag(map, key->hash) | place)) {
		/* Lost, which orders nothing: the walk reads this slot once more */
		outcome = stackmap_walk_on(map, key);
		if (outcome != FTRACE_STACKMAP_ABSENT) {
			stackmap_give_back(map, place, key->words);
			return outcome;
		}
	}
	return FTRACE_STACKMAP_SUCCESS;
}

/* The first slot at or behind @slot that has a stack, or the number of slots */
u32 ftrace_stackmap_next_slot(const struct ftrace_stackmap *map, u32 slot)
{
	while (slot <= map->slot_mask && !READ_ONCE(map->slots[slot]))
		slot++;
	return slot;
}

/* False: there is no such slot, or no stack in it. */
bool ftrace_stackmap_get_stack(const struct ftrace_stackmap *map, u32 slot,
			       struct ftrace_stackmap_stack *stack)
{
	u32 value;

	if (slot > map->slot_mask)
		return false;
	/* Pairs with the cmpxchg() in ftrace_stackmap_insert() */
	value = smp_load_acquire(&map->slots[slot]);
	if (!value)
		return false;

	stack->record = map->arena + stackmap_place(map, value);
	stack->slot = slot;
	stack->ref = min_t(u32, atomic_read(&map->refs[slot]), INT_MAX);
	stack->depth = stack->record[0] & STACKMAP_HEAD_DEPTH;
	return true;
}

/* The address, or FTRACE_TRAMPOLINE_MARKER */
unsigned long ftrace_stackmap_get_frame(const struct ftrace_stackmap_stack *stack,
					unsigned int frame)
{
	const u32 *words = stack->record + 1;

	switch (stack->record[0] & STACKMAP_HEAD_KIND) {
	case STACKMAP_NEAR_MARKED:
		if (words[frame] == STACKMAP_MARKER)
			return FTRACE_TRAMPOLINE_MARKER;
		fallthrough;
	case STACKMAP_NEAR:
		return STACKMAP_BASE + (s32)(words[frame] - lower_32_bits(STACKMAP_BASE));
	default:
		return words[2 * frame] | (u64)words[2 * frame + 1] << 32;
	}
}

/* How often it came to @outcome, on all CPUs */
u64 ftrace_stackmap_sum(const struct ftrace_stackmap *map, enum ftrace_stackmap_outcome outcome)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += (unsigned long)local_read(per_cpu_ptr(&map->counters->nr[outcome], cpu));
	return sum;
}

/* Stacks recorded in full since the map is too small for them */
u64 ftrace_stackmap_fallbacks(const struct ftrace_stackmap *map)
{
	return ftrace_stackmap_sum(map, FTRACE_STACKMAP_NO_CAPACITY) +
	       ftrace_stackmap_sum(map, FTRACE_STACKMAP_NO_SPACE) +
	       ftrace_stackmap_sum(map, FTRACE_STACKMAP_NO_SLOT);
}

/*
 * An allocation that fails in the end has taken what there was before, and whoever needs a page
 * meanwhile is killed for it. As for the ring buffer, do not try what there is no memory for.
 */
static void *alloc_tables(size_t size)
{
	if (si_mem_available() <= (long)(size >> PAGE_SHIFT))
		return NULL;
	return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

/**
 * ftrace_stackmap_alloc - make an empty map
 * @bits: room for 2^@bits stacks
 *
 * Fails, rather than to have another task killed for its memory.
 *
 * Return: the map, for ftrace_stackmap_destroy(), or NULL.
 */
struct ftrace_stackmap *ftrace_stackmap_alloc(unsigned int bits)
{
	u32 nr_slots = 2U << bits;
	u32 arena_words = STACKMAP_WORDS_A_STACK << bits;
	struct ftrace_stackmap *map = kzalloc(sizeof(*map), GFP_KERNEL);
	size_t size;

	if (!map)
		return NULL;

	size = array_size(nr_slots, sizeof(*map->slots) + sizeof(*map->refs)) +
	       array_size(arena_words, sizeof(*map->arena));
	map->slots = alloc_tables(size);
	map->counters = alloc_percpu(struct ftrace_stackmap_counters);
	if (!map->slots || !map->counters) {
		ftrace_stackmap_destroy(map);
		return NULL;
	}

	map->refs = (atomic_t *)(map->slots + nr_slots);
	map->arena = (u32 *)(map->refs + nr_slots);
	map->slot_mask = nr_slots - 1;
	map->tag_mask = GENMASK(31, order_base_2(arena_words));
	map->capacity = 1U << bits;
	map->arena_words = arena_words;
	map->memory = sizeof(*map) + size +
		      num_possible_cpus() * sizeof(struct ftrace_stackmap_counters);
	INIT_LIST_HEAD(&map->swapped_out);
	/* Place 0 is never handed out: a slot that holds 0 is empty */
	atomic_set(&map->cursor, 1);
	return map;
}

/* Takes NULL, and a map that was made in part */
void ftrace_stackmap_destroy(struct ftrace_stackmap *map)
{
	if (!map)
		return;
	free_percpu(map->counters);
	vfree(map->slots);
	kfree(map);
}
