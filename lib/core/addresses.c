// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>

#include "addresses.h"
#include "error.h"
#include "hash.h"

static size_t table_size(const struct smap_addresses *set)
{
	return set->table ? (size_t)1 << set->bits : 0;
}

/* One that is not in it yet. */
static void insert(struct smap_addresses *set, uint64_t address)
{
	size_t mask = table_size(set) - 1;
	size_t at = smap_hash_bucket(address, set->seed, set->bits);

	while (set->table[at])
		at = (at + 1) & mask;
	set->table[at] = address;
	set->nr++;
}

static int grow(struct smap_addresses *set)
{
	struct smap_addresses grown = {
		.bits = smap_hash_bits((set->nr + 1) * 2),
		.seed = set->table ? set->seed : smap_hash_seed(),
		.has_zero = set->has_zero,
	};
	size_t i;

	grown.table = calloc((size_t)1 << grown.bits, sizeof(*grown.table));
	if (!grown.table)
		return smap_errno(-ENOMEM);
	for (i = 0; i < table_size(set); i++)
		if (set->table[i])
			insert(&grown, set->table[i]);
	free(set->table);
	*set = grown;
	return 0;
}

static int add_new(struct smap_addresses *set, uint64_t address)
{
	if (!address) {
		set->has_zero = true;
		return 0;
	}
	if (set->nr * 2 >= table_size(set) && grow(set))
		return -ENOMEM;
	insert(set, address);
	return 0;
}

/* How many come before the first that is not in the table. */
static size_t nr_known(const struct smap_addresses *set, const uint64_t *addresses, size_t nr)
{
	const uint64_t *table = set->table, seed = set->seed;
	const size_t mask = table_size(set) - 1;
	const unsigned int bits = set->bits;
	size_t i, at;

	if (!table)
		return 0;
	for (i = 0; i < nr; i++) {
		at = smap_hash_bucket(addresses[i], seed, bits);
		while (table[at] != addresses[i] || !addresses[i]) {
			if (!table[at])
				return i;
			at = (at + 1) & mask;
		}
	}
	return nr;
}

bool smap_addresses_has(const struct smap_addresses *set, uint64_t address)
{
	return address ? nr_known(set, &address, 1) : set->has_zero;
}

int smap_addresses_add(struct smap_addresses *set, const uint64_t *addresses, size_t nr)
{
	size_t at = 0;

	while ((at += nr_known(set, addresses + at, nr - at)) < nr)
		if (add_new(set, addresses[at++]))
			return -ENOMEM;
	return 0;
}

size_t smap_addresses_nr(const struct smap_addresses *set)
{
	return set->nr + set->has_zero;
}

void smap_addresses_list(const struct smap_addresses *set, uint64_t *room)
{
	size_t i;

	for (i = 0; i < table_size(set); i++)
		if (set->table[i])
			*room++ = set->table[i];
	if (set->has_zero)
		*room = 0;
}

void smap_addresses_release(struct smap_addresses *set)
{
	free(set->table);
	*set = (struct smap_addresses){ 0 };
}
