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
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "place.h"

struct append {
	struct smap_place	place;
	const struct smap_save_input *inputs;
	size_t			nr_inputs;
	struct smap_store	*from;		/* its saves, in place of inputs; NULL: those */
	struct smap_buf		blocks;		/* the bytes to write */
};

static int encode(struct append *append, uint64_t store_id, struct smap_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < append->nr_inputs; i++)
		ret = smap_store_encode_block(&append->blocks, store_id, &append->inputs[i], err);
	return ret;
}

/* All saves of another store, but for those that stand in the file behind @fd already. */
static int encode_saves(struct append *append, int fd, uint64_t store_id, struct smap_error *err)
{
	size_t nr = smap_store_nr_saves(append->from), nr_copied, i;
	struct smap_save_ref *refs = calloc(nr + 1, sizeof(*refs));
	struct smap_store *there;
	int ret;

	if (!refs)
		return smap_error_nomem(err);
	for (i = 0; i < nr; i++)
		refs[i] = (struct smap_save_ref){ append->from, i };
	ret = smap_store_open_at(fd, 0, &there, err);
	if (!ret) {
		ret = smap_store_copy_saves(&append->blocks, store_id, refs, nr, there, &nr_copied,
					    err);
		smap_store_close(there);
	}
	free(refs);
	return ret;
}

/* All of another store, for a file that is to be a copy of it. */
static int copy_store(struct append *append, struct smap_error *err)
{
	const struct smap_reader *reader = &append->from->reader;
	char *room = smap_buf_reserve(&append->blocks, (size_t)reader->len);
	int ret;

	if (!room)
		return smap_error_nomem(err);
	ret = smap_reader_read(reader, 0, room, (size_t)reader->len, err);
	if (!ret)
		append->blocks.len += (size_t)reader->len;
	return ret;
}

static int write_behind(struct append *append, int fd, uint64_t store_id, struct smap_error *err)
{
	static const char zeros[8];
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	smap_buf_add(&append->blocks, zeros, -(uint64_t)st.st_size % 8);
	ret = append->from ? encode_saves(append, fd, store_id, err) :
			     encode(append, store_id, err);
	if (ret)
		return ret;
	/*
	 * Where all of them are there already nothing is written; but who wrote them may have been
	 * killed before they were on disk.
	 */
	if (append->blocks.len == -(uint64_t)st.st_size % 8)
		smap_buf_reset(&append->blocks);
	return smap_place_append(&append->place, fd, &append->blocks, (uint64_t)st.st_size, err);
}

static int create(struct append *append, struct smap_error *err)
{
	uint64_t store_id = smap_store_new_id();
	int ret;

	if (append->from) {
		ret = copy_store(append, err);
	} else {
		ret = smap_store_encode_header(&append->blocks, store_id);
		ret = ret ? smap_error_nomem(err) : encode(append, store_id, err);
	}
	if (ret)
		return ret;
	ret = smap_place_create_store(&append->place, &append->blocks, err);
	if (ret < 0)
		return ret;
	close(ret);
	return 0;
}

/* One try; -EAGAIN: look again. */
static int try_append(struct append *append, struct smap_error *err)
{
	uint64_t store_id = 0;
	int fd, ret;

	smap_buf_reset(&append->blocks);
	fd = smap_place_open_store(&append->place, &store_id, err);
	if (fd == -ENOENT)
		return create(append, err);
	if (fd < 0)
		return fd;
	ret = write_behind(append, fd, store_id, err);
	close(fd);
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
	smap_buf_free(&append->blocks);
	return ret ? smap_error_prefix(err, ret, "%s", path) : 0;
}

int smap_store_append(const char *path, const struct smap_save_input *inputs, size_t nr_inputs,
		      struct smap_error *err)
{
	struct append append = {
		.inputs = inputs,
		.nr_inputs = nr_inputs,
		.blocks = SMAP_BUF_INIT,
	};

	if (!nr_inputs)
		return smap_error_set(err, -EINVAL, "%s: nothing to write", path);
	return append_all(&append, path, err);
}

int smap_store_append_saves(const char *path, struct smap_store *from, struct smap_error *err)
{
	struct append append = { .from = from, .blocks = SMAP_BUF_INIT };

	return append_all(&append, path, err);
}
