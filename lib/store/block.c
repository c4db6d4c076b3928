// SPDX-License-Identifier: LGPL-2.1-or-later
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "origin.h"

#define NEWER	"it needs a newer version of this program"

/* The sections that are looked at when a store is opened. */
struct meta {
	char		*origin;	/* as stored */
	char		*summary;
	char		*tie;
	char		*superseded;
};

static void meta_release(struct meta *meta)
{
	free(meta->origin);
	free(meta->summary);
	free(meta->tie);
	free(meta->superseded);
}

void smap_content_release(struct smap_content *content)
{
	smap_save_release(&content->save);
	smap_tie_release(&content->tie);
}

static int check_header_size(const struct smap_reader *reader, uint64_t offset, uint16_t size,
			     struct smap_error *reason)
{
	if (size < sizeof(struct smap_block_header) || size > SMAP_HEADER_MAX || size % 8)
		return smap_error_set(reason, -EBADMSG, "block header: bad size %u", size);
	if (size > reader->len - offset)
		return smap_error_set(reason, -EBADMSG, "block header: cut short");
	return 0;
}

static int check_header_sum(const struct smap_reader *reader, uint64_t offset, uint16_t size,
			    struct smap_error *reason)
{
	uint8_t raw[SMAP_HEADER_MAX];
	uint64_t sum;
	int ret;

	ret = smap_reader_read(reader, offset, raw, size, reason);
	if (ret)
		return ret;
	memcpy(&sum, raw + size - sizeof(sum), sizeof(sum));
	if (smap_checksum(raw, size - sizeof(sum)) != le64toh(sum))
		return smap_error_set(reason, -EBADMSG, "block header: its checksum differs");
	return 0;
}

int smap_block_read_header(const struct smap_reader *reader, uint64_t offset, uint64_t store_id,
			   struct smap_block *block, struct smap_error *reason)
{
	struct smap_block_header disk;
	uint16_t size;
	int ret;

	if (reader->len - offset < sizeof(disk))
		return smap_error_set(reason, -EBADMSG, "no block, or cut in its header");
	ret = smap_reader_read(reader, offset, &disk, sizeof(disk), reason);
	if (ret)
		return ret;
	if (memcmp(disk.magic, SMAP_BLOCK_MAGIC, sizeof(disk.magic)))
		return smap_error_set(reason, -EBADMSG, "no block begins here");
	size = le16toh(disk.header_size);
	ret = check_header_size(reader, offset, size, reason);
	if (!ret)
		ret = check_header_sum(reader, offset, size, reason);
	if (ret)
		return ret;
	if (store_id && le64toh(disk.store_id) != store_id)
		return smap_error_set(reason, -EBADMSG, "a block of another file");
	if (le64toh(disk.size) % 8)
		return smap_error_set(reason, -EBADMSG, "block header: bad size of the data");

	memset(block, 0, sizeof(*block));
	block->offset = offset;
	block->header_size = size;
	block->kind = le16toh(disk.kind);
	block->flags = le32toh(disk.flags);
	block->size = le64toh(disk.size);
	block->nr_sections = le32toh(disk.nr_sections);
	block->data_checksum = le64toh(disk.data_checksum);
	return 0;
}

/* Keep the data of a section that the save is described by. */
static int keep(struct smap_stream *stream, const struct smap_section *section, char **ret_data,
		struct smap_error *reason)
{
	uint64_t len = section->coded.stored_size;
	int ret;

	if (len > SMAP_META_MAX || section->coded.size > SMAP_META_MAX)
		return smap_error_set(reason, -EBADMSG, "more than %u bytes", SMAP_META_MAX);
	*ret_data = malloc((size_t)len + 1);
	if (!*ret_data)
		return smap_error_nomem(reason);
	ret = smap_stream_get(stream, *ret_data, (size_t)len, reason);
	if (ret)
		return ret;
	return smap_stream_skip(stream, -len % 8, reason);
}

static int take_section(struct smap_stream *stream, struct smap_block *block, uint16_t kind,
			struct smap_section *found, struct meta *meta, struct smap_error *reason)
{
	uint64_t stored = found->coded.stored_size;

	/* Room for the padding too: the data cannot reach into the last bytes of 2^64. */
	if (stored > smap_stream_left(stream) || -stored % 8 > smap_stream_left(stream) - stored)
		return smap_error_set(reason, -EBADMSG, "cut short");
	if (kind >= SMAP_NR_SECTIONS || !kind)
		return smap_stream_skip(stream, stored + -stored % 8, reason);
	if (block->sections[kind].is_there)
		return smap_error_set(reason, -EBADMSG, "there twice");
	block->sections[kind] = *found;
	if (found->coded.codec > SMAP_CODEC_ZSTD)
		return smap_error_set(reason, -EOPNOTSUPP, NEWER);
	if (kind == SMAP_SECTION_ORIGIN)
		return keep(stream, found, &meta->origin, reason);
	if (kind == SMAP_SECTION_SUMMARY)
		return keep(stream, found, &meta->summary, reason);
	if (kind == SMAP_SECTION_TIE)
		return keep(stream, found, &meta->tie, reason);
	if (kind == SMAP_SECTION_SUPERSEDED)
		return keep(stream, found, &meta->superseded, reason);
	return smap_stream_skip(stream, stored + -stored % 8, reason);
}

