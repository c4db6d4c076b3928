// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Saved-map files and their saves, for programs. A save is the store's own object; what
 * a check found is kept beside the store, so that pointers handed out earlier stay good.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/error.h"
#include "core/export.h"
#include "resolve/open.h"
#include "stackmap.h"
#include "store/layout.h"
#include "store/store.h"
#include "tracedat/tracedat.h"

/* What one check found; the latest comes first. */
struct report {
	struct report		*earlier;
	struct smap_damage	*damages;
	size_t			nr_damages;
	size_t			capacity;
	bool			failed;		/* no memory */
};

struct stackmap_store {
	struct smap_store	*store;		/* NULL: not opened yet */
	char			*path;
	struct report		*report;	/* NULL: not checked yet */
	struct smap_error	err;
};

_Static_assert(STACKMAP_TIME_UNKNOWN == SMAP_TIME_UNKNOWN, "the same number");
_Static_assert((int)STACKMAP_ORDER_LITTLE == (int)SMAP_ORDER_LITTLE, "the same number");
_Static_assert((int)STACKMAP_ORDER_BIG == (int)SMAP_ORDER_BIG, "the same number");

static void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->nr_damages; i++)
		free(report->damages[i].text);
	free(report->damages);
	free(report);
}

SMAP_PUBLIC struct stackmap_store *stackmap_store_new(void)
{
	return calloc(1, sizeof(struct stackmap_store));
}

SMAP_PUBLIC void stackmap_store_free(struct stackmap_store *store)
{
	int saved_errno = errno;
	struct report *report;

	if (!store)
		return;
	while ((report = store->report)) {
		store->report = report->earlier;
		report_free(report);
	}
	smap_store_close(store->store);
	free(store->path);
	free(store);
	errno = saved_errno;
}

SMAP_PUBLIC const char *stackmap_store_get_error(const struct stackmap_store *store)
{
	return store->err.text;
}

SMAP_PUBLIC int stackmap_store_open(struct stackmap_store *store, const char *path)
{
	if (store->store)
		return smap_error_set(&store->err, -EBUSY, "opened before");
	if (!path)
		return smap_error_set(&store->err, -EINVAL, "no path");
	free(store->path);
	store->path = strdup(path);
	if (!store->path)
		return smap_error_nomem(&store->err);
	return smap_maps_open(path, &store->store, &store->err);
}

SMAP_PUBLIC int stackmap_store_tie(struct stackmap_store *store, const char *trace)
{
	struct smap_fingerprint fingerprint;
	struct smap_tracedat *tracedat;
	int ret;

	if (!store->store || !strcmp(store->path, "-"))
		return smap_error_set(&store->err, -EINVAL, "no file is open to be written to");
	ret = smap_tracedat_open(trace, &tracedat, &store->err);
	if (ret)
		return ret;
	ret = smap_tracedat_fingerprint(tracedat, &fingerprint, &store->err);
	if (ret)
		smap_error_prefix(&store->err, ret, "%s", trace);
	else
		ret = smap_store_tie(store->path, &fingerprint, &store->err);
	smap_tracedat_close(tracedat);
	return ret ? smap_errno(ret) : 0;
}

SMAP_PUBLIC int stackmap_store_append(struct stackmap_store *store, const char *path)
{
	int ret;

	if (!store->store || !path)
		return smap_error_set(&store->err, -EINVAL, "nothing is open to be appended");
	ret = smap_store_append_saves(path, store->store, &store->err);
	return ret ? smap_errno(ret) : 0;
}

SMAP_PUBLIC int stackmap_store_drop(struct stackmap_store *store, const char *path,
				    stackmap_drop_fn fn, void *data)
{
	size_t nr = 0;
	int ret;

	if (store->store)
		return smap_error_set(&store->err, -EBUSY, "opened before");
	if (!path || !fn)
		return smap_error_set(&store->err, -EINVAL, "no path");
	ret = smap_store_drop(path, fn, data, &nr, &store->err);
	return ret ? smap_errno(ret) : (int)nr;
}

