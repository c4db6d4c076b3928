// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which saved maps a command uses: the files of -m and the running kernel's map where --live asks
 * for it, else those of TRACE_STACKMAP, else the one beside the trace. The first of these that
 * names anything is the only one asked, as the plugin does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "live.h"
#include "tracedat/magic.h"

#define MAPS_ENV	"TRACE_STACKMAP"

const struct cmd_option cmd_maps_options[] = {
	{ 'm', "map", "FILE", NULL,
	  "saved-map file or raw export; may be repeated; - is standard input" },
	{ CMD_KEY_KALLSYMS, "kallsyms", "FILE", NULL, "copy of the origin's /proc/kallsyms" },
	{ CMD_KEY_GENERATION, "generation", "N", NULL,
	  "generation of the cookies that carry none" },
	{ 0, NULL, NULL, NULL, NULL }
};

const struct cmd_option cmd_proof_options[] = {
	{ CMD_KEY_REQUIRE_PROOF, "require-proof", NULL, NULL,
	  "no map that is not proven to be of the trace" },
	{ 0, NULL, NULL, NULL, NULL }
};

const struct cmd_option cmd_style_options[] = {
	{ CMD_KEY_NAMES_ONLY, "names-only", NULL, NULL, "frames without offset, size and module" },
	{ CMD_KEY_STRIP_SUFFIX, "strip-suffix", NULL, NULL,
	  "in names alone: without .llvm.N, .cold, .isra.N, .part.N, .constprop.N" },
	{ CMD_KEY_DEMANGLE, "demangle", NULL, NULL,
	  "in names alone: demangle those of Rust functions" },
	{ CMD_KEY_MAX_FRAMES, "max-frames", "N", NULL, "show at most N frames of a stack" },
	{ 0, NULL, NULL, NULL, NULL }
};

const struct cmd_option cmd_live_options[] = {
	{ CMD_KEY_LIVE, "live", NULL, NULL, "use the map of the running kernel" },
	{ 0, NULL, NULL, NULL, NULL }
};

bool cmd_is_trace(const char *path)
{
	char bytes[SMAP_TRACEDAT_MAGIC_LEN];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	return got == (ssize_t)sizeof(bytes) && !memcmp(bytes, SMAP_TRACEDAT_MAGIC, sizeof(bytes));
}

static bool append(const char ***array, size_t *nr, const char *value)
{
	const char **grown = realloc(*array, (*nr + 1) * sizeof(*grown));

	if (!grown) {
		cmd_nomem();
		return false;
	}
	grown[(*nr)++] = value;
	*array = grown;
	return true;
}

