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

#include "block.h"

static int copy_raw(struct smap_buf *buf, uint64_t store_id, struct smap_store *from,
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
	return ret;
}

/* The header as it stands, but for the store id and the checksum at its end. */
static int copy_header(struct smap_buf *buf, uint64_t store_id, const struct smap_store *from,
		       const struct smap_block *block, struct smap_error *err)
{
	const size_t sum_at = block->header_size - sizeof(uint64_t);
	uint64_t id = htole64(store_id), sum;
	char *room = smap_buf_reserve(buf, block->header_size);
	int ret;

	if (!room)
		return smap_error_nomem(err);
	ret = smap_reader_read(&from->reader, block->offset, room, block->header_size, err);
	if (ret)
		return ret;
	memcpy(room + offsetof(struct smap_block_header, store_id), &id, sizeof(id));
	sum = htole64(smap_checksum(room, sum_at));
	memcpy(room + sum_at, &sum, sizeof(sum));
	buf->len += block->header_size;
	return 0;
}

static int copy_block(struct smap_buf *buf, uint64_t store_id, const struct smap_store *from,
		      const struct smap_block *known, struct smap_error *err)
{
	struct smap_block block;
	char *room;
	int ret;

	/* The file may have changed since. */
	ret = smap_block_read_header(&from->reader, known->offset, from->store_id, &block, err);
	if (!ret)
		ret = smap_block_load(&from->reader, &block, &room, err);
	if (ret)
		return ret;
	ret = copy_header(buf, store_id, from, &block, err);
	if (!ret)
		smap_buf_add(buf, room, (size_t)block.size);
	free(room);
	if (!ret && smap_buf_failed(buf))
		ret = smap_error_nomem(err);
	return ret;
}

static bool is_one_of(const struct smap_block *blocks, size_t nr, const char *block)
{
	struct smap_block_header disk;
	size_t i;

	memcpy(&disk, block, sizeof(disk));
	for (i = 0; i < nr; i++)
		if (blocks[i].size == le64toh(disk.size) &&
		    blocks[i].data_checksum == le64toh(disk.data_checksum))
			return true;
	return false;
}

/* The same sections in the same order: the same save, or tie. */
static bool is_there(const struct smap_store *store, const char *block)
{
	return store && (is_one_of(store->blocks, store->nr_saves, block) ||
			 is_one_of(store->tie_blocks, store->nr_ties, block));
}

/* Twice among those that are copied: at most a few, and a look at each header. */
static bool is_in(const struct smap_buf *buf, size_t from, size_t at)
{
	struct smap_block_header ours, other;

	memcpy(&ours, buf->data + at, sizeof(ours));
	while (from < at) {
		memcpy(&other, buf->data + from, sizeof(other));
		if (other.size == ours.size && other.data_checksum == ours.data_checksum)
			return true;
		from += le16toh(other.header_size) + le64toh(other.size);
	}
	return false;
}

/* All of @from, behind what was copied since @first. */
static int copy_ties(struct smap_buf *buf, uint64_t store_id, const struct smap_store *from,
		     const struct smap_store *there, size_t first, struct smap_error *err)
{
	size_t at, i;
	int ret;

	for (i = 0; i < from->nr_ties; i++) {
		at = buf->len;
		ret = copy_block(buf, store_id, from, &from->tie_blocks[i], err);
		if (ret)
			return ret;
		if (is_there(there, buf->data + at) || is_in(buf, first, at))
			buf->len = at;
	}
	return 0;
}

int smap_store_copy_saves(struct smap_buf *buf, uint64_t store_id, const struct smap_save_ref *refs,
			  size_t nr_refs, const struct smap_store *there, size_t *ret_nr_copied,
			  struct smap_error *err)
{
	size_t first = buf->len, nr_copied = 0, at, i;
	struct smap_store *from;
	int ret;

	for (i = 0; i < nr_refs; i++) {
		from = refs[i].store;
		at = buf->len;
		if (from->is_raw)
			ret = copy_raw(buf, store_id, from, err);
		else
			ret = copy_block(buf, store_id, from, &from->blocks[refs[i].nr], err);
		if (ret)
			return ret;
		if (is_there(there, buf->data + at) || is_in(buf, first, at))
			buf->len = at;
		else
			nr_copied++;
		/* Those of one store come one after another. */
		if (i + 1 < nr_refs && refs[i + 1].store == from)
			continue;
		ret = copy_ties(buf, store_id, from, there, first, err);
		if (ret)
			return ret;
	}
	*ret_nr_copied = nr_copied;
	return 0;
}