SMAP_PUBLIC uint64_t stackmap_store_get_len(const struct stackmap_store *store)
{
	return store->store ? smap_store_size(store->store) : 0;
}

SMAP_PUBLIC size_t stackmap_store_nr_saves(const struct stackmap_store *store)
{
	return store->store ? smap_store_nr_saves(store->store) : 0;
}

SMAP_PUBLIC const struct stackmap_save *stackmap_store_get_save(const struct stackmap_store *store,
								 size_t nr)
{
	if (nr < stackmap_store_nr_saves(store))
		return smap_store_save(store->store, nr);
	errno = ERANGE;
	return NULL;
}

SMAP_PUBLIC size_t stackmap_store_nr_damages(const struct stackmap_store *store)
{
	if (store->report)
		return store->report->nr_damages;
	return store->store ? smap_store_nr_damages(store->store) : 0;
}

SMAP_PUBLIC const char *stackmap_store_get_damage(const struct stackmap_store *store, size_t nr,
						  uint64_t *ret_offset, uint64_t *ret_len)
{
	const struct smap_damage *damage;

	if (nr >= stackmap_store_nr_damages(store)) {
		errno = ERANGE;
		return NULL;
	}
	damage = store->report ? &store->report->damages[nr] : smap_store_damage(store->store, nr);
	if (ret_offset)
		*ret_offset = damage->offset;
	if (ret_len)
		*ret_len = damage->len;
	return damage->text;
}

static void take_damage(const struct smap_damage *damage, void *data)
{
	struct report *report = data;
	size_t nr = report->nr_damages;
	char *text;

	if (report->failed || SMAP_ARRAY_GROW(report->damages, report->capacity, nr + 1)) {
		report->failed = true;
		return;
	}
	text = strdup(damage->text);
	if (!text) {
		report->failed = true;
		return;
	}
	report->damages[nr] = (struct smap_damage){ damage->offset, damage->len, text };
	report->nr_damages++;
}

SMAP_PUBLIC int stackmap_store_verify(struct stackmap_store *store)
{
	struct report *report;
	int ret;

	if (!store->store)
		return smap_error_set(&store->err, -EINVAL, "no file was opened");
	report = calloc(1, sizeof(*report));
	if (!report)
		return smap_error_nomem(&store->err);
	ret = smap_store_verify(store->store, take_damage, report, &store->err);
	if (ret >= 0 && report->failed)
		ret = smap_error_nomem(&store->err);
	if (ret < 0) {
		report_free(report);
		return smap_errno(ret);
	}
	report->earlier = store->report;
	store->report = report;
	return ret;
}

SMAP_PUBLIC const char *stackmap_save_get_boot_id(const struct stackmap_save *save)
{
	return save->origin.has_boot_id ? save->boot_id_text : NULL;
}

SMAP_PUBLIC const char *stackmap_save_get_release(const struct stackmap_save *save)
{
	return save->origin.release;
}

SMAP_PUBLIC const char *stackmap_save_get_version(const struct stackmap_save *save)
{
	return save->origin.version;
}

SMAP_PUBLIC const char *stackmap_save_get_machine(const struct stackmap_save *save)
{
	return save->origin.machine;
}

SMAP_PUBLIC unsigned int stackmap_save_get_word_size(const struct stackmap_save *save)
{
	return save->origin.word_size;
}

SMAP_PUBLIC enum stackmap_byte_order stackmap_save_get_byte_order(const struct stackmap_save *save)
{
	return (enum stackmap_byte_order)save->origin.byte_order;
}

SMAP_PUBLIC uint64_t stackmap_save_get_wall_ns(const struct stackmap_save *save)
{
	return save->saved_wall_ns;
}

SMAP_PUBLIC uint64_t stackmap_save_get_boot_ns(const struct stackmap_save *save)
{
	return save->saved_boot_ns;
}

SMAP_PUBLIC const char *stackmap_save_get_format(const struct stackmap_save *save)
{
	const struct smap_parse_ops *format;

	if (smap_store_export_format(save->store, save->nr, &format, NULL))
		return NULL;
	return format->name;
}

SMAP_PUBLIC bool stackmap_save_has_generation(const struct stackmap_save *save)
{
	return save->has_generation;
}