static bool take_number(const char *option, const char *value, uint64_t max, uint32_t *ret_number)
{
	uint64_t number;

	if (!cmd_parse_number(option, value, max, &number))
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

int cmd_maps_take(struct cmd_maps *maps, int key, const char *value)
{
	switch (key) {
	case 'm':
		return append(&maps->files, &maps->nr_files, value) ? 1 : -1;
	case CMD_KEY_KALLSYMS:
		return append(&maps->kallsyms, &maps->nr_kallsyms, value) ? 1 : -1;
	case CMD_KEY_GENERATION:
		if (!take_number("--generation", value, UINT32_MAX, &maps->generation))
			return -1;
		maps->has_generation = true;
		return 1;
	case CMD_KEY_REQUIRE_PROOF:
		maps->require_proof = true;
		return 1;
	case CMD_KEY_LIVE:
		maps->use_live = true;
		return 1;
	case CMD_KEY_NAMES_ONLY:
		maps->style.flags |= STACKMAP_STYLE_NAMES_ONLY;
		return 1;
	case CMD_KEY_STRIP_SUFFIX:
		maps->style.flags |= STACKMAP_STYLE_STRIP_SUFFIX;
		return 1;
	case CMD_KEY_DEMANGLE:
		maps->style.flags |= STACKMAP_STYLE_DEMANGLE;
		return 1;
	case CMD_KEY_MAX_FRAMES:
		if (!take_number("--max-frames", value, UINT32_MAX, &maps->style.max_frames))
			return -1;
		return 1;
	}
	return 0;
}

int cmd_maps_check_kallsyms(const struct cmd_maps *maps, size_t nr, const char *what)
{
	if (!maps->nr_kallsyms || maps->nr_kallsyms == nr)
		return CMD_OK;
	return cmd_error("--kallsyms is of one %s: give it as often as there are %ss (%zu), "
			 "in their order; '' stands for none", what, what, nr);
}

int cmd_maps_check_one_kallsyms(const struct cmd_maps *maps)
{
	if (maps->nr_kallsyms <= 1)
		return CMD_OK;
	return cmd_error("--kallsyms is of the kernel of all these maps: give it once");
}

/* Whom a resolver speaks of. It can as long as it lives, so they are kept until the end. */
struct cmd_maps_speaker {
	struct cmd_maps_speaker	*next;
	struct cmd_maps		*maps;
	const char		*name;	/* NULL: of the only one */
};

/* For the next resolver; the last one serves another of the same name. NULL: no memory. */
static struct cmd_maps_speaker *next_speaker(struct cmd_maps *maps)
{
	struct cmd_maps_speaker *speaker = maps->speakers;

	if (speaker && speaker->name == maps->trace_name)
		return speaker;
	speaker = malloc(sizeof(*speaker));
	if (!speaker)
		return NULL;
	*speaker = (struct cmd_maps_speaker){ maps->speakers, maps, maps->trace_name };
	maps->speakers = speaker;
	return speaker;
}

static void free_speakers(struct cmd_maps_speaker *speaker)
{
	struct cmd_maps_speaker *next;

	for (; speaker; speaker = next) {
		next = speaker->next;
		free(speaker);
	}
}

void cmd_maps_release(struct cmd_maps *maps)
{
	free(maps->files);
	free(maps->kallsyms);
	stackmap_live_free(maps->live);
	free_speakers(maps->speakers);
	maps->files = NULL;
	maps->kallsyms = NULL;
	maps->live = NULL;
	maps->speakers = NULL;
}

/*
 * Every trace has a resolver of its own, and each reads the map on standard input from its
 * beginning.
 */
static int keep_stdin(struct cmd_maps *maps)
{
	char buf[65536];
	FILE *copy;
	size_t len;
	int err = 0;

	if (maps->stdin_kept || lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
		return 0;
	copy = tmpfile();
	if (!copy)
		return -errno;
	while (!err && (len = fread(buf, 1, sizeof(buf), stdin)) > 0) {
		if (fwrite(buf, 1, len, copy) != len)
			err = -errno;
	}
	if (!err && ferror(stdin))
		err = -EIO;
	if (!err && (fflush(copy) || dup2(fileno(copy), STDIN_FILENO) < 0))
		err = -errno;
	fclose(copy);
	maps->stdin_kept = !err;
	return err;
}

int cmd_maps_rewind_stdin(struct cmd_maps *maps)
{
	int err = keep_stdin(maps);

	if (!err && lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
		err = -errno;
	return err ? cmd_error("standard input: %s", strerror(-err)) : CMD_OK;
}

static int add_stdin(struct cmd_maps *maps, struct stackmap_resolver *resolver)
{
	int err;

	if (cmd_maps_rewind_stdin(maps) != CMD_OK)
		return -EIO;
	err = stackmap_resolver_add_file(resolver, "-");
	if (err)
		cmd_library_error(stackmap_resolver_get_error(resolver));
	return err;
}

static int add_given_maps(struct cmd_maps *maps, struct stackmap_resolver *resolver)
{
	size_t i;
	int err;

	for (i = 0; i < maps->nr_files; i++) {
		if (!strcmp(maps->files[i], "-")) {
			err = add_stdin(maps, resolver);
		} else {
			err = stackmap_resolver_add_file(resolver, maps->files[i]);
			if (err)
				cmd_library_error(stackmap_resolver_get_error(resolver));
		}
		if (err)
			return err;
	}
	return 0;
}

static const char *maps_of_environment(void)
{
	const char *files = secure_getenv(MAPS_ENV);

	return files && *files ? files : NULL;
}

bool cmd_maps_are_named(const struct cmd_maps *maps)
{
	return maps->nr_files || maps->use_live || maps_of_environment();
}

int cmd_maps_add_beside(struct cmd_maps *maps, struct stackmap_resolver *resolver, const char *path)
{
	int ret;

	maps->is_adding = true;
	ret = stackmap_resolver_add_maps_of(resolver, path);
	maps->is_adding = false;
	if (ret < 0)
		return cmd_library_error(stackmap_resolver_get_error(resolver));
	return CMD_OK;
}

/* One object for all resolvers: what it has read is of use to the next one. */
static int add_live(struct cmd_maps *maps, struct stackmap_resolver *resolver)
{
	int err;

	if (!maps->use_live)
		return 0;
	if (!maps->live)
		maps->live = live_open();
	if (!maps->live)
		return -EIO;
	err = stackmap_resolver_add_live(resolver, maps->live);
	if (err)
		cmd_library_error(stackmap_resolver_get_error(resolver));
	return err;
}

static int add_maps(struct cmd_maps *maps, struct stackmap_resolver *resolver, const char *trace)
{
	const char *files = maps_of_environment();
	int err = 0;

	if (!cmd_maps_are_named(maps))
		return trace ? cmd_maps_add_beside(maps, resolver, trace) : 0;
	if (!maps->nr_files && maps->use_live)
		return add_live(maps, resolver);
	maps->is_adding = true;
	if (maps->nr_files) {
		err = add_given_maps(maps, resolver);
		if (!err)
			err = add_live(maps, resolver);
	} else {
		err = stackmap_resolver_add_file(resolver, files);
		if (err)
			cmd_library_error(stackmap_resolver_get_error(resolver));
	}
	maps->is_adding = false;
	return err;
}

/* Nothing is decoded while maps are added: what is told then is the damage that was seen. */
static void on_line(const char *line, void *data)
{
	const struct cmd_maps_speaker *speaker = data;
	struct cmd_maps *maps = speaker->maps;

	maps->is_damaged |= maps->is_adding;
	if (speaker->name)
		cmd_log_of(speaker->name, line);
	else
		cmd_log(line, NULL);
}

static int add_kallsyms(const struct cmd_maps *maps, struct stackmap_resolver *resolver)
{
	const char *path = maps->nr_kallsyms ? maps->kallsyms[maps->trace_nr] : "";

	return *path ? stackmap_resolver_add_kallsyms(resolver, path) : 0;
}

static int set_up(struct cmd_maps *maps, struct stackmap_resolver *resolver, const char *trace)
{
	struct cmd_maps_speaker *speaker = next_speaker(maps);
	int err;

	if (!speaker) {
		cmd_nomem();
		return -ENOMEM;
	}
	stackmap_resolver_set_log(resolver, on_line, speaker);
	err = stackmap_resolver_set_style(resolver, &maps->style);
	if (!err && trace)
		err = stackmap_resolver_set_trace(resolver, trace);
	if (!err)
		err = add_kallsyms(maps, resolver);
	if (!err && maps->has_generation)
		err = stackmap_resolver_set_generation(resolver, maps->generation);
	if (!err && maps->require_proof)
		err = stackmap_resolver_require_proof(resolver);
	if (err) {
		cmd_library_error(stackmap_resolver_get_error(resolver));
		return err;
	}
	return add_maps(maps, resolver, trace);
}

struct stackmap_resolver *cmd_maps_resolver(struct cmd_maps *maps, const char *trace)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();

	if (!resolver) {
		cmd_nomem();
		return NULL;
	}
	if (set_up(maps, resolver, trace)) {
		stackmap_resolver_free(resolver);
		return NULL;
	}
	return resolver;
}

struct counted {
	int	(*fn)(const char *path, void *data);
	void	*data;
	size_t	*ret_nr;
};

static int count_file(const char *path, void *data)
{
	const struct counted *counted = data;

	++*counted->ret_nr;
	return counted->fn(path, counted->data);
}

static int each_of_list(const char *list, int (*fn)(const char *path, void *data), void *data,
			size_t *ret_nr)
{
	struct counted counted = { fn, data, ret_nr };
	int ret = stackmap_each_file(list, count_file, &counted);

	return ret == -ENOMEM ? cmd_nomem() : ret;
}

static int beside(const char *trace, int (*fn)(const char *path, void *data), void *data,
		  size_t *ret_nr)
{
	char *path;
	int ret = 0;

	if (asprintf(&path, "%s" CMD_MAPS_SUFFIX, trace) < 0)
		return cmd_nomem();
	if (access(path, F_OK) == 0) {
		++*ret_nr;
		ret = fn(path, data);
	}
	free(path);
	return ret;
}

/* As stackmap_resolver_add_maps_of() does: beside a link, else beside what it points to. */
int cmd_maps_each_beside(const char *trace, int (*fn)(const char *path, void *data), void *data,
			 size_t *ret_nr)
{
	char *target;
	int ret;

	*ret_nr = 0;
	ret = beside(trace, fn, data, ret_nr);
	if (ret || *ret_nr)
		return ret;
	target = realpath(trace, NULL);
	if (!target)
		return errno == ENOMEM ? cmd_nomem() : 0;
	if (strcmp(target, trace))
		ret = beside(target, fn, data, ret_nr);
	free(target);
	return ret;
}

static bool has_attached(const char *trace)
{
	struct stackmap_store *store = stackmap_store_new();
	bool has = store && cmd_is_trace(trace) && !stackmap_store_open(store, trace);

	stackmap_store_free(store);
	return has;
}

/* What is attached to the trace, then what stands beside it. */
static int each_of_trace(const char *trace, int (*fn)(const char *path, void *data), void *data,
			 size_t *ret_nr)
{
	size_t nr_attached = has_attached(trace);
	int ret = nr_attached ? fn(trace, data) : 0;

	if (!ret)
		ret = cmd_maps_each_beside(trace, fn, data, ret_nr);
	*ret_nr += nr_attached;
	return ret;
}

int cmd_maps_each_file(const struct cmd_maps *maps, const char *trace,
		       int (*fn)(const char *path, void *data), void *data, size_t *ret_nr)
{
	const char *files = maps_of_environment();
	int ret = 0;
	size_t i;

	*ret_nr = 0;
	for (i = 0; !ret && i < maps->nr_files; i++)
		ret = each_of_list(maps->files[i], fn, data, ret_nr);
	if (maps->nr_files)
		return ret;
	if (files)
		return each_of_list(files, fn, data, ret_nr);
	return trace ? each_of_trace(trace, fn, data, ret_nr) : 0;
}
