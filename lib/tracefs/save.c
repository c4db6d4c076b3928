// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A copy made durable.
 *
 *	lock the store | write what is still pending | read the map | append | unlock
 *
 * The lock comes first: whoever saves to the same file at the same time waits, and finds the
 * next generation, or the same one with more in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cookie.h"
#include "core/export.h"
#include "core/hash.h"
#include "room.h"

/* ---- what was done, for the caller ---- */

void smap_saved_init(struct stackmap_saved *saved)
{
	*saved = (struct stackmap_saved){ .size = sizeof(*saved) };
}

void smap_saved_give(const struct stackmap_live *live, struct stackmap_saved *saved,
		     struct stackmap_saved *ret_saved)
{
	saved->has_losses = live->has_losses;
	if (ret_saved)
		*ret_saved = *saved;
}

int smap_check_saved(struct stackmap_live *live, const char *path,
		     const struct stackmap_saved *ret_saved)
{
	free(live->path);
	free(live->wanted_path);
	live->path = live->wanted_path = NULL;
	live->has_losses = false;
	if (!path || !*path)
		return smap_error_set(&live->err, -EINVAL, "no path");
	live->wanted_path = strdup(path);
	if (!live->wanted_path)
		return smap_error_nomem(&live->err);
	if (ret_saved && ret_saved->size != sizeof(*ret_saved))
		return smap_error_set(&live->err, -EINVAL,
				      "a struct stackmap_saved that this version does not know");
	return 0;
}

static void describe(const struct smap_copy *copy, struct stackmap_saved *saved)
{
	const struct smap_export *export = smap_copy_export(copy);
	const struct smap_map *map = &export->maps[export->nr_maps - 1];

	saved->has_generation = export->has_generation;
	saved->generation = map->generation;
	saved->nr_stacks = map->nr_stacks;
	saved->is_complete = export->info.is_closed;
}

void smap_keep_path(struct stackmap_live *live)
{
	if (live->path)
		return;
	live->path = live->wanted_path;
	live->wanted_path = NULL;
}

/* ---- generations that nobody saved ---- */

static bool is_of_boot(const struct stackmap_save *save, const struct smap_origin *origin)
{
	return save->has_generation && save->nr_generations && save->origin.has_boot_id &&
	       !memcmp(save->origin.boot_id, origin->boot_id, sizeof(origin->boot_id));
}

static uint32_t generation_of(const struct stackmap_save *save)
{
	return save->generations[save->nr_generations - 1].generation;
}

/*
 * The latest generation of this boot that the store has, which need not be the last one in it;
 * false: none.
 */
static bool last_generation(struct smap_store *store, const struct smap_origin *origin,
			    uint32_t *ret_generation)
{
	const struct stackmap_save *save;
	bool found = false;
	size_t i;

	for (i = 0; i < smap_store_nr_saves(store); i++) {
		save = smap_store_save(store, i);
		if (!is_of_boot(save, origin) ||
		    (found && !smap_generation_is_later(generation_of(save), *ret_generation)))
			continue;
		*ret_generation = generation_of(save);
		found = true;
	}
	return found;
}

/* Bytes of an export that surely hold its header, which says whether the map was in use. */
#define HEADER_LEN	256

/* 1: all that came until its reset is in this save; 0: it was in use; -ENODATA: it does not say. */
static int is_closed(struct smap_store *store, size_t nr)
{
	struct smap_export *export;
	char head[HEADER_LEN];
	size_t len = sizeof(head);
	int ret;

	if (smap_store_export_head(store, nr, head, &len, NULL) ||
	    smap_parse(head, len, &export, NULL, NULL, NULL))
		return -ENODATA;
	/* Only a binary export says it. */
	ret = export->info.word_size ? export->info.is_closed : -ENODATA;
	smap_export_free(export);
	return ret;
}

/* Every save of this generation was made while it was in use. */
static bool was_saved_early(struct smap_store *store, const struct smap_origin *origin,
			    uint32_t generation)
{
	const struct stackmap_save *save;
	size_t i = smap_store_nr_saves(store);
	bool found = false;

	while (i-- > 0) {
		save = smap_store_save(store, i);
		if (!is_of_boot(save, origin) || generation_of(save) != generation)
			continue;
		if (is_closed(store, i))
			return false;
		found = true;
	}
	return found;
}