SMAP_PUBLIC bool stackmap_save_has_symbols(const struct stackmap_save *save)
{
	return save->has_symbols;
}

SMAP_PUBLIC bool stackmap_save_is_superseded(const struct stackmap_save *save)
{
	return save->is_superseded;
}

SMAP_PUBLIC bool stackmap_save_is_raw(const struct stackmap_save *save)
{
	return save->is_raw;
}

SMAP_PUBLIC bool stackmap_save_is_closed(const struct stackmap_save *save)
{
	int saved_errno = errno;
	struct smap_export *export;
	bool is_closed = false;

	if (!smap_store_export(save->store, save->nr, &export, NULL, NULL)) {
		is_closed = export->info.is_closed;
		smap_export_free(export);
	}
	errno = saved_errno;
	return is_closed;
}

SMAP_PUBLIC size_t stackmap_save_nr_generations(const struct stackmap_save *save)
{
	return save->nr_generations;
}

SMAP_PUBLIC uint32_t stackmap_save_get_generation(const struct stackmap_save *save, size_t nr)
{
	if (!save->has_generation || nr >= save->nr_generations)
		return 0;
	return save->generations[nr].generation;
}

SMAP_PUBLIC uint64_t stackmap_save_nr_stacks(const struct stackmap_save *save, size_t nr)
{
	return nr < save->nr_generations ? save->generations[nr].nr_stacks : 0;
}

SMAP_PUBLIC uint64_t stackmap_save_get_offset(const struct stackmap_save *save)
{
	return save->offset;
}

SMAP_PUBLIC uint64_t stackmap_save_get_len(const struct stackmap_save *save)
{
	return save->stored_size;
}

SMAP_PUBLIC uint64_t stackmap_save_get_export_len(const struct stackmap_save *save)
{
	return save->export_size;
}

SMAP_PUBLIC char *stackmap_save_read_export(const struct stackmap_save *save, size_t *ret_len)
{
	char *data;
	size_t len;

	if (smap_store_export_bytes(save->store, save->nr, &data, &len, NULL))
		return NULL;
	if (ret_len)
		*ret_len = len;
	return data;
}

/* What an export tells of itself, in the words of a stack_map_stat; NULL with errno. */
static struct stackmap_stat *stat_from_info(const struct smap_export *export)
{
	const struct smap_export_info *info = &export->info;
	char text[256];
	int len;

	if (!info->has_counts || !export->nr_maps) {
		errno = ENOENT;
		return NULL;
	}
	len = snprintf(text, sizeof(text),
		       "generation: %" PRIu32 "\nentries: %zu\ncapacity: %" PRIu32 "\n"
		       "successes: %" PRIu64 "\nfallbacks: %" PRIu64 "\n",
		       export->maps[0].generation, export->nr_stacks, info->capacity,
		       info->successes, info->fallbacks);
	return stackmap_stat_new(text, (size_t)len);
}

/* None was saved: an export that counts for itself may serve. */
static struct stackmap_stat *stat_from_export(const struct stackmap_save *save)
{
	const struct smap_parse_ops *format;
	struct smap_export *export;
	struct stackmap_stat *stat;
	int ret;

	ret = smap_store_export_format(save->store, save->nr, &format, NULL);
	if (!ret && !format->has_counts)
		ret = -ENOENT;
	if (!ret)
		ret = smap_store_export(save->store, save->nr, &export, NULL, NULL);
	if (ret) {
		errno = ret == -ENOMEM ? ENOMEM : ENOENT;
		return NULL;
	}
	stat = stat_from_info(export);
	smap_export_free(export);
	return stat;
}

SMAP_PUBLIC struct stackmap_stat *stackmap_save_read_stat(const struct stackmap_save *save)
{
	struct stackmap_stat *stat;
	char *text;
	size_t len;

	if (!save->has_stat)
		return stat_from_export(save);
	if (smap_store_stat_bytes(save->store, save->nr, &text, &len, NULL))
		return NULL;
	stat = stackmap_stat_new(text, len);
	free(text);
	return stat;
}
