// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack_map_bin version 1, series 4 to 7, in the byte order of the kernel that wrote it:
 *
 *	u32 magic, version, nr_stacks, reserved
 *	nr_stacks times:
 *		u32 slot, depth, ref, reserved
 *		u64 address[depth]
 *
 * The kernel writes as many stacks as it announces. Fewer: the copy was cut; what is whole is used.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/bytes.h"
#include "parse.h"

#define BIN_MAGIC		0x46534d42
#define BIN1_VERSION		1
#define BIN1_HEADER_SIZE	16
#define BIN1_MAX_STACKS		(1U << 18)
#define BIN1_MAX_DEPTH		64

struct bin_parser {
	struct smap_bytes	bytes;
	struct smap_builder	*builder;
	struct smap_findings	*findings;
	struct smap_error	*err;
};

struct bin_stack {
	uint32_t	slot;
	uint32_t	depth;
	uint32_t	ref;
};

static enum smap_byte_order order_bin(const void *data, size_t len)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, false);
	uint32_t magic;

	if (!smap_bytes_get_u32(&bytes, &magic))
		return SMAP_ORDER_UNKNOWN;
	if (magic == BIN_MAGIC)
		return SMAP_HOST_IS_BIG_ENDIAN ? SMAP_ORDER_BIG : SMAP_ORDER_LITTLE;
	if (magic == __builtin_bswap32(BIN_MAGIC))
		return SMAP_HOST_IS_BIG_ENDIAN ? SMAP_ORDER_LITTLE : SMAP_ORDER_BIG;
	return SMAP_ORDER_UNKNOWN;
}

static bool probe_bin(const void *data, size_t len)
{
	return order_bin(data, len) != SMAP_ORDER_UNKNOWN;
}

static int builder_failed(struct bin_parser *parser, int code)
{
	if (code == -ENOMEM)
		return smap_error_nomem(parser->err);
	return smap_error_set(parser->err, code, "more than can be counted");
}

static int read_header(struct bin_parser *parser, uint32_t *ret_nr_stacks)
{
	struct smap_bytes *bytes = &parser->bytes;
	uint32_t magic, version, nr_stacks, reserved;

	if (!smap_bytes_get_u32(bytes, &magic) || !smap_bytes_get_u32(bytes, &version))
		return smap_error_set(parser->err, -EBADMSG, "cut within its header, at byte %zu",
				      smap_bytes_offset(bytes) + smap_bytes_left(bytes));
	if (magic != BIN_MAGIC)
		return smap_error_set(parser->err, -EBADMSG, "byte 0: no stack_map_bin");
	if (version != BIN1_VERSION)
		return smap_error_set(parser->err, -EOPNOTSUPP,
				      "version %u of stack_map_bin is not known", version);
	if (!smap_bytes_get_u32(bytes, &nr_stacks) || !smap_bytes_get_u32(bytes, &reserved))
		return smap_error_set(parser->err, -EBADMSG, "cut within its header, at byte %zu",
				      smap_bytes_offset(bytes) + smap_bytes_left(bytes));
	if (nr_stacks > BIN1_MAX_STACKS)
		return smap_error_set(parser->err, -EBADMSG,
				      "byte 8: announces %u stacks, more than %u",
				      nr_stacks, BIN1_MAX_STACKS);
	*ret_nr_stacks = nr_stacks;
	return 0;
}

static bool get_stack(struct smap_bytes *bytes, struct bin_stack *ret_stack)
{
	uint32_t reserved;

	return smap_bytes_get_u32(bytes, &ret_stack->slot) &&
	       smap_bytes_get_u32(bytes, &ret_stack->depth) &&
	       smap_bytes_get_u32(bytes, &ret_stack->ref) &&
	       smap_bytes_get_u32(bytes, &reserved);
}

/* Returns 0 where all frames are there or the bytes end first. */
static int read_frames(struct bin_parser *parser, uint32_t depth)
{
	uint64_t address;
	int ret;

	for (; depth && smap_bytes_get_u64(&parser->bytes, &address); depth--) {
		if (address == SMAP_TRAMPOLINE_ADDRESS)
			ret = smap_builder_add_trampoline(parser->builder);
		else
			ret = smap_builder_add_address(parser->builder, address);
		if (ret)
			return builder_failed(parser, ret);
	}
	return 0;
}

static void find_cut(struct bin_parser *parser, size_t offset)
{
	parser->findings->cut = true;
	parser->findings->cut_offset = offset;
}

static int read_stack(struct bin_parser *parser)
{
	size_t offset = smap_bytes_offset(&parser->bytes);
	struct bin_stack stack;
	int ret;

	if (!get_stack(&parser->bytes, &stack)) {
		find_cut(parser, offset);
		return 0;
	}
	if (!stack.depth || stack.depth > BIN1_MAX_DEPTH)
		return smap_error_set(parser->err, -EBADMSG, "byte %zu: a stack of %u frames",
				      offset, stack.depth);
	parser->findings->nr_records++;
	ret = smap_builder_begin(parser->builder, 0, stack.slot, stack.ref, stack.depth);
	if (ret)
		return builder_failed(parser, ret);
	ret = read_frames(parser, stack.depth);
	if (ret || smap_builder_depth(parser->builder) == stack.depth)
		return ret;
	find_cut(parser, offset);
	parser->findings->has_cut_slot = true;
	parser->findings->cut_slot = stack.slot;
	return 0;
}

static int read_stacks(struct bin_parser *parser)
{
	struct smap_findings *findings = parser->findings;
	uint32_t nr_stacks = 0, i;
	int ret;

	ret = read_header(parser, &nr_stacks);
	if (ret)
		return ret;
	for (i = 0; i < nr_stacks && smap_bytes_left(&parser->bytes) && !findings->cut; i++) {
		ret = read_stack(parser);
		if (ret)
			return ret;
	}
	findings->nr_missing = nr_stacks - i;
	if (!findings->cut)
		findings->nr_trailing = smap_bytes_left(&parser->bytes);
	return 0;
}

static int parse_bin1(const void *data, size_t len, struct smap_export **ret_export,
		      struct smap_findings *findings, struct smap_error *err)
{
	const enum smap_byte_order host = SMAP_HOST_IS_BIG_ENDIAN ? SMAP_ORDER_BIG
								  : SMAP_ORDER_LITTLE;
	struct bin_parser parser = {
		.bytes = smap_bytes_init(data, len, order_bin(data, len) != host),
		.findings = findings,
		.err = err,
	};
	int ret;

	parser.builder = smap_builder_new(false);
	if (!parser.builder)
		return smap_error_nomem(err);
	ret = read_stacks(&parser);
	if (ret) {
		smap_builder_free(parser.builder);
		return ret;
	}
	ret = smap_builder_finish(parser.builder, ret_export);
	return ret ? builder_failed(&parser, ret) : 0;
}

const struct smap_parse_ops smap_parse_bin1 = {
	.name = "bin1",
	.is_binary = true,
	.probe = probe_bin,
	.order = order_bin,
	.parse = parse_bin1,
};
