/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The distinct slots of a trace. Added in the order of the events, millions of them and few
 * distinct; repeats are sorted out whenever the array has doubled, so that memory follows the
 * distinct ones.
 */
#ifndef SMAP_RESOLVE_SLOTS_H
#define SMAP_RESOLVE_SLOTS_H

#include <stdint.h>

#include "resolve/resolver.h"

int smap_slots_add(struct smap_slots *slots, uint32_t slot);	/* 0 or -ENOMEM */
/* Sort, each slot once: slots->slots[0..nr). */
void smap_slots_close(struct smap_slots *slots);
void smap_slots_release(struct smap_slots *slots);

#endif /* SMAP_RESOLVE_SLOTS_H */
