// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap free: save the running kernel's map, then give its memory back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "interrupt.h"
#include "live.h"
#include "saves.h"

enum {
	KEY_NO_SAVE = CMD_KEY_OWN,
	KEY_JSON,
};

struct freeing {
	const char	*output;	/* NULL: not given */
	bool		no_save;
	bool		as_json;
};

/* CMD_OK, or why the map cannot be freed. */
static int check_live(struct stackmap_live *live)
{
	int enabled;

	if (!(stackmap_live_get_abilities(live) & STACKMAP_CAN_FREE))
		return cmd_error("this kernel (series 4 to 7) keeps its map until it is rebooted");
	enabled = stackmap_live_is_enabled(live);
	if (enabled < 0)
		return live_error(live);
	if (enabled)
		return cmd_error("the option stackmap is set, stacks are still recorded into the "
				 "map; clear it first: echo 0 > %s/options/stackmap",
				 stackmap_live_get_dir(live));
	return CMD_OK;
}

/* 1: a map is allocated, *ret_entries stacks are in it; 0: none; -1 after cmd_error(). */
static int look_at_map(struct stackmap_live *live, uint64_t *ret_entries)
{
	struct stackmap_stat *stat = stackmap_live_read_stat(live);
	int ret;

	/* Without it nothing tells. */
	if (!stat && errno == ENOENT) {
		*ret_entries = UINT64_MAX;
		return 1;
	}
	if (!stat) {
		live_error(live);
		return -1;
	}
	ret = !stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, ret_entries);
	stackmap_stat_free(stat);
	return ret;
}

static int save_first(const struct freeing *args, struct stackmap_live *live,
		      struct stackmap_saved *saved)
{
	const char *path = args->output ? args->output : LIVE_DEFAULT_OUTPUT;
	bool given_up;
	int err;

	live_begin_saving("saving the map to", path);
	err = stackmap_live_save(live, path, saved);
	given_up = interrupt_end();
	if (err && given_up)
		return cmd_error("given up: %s holds what it held before, and the map is not freed",
				 path);
	return err ? live_error(live) : CMD_OK;
}

static void print_json(const struct stackmap_live *live, const struct stackmap_saved *saved,
		       const char *path)
{
	struct json json = JSON_INIT;

	json_open(&json, NULL, '{');
	json_bool(&json, "freed", true);
	live_print_saved_json(&json, live, saved, path);
	json_close(&json, '}');
	putchar('\n');
}

static void print_freed(const struct freeing *args, const struct stackmap_live *live,
			const struct stackmap_saved *saved, bool is_saved)
{
	const char *path = args->output ? args->output : LIVE_DEFAULT_OUTPUT;

	if (args->as_json) {
		print_json(live, is_saved ? saved : NULL, path);
		return;
	}
	if (is_saved)
		live_print_saved(live, saved, path);
	puts(args->no_save ? "the map is freed, not saved" : "the map is freed");
}

/* What is saved by then is there to be found. */
static int tell_failed(struct stackmap_live *live, bool is_saved)
{
	char words[1024];

	if (!is_saved)
		return live_error(live);
	snprintf(words, sizeof(words), "the map is saved, not freed: %s",
		 stackmap_live_get_error(live));
	return cmd_library_error(words);
}

static int save_and_free(const struct freeing *args, struct stackmap_live *live)
{
	struct stackmap_saved saved = { .size = sizeof(saved) };
	bool is_saved = false;
	uint64_t entries;
	int ret;

	if (check_live(live) != CMD_OK)
		return CMD_FAILED;
	ret = look_at_map(live, &entries);
	if (ret < 0)
		return CMD_FAILED;
	if (!ret)
		return cmd_error("no map is allocated: there is nothing to free");
	if (!args->no_save && entries) {
		if (save_first(args, live, &saved) != CMD_OK)
			return CMD_FAILED;
		is_saved = true;
	}
	if (saved.has_losses)
		return cmd_error("the map is saved, not freed: it may still have what is missing; "
				 "save again, or free it with --no-save");
	if (stackmap_live_free_map(live, STACKMAP_FREE_NOWAIT))
		return tell_failed(live, is_saved);
	print_freed(args, live, &saved, is_saved);
	return CMD_OK;
}

static int free_live(const struct freeing *args)
{
	struct stackmap_live *live = live_open();
	int status;

	if (!live)
		return CMD_FAILED;
	status = save_and_free(args, live);
	stackmap_live_free(live);
	return status;
}

static int check_arguments(const struct freeing *args)
{
	if (args->no_save && args->output)
		return cmd_error("-o has no use with --no-save");
	return args->output ? live_check_output(args->output) : CMD_OK;
}

static int run_free(const struct command *cmd, int argc, char **argv)
{
	struct freeing freeing = { .output = NULL };
	int key, status = CMD_FAILED;
	struct cmd_args args;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (key == KEY_NO_SAVE)
			freeing.no_save = true;
		else if (key == KEY_JSON)
			freeing.as_json = true;
		else
			freeing.output = args.value;
	}
	if (key == CMD_ARGS_END && cmd_args_first(&args) < argc)
		cmd_error("'%s' is too much: the file to save to is given with -o FILE",
			  argv[cmd_args_first(&args)]);
	else if (key == CMD_ARGS_END && check_arguments(&freeing) == CMD_OK)
		status = free_live(&freeing);
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option free_own_options[] = {
	{ 'o', "output", "FILE", NULL,
	  "saved-map file to append to; default " LIVE_DEFAULT_OUTPUT },
	{ KEY_NO_SAVE, "no-save", NULL, NULL,
	  "only free: cookies recorded so far are never resolved" },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const free_options[] = { free_own_options, NULL };

const struct command cmd_free = {
	.name = "free",
	.synopsis = "[OPTION...]",
	.summary = "Save the map of the running kernel, then free its memory",
	.help =
"\n"
"The option stackmap has to be cleared before. The next time that it is set, the kernel\n"
"allocates a new map.\n",
	.options = free_options,
	.run = run_free,
};
