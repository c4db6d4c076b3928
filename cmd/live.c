// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the commands share that act on the map of the running kernel: see live.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "interrupt.h"
#include "live.h"
#include "saves.h"

struct stackmap_live *live_open(void)
{
	struct stackmap_live *live = stackmap_live_new(NULL);

	if (!live) {
		cmd_nomem();
		return NULL;
	}
	stackmap_live_set_log(live, cmd_log, NULL);
	/* Each save that is asked for by hand is a process of its own. */
	stackmap_live_set_keep_names(live, true);
	if (!stackmap_live_open(live))
		return live;
	live_error(live);
	stackmap_live_free(live);
	return NULL;
}

int live_error(const struct stackmap_live *live)
{
	return cmd_library_error(stackmap_live_get_error(live));
}

int live_check_output(const char *path)
{
	if (!strcmp(path, "-"))
		return cmd_error("saved maps cannot be written to standard output; give a file "
				 "with -o FILE");
	return *path ? CMD_OK : cmd_error("-o: a file name is missing");
}

void live_begin_saving(const char *doing, const char *path)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s %s", doing, path);
	interrupt_begin(CMD_FAILED);
	interrupt_stage(text, "given up; nothing new is saved");
}

/* ---- results ---- */

static const char *written_to(const struct stackmap_live *live, const char *path)
{
	const char *real = stackmap_live_get_path(live);

	return real ? real : path;
}

void live_print_saved(const struct stackmap_live *live, const struct stackmap_saved *saved,
		      const char *path)
{
	print_escaped(written_to(live, path));
	printf(": ");
	if (saved->has_generation)
		printf("generation %" PRIu32 " saved, ", saved->generation);
	else
		printf("saved, ");
	print_count(saved->nr_stacks, "stack", "stacks");
	printf(", ");
	print_count(saved->len, "byte", "bytes");
	puts(saved->is_reset ? "; the map is reset" : "");
}

int live_saved_status(const struct stackmap_saved *saved)
{
	return saved->is_elsewhere || saved->has_losses ? CMD_FOUND : CMD_OK;
}

void live_print_saved_json(struct json *json, const struct stackmap_live *live,
			   const struct stackmap_saved *saved, const char *path)
{
	if (!saved) {
		json_null(json, "saved");
		return;
	}
	json_open(json, "saved", '{');
	json_text(json, "path", written_to(live, path));
	json_bool(json, "elsewhere", saved->is_elsewhere);
	json_bool(json, "losses", saved->has_losses);
	if (saved->has_generation)
		json_number(json, "generation", saved->generation);
	else
		json_null(json, "generation");
	json_number(json, "stacks", saved->nr_stacks);
	json_number(json, "bytes", saved->len);
	json_bool(json, "complete", saved->is_complete);
	if (saved->nr_missing == STACKMAP_MISSING_UNKNOWN)
		json_null(json, "missing");
	else
		json_number(json, "missing", saved->nr_missing);
	json_close(json, '}');
}
