// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A store without some of its saves: written anew beside it, and put into its place.
 *
 *	header | save A | x | other block | save B | y | save C		x, y: damaged
 *	header |              other block | save B | y | save C		without A
 *
 * What is damaged behind a save (or before the first) goes with that: in a file that is kept below
 * some length nothing else would ever take it away. Blocks of other kinds stay, but for kept names
 * that others stand behind, which are of other modules or of another boot, and for the last ones
 * where they would take more than the saves: those are what the file is for. A copy has none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copy.h"

#define COPY_STEP	65536

struct drop {
	const struct smap_store	*store;
	const bool		*is_dropped;	/* for each of its saves; NULL: none is */
	struct smap_sink	*sink;		/* the new file */
	size_t			nr_left_out;	/* kept names, from the first */
	size_t			nr_passed;	/* of these */
};

static bool is_dropped(const struct drop *drop, size_t nr)
{
	return drop->is_dropped && drop->is_dropped[nr];
}

static int copy(const struct drop *drop, uint64_t from, uint64_t to, struct smap_error *err)
{
	char room[COPY_STEP];
	size_t step;
	int ret = 0;

	for (; !ret && from < to; from += step) {
		step = to - from < sizeof(room) ? (size_t)(to - from) : sizeof(room);
		ret = smap_reader_read(&drop->store->reader, from, room, step, err);
		if (!ret)
			ret = smap_sink_add(drop->sink, room, step, err);
	}
	return ret;
}

/* What is between two saves, without what is damaged. */
static int copy_whole(const struct drop *drop, uint64_t from, uint64_t to, struct smap_error *err)
{
	const struct smap_store *store = drop->store;
	const struct smap_damage *damage;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < store->nr_damages && from < to; i++) {
		damage = &store->damages[i];
		if (damage->offset >= to || damage->offset + damage->len <= from)
			continue;
		if (damage->offset > from)
			ret = copy(drop, from, damage->offset, err);
		from = damage->offset + damage->len;
	}
	return ret ? ret : copy(drop, from, to, err);
}

/* The list of damages is cut: its last one may reach over blocks that are whole. */
static bool knows_damages(const struct smap_store *store)
{
	return store->nr_damages < SMAP_DAMAGES_MAX;
}

static int copy_part(const struct drop *drop, uint64_t from, uint64_t to, bool is_behind_dropped,
		     struct smap_error *err)
{
	if (is_behind_dropped && knows_damages(drop->store))
		return copy_whole(drop, from, to, err);
	return copy(drop, from, to, err);
}

static size_t count_left_out(const struct drop *drop)
{
	const struct smap_store *store = drop->store;
	uint64_t len = 0;
	size_t nr = store->nr_names, i;

	if (!nr || !drop->is_dropped)
		return nr;
	for (i = 0; i < store->nr_saves; i++)
		if (!is_dropped(drop, i))
			len += store->saves[i].stored_size;
	return nr - (smap_block_len(&store->names[nr - 1].block) <= len);
}

static int copy_between(struct drop *drop, uint64_t from, uint64_t to, bool is_behind_dropped,
			struct smap_error *err)
{
	const struct smap_block *names;
	int ret = 0;

	for (; !ret && drop->nr_passed < drop->nr_left_out; drop->nr_passed++) {
		names = &drop->store->names[drop->nr_passed].block;
		if (names->offset >= to)
			break;
		ret = copy_part(drop, from, names->offset, is_behind_dropped, err);
		from = names->offset + smap_block_len(names);
	}
	return ret ? ret : copy_part(drop, from, to, is_behind_dropped, err);
}

/* The header of the file stands before the first save, and is whole where one is dropped. */
static int copy_blocks(struct drop *drop, struct smap_error *err)
{
	const struct smap_store *store = drop->store;
	bool dropped = store->nr_saves && is_dropped(drop, 0);
	const struct stackmap_save *save;
	uint64_t from = 0;
	int ret = 0;
	size_t i;

	drop->nr_left_out = count_left_out(drop);
	for (i = 0; !ret && i < store->nr_saves; i++) {
		save = &store->saves[i];
		ret = copy_between(drop, from, save->offset, dropped, err);
		dropped = is_dropped(drop, i);
		from = save->offset + save->stored_size;
		if (!ret && !dropped)
			ret = copy(drop, save->offset, from, err);
	}
	return ret ? ret : copy_between(drop, from, store->reader.len, dropped, err);
}

