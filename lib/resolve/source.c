// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One save of a file: decoded when it is needed, and each of its distinct frames
 * spelled once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/resolver.h"

static const char no_names[] =
	"%s: addresses have no names: import /proc/kallsyms of the recorded kernel with the map, "
	"or give it (read as root, with kernel.kptr_restrict at most 1)";

static const char unnamed[] =
	"%s: %zu address%s in no function of the kernel or of a loaded module, shown as hex";

static bool has_addresses(const struct smap_export *export)
{
	size_t i;

	for (i = 0; i < export->nr_frames; i++)
		if (export->frames[i].kind == SMAP_FRAME_ADDRESS)
			return true;
	return false;
}

static bool is_named(const struct smap_source *source, uint64_t address)
{
	size_t i;

	for (i = 0; i < SMAP_NR_TABLES; i++)
		if (source->tables[i] && smap_symbols_find(source->tables[i], address))
			return true;
	return false;
}

/* Most often a module that was gone before its symbols were read: nothing near it is its name. */
static size_t count_unnamed(const struct smap_source *source)
{
	const struct smap_export *export = source->export;
	size_t i, nr = 0;

	for (i = 0; i < export->nr_frames; i++)
		if (export->frames[i].kind == SMAP_FRAME_ADDRESS &&
		    !is_named(source, export->frames[i].value))
			nr++;
	return nr;
}

static void log_unnamed(const struct smap_source *source)
{
	size_t nr = count_unnamed(source);

	if (nr)
		smap_resolver_log(source->resolver, unnamed, source->file->shown_path, nr,
				  nr == 1 ? " is" : "es are");
}

static int load_own_symbols(struct smap_source *source, struct smap_error *err)
{
	struct smap_store *store = source->file->store;
	size_t len = 0;
	char *text;
	int ret;

	if (!source->save->has_symbols)
		return 0;
	ret = smap_store_symbol_bytes(store, source->save->nr, &text, &len, err);
	if (ret)
		return ret;
	if (len)
		ret = smap_symbols_from_stored(text, len, &source->symbols, err);
	free(text);
	return ret == -ENODATA ? 0 : ret;
}

/* One of another boot is not used at all: smap_source_contradicts(). */
static int load_trace_symbols(struct smap_source *source)
{
	errno = 0;
	source->tables[2] = smap_resolver_trace_symbols(source->resolver);
	return !source->tables[2] && errno == ENOMEM ? -ENOMEM : 0;
}

static int load_tables(struct smap_source *source, struct smap_error *err)
{
	struct stackmap_resolver *resolver = source->resolver;
	int ret;

	/* A text has them too: they tell whose boot it is. */
	ret = source->symbols ? 0 : load_own_symbols(source, err);
	if (ret || !has_addresses(source->export))
		return ret;
	source->tables[0] = source->symbols;
	if (!count_unnamed(source))
		return 0;
	if (smap_source_load_given(source) || load_trace_symbols(source))
		return smap_error_nomem(err);
	if (source->is_quiet)
		return 0;
	if (!source->tables[0] && !source->tables[1] && !source->tables[2])
		smap_resolver_log(resolver, no_names, source->file->shown_path);
	else
		log_unnamed(source);
	return 0;
}

/* What comes behind the export. */
static int load_names(struct smap_source *source, struct smap_error *err)
{
	int ret;

	ret = load_tables(source, err);
	if (ret)
		return ret;
	source->names = calloc(source->export->nr_frames + 1, sizeof(*source->names));
	source->short_names = calloc(source->export->nr_frames + 1, sizeof(*source->short_names));
	if (!source->names || !source->short_names)
		return smap_error_nomem(err);
	return 0;
}

static int load(struct smap_source *source, struct smap_error *err)
{
	int ret;

	ret = smap_store_export(source->file->store, source->save->nr, &source->export, NULL, err);
	return ret ? ret : load_names(source, err);
}

int smap_source_take(struct smap_source *source, struct smap_export *export,
		     struct smap_symbols *symbols)
{
	source->export = export;
	source->symbols = symbols;
	if (load_names(source, NULL))
		return smap_errno(-ENOMEM);
	source->loaded = SMAP_STATE_GOOD;
	return 0;
}

static void unload(struct smap_source *source)
{
	size_t i;

	for (i = 0; source->export && i < source->export->nr_frames; i++) {
		if (source->names)
			free(source->names[i]);
		if (source->short_names)
			free(source->short_names[i]);
	}
	free(source->names);
	free(source->short_names);
	smap_symbols_free(source->symbols);
	smap_export_free(source->export);
	source->names = source->short_names = NULL;
	source->symbols = NULL;
	source->export = NULL;
}

int smap_source_load(struct smap_source *source)
{
	struct smap_error err = { "" };
	int ret;

	if (source->loaded == SMAP_STATE_GOOD)
		return 0;
	if (source->loaded == SMAP_STATE_BAD)
		return smap_errno(-EBADMSG);
	ret = load(source, &err);
	if (!ret) {
		source->loaded = SMAP_STATE_GOOD;
		return 0;
	}
	unload(source);
	if (ret == -ENOMEM)
		return smap_errno(ret);
	source->load_words = strdup(err.text);
	if (!source->load_words)
		return smap_errno(-ENOMEM);
	source->loaded = SMAP_STATE_BAD;
	smap_resolver_log(source->resolver, "%s: a saved map cannot be used: %s",
			  source->file->shown_path, source->load_words);
	return smap_errno(-EBADMSG);
}

void smap_source_free(struct smap_source *source)
{
	if (!source)
		return;
	unload(source);
	free(source->load_words);
	free(source->contradiction);
	free(source);
}

const char *smap_source_name(struct smap_source *source, uint32_t frame)
{
	const struct smap_frame *known = &source->export->frames[frame];
	struct smap_buf buf = SMAP_BUF_INIT;

	if (known->kind == SMAP_FRAME_TEXT)
		return smap_frame_text(source->export, known);
	if (!source->names[frame]) {
		smap_frame_spell(&buf, source->export, known, source->tables, SMAP_NR_TABLES);
		source->names[frame] = smap_buf_detach(&buf, NULL);
		if (!source->names[frame])
			errno = ENOMEM;
	}
	return source->names[frame];
}

static unsigned int name_flags(unsigned int style)
{
	unsigned int flags = 0;

	if (style & STACKMAP_STYLE_STRIP_SUFFIX)
		flags |= SMAP_NAME_STRIP_SUFFIX;
	if (style & STACKMAP_STYLE_DEMANGLE)
		flags |= SMAP_NAME_DEMANGLE;
	return flags;
}

const char *smap_source_short_name(struct smap_source *source, uint32_t frame)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const char *name;

	if (source->short_names[frame])
		return source->short_names[frame];
	name = smap_source_name(source, frame);
	if (!name)
		return NULL;
	smap_frame_name(&buf, name, strlen(name), name_flags(source->resolver->style.flags));
	source->short_names[frame] = smap_buf_detach(&buf, NULL);
	if (!source->short_names[frame])
		errno = ENOMEM;
	return source->short_names[frame];
}
