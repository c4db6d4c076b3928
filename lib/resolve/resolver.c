// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The object: what is added to it and how it is set up. Finding is in find.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/export.h"
#include "resolve/feed.h"
#include "resolve/full.h"
#include "resolve/open.h"
#include "resolve/resolver.h"
#include "resolve/slots.h"
#include "resolve/tie.h"
#include "store/reader.h"

#define STYLE_FLAGS	(STACKMAP_STYLE_ONE_LINE | STACKMAP_STYLE_NAMES_ONLY |		\
			 STACKMAP_STYLE_STRIP_SUFFIX | STACKMAP_STYLE_DEMANGLE)

void smap_resolver_log(struct stackmap_resolver *resolver, const char *fmt, ...)
{
	struct smap_error line;
	va_list ap;

	if (!resolver->log_fn)
		return;
	va_start(ap, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, ap);
	va_end(ap);
	resolver->log_fn(line.text, resolver->log_data);
}

static void free_file(struct smap_file *file)
{
	if (!file)
		return;
	smap_store_close(file->store);
	free(file->path);
	free(file->shown_path);
	free(file);
}

SMAP_PUBLIC struct stackmap_resolver *stackmap_resolver_new(void)
{
	return calloc(1, sizeof(struct stackmap_resolver));
}

SMAP_PUBLIC void stackmap_resolver_free(struct stackmap_resolver *resolver)
{
	size_t i;

	if (!resolver)
		return;
	smap_find_release(resolver);
	smap_feed_release(resolver);
	smap_full_free(resolver->full);
	smap_firsts_free(resolver->firsts);
	for (i = 0; i < resolver->nr_maps; i++)
		smap_map_free(resolver->maps[i]);
	free(resolver->maps);
	for (i = 0; i < resolver->nr_sources; i++)
		smap_source_free(resolver->sources[i]);
	free(resolver->sources);
	for (i = 0; i < resolver->nr_files; i++) {
		free_file(resolver->files[i]);
	}
	free(resolver->files);
	smap_slots_release(&resolver->expected);
	smap_symbols_free(resolver->trace_symbols);
	smap_symbols_free(resolver->given_symbols);
	smap_comms_free(resolver->comms);
	smap_tracedat_close(resolver->trace);
	free(resolver);
}

SMAP_PUBLIC const char *stackmap_resolver_get_error(const struct stackmap_resolver *resolver)
{
	return resolver->err.text;
}

SMAP_PUBLIC void stackmap_resolver_set_log(struct stackmap_resolver *resolver, stackmap_log_fn fn,
					   void *data)
{
	resolver->log_fn = fn;
	resolver->log_data = data;
}

static int check_unused(struct stackmap_resolver *resolver)
{
	if (!resolver->in_use)
		return 0;
	return smap_error_set(&resolver->err, -EBUSY, "a stack was asked for before");
}

SMAP_PUBLIC int stackmap_resolver_set_style(struct stackmap_resolver *resolver,
					    const struct stackmap_style *style)
{
	int ret = check_unused(resolver);

	if (ret)
		return ret;
	if (style->size != sizeof(*style) || style->flags & ~STYLE_FLAGS)
		return smap_error_set(&resolver->err, -EINVAL,
				      "a style that this version does not know");
	resolver->style = *style;
	return 0;
}

/* ---- files ---- */

int smap_resolver_add_map(struct stackmap_resolver *resolver, struct smap_source *source,
			  uint32_t generation, bool has_generation)
{
	struct stackmap_map *map;

	if (SMAP_ARRAY_GROW(resolver->maps, resolver->maps_capacity, resolver->nr_maps + 1))
		return -ENOMEM;
	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	map->source = source;
	map->nr = resolver->nr_maps;
	map->generation = generation;
	map->has_generation = has_generation;
	resolver->maps[resolver->nr_maps++] = map;
	return 0;
}

static int add_source(struct stackmap_resolver *resolver, struct smap_file *file, size_t nr)
{
	struct smap_source *source;
	size_t i;

	if (SMAP_ARRAY_GROW(resolver->sources, resolver->sources_capacity,
			    resolver->nr_sources + 1))
		return -ENOMEM;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	source->resolver = resolver;
	source->file = file;
	source->save = smap_store_save(file->store, nr);
	resolver->sources[resolver->nr_sources++] = source;
	for (i = 0; i < source->save->nr_generations; i++)
		if (smap_resolver_add_map(resolver, source, source->save->generations[i].generation,
					  source->save->has_generation))
			return -ENOMEM;
	return 0;
}

