// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening a store and looking at its saves. Opening checks every block once, without decoding its
 * export; whatever is decoded later is read and checked anew.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "block.h"
#include "origin.h"

/* Enough for the probe of each format. */
#define HEAD_LEN	4096

bool smap_store_probe(const void *data, size_t len)
{
	return len >= 8 && !memcmp(data, SMAP_STORE_MAGIC, 8);
}

static bool is_wanted(const void *data, size_t len)
{
	return !len || smap_store_looks_like(data, len) || smap_parse_probe(data, len);
}

static int look_inside(struct smap_store *store, struct smap_error *err)
{
	uint8_t head[HEAD_LEN];
	size_t len = store->reader.len < HEAD_LEN ? (size_t)store->reader.len : HEAD_LEN;
	int ret;

	ret = smap_reader_read(&store->reader, 0, head, len, err);
	if (ret)
		return ret;
	if (!len || smap_store_looks_like(head, len))
		return smap_store_scan(store, err);
	if (smap_parse_probe(head, len))
		return smap_store_take_raw(store, err);
	return smap_error_set(err, -EINVAL, "neither a saved-map file nor a stack_map");
}

static struct smap_store *store_new(struct smap_error *err)
{
	struct smap_store *store = calloc(1, sizeof(*store));

	if (store)
		store->reader.fd = -1;
	else
		smap_error_nomem(err);
	return store;
}

/* @opened: what opening the reader gave. */
static int finish_open(struct smap_store *store, int opened, struct smap_store **ret_store,
		       struct smap_error *err)
{
	int ret = opened;

	if (!ret)
		ret = look_inside(store, err);
	if (ret) {
		smap_store_close(store);
		return smap_errno(ret);
	}
	*ret_store = store;
	return 0;
}

int smap_store_open(const char *path, struct smap_store **ret_store, struct smap_error *err)
{
	struct smap_store *store = store_new(err);
	int ret;

	if (!store)
		return -ENOMEM;
	ret = finish_open(store, smap_reader_open(&store->reader, path, is_wanted, err), ret_store,
			  err);
	return ret ? smap_error_prefix(err, ret, "%s", smap_path_name(path)) : 0;
}

int smap_store_open_at(int fd, uint64_t offset, struct smap_store **ret_store,
		       struct smap_error *err)
{
	struct smap_store *store = store_new(err);

	if (!store)
		return -ENOMEM;
	return finish_open(store, smap_reader_open_fd(&store->reader, fd, offset, is_wanted, err),
			   ret_store, err);
}

int smap_store_open_end(int fd, struct smap_store **ret_store, struct smap_error *err)
{
	struct smap_store *store = store_new(err);
	int ret;

	if (!store)
		return -ENOMEM;
	ret = smap_reader_open_fd(&store->reader, fd, 0, is_wanted, err);
	if (!ret)
		ret = smap_store_scan_end(store, err);
	if (ret) {
		smap_store_close(store);
		return smap_errno(ret);
	}
	*ret_store = store;
	return 0;
}

/* Both reach to where a reader meets them: the first byte of the store, and its last. */
static int add_attached_damages(struct smap_store *store, const struct smap_attached *attached)
{
	int ret = 0;

	if (attached->is_damaged)
		ret = smap_store_add_damage(store, 0, 0, "header of what is attached: damaged");
	if (!ret && attached->missing)
		ret = smap_store_add_damage(store, attached->len, attached->missing,
					    "cut off here");
	return ret;
}

int smap_store_open_attached(int fd, uint64_t end, struct smap_store **ret_store,
			     struct smap_error *err)
{
	struct smap_attached attached;
	struct smap_store *store;
	int ret;

	ret = smap_attached_find(fd, end, &attached, err);
	if (ret)
		return ret;
	if (attached.state != SMAP_ATTACHED_THERE)
		return smap_errno(-ENODATA);
	store = store_new(err);
	if (!store)
		return -ENOMEM;
	ret = smap_reader_open_fd(&store->reader, fd, attached.begin, is_wanted, err);
	if (!ret && attached.len < store->reader.len)
		store->reader.len = attached.len;
	ret = finish_open(store, ret, &store, err);
	if (ret)
		return ret;
	if (add_attached_damages(store, &attached)) {
		smap_store_close(store);
		return smap_error_nomem(err);
	}
	*ret_store = store;
	return 0;
}

