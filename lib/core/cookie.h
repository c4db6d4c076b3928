/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cookie = generation << 32 | slot, as the kernel builds it. The only place
 * that shifts by 32; the public stackmap_cookie_*() wrap these.
 */
#ifndef SMAP_CORE_COOKIE_H
#define SMAP_CORE_COOKIE_H

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

#endif /* SMAP_CORE_COOKIE_H */
