// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap record: trace-cmd record, with the maps of what it records.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "real.h"
#include "record.h"
#include "record-options.h"
#include "recording.h"

/* For execv(): @real, @command, -O stackmap where @adds, the @nr words. NULL after cmd_nomem(). */
static char **make_argv(const char *real, const char *command, bool adds, char **words, int nr)
{
	char **argv = calloc(nr + 5, sizeof(*argv));
	int at = 0;

	if (!argv) {
		cmd_nomem();
		return NULL;
	}
	argv[at++] = (char *)real;
	argv[at++] = (char *)command;
	if (adds) {
		argv[at++] = (char *)"-O";
		argv[at++] = (char *)"stackmap";
	}
	memcpy(argv + at, words, nr * sizeof(*argv));
	return argv;
}

int record_become(const char *real, const char *command, char **words, int nr)
{
	char **argv = make_argv(real, command, false, words, nr);
	int status = argv ? real_become(real, argv) : CMD_FAILED;

	free(argv);
	return status;
}

void record_warn_misplaced(const struct record_options *options)
{
	if (!options->misplaced)
		return;
	if (options->misplaced_guest)
		cmd_warn("-O stackmap behind %s is the guest's: save its map there",
			 options->misplaced);
	else
		cmd_warn("-O stackmap behind -B %s: only the top level has a map; stacks are "
			 "recorded in full there, or trace-cmd ends (3.4)", options->misplaced);
}

int record_run(const struct record_options *options, const char *real)
{
	bool adds = options->stackmap == RECORD_UNSAID;
	char **argv, **plain;
	int status;

	if (options->is_usage || options->stackmap == RECORD_OFF)
		return record_become(real, "record", options->argv, options->argc);
	argv = make_argv(real, "record", adds, options->argv, options->argc);
	plain = make_argv(real, "record", false, options->argv, options->argc);
	status = argv && plain ? recording_run(options, real, argv, plain) : CMD_FAILED;
	free(argv);
	free(plain);
	return status;
}

static int run_record(const struct command *cmd, int argc, char **argv)
{
	struct record_options options;
	int status = CMD_FAILED;
	char *real;

	if (record_options_read(&options, argc, argv) != CMD_OK)
		return CMD_FAILED;
	if (options.is_help) {
		status = cmd_print_help(cmd);
	} else {
		real = real_find();
		if (real) {
			record_warn_misplaced(&options);
			status = record_run(&options, real);
		}
		free(real);
	}
	record_options_release(&options);
	return status;
}

static const struct cmd_option *const record_options[] = { record_own_options, NULL };

const struct command cmd_record = {
	.name = "record",
	.synopsis = "[OPTION...] [OPTION OF TRACE-CMD RECORD...] [COMMAND...]",
	.summary = "Record with trace-cmd, and put the maps into the trace",
	.help =
"\n"
"All options of \"trace-cmd record\" are options here, in the same words, up to the command\n"
"that is traced; -O stackmap is added. \"trace-cmd record -O stackmap\" does the same.\n",
	.options = record_options,
	.is_wrapper = true,
	.run = run_record,
};
