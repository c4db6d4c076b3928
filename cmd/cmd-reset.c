// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap reset: save the running kernel's map, then have it go on with an empty one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "interrupt.h"
#include "live.h"
#include "saves.h"

enum {
	KEY_NO_SAVE = CMD_KEY_OWN,
	KEY_PAUSE,
	KEY_JSON,
};

struct reset {
	const char	*output;	/* NULL: not given */
	bool		no_save;
	bool		pause;
	bool		as_json;
};

/* The generation of the map in use; false where that is unknown. */
static bool get_generation(struct stackmap_live *live, uint64_t *ret_generation)
{
	struct stackmap_stat *stat = stackmap_live_read_stat(live);
	bool is_known;

	is_known = stat && !stackmap_stat_get(stat, STACKMAP_STAT_GENERATION, ret_generation);
	stackmap_stat_free(stat);
	return is_known;
}

static void print_json(const struct stackmap_live *live, const struct stackmap_saved *saved,
		       const char *path)
{
	struct json json = JSON_INIT;

	json_open(&json, NULL, '{');
	json_bool(&json, "reset", true);
	live_print_saved_json(&json, live, saved, path);
	json_close(&json, '}');
	putchar('\n');
}

/* ---- without saving ---- */

static void print_reset(const struct reset *reset, struct stackmap_live *live)
{
	uint64_t generation;

	if (reset->as_json)
		print_json(live, NULL, NULL);
	else if (get_generation(live, &generation))
		printf("the map is reset, not saved; generation %" PRIu64 " begins\n", generation);
	else
		printf("the map is reset, not saved\n");
}

/* The kernel takes a reset without a map, too. Where there are no statistics, nothing tells. */
static bool has_map(struct stackmap_live *live)
{
	struct stackmap_stat *stat = stackmap_live_read_stat(live);
	uint64_t entries;
	bool has;

	has = !stat || !stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &entries);
	stackmap_stat_free(stat);
	return has;
}

static int reset_only(const struct reset *reset, struct stackmap_live *live)
{
	if (!has_map(live))
		return cmd_error("no map is allocated: there is nothing to reset");
	if (stackmap_live_reset(live))
		return live_error(live);
	print_reset(reset, live);
	return CMD_OK;
}

/* ---- with ---- */

/*
 * The counters are read just before the reset, which clears them: what comes in that moment is in
 * none. What is missing is no failure, but scripts have to learn of it: CMD_FOUND.
 */
static int tell_missing(const struct reset *reset, struct stackmap_live *live,
			const struct stackmap_saved *saved)
{
	const char *advice = reset->pause ? "" : "; --pause stops recording meanwhile";

	if (saved->nr_missing == STACKMAP_MISSING_UNKNOWN) {
		cmd_warn("stacks that came between copy and reset may be missing, nothing tells "
			 "how many%s", advice);
		return CMD_FOUND;
	}
	if (saved->nr_missing) {
		cmd_warn("%" PRIu64 " %s that came between copy and reset, and what came in the "
			 "moment of the reset, may be missing%s", saved->nr_missing,
			 saved->nr_missing == 1 ? "stack" : "stacks", advice);
		return CMD_FOUND;
	}
	if (!reset->pause && !(stackmap_live_get_abilities(live) & STACKMAP_CAN_ROTATE))
		cmd_warn("no stack came between copy and reset; one of the moment of the reset "
			 "itself could be missing%s", advice);
	return CMD_OK;
}

/* The user interrupted twice. */
static int tell_given_up(struct stackmap_live *live, const char *path, bool was_known,
			 uint64_t before)
{
	uint64_t after;

	if (!was_known || !get_generation(live, &after) || after == before)
		return cmd_error("given up: %s holds what it held before, and the map is not reset",
				 path);
	return cmd_error("given up after the reset: %s holds what it held before, and the stacks "
			 "of generation %" PRIu64 " are lost", path, before);
}

