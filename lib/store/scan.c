// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From the bytes of a store to the list of its saves and the list of its damages.
 *
 *	header | block | block | torn blo block | block | bl
 *	                        ^         ^               ^
 *	                        |         |               damage to the end
 *	                        damage    found again, looking at each multiple of 8
 *
 * The size that a torn block announces reaches over what was written behind it later: nothing
 * but its checksum tells. Looking on right behind its magic finds the later ones; so that
 * a file of nothing but torn blocks does not cost the square of its size, what is
 * checked in vain is bounded (to_waste).
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/large.h"
#include "block.h"
#include "origin.h"
#include "supersede.h"

/* Bytes checked in vain, as a multiple of the file: more than any accident needs. */
#define WASTE_FACTOR	16
#define WINDOW		65536

int smap_store_add_damage(struct smap_store *store, uint64_t offset, uint64_t len,
			  const char *text)
{
	struct smap_damage *damage;
	char *copy;

	if (store->nr_damages == SMAP_DAMAGES_MAX) {
		damage = &store->damages[store->nr_damages - 1];
		if (offset + len > damage->offset + damage->len)
			damage->len = offset + len - damage->offset;
		return 0;
	}
	if (store->nr_damages == SMAP_DAMAGES_MAX - 1)
		text = "more damage than is listed one by one";
	if (SMAP_ARRAY_GROW(store->damages, store->damages_capacity, store->nr_damages + 1))
		return -ENOMEM;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	damage = &store->damages[store->nr_damages++];
	*damage = (struct smap_damage){ offset, len, copy };
	return 0;
}

int smap_store_add_findings(struct smap_store *store, uint64_t offset, uint64_t len,
			    const struct smap_findings *findings)
{
	struct smap_error words;
	int kind, ret = 0;

	for (kind = 0; !ret && kind < SMAP_NR_FINDINGS; kind++) {
		if (!smap_findings_get_words(findings, kind, &words))
			continue;
		smap_error_prefix(&words, 0, "export");
		ret = smap_store_add_damage(store, offset, len, words.text);
	}
	return ret;
}

static int add_save(struct smap_store *store, const struct smap_block *block,
		    const struct stackmap_save *save)
{
	size_t nr = store->nr_saves;

	if (SMAP_ARRAY_GROW(store->saves, store->saves_capacity, nr + 1) ||
	    SMAP_ARRAY_GROW(store->blocks, store->blocks_capacity, nr + 1))
		return -ENOMEM;
	store->blocks[nr] = *block;
	store->saves[nr] = *save;
	store->saves[nr].store = store;
	store->saves[nr].nr = nr;
	store->nr_saves++;
	return 0;
}

static int add_tie(struct smap_store *store, const struct smap_block *block,
		   const struct smap_tie *tie)
{
	size_t nr = store->nr_ties;

	if (SMAP_ARRAY_GROW(store->ties, store->ties_capacity, nr + 1) ||
	    SMAP_ARRAY_GROW(store->tie_blocks, store->tie_blocks_capacity, nr + 1))
		return -ENOMEM;
	store->ties[nr] = *tie;
	store->tie_blocks[nr] = *block;
	store->nr_ties++;
	return 0;
}

/* Names of no boot that is known are for nobody. */
static int add_names(struct smap_store *store, const struct smap_block *block,
		     struct stackmap_save *save)
{
	struct smap_kept_names *names;

	if (SMAP_ARRAY_GROW(store->names, store->names_capacity, store->nr_names + 1))
		return -ENOMEM;
	names = &store->names[store->nr_names++];
	*names = (struct smap_kept_names){ .block = *block, .modules = save->modules };
	names->modules.is_known &= save->origin.has_boot_id;
	memcpy(names->boot_id, save->origin.boot_id, sizeof(names->boot_id));
	smap_save_release(save);
	return 0;
}

/* Take what a block says, or release it. */
static int add_content(struct smap_store *store, const struct smap_block *block,
		       struct smap_content *content, int result)
{
	int ret;

	if (result == SMAP_BLOCK_SAVE_READ)
		ret = add_save(store, block, &content->save);
	else if (result == SMAP_BLOCK_TIE_READ)
		ret = add_tie(store, block, &content->tie);
	else
		ret = add_names(store, block, &content->save);
	if (ret)
		smap_content_release(content);
	return ret;
}

