// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The bytes of a store: its header, and blocks. Where they go is append.c's.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "block.h"
#include "origin.h"

uint64_t smap_store_new_id(void)
{
	uint64_t id = smap_hash_seed();

	return id + !id;
}

int smap_store_encode_header(struct smap_buf *buf, uint64_t store_id)
{
	struct smap_store_header disk = { 0 };

	memcpy(disk.magic, SMAP_STORE_MAGIC, sizeof(disk.magic));
	disk.version = htole16(SMAP_STORE_VERSION);
	disk.header_size = htole16(sizeof(disk));
	disk.store_id = htole64(store_id);
	disk.checksum = htole64(smap_checksum(&disk, offsetof(struct smap_store_header, checksum)));
	smap_buf_add(buf, &disk, sizeof(disk));
	return smap_buf_failed(buf) ? smap_errno(-ENOMEM) : 0;
}

static int add_section(struct smap_buf *buf, enum smap_section_kind kind, const void *data,
		       size_t len, uint32_t *nr_sections, struct smap_error *err)
{
	static const uint8_t zeros[8];
	struct smap_section_header disk = { 0 };
	struct smap_coded coded;
	size_t at = buf->len;
	int ret;

	smap_buf_add(buf, &disk, sizeof(disk));
	ret = smap_encode(buf, data, len, &coded, err);
	if (ret)
		return ret;
	smap_buf_add(buf, zeros, -coded.stored_size % 8);
	if (smap_buf_failed(buf))
		return smap_error_nomem(err);
	disk.kind = htole16((uint16_t)kind);
	disk.codec = htole16(coded.codec);
	disk.stored_size = htole64(coded.stored_size);
	disk.size = htole64(coded.size);
	memcpy(buf->data + at, &disk, sizeof(disk));
	(*nr_sections)++;
	return 0;
}

struct parsed {
	struct smap_save_input	input;
	struct smap_export	*own;		/* parsed here */
	struct smap_findings	findings;	/* of that */
};

static int add_origin(struct smap_buf *buf, const struct parsed *parsed, uint32_t *nr_sections,
		      struct smap_error *err)
{
	struct smap_buf data = SMAP_BUF_INIT;
	int ret;

	ret = smap_origin_encode(&data, &parsed->input, err);
	if (!ret)
		ret = add_section(buf, SMAP_SECTION_ORIGIN, data.data, data.len, nr_sections, err);
	smap_buf_free(&data);
	return ret;
}

static int add_summary(struct smap_buf *buf, const struct parsed *parsed, uint32_t *nr_sections,
		       struct smap_error *err)
{
	struct smap_buf data = SMAP_BUF_INIT;
	int ret;

	ret = smap_summary_encode(&data, parsed->input.parsed, parsed->input.findings, err);
	if (!ret)
		ret = add_section(buf, SMAP_SECTION_SUMMARY, data.data, data.len, nr_sections, err);
	smap_buf_free(&data);
	return ret;
}

static int add_superseded(struct smap_buf *buf, const struct smap_save_input *input,
			  uint32_t *nr_sections, struct smap_error *err)
{
	struct smap_buf data = SMAP_BUF_INIT;
	smap_le64 sum;
	size_t i;
	int ret;

	for (i = 0; i < input->nr_superseded; i++) {
		sum = htole64(input->superseded[i]);
		smap_buf_add(&data, &sum, sizeof(sum));
	}
	if (smap_buf_failed(&data))
		ret = smap_error_nomem(err);
	else
		ret = add_section(buf, SMAP_SECTION_SUPERSEDED, data.data, data.len, nr_sections,
				  err);
	smap_buf_free(&data);
	return ret;
}

static int add_sections(struct smap_buf *buf, const struct parsed *parsed, uint32_t *nr_sections,
			struct smap_error *err)
{
	const struct smap_save_input *input = &parsed->input;
	int ret;

	ret = add_origin(buf, parsed, nr_sections, err);
	if (!ret)
		ret = add_summary(buf, parsed, nr_sections, err);
	if (!ret)
		ret = add_section(buf, SMAP_SECTION_EXPORT, input->export, input->export_len,
				  nr_sections, err);
	if (!ret && input->stat_len)
		ret = add_section(buf, SMAP_SECTION_STAT, input->stat, input->stat_len, nr_sections,
				  err);
	if (!ret && input->symbols_len)
		ret = add_section(buf, SMAP_SECTION_SYMBOLS, input->symbols, input->symbols_len,
				  nr_sections, err);
	if (!ret && input->nr_superseded)
		ret = add_superseded(buf, input, nr_sections, err);
	return ret;
}