/* What it holds for the next time ends with us. */
static int tell_failed(struct stackmap_live *live, bool was_known, uint64_t before)
{
	char words[1024];
	uint64_t after;

	snprintf(words, sizeof(words), "%s", stackmap_live_get_error(live));
	if (!was_known || !get_generation(live, &after) || after == before)
		return cmd_library_error(words);
	return cmd_error("generation %" PRIu64 " is lost: %s", before, words);
}

static int rotate(const struct reset *reset, struct stackmap_live *live)
{
	const char *path = reset->output ? reset->output : LIVE_DEFAULT_OUTPUT;
	struct stackmap_saved saved = { .size = sizeof(saved) };
	unsigned int flags = reset->pause ? STACKMAP_ROTATE_PAUSE : 0;
	uint64_t before = 0;
	bool given_up, is_known = get_generation(live, &before);
	int err, status;

	live_begin_saving("saving the map before its reset to", path);
	err = stackmap_live_rotate(live, path, flags, &saved);
	given_up = interrupt_end();
	if (err && given_up)
		return tell_given_up(live, path, is_known, before);
	if (err)
		return tell_failed(live, is_known, before);
	if (reset->as_json)
		print_json(live, &saved, path);
	else
		live_print_saved(live, &saved, path);
	status = tell_missing(reset, live, &saved);
	return live_saved_status(&saved) == CMD_OK ? status : CMD_FOUND;
}

static int reset_live(const struct reset *reset)
{
	struct stackmap_live *live = live_open();
	int status;

	if (!live)
		return CMD_FAILED;
	if (reset->no_save)
		status = reset_only(reset, live);
	else if (!(stackmap_live_get_abilities(live) & STACKMAP_CAN_GENERATIONS))
		status = cmd_error("not reset: cookies of this kernel (series 4 to 7) do not say "
				   "whether they are from before or after it; finish the trace, "
				   "save, then reset with --no-save");
	else
		status = rotate(reset, live);
	stackmap_live_free(live);
	return status;
}

static int check_arguments(const struct reset *reset)
{
	if (reset->no_save && (reset->output || reset->pause))
		return cmd_error("%s has no use with --no-save",
				 reset->output ? "-o" : "--pause");
	return reset->output ? live_check_output(reset->output) : CMD_OK;
}

static void take_option(struct reset *reset, int key, const char *value)
{
	switch (key) {
	case 'o':
		reset->output = value;
		break;
	case KEY_NO_SAVE:
		reset->no_save = true;
		break;
	case KEY_PAUSE:
		reset->pause = true;
		break;
	case KEY_JSON:
		reset->as_json = true;
		break;
	}
}

static int run_reset(const struct command *cmd, int argc, char **argv)
{
	struct reset reset = { .output = NULL };
	int key, status = CMD_FAILED;
	struct cmd_args args;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0)
		take_option(&reset, key, args.value);
	if (key == CMD_ARGS_END && cmd_args_first(&args) < argc)
		cmd_error("'%s' is too much: the file to save to is given with -o FILE",
			  argv[cmd_args_first(&args)]);
	else if (key == CMD_ARGS_END && check_arguments(&reset) == CMD_OK)
		status = reset_live(&reset);
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option reset_own_options[] = {
	{ 'o', "output", "FILE", NULL,
	  "saved-map file to append to; default " LIVE_DEFAULT_OUTPUT },
	{ KEY_NO_SAVE, "no-save", NULL, NULL,
	  "only reset: cookies recorded so far are never resolved" },
	{ KEY_PAUSE, "pause", NULL, NULL,
	  "stop recording meanwhile, where stacks would be lost" },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const reset_options[] = { reset_own_options, NULL };

const struct command cmd_reset = {
	.name = "reset",
	.synopsis = "[OPTION...]",
	.summary = "Save the map of the running kernel, then empty it",
	.help =
"\n"
"Tracing runs on. Where the kernel gives the old map to who resets it, no stack is\n"
"lost; with series 8, how many can be missing is said; with series 4 to 7 it refuses.\n",
	.options = reset_options,
	.run = run_reset,
};