/* It was reset behind that save: by somebody else, or by one of us that was killed. */
static void tell_early(struct stackmap_live *live, const struct smap_copy *copy,
		       struct smap_store *store, uint32_t generation)
{
	if (!(live->abilities & STACKMAP_CAN_ROTATE) ||
	    (live->has_rotated && live->rotated == generation) ||
	    !was_saved_early(store, &copy->origin, generation))
		return;
	smap_live_log_loss(live, "generation %" PRIu32 " was reset after it was saved: what came "
			   "in between is in no save of this file", generation);
}

void smap_tell_between(struct stackmap_live *live, uint32_t last, uint32_t generation)
{
	uint32_t nr = generation - last;

	if (nr < 2 || !smap_generation_is_later(generation, last))
		return;
	if (nr == 2)
		smap_live_log_loss(live, "generation %" PRIu32 " is in no save of this file",
				   last + 1);
	else
		smap_live_log_loss(live, "generations %" PRIu32 " to %" PRIu32 " are in no save of "
				   "this file", last + 1, last + nr - 1);
}

/* A map that was reset by somebody else, or by one of us that was killed, is gone: say so. */
static void tell_gap(struct stackmap_live *live, const struct smap_copy *copy,
		     struct smap_writer *writer)
{
	const struct smap_export *export = smap_copy_export(copy);
	struct smap_store *store = smap_writer_store(writer);
	uint32_t last = 0, first;

	if (!export->has_generation || !copy->origin.has_boot_id)
		return;
	first = export->maps[0].generation;
	/* That of another tool's reset is saved, too. */
	if (copy->text_is_main && copy->bin.parsed && copy->bin.parsed->nr_maps) {
		smap_tell_between(live, copy->bin.parsed->maps[0].generation, first);
		first = copy->bin.parsed->maps[0].generation;
	}
	if (!last_generation(store, &copy->origin, &last)) {
		/* Since we looked, just before. */
		if (live->has_seen)
			smap_tell_between(live, live->seen - 1, first);
		return;
	}
	if (smap_generation_is_later(first, last))
		tell_early(live, copy, store, last);
	smap_tell_between(live, last, first);
}

/* ---- writing ---- */

/*
 * Was the map not reset while it was read? One that can be rotated is pinned by its reader. Else
 * the statistics tell, which were read last and are kept only where they are of this generation.
 */
static bool is_whole(const struct stackmap_live *live, const struct smap_copy *copy,
		     const struct smap_shot *shot)
{
	const struct smap_export *export = shot->parsed, *last = smap_copy_export(copy);

	/* One that was reset since cannot be told from another boot's, and need not be. */
	if (!export->has_generation)
		return true;
	if (export->nr_maps != 1)
		return false;
	if (live->abilities & STACKMAP_CAN_ROTATE)
		return true;
	return copy->stat.len && last->nr_maps &&
	       export->maps[0].generation == last->maps[last->nr_maps - 1].generation;
}

static void make_input(const struct stackmap_live *live, const struct smap_copy *copy,
		       const struct smap_shot *shot, struct smap_save_input *input)
{
	*input = (struct smap_save_input){
		.origin		= copy->origin,
		.saved_wall_ns	= copy->wall_ns,
		.saved_boot_ns	= copy->boot_ns,
		.read_times	= copy->read_times,
		.export		= shot->bytes.data,
		.export_len	= shot->bytes.len,
		.stat		= copy->stat.data,
		.stat_len	= copy->stat.len,
		.parsed		= shot->parsed,
		.findings	= &shot->findings,
		.order		= shot->order,
	};
	input->read_times.is_known = is_whole(live, copy, shot);
	if (shot == &copy->bin) {
		input->symbols = copy->symbols.data;
		input->symbols_len = copy->symbols.len;
		input->modules = copy->modules;
	}
}

