// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap import: copies of stack_map made by hand become a saved-map file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "saves.h"

/* Where everybody looks for the maps of what trace-cmd records by default. */
#define DEFAULT_OUTPUT	"trace.dat.stackmap"

enum {
	KEY_BOOT_ID = CMD_KEY_OWN,
	KEY_RELEASE,
	KEY_KERNEL_VERSION,
	KEY_MACHINE,
};

struct import {
	const char	*output;
	const char	*boot_id;
	const char	*release;
	const char	*version;
	const char	*machine;
};

/* What the library finds in the files is the result; its lines are escaped. */
static void print_found(const char *line, void *data)
{
	puts(line);
}

static int set_origin(const struct import *args, struct stackmap_import *import)
{
	const struct {
		const char *option, *value;
		int (*set)(struct stackmap_import *import, const char *value);
	} parts[] = {
		{ "--boot-id", args->boot_id, stackmap_import_set_boot_id },
		{ "--release", args->release, stackmap_import_set_release },
		{ "--kernel-version", args->version, stackmap_import_set_version },
		{ "--machine", args->machine, stackmap_import_set_machine },
	};
	size_t i;
	int err;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].value)
			continue;
		err = parts[i].set(import, parts[i].value);
		if (err == -ENOMEM)
			return cmd_nomem();
		if (err)
			return cmd_error("%s: '%s' cannot be one", parts[i].option, parts[i].value);
	}
	return CMD_OK;
}

static int add_files(struct stackmap_import *import, char **files, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (stackmap_import_add_file(import, files[i]) < 0)
			return cmd_library_error(stackmap_import_get_error(import));
	}
	if (!stackmap_import_nr_exports(import))
		return cmd_error("nothing to import: no file holds stacks");
	return CMD_OK;
}

/* A line for the file, then its last saves, which are the new ones. */
static void print_result(const struct stackmap_store *store, const char *path, size_t first)
{
	size_t nr = stackmap_store_nr_saves(store), i;

	print_escaped(path);
	printf(": ");
	print_count(nr - first, "save", "saves");
	printf(" added, %zu in all, ", nr);
	print_count(stackmap_store_get_len(store), "byte", "bytes");
	putchar('\n');
	for (i = first; i < nr; i++)
		saves_print_one(stackmap_store_get_save(store, i), i);
}

/* What stands in the file now, as a reader sees it. */
static int show_result(const char *path, size_t nr_new)
{
	struct stackmap_store *store = stackmap_store_new();
	struct saves_faults faults = { 0 };
	const struct stackmap_save *save;
	int status, nr_damages;
	size_t nr;

	if (!store)
		return cmd_nomem();
	if (stackmap_store_open(store, path)) {
		status = cmd_library_error(stackmap_store_get_error(store));
		goto out;
	}
	nr = stackmap_store_nr_saves(store);
	nr_new = nr_new < nr ? nr_new : nr;
	print_result(store, path, nr - nr_new);
	/* of what stood there before as well */
	nr_damages = stackmap_store_verify(store);
	if (nr_damages < 0) {
		status = cmd_library_error(stackmap_store_get_error(store));
		goto out;
	}
	saves_print_damages(store, path);
	save = stackmap_store_get_save(store, nr - nr_new);
	status = saves_count_faults(path, save ? stackmap_save_get_offset(save) : 0, &faults);
	if (status == CMD_OK && (nr_damages || faults.nr_conflicts || faults.nr_cut))
		status = CMD_FOUND;
out:
	stackmap_store_free(store);
	return status;
}

static int import_files(const struct import *args, char **files, int nr)
{
	struct stackmap_import *import = stackmap_import_new();
	size_t nr_exports;
	int status;

	if (!import)
		return cmd_nomem();
	stackmap_import_set_log(import, print_found, NULL);
	status = set_origin(args, import);
	if (status == CMD_OK)
		status = add_files(import, files, nr);
	if (status == CMD_OK && stackmap_import_write(import, args->output))
		status = cmd_library_error(stackmap_import_get_error(import));
	nr_exports = stackmap_import_nr_exports(import);
	stackmap_import_free(import);
	return status == CMD_OK ? show_result(args->output, nr_exports) : status;
}

static int check_arguments(const struct import *args, char **files, int nr)
{
	int i, nr_stdin = 0;

	if (!nr)
		return cmd_error("a file to import is missing; see --help");
	if (!strcmp(args->output, "-"))
		return cmd_error("saved maps cannot be written to standard output");
	for (i = 0; i < nr; i++)
		nr_stdin += !strcmp(files[i], "-");
	return nr_stdin > 1 ? cmd_error("standard input is given twice") : CMD_OK;
}

static void take_option(struct import *args, int key, const char *value)
{
	switch (key) {
	case 'o':
		args->output = value;
		break;
	case KEY_BOOT_ID:
		args->boot_id = value;
		break;
	case KEY_RELEASE:
		args->release = value;
		break;
	case KEY_KERNEL_VERSION:
		args->version = value;
		break;
	case KEY_MACHINE:
		args->machine = value;
		break;
	}
}

static int run_import(const struct command *cmd, int argc, char **argv)
{
	struct import import = { .output = DEFAULT_OUTPUT };
	struct cmd_args args;
	int key, nr, status = CMD_FAILED;
	char **files;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0)
		take_option(&import, key, args.value);
	if (key == CMD_ARGS_END) {
		files = argv + cmd_args_first(&args);
		nr = argc - cmd_args_first(&args);
		status = check_arguments(&import, files, nr);
		if (status == CMD_OK)
			status = import_files(&import, files, nr);
	}
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option import_own_options[] = {
	{ 'o', "output", "FILE", NULL, "saved-map file to append to; default " DEFAULT_OUTPUT },
	{ KEY_BOOT_ID, "boot-id", "ID", NULL, "/proc/sys/kernel/random/boot_id of the origin" },
	{ KEY_RELEASE, "release", "TEXT", NULL, "uname -r of the origin" },
	{ KEY_KERNEL_VERSION, "kernel-version", "TEXT", NULL, "uname -v of the origin" },
	{ KEY_MACHINE, "machine", "TEXT", NULL, "uname -m of the origin" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const import_options[] = { import_own_options, NULL };

const struct command cmd_import = {
	.name = "import",
	.synopsis = "[OPTION...] FILE...",
	.summary = "Make a saved-map file of copies made by hand",
	.help =
"\n"
"FILE is a copy of stack_map, stack_map_bin, stack_map_stat or kallsyms, told apart by\n"
"what it holds; - is standard input. All of them must be of one boot; each stack_map or\n"
"stack_map_bin becomes a save of its own.\n",
	.options = import_options,
	.run = run_import,
};