/* One whose header is damaged, too, by the block that follows it. */
bool smap_store_looks_like(const uint8_t *data, size_t len)
{
	const size_t block = sizeof(struct smap_store_header);
	static const uint8_t zeros[8];
	size_t magic = len < 8 ? len : 8;

	if (!memcmp(data, SMAP_STORE_MAGIC, magic) || !memcmp(data, zeros, magic))
		return true;
	return len >= block + 8 && !memcmp(data + block, SMAP_BLOCK_MAGIC, 8);
}

static bool is_zero(const uint8_t *data, size_t len)
{
	while (len && !*data) {
		data++;
		len--;
	}
	return !len;
}

/*
 * What a header that cannot be believed says does not count: is there a block where the first one
 * would be?
 */
static int save_the_blocks(struct smap_store *store, const char *what, struct smap_error *err)
{
	struct smap_block block;
	uint8_t id[sizeof(uint64_t)];
	const uint64_t first = sizeof(struct smap_store_header);
	uint64_t store_id;
	int ret;

	if (store->reader.len < first)
		return smap_error_set(err, -EBADMSG, "%s", what);
	ret = smap_block_read_header(&store->reader, first, 0, &block, err);
	if (ret == -EBADMSG)
		return smap_error_set(err, -EBADMSG, "%s", what);
	if (!ret)
		ret = smap_reader_read(&store->reader,
				       first + offsetof(struct smap_block_header, store_id), id,
				       sizeof(id), err);
	if (ret)
		return ret;
	memcpy(&store_id, id, sizeof(id));
	if (!store_id)
		return smap_error_set(err, -EBADMSG, "%s", what);
	store->store_id = le64toh(store_id);
	return smap_store_add_damage(store, 0, first, what) ? smap_error_nomem(err) : 0;
}

static int check_header(struct smap_store *store, const uint8_t *raw, uint16_t size,
			struct smap_error *err)
{
	struct smap_store_header disk;
	uint64_t sum;

	memcpy(&disk, raw, sizeof(disk));
	memcpy(&sum, raw + size - sizeof(sum), sizeof(sum));
	if (smap_checksum(raw, size - sizeof(sum)) != le64toh(sum) || !disk.store_id)
		return save_the_blocks(store, "file header: its checksum differs", err);
	if (le16toh(disk.version) != SMAP_STORE_VERSION || disk.must_understand)
		return smap_error_set(err, -EOPNOTSUPP,
				      "written by a newer version (format %u, needs %#x)",
				      le16toh(disk.version), le32toh(disk.must_understand));
	store->store_id = le64toh(disk.store_id);
	return 0;
}

int smap_store_read_header(struct smap_store *store, uint64_t *ret_offset, struct smap_error *err)
{
	const struct smap_reader *reader = &store->reader;
	uint8_t raw[SMAP_HEADER_MAX];
	struct smap_store_header disk;
	uint16_t size = sizeof(disk);
	int ret;

	if (!reader->len)
		return smap_error_set(err, -EBADMSG, "empty: no saved map was ever finished in it");
	if (reader->len < sizeof(disk))
		return smap_error_set(err, -EBADMSG, "cut in its file header, at byte %llu",
				      (unsigned long long)reader->len);
	ret = smap_reader_read(reader, 0, raw, sizeof(disk), err);
	if (ret)
		return ret;
	if (is_zero(raw, sizeof(disk)))
		return smap_error_set(err, -EBADMSG, "zeros stand where a file header should");
	*ret_offset = sizeof(disk);
	memcpy(&disk, raw, sizeof(disk));
	if (memcmp(disk.magic, SMAP_STORE_MAGIC, sizeof(disk.magic)))
		return save_the_blocks(store, "file header: damaged", err);
	size = le16toh(disk.header_size);
	if (size < sizeof(disk) || size > SMAP_HEADER_MAX || size % 8 || size > reader->len)
		return save_the_blocks(store, "file header: bad size", err);
	ret = smap_reader_read(reader, 0, raw, size, err);
	if (ret)
		return ret;
	*ret_offset = size;
	ret = check_header(store, raw, size, err);
	if (!ret && store->nr_damages)
		*ret_offset = sizeof(disk);
	return ret;
}

