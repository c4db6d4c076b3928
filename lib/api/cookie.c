// SPDX-License-Identifier: LGPL-2.1-or-later
#include "core/cookie.h"
#include "core/export.h"
#include "stackmap.h"

SMAP_PUBLIC uint64_t stackmap_cookie_make(uint32_t generation, uint32_t slot)
{
	return smap_cookie(generation, slot);
}

SMAP_PUBLIC uint32_t stackmap_cookie_get_generation(uint64_t cookie)
{
	return smap_cookie_generation(cookie);
}

SMAP_PUBLIC uint32_t stackmap_cookie_get_slot(uint64_t cookie)
{
	return smap_cookie_slot(cookie);
}

SMAP_PUBLIC bool stackmap_generation_is_later(uint32_t generation, uint32_t than)
{
	return smap_generation_is_later(generation, than);
}
