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

#include "bin.h"

#define BIN1_MAGIC		0x46534d42
#define BIN1_VERSION		1
#define BIN1_MAX_STACKS		(1U << 18)
#define BIN1_MAX_DEPTH		64

struct bin1_stack {
	uint32_t	slot;
	uint32_t	depth;
	uint32_t	ref;
};

static int read_header(struct smap_bin_parser *parser, uint32_t *ret_nr_stacks)
{
	struct smap_bytes *bytes = &parser->bytes;
	uint32_t magic, version, nr_stacks, reserved;

	if (!smap_bytes_get_u32(bytes, &magic) || !smap_bytes_get_u32(bytes, &version))
		return smap_bin_header_cut(parser);
	if (version != BIN1_VERSION)
		return smap_error_set(parser->err, -EOPNOTSUPP,
				      "version %u of stack_map_bin is not known", version);
	if (!smap_bytes_get_u32(bytes, &nr_stacks) || !smap_bytes_get_u32(bytes, &reserved))
		return smap_bin_header_cut(parser);
	if (nr_stacks > BIN1_MAX_STACKS)
		return smap_error_set(parser->err, -EBADMSG,
				      "byte 8: announces %u stacks, more than %u",
				      nr_stacks, BIN1_MAX_STACKS);
	*ret_nr_stacks = nr_stacks;
	return 0;
}

static bool get_stack(struct smap_bytes *bytes, struct bin1_stack *ret_stack)
{
	uint32_t reserved;

	return smap_bytes_get_u32(bytes, &ret_stack->slot) &&
	       smap_bytes_get_u32(bytes, &ret_stack->depth) &&
	       smap_bytes_get_u32(bytes, &ret_stack->ref) &&
	       smap_bytes_get_u32(bytes, &reserved);
}

static int read_stack(struct smap_bin_parser *parser)
{
	size_t offset = smap_bytes_offset(&parser->bytes);
	struct bin1_stack stack;
	int ret;

	if (!get_stack(&parser->bytes, &stack)) {
		smap_bin_find_cut(parser, offset);
		return 0;
	}
	if (!stack.depth || stack.depth > BIN1_MAX_DEPTH)
		return smap_error_set(parser->err, -EBADMSG, "byte %zu: a stack of %u frames",
				      offset, stack.depth);
	parser->findings->nr_records++;
	ret = smap_builder_begin(parser->builder, 0, stack.slot, stack.ref, stack.depth);
	if (ret)
		return smap_bin_builder_failed(parser, ret);
	ret = smap_bin_read_frames(parser, &parser->bytes, stack.depth);
	if (ret || smap_builder_depth(parser->builder) == stack.depth)
		return ret;
	smap_bin_find_cut(parser, offset);
	smap_bin_find_cut_slot(parser, stack.slot);
	return 0;
}

static int read_stacks(struct smap_bin_parser *parser)
{
	struct smap_findings *findings = parser->findings;
	uint32_t nr_stacks = 0, i;
	int ret;

	parser->trampoline = SMAP_TRAMPOLINE_ADDRESS;
	parser->max_address = UINT64_MAX;
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

static const struct smap_bin_format bin1 = {
	.magic = BIN1_MAGIC,
	.read = read_stacks,
};

SMAP_BIN_FORMAT(bin1, "stack_map_bin version 1", false, NULL);