/* The first multiple of 8 in the window where the header of a block of ours may stand. */
static size_t find_magic(const struct smap_store *store, const uint8_t *window, size_t len)
{
	uint8_t wanted[16];
	uint64_t store_id = htole64(store->store_id);
	size_t i;

	memcpy(wanted, SMAP_BLOCK_MAGIC, 8);
	memcpy(wanted + 8, &store_id, sizeof(store_id));
	for (i = 0; i + sizeof(wanted) <= len; i += 8)
		if (!memcmp(window + i, wanted, sizeof(wanted)))
			break;
	return i;
}

/*
 * The next block header that can be believed, from @offset on; the end of the store if there is
 * none.
 */
static int find_block(struct smap_store *store, uint64_t offset, uint8_t *window,
		      uint64_t *ret_offset, struct smap_error *err)
{
	const struct smap_reader *reader = &store->reader;
	struct smap_block block;
	size_t len, at;
	int ret;

	while (offset < reader->len && reader->len - offset >= sizeof(struct smap_block_header)) {
		len = reader->len - offset < WINDOW ? (size_t)(reader->len - offset) : WINDOW;
		ret = smap_reader_read(reader, offset, window, len, err);
		if (ret)
			return ret;
		for (at = 0; ; at += 8) {
			at += find_magic(store, window + at, len - at);
			if (at + 16 > len)
				break;
			ret = smap_block_read_header(reader, offset + at, store->store_id, &block,
						     err);
			if (!ret)
				*ret_offset = offset + at;
			if (ret != -EBADMSG)
				return ret;
		}
		/* The last 8 bytes of a full window are the first of the next. */
		offset += at;
	}
	*ret_offset = reader->len;
	return 0;
}

/* Step over one block, or over what stands between two. */
static int scan_one(struct smap_store *store, uint64_t *offset, uint8_t *window,
		    struct smap_error *err)
{
	struct smap_error reason = { "" };
	struct smap_content content;
	struct smap_block block;
	uint64_t next;
	int ret;

	ret = smap_block_read(store, *offset, &block, &content, &reason);
	if (ret == SMAP_BLOCK_SAVE_READ || ret == SMAP_BLOCK_TIE_READ ||
	    ret == SMAP_BLOCK_NAMES_READ) {
		*offset += smap_block_len(&block);
		return add_content(store, &block, &content, ret) ? smap_error_nomem(err) : 0;
	}
	smap_content_release(&content);
	if (ret == SMAP_BLOCK_PASSED) {
		*offset += smap_block_len(&block);
		return 0;
	}
	if (ret == SMAP_BLOCK_REFUSED) {
		next = *offset + smap_block_len(&block);
	} else if (ret == SMAP_BLOCK_BROKEN) {
		ret = find_block(store, *offset + 8, window, &next, err);
		/* Cut short under our eyes: then the rest is not there. */
		if (ret == -EBADMSG)
			next = store->reader.len;
		else if (ret)
			return ret;
	} else if (ret == -E2BIG) {
		next = store->reader.len;
	} else {
		*err = reason;
		return ret;
	}
	ret = smap_store_add_damage(store, *offset, next - *offset, reason.text);
	*offset = next;
	return ret ? smap_error_nomem(err) : 0;
}

static int scan_blocks(struct smap_store *store, uint64_t offset, struct smap_error *err)
{
	uint8_t *window = malloc(WINDOW);
	int ret = 0;

	if (!window)
		return smap_error_nomem(err);
	store->stream = smap_stream_new(&store->reader);
	if (!store->stream)
		ret = smap_error_nomem(err);
	if (__builtin_mul_overflow(store->reader.len, WASTE_FACTOR, &store->to_waste))
		store->to_waste = UINT64_MAX;
	while (!ret && offset < store->reader.len)
		ret = scan_one(store, &offset, window, err);
	smap_stream_free(store->stream);
	store->stream = NULL;
	free(window);
	if (!ret && smap_supersede_mark(store))
		ret = smap_error_nomem(err);
	return ret;
}

int smap_store_scan(struct smap_store *store, struct smap_error *err)
{
	struct smap_error ignored;
	uint64_t offset;
	int ret;

	if (!err)
		err = &ignored;
	ret = smap_store_read_header(store, &offset, err);
	return ret ? ret : scan_blocks(store, offset, err);
}

