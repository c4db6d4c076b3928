// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "record" is taken over where -O stackmap is among its options. Of the other commands that record,
 * nobody can tell when the recording has ended: one line says what is to be done then.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "front.h"
#include "real.h"
#include "record.h"
#include "record-options.h"

#define SAVE	"trace-cmd stackmap save"

static const struct {
	const char	*command;
	const char	*words;
} notices[] = {
	{ "start", "the stacks stay in the kernel: " SAVE " saves them" },
	{ "set", "the stacks stay in the kernel: " SAVE " saves them" },
	{ "stream", "the stacks stay in the kernel: " SAVE " saves them" },
	{ "profile", "it knows full stacks only, those in the map not: " SAVE " saves them" },
};

static void tell_of_save(const struct record_options *options, const char *command)
{
	size_t i;

	if (options->is_usage || options->stackmap != RECORD_ON)
		return;
	for (i = 0; i < sizeof(notices) / sizeof(notices[0]); i++) {
		if (!strcmp(notices[i].command, command))
			cmd_warn("%s -O stackmap: %s", command, notices[i].words);
	}
}

/* What is taken out of the ring buffer may have cookies, if there is a map. */
static void tell_of_extract(void)
{
	struct stackmap_live *live = stackmap_live_new(NULL);
	struct stackmap_stat *stat = live ? stackmap_live_read_stat(live) : NULL;
	uint64_t entries;

	if (stat && !stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &entries) && entries)
		cmd_warn("extract: the stacks stay in the kernel: " SAVE " saves them");
	stackmap_stat_free(stat);
	stackmap_live_free(live);
}

static int run(const char *real, int argc, char **argv)
{
	struct record_options options;
	int status = CMD_FAILED;

	if (!strcmp(argv[0], "extract")) {
		tell_of_extract();
		return record_become(real, argv[0], argv + 1, argc - 1);
	}
	if (record_options_read(&options, argc, argv) != CMD_OK)
		return CMD_FAILED;
	record_warn_misplaced(&options);
	if (!strcmp(argv[0], "record") && options.stackmap == RECORD_ON) {
		status = record_run(&options, real);
	} else {
		tell_of_save(&options, argv[0]);
		status = record_become(real, argv[0], argv + 1, argc - 1);
	}
	record_options_release(&options);
	return status;
}

int front_run(int argc, char **argv)
{
	char *real;
	int status;

	if (argc < 1)
		return cmd_error("--front is for the front of trace-cmd alone");
	real = real_find();
	status = real ? run(real, argc, argv) : CMD_FAILED;
	free(real);
	return status;
}
