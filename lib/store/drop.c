// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A store without some of its saves: written anew beside it, and put into its place.
 *
 *	header | save A | x | other block | save B | y | save C		x, y: damaged
 *	header |              other block | save B | y | save C		without A
 *
 * What is damaged behind a save (or before the first) goes with that: in a file that is kept below
 * some length nothing else would ever take it away. Blocks of other kinds stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "durable.h"
#include "place.h"

#define COPY_STEP	65536

struct drop {
	struct smap_store	*store;
	bool			*is_dropped;	/* for each of its saves */
	size_t			nr_dropped;
	int			fd;		/* of the new file */
	uint64_t		end;		/* of what is written to it */
};

static int copy(struct drop *drop, uint64_t from, uint64_t to)
{
	char room[COPY_STEP];
	size_t step;
	int ret;

	while (from < to) {
		step = to - from < sizeof(room) ? (size_t)(to - from) : sizeof(room);
		ret = smap_reader_read(&drop->store->reader, from, room, step, NULL);
		if (!ret)
			ret = smap_write_all(drop->fd, room, step, (off_t)drop->end, NULL);
		if (ret)
			return ret;
		drop->end += step;
		from += step;
	}
	return 0;
}

/* What is between two saves, without what is damaged. */
static int copy_whole(struct drop *drop, uint64_t from, uint64_t to)
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
			ret = copy(drop, from, damage->offset);
		from = damage->offset + damage->len;
	}
	return ret ? ret : copy(drop, from, to);
}

/* The list of damages is cut: its last one may reach over blocks that are whole. */
static bool knows_damages(const struct smap_store *store)
{
	return store->nr_damages < SMAP_DAMAGES_MAX;
}

static int copy_between(struct drop *drop, uint64_t from, uint64_t to, bool is_dropped)
{
	return is_dropped && knows_damages(drop->store) ? copy_whole(drop, from, to) :
							  copy(drop, from, to);
}

static int copy_blocks(struct drop *drop, uint64_t from)
{
	const struct smap_store *store = drop->store;
	bool is_dropped = store->nr_saves && drop->is_dropped[0];
	const struct stackmap_save *save;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < store->nr_saves; i++) {
		save = &store->saves[i];
		ret = copy_between(drop, from, save->offset, is_dropped);
		is_dropped = drop->is_dropped[i];
		from = save->offset + save->stored_size;
		if (!ret && !is_dropped)
			ret = copy(drop, save->offset, from);
	}
	return ret ? ret : copy_between(drop, from, store->reader.len, is_dropped);
}

/* The new file as a reader sees it: all that was to stay is there. */
static int check(const struct drop *drop)
{
	struct smap_store *store;
	int ret = smap_store_open_at(drop->fd, 0, &store, NULL);

	if (ret)
		return ret;
	if (store->nr_saves != drop->store->nr_saves - drop->nr_dropped)
		ret = -EBADMSG;
	smap_store_close(store);
	return ret;
}

static int fill(int fd, void *data)
{
	struct drop *drop = data;
	uint64_t first;
	int ret;

	drop->fd = fd;
	drop->end = 0;
	ret = smap_store_read_header(drop->store, &first, NULL);
	if (!ret)
		ret = copy(drop, 0, first);
	if (!ret)
		ret = copy_blocks(drop, first);
	return ret ? ret : check(drop);
}

static void ask(struct drop *drop, smap_drop_fn fn, void *data)
{
	size_t i;

	for (i = 0; i < drop->store->nr_saves; i++) {
		drop->is_dropped[i] = fn(&drop->store->saves[i], data);
		drop->nr_dropped += drop->is_dropped[i];
	}
}

/* @fd is locked. */
static int drop_from(const struct smap_place *place, int fd, smap_drop_fn fn, void *data,
		     size_t *ret_nr, struct smap_error *err)
{
	struct drop drop = { .store = NULL };
	int ret;

	ret = smap_store_open_at(fd, 0, &drop.store, err);
	if (ret)
		return ret;
	drop.is_dropped = calloc(drop.store->nr_saves + 1, sizeof(*drop.is_dropped));
	if (!drop.is_dropped) {
		ret = smap_error_nomem(err);
		goto out;
	}
	ask(&drop, fn, data);
	if (drop.nr_dropped)
		ret = smap_place_replace(place, fd, fill, &drop);
	if (ret)
		smap_error_set(err, ret, "cannot be written anew: %s", strerror(-ret));
	else
		*ret_nr = drop.nr_dropped;
out:
	free(drop.is_dropped);
	smap_store_close(drop.store);
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
