/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of this room share: how a table of symbols hangs together.
 *
 *	text		names, each ended by a NUL
 *	symbols[]	one range an address, sorted, none over another: what a lookup finds
 *	cores[]		every symbol of the kernel itself, with all aliases: what a match asks
 *	index		name -> cores[], built when a match is first asked for
 *
 *	/proc/kallsyms --kallsyms.c--> lines[] --ranges.c--> symbols[], cores[]
 *	stored symbols --stored.c----------------------------^
 */
#ifndef SMAP_SYMBOL_TABLE_H
#define SMAP_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol.h"

/* A longer text is no symbol table; offsets of names take 32 bits. */
#define SMAP_SYMBOL_TEXT_MAX	(UINT32_MAX - 1)

/* No function is larger. A symbol that the table makes larger stands before a gap. */
#define SMAP_FUNCTION_MAX	(1U << 20)

#define SMAP_CORE_NO_SIZE	0	/* its end is not known; no symbol has no bytes */

struct smap_core_symbol {
	uint64_t	address;
	uint32_t	name;		/* offset in text */
	uint32_t	size;		/* at most SMAP_FUNCTION_MAX */
};

struct smap_name_index;

/* Where the index is kept. Apart from the table, since asking leaves the table itself as it is. */
struct smap_name_cache {
	struct smap_name_index *index;
};

struct smap_symbols {
	char			*text;
	struct smap_symbol	*symbols;
	size_t			nr_symbols;
	struct smap_core_symbol	*cores;
	size_t			nr_cores;
	struct smap_name_cache	*cache;
};

/* A table with nothing in it; NULL: no memory. */
struct smap_symbols *smap_symbols_new(void);

void smap_name_index_free(struct smap_name_index *index);

/*
 * A word of ones is what a broken unwind leaves on a stack, and no place of code, though it
 * lies in the page of the vectors of some 32-bit machines.
 */
bool smap_symbol_is_no_place(uint64_t address);

/* ---- lines of /proc/kallsyms ---- */

#define SMAP_OWNER_MAX	((1U << 24) - 1)

struct smap_symbol_line {
	uint64_t	address;
	uint32_t	name;		/* offset in text; of no meaning for OTHER */
	uint32_t	owner : 24;	/* 0: the kernel itself; else number of a module + 1 */
	uint32_t	type : 8;	/* enum smap_line_type */
};

enum smap_line_type {
	SMAP_LINE_TEXT,		/* a function */
	SMAP_LINE_WEAK,		/* a function that gives way to others on its address */
	SMAP_LINE_TEXT_END,	/* marks where text ends, never a name */
	SMAP_LINE_OTHER,	/* data: bounds a function, never a name */
};

struct smap_symbol_lines {
	struct smap_symbol_line	*lines;
	size_t			nr;
	size_t			capacity;
	uint32_t		*modules;	/* names, offsets in text */
	size_t			nr_modules;
	size_t			modules_capacity;
};

/*
 * Turn lines into ranges and core symbols of @symbols, in whose text the names stand. The lines
 * are reordered. Returns 0 or -ENOMEM.
 */
int smap_symbols_build(struct smap_symbols *symbols, struct smap_symbol_lines *lines);

/* ---- bytes ---- */

/* What stands between two fields of a line, and never in a name. */
static inline bool smap_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * Read a hex number of 1 to 16 digits at @pos. Returns the first byte behind it, NULL where there
 * is none or it is longer.
 */
const char *smap_symbol_parse_hex(const char *pos, const char *end, uint64_t *ret_value);

/* First byte from @pos on that is a blank, or @end. NULL where a NUL comes before it: no text. */
const char *smap_symbol_skip_word(const char *pos, const char *end);

#endif /* SMAP_SYMBOL_TABLE_H */
