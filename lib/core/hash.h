/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hashing for tables whose keys come from a file: with a random number of the
 * process's own in it, so that no file can be made whose keys all collide.
 */
#ifndef SMAP_CORE_HASH_H
#define SMAP_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A random number for one table. */
uint64_t smap_hash_seed(void);

uint64_t smap_hash_bytes(const void *data, size_t len, uint64_t seed);
/* The same of the bytes of @value. */
uint64_t smap_hash_u64(uint64_t value, uint64_t seed);

/* Bucket of @key in a table of 2^bits (bits >= 1): multiply and shift, @seed made odd. */
static inline size_t smap_hash_bucket(uint64_t key, uint64_t seed, unsigned int bits)
{
	key ^= key >> 32;
	return (size_t)(key * (seed | 1) >> (64 - bits));
}

/* Smallest number of bits whose table is at most half full with @nr keys. */
static inline unsigned int smap_hash_bits(size_t nr)
{
	unsigned int bits = 4;

	while (bits < 8 * sizeof(size_t) - 1 && ((size_t)1 << bits) / 2 < nr)
		bits++;
	return bits;
}

#endif /* SMAP_CORE_HASH_H */
