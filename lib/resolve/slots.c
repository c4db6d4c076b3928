// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/error.h"
#include "resolve/slots.h"

#define FIRST_COMPACTION	4096

static int compare_slots(const void *a, const void *b)
{
	uint32_t slot_a = *(const uint32_t *)a, slot_b = *(const uint32_t *)b;

	return (slot_a > slot_b) - (slot_a < slot_b);
}

void smap_slots_close(struct smap_slots *slots)
{
	size_t i, nr = 0;

	if (!slots->nr)
		return;
	qsort(slots->slots, slots->nr, sizeof(*slots->slots), compare_slots);
	for (i = 0; i < slots->nr; i++)
		if (!nr || slots->slots[nr - 1] != slots->slots[i])
			slots->slots[nr++] = slots->slots[i];
	slots->nr = nr;
}

int smap_slots_add(struct smap_slots *slots, uint32_t slot)
{
	/* The same stack often comes twice in a row. */
	if (slots->nr && slots->slots[slots->nr - 1] == slot)
		return 0;
	if (slots->nr >= slots->compact_at) {
		smap_slots_close(slots);
		slots->compact_at = slots->nr * 2 > FIRST_COMPACTION ? slots->nr * 2 :
								      FIRST_COMPACTION;
	}
	if (SMAP_ARRAY_GROW(slots->slots, slots->capacity, slots->nr + 1))
		return smap_errno(-ENOMEM);
	slots->slots[slots->nr++] = slot;
	return 0;
}

void smap_slots_release(struct smap_slots *slots)
{
	free(slots->slots);
	*slots = (struct smap_slots){ 0 };
}
