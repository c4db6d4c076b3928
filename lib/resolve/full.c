// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stacks that the kernel recorded in full: addresses instead of a cookie. Named, spelled and kept
 * as the stacks of a saved map are, so that nobody who prints them can tell the two apart.
 *
 *	stack_table[]	addresses -> answer, open addressing, at most half full
 *	frame_table[]	address -> number of its frame in export.frames[]
 *	source, export	as those of a save, but they grow
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/export.h"
#include "core/hash.h"
#include "resolve/full.h"

struct full_stack {
	struct stackmap_stack	answer;
	struct smap_stack	stack;
	uint64_t		hash;
};

struct smap_full {
	struct smap_source	source;
	struct smap_export	export;
	size_t			frames_capacity;
	size_t			names_capacity;
	size_t			short_names_capacity;
	size_t			ids_capacity;
	uint64_t		seed;
	struct full_stack	**stack_table;
	unsigned int		stack_bits;
	size_t			nr_stacks;
	uint32_t		*frame_table;	/* number + 1, 0: empty */
	unsigned int		frame_bits;
};

static struct smap_full *full_new(struct stackmap_resolver *resolver)
{
	struct smap_full *full = calloc(1, sizeof(*full));

	if (!full)
		return NULL;
	full->seed = smap_hash_seed();
	full->source.resolver = resolver;
	full->source.export = &full->export;
	/* The trace's own know best what is in the trace. */
	errno = 0;
	full->source.tables[0] = smap_resolver_trace_symbols(resolver);
	if (!full->source.tables[0] && errno == ENOMEM)
		goto no_memory;
	full->source.tables[1] = smap_resolver_given_symbols(resolver);
	if (!full->source.tables[1] && errno == ENOMEM)
		goto no_memory;
	return full;

no_memory:
	free(full);
	return NULL;
}

void smap_full_free(struct smap_full *full)
{
	size_t i;

	if (!full)
		return;
	for (i = 0; full->stack_table && i < (size_t)1 << full->stack_bits; i++) {
		if (full->stack_table[i]) {
			free(full->stack_table[i]->answer.text);
			free(full->stack_table[i]);
		}
	}
	for (i = 0; i < full->export.nr_frames; i++) {
		free(full->source.names[i]);
		free(full->source.short_names[i]);
	}
	free(full->source.names);
	free(full->source.short_names);
	free(full->export.frames);
	free(full->export.ids);
	free(full->stack_table);
	free(full->frame_table);
	free(full);
}

/* ---- frames ---- */

static size_t frame_place(const struct smap_full *full, const uint32_t *table, unsigned int bits,
			  uint64_t address)
{
	size_t mask = ((size_t)1 << bits) - 1;
	size_t at = smap_hash_bucket(address, full->seed, bits);

	while (table[at] && full->export.frames[table[at] - 1].value != address)
		at = (at + 1) & mask;
	return at;
}

