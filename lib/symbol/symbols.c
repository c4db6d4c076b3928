// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A table of symbols once it is built: looking up, releasing. See table.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "table.h"

struct smap_symbols *smap_symbols_new(void)
{
	struct smap_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->cache = calloc(1, sizeof(*symbols->cache));
	if (!symbols->cache) {
		free(symbols);
		return NULL;
	}
	return symbols;
}

void smap_symbols_free(struct smap_symbols *symbols)
{
	if (!symbols)
		return;
	if (symbols->cache)
		smap_name_index_free(symbols->cache->index);
	free(symbols->cache);
	free(symbols->cores);
	free(symbols->symbols);
	free(symbols->text);
	free(symbols);
}

bool smap_symbol_is_no_place(uint64_t address)
{
	return address == UINT64_MAX || address == UINT32_MAX;
}

const struct smap_symbol *smap_symbols_find(const struct smap_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->nr_symbols, mid;
	const struct smap_symbol *symbol;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (symbols->symbols[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || smap_symbol_is_no_place(address))
		return NULL;
	symbol = &symbols->symbols[low - 1];
	return address < symbol->end ? symbol : NULL;
}

bool smap_module_is_made(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", strlen("__builtin__"));
}

size_t smap_symbols_nr(const struct smap_symbols *symbols)
{
	return symbols->nr_symbols;
}

const struct smap_symbol *smap_symbols_get(const struct smap_symbols *symbols, size_t nr)
{
	return nr < symbols->nr_symbols ? &symbols->symbols[nr] : NULL;
}

/* ---- bytes ---- */

/* Value + 1 of a hex digit, 0 for all else. */
static const uint8_t hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5,
	['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

const char *smap_symbol_parse_hex(const char *pos, const char *end, uint64_t *ret_value)
{
	const char *start = pos;
	uint64_t value = 0;
	unsigned int digit;

	if (end - pos > 17)
		end = pos + 17;
	for (; pos < end; pos++) {
		digit = hex_digits[(unsigned char)*pos];
		if (!digit)
			break;
		value = value << 4 | (digit - 1);
	}
	if (pos == start || pos - start == 17)
		return NULL;
	*ret_value = value;
	return pos;
}

const char *smap_symbol_skip_word(const char *pos, const char *end)
{
	/* No blank is larger than a space: one comparison decides for nearly every byte. */
	for (; pos < end; pos++) {
		if ((unsigned char)*pos > ' ')
			continue;
		if (smap_is_blank(*pos))
			break;
		if (!*pos)
			return NULL;
	}
	return pos;
}
