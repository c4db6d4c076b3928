/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1-or-later */
/*
 * stack_map_bin of tracefs, format FSM2: the distinct stacks of one generation.
 *
 *	header		struct ftrace_stackmap_bin_header
 *	record		struct ftrace_stackmap_bin_stack, then its addresses: one a stack,
 *			slots rising
 *	...
 *	trailer		struct ftrace_stackmap_bin_trailer; nothing follows it
 *
 * Every number is in the byte order of the kernel that wrote it; the magic tells which.
 * Record and trailer begin with struct ftrace_stackmap_bin_record and lie at multiples
 * of 8 bytes. A reader skips a kind that it does not know by its size, takes the first
 * address of a stack from its offset, and the first record from the size of the header.
 * A stream without a trailer is incomplete.
 */
#ifndef _UAPI_LINUX_FTRACE_STACKMAP_H
#define _UAPI_LINUX_FTRACE_STACKMAP_H

#include <linux/types.h>

#define FTRACE_STACKMAP_BIN_MAGIC	0x46534d32
#define FTRACE_STACKMAP_BIN_VERSION	2

/* Flags of the header: */
/* The map was swapped out before the first read: these are all its stacks. */
#define FTRACE_STACKMAP_BIN_CLOSED	(1U << 0)
/* Addresses of that kernel have 32 bits. */
#define FTRACE_STACKMAP_BIN_ADDR32	(1U << 1)

#define FTRACE_STACKMAP_BUILD_ID_SIZE	20

struct ftrace_stackmap_bin_header {
	__u32	magic;
	__u32	version;
	__u32	header_size;
	__u32	flags;
	__u32	generation;
	__u32	capacity;	/* stacks that the map has room for */
	__u64	stext;		/* run-time address of _stext */
	__u64	trampoline;	/* stands for a frame in a trampoline of ftrace */
	__u32	build_id_len;	/* 0: unknown; at most FTRACE_STACKMAP_BUILD_ID_SIZE */
	__u8	build_id[FTRACE_STACKMAP_BUILD_ID_SIZE];
};

#define FTRACE_STACKMAP_BIN_STACK	1
#define FTRACE_STACKMAP_BIN_TRAILER	2

struct ftrace_stackmap_bin_record {
	__u32	kind;
	__u32	size;		/* with all that belongs to it; a multiple of 8 */
};

struct ftrace_stackmap_bin_stack {
	__u32	kind;
	__u32	size;
	__u32	slot;
	__u32	ref;		/* times recorded, saturates at INT_MAX */
	__u32	frames;
	__u32	frames_offset;	/* of the first address, from the begin of the record */
	/* __u64 addresses, innermost first; they end the record */
};

struct ftrace_stackmap_bin_trailer {
	__u32	kind;
	__u32	size;
	__u32	nr_stacks;	/* records of stacks before it */
	__u32	reserved;
	__u64	nr_bytes;	/* bytes before it */
	__u64	successes;	/* as in stack_map_stat, at the time of the trailer */
	__u64	fallbacks;
};

#endif /* _UAPI_LINUX_FTRACE_STACKMAP_H */