/* ---- the end of a store ---- */

/* Where to begin so that the last @len bytes are looked at; in the middle of a block behind it. */
static int find_end(struct smap_store *store, uint64_t first, uint64_t len, uint64_t *ret_offset,
		    struct smap_error *err)
{
	const uint64_t size = store->reader.len;
	uint8_t *window;
	int ret;

	*ret_offset = first;
	store->is_end_only = size - first > len;
	if (!store->is_end_only)
		return 0;
	window = malloc(WINDOW);
	if (!window)
		return smap_error_nomem(err);
	ret = find_block(store, (size - len) / 8 * 8, window, ret_offset, err);
	free(window);
	return ret;
}

int smap_store_scan_end(struct smap_store *store, struct smap_error *err)
{
	uint64_t len = SMAP_STORE_END, first, offset;
	struct smap_error ignored;
	int ret;

	if (!err)
		err = &ignored;
	do {
		smap_store_forget(store);
		ret = smap_store_read_header(store, &first, err);
		if (!ret)
			ret = find_end(store, first, len, &offset, err);
		if (!ret)
			ret = scan_blocks(store, offset, err);
		len *= 4;
	} while (!ret && !store->nr_saves && store->is_end_only);
	return ret;
}

static int describe_raw(struct smap_store *store, enum smap_byte_order order,
			struct smap_error *err)
{
	const struct smap_block no_block = { 0 };
	struct stackmap_save save;
	int ret;

	smap_save_init(&save);
	save.origin.byte_order = order;
	save.origin.word_size = store->raw_export->info.word_size;
	save.is_raw = true;
	save.export_size = store->reader.len;
	save.stored_size = store->reader.len;
	ret = smap_summary_from_export(&save, store->raw_export, &store->raw_findings, err);
	if (ret)
		return ret;
	if (!add_save(store, &no_block, &save))
		return 0;
	smap_save_release(&save);
	return smap_error_nomem(err);
}

static int parse_raw(struct smap_store *store, const void *data, struct smap_error *err)
{
	enum smap_byte_order order;
	int ret;

	ret = smap_parse(data, (size_t)store->reader.len, &store->raw_export, &order,
			 &store->raw_findings, err);
	if (ret)
		return ret;
	ret = describe_raw(store, order, err);
	if (!ret && smap_store_add_findings(store, 0, store->reader.len, &store->raw_findings))
		ret = smap_error_nomem(err);
	return ret;
}

int smap_store_take_raw(struct smap_store *store, struct smap_error *err)
{
	const struct smap_reader *reader = &store->reader;
	char *room;
	int ret;

	store->is_raw = true;
	ret = smap_check_len(reader->len, SMAP_READ_MAX, -EFBIG, err);
	if (ret)
		return ret;
	if (reader->fd < 0)
		return parse_raw(store, reader->data, err);
	room = smap_alloc_large((size_t)reader->len + 1);
	if (!room)
		return smap_error_nomem(err);
	ret = smap_reader_read(reader, 0, room, (size_t)reader->len, err);
	if (!ret)
		ret = parse_raw(store, room, err);
	free(room);
	return ret;
}

void smap_store_forget(struct smap_store *store)
{
	size_t i;

	for (i = 0; i < store->nr_saves; i++)
		smap_save_release(&store->saves[i]);
	for (i = 0; i < store->nr_ties; i++)
		smap_tie_release(&store->ties[i]);
	for (i = 0; i < store->nr_damages; i++)
		free(store->damages[i].text);
	free(store->ties);
	free(store->tie_blocks);
	free(store->names);
	free(store->saves);
	free(store->blocks);
	free(store->damages);
	smap_export_free(store->raw_export);
	store->ties = NULL;
	store->tie_blocks = NULL;
	store->names = NULL;
	store->saves = NULL;
	store->blocks = NULL;
	store->damages = NULL;
	store->raw_export = NULL;
	store->nr_saves = store->saves_capacity = store->blocks_capacity = 0;
	store->nr_ties = store->ties_capacity = store->tie_blocks_capacity = 0;
	store->nr_names = store->names_capacity = 0;
	store->nr_damages = store->damages_capacity = 0;
}
