// SPDX-License-Identifier: GPL-2.0-or-later
#include <stackmap.h>

#include "map-state.h"

static uint64_t field_of(const struct stackmap_stat *stat, const char *name)
{
	uint64_t value;

	return stackmap_stat_find(stat, name, &value) ? 0 : value;
}

void map_state_read(struct stackmap_live *live, struct map_state *ret_state)
{
	struct stackmap_stat *stat = stackmap_live_read_stat(live);
	struct map_state state = { .is_known = stat };
	uint64_t generation;

	if (stat) {
		state.is_allocated = !stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES,
							&state.look.entries);
		stackmap_stat_get(stat, STACKMAP_STAT_CAPACITY, &state.look.capacity);
		stackmap_stat_get(stat, STACKMAP_STAT_SUCCESSES, &state.successes);
		if (!stackmap_stat_get(stat, STACKMAP_STAT_GENERATION, &generation)) {
			state.look.has_generation = true;
			state.look.generation = (uint32_t)generation;
		}
		state.look.arena_used = field_of(stat, "arena_used");
		state.look.arena_size = field_of(stat, "arena_size");
		stackmap_stat_free(stat);
	}
	*ret_state = state;
}

bool map_state_is_used(const struct map_state *before, const struct map_state *now)
{
	if (!now->is_known)
		return true;
	return now->look.entries && (now->successes != before->successes ||
				     now->look.generation != before->look.generation ||
				     now->look.entries != before->look.entries);
}
