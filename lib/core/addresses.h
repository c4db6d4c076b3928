/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A set of addresses: each distinct one of an export, for who has no use for the stacks. Nearly all
 * that is added is in it already, and costs a dozen instructions. Cookies will do as well.
 */
#ifndef SMAP_CORE_ADDRESSES_H
#define SMAP_CORE_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smap_addresses {
	uint64_t	*table;		/* at most half full; 0: empty */
	unsigned int	bits;
	uint64_t	seed;
	size_t		nr;		/* in the table */
	bool		has_zero;	/* that is in no table */
};

bool smap_addresses_has(const struct smap_addresses *set, uint64_t address);
/* All zero is an empty one. 0 or -ENOMEM: then some of them are in it. */
int smap_addresses_add(struct smap_addresses *set, const uint64_t *addresses, size_t nr);
size_t smap_addresses_nr(const struct smap_addresses *set);
/* In no order, into @room for all of them. */
void smap_addresses_list(const struct smap_addresses *set, uint64_t *room);
void smap_addresses_release(struct smap_addresses *set);

#endif /* SMAP_CORE_ADDRESSES_H */