int smap_store_open_memory(const void *data, size_t len, struct smap_store **ret_store,
			   struct smap_error *err)
{
	struct smap_store *store = store_new(err);

	if (!store)
		return -ENOMEM;
	smap_reader_open_memory(&store->reader, data, len);
	return finish_open(store, 0, ret_store, err);
}

int smap_store_open_owned(char *data, size_t len, struct smap_store **ret_store,
			  struct smap_error *err)
{
	struct smap_store *store = store_new(err);

	if (!store) {
		free(data);
		return -ENOMEM;
	}
	smap_reader_open_memory(&store->reader, data, len);
	store->reader.owned = data;
	return finish_open(store, 0, ret_store, err);
}

void smap_store_close(struct smap_store *store)
{
	int saved_errno = errno;

	if (!store)
		return;
	smap_reader_close(&store->reader);
	smap_store_forget(store);
	free(store);
	errno = saved_errno;
}

size_t smap_store_nr_saves(const struct smap_store *store)
{
	return store->nr_saves;
}

const struct stackmap_save *smap_store_save(const struct smap_store *store, size_t nr)
{
	return nr < store->nr_saves ? &store->saves[nr] : NULL;
}

size_t smap_store_nr_damages(const struct smap_store *store)
{
	return store->nr_damages;
}

const struct smap_damage *smap_store_damage(const struct smap_store *store, size_t nr)
{
	return nr < store->nr_damages ? &store->damages[nr] : NULL;
}

uint64_t smap_store_size(const struct smap_store *store)
{
	return store->reader.len;
}

static int raw_bytes(const struct smap_store *store, char **ret_data, size_t *ret_len,
		     struct smap_error *err)
{
	size_t len = (size_t)store->reader.len;
	char *room = malloc(len + 1);
	int ret;

	if (!room)
		return smap_error_nomem(err);
	ret = smap_reader_read(&store->reader, 0, room, len, err);
	if (ret) {
		free(room);
		return ret;
	}
	room[len] = '\0';
	*ret_data = room;
	*ret_len = len;
	return 0;
}

static int no_bytes(char **ret_data, size_t *ret_len, struct smap_error *err)
{
	char *room = calloc(1, 1);

	if (!room)
		return smap_error_nomem(err);
	*ret_data = room;
	*ret_len = 0;
	return 0;
}

int smap_block_bytes(const struct smap_store *store, const struct smap_block *block,
		     enum smap_section_kind kind, char **ret_data, size_t *ret_len,
		     struct smap_error *err)
{
	const struct smap_section *section = &block->sections[kind];
	char *room;
	int ret;

	ret = smap_block_load(&store->reader, block, &room, err);
	if (!ret) {
		ret = smap_decode(&section->coded, room + section->offset, ret_data, ret_len, err);
		free(room);
	}
	return ret;
}

static int section_bytes(struct smap_store *store, size_t nr, enum smap_section_kind kind,
			 const char *name, char **ret_data, size_t *ret_len, struct smap_error *err)
{
	const struct smap_block *block;
	int ret;

	if (nr >= store->nr_saves)
		return smap_error_set(err, -ERANGE, "no save %zu", nr + 1);
	block = &store->blocks[nr];
	if (store->is_raw && kind == SMAP_SECTION_EXPORT)
		ret = raw_bytes(store, ret_data, ret_len, err);
	else if (!block->sections[kind].is_there)
		ret = no_bytes(ret_data, ret_len, err);
	else
		ret = smap_block_bytes(store, block, kind, ret_data, ret_len, err);
	if (ret)
		return smap_error_prefix(err, ret, "%s of the save at byte %llu", name,
					 (unsigned long long)store->saves[nr].offset);
	return 0;
}

int smap_store_export_bytes(struct smap_store *store, size_t nr, char **ret_data, size_t *ret_len,
			    struct smap_error *err)
{
	return section_bytes(store, nr, SMAP_SECTION_EXPORT, "export", ret_data, ret_len, err);
}

