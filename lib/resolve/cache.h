/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 64-bit key -> value. Open addressing in a table at most half full; one multiplication and
 * nearly always one probe for an event whose cookie was seen before.
 */
#ifndef SMAP_RESOLVE_CACHE_H
#define SMAP_RESOLVE_CACHE_H

#include "core/hash.h"
#include "resolve/resolver.h"

static inline void *smap_cache_find(const struct smap_cache *cache, uint64_t key)
{
	size_t at, mask;

	if (!cache->entries)
		return NULL;
	mask = ((size_t)1 << cache->bits) - 1;
	at = smap_hash_bucket(key, cache->seed, cache->bits);
	while (cache->entries[at].value && cache->entries[at].key != key)
		at = (at + 1) & mask;
	return cache->entries[at].value;
}

/* @key is not in it. Takes @value, not NULL, on success only; 0 or -ENOMEM. */
int smap_cache_add(struct smap_cache *cache, uint64_t key, void *value);
void smap_cache_release(struct smap_cache *cache, void (*free_value)(void *value));

#endif /* SMAP_RESOLVE_CACHE_H */
