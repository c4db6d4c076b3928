/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Layout of saved maps on disk. Documentation/stackmap-store.5.txt is the authority;
 * this is its transcript in C, without code.
 *
 *	file header | block | block | ... | block
 *	                |
 *	                +-- block header | section | section | ...
 *	                                     |
 *	                                     +-- section header | data | zero padding to 8
 *
 * Integers are little endian, positions count from the first byte of the file header
 * (which can stand behind another file's contents), everything begins at a multiple of 8.
 * A block is one save, mostly: it stands for itself, and nothing in it refers to another.
 * Padding and reserved fields are zero when written; a checksum covers them.
 */
#ifndef SMAP_STORE_LAYOUT_H
#define SMAP_STORE_LAYOUT_H

#include <stdint.h>

/* In memory as on disk: the fields hold little endian. */
typedef uint16_t smap_le16;
typedef uint32_t smap_le32;
typedef uint64_t smap_le64;

/* 8 bytes each: not text, they show a lost bit 7 or newline. */
#define SMAP_STORE_MAGIC	"\x89STKMAP\n"
#define SMAP_BLOCK_MAGIC	"\x89STKBLK\n"
#define SMAP_STORE_VERSION	1

/*
 * What a reader does not know: a compatible bit, block kind or section kind is passed
 * over. Something marked "must understand" makes it leave out the block (or the file,
 * where the mark is in the file header) and say so.
 *
 * A header that grows in a later version gets its new fields before its checksum, which
 * stays its last 8 bytes and covers all before them. Until then it stands where the structs
 * below have it.
 */
#define SMAP_HEADER_MAX	512			/* bytes, so that one is cheap to check */

struct smap_store_header {
	uint8_t		magic[8];
	smap_le16	version;		/* SMAP_STORE_VERSION */
	smap_le16	header_size;		/* of this header: where the first block begins */
	smap_le32	compatible;		/* flags that a reader may ignore; none yet */
	smap_le32	must_understand;	/* flags that it may not; none yet */
	smap_le32	reserved;
	smap_le64	store_id;		/* random; repeated in each block header */
	smap_le64	reserved2[2];
	smap_le64	checksum;		/* XXH3-64 of all bytes of the header before it */
};

/*
 * A writer that leaves saves out of a file keeps all blocks of other kinds, but for names that
 * others stand behind, or that take more than the saves.
 */
enum smap_block_kind {
	SMAP_BLOCK_SAVE		= 1,		/* one saved export with what belongs to it */
	SMAP_BLOCK_TIE		= 2,		/* saves, and the trace they were recorded with */
	SMAP_BLOCK_NAMES	= 3,		/* all functions of a boot, for its later saves */
};

#define SMAP_MUST_UNDERSTAND	(1U << 0)	/* flag of a block or section header */

struct smap_block_header {
	uint8_t		magic[8];
	/* That of the file header: a block of another file is none. */
	smap_le64	store_id;
	smap_le16	header_size;		/* of this header: where the first section begins */
	smap_le16	kind;			/* enum smap_block_kind */
	smap_le32	flags;			/* SMAP_MUST_UNDERSTAND */
	smap_le64	size;			/* of all sections, a multiple of 8 */
	smap_le32	nr_sections;
	smap_le32	reserved;
	/* XXH3-64 of all sections, headers and padding included. */
	smap_le64	data_checksum;
	smap_le64	checksum;		/* XXH3-64 of all bytes of the header before it */
};

enum smap_section_kind {
	SMAP_SECTION_ORIGIN	= 1,		/* struct smap_store_origin, then its strings */
	SMAP_SECTION_SUMMARY	= 2,		/* struct smap_store_summary, its generations */
	SMAP_SECTION_EXPORT	= 3,		/* the kernel's export, verbatim */
	SMAP_SECTION_STAT	= 4,		/* stack_map_stat, verbatim */
	SMAP_SECTION_SYMBOLS	= 5,		/* "START LEN[?] NAME[\tMODULE]\n" lines */
	SMAP_SECTION_TIE	= 6,		/* struct smap_store_tie, then its saves */
	SMAP_SECTION_SUPERSEDED	= 7,		/* smap_le64 data checksums of needless blocks */
	SMAP_NR_SECTIONS,			/* no kind: how many this version knows */
};

/* Bytes of an origin and of a summary, stored and decoded. */
#define SMAP_META_MAX	(1U << 20)

enum smap_codec {
	SMAP_CODEC_NONE		= 0,
	SMAP_CODEC_ZSTD		= 1,		/* one zstd frame that states its content size */
};

/*
 * What zstd may promise at most for @stored bytes. Real maps shrink by 25 to 60 times; a writer
 * stores plain what would shrink by more, a reader refuses it before it asks for the memory.
 */
#define SMAP_DECODED_MAX(stored)	(65536 + 256 * (uint64_t)(stored))

struct smap_section_header {
	smap_le16	kind;			/* enum smap_section_kind */
	smap_le16	codec;			/* enum smap_codec */
	smap_le32	flags;			/* SMAP_MUST_UNDERSTAND */
	smap_le64	stored_size;		/* of the data, without padding */
	smap_le64	size;			/* of the data once decoded */
};

#define SMAP_TIME_UNKNOWN	UINT64_MAX
#define SMAP_ORIGIN_HAS_BOOT_ID		(1U << 0)
/* Each boot of this kernel begins with a random generation. */
#define SMAP_ORIGIN_RANDOM_GENERATION	(1U << 1)
/* struct smap_store_read_times follows the strings. */
#define SMAP_ORIGIN_HAS_READ_TIMES	(1U << 2)
/* Behind that a smap_le64: which modules there were as the symbols were read. */
#define SMAP_ORIGIN_HAS_MODULES		(1U << 3)

/* Where the export comes from. Strings follow in the order of their lengths, without NUL. */
struct smap_store_origin {
	/* As in /proc/sys/kernel/random/boot_id, without dashes. */
	uint8_t		boot_id[16];
	smap_le32	flags;			/* SMAP_ORIGIN_ */
	uint8_t		word_size;		/* bytes of an address: 4 or 8; 0: unknown */
	uint8_t		byte_order;		/* enum smap_byte_order */
	smap_le16	release_len;		/* uname -r; 0: unknown */
	smap_le16	version_len;		/* uname -v */
	smap_le16	machine_len;		/* uname -m */
	smap_le32	reserved;
	smap_le64	saved_wall;		/* ns since 1970, SMAP_TIME_UNKNOWN */
	smap_le64	saved_boot;		/* CLOCK_BOOTTIME in ns, SMAP_TIME_UNKNOWN */
};

/*
 * The moment before the export began to be read, by three clocks in ns. The map was not reset from
 * then until it was read completely: all that was recorded before is in the export.
 */
struct smap_store_read_times {
	smap_le64	boot;			/* CLOCK_BOOTTIME */
	smap_le64	mono;			/* CLOCK_MONOTONIC */
	smap_le64	mono_raw;		/* CLOCK_MONOTONIC_RAW */
};

#define SMAP_SUMMARY_HAS_GENERATION	(1U << 0)

/* What the export holds, so that it can be listed and chosen without decoding it. */
struct smap_store_summary {
	smap_le32	flags;			/* SMAP_SUMMARY_HAS_GENERATION */
	smap_le32	nr_generations;		/* as many struct smap_store_generation follow */
	smap_le64	nr_records;		/* as they stand in the export */
};

struct smap_store_generation {
	smap_le32	generation;
	smap_le32	reserved;
	smap_le64	nr_stacks;		/* distinct slots and conflicts */
};

/* Bytes at the beginning and at the end of a trace that tell it from others. */
#define SMAP_TIE_SAMPLE		65536

/* The trace that saves were recorded with. */
struct smap_store_tie {
	smap_le64	trace_id;		/* as trace-cmd gave it; 0: none */
	smap_le64	trace_len;		/* up to the end of what trace-cmd reads of it */
	smap_le64	head_checksum;		/* XXH3-64 of its first SMAP_TIE_SAMPLE bytes */
	smap_le64	tail_checksum;		/* of the last of these trace_len bytes */
	smap_le32	nr_saves;		/* as many smap_le64 follow: their data_checksum */
	smap_le32	reserved;
};

/*
 * Behind the last section of a trace.dat, from its first free byte on: this header, then a store.
 *
 *	trace | magic, guard, ... | commit | commit | store ... | (not committed)
 *
 * To a reader of version 7 the first 16 bytes are the header of one more section, of no kind that
 * it knows, that reaches past the end of every file: there it stops looking for sections. The
 * commits are written by turns, so that one of them is whole whatever happens to the other.
 */
/* Its third and fourth byte: in either byte order flags without the one for compression. */
#define SMAP_ATTACHED_MAGIC	"\x89STDATT\n"
#define SMAP_ATTACHED_GUARD	0x7f		/* each byte: the same size in either byte order */
#define SMAP_ATTACHED_VERSION	1

struct smap_attached_commit {
	smap_le64	sequence;		/* the larger one counts; all zero: never written */
	smap_le64	len;			/* bytes of the store that are on disk */
	smap_le64	reserved;
	smap_le64	checksum;		/* XXH3-64 of the commit before it */
};

struct smap_attached_header {
	uint8_t		magic[8];
	uint8_t		guard[8];
	smap_le16	version;		/* SMAP_ATTACHED_VERSION */
	smap_le16	header_size;		/* of this header: where the store begins */
	smap_le32	must_understand;	/* flags that a reader may not ignore; none yet */
	smap_le64	begin;			/* where in the file this header stands */
	smap_le64	checksum;		/* XXH3-64 of the header before it */
	struct smap_attached_commit commits[2];
};

_Static_assert(sizeof(struct smap_attached_header) == 104, "layout");
_Static_assert(sizeof(struct smap_store_header) == 56, "layout");
_Static_assert(sizeof(struct smap_block_header) == 56, "layout");
_Static_assert(sizeof(struct smap_section_header) == 24, "layout");
_Static_assert(sizeof(struct smap_store_origin) == 48, "layout");
_Static_assert(sizeof(struct smap_store_read_times) == 24, "layout");
_Static_assert(sizeof(struct smap_store_summary) == 16, "layout");
_Static_assert(sizeof(struct smap_store_generation) == 16, "layout");
_Static_assert(sizeof(struct smap_store_tie) == 40, "layout");

#endif /* SMAP_STORE_LAYOUT_H */