static int append_shot(struct stackmap_live *live, const struct smap_copy *copy,
		       const struct smap_shot *shot, struct smap_writer *writer,
		       struct stackmap_saved *saved)
{
	struct smap_buf stext = SMAP_BUF_INIT;
	struct smap_save_input input;
	uint64_t len;
	int ret = 0;

	if (!shot->parsed)
		return 0;
	make_input(live, copy, shot, &input);
	/* A text says nothing of where the kernel was, by which boots with KASLR are told apart. */
	if (shot == &copy->text) {
		if (smap_names_add_stext(&live->names, &stext))
			ret = smap_error_nomem(&live->err);
		input.symbols = stext.data;
		input.symbols_len = stext.len;
	}
	if (!ret)
		ret = smap_writer_append(writer, &input, &len, &live->err);
	if (!ret)
		saved->len += len;
	smap_buf_free(&stext);
	return ret;
}

int smap_copy_append(struct stackmap_live *live, const struct smap_copy *copy,
		     struct smap_writer *writer, struct stackmap_saved *saved)
{
	const bool is_first = !saved->has_generation;
	int ret;

	saved->len = 0;
	ret = append_shot(live, copy, &copy->bin, writer, saved);
	if (!ret)
		ret = append_shot(live, copy, &copy->text, writer, saved);
	if (ret)
		return ret;
	describe(copy, saved);
	if (is_first)
		tell_gap(live, copy, writer);
	if (saved->has_generation && saved->is_complete) {
		live->has_rotated = true;
		live->rotated = saved->generation;
	}
	return 0;
}

static int open_writer(struct stackmap_live *live, const char *path, bool is_private,
		       struct smap_writer **ret_writer)
{
	const struct smap_writer_how how = { is_private, live->lock_ms };

	return smap_writer_open_how(path, &how, ret_writer, &live->err);
}

/* ---- elsewhere ---- */

/* A new file, which nobody else can have made: "NAME.0123456789abcdef" in @folder. */
static int append_in(struct stackmap_live *live, const struct smap_copy *copy, const char *folder,
		     const char *path, struct stackmap_saved *saved)
{
	const char *slash = strrchr(path, '/');
	struct smap_writer *writer;
	struct smap_buf name = SMAP_BUF_INIT;
	int ret;

	smap_buf_addf(&name, "%s/%s.%016" PRIx64, folder, slash ? slash + 1 : path,
		      smap_hash_seed());
	if (smap_buf_failed(&name)) {
		smap_buf_free(&name);
		return smap_error_nomem(&live->err);
	}
	/* In a folder where everybody may look. */
	ret = open_writer(live, name.data, true, &writer);
	if (!ret) {
		ret = smap_copy_append(live, copy, writer, saved);
		smap_writer_close(writer);
		if (ret)
			unlink(name.data);
	}
	if (!ret)
		live->path = smap_buf_detach(&name, NULL);
	smap_buf_free(&name);
	return ret;
}

int smap_copy_append_elsewhere(struct stackmap_live *live, const struct smap_copy *copy,
			       const char *path, struct stackmap_saved *saved)
{
	const char *const folders[] = { secure_getenv("TMPDIR"), "/var/tmp", "." };
	const struct smap_error first = live->err;
	size_t i;
	int ret = -EIO;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (!folders[i] || !*folders[i])
			continue;
		ret = append_in(live, copy, folders[i], path, saved);
		if (ret)
			continue;
		saved->is_elsewhere = true;
		smap_live_log(live, "%s: saved to %s", first.text, live->path);
		return 0;
	}
	live->err = first;
	return ret;
}

/* ---- saving ---- */

static int fail_pending(struct stackmap_live *live, int ret)
{
	const struct smap_export *export = smap_copy_export(live->pending);

	if (!export || !export->nr_maps)
		return smap_error_prefix(&live->err, ret, "a map that the kernel has no more");
	return smap_error_prefix(&live->err, ret,
				 "generation %" PRIu32 " with %zu stacks, which the kernel has no "
				 "more", export->maps[0].generation, export->nr_stacks);
}

static void drop_pending(struct stackmap_live *live, struct stackmap_saved *saved)
{
	live->has_losses |= live->pending->has_losses;
	smap_copy_free(live->pending);
	live->pending = NULL;
	saved->is_reset = true;
	saved->is_complete = true;
}

