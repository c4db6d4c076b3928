/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the binary exports share: a magic that tells the byte order, and addresses of 64 bits.
 */
#ifndef SMAP_PARSE_BIN_H
#define SMAP_PARSE_BIN_H

#include "core/bytes.h"
#include "parse.h"

struct smap_bin_parser {
	struct smap_bytes	bytes;
	struct smap_builder	*builder;
	struct smap_findings	*findings;
	struct smap_error	*err;
	struct smap_export_info	info;		/* what the export will say */
	uint64_t		trampoline;	/* stands in place of an address */
	uint64_t		max_address;
};

struct smap_bin_format {
	uint32_t	magic;
	bool		has_generation;
	/* All there is, from the magic on, which was looked at. 0 or negative errno with words. */
	int		(*read)(struct smap_bin_parser *parser);
};

/* SMAP_ORDER_UNKNOWN where the bytes do not begin with @magic. */
enum smap_byte_order smap_bin_order(const void *data, size_t len, uint32_t magic);

/* @brief: see smap_parse_brief(); -ENOTUNIQ, without words, as smap_builder_finish(). */
int smap_bin_parse(const struct smap_bin_format *format, bool brief, const void *data, size_t len,
		   struct smap_export **ret_export, struct smap_findings *findings,
		   struct smap_error *err);

/*
 * Give the record that was begun @nr addresses of @bytes. 0 where all of them are there or the
 * bytes end first.
 */
int smap_bin_read_frames(struct smap_bin_parser *parser, struct smap_bytes *bytes, uint32_t nr);

/* The last record, which begins at @offset, is cut. */
void smap_bin_find_cut(struct smap_bin_parser *parser, size_t offset);
void smap_bin_find_cut_slot(struct smap_bin_parser *parser, uint32_t slot);

/* Words for what the builder returned. */
int smap_bin_builder_failed(struct smap_bin_parser *parser, int code);
/* The header ends behind the last byte. */
int smap_bin_header_cut(struct smap_bin_parser *parser);

/*
 * The row in the table of formats, made from "static const struct smap_bin_format format". @holds:
 * has_all of the row.
 */
#define SMAP_BIN_FORMAT(format, words, counts, holds)					\
static enum smap_byte_order order_##format(const void *data, size_t len)		\
{											\
	return smap_bin_order(data, len, (format).magic);				\
}											\
											\
static bool probe_##format(const void *data, size_t len)				\
{											\
	return order_##format(data, len) != SMAP_ORDER_UNKNOWN;				\
}											\
											\
static int parse_##format(const void *data, size_t len, struct smap_export **ret_export, \
			  struct smap_findings *findings, struct smap_error *err)	\
{											\
	return smap_bin_parse(&(format), false, data, len, ret_export, findings, err);	\
}											\
											\
static int parse_brief_##format(const void *data, size_t len,				\
				struct smap_export **ret_export,			\
				struct smap_findings *findings, struct smap_error *err)	\
{											\
	return smap_bin_parse(&(format), true, data, len, ret_export, findings, err);	\
}											\
											\
const struct smap_parse_ops smap_parse_##format = {					\
	.name = #format,								\
	.title = words,									\
	.is_binary = true,								\
	.has_counts = counts,								\
	.probe = probe_##format,							\
	.order = order_##format,							\
	.parse = parse_##format,							\
	.parse_brief = parse_brief_##format,						\
	.has_all = holds,								\
}

#endif /* SMAP_PARSE_BIN_H */
