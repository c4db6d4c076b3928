/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cookie = generation << 32 | slot, as the kernel builds it. The only place
 * that shifts by 32; the public functions wrap these.
 */
#ifndef SMAP_CORE_COOKIE_H
#define SMAP_CORE_COOKIE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t smap_cookie(uint32_t generation, uint32_t slot)
{
	return (uint64_t)generation << 32 | slot;
}

static inline uint32_t smap_cookie_generation(uint64_t cookie)
{
	return (uint32_t)(cookie >> 32);
}

static inline uint32_t smap_cookie_slot(uint64_t cookie)
{
	return (uint32_t)cookie;
}

/* Numbers go round: more than half of all of them lie behind each. */
static inline bool smap_generation_is_later(uint32_t generation, uint32_t than)
{
	return generation != than && generation - than <= INT32_MAX;
}

#endif /* SMAP_CORE_COOKIE_H */
