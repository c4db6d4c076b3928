// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hash.h"

uint64_t smap_hash_seed(void)
{
	uint64_t seed;

	/* Early in boot there may be none: the address of a local is better than a constant. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uintptr_t)&seed * 0x9e3779b97f4a7c15ULL;
	return seed;
}

uint64_t smap_hash_bytes(const void *data, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, len, seed);
}

/* The length being known here, little is left of it. */
uint64_t smap_hash_u64(uint64_t value, uint64_t seed)
{
	return XXH3_64bits_withSeed(&value, sizeof(value), seed);
}
