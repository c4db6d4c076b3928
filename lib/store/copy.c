// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Saves of one store become saves of another: the sections are copied as they stand, and only the
 * store id in the header of their block changes. A raw export becomes a block.
 *
 * Ties go with them: they name saves by their data. Other kinds of blocks are not carried over:
 * what they say, they say of the store that they stand in.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "copy.h"

#define CHANGED	"changed since the file was opened"

/* An export has no checksum: it is read and parsed again, as a whole. */
static int encode_raw(struct smap_buf *buf, uint64_t store_id, struct smap_store *from,
		      struct smap_error *err)
{
	struct smap_save_input input = {
		.saved_wall_ns = SMAP_TIME_UNKNOWN,
		.saved_boot_ns = SMAP_TIME_UNKNOWN,
	};
	char *export;
	int ret;

	ret = smap_store_export_bytes(from, 0, &export, &input.export_len, err);
	if (ret)
		return ret;
	input.export = export;
	ret = smap_store_encode_block(buf, store_id, &input, err);
	free(export);
	/* It was one when it was opened. */
	return ret == -EINVAL || ret == -EBADMSG ? smap_error_set(err, -EBADMSG, CHANGED) : ret;
}

/* @room: SMAP_HEADER_MAX bytes. It is that of the same block as when the store was opened. */
static int read_header(const struct smap_store *from, const struct smap_block *block, char *room,
		       struct smap_error *err)
{
	const size_t sum_at = block->header_size - sizeof(uint64_t);
	struct smap_block_header disk;
	uint64_t sum;
	int ret;

	ret = smap_reader_read(&from->reader, block->offset, room, block->header_size, err);
	if (ret)
		return ret;
	memcpy(&disk, room, sizeof(disk));
	memcpy(&sum, room + sum_at, sizeof(sum));
	if (smap_checksum(room, sum_at) != le64toh(sum) ||
	    le64toh(disk.store_id) != from->store_id || le64toh(disk.size) != block->size ||
	    le64toh(disk.data_checksum) != block->data_checksum)
		return smap_error_set(err, -EBADMSG, CHANGED);
	return 0;
}

/* The header as it stands, but for the store id and the checksum at its end. */
static int copy_header(struct smap_sink *sink, uint64_t store_id, const struct smap_store *from,
		       const struct smap_block *block, struct smap_error *err)
{
	const size_t sum_at = block->header_size - sizeof(uint64_t);
	uint64_t id = htole64(store_id), sum;
	char room[SMAP_HEADER_MAX];
	int ret;

	ret = read_header(from, block, room, err);
	if (ret)
		return ret;
	memcpy(room + offsetof(struct smap_block_header, store_id), &id, sizeof(id));
	sum = htole64(smap_checksum(room, sum_at));
	memcpy(room + sum_at, &sum, sizeof(sum));
	return smap_sink_add(sink, room, block->header_size, err);
}

/* They are written before it is known that they are right: the caller takes them back then. */
static int copy_data(struct smap_sink *sink, struct smap_stream *stream,
		     const struct smap_block *block, struct smap_error *err)
{
	const void *data;
	uint64_t sum;
	size_t len;
	int ret = 0;

	smap_stream_begin(stream, block->offset + block->header_size, block->size);
	while (!ret && smap_stream_left(stream)) {
		ret = smap_stream_next(stream, &data, &len, err);
		if (!ret)
			ret = smap_sink_add(sink, data, len, err);
	}
	if (!ret)
		ret = smap_stream_finish(stream, &sum, err);
	if (!ret && sum != block->data_checksum)
		ret = smap_error_set(err, -EBADMSG, CHANGED);
	return ret;
}

static int copy_block(struct smap_sink *sink, uint64_t store_id, const struct smap_store *from,
		      const struct smap_block *block, struct smap_error *err)
{
	struct smap_stream *stream;
	int ret;

	/* What nobody could load is not carried on. */
	ret = smap_check_len(block->size, SMAP_BLOCK_MAX, -EBADMSG, err);
	if (ret)
		return ret;
	stream = smap_stream_new(&from->reader);
	if (!stream)
		return smap_error_nomem(err);
	ret = copy_header(sink, store_id, from, block, err);
	if (!ret)
		ret = copy_data(sink, stream, block, err);
	smap_stream_free(stream);
	if (ret == -EBADMSG)
		smap_error_prefix(err, ret, "what is copied, at its byte %llu",
				  (unsigned long long)block->offset);
	return ret;
}

/* ---- what is there already ---- */

/* The same sections in the same order: the same save, or tie. No block is empty. */
struct key {
	uint64_t	sum;
	uint64_t	size;		/* 0: nothing here */
};