static void log_damages(struct stackmap_resolver *resolver, const struct smap_file *file)
{
	size_t nr = smap_store_nr_damages(file->store);

	if (nr)
		smap_resolver_log(resolver, "%s: %zu damaged part%s passed over (%s)",
				  file->shown_path,
				  nr, nr == 1 ? "" : "s", smap_store_damage(file->store, 0)->text);
}

/* Takes @store, whatever it returns. */
static struct smap_file *new_file(const char *path, struct smap_store *store)
{
	struct smap_file *file = calloc(1, sizeof(*file));
	struct smap_buf shown = SMAP_BUF_INIT;

	if (!file) {
		smap_store_close(store);
		return NULL;
	}
	file->store = store;
	file->path = strdup(path);
	smap_buf_add_escaped(&shown, path, strlen(path));
	file->shown_path = smap_buf_detach(&shown, NULL);
	if (file->path && file->shown_path)
		return file;
	free_file(file);
	return NULL;
}

/* Takes @store, whatever it returns. @is_beside: see struct smap_file. */
static int add_store(struct stackmap_resolver *resolver, const char *path, struct smap_store *store,
		     bool is_beside)
{
	struct smap_file *file = new_file(path, store);
	size_t i;

	if (!file || SMAP_ARRAY_GROW(resolver->files, resolver->files_capacity,
				     resolver->nr_files + 1)) {
		free_file(file);
		return smap_error_nomem(&resolver->err);
	}
	file->is_beside = is_beside;
	resolver->files[resolver->nr_files++] = file;
	for (i = 0; i < smap_store_nr_saves(store); i++)
		if (!smap_store_save(store, i)->is_superseded && add_source(resolver, file, i))
			return smap_error_nomem(&resolver->err);
	log_damages(resolver, file);
	return 0;
}

int smap_resolver_add_store(struct stackmap_resolver *resolver, const char *path,
			    struct smap_store *store)
{
	int ret = check_unused(resolver);

	if (!ret)
		return add_store(resolver, path, store, false);
	smap_store_close(store);
	return ret;
}

static int add_file(const char *path, void *data)
{
	struct stackmap_resolver *resolver = data;
	struct smap_store *store;
	int ret;

	ret = smap_maps_open(path, &store, &resolver->err);
	if (ret)
		return ret;
	return add_store(resolver, path, store, false);
}

SMAP_PUBLIC int stackmap_resolver_add_file(struct stackmap_resolver *resolver, const char *path)
{
	int ret = check_unused(resolver);

	if (ret)
		return ret;
	ret = stackmap_each_file(path, add_file, resolver);
	if (ret == -ENOMEM)
		return smap_error_nomem(&resolver->err);
	return smap_errno(ret);
}

/* @path with ".stackmap" behind it: 1 if it is used, 0 if it is not there, or negative errno. */
static int add_beside(struct stackmap_resolver *resolver, const char *path, bool has_attached)
{
	struct smap_store *store;
	char *beside;
	int ret = 0;

	if (asprintf(&beside, "%s.stackmap", path) < 0)
		return smap_error_nomem(&resolver->err);
	if (!access(beside, F_OK)) {
		ret = smap_store_open(beside, &store, &resolver->err);
		if (!ret)
			ret = add_store(resolver, beside, store, has_attached);
		if (!ret)
			ret = 1;
	}
	free(beside);
	return ret;
}

/* A link to a trace has its map beside it, or beside what it points to. */
static int add_beside_link(struct stackmap_resolver *resolver, const char *path, bool has_attached)
{
	char *target;
	int ret;

	ret = add_beside(resolver, path, has_attached);
	if (ret)
		return ret;
	target = realpath(path, NULL);
	if (!target)
		return errno == ENOMEM ? smap_error_nomem(&resolver->err) : 0;
	if (strcmp(target, path))
		ret = add_beside(resolver, target, has_attached);
	free(target);
	return ret;
}

