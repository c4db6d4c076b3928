/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an export of the kernel says, in memory: built once, then immutable.
 *
 *	struct smap_export
 *	  maps[]	one per generation, each a run of stacks[]
 *	  stacks[]	sorted by (generation, slot); frames are ids[first .. first + depth)
 *	  ids[]		numbers into frames[]
 *	  frames[]	each distinct frame once: its text in text[], or its address
 *	  index[]	cookie -> stack, open addressing, at most half full
 *
 * A stack repeats few frames of its own but shares nearly all with others (325,000
 * frames in a full map, 19,000 distinct): text is kept, named and spelled per
 * distinct frame, never per stack.
 */
#ifndef SMAP_CORE_MAP_H
#define SMAP_CORE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cookie.h"

/* INT_MAX, which the kernel records in place of an address in ftrace's trampoline. */
#define SMAP_TRAMPOLINE_ADDRESS	0x7fffffffU

enum smap_frame_kind {
	SMAP_FRAME_TEXT,		/* as the kernel printed it, unchanged */
	SMAP_FRAME_ADDRESS,		/* run-time address, still to be named */
	SMAP_FRAME_TRAMPOLINE,		/* the marker of a binary export: "[FTRACE TRAMPOLINE]" */
};

struct smap_frame {
	uint64_t		value;	/* TEXT: offset in export->text; ADDRESS: the address */
	uint32_t		len;	/* TEXT: bytes, without the NUL that follows them */
	enum smap_frame_kind	kind;
};

#define SMAP_STACK_CONFLICT	(1U << 0)	/* another record of this cookie has other frames */
#define SMAP_STACK_DAMAGED	(1U << 1)	/* depth stated and frames found differ, or cut */

struct smap_stack {
	uint32_t	generation;	/* 0 where the format has none: see smap_map */
	uint32_t	slot;
	uint32_t	ref;		/* largest of the records merged into this one */
	uint32_t	depth;		/* frames that are here */
	uint32_t	stated_depth;	/* frames that the record promised */
	uint32_t	flags;
	size_t		first;		/* in export->ids */
};

/* One generation. Stacks that conflict stand side by side in it. */
struct smap_map {
	const struct smap_export *export;
	uint32_t	generation;
	bool		has_generation;
	size_t		first;		/* in export->stacks */
	size_t		nr_stacks;
};

#define SMAP_BUILD_ID_SIZE	20

/* What an export says of the kernel and of the map beside the stacks; 0: it does not. */
struct smap_export_info {
	uint64_t	stext;		/* run-time address of _stext */
	unsigned int	word_size;	/* bytes of an address: 4 or 8 */
	uint32_t	capacity;	/* stacks that the map has room for */
	bool		is_closed;	/* the map was swapped out before the copy began */
	unsigned int	build_id_len;
	uint8_t		build_id[SMAP_BUILD_ID_SIZE];
	bool		random_generation; /* each boot of that kernel begins with a random one */
	bool		has_counts;
	uint64_t	successes;	/* as in stack_map_stat, when the copy ended */
	uint64_t	fallbacks;
};

struct smap_export {
	struct smap_export_info	info;
	struct smap_frame	*frames;
	size_t			nr_frames;
	char			*text;
	uint32_t		*ids;
	size_t			nr_ids;
	struct smap_stack	*stacks;
	size_t			nr_stacks;
	struct smap_map		*maps;
	size_t			nr_maps;
	uint32_t		*index;		/* number of a stack + 1, 0: empty */
	unsigned int		index_bits;
	uint64_t		index_seed;
	bool			has_generation;
	bool			is_brief;	/* the stacks are only counted */
	size_t			nr_repeated;	/* records merged into an earlier one */
	size_t			nr_conflicts;	/* cookies with two different stacks */
	size_t			nr_damaged;	/* stacks that are not whole */
};

/*
 * The stack of @cookie, NULL if there is none. Constant time, no allocation.
 * Where the export has no generation the cookie is the bare slot. With a
 * conflict: the first of them, flagged.
 */
const struct smap_stack *smap_export_find(const struct smap_export *export, uint64_t cookie);

/* The same, within the generation of @map. */
const struct smap_stack *smap_map_find(const struct smap_map *map, uint32_t slot);

static inline const struct smap_frame *smap_export_frame(const struct smap_export *export,
							  const struct smap_stack *stack,
							  uint32_t nr)
{
	return &export->frames[export->ids[stack->first + nr]];
}

static inline const char *smap_frame_text(const struct smap_export *export,
					  const struct smap_frame *frame)
{
	return export->text + frame->value;
}

void smap_export_free(struct smap_export *export);

/*
 * Building. Records in any order, each begun, filled and followed by the next;
 * what a record holds when the next one begins (or at finish) is its stack.
 * Functions return 0 or -ENOMEM (-EOVERFLOW past 2^32 frames or stacks).
 */
struct smap_builder;

struct smap_builder *smap_builder_new(bool has_generation);
/*
 * The same without the stacks, for who saves an export: its map says how many there are, and has
 * none of them when it is asked; its frames, in no order, are the distinct addresses.
 */
struct smap_builder *smap_builder_new_brief(bool has_generation);
/* There is a map of @generation, even if no record of it follows. */
void smap_builder_announce(struct smap_builder *builder, uint32_t generation);
int smap_builder_begin(struct smap_builder *builder, uint32_t generation, uint32_t slot,
		       uint32_t ref, uint32_t stated_depth);
int smap_builder_add_text(struct smap_builder *builder, const char *text, size_t len);
int smap_builder_add_address(struct smap_builder *builder, uint64_t address);
/* One behind the other, none of them the trampoline. */
int smap_builder_add_addresses(struct smap_builder *builder, const uint64_t *addresses, size_t nr);
int smap_builder_add_trampoline(struct smap_builder *builder);
/* Frames that the record which is being filled has so far. */
uint32_t smap_builder_depth(const struct smap_builder *builder);
/* The record which is being filled is not whole, whatever its depth says. */
void smap_builder_mark_damaged(struct smap_builder *builder);
/*
 * Frees the builder, whatever it returns. -ENOTUNIQ, for a brief one: records that are not whole,
 * not of one generation, or do not rise by their slots. How many stacks they are only those tell.
 */
int smap_builder_finish(struct smap_builder *builder, struct smap_export **ret_export);
void smap_builder_free(struct smap_builder *builder);

#endif /* SMAP_CORE_MAP_H */
