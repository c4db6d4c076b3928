// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "place.h"
#include "supersede.h"
#include "writer.h"

struct smap_writer {
	char			*path;
	struct smap_place	place;
	int			fd;		/* locked */
	uint64_t		store_id;
	struct smap_store	*store;		/* as it was found, its end at least */
	bool			is_made;	/* by us, and still without a block */
	bool			has_superseded;	/* saves that may be dropped */
	bool			has_names;	/* appended by us */
	uint64_t		len;		/* of the saves that were appended */
};

/* @data: a struct smap_buf */
static int write_buf(struct smap_sink *sink, void *data, struct smap_error *err)
{
	const struct smap_buf *bytes = data;

	return smap_sink_add(sink, bytes->data, bytes->len, err);
}

static int make_store(struct smap_writer *writer, struct smap_error *err)
{
	struct smap_buf header = SMAP_BUF_INIT;
	int ret;

	writer->store_id = smap_store_new_id();
	if (smap_store_encode_header(&header, writer->store_id)) {
		smap_buf_free(&header);
		return smap_error_nomem(err);
	}
	ret = smap_place_create_store(&writer->place, write_buf, &header, err);
	smap_buf_free(&header);
	if (ret < 0)
		return ret;
	writer->fd = ret;
	writer->is_made = true;
	return 0;
}

/* One try; -EAGAIN: look again. */
static int try_open(struct smap_writer *writer, struct smap_error *err)
{
	int ret = smap_place_open_store(&writer->place, &writer->store_id, err);

	if (ret == -ENOENT)
		return make_store(writer, err);
	if (ret < 0)
		return ret;
	writer->fd = ret;
	return 0;
}

static int open_place(struct smap_writer *writer, const struct smap_writer_how *how,
		      struct smap_error *err)
{
	unsigned int tries = SMAP_PLACE_TRIES;
	int ret;

	ret = smap_place_open(writer->path, &writer->place, err);
	if (ret)
		return ret;
	writer->place.is_private = how->is_private;
	writer->place.lock_ms = how->lock_ms;
	smap_place_tidy(&writer->place);
	do
		ret = try_open(writer, err);
	while (ret == -EAGAIN && --tries);
	if (ret == -EAGAIN)
		return smap_place_fail_tries(&writer->place, err);
	return ret ? ret : smap_store_open_end(writer->fd, &writer->store, err);
}

int smap_writer_open_how(const char *path, const struct smap_writer_how *how,
			 struct smap_writer **ret_writer, struct smap_error *err)
{
	struct smap_writer *writer = calloc(1, sizeof(*writer));
	int ret;

	if (!writer)
		return smap_error_nomem(err);
	writer->fd = -1;
	writer->place.folder = -1;
	writer->path = strdup(path);
	ret = writer->path ? open_place(writer, how, err) : smap_error_nomem(err);
	if (ret) {
		smap_writer_close(writer);
		return smap_error_prefix(err, ret, "%s", path);
	}
	*ret_writer = writer;
	return 0;
}

int smap_writer_open(const char *path, struct smap_writer **ret_writer, struct smap_error *err)
{
	static const struct smap_writer_how usual = { .lock_ms = SMAP_LOCK_MS };

	return smap_writer_open_how(path, &usual, ret_writer, err);
}

struct smap_store *smap_writer_store(const struct smap_writer *writer)
{
	return writer->store;
}

/* The numbers of what @input replaces, put into it; to be freed, whatever is returned. */
static int find_superseded(struct smap_writer *writer, struct smap_save_input *input,
			   uint64_t **ret_sums, struct smap_error *err)
{
	size_t nr;
	int ret = smap_supersede_find(writer->store, input, ret_sums, &nr, err);

	if (ret)
		return ret;
	input->superseded = *ret_sums;
	input->nr_superseded = nr;
	return 0;
}

static int append(struct smap_writer *writer, const struct smap_save_input *input,
		  struct smap_buf *bytes, uint64_t *ret_len, struct smap_error *err)
{
	int ret;

	ret = smap_store_encode_block(bytes, writer->store_id, input, err);
	if (!ret)
		ret = smap_place_append(&writer->place, writer->fd, write_buf, bytes, ret_len, err);
	if (ret)
		return ret;
	writer->is_made = false;
	writer->has_superseded |= input->nr_superseded != 0;
	if (input->is_names)
		writer->has_names = true;
	else
		writer->len += *ret_len;
	return 0;
}

int smap_writer_append(struct smap_writer *writer, const struct smap_save_input *input,
		       uint64_t *ret_len, struct smap_error *err)
{
	struct smap_buf bytes = SMAP_BUF_INIT;
	struct smap_save_input whole = *input;
	uint64_t *sums = NULL, len = 0;
	int ret;

	ret = find_superseded(writer, &whole, &sums, err);
	if (!ret)
		ret = append(writer, &whole, &bytes, &len, err);
	free(sums);
	smap_buf_free(&bytes);
	if (ret)
		return smap_error_prefix(err, ret, "%s", writer->path);
	*ret_len = len;
	return 0;
}

bool smap_writer_wants_names(const struct smap_writer *writer, const uint8_t boot_id[16],
			     const struct smap_modules *modules, uint64_t len)
{
	const struct smap_store *store = writer->store;
	uint64_t saves = writer->len;
	size_t i;

	if (!writer->len || writer->has_names || smap_store_has_names(store, boot_id, modules))
		return false;
	for (i = 0; i < store->nr_saves; i++)
		saves += store->saves[i].stored_size;
	for (i = 0; i < store->nr_names; i++)
		len += smap_block_len(&store->names[i].block);
	return len <= saves;
}

/*
 * Is it time to look how much of the file is superseded? That takes reading all of it. A short one
 * was read in any case; of another one no more is read than some times what was appended to it.
 */
static bool is_due(const struct smap_writer *writer)
{
	const uint64_t before = writer->store->reader.len;
	uint64_t step = SMAP_STORE_END / 8;
	struct stat st;

	if (!writer->store->is_end_only)
		return true;
	while (step < before / 16)
		step *= 2;
	return !fstat(writer->fd, &st) && (uint64_t)st.st_size / step != before / step;
}

void smap_writer_close(struct smap_writer *writer)
{
	int saved_errno = errno;

	if (!writer)
		return;
	if (writer->fd >= 0) {
		if (writer->is_made)
			smap_place_unmake(&writer->place, writer->fd);
		else if (writer->has_superseded && is_due(writer))
			smap_supersede_drop(&writer->place, writer->fd);
		close(writer->fd);
	}
	smap_store_close(writer->store);
	smap_place_close(&writer->place);
	free(writer->path);
	free(writer);
	errno = saved_errno;
}
