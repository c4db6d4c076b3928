// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Name -> symbol of the kernel itself, to tell whether a recorded frame can be of this kernel.
 *
 * An open-addressing table, at most half full. A symbol stands in it under up to four keys: its
 * name and, where it has a ".llvm.NUMBER" tail, its name without; each of them once alone and once
 * with its size. A key stands in it once: of thousands of functions that share a name and a size
 * one is enough to answer.
 */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "table.h"

#define ANY_SIZE	UINT32_MAX	/* the key has no size; larger than any function */

struct name_slot {
	uint32_t	core;		/* number of the symbol + 1, 0: empty */
	uint32_t	len;		/* of the key's name */
	uint32_t	size;		/* or ANY_SIZE */
	uint32_t	hash : 31;
	uint32_t	is_ambiguous : 1;	/* several addresses have this key */
};

struct smap_name_index {
	struct name_slot	*slots;
	unsigned int		bits;
	uint64_t		seed;
};

void smap_name_index_free(struct smap_name_index *index)
{
	if (!index)
		return;
	free(index->slots);
	free(index);
}

static const char *core_name(const struct smap_symbols *symbols, size_t nr)
{
	return symbols->text + symbols->cores[nr].name;
}

/* Length without a ".llvm.NUMBER" tail, which a build with ThinLTO puts behind a name. */
static size_t base_len(const char *name, size_t len)
{
	size_t end = len;

	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	if (end == len || end < 7 || memcmp(name + end - 6, ".llvm.", 6))
		return len;
	return end - 6;
}

struct name_key {
	const char	*name;
	size_t		len;
	uint32_t	size;		/* or ANY_SIZE */
	uint64_t	hash;
};

static struct name_key make_key(const struct smap_name_index *index, const char *name, size_t len,
				uint32_t size)
{
	uint64_t hash = smap_hash_bytes(name, len, index->seed);

	return (struct name_key){ name, len, size, hash ^ size * 0x9e3779b97f4a7c15ULL };
}

/* The slot that has this key, or the empty one where it belongs. */
static struct name_slot *find_slot(const struct smap_symbols *symbols,
				   const struct smap_name_index *index, const struct name_key *key)
{
	size_t mask = ((size_t)1 << index->bits) - 1;
	size_t at = smap_hash_bucket(key->hash, index->seed, index->bits);
	struct name_slot *slot;

	for (;; at = (at + 1) & mask) {
		slot = &index->slots[at];
		if (!slot->core)
			return slot;
		if (slot->hash == (uint32_t)key->hash >> 1 && slot->size == key->size &&
		    slot->len == key->len &&
		    !memcmp(core_name(symbols, slot->core - 1), key->name, key->len))
			return slot;
	}
}

static void add_key(const struct smap_symbols *symbols, struct smap_name_index *index, size_t nr,
		    size_t len, uint32_t size)
{
	struct name_key key = make_key(index, core_name(symbols, nr), len, size);
	struct name_slot *slot = find_slot(symbols, index, &key);

	if (!slot->core)
		*slot = (struct name_slot){
			.core = (uint32_t)nr + 1,
			.len = (uint32_t)len,
			.size = size,
			.hash = (uint32_t)key.hash >> 1,
		};
	else if (symbols->cores[slot->core - 1].address != symbols->cores[nr].address)
		slot->is_ambiguous = 1;
}

static void add_name(const struct smap_symbols *symbols, struct smap_name_index *index, size_t nr,
		     size_t len)
{
	add_key(symbols, index, nr, len, ANY_SIZE);
	add_key(symbols, index, nr, len, symbols->cores[nr].size);
}

static size_t count_keys(const struct smap_symbols *symbols)
{
	size_t nr_keys = 2 * symbols->nr_cores, i, len;
	const char *name;

	for (i = 0; i < symbols->nr_cores; i++) {
		name = core_name(symbols, i);
		len = strlen(name);
		if (base_len(name, len) != len)
			nr_keys += 2;
	}
	return nr_keys;
}

