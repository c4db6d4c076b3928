/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table from lines that stand in the test, and what it makes of an address, in one line each.
 */
#ifndef SMAP_TESTS_SYMBOL_FIXTURE_H
#define SMAP_TESTS_SYMBOL_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/error.h"
#include "symbol/symbol.h"

/* The table of @text; fails the test where it is refused. */
struct smap_symbols *table_of(const char *text);

/* What it is refused with, words in @err. */
int table_refused(const char *text, struct smap_error *err);

/* "name+0xoff/0xsize [module]" as a frame is spelled; "hex" where nothing covers it. */
const char *name_at(const struct smap_symbols *symbols, uint64_t address);

/* The same, of a table for this one question. */
#define assert_named(text, address, expected)						\
	do {										\
		struct smap_symbols *symbols_ = table_of(text);				\
											\
		assert_string_equal(name_at(symbols_, (address)), (expected));		\
		smap_symbols_free(symbols_);						\
	} while (0)

/* A whole file, NUL behind it, to be freed; fails the test where it cannot be read. */
char *read_file(const char *path, size_t *ret_len);

#endif /* SMAP_TESTS_SYMBOL_FIXTURE_H */