struct seen {
	struct key	*keys;		/* 2^bits */
	unsigned int	bits;
	uint64_t	seed;
};

/* Remember it; true where it was not there yet. */
static bool take(struct seen *seen, uint64_t sum, uint64_t size)
{
	const size_t mask = ((size_t)1 << seen->bits) - 1;
	size_t at = smap_hash_bucket(sum, seen->seed, seen->bits);

	for (; seen->keys[at].size; at = (at + 1) & mask)
		if (seen->keys[at].sum == sum && seen->keys[at].size == size)
			return false;
	seen->keys[at] = (struct key){ sum, size };
	return true;
}

static bool take_block(struct seen *seen, const struct smap_block *block)
{
	return take(seen, block->data_checksum, block->size);
}

/* The same for its bytes. */
static bool take_bytes(struct seen *seen, const char *block)
{
	struct smap_block_header disk;

	memcpy(&disk, block, sizeof(disk));
	return take(seen, le64toh(disk.data_checksum), le64toh(disk.size));
}

/* Room for @nr more than stand in @there, which may be NULL. */
static int begin(struct seen *seen, const struct smap_store *there, size_t nr,
		 struct smap_error *err)
{
	size_t i;

	seen->bits = smap_hash_bits(nr + (there ? there->nr_saves + there->nr_ties : 0));
	seen->seed = smap_hash_seed();
	seen->keys = calloc((size_t)1 << seen->bits, sizeof(*seen->keys));
	if (!seen->keys)
		return smap_error_nomem(err);
	for (i = 0; there && i < there->nr_saves; i++)
		take_block(seen, &there->blocks[i]);
	for (i = 0; there && i < there->nr_ties; i++)
		take_block(seen, &there->tie_blocks[i]);
	return 0;
}

/* ---- all of them ---- */

struct copying {
	struct smap_sink	*sink;
	uint64_t		store_id;
	struct seen		seen;
	size_t			nr_copied;	/* saves */
};

/* All of @from. */
static int copy_ties(struct copying *copying, const struct smap_store *from,
		     struct smap_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < from->nr_ties; i++)
		if (take_block(&copying->seen, &from->tie_blocks[i]))
			ret = copy_block(copying->sink, copying->store_id, from,
					 &from->tie_blocks[i], err);
	return ret;
}

static int copy_raw(struct copying *copying, struct smap_store *from, struct smap_error *err)
{
	struct smap_buf block = SMAP_BUF_INIT;
	int ret;

	ret = encode_raw(&block, copying->store_id, from, err);
	if (!ret && take_bytes(&copying->seen, block.data)) {
		ret = smap_sink_add(copying->sink, block.data, block.len, err);
		copying->nr_copied++;
	}
	smap_buf_free(&block);
	return ret;
}

static int copy_save(struct copying *copying, const struct smap_save_ref *ref,
		     struct smap_error *err)
{
	const struct smap_block *block = &ref->store->blocks[ref->nr];

	if (ref->store->is_raw)
		return copy_raw(copying, ref->store, err);
	if (!take_block(&copying->seen, block))
		return 0;
	copying->nr_copied++;
	return copy_block(copying->sink, copying->store_id, ref->store, block, err);
}

/* Those of one store come one after another. */
static bool is_last_of_store(const struct smap_save_ref *refs, size_t nr_refs, size_t i)
{
	return i + 1 == nr_refs || refs[i + 1].store != refs[i].store;
}

static size_t count(const struct smap_save_ref *refs, size_t nr_refs)
{
	size_t nr = nr_refs, i;

	for (i = 0; i < nr_refs; i++)
		if (is_last_of_store(refs, nr_refs, i))
			nr += refs[i].store->nr_ties;
	return nr;
}

int smap_store_copy_saves(struct smap_sink *sink, uint64_t store_id,
			  const struct smap_save_ref *refs, size_t nr_refs,
			  const struct smap_store *there, size_t *ret_nr_copied,
			  struct smap_error *err)
{
	struct copying copying = { .sink = sink, .store_id = store_id };
	size_t i;
	int ret;

	ret = begin(&copying.seen, there, count(refs, nr_refs), err);
	for (i = 0; !ret && i < nr_refs; i++) {
		ret = copy_save(&copying, &refs[i], err);
		if (!ret && is_last_of_store(refs, nr_refs, i))
			ret = copy_ties(&copying, refs[i].store, err);
	}
	free(copying.seen.keys);
	if (!ret)
		*ret_nr_copied = copying.nr_copied;
	return ret;
}
