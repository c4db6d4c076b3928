/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The candidates of one generation: see resolver.h for what makes two maps copies of one.
 */
#ifndef SMAP_RESOLVE_SET_H
#define SMAP_RESOLVE_SET_H

#include "resolve/resolver.h"

/* For cookies of @generation. NULL: no memory. */
struct smap_set *smap_set_of_generation(struct stackmap_resolver *resolver, uint32_t generation);

/* For cookies without generation, from maps that were saved after @after_ns or at no known time. */
struct smap_set *smap_set_of_slots(struct stackmap_resolver *resolver, uint64_t after_ns);

void smap_set_free(struct smap_set *set);
/* Of one that is not asked any more: only what was told stays. */
void smap_set_keep_words(struct smap_set *set);

#endif /* SMAP_RESOLVE_SET_H */
