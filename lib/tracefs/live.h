/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What other rooms may ask of the map of the running kernel, beside what stackmap.h has.
 */
#ifndef SMAP_TRACEFS_LIVE_H
#define SMAP_TRACEFS_LIVE_H

#include "core/buf.h"
#include "core/map.h"
#include "stackmap.h"
#include "store/store.h"
#include "symbol/symbol.h"

/* The text of stack_map_stat, added to @text. 0 or negative errno with words. */
int smap_live_read_stat(struct stackmap_live *live, struct smap_buf *text);
/* Says that this text is none. Returns @code. */
int smap_live_fail_stat(struct stackmap_live *live, int code);

/* Of the running kernel; lives as long as @live. NULL: no memory. */
const struct smap_origin *smap_live_get_origin(struct stackmap_live *live);

/* For somebody else, who has nothing of it yet: _read() hands out all there is. */
void smap_live_follow_anew(struct stackmap_live *live);

/*
 * The map of now, and the symbols that name its addresses (NULL: none does, or it has names), for a
 * cookie of @generation (NULL: for all). 1: both are the caller's; 0: nothing has changed since the
 * last time, or the map is of another generation now; or negative errno with words in the object's
 * error, -ENODATA: no map, or no stack in it.
 */
int smap_live_read(struct stackmap_live *live, const uint32_t *generation,
		   struct smap_export **ret_export, struct smap_symbols **ret_symbols);

#endif /* SMAP_TRACEFS_LIVE_H */
