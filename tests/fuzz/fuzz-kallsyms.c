// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbol tables, of both kinds. Whatever the bytes are: ranges rise and none lies over another,
 * each is found by its own addresses, what is stored of a table reads back the same, and a table
 * whose lines are turned round is the same table.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(condition)			\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

static void check_ranges(const struct smap_symbols *symbols)
{
	const struct smap_symbol *symbol;
	uint64_t before = 0;
	size_t i;

	for (i = 0; i < smap_symbols_nr(symbols); i++) {
		symbol = smap_symbols_get(symbols, i);
		must(symbol->start >= before && symbol->end > symbol->start);
		must(symbol->name[0] && !strpbrk(symbol->name, " \t\n\v\f\r"));
		must(!symbol->module || symbol->module[0]);
		if (symbol->start != UINT32_MAX)
			must(smap_symbols_find(symbols, symbol->start) == symbol);
		if (symbol->end - 1 != UINT32_MAX)
			must(smap_symbols_find(symbols, symbol->end - 1) == symbol);
		must(symbol->start == before || !smap_symbols_find(symbols, symbol->start - 1));
		before = symbol->end;
	}
}

static void check_matches(const struct smap_symbols *symbols)
{
	const struct smap_symbol *symbol;
	enum smap_symbol_match match;
	size_t i;

	for (i = 0; i < smap_symbols_nr(symbols); i++) {
		symbol = smap_symbols_get(symbols, i);
		match = smap_symbols_match(symbols, symbol->name, strlen(symbol->name),
					   symbol->end - symbol->start);
		must(symbol->module || !symbol->has_size || match == SMAP_SYMBOL_MATCHES);
		smap_symbols_address(symbols, symbol->name);
	}
}

static void check_same(const struct smap_symbols *a, const struct smap_symbols *b)
{
	const struct smap_symbol *symbol_a, *symbol_b;
	size_t i;

	must(smap_symbols_nr(a) == smap_symbols_nr(b));
	for (i = 0; i < smap_symbols_nr(a); i++) {
		symbol_a = smap_symbols_get(a, i);
		symbol_b = smap_symbols_get(b, i);
		must(symbol_a->start == symbol_b->start && symbol_a->end == symbol_b->end);
		must(symbol_a->has_size == symbol_b->has_size);
		must(!strcmp(symbol_a->name, symbol_b->name));
		must(!symbol_a->module == !symbol_b->module);
		must(!symbol_a->module || !strcmp(symbol_a->module, symbol_b->module));
	}
}

static bool has_long_line(const struct smap_buf *text)
{
	const char *pos = text->data, *end = pos + text->len, *newline;

	for (; pos < end; pos = newline + 1) {
		newline = memchr(pos, '\n', (size_t)(end - pos));
		if (newline + 1 - pos > SMAP_SYMBOL_LINE_MAX)
			return true;
	}
	return false;
}

/* From all lines the same are picked. */
static void check_picked(const struct smap_symbols *symbols, const uint64_t *addresses, size_t nr,
			 const struct smap_buf *written)
{
	struct smap_buf all = SMAP_BUF_INIT, picked = SMAP_BUF_INIT;

	smap_symbols_write_all(symbols, &all);
	smap_symbols_pick(all.data, all.len, addresses, nr, &picked);
	must(!smap_buf_failed(&all) && !smap_buf_failed(&picked));
	must(picked.len == written->len || has_long_line(&all));
	must(picked.len != written->len || !picked.len ||
	     !memcmp(picked.data, written->data, picked.len));
	smap_buf_free(&all);
	smap_buf_free(&picked);
}

/* Nor do lines lead astray that are none. */
static void pick_from(const void *data, size_t len)
{
	static const uint64_t addresses[] = { 0, 1, 0xffff, UINT32_MAX, 0xffffffff81000000,
					      0xffffffff81000004, 0xffffffffc0000000, UINT64_MAX };
	struct smap_buf picked = SMAP_BUF_INIT;

	smap_symbols_pick(data, len, addresses, 8, &picked);
	must(picked.len <= len);
	smap_buf_free(&picked);
}

static void check_stored(const struct smap_symbols *symbols)
{
	size_t nr = smap_symbols_nr(symbols), i;
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_symbols *back;
	uint64_t *addresses;

	addresses = calloc(nr + 1, sizeof(*addresses));
	must(addresses);
	for (i = 0; i < nr; i++)
		addresses[i] = smap_symbols_get(symbols, i)->start +
			       (smap_symbols_get(symbols, i)->start == UINT32_MAX);
	smap_symbols_write(symbols, addresses, nr, &buf);
	must(!smap_buf_failed(&buf));
	check_picked(symbols, addresses, nr, &buf);
	must(!smap_symbols_from_stored(buf.data, buf.len, &back, NULL));
	check_ranges(back);
	if (smap_symbols_nr(back) == nr)
		check_same(symbols, back);
	smap_symbols_free(back);
	smap_buf_free(&buf);
	free(addresses);
}

static void check_turned(const struct smap_symbols *symbols, const char *text, size_t len)
{
	struct smap_symbols *turned;
	size_t first, out = 0, end;
	char *reversed;

	if (!len || text[len - 1] != '\n')
		return;
	reversed = malloc(len);
	must(reversed);
	for (end = len; end; end = first) {
		for (first = end - 1; first && text[first - 1] != '\n'; first--)
			;
		memcpy(reversed + out, text + first, end - first);
		out += end - first;
	}
	must(!smap_symbols_from_kallsyms(reversed, len, &turned, NULL));
	check_same(symbols, turned);
	smap_symbols_free(turned);
	free(reversed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smap_symbols *symbols;
	struct smap_error err;

	smap_kallsyms_probe(data, size);
	if (!smap_symbols_from_kallsyms(data, size, &symbols, &err)) {
		must(smap_symbols_nr(symbols));
		check_ranges(symbols);
		check_matches(symbols);
		check_stored(symbols);
		check_turned(symbols, (const char *)data, size);
		smap_symbols_free(symbols);
	}
	pick_from(data, size);
	if (!smap_symbols_from_stored(data, size, &symbols, &err)) {
		check_ranges(symbols);
		check_matches(symbols);
		check_stored(symbols);
		smap_symbols_free(symbols);
	}
	return 0;
}
