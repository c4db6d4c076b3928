// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap attach: saved maps go inside the trace.dat that they belong to.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "saves.h"

#define DEFAULT_TRACE	"trace.dat"

struct attach {
	struct stackmap_attachment	*attachment;
	bool				has_left_out;
};

/* Only damage is told. */
static void on_line(const char *line, void *data)
{
	struct attach *attach = data;

	attach->has_left_out = true;
	cmd_log(line, NULL);
}

static int add_file(const char *path, void *data)
{
	struct attach *attach = data;

	if (stackmap_attachment_add_file(attach->attachment, path))
		return cmd_library_error(stackmap_attachment_get_error(attach->attachment));
	return CMD_OK;
}

static int nothing_beside(const char *trace)
{
	struct stat st;

	if (stat(trace, &st))
		return cmd_error("%s: %s", trace, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return cmd_error("%s: not a regular file", trace);
	return cmd_error("%s: no saved map beside it; say which ones to attach", trace);
}

static int add_files(struct attach *attach, const char *trace, char **files, int nr)
{
	int ret = CMD_OK, i;
	size_t nr_found;

	for (i = 0; ret == CMD_OK && i < nr; i++)
		ret = stackmap_each_file(files[i], add_file, attach);
	if (ret == -ENOMEM)
		return cmd_nomem();
	if (nr)
		return ret;
	ret = cmd_maps_each_beside(trace, add_file, attach, &nr_found);
	if (ret == CMD_OK && !nr_found)
		return nothing_beside(trace);
	return ret;
}

/* What stands there now, as a reader sees it. */
static int show_result(const char *trace, int nr_added)
{
	struct stackmap_store *store = stackmap_store_new();
	int ret = CMD_OK;

	if (!store)
		return cmd_nomem();
	if (stackmap_store_open(store, trace)) {
		ret = cmd_library_error(stackmap_store_get_error(store));
	} else {
		print_escaped(trace);
		printf(": ");
		print_count((uint64_t)nr_added, "save", "saves");
		printf(" attached, %zu in all, ", stackmap_store_nr_saves(store));
		print_count(stackmap_store_get_len(store), "byte", "bytes");
		putchar('\n');
		if (stackmap_store_nr_damages(store)) {
			saves_print_damages(store, trace);
			ret = CMD_FOUND;
		}
	}
	stackmap_store_free(store);
	return ret;
}

static int attach_files(const char *trace, char **files, int nr)
{
	struct attach attach = { .attachment = stackmap_attachment_new() };
	int nr_added = 0, ret;

	if (!attach.attachment)
		return cmd_nomem();
	stackmap_attachment_set_log(attach.attachment, on_line, &attach);
	ret = add_files(&attach, trace, files, nr);
	if (ret == CMD_OK) {
		nr_added = stackmap_attachment_write(attach.attachment, trace);
		if (nr_added < 0)
			ret = cmd_library_error(stackmap_attachment_get_error(attach.attachment));
	}
	stackmap_attachment_free(attach.attachment);
	if (ret == CMD_OK)
		ret = show_result(trace, nr_added);
	return ret == CMD_OK && attach.has_left_out ? CMD_FOUND : ret;
}

static int run_attach(const struct command *cmd, int argc, char **argv)
{
	struct cmd_args args;
	int key, nr, status = CMD_FAILED;
	char **files;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0)
		;
	if (key == CMD_ARGS_END) {
		files = argv + cmd_args_first(&args);
		nr = argc - cmd_args_first(&args);
		if (nr)
			status = attach_files(files[0], files + 1, nr - 1);
		else
			status = attach_files(DEFAULT_TRACE, NULL, 0);
	}
	cmd_args_release(&args);
	return status;
}

const struct command cmd_attach = {
	.name = "attach",
	.synopsis = "[OPTION...] [TRACE [FILE...]]",
	.summary = "Put saved maps inside the trace.dat that they belong to",
	.help =
"\n"
"FILE is a saved-map file, a raw export, or another trace.dat that has some attached;\n"
"without it, the maps beside TRACE. TRACE is trace.dat where it is not given.\n",
	.options = NULL,
	.run = run_attach,
};