static int add_tie(struct smap_buf *buf, const struct smap_tie *tie, uint32_t *nr_sections,
		   struct smap_error *err)
{
	struct smap_buf data = SMAP_BUF_INIT;
	int ret;

	ret = smap_tie_encode(&data, tie, err);
	if (!ret)
		ret = add_section(buf, SMAP_SECTION_TIE, data.data, data.len, nr_sections, err);
	smap_buf_free(&data);
	return ret;
}

static int add_names(struct smap_buf *buf, const struct parsed *parsed, uint32_t *nr_sections,
		     struct smap_error *err)
{
	const struct smap_save_input *input = &parsed->input;
	int ret;

	ret = add_origin(buf, parsed, nr_sections, err);
	if (!ret)
		ret = add_section(buf, SMAP_SECTION_SYMBOLS, input->symbols, input->symbols_len,
				  nr_sections, err);
	return ret;
}

static enum smap_block_kind kind_of(const struct smap_save_input *input)
{
	if (input->tie)
		return SMAP_BLOCK_TIE;
	return input->is_names ? SMAP_BLOCK_NAMES : SMAP_BLOCK_SAVE;
}

static int add_block(struct smap_buf *buf, uint64_t store_id, const struct parsed *parsed,
		     struct smap_error *err)
{
	const enum smap_block_kind kind = kind_of(&parsed->input);
	struct smap_block_header disk = { 0 };
	size_t at = buf->len, data;
	uint32_t nr_sections = 0;
	int ret;

	smap_buf_add(buf, &disk, sizeof(disk));
	data = buf->len;
	if (kind == SMAP_BLOCK_TIE)
		ret = add_tie(buf, parsed->input.tie, &nr_sections, err);
	else if (kind == SMAP_BLOCK_NAMES)
		ret = add_names(buf, parsed, &nr_sections, err);
	else
		ret = add_sections(buf, parsed, &nr_sections, err);
	if (ret)
		return ret;

	memcpy(disk.magic, SMAP_BLOCK_MAGIC, sizeof(disk.magic));
	disk.store_id = htole64(store_id);
	disk.header_size = htole16(sizeof(disk));
	disk.kind = htole16((uint16_t)kind);
	disk.size = htole64(buf->len - data);
	disk.nr_sections = htole32(nr_sections);
	disk.data_checksum = htole64(smap_checksum(buf->data + data, buf->len - data));
	disk.checksum = htole64(smap_checksum(&disk, offsetof(struct smap_block_header, checksum)));
	memcpy(buf->data + at, &disk, sizeof(disk));
	return 0;
}

static int parse(struct parsed *parsed, struct smap_error *err)
{
	struct smap_save_input *input = &parsed->input;
	int ret;

	if (input->parsed)
		return 0;
	ret = smap_parse(input->export, input->export_len, &parsed->own, &input->order,
			 &parsed->findings, err);
	if (ret)
		return smap_error_prefix(err, ret, "export");
	input->parsed = parsed->own;
	input->findings = &parsed->findings;
	return 0;
}

/* What the export shows overrules what the input says. */
static int prepare(struct parsed *parsed, struct smap_error *err)
{
	struct smap_save_input *input = &parsed->input;
	int ret = parse(parsed, err);

	if (ret)
		return ret;
	if (input->order != SMAP_ORDER_UNKNOWN)
		input->origin.byte_order = input->order;
	if (input->parsed->info.word_size)
		input->origin.word_size = input->parsed->info.word_size;
	return 0;
}

int smap_store_encode_block(struct smap_buf *buf, uint64_t store_id,
			    const struct smap_save_input *input, struct smap_error *err)
{
	struct parsed parsed = { .input = *input };
	size_t before = buf->len;
	int ret;

	ret = kind_of(input) == SMAP_BLOCK_SAVE ? prepare(&parsed, err) : 0;
	if (!ret)
		ret = add_block(buf, store_id, &parsed, err);
	if (ret)
		buf->len = before;
	smap_export_free(parsed.own);
	return ret;
}
