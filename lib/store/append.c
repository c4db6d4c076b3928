// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Putting blocks on disk so that no failure and no kill costs what was there before.
 *
 *	no file yet:	make a temporary file beside its place | lock it | write header and
 *			blocks | fsync | rename it into place, never over anything
 *			| fsync the folder
 *	store there:	lock it | still the file of that name? | write behind its end, at a
 *			multiple of 8 | fsync | fsync the folder
 *			on failure: cut it to its old size
 *
 * A writer that is killed leaves a temporary file that nobody has locked, or a torn tail. The
 * next writer removes the former and continues behind the latter; readers never look at the
 * former. The steps are those of place.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "copy.h"

struct append {
	struct smap_place	place;
	const struct smap_save_input *inputs;
	size_t			nr_inputs;
	struct smap_store	*from;		/* its saves, in place of inputs; NULL: those */
	int			fd;		/* of the store that is there, locked; -1: none */
	uint64_t		store_id;
};

/* All of them before the first is written: the next may be one that cannot be. */
static int encode(const struct append *append, struct smap_buf *buf, struct smap_error *err)
{
	size_t i;
	int ret = 0;

	if (append->fd < 0 && smap_store_encode_header(buf, append->store_id))
		return smap_error_nomem(err);
	for (i = 0; !ret && i < append->nr_inputs; i++)
		ret = smap_store_encode_block(buf, append->store_id, &append->inputs[i], err);
	return ret;
}

static int write_inputs(struct smap_sink *sink, void *data, struct smap_error *err)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct append *append = data;
	int ret;

	ret = encode(append, &buf, err);
	if (!ret)
		ret = smap_sink_add(sink, buf.data, buf.len, err);
	smap_buf_free(&buf);
	return ret;
}

/* All saves of another store, but for those that are there already. */
static int write_saves(struct smap_sink *sink, void *data, struct smap_error *err)
{
	const struct append *append = data;
	size_t nr = smap_store_nr_saves(append->from), nr_copied, i;
	struct smap_save_ref *refs = calloc(nr + 1, sizeof(*refs));
	struct smap_store *there;
	int ret;

	if (!refs)
		return smap_error_nomem(err);
	for (i = 0; i < nr; i++)
		refs[i] = (struct smap_save_ref){ append->from, i };
	ret = smap_store_open_at(append->fd, 0, &there, err);
	if (!ret) {
		ret = smap_store_copy_saves(sink, append->store_id, refs, nr, there, &nr_copied,
					    err);
		smap_store_close(there);
	}
	free(refs);
	return ret;
}

/* All of another store, for a file that is to be a copy of it. */
static int write_store(struct smap_sink *sink, void *data, struct smap_error *err)
{
	const struct append *append = data;

	return smap_store_copy_without(sink, append->from, NULL, err);
}

static int create(struct append *append, struct smap_error *err)
{
	int ret;

	append->fd = -1;
	append->store_id = smap_store_new_id();
	ret = smap_place_create_store(&append->place, append->from ? write_store : write_inputs,
				      append, err);
	if (ret < 0)
		return ret;
	close(ret);
	return 0;
}

/* One try; -EAGAIN: look again. */
static int try_append(struct append *append, struct smap_error *err)
{
	uint64_t len;
	int ret;

	append->fd = smap_place_open_store(&append->place, &append->store_id, err);
	if (append->fd == -ENOENT)
		return create(append, err);
	if (append->fd < 0)
		return append->fd;
	/*
	 * Where all of them are there already nothing is written; but who wrote them may have been
	 * killed before they were on disk, and it is synced all the same.
	 */
	ret = smap_place_append(&append->place, append->fd,
				append->from ? write_saves : write_inputs, append, &len, err);
	close(append->fd);
	return ret;
}

static int append_all(struct append *append, const char *path, struct smap_error *err)
{
	unsigned int tries = SMAP_PLACE_TRIES;
	int ret;

	ret = smap_place_open(path, &append->place, err);
	if (ret)
		return smap_error_prefix(err, ret, "%s", path);
	smap_place_tidy(&append->place);
	do
		ret = try_append(append, err);
	while (ret == -EAGAIN && --tries);
	if (ret == -EAGAIN)
		ret = smap_place_fail_tries(&append->place, err);
	smap_place_close(&append->place);
	return ret ? smap_error_prefix(err, ret, "%s", path) : 0;
}

int smap_store_append(const char *path, const struct smap_save_input *inputs, size_t nr_inputs,
		      struct smap_error *err)
{
	struct append append = { .inputs = inputs, .nr_inputs = nr_inputs };

	if (!nr_inputs)
		return smap_error_set(err, -EINVAL, "%s: nothing to write", path);
	return append_all(&append, path, err);
}

int smap_store_append_saves(const char *path, struct smap_store *from, struct smap_error *err)
{
	struct append append = { .from = from };

	return append_all(&append, path, err);
}
