/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The exports of the kernel: bytes in, struct smap_export out.
 *
 * A parser takes memory and a size, never a path. Which one takes the bytes is
 * told from the bytes alone: each format has a row {name, probe, parse}.
 *
 *	text8	stack_map, series 8 and ours	"stack_id 42 gen 1 ref 1337 depth 3"
 *	text4	stack_map, series 4 to 7	"stack_id 42 [ref 1337, depth 3]"
 *	bin1	stack_map_bin version 1		magic 0x46534D42 in either byte order
 *	bin2	stack_map_bin, format FSM2	magic 0x46534D32, likewise
 *
 * What can be used of an export with faults is used: a record that is cut or whose
 * depth does not match its frames is kept and flagged (SMAP_STACK_DAMAGED), and the
 * findings say where the first fault of each kind stands. Bytes that are no record
 * at all refuse the export: nothing tells what they were.
 */
#ifndef SMAP_PARSE_PARSE_H
#define SMAP_PARSE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/map.h"
#include "core/window.h"

enum smap_byte_order {			/* the values of the store's layout too */
	SMAP_ORDER_UNKNOWN	= 0,
	SMAP_ORDER_LITTLE	= 1,
	SMAP_ORDER_BIG		= 2,
};

/* What stood in the export beside its stacks. Offsets are bytes from its start. */
struct smap_findings {
	size_t		nr_records;	/* as they stand, before merging */
	bool		crlf;		/* lines end in CR LF */
	bool		no_last_newline;/* nothing is missing but the newline at the end */
	bool		cut;		/* the last record is: its stack is flagged damaged */
	uint64_t	cut_offset;	/* where that record begins */
	bool		has_cut_slot;	/* else cut before it said which: no stack is kept of it */
	uint32_t	cut_slot;
	size_t		nr_missing;	/* records announced of which not a byte is there */
	/* Records whose depth is not the number of their frames. */
	size_t		nr_depth_mismatch;
	uint64_t	depth_mismatch_offset;	/* where the first of them begins */
	/* Records whose slot is not above that of the one before, where the format promises it. */
	size_t		nr_unordered;
	uint64_t	unordered_offset;	/* where the first of them begins */
	bool		no_trailer;	/* the end is at that of a record, but not of the export */
	bool		trailer_differs;/* what it tells is not what stands before it */
	uint64_t	trailer_offset;	/* where it begins, or would have to */
	uint32_t	trailer_records;/* told by it, as nr_records */
	uint64_t	trailer_bytes;	/* told by it, as trailer_offset */
	size_t		nr_trailing;	/* bytes behind the end that the format announces */
};

/* Those that are faults, in the order in which they are told. */
enum smap_finding {
	SMAP_FINDING_CUT,
	SMAP_FINDING_MISSING,
	SMAP_FINDING_NO_TRAILER,
	SMAP_FINDING_TRAILER,
	SMAP_FINDING_DEPTH,
	SMAP_FINDING_ORDER,
	SMAP_FINDING_TRAILING,
	SMAP_NR_FINDINGS,
};

/* What was found of this kind, in words; false where nothing was. */
bool smap_findings_get_words(const struct smap_findings *findings, enum smap_finding kind,
			     struct smap_error *ret_words);

struct smap_parse_ops {
	const char		*name;
	const char		*title;		/* for people: what it is */
	bool			is_binary;
	bool			has_counts;	/* what is whole has info.has_counts */
	/* Looks at the first bytes only. */
	bool			(*probe)(const void *data, size_t len);
	/* The byte order that the first bytes show; NULL for text. */
	enum smap_byte_order	(*order)(const void *data, size_t len);
	/* @findings is all zero to begin with, and never NULL. */
	int			(*parse)(const void *data, size_t len,
					 struct smap_export **ret_export,
					 struct smap_findings *findings, struct smap_error *err);
	/* As smap_parse_brief(); -ENOTUNIQ: only ->parse() can tell. NULL: the same. */
	int			(*parse_brief)(const void *data, size_t len,
					       struct smap_export **ret_export,
					       struct smap_findings *findings,
					       struct smap_error *err);
	/*
	 * Of two exports in this format: are they of one map, and does the one have every stack of
	 * the older one, with the same frames? In doubt false. NULL: a format without generations.
	 */
	bool			(*has_all)(struct smap_window *export, struct smap_window *older);
};

/* The format of these bytes, NULL if they are none that we know (an empty file is none). */
const struct smap_parse_ops *smap_parse_probe(const void *data, size_t len);

/*
 * Parse with the format that the bytes are of. @ret_order: the byte order that a
 * binary export shows, SMAP_ORDER_UNKNOWN for text; may be NULL. @findings may be
 * NULL. Returns 0, -ENOMEM, -EINVAL (no format of ours), -EBADMSG (of a format, but
 * broken: the words say where), -EOPNOTSUPP (a version that we do not know), -EOVERFLOW (2^32
 * frames, stacks or bytes of a frame).
 */
int smap_parse(const void *data, size_t len, struct smap_export **ret_export,
	       enum smap_byte_order *ret_order, struct smap_findings *findings,
	       struct smap_error *err);

/*
 * The same for who saves an export: of one that is binary and as a kernel writes it the stacks are
 * only counted, see smap_builder_new_brief(). A third of the time.
 */
int smap_parse_brief(const void *data, size_t len, struct smap_export **ret_export,
		     enum smap_byte_order *ret_order, struct smap_findings *findings,
		     struct smap_error *err);

extern const struct smap_parse_ops smap_parse_text8;
extern const struct smap_parse_ops smap_parse_text4;
extern const struct smap_parse_ops smap_parse_bin1;
extern const struct smap_parse_ops smap_parse_bin2;

/* stack_map_stat, both forms. A field that is absent has its bit unset in @has. */
enum smap_stat_field {
	SMAP_STAT_GENERATION,
	SMAP_STAT_ENTRIES,
	SMAP_STAT_CAPACITY,
	SMAP_STAT_SUCCESSES,
	SMAP_STAT_FALLBACKS,		/* "drops" in series 4 to 7 */
	SMAP_STAT_TABLE_SIZE,
	SMAP_NR_STAT_FIELDS,
};

struct smap_stat {
	uint64_t	value[SMAP_NR_STAT_FIELDS];
	uint32_t	has;		/* bit 1 << enum smap_stat_field */
	size_t		nr_unknown;	/* lines of a later series, skipped */
};

/* As series 8 has it, or the only series that has it. */
const char *smap_stat_field_name(enum smap_stat_field field);

/* The bytes look like a stack_map_stat: lines "name: value" up to one whose name is known. */
bool smap_stat_probe(const void *data, size_t len);

/* Returns 0 or -EBADMSG with words. An empty file is valid: no map was allocated. */
int smap_stat_parse(const void *data, size_t len, struct smap_stat *ret_stat,
		    struct smap_error *err);

/*
 * The lines that smap_stat_parse() counted as unknown, one a call. *@pos is 0 at first; false:
 * no more. The line is borrowed from @data, without its newline.
 */
bool smap_stat_next_unknown(const void *data, size_t len, size_t *pos,
			    const char **ret_line, size_t *ret_len);

#endif /* SMAP_PARSE_PARSE_H */