static int grow_frame_table(struct smap_full *full)
{
	size_t nr = full->export.nr_frames, i;
	unsigned int bits;
	uint32_t *table;

	if (full->frame_table && nr + 1 <= ((size_t)1 << full->frame_bits) / 2)
		return 0;
	bits = smap_hash_bits((nr + 1) * 2);
	table = calloc((size_t)1 << bits, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		table[frame_place(full, table, bits, full->export.frames[i].value)] = i + 1;
	free(full->frame_table);
	full->frame_table = table;
	full->frame_bits = bits;
	return 0;
}

/* 0 or -ENOMEM */
static int frame_of(struct smap_full *full, uint64_t address, uint32_t *ret_number)
{
	size_t nr = full->export.nr_frames, at;

	if (nr >= UINT32_MAX - 1 || grow_frame_table(full))
		return -ENOMEM;
	at = frame_place(full, full->frame_table, full->frame_bits, address);
	if (full->frame_table[at]) {
		*ret_number = full->frame_table[at] - 1;
		return 0;
	}
	if (SMAP_ARRAY_GROW(full->export.frames, full->frames_capacity, nr + 1) ||
	    SMAP_ARRAY_GROW(full->source.names, full->names_capacity, nr + 1) ||
	    SMAP_ARRAY_GROW(full->source.short_names, full->short_names_capacity, nr + 1))
		return -ENOMEM;
	full->export.frames[nr] = (struct smap_frame){
		.value = address,
		.kind = address == SMAP_TRAMPOLINE_ADDRESS ? SMAP_FRAME_TRAMPOLINE :
								    SMAP_FRAME_ADDRESS,
	};
	full->source.names[nr] = NULL;
	full->source.short_names[nr] = NULL;
	full->export.nr_frames = nr + 1;
	full->frame_table[at] = nr + 1;
	*ret_number = nr;
	return 0;
}

/* ---- stacks ---- */

static bool same_stack(const struct smap_full *full, const struct full_stack *stack,
		       const uint64_t *addresses, size_t nr)
{
	const uint32_t *ids = full->export.ids + stack->stack.first;
	size_t i;

	if (stack->stack.depth != nr)
		return false;
	for (i = 0; i < nr; i++) {
		if (full->export.frames[ids[i]].value != addresses[i])
			return false;
	}
	return true;
}

static int grow_stack_table(struct smap_full *full)
{
	struct full_stack **table;
	size_t mask, i, at;
	unsigned int bits;

	if (full->stack_table && full->nr_stacks + 1 <= ((size_t)1 << full->stack_bits) / 2)
		return 0;
	bits = smap_hash_bits((full->nr_stacks + 1) * 2);
	mask = ((size_t)1 << bits) - 1;
	table = calloc((size_t)1 << bits, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (i = 0; full->stack_table && i < (size_t)1 << full->stack_bits; i++) {
		if (!full->stack_table[i])
			continue;
		at = smap_hash_bucket(full->stack_table[i]->hash, full->seed, bits);
		while (table[at])
			at = (at + 1) & mask;
		table[at] = full->stack_table[i];
	}
	free(full->stack_table);
	full->stack_table = table;
	full->stack_bits = bits;
	return 0;
}

static struct full_stack *stack_new(struct smap_full *full, const uint64_t *addresses, size_t nr)
{
	size_t first = full->export.nr_ids, i;
	struct full_stack *stack;

	if (SMAP_ARRAY_GROW(full->export.ids, full->ids_capacity, first + nr))
		return NULL;
	for (i = 0; i < nr; i++) {
		if (frame_of(full, addresses[i], &full->export.ids[first + i]))
			return NULL;
	}
	stack = calloc(1, sizeof(*stack));
	if (!stack)
		return NULL;
	full->export.nr_ids = first + nr;
	stack->stack.depth = nr;
	stack->stack.stated_depth = nr;
	stack->stack.first = first;
	stack->answer.verdict = STACKMAP_VERDICT_RESOLVED;
	stack->answer.reason = "";
	stack->answer.source = &full->source;
	stack->answer.stack = &stack->stack;
	return stack;
}

static struct full_stack *find(struct smap_full *full, const uint64_t *addresses, size_t nr)
{
	uint64_t hash = smap_hash_bytes(addresses, nr * sizeof(*addresses), full->seed);
	struct full_stack *stack;
	size_t at, mask;

	if (grow_stack_table(full))
		return NULL;
	mask = ((size_t)1 << full->stack_bits) - 1;
	at = smap_hash_bucket(hash, full->seed, full->stack_bits);
	while ((stack = full->stack_table[at])) {
		if (stack->hash == hash && same_stack(full, stack, addresses, nr))
			return stack;
		at = (at + 1) & mask;
	}
	stack = stack_new(full, addresses, nr);
	if (!stack)
		return NULL;
	stack->hash = hash;
	full->stack_table[at] = stack;
	full->nr_stacks++;
	return stack;
}

SMAP_PUBLIC struct stackmap_stack *
stackmap_resolver_find_addresses(struct stackmap_resolver *resolver, const uint64_t *addresses,
				 uint32_t nr)
{
	struct full_stack *stack;

	resolver->in_use = true;
	if (!resolver->full)
		resolver->full = full_new(resolver);
	stack = resolver->full ? find(resolver->full, addresses, nr) : NULL;
	if (!stack) {
		errno = ENOMEM;
		return NULL;
	}
	return &stack->answer;
}
