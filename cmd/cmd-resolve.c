// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap resolve: the trace with its stacks expanded.
 */
#include "cmd.h"

static const struct cmd_option *const resolve_options[] = {
	cmd_maps_options,
	cmd_style_options,
	NULL
};

static int run_resolve(const struct command *cmd, int argc, char **argv)
{
	struct cmd_maps maps = CMD_MAPS_INIT;
	struct cmd_args args;
	int key;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (cmd_maps_take(&maps, key, args.value) < 0)
			key = CMD_ARGS_BAD;
	}
	cmd_args_release(&args);
	cmd_maps_release(&maps);
	return key == CMD_ARGS_END ? CMD_OK : CMD_FAILED;
}

const struct command cmd_resolve = {
	.name = "resolve",
	.synopsis = "[OPTION...] [TRACE.DAT...]",
	.summary = "Show a trace with its stacks expanded",
	.options = resolve_options,
	.run = run_resolve,
};
