/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that a reader can do to a store, and right checksums for one that was damaged.
 */
#ifndef SMAP_TESTS_FUZZ_STORE_H
#define SMAP_TESTS_FUZZ_STORE_H

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/block.h"
#include "store/layout.h"
#include "store/store.h"
#include "store/stream.h"

static void ignore(const struct smap_damage *damage, void *data)
{
	/* The words are there to be read. */
	if (strlen(damage->text) == 0)
		abort();
}

static void look_at_save(struct smap_store *store, size_t nr)
{
	const struct smap_parse_ops *format;
	struct smap_export *export;
	struct smap_error err;
	char *data;
	size_t len;

	if (!smap_store_export(store, nr, &export, NULL, &err))
		smap_export_free(export);
	if (!smap_store_export_bytes(store, nr, &data, &len, &err))
		free(data);
	if (!smap_store_stat_bytes(store, nr, &data, &len, &err))
		free(data);
	if (!smap_store_symbol_bytes(store, nr, &data, &len, &err))
		free(data);
	smap_store_export_format(store, nr, &format, &err);
}

static void fuzz_use_store(struct smap_store *store)
{
	static const struct smap_fingerprint trace = { 7, 1000, 1, 2 };
	struct smap_error err;
	char *names;
	size_t i, len;

	for (i = 0; i < smap_store_nr_saves(store); i++)
		look_at_save(store, i);
	for (i = 0; i < smap_store_nr_damages(store); i++)
		ignore(smap_store_damage(store, i), NULL);
	for (i = 0; i < store->nr_names; i++)
		if (!smap_store_kept_names(store, store->names[i].boot_id, &store->names[i].modules,
					   &names, &len, &err))
			free(names);
	smap_store_mark_tied(store, &trace);
	smap_store_verify(store, ignore, NULL, &err);
}

/* Seals a header, if it is one that may be so long. Returns its length. */
static size_t seal(uint8_t *header, size_t left, size_t size_field)
{
	uint64_t sum;
	uint16_t size;

	memcpy(&size, header + size_field, sizeof(size));
	size = le16toh(size);
	if (size < 56 || size > SMAP_HEADER_MAX || size > left)
		return 0;
	sum = htole64(smap_checksum(header, size - sizeof(sum)));
	memcpy(header + size - sizeof(sum), &sum, sizeof(sum));
	return size;
}

static size_t seal_block(uint8_t *block, size_t left)
{
	struct smap_block_header disk;
	uint16_t header;
	uint64_t size;

	if (left < sizeof(disk))
		return 0;
	memcpy(&disk, block, sizeof(disk));
	header = le16toh(disk.header_size);
	size = le64toh(disk.size);
	if (header < sizeof(disk) || header > left || size > left - header)
		return 0;
	disk.data_checksum = htole64(smap_checksum(block + header, (size_t)size));
	memcpy(block, &disk, offsetof(struct smap_block_header, checksum));
	return seal(block, left, offsetof(struct smap_block_header, header_size)) ?
	       header + (size_t)size : 0;
}

static void fuzz_seal_store(uint8_t *data, size_t size)
{
	size_t at, len;

	if (size < sizeof(struct smap_store_header))
		return;
	at = seal(data, size, offsetof(struct smap_store_header, header_size));
	while (at && at < size) {
		len = seal_block(data + at, size - at);
		at = len ? at + len : 0;
	}
}

#endif /* SMAP_TESTS_FUZZ_STORE_H */
