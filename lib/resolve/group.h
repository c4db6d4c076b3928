/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which maps are copies of one: see resolver.h.
 */
#ifndef SMAP_RESOLVE_GROUP_H
#define SMAP_RESOLVE_GROUP_H

#include "resolve/resolver.h"

/*
 * Put @map, which is loaded, into a group of @set or into one of its own. Maps whose boot is
 * known come first, so that the order in which files were given does not matter. What is more than
 * can be told apart sets set->overflow. 0 or -ENOMEM.
 */
int smap_set_add_map(struct smap_set *set, struct stackmap_map *map);

int smap_group_add(struct smap_group *group, struct stackmap_map *map);

/* Both boots are known, and the same. */
bool smap_saves_same_boot(const struct stackmap_save *a, const struct stackmap_save *b);
bool smap_maps_same_boot(const struct stackmap_map *a, const struct stackmap_map *b);

#endif /* SMAP_RESOLVE_GROUP_H */
