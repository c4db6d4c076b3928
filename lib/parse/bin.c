// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "bin.h"

#define HOST_ORDER	(SMAP_HOST_IS_BIG_ENDIAN ? SMAP_ORDER_BIG : SMAP_ORDER_LITTLE)
#define OTHER_ORDER	(SMAP_HOST_IS_BIG_ENDIAN ? SMAP_ORDER_LITTLE : SMAP_ORDER_BIG)

enum smap_byte_order smap_bin_order(const void *data, size_t len, uint32_t magic)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, false);
	uint32_t found;

	if (!smap_bytes_get_u32(&bytes, &found))
		return SMAP_ORDER_UNKNOWN;
	if (found == magic)
		return HOST_ORDER;
	return found == __builtin_bswap32(magic) ? OTHER_ORDER : SMAP_ORDER_UNKNOWN;
}

int smap_bin_builder_failed(struct smap_bin_parser *parser, int code)
{
	if (code == -ENOTUNIQ)
		return code;
	if (code == -ENOMEM)
		return smap_error_nomem(parser->err);
	return smap_error_set(parser->err, code, "more than can be counted");
}

int smap_bin_header_cut(struct smap_bin_parser *parser)
{
	const struct smap_bytes *bytes = &parser->bytes;

	return smap_error_set(parser->err, -EBADMSG, "cut within its header, at byte %zu",
			      smap_bytes_offset(bytes) + smap_bytes_left(bytes));
}

void smap_bin_find_cut(struct smap_bin_parser *parser, size_t offset)
{
	parser->findings->cut = true;
	parser->findings->cut_offset = offset;
}

void smap_bin_find_cut_slot(struct smap_bin_parser *parser, uint32_t slot)
{
	parser->findings->has_cut_slot = true;
	parser->findings->cut_slot = slot;
}

/* @bytes are behind the run. */
static int check_width(const struct smap_bin_parser *parser, const struct smap_bytes *bytes,
		       const uint64_t *run, size_t len)
{
	size_t i;

	if (parser->max_address == UINT64_MAX)
		return 0;
	for (i = 0; i < len; i++)
		if (run[i] > parser->max_address)
			return smap_error_set(parser->err, -EBADMSG,
					      "byte %zu: an address of more than 32 bits",
					      smap_bytes_offset(bytes) - (len - i) * sizeof(*run));
	return 0;
}

static size_t nr_before_trampoline(const struct smap_bin_parser *parser, const uint64_t *run,
				   size_t len)
{
	size_t nr = 0;

	while (nr < len && run[nr] != parser->trampoline)
		nr++;
	return nr;
}

static int add_run(struct smap_bin_parser *parser, const uint64_t *run, size_t len)
{
	size_t at, nr;
	int ret = 0;

	for (at = 0; at < len && !ret; at += nr + 1) {
		nr = nr_before_trampoline(parser, run + at, len - at);
		ret = smap_builder_add_addresses(parser->builder, run + at, nr);
		if (!ret && at + nr < len)
			ret = smap_builder_add_trampoline(parser->builder);
	}
	return ret ? smap_bin_builder_failed(parser, ret) : 0;
}

int smap_bin_read_frames(struct smap_bin_parser *parser, struct smap_bytes *bytes, uint32_t nr)
{
	uint64_t run[64];
	const size_t max_len = sizeof(run) / sizeof(*run);
	size_t len, left = smap_bytes_left(bytes) / sizeof(*run);
	int ret = 0;

	for (left = nr < left ? nr : left; left && !ret; left -= len) {
		len = left < max_len ? left : max_len;
		if (!smap_bytes_get_u64s(bytes, run, len))
			break;
		ret = check_width(parser, bytes, run, len);
		if (!ret)
			ret = add_run(parser, run, len);
	}
	return ret;
}

int smap_bin_parse(const struct smap_bin_format *format, bool brief, const void *data, size_t len,
		   struct smap_export **ret_export, struct smap_findings *findings,
		   struct smap_error *err)
{
	const enum smap_byte_order order = smap_bin_order(data, len, format->magic);
	struct smap_bin_parser parser = {
		.bytes = smap_bytes_init(data, len, order != HOST_ORDER),
		.findings = findings,
		.err = err,
	};
	struct smap_export *export;
	int ret;

	if (order == SMAP_ORDER_UNKNOWN)
		return smap_error_set(err, -EBADMSG, "byte 0: no stack_map_bin");
	parser.builder = brief ? smap_builder_new_brief(format->has_generation) :
				 smap_builder_new(format->has_generation);
	if (!parser.builder)
		return smap_error_nomem(err);
	ret = format->read(&parser);
	if (ret) {
		smap_builder_free(parser.builder);
		return ret;
	}
	ret = smap_builder_finish(parser.builder, &export);
	if (ret)
		return smap_bin_builder_failed(&parser, ret);
	export->info = parser.info;
	*ret_export = export;
	return 0;
}
