/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address -> name.
 *
 *	/proc/kallsyms text ---------+
 *	symbols stored with a map ---+--> struct smap_symbols: ranges sorted by address,
 *	                                  each [start, end) with one name and its module
 *
 * A symbol ends where the next one begins, as the kernel's kallsyms_lookup() has it,
 * so that a named address reads exactly as the kernel's %pS would have printed it.
 * Where that rule would stretch a name over memory that is not its own (a gap, the
 * end of text, the end of a module, modules that overlap), the range is cut or left
 * out: an address without a name is printed as hex, never with a name that is near.
 */
#ifndef SMAP_SYMBOL_SYMBOL_H
#define SMAP_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/error.h"

struct smap_symbol {
	uint64_t	start;
	uint64_t	end;		/* first address that is not its own */
	const char	*name;		/* NUL terminated, in the symbols' own memory */
	const char	*module;	/* without brackets, NULL for the kernel itself */
	bool		has_size;	/* end - start is what the kernel prints; else not known */
};

struct smap_symbols;

/* The bytes look like /proc/kallsyms: the first line is "HEX TYPE NAME". */
bool smap_kallsyms_probe(const void *data, size_t len);

/*
 * Build from the text of /proc/kallsyms, in any order of lines. The result keeps
 * nothing of @data. Returns 0, -ENOMEM, -EBADMSG with words (line number), or -ENODATA:
 * the table carries no addresses (all zero, as kptr_restrict hides them, or empty) and
 * must not be used; the words name the sysctl.
 */
int smap_symbols_from_kallsyms(const void *data, size_t len, struct smap_symbols **ret_symbols,
			       struct smap_error *err);

/*
 * The form that is stored beside a map: one line "START LEN NAME[\tMODULE]\n" a symbol, in the
 * order of addresses, hex numbers without 0x. A '?' behind LEN: so much is covered, the size is not
 * known. _write adds those that cover one of @addresses (any order, repeats allowed); _from_stored
 * reads them back (-EBADMSG with words, or -ENOMEM; no bytes are a table without symbols). What it
 * reads back is only a part of the kernel's table: that a match says ABSENT of it means nothing.
 * _write_all adds each of them. _pick adds the lines of @text, which _write_all made, that cover
 * one of @addresses, which rise: for who wants few of many and not read them all. What is no line
 * covers nothing, or is found by _from_stored. One longer than SMAP_SYMBOL_LINE_MAX is none: no
 * kernel has a name for it.
 */
#define SMAP_SYMBOL_LINE_MAX	4096
void smap_symbols_write(const struct smap_symbols *symbols, const uint64_t *addresses,
			size_t nr_addresses, struct smap_buf *buf);
void smap_symbols_write_all(const struct smap_symbols *symbols, struct smap_buf *buf);
void smap_symbols_pick(const char *text, size_t len, const uint64_t *addresses,
		       size_t nr_addresses, struct smap_buf *buf);
int smap_symbols_from_stored(const void *data, size_t len, struct smap_symbols **ret_symbols,
			     struct smap_error *err);

/* The symbol whose range holds @address, or NULL. */
const struct smap_symbol *smap_symbols_find(const struct smap_symbols *symbols, uint64_t address);

/*
 * Does the kernel that this table is of have a symbol @name (not NUL terminated) of this
 * size? Aliases count, each of them; a ".llvm.NUMBER" tail of the table's name is optional.
 * Only symbols of the kernel itself are asked: modules come and go.
 */
enum smap_symbol_match {
	SMAP_SYMBOL_MATCHES,
	SMAP_SYMBOL_ABSENT,
	SMAP_SYMBOL_OTHER_SIZE,
};
enum smap_symbol_match smap_symbols_match(const struct smap_symbols *symbols, const char *name,
					  size_t len, uint64_t size);

/*
 * Address of the kernel's own symbol @name where it has exactly one; 0 otherwise. Tells
 * two boots of one kernel apart where KASLR is on.
 */
uint64_t smap_symbols_address(const struct smap_symbols *symbols, const char *name);

/*
 * Names that the kernel lists like modules, for code that it makes at run time, here and there. It
 * comes and goes without a module: what is at its address may be other code a moment later.
 */
bool smap_module_is_made(const char *module);

size_t smap_symbols_nr(const struct smap_symbols *symbols);
const struct smap_symbol *smap_symbols_get(const struct smap_symbols *symbols, size_t nr);

void smap_symbols_free(struct smap_symbols *symbols);

#endif /* SMAP_SYMBOL_SYMBOL_H */
