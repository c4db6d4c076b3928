// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap detach: saved maps come out of a trace.dat again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "saves.h"

#define DEFAULT_TRACE	"trace.dat"

enum {
	KEY_DISCARD = CMD_KEY_OWN,
};

struct detach {
	const char	*output;	/* NULL: beside the trace */
	bool		discard;
};

static bool is_damaged(const char *trace)
{
	struct stackmap_store *store = stackmap_store_new();
	bool ret;

	ret = store && !stackmap_store_open(store, trace) && stackmap_store_nr_damages(store);
	stackmap_store_free(store);
	return ret;
}

static int detach_to(const char *trace, const char *output)
{
	struct stackmap_attachment *attachment = stackmap_attachment_new();
	bool was_damaged;
	int nr, ret = CMD_OK;

	if (!attachment)
		return cmd_nomem();
	was_damaged = output && is_damaged(trace);
	nr = stackmap_attachment_detach(attachment, trace, output);
	if (nr < 0) {
		ret = cmd_library_error(stackmap_attachment_get_error(attachment));
	} else {
		print_escaped(trace);
		printf(": ");
		print_count((uint64_t)nr, "save", "saves");
		printf(output ? " detached, to be found in " : " detached and thrown away");
		if (output)
			print_escaped(output);
		putchar('\n');
		if (was_damaged) {
			cmd_warn("%s: what was attached is damaged: %s has it as it was", trace,
				 output);
			ret = CMD_FOUND;
		}
	}
	stackmap_attachment_free(attachment);
	return ret;
}

static int detach_trace(const struct detach *detach, const char *trace)
{
	char *beside;
	int ret;

	if (detach->discard && detach->output)
		return cmd_error("--output and --discard cannot be given together");
	if (detach->discard || detach->output)
		return detach_to(trace, detach->output);
	if (asprintf(&beside, "%s" CMD_MAPS_SUFFIX, trace) < 0)
		return cmd_nomem();
	ret = detach_to(trace, beside);
	free(beside);
	return ret;
}

static int run_detach(const struct command *cmd, int argc, char **argv)
{
	struct detach detach = { .output = NULL };
	struct cmd_args args;
	int key, nr, status = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (key == 'o')
			detach.output = args.value;
		else if (key == KEY_DISCARD)
			detach.discard = true;
	}
	if (key == CMD_ARGS_END) {
		nr = argc - cmd_args_first(&args);
		if (nr > 1)
			status = cmd_error("more than one trace; see --help");
		else
			status = detach_trace(&detach, nr ? argv[cmd_args_first(&args)] :
							    DEFAULT_TRACE);
	}
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option detach_own_options[] = {
	{ 'o', "output", "FILE", NULL,
	  "saved-map file to put the maps into; default TRACE" CMD_MAPS_SUFFIX },
	{ KEY_DISCARD, "discard", NULL, NULL, "throw the maps away" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const detach_options[] = { detach_own_options, NULL };

const struct command cmd_detach = {
	.name = "detach",
	.synopsis = "[OPTION...] [TRACE]",
	.summary = "Take saved maps out of a trace.dat again",
	.help =
"\n"
"TRACE then has the bytes that it had before; it is trace.dat where it is not given. What\n"
"FILE has already stays in it.\n",
	.options = detach_options,
	.run = run_detach,
};
