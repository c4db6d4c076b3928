/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What ties a saved map to the trace: see tie.c.
 */
#ifndef SMAP_RESOLVE_TIE_H
#define SMAP_RESOLVE_TIE_H

#include "resolve/resolver.h"

/* 1: @map is of the boot of the trace, or of the cookies that name its generation; 0; -ENOMEM. */
int smap_map_is_proven(struct stackmap_map *map);

/*
 * 1: @map is of another boot than the trace, as a cookie proves, and map->foreign says which;
 * 0; -ENOMEM. Scans the trace once, where there is something to compare.
 */
int smap_map_is_foreign(struct stackmap_map *map);

/* A stack of @map was believed: once a resolver, say what is not proven. 0 or -ENOMEM. */
int smap_tie_tell(struct stackmap_map *map);

void smap_firsts_free(struct smap_firsts *firsts);

#endif /* SMAP_RESOLVE_TIE_H */