static struct smap_name_index *build_index(const struct smap_symbols *symbols)
{
	struct smap_name_index *index = calloc(1, sizeof(*index));
	const char *name;
	size_t len, i;

	if (!index)
		return NULL;
	index->seed = smap_hash_seed();
	index->bits = smap_hash_bits(count_keys(symbols));
	index->slots = calloc((size_t)1 << index->bits, sizeof(*index->slots));
	if (!index->slots) {
		free(index);
		return NULL;
	}
	for (i = 0; i < symbols->nr_cores; i++) {
		name = core_name(symbols, i);
		len = strlen(name);
		add_name(symbols, index, i, len);
		if (base_len(name, len) != len)
			add_name(symbols, index, i, base_len(name, len));
	}
	return index;
}

/* NULL: no memory; the callers then go through all names, which is slow and right. */
static const struct smap_name_index *get_index(const struct smap_symbols *symbols)
{
	if (!symbols->cache->index)
		symbols->cache->index = build_index(symbols);
	return symbols->cache->index;
}

/* ---- asking ---- */

static bool has_key(const struct smap_symbols *symbols, const struct smap_name_index *index,
		    const char *name, size_t len, uint32_t size)
{
	struct name_key key = make_key(index, name, len, size);

	return find_slot(symbols, index, &key)->core;
}

static bool is_named(const struct smap_symbols *symbols, size_t nr, const char *name, size_t len)
{
	const char *own = core_name(symbols, nr);
	size_t own_len = strlen(own);

	return (len == own_len || len == base_len(own, own_len)) && !memcmp(own, name, len);
}

static enum smap_symbol_match match_slowly(const struct smap_symbols *symbols, const char *name,
					   size_t len, uint64_t size)
{
	enum smap_symbol_match match = SMAP_SYMBOL_ABSENT;
	uint32_t core_size;
	size_t i;

	for (i = 0; i < symbols->nr_cores && match != SMAP_SYMBOL_MATCHES; i++) {
		if (!is_named(symbols, i, name, len))
			continue;
		core_size = symbols->cores[i].size;
		match = core_size == SMAP_CORE_NO_SIZE || core_size == size ?
			SMAP_SYMBOL_MATCHES : SMAP_SYMBOL_OTHER_SIZE;
	}
	return match;
}

enum smap_symbol_match smap_symbols_match(const struct smap_symbols *symbols, const char *name,
					  size_t len, uint64_t size)
{
	const struct smap_name_index *index = get_index(symbols);

	if (!index)
		return match_slowly(symbols, name, len, size);
	if (!has_key(symbols, index, name, len, ANY_SIZE))
		return SMAP_SYMBOL_ABSENT;
	if (has_key(symbols, index, name, len, SMAP_CORE_NO_SIZE))
		return SMAP_SYMBOL_MATCHES;
	if (size <= SMAP_FUNCTION_MAX && has_key(symbols, index, name, len, (uint32_t)size))
		return SMAP_SYMBOL_MATCHES;
	return SMAP_SYMBOL_OTHER_SIZE;
}

static uint64_t address_slowly(const struct smap_symbols *symbols, const char *name, size_t len)
{
	uint64_t address = 0;
	size_t i;

	for (i = 0; i < symbols->nr_cores; i++) {
		if (!is_named(symbols, i, name, len) || symbols->cores[i].address == address)
			continue;
		if (address)
			return 0;
		address = symbols->cores[i].address;
	}
	return address;
}

uint64_t smap_symbols_address(const struct smap_symbols *symbols, const char *name)
{
	const struct smap_name_index *index = get_index(symbols);
	const struct name_slot *slot;
	struct name_key key;

	if (!index)
		return address_slowly(symbols, name, strlen(name));
	key = make_key(index, name, strlen(name), ANY_SIZE);
	slot = find_slot(symbols, index, &key);
	return slot->core && !slot->is_ambiguous ? symbols->cores[slot->core - 1].address : 0;
}
