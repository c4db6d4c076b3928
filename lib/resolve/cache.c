// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>

#include "resolve/cache.h"

static void put(struct smap_cache *cache, uint64_t key, void *value)
{
	size_t mask = ((size_t)1 << cache->bits) - 1;
	size_t at = smap_hash_bucket(key, cache->seed, cache->bits);

	while (cache->entries[at].value)
		at = (at + 1) & mask;
	cache->entries[at].key = key;
	cache->entries[at].value = value;
}

static int grow(struct smap_cache *cache)
{
	struct smap_cache grown = { .bits = smap_hash_bits((cache->nr + 1) * 2), .nr = cache->nr };
	size_t i;

	grown.seed = cache->entries ? cache->seed : smap_hash_seed();
	grown.entries = calloc((size_t)1 << grown.bits, sizeof(*grown.entries));
	if (!grown.entries)
		return smap_errno(-ENOMEM);
	for (i = 0; cache->entries && i < (size_t)1 << cache->bits; i++)
		if (cache->entries[i].value)
			put(&grown, cache->entries[i].key, cache->entries[i].value);
	free(cache->entries);
	*cache = grown;
	return 0;
}

int smap_cache_add(struct smap_cache *cache, uint64_t key, void *value)
{
	if ((!cache->entries || cache->nr * 2 >= (size_t)1 << cache->bits) && grow(cache))
		return smap_errno(-ENOMEM);
	put(cache, key, value);
	cache->nr++;
	return 0;
}

void smap_cache_release(struct smap_cache *cache, void (*free_value)(void *value))
{
	size_t i;

	for (i = 0; cache->entries && i < (size_t)1 << cache->bits; i++)
		if (cache->entries[i].value)
			free_value(cache->entries[i].value);
	free(cache->entries);
	*cache = (struct smap_cache){ 0 };
}
