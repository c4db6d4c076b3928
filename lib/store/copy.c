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

/* One that was made here. */
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
	struct smap_buf		*buf;
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
			ret = copy_block(copying->buf, copying->store_id, from,
					 &from->tie_blocks[i], err);
	return ret;
}

static int copy_save(struct copying *copying, const struct smap_save_ref *ref,
		     struct smap_error *err)
{
	const size_t at = copying->buf->len;
	const struct smap_block *block = &ref->store->blocks[ref->nr];
	int ret;

	if (!ref->store->is_raw && !take_block(&copying->seen, block))
		return 0;
	if (ref->store->is_raw)
		ret = copy_raw(copying->buf, copying->store_id, ref->store, err);
	else
		ret = copy_block(copying->buf, copying->store_id, ref->store, block, err);
	if (ret)
		return ret;
	if (ref->store->is_raw && !take_bytes(&copying->seen, copying->buf->data + at))
		copying->buf->len = at;
	else
		copying->nr_copied++;
	return 0;
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

int smap_store_copy_saves(struct smap_buf *buf, uint64_t store_id, const struct smap_save_ref *refs,
			  size_t nr_refs, const struct smap_store *there, size_t *ret_nr_copied,
			  struct smap_error *err)
{
	struct copying copying = { .buf = buf, .store_id = store_id };
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