static int walk_sections(struct smap_stream *stream, struct smap_block *block, struct meta *meta,
			 struct smap_error *reason)
{
	struct smap_section_header disk;
	struct smap_section found;
	uint16_t kind;
	uint32_t i;
	int ret;

	for (i = 0; i < block->nr_sections; i++) {
		ret = smap_stream_get(stream, &disk, sizeof(disk), reason);
		if (ret)
			return smap_error_prefix(reason, ret, "section %u", i + 1);
		kind = le16toh(disk.kind);
		found.is_there = true;
		found.offset = smap_stream_passed(stream);
		found.coded.codec = le16toh(disk.codec);
		found.coded.stored_size = le64toh(disk.stored_size);
		found.coded.size = le64toh(disk.size);
		if ((kind >= SMAP_NR_SECTIONS || !kind) &&
		    le32toh(disk.flags) & SMAP_MUST_UNDERSTAND)
			return smap_error_set(reason, -EOPNOTSUPP, NEWER);
		ret = take_section(stream, block, kind, &found, meta, reason);
		if (ret)
			return smap_error_prefix(reason, ret, "section %u", i + 1);
	}
	if (smap_stream_left(stream))
		return smap_error_set(reason, -EBADMSG, "bytes behind the last section");
	return 0;
}

static int decode_meta(const struct smap_section *section, const char *stored, char **ret_data,
		       size_t *ret_len, struct smap_error *reason)
{
	if (!section->is_there)
		return smap_error_set(reason, -EBADMSG, "not there");
	return smap_decode(&section->coded, stored, ret_data, ret_len, reason);
}

typedef int (*describe_fn)(struct stackmap_save *save, const void *data, size_t len,
			   struct smap_error *err);

static int describe(struct stackmap_save *save, const struct smap_section *section,
		    const char *stored, describe_fn fn, struct smap_error *reason)
{
	char *data;
	size_t len;
	int ret;

	ret = decode_meta(section, stored, &data, &len, reason);
	if (ret)
		return ret;
	ret = fn(save, data, len, reason);
	free(data);
	return ret;
}

static int fill_tie(const struct smap_block *block, const struct meta *meta, struct smap_tie *tie,
		    struct smap_error *reason)
{
	char *data;
	size_t len;
	int ret;

	ret = decode_meta(&block->sections[SMAP_SECTION_TIE], meta->tie, &data, &len, reason);
	if (!ret) {
		ret = smap_tie_decode(tie, data, len, reason);
		free(data);
	}
	return ret ? smap_error_prefix(reason, ret, "tie") : 0;
}

static int fill_names(const struct smap_block *block, const struct meta *meta,
		      struct stackmap_save *save, struct smap_error *reason)
{
	int ret;

	ret = describe(save, &block->sections[SMAP_SECTION_ORIGIN], meta->origin,
		       smap_origin_decode, reason);
	if (ret)
		return smap_error_prefix(reason, ret, "origin");
	if (!block->sections[SMAP_SECTION_SYMBOLS].is_there)
		return smap_error_set(reason, -EBADMSG, "no symbols in it");
	return 0;
}

static int fill_save(const struct smap_block *block, const struct meta *meta,
		     struct stackmap_save *save, struct smap_error *reason)
{
	const struct smap_section *sections = block->sections;
	int ret;

	ret = describe(save, &sections[SMAP_SECTION_ORIGIN], meta->origin, smap_origin_decode,
		       reason);
	if (ret)
		return smap_error_prefix(reason, ret, "origin");
	ret = describe(save, &sections[SMAP_SECTION_SUMMARY], meta->summary, smap_summary_decode,
		       reason);
	if (ret)
		return smap_error_prefix(reason, ret, "summary");
	if (sections[SMAP_SECTION_SUPERSEDED].is_there)
		ret = describe(save, &sections[SMAP_SECTION_SUPERSEDED], meta->superseded,
			       smap_superseded_decode, reason);
	if (ret)
		return smap_error_prefix(reason, ret, "superseded");
	if (!sections[SMAP_SECTION_EXPORT].is_there)
		return smap_error_set(reason, -EBADMSG, "no export in it");

	save->offset = block->offset;
	save->stored_size = smap_block_len(block);
	save->export_size = sections[SMAP_SECTION_EXPORT].coded.size;
	save->has_stat = sections[SMAP_SECTION_STAT].is_there;
	save->has_symbols = sections[SMAP_SECTION_SYMBOLS].is_there;
	return 0;
}

