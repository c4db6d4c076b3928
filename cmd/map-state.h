/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the kernel's map stands, as stack_map_stat says it.
 */
#ifndef CMD_MAP_STATE_H
#define CMD_MAP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "rotation.h"

struct stackmap_live;

struct map_state {
	bool			is_known;	/* else nothing of it is */
	bool			is_allocated;
	uint64_t		successes;
	struct rotation_look	look;
};

void map_state_read(struct stackmap_live *live, struct map_state *ret_state);

/* Did the map take a stack between @before and @now? True also where that is not known. */
bool map_state_is_used(const struct map_state *before, const struct map_state *now);

#endif /* CMD_MAP_STATE_H */
