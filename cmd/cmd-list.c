// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap list: what saved-map files hold.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "saves.h"

#define DEFAULT_TRACE	"trace.dat"

enum {
	KEY_JSON = CMD_KEY_OWN,
};

struct list {
	struct cmd_maps	maps;
	bool		as_json;
	struct json	json;
	const char	**traces;	/* whose maps are listed; into argv */
	size_t		nr_traces;
	int		status;
};

static void note_status(struct list *list, int status)
{
	if (status > list->status)
		list->status = status;
}

static int list_file(const char *path, void *data)
{
	struct stackmap_store *store = stackmap_store_new();
	struct list *list = data;

	if (!store)
		return cmd_nomem();
	if (!strcmp(path, "-") && cmd_maps_rewind_stdin(&list->maps) != CMD_OK) {
		note_status(list, CMD_FAILED);
	} else if (stackmap_store_open(store, path)) {
		note_status(list, cmd_library_error(stackmap_store_get_error(store)));
	} else {
		if (list->as_json)
			saves_print_json(&list->json, store, path);
		else
			saves_print_file(store, path);
		if (stackmap_store_nr_damages(store))
			note_status(list, CMD_FOUND);
	}
	stackmap_store_free(store);
	return CMD_OK;
}

static void print_ties(struct list *list, const char *trace, struct stackmap_resolver *resolver)
{
	if (list->as_json) {
		json_open(&list->json, NULL, '{');
		json_text(&list->json, "path", trace);
		saves_print_contradictions_json(&list->json, resolver);
		saves_print_ties_json(&list->json, resolver);
		json_close(&list->json, '}');
		return;
	}
	print_escaped(trace);
	puts(":");
	saves_print_contradictions(resolver);
	saves_print_ties(resolver);
}

/* Of maps that could not be read it was said already. */
static void list_ties(struct list *list)
{
	struct stackmap_resolver *resolver;
	size_t i;

	for (i = 0; i < list->nr_traces && list->status != CMD_FAILED; i++) {
		resolver = cmd_maps_resolver(&list->maps, list->traces[i]);
		if (resolver)
			print_ties(list, list->traces[i], resolver);
		else
			note_status(list, CMD_FAILED);
		stackmap_resolver_free(resolver);
	}
}

static int list_maps_of(struct list *list, const char *trace)
{
	size_t nr;
	int ret;

	ret = cmd_maps_each_file(&list->maps, trace, list_file, list, &nr);
	if (ret == CMD_OK && !nr)
		return cmd_error("%s: no saved map beside it; give one with -m FILE", trace);
	/* With -m and no FILE no trace was named. */
	if (!list->maps.nr_files && cmd_is_trace(trace))
		list->traces[list->nr_traces++] = trace;
	return ret;
}

static int list_all(struct list *list, char **files, int nr)
{
	int ret = CMD_OK, i;
	size_t nr_listed;

	if (!nr)
		return list_maps_of(list, DEFAULT_TRACE);
	if (list->maps.nr_files)
		ret = cmd_maps_each_file(&list->maps, NULL, list_file, list, &nr_listed);
	for (i = 0; i < nr && ret != CMD_FAILED; i++) {
		if (!cmd_is_trace(files[i]))
			ret = stackmap_each_file(files[i], list_file, list);
		else if (!list->maps.nr_files)
			note_status(list, list_maps_of(list, files[i]));
		else
			list->traces[list->nr_traces++] = files[i];
	}
	return ret == -ENOMEM ? cmd_nomem() : ret;
}

static int list_in_form(struct list *list, char **files, int nr)
{
	list->traces = calloc((size_t)nr + 1, sizeof(*list->traces));
	if (!list->traces)
		return cmd_nomem();
	if (list->as_json) {
		json_open(&list->json, NULL, '{');
		json_open(&list->json, "files", '[');
	}
	note_status(list, list_all(list, files, nr));
	if (list->as_json) {
		json_close(&list->json, ']');
		json_open(&list->json, "traces", '[');
	}
	list_ties(list);
	free(list->traces);
	if (list->as_json) {
		json_close(&list->json, ']');
		json_close(&list->json, '}');
		putchar('\n');
	}
	return list->status;
}

static int run_list(const struct command *cmd, int argc, char **argv)
{
	struct list list = { .maps = CMD_MAPS_INIT, .json = JSON_INIT, .status = CMD_OK };
	struct cmd_args args;
	int key, status = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (key == KEY_JSON)
			list.as_json = true;
		else if (cmd_maps_take(&list.maps, key, args.value) < 0)
			break;
	}
	if (key == CMD_ARGS_END)
		status = list_in_form(&list, argv + cmd_args_first(&args),
				      argc - cmd_args_first(&args));
	cmd_args_release(&args);
	cmd_maps_release(&list.maps);
	return status;
}

static const struct cmd_option list_own_options[] = {
	{ 'm', "map", "FILE", NULL,
	  "saved-map file or raw export; may be repeated; - is standard input" },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const list_options[] = { list_own_options, NULL };

const struct command cmd_list = {
	.name = "list",
	.synopsis = "[OPTION...] [FILE...]",
	.summary = "Show what saved maps hold: origin, generations, fill, time, size",
	.help =
"\n"
"FILE is a saved-map file, a raw export, or a trace.dat whose maps are looked for as the\n"
"plugin does; without it, and without -m, trace.dat.\n",
	.options = list_options,
	.run = run_list,
};