/* What a rotation could not write, which goes first. */
static int write_pending(struct stackmap_live *live, struct smap_writer *writer)
{
	struct stackmap_saved saved;
	int ret;

	if (!live->pending)
		return 0;
	smap_saved_init(&saved);
	ret = smap_held_read_again(live);
	if (!ret)
		ret = smap_copy_append(live, live->pending, writer, &saved);
	if (ret)
		return fail_pending(live, ret);
	drop_pending(live, &saved);
	if (saved.has_generation)
		smap_live_log(live, "generation %" PRIu32 ", read before, is saved now",
			      saved.generation);
	return 0;
}

static int append_pending(struct stackmap_live *live, const char *path,
			  struct stackmap_saved *saved)
{
	struct smap_writer *writer;
	int ret;

	ret = open_writer(live, path, false, &writer);
	if (ret)
		return ret;
	ret = smap_copy_append(live, live->pending, writer, saved);
	smap_writer_close(writer);
	return ret;
}

SMAP_PUBLIC int stackmap_live_save_pending(struct stackmap_live *live, const char *path,
					   struct stackmap_saved *ret_saved)
{
	struct stackmap_saved saved;
	int ret;

	smap_saved_init(&saved);
	ret = smap_check_saved(live, path, ret_saved);
	if (ret)
		return smap_errno(ret);
	if (!live->pending)
		return smap_error_set(&live->err, -ENODATA, "every map that was reset is saved");
	ret = smap_held_read_again(live);
	if (!ret) {
		ret = append_pending(live, path, &saved);
		if (ret && !smap_copy_append_elsewhere(live, live->pending, path, &saved))
			ret = 0;
	}
	if (ret)
		return smap_errno(fail_pending(live, ret));
	drop_pending(live, &saved);
	if (!saved.is_elsewhere)
		smap_keep_path(live);
	smap_saved_give(live, &saved, ret_saved);
	return 0;
}

/* Names that were read, and are kept, are all there are. */
static void take_names(struct stackmap_live *live, const struct smap_writer *writer)
{
	uint8_t boot_id[16];

	if (!live->names.is_read && !smap_read_boot_id(boot_id, NULL))
		smap_names_take(&live->names, smap_writer_store(writer), boot_id);
}

/* The names come last: till then a rotation holds a map that the kernel could free. */
void smap_save_end(struct stackmap_live *live, struct smap_writer *writer)
{
	if (live->keeps_names)
		smap_names_keep(&live->names, writer);
	live->names.kept_in = NULL;
	smap_writer_close(writer);
}

int smap_save_begin(struct stackmap_live *live, const char *path, struct smap_writer **ret_writer)
{
	struct smap_writer *writer;
	int ret;

	ret = open_writer(live, path, false, &writer);
	if (ret)
		return ret;
	ret = write_pending(live, writer);
	if (ret) {
		smap_writer_close(writer);
		return ret;
	}
	take_names(live, writer);
	*ret_writer = writer;
	return 0;
}

static int save(struct stackmap_live *live, struct smap_writer *writer,
		struct stackmap_saved *saved)
{
	struct smap_copy *copy = smap_copy_new(live);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = smap_copy_read(live, copy);
	if (!ret)
		ret = smap_copy_append(live, copy, writer, saved);
	smap_copy_free(copy);
	return ret;
}

SMAP_PUBLIC int stackmap_live_save(struct stackmap_live *live, const char *path,
				   struct stackmap_saved *ret_saved)
{
	struct stackmap_saved saved;
	struct smap_writer *writer;
	int ret;

	smap_saved_init(&saved);
	ret = smap_check_saved(live, path, ret_saved);
	if (!ret)
		ret = smap_live_look(live);
	if (!ret)
		ret = smap_save_begin(live, path, &writer);
	if (ret)
		return smap_errno(ret);
	ret = save(live, writer, &saved);
	smap_save_end(live, writer);
	if (ret)
		return smap_errno(ret);
	smap_keep_path(live);
	smap_saved_give(live, &saved, ret_saved);
	return 0;
}