static size_t nr_kept(const struct drop *drop)
{
	size_t nr = 0, i;

	for (i = 0; i < drop->store->nr_saves; i++)
		nr += !is_dropped(drop, i);
	return nr;
}

/* The new file as a reader sees it: all that was to stay is there, and no less whole. */
static int check(const struct drop *drop, struct smap_error *err)
{
	const struct smap_store *old = drop->store;
	struct smap_store *new;
	int ret;

	ret = smap_store_open_at(drop->sink->fd, 0, &new, err);
	if (ret)
		return ret;
	if (new->nr_saves != nr_kept(drop) || new->nr_ties != old->nr_ties ||
	    new->nr_damages > old->nr_damages)
		ret = smap_error_set(err, -EBADMSG, "changed while it was copied");
	smap_store_close(new);
	return ret;
}

int smap_store_copy_without(struct smap_sink *sink, const struct smap_store *store,
			    const bool *is_dropped, struct smap_error *err)
{
	struct drop drop = { .store = store, .is_dropped = is_dropped, .sink = sink };
	int ret = copy_blocks(&drop, err);

	return ret ? ret : check(&drop, err);
}

/* ---- into its place ---- */

struct replacement {
	const struct smap_store	*store;
	bool			*is_dropped;
};

static int fill(struct smap_sink *sink, void *data, struct smap_error *err)
{
	const struct replacement *replacement = data;

	return smap_store_copy_without(sink, replacement->store, replacement->is_dropped, err);
}

int smap_store_replace_without(const struct smap_place *place, int fd,
			       const struct smap_store *store, smap_drop_fn fn, void *data,
			       size_t *ret_nr)
{
	struct replacement replacement = { .store = store };
	size_t nr = 0, i;
	int ret = 0;

	replacement.is_dropped = calloc(store->nr_saves + 1, sizeof(*replacement.is_dropped));
	if (!replacement.is_dropped)
		return smap_errno(-ENOMEM);
	for (i = 0; i < store->nr_saves; i++) {
		replacement.is_dropped[i] = fn(&store->saves[i], data);
		nr += replacement.is_dropped[i];
	}
	if (nr)
		ret = smap_place_replace(place, fd, fill, &replacement);
	free(replacement.is_dropped);
	if (!ret)
		*ret_nr = nr;
	return ret;
}

/* @fd is locked. */
static int drop_from(const struct smap_place *place, int fd, smap_drop_fn fn, void *data,
		     size_t *ret_nr, struct smap_error *err)
{
	struct smap_store *store;
	int ret;

	ret = smap_store_open_at(fd, 0, &store, err);
	if (ret)
		return ret;
	ret = smap_store_replace_without(place, fd, store, fn, data, ret_nr);
	if (ret)
		smap_error_set(err, ret, "cannot be written anew: %s", strerror(-ret));
	smap_store_close(store);
	return ret;
}

static int drop_at(const struct smap_place *place, smap_drop_fn fn, void *data, size_t *ret_nr,
		   struct smap_error *err)
{
	unsigned int tries = SMAP_PLACE_TRIES;
	uint64_t store_id;
	int fd, ret;

	do
		fd = smap_place_open_store(place, &store_id, err);
	while (fd == -EAGAIN && --tries);
	if (fd == -ENOENT)
		return smap_error_set(err, -ENOENT, "%s", strerror(ENOENT));
	if (fd < 0)
		return fd;
	ret = drop_from(place, fd, fn, data, ret_nr, err);
	close(fd);
	return ret;
}

int smap_store_drop(const char *path, smap_drop_fn fn, void *data, size_t *ret_nr,
		    struct smap_error *err)
{
	struct smap_place place;
	int ret;

	ret = smap_place_open(path, &place, err);
	if (!ret) {
		smap_place_tidy(&place);
		ret = drop_at(&place, fn, data, ret_nr, err);
		smap_place_close(&place);
	}
	return ret ? smap_error_prefix(err, ret, "%s", path) : 0;
}
