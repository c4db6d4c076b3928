// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap expand: the same text, with the frames under each cookie.
 *
 *	options -> the maps of a text -> expand-stream.c -> expand-line.c for each of its cookies
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "expand.h"

/* ---- a text ---- */

static int report(const struct expand *expand)
{
	if (!expand->is_trace)
		return cmd_error("%s: no line of it is of a trace", expand->name);
	if (!expand->nr_unresolved)
		return CMD_OK;
	if (!stackmap_resolver_nr_maps(expand->resolver))
		cmd_warn("%s: no saved map for its %zu cookies; give one with -m FILE",
			 expand->name, expand->nr_cookies);
	else
		cmd_warn("%s: %zu of %zu cookies not resolved (%zu distinct)", expand->name,
			 expand->nr_unresolved, expand->nr_cookies, expand->nr_distinct);
	return CMD_FOUND;
}

/*
 * A size of 0 is what files say whose contents are made as they are read, and trace_pipe gives its
 * text only once.
 */
static bool can_read_again(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	       lseek(fd, 0, SEEK_CUR) >= 0;
}

static int expand_fd(struct expand *expand)
{
	int ret;

	expand->is_file = can_read_again(expand->fd);
	expand->has_expanded = expand->has_bare = false;
	expand->nr_cookies = expand->nr_unresolved = expand->nr_distinct = 0;
	if (expand->is_file && !expand->maps.has_generation &&
	    stackmap_resolver_nr_maps(expand->resolver))
		ret = expand_walk_twice(expand);
	else
		ret = expand_walk(expand);
	return ret == CMD_OK ? report(expand) : ret;
}

/* The maps that were named, else the one beside the text. */
static int find_maps(struct expand *expand, const char *path)
{
	expand->resolver = cmd_maps_resolver(&expand->maps, NULL);
	if (!expand->resolver)
		return CMD_FAILED;
	if (!path || cmd_maps_are_named(&expand->maps))
		return CMD_OK;
	return cmd_maps_add_beside(&expand->maps, expand->resolver, path);
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static int expand_text(struct expand *expand, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int ret;

	expand->name = name_of(path);
	expand->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (expand->fd < 0)
		return cmd_error("%s: %s", path, strerror(errno));
	ret = find_maps(expand, is_stdin ? NULL : path);
	if (ret == CMD_OK)
		ret = expand_fd(expand);
	stackmap_resolver_free(expand->resolver);
	expand->resolver = NULL;
	if (!is_stdin)
		close(expand->fd);
	return ret;
}

static bool uses_stdin(char **texts, int nr)
{
	for (; nr; nr--, texts++) {
		if (!strcmp(*texts, "-"))
			return true;
	}
	return false;
}

static bool has_map_on_stdin(const struct cmd_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr_files; i++) {
		if (!strcmp(maps->files[i], "-"))
			return true;
	}
	return false;
}

/* Addresses are the maps': those that are named serve all texts, else each text has its own. */
static int check_kallsyms(const struct cmd_maps *maps, int nr)
{
	if (cmd_maps_are_named(maps))
		return cmd_maps_check_one_kallsyms(maps);
	return cmd_maps_check_kallsyms(maps, (size_t)nr, "text");
}

static int expand_texts(struct expand *expand, char **texts, int nr)
{
	char dash[] = "-", *standard_input[] = { dash };
	int status = CMD_OK, ret, i;

	if (!nr) {
		texts = standard_input;
		nr = 1;
	}
	if (has_map_on_stdin(&expand->maps) && uses_stdin(texts, nr))
		return cmd_error("standard input cannot be both a map and a text");
	if (check_kallsyms(&expand->maps, nr) != CMD_OK)
		return CMD_FAILED;
	expand->buf = malloc(EXPAND_BUF_SIZE);
	if (!expand->buf)
		return cmd_nomem();
	expand->tty = isatty(STDOUT_FILENO);
	expand->one_line = expand->maps.style.flags & STACKMAP_STYLE_ONE_LINE;
	for (i = 0; i < nr && !ferror(stdout); i++) {
		expand->maps.trace_nr = cmd_maps_are_named(&expand->maps) ? 0 : (size_t)i;
		expand->maps.trace_name = nr > 1 ? name_of(texts[i]) : NULL;
		ret = expand_text(expand, texts[i]);
		if (ret > status)
			status = ret;
	}
	free(expand->buf);
	return status == CMD_OK && expand->maps.is_damaged ? CMD_FOUND : status;
}

static int run_expand(const struct command *cmd, int argc, char **argv)
{
	struct expand expand = { .maps = CMD_MAPS_INIT };
	struct cmd_args args;
	int key, status = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (cmd_maps_take(&expand.maps, key, args.value) < 0)
			key = CMD_ARGS_BAD;
		if (key == CMD_ARGS_BAD)
			break;
	}
	if (key == CMD_ARGS_END)
		status = expand_texts(&expand, argv + cmd_args_first(&args),
				      argc - cmd_args_first(&args));
	cmd_args_release(&args);
	cmd_maps_release(&expand.maps);
	return status;
}

static const struct cmd_option *const expand_options[] = {
	cmd_maps_options,
	cmd_proof_options,
	cmd_live_options,
	cmd_style_options,
	NULL
};

const struct command cmd_expand = {
	.name = "expand",
	.synopsis = "[OPTION...] [TEXT...]",
	.summary = "Print a text with the frames under each cookie",
	.help =
"\n"
"TEXT is what trace, trace_pipe, trace-cmd report or a kernel log with an ftrace dump\n"
"hold; without it, or as -, standard input. Frames carry what the log put before the\n"
"line. What is expanded already stays as it is.\n",
	.options = expand_options,
	.run = run_expand,
};