/* Only these two say something of the block; all else is the machine's. */
static bool is_verdict(int code)
{
	return code == -EBADMSG || code == -EOPNOTSUPP;
}

static bool is_known(const struct smap_block *block)
{
	return block->kind == SMAP_BLOCK_SAVE || block->kind == SMAP_BLOCK_TIE ||
	       block->kind == SMAP_BLOCK_NAMES;
}

/* enum smap_block_result of what is read, or negative errno. */
static int fill(const struct smap_block *block, const struct meta *meta,
		struct smap_content *content, struct smap_error *reason)
{
	int ret;

	switch (block->kind) {
	case SMAP_BLOCK_SAVE:
		ret = fill_save(block, meta, &content->save, reason);
		return ret ? ret : SMAP_BLOCK_SAVE_READ;
	case SMAP_BLOCK_TIE:
		ret = fill_tie(block, meta, &content->tie, reason);
		return ret ? ret : SMAP_BLOCK_TIE_READ;
	default:
		ret = fill_names(block, meta, &content->save, reason);
		return ret ? ret : SMAP_BLOCK_NAMES_READ;
	}
}

/* The block's data have passed and are what was written. */
static int judge(const struct smap_block *block, int walked, const struct meta *meta,
		 struct smap_content *content, struct smap_error *reason)
{
	int ret = walked;

	if (!is_known(block)) {
		if (!(block->flags & SMAP_MUST_UNDERSTAND))
			return SMAP_BLOCK_PASSED;
		ret = smap_error_set(reason, -EOPNOTSUPP, NEWER);
	} else if (!ret) {
		ret = fill(block, meta, content, reason);
	}
	if (!is_verdict(ret))
		return ret;
	smap_error_prefix(reason, ret, "block");
	return SMAP_BLOCK_REFUSED;
}

static int read_data(struct smap_store *store, struct smap_block *block,
		     struct smap_content *content, struct smap_error *reason)
{
	struct smap_error unread = { "" };
	struct meta meta = { NULL, NULL, NULL, NULL };
	uint64_t sum;
	int walked = 0, ret;

	smap_stream_begin(store->stream, block->offset + block->header_size, block->size);
	if (is_known(block))
		walked = walk_sections(store->stream, block, &meta, reason);
	ret = walked && !is_verdict(walked) ? walked : 0;
	if (!ret)
		ret = smap_stream_finish(store->stream, &sum, &unread);
	if (!ret && sum != block->data_checksum)
		ret = smap_error_set(&unread, -EBADMSG, "block: the checksum of its data differs");
	if (ret == -EBADMSG) {
		*reason = unread;
		ret = SMAP_BLOCK_BROKEN;
	} else if (!ret) {
		ret = judge(block, walked, &meta, content, reason);
	}
	meta_release(&meta);
	return ret;
}

int smap_block_read(struct smap_store *store, uint64_t offset, struct smap_block *block,
		    struct smap_content *content, struct smap_error *reason)
{
	uint64_t left;
	int ret;

	smap_save_init(&content->save);
	content->tie = (struct smap_tie){ .nr_saves = 0 };
	ret = smap_block_read_header(&store->reader, offset, store->store_id, block, reason);
	if (ret)
		return ret == -EBADMSG ? SMAP_BLOCK_BROKEN : ret;
	left = store->reader.len - offset - block->header_size;
	if (block->size > left) {
		smap_error_set(reason, -EBADMSG, "block torn: of %llu bytes of data %llu are there",
			       (unsigned long long)block->size, (unsigned long long)left);
		return SMAP_BLOCK_BROKEN;
	}
	if (block->size > store->to_waste) {
		smap_error_set(reason, -EBADMSG, "too much is damaged to go on searching");
		return -E2BIG;
	}
	ret = read_data(store, block, content, reason);
	if (ret == SMAP_BLOCK_BROKEN)
		store->to_waste -= block->size;
	return ret;
}

int smap_block_load(const struct smap_reader *reader, const struct smap_block *block,
		    char **ret_room, struct smap_error *err)
{
	char *room;
	int ret;

	ret = smap_check_len(block->size, SMAP_BLOCK_MAX, -EBADMSG, err);
	if (ret)
		return ret;
	room = malloc((size_t)block->size + 1);
	if (!room)
		return smap_error_nomem(err);
	ret = smap_reader_read(reader, block->offset + block->header_size, room,
			       (size_t)block->size, err);
	if (!ret && smap_checksum(room, (size_t)block->size) != block->data_checksum)
		ret = smap_error_set(err, -EBADMSG, "changed since the file was opened");
	if (ret) {
		free(room);
		return ret;
	}
	*ret_room = room;
	return 0;
}
