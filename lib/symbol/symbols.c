// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A table of symbols once it is built: looking up, releasing. See table.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "table.h"

struct smap_symbols *smap_symbols_new(const void *data, size_t len)
{
	struct smap_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->cache = calloc(1, sizeof(*symbols->cache));
	symbols->text = malloc(len + 1);
	if (!symbols->cache || !symbols->text) {
		smap_symbols_free(symbols);
		return NULL;
	}
	if (len)
		memcpy(symbols->text, data, len);
	symbols->text[len] = '\0';
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

/*
 * A word of ones is what a broken unwind leaves on a stack, and no place of code, though it
 * lies in the page of the vectors of some 32-bit machines.
 */
static bool is_all_ones(uint64_t address)
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
	if (!low || is_all_ones(address))
		return NULL;
	symbol = &symbols->symbols[low - 1];
	return address < symbol->end ? symbol : NULL;
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

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

const char *smap_symbol_parse_hex(const char *pos, const char *end, uint64_t *ret_value)
{
	const char *start = pos;
	uint64_t value = 0;
	int digit;

	for (; pos < end; pos++) {
		digit = hex_digit(*pos);
		if (digit < 0)
			break;
		if (pos - start == 16)
			return NULL;
		value = value << 4 | (unsigned int)digit;
	}
	if (pos == start)
		return NULL;
	*ret_value = value;
	return pos;
}

const char *smap_symbol_skip_word(const char *pos, const char *end)
{
	/* No blank is larger than a space: nearly every byte of a name is decided by one comparison. */
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