static bool is_set_trace(const struct stackmap_resolver *resolver, const char *path)
{
	struct stat ours, theirs;

	if (!resolver->trace)
		return false;
	if (!path)
		return true;
	return !fstat(resolver->trace->fd, &ours) && !stat(path, &theirs) &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* Of a trace that cannot be read nothing is attached: whoever reads it says why. */
static int open_inside(struct stackmap_resolver *resolver, const char *path,
		       struct smap_store **ret_store)
{
	const struct smap_tracedat *trace = resolver->trace;
	struct smap_error err = { "" };
	int ret;

	if (is_set_trace(resolver, path)) {
		ret = smap_store_open_attached(trace->fd, trace->end, ret_store, &resolver->err);
		if (ret && ret != -ENODATA)
			smap_error_prefix(&resolver->err, ret, "%s: maps attached to it",
					  path ? path : "the trace");
		return ret;
	}
	if (!path)
		return -ENODATA;
	ret = smap_maps_open_inside(path, ret_store, &err);
	return ret && ret != -ENOMEM ? -ENODATA : ret;
}

/* 1 if there are any, else 0, or negative errno. */
static int add_inside(struct stackmap_resolver *resolver, const char *path)
{
	struct smap_store *store;
	int ret;

	ret = open_inside(resolver, path, &store);
	if (ret == -ENODATA)
		return 0;
	if (ret == -ENOMEM)
		return smap_error_nomem(&resolver->err);
	if (!ret)
		ret = add_store(resolver, path ? path : "the trace", store, false);
	return ret ? ret : 1;
}

SMAP_PUBLIC int stackmap_resolver_add_maps_of(struct stackmap_resolver *resolver, const char *path)
{
	int ret = check_unused(resolver), inside, beside = 0;

	if (ret)
		return ret;
	inside = add_inside(resolver, path);
	if (inside < 0)
		return inside;
	if (path)
		beside = add_beside_link(resolver, path, inside);
	return beside < 0 ? beside : inside + beside;
}

/* ---- the trace and symbols ---- */

/* Who has it open already has read its sections, and believed them. */
static int check_trace(struct stackmap_resolver *resolver, bool is_open)
{
	if (resolver->trace->is_text)
		return smap_error_set(&resolver->err, -EINVAL,
				      "a latency trace, which is text without events");
	return is_open ? 0 : smap_tracedat_check_sections(resolver->trace, &resolver->err);
}

static int set_trace(struct stackmap_resolver *resolver, const char *path, int fd)
{
	int ret = check_unused(resolver);

	if (ret)
		return ret;
	if (resolver->trace)
		return smap_error_set(&resolver->err, -EBUSY, "the trace was set before");
	if (path)
		ret = smap_tracedat_open(path, &resolver->trace, &resolver->err);
	else
		ret = smap_tracedat_open_fd(fd, &resolver->trace, &resolver->err);
	if (ret)
		return ret;
	ret = check_trace(resolver, !path);
	if (!ret)
		return 0;
	smap_tracedat_close(resolver->trace);
	resolver->trace = NULL;
	return path ? smap_error_prefix(&resolver->err, ret, "%s", path) : ret;
}

SMAP_PUBLIC int stackmap_resolver_set_trace(struct stackmap_resolver *resolver, const char *path)
{
	return set_trace(resolver, path, -1);
}

SMAP_PUBLIC int stackmap_resolver_set_trace_fd(struct stackmap_resolver *resolver, int fd)
{
	return set_trace(resolver, NULL, fd);
}

SMAP_PUBLIC const char *
stackmap_resolver_get_trace_clock(const struct stackmap_resolver *resolver)
{
	return resolver->trace ? resolver->trace->clock : NULL;
}

SMAP_PUBLIC const char *stackmap_resolver_get_trace_comm(struct stackmap_resolver *resolver,
							 int pid)
{
	const char *comm;

	if (!resolver->trace) {
		smap_errno(-ENOENT);
		return NULL;
	}
	if (!resolver->comms &&
	    smap_tracedat_comms(resolver->trace, &resolver->comms, &resolver->err))
		return NULL;
	comm = smap_comms_find(resolver->comms, pid);
	if (!comm)
		smap_errno(-ENOENT);
	return comm;
}

static int load_trace_symbols(struct stackmap_resolver *resolver, struct smap_error *err)
{
	size_t len = 0;
	char *text;
	int ret;

	ret = smap_tracedat_kallsyms(resolver->trace, &text, &len, err);
	if (ret)
		return ret;
	ret = len ? smap_symbols_from_kallsyms(text, len, &resolver->trace_symbols, err) : 0;
	free(text);
	return ret;
}

const struct smap_symbols *smap_resolver_trace_symbols(struct stackmap_resolver *resolver)
{
	struct smap_error err = { "" };
	int ret;

	if (!resolver->trace || resolver->trace_symbols_state != SMAP_STATE_NEW)
		return resolver->trace_symbols;
	ret = load_trace_symbols(resolver, &err);
	if (ret == -ENOMEM)
		return NULL;
	/* Once: hidden addresses are no fault of the file, and stacks with names do without. */
	if (ret)
		smap_resolver_log(resolver, "symbols of the trace are not used: %s%s", err.text,
				  resolver->given_symbols ? "" :
				  "; give /proc/kallsyms of the recorded kernel (read as root, "
				  "with kernel.kptr_restrict at most 1)");
	resolver->trace_symbols_state = ret ? SMAP_STATE_BAD : SMAP_STATE_GOOD;
	errno = 0;
	return resolver->trace_symbols;
}

static int check_given_symbols(struct stackmap_resolver *resolver)
{
	const struct smap_symbols *symbols = smap_resolver_trace_symbols(resolver);
	struct smap_buf words = SMAP_BUF_INIT;

	if (!symbols && errno == ENOMEM)
		return -ENOMEM;
	resolver->given_symbols_state = SMAP_STATE_GOOD;
	if (!symbols)
		return 0;
	smap_symbols_contradict(resolver->given_symbols, symbols, &words);
	if (smap_buf_failed(&words)) {
		resolver->given_symbols_state = SMAP_STATE_NEW;
		smap_buf_free(&words);
		return smap_errno(-ENOMEM);
	}
	if (words.len) {
		resolver->given_symbols_state = SMAP_STATE_BAD;
		smap_resolver_log(resolver,
				  "the symbols given are of another boot and not used: %s",
				  words.data);
	}
	smap_buf_free(&words);
	return 0;
}

const struct smap_symbols *smap_resolver_given_symbols(struct stackmap_resolver *resolver)
{
	errno = 0;
	if (resolver->given_symbols && resolver->given_symbols_state == SMAP_STATE_NEW &&
	    check_given_symbols(resolver))
		return NULL;
	return resolver->given_symbols_state == SMAP_STATE_BAD ? NULL : resolver->given_symbols;
}

SMAP_PUBLIC int stackmap_resolver_add_kallsyms(struct stackmap_resolver *resolver, const char *path)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	int ret = check_unused(resolver);

	if (ret)
		return ret;
	if (resolver->given_symbols)
		return smap_error_set(&resolver->err, -EBUSY, "symbols were given before");
	ret = smap_read_file(path, smap_kallsyms_probe, &buf, &resolver->err);
	if (!ret) {
		ret = smap_symbols_from_kallsyms(buf.data, buf.len, &resolver->given_symbols,
						 &resolver->err);
		if (ret)
			smap_error_prefix(&resolver->err, ret, "%s", smap_path_name(path));
	}
	smap_buf_free(&buf);
	return ret;
}

/* ---- cookies without generation ---- */

SMAP_PUBLIC int stackmap_resolver_set_generation(struct stackmap_resolver *resolver,
						 uint32_t generation)
{
	int ret = check_unused(resolver);

	if (ret)
		return ret;
	resolver->has_generation = true;
	resolver->generation = generation;
	return 0;
}

SMAP_PUBLIC int stackmap_resolver_expect_slot(struct stackmap_resolver *resolver, uint32_t slot)
{
	int ret = check_unused(resolver);

	if (ret)
		return ret;
	resolver->has_expected = true;
	if (smap_slots_add(&resolver->expected, slot))
		return smap_error_nomem(&resolver->err);
	return 0;
}

SMAP_PUBLIC int stackmap_resolver_require_proof(struct stackmap_resolver *resolver)
{
	int ret = check_unused(resolver);

	if (!ret)
		resolver->require_proof = true;
	return ret;
}
