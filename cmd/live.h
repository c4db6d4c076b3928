/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands share that act on the map of the running kernel.
 */
#ifndef CMD_LIVE_H
#define CMD_LIVE_H

#include <stdbool.h>

#include <stackmap.h>

#include "json.h"

/* Where the maps of what trace-cmd records by default are looked for. */
#define LIVE_DEFAULT_OUTPUT	"trace.dat.stackmap"

/*
 * The map of the running kernel, found and looked at. NULL after cmd_error(). To be freed with
 * stackmap_live_free().
 */
struct stackmap_live *live_open(void);
/* What the last function said that failed; CMD_FAILED. */
int live_error(const struct stackmap_live *live);

/* Interrupts can give it up until interrupt_end(); @doing: "saving the map to", @path. */
void live_begin_saving(const char *doing, const char *path);

/* A place that saved maps can be written to? CMD_OK, or CMD_FAILED after cmd_error(). */
int live_check_output(const char *path);

/*
 * What a save or a reset did: a line for people, or the member "saved" of a JSON object, null where
 * @saved is NULL. @path: the file that was asked for.
 */
void live_print_saved(const struct stackmap_live *live, const struct stackmap_saved *saved,
		      const char *path);
/* CMD_FOUND: something is lost, or the map not where it was to go; of either a line was said. */
int live_saved_status(const struct stackmap_saved *saved);
void live_print_saved_json(struct json *json, const struct stackmap_live *live,
			   const struct stackmap_saved *saved, const char *path);

#endif /* CMD_LIVE_H */