int smap_store_stat_bytes(struct smap_store *store, size_t nr, char **ret_data, size_t *ret_len,
			  struct smap_error *err)
{
	return section_bytes(store, nr, SMAP_SECTION_STAT, "stat", ret_data, ret_len, err);
}

int smap_store_symbol_bytes(struct smap_store *store, size_t nr, char **ret_data, size_t *ret_len,
			    struct smap_error *err)
{
	return section_bytes(store, nr, SMAP_SECTION_SYMBOLS, "symbols", ret_data, ret_len, err);
}

int smap_store_export(struct smap_store *store, size_t nr, struct smap_export **ret_export,
		      struct smap_findings *findings, struct smap_error *err)
{
	char *data;
	size_t len;
	int ret;

	if (store->raw_export && !nr) {
		*ret_export = store->raw_export;
		store->raw_export = NULL;
		if (findings)
			*findings = store->raw_findings;
		return 0;
	}
	ret = smap_store_export_bytes(store, nr, &data, &len, err);
	if (ret)
		return ret;
	ret = smap_parse(data, len, ret_export, NULL, findings, err);
	free(data);
	if (ret)
		return smap_error_prefix(err, ret, "export of the save at byte %llu",
					 (unsigned long long)store->saves[nr].offset);
	return 0;
}

/* ---- an export, a part at a time ---- */

int smap_store_export_begin(struct smap_store *store, size_t nr,
			    struct smap_export_stream *ret_stream, struct smap_error *err)
{
	const struct smap_section *section;
	struct smap_export_stream stream = { .store = store };
	int ret;

	if (nr >= store->nr_saves)
		return smap_error_set(err, -ERANGE, "no save %zu", nr + 1);
	if (!store->is_raw) {
		ret = smap_block_load(&store->reader, &store->blocks[nr], &stream.block, err);
		if (ret)
			return ret;
		section = &store->blocks[nr].sections[SMAP_SECTION_EXPORT];
		ret = smap_decoder_new(&section->coded, stream.block + section->offset,
				       &stream.decoder, err);
		if (ret) {
			free(stream.block);
			return ret;
		}
	}
	*ret_stream = stream;
	return 0;
}

int smap_store_export_read(struct smap_export_stream *stream, void *room, size_t *len,
			   struct smap_error *err)
{
	const struct smap_reader *reader = &stream->store->reader;
	int ret;

	if (stream->decoder)
		return smap_decoder_read(stream->decoder, room, len, err);
	if (*len > reader->len - stream->pos)
		*len = (size_t)(reader->len - stream->pos);
	ret = smap_reader_read(reader, stream->pos, room, *len, err);
	stream->pos += *len;
	return ret;
}

void smap_store_export_end(struct smap_export_stream *stream)
{
	smap_decoder_free(stream->decoder);
	free(stream->block);
}

int smap_store_export_head(struct smap_store *store, size_t nr, void *head, size_t *ret_len,
			   struct smap_error *err)
{
	struct smap_export_stream stream;
	size_t room = *ret_len, nr_read = 0, len;
	int ret;

	ret = smap_store_export_begin(store, nr, &stream, err);
	if (ret)
		return ret;
	do {
		len = room - nr_read;
		ret = smap_store_export_read(&stream, (char *)head + nr_read, &len, err);
		nr_read += ret ? 0 : len;
	} while (!ret && len);
	smap_store_export_end(&stream);
	*ret_len = nr_read;
	return ret;
}

int smap_store_export_format(struct smap_store *store, size_t nr,
			     const struct smap_parse_ops **ret_format, struct smap_error *err)
{
	const struct smap_parse_ops *format;
	uint8_t head[HEAD_LEN];
	size_t len = sizeof(head);
	int ret;

	if (nr >= store->nr_saves)
		return smap_error_set(err, -ERANGE, "no save %zu", nr + 1);
	ret = smap_store_export_head(store, nr, head, &len, err);
	if (!ret) {
		format = smap_parse_probe(head, len);
		if (!format)
			ret = smap_error_set(err, -EBADMSG, "of no format that is known here");
	}
	if (ret)
		return smap_error_prefix(err, ret, "export of the save at byte %llu",
					 (unsigned long long)store->saves[nr].offset);
	*ret_format = format;
	return 0;
}
