/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small stack_map_bin of format FSM2, in the byte order of this machine: stacks of one address
 * each, in the slots from 42 on.
 */
#ifndef SMAP_TESTS_BIN2_H
#define SMAP_TESTS_BIN2_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "uapi/ftrace_stackmap.h"

#define BIN2_MAX_STACKS	4

struct bin2 {
	uint32_t	generation;
	uint32_t	flags;
	uint64_t	stext;
	uint64_t	addresses[BIN2_MAX_STACKS];
	uint32_t	nr_stacks;
};

struct bin2_bytes {
	char	data[512];
	size_t	len;
};

static inline void bin2_put(struct bin2_bytes *bytes, const void *data, size_t len)
{
	memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
}

static inline struct bin2_bytes bin2_make(const struct bin2 *bin)
{
	struct ftrace_stackmap_bin_header header = {
		.magic = FTRACE_STACKMAP_BIN_MAGIC, .version = FTRACE_STACKMAP_BIN_VERSION,
		.header_size = sizeof(header), .flags = bin->flags,
		.generation = bin->generation, .capacity = 16384, .stext = bin->stext,
		.trampoline = 0x7fffffff,
	};
	struct ftrace_stackmap_bin_stack stack = {
		.kind = FTRACE_STACKMAP_BIN_STACK, .size = sizeof(stack) + 8, .ref = 3,
		.frames = 1, .frames_offset = sizeof(stack),
	};
	struct ftrace_stackmap_bin_trailer trailer = {
		.kind = FTRACE_STACKMAP_BIN_TRAILER, .size = sizeof(trailer),
		.nr_stacks = bin->nr_stacks, .successes = 1338, .fallbacks = 5,
	};
	struct bin2_bytes bytes = { .len = 0 };
	uint32_t i;

	bin2_put(&bytes, &header, sizeof(header));
	for (i = 0; i < bin->nr_stacks; i++) {
		stack.slot = 42 + i;
		bin2_put(&bytes, &stack, sizeof(stack));
		bin2_put(&bytes, &bin->addresses[i], sizeof(bin->addresses[i]));
	}
	trailer.nr_bytes = bytes.len;
	bin2_put(&bytes, &trailer, sizeof(trailer));
	return bytes;
}

/* 0, or -1 where it cannot be written. */
static inline int bin2_write(const struct bin2 *bin, const char *path)
{
	struct bin2_bytes bytes = bin2_make(bin);
	FILE *file = fopen(path, "wb");
	size_t nr;

	if (!file)
		return -1;
	nr = fwrite(bytes.data, bytes.len, 1, file);
	return fclose(file) || nr != 1 ? -1 : 0;
}

#endif /* SMAP_TESTS_BIN2_H */
