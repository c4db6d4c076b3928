// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap save: a durable copy of the running kernel's map.
 */
#include <stdio.h>

#include "cmd.h"
#include "interrupt.h"
#include "live.h"

enum {
	KEY_JSON = CMD_KEY_OWN,
};

struct save {
	const char	*output;
	bool		as_json;
};

static void print_json(const struct stackmap_live *live, const struct stackmap_saved *saved,
		       const char *path)
{
	struct json json = JSON_INIT;

	json_open(&json, NULL, '{');
	live_print_saved_json(&json, live, saved, path);
	json_close(&json, '}');
	putchar('\n');
}

static int save_map(const struct save *save, struct stackmap_live *live)
{
	struct stackmap_saved saved = { .size = sizeof(saved) };
	bool given_up;
	int err;

	live_begin_saving("saving the map to", save->output);
	err = stackmap_live_save(live, save->output, &saved);
	given_up = interrupt_end();
	if (err && given_up)
		return cmd_error("given up: %s holds what it held before, and the kernel's map is "
				 "as it was", save->output);
	if (err)
		return live_error(live);
	if (save->as_json)
		print_json(live, &saved, save->output);
	else
		live_print_saved(live, &saved, save->output);
	return live_saved_status(&saved);
}

static int save_live(const struct save *save)
{
	struct stackmap_live *live;
	int status;

	if (live_check_output(save->output) != CMD_OK)
		return CMD_FAILED;
	live = live_open();
	if (!live)
		return CMD_FAILED;
	status = save_map(save, live);
	stackmap_live_free(live);
	return status;
}

static int run_save(const struct command *cmd, int argc, char **argv)
{
	struct save save = { .output = LIVE_DEFAULT_OUTPUT };
	int key, status = CMD_FAILED;
	struct cmd_args args;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (key == KEY_JSON)
			save.as_json = true;
		else
			save.output = args.value;
	}
	if (key == CMD_ARGS_END && cmd_args_first(&args) < argc)
		cmd_error("'%s' is too much: the file to save to is given with -o FILE",
			  argv[cmd_args_first(&args)]);
	else if (key == CMD_ARGS_END)
		status = save_live(&save);
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option save_own_options[] = {
	{ 'o', "output", "FILE", NULL,
	  "saved-map file to append to; default " LIVE_DEFAULT_OUTPUT },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const save_options[] = { save_own_options, NULL };

const struct command cmd_save = {
	.name = "save",
	.synopsis = "[OPTION...]",
	.summary = "Save the map of the running kernel",
	.help =
"\n"
"Appends the map to a saved-map file, with names and statistics; the kernel's map stays\n"
"as it is. A fuller copy of a generation that the file has takes the place of that.\n",
	.options = save_options,
	.run = run_save,
};
