// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The symbols that are stored beside a map: only those that cover its addresses. See symbol.h for
 * the form. A reader takes nothing for granted: lines must rise and none may reach into the next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "table.h"

/* ---- writing ---- */

static void mark_symbol(const struct smap_symbols *symbols, uint64_t address, bool *marks)
{
	const struct smap_symbol *symbol = smap_symbols_find(symbols, address);

	if (symbol)
		marks[symbol - symbols->symbols] = true;
}

static void write_symbol(const struct smap_symbol *symbol, struct smap_buf *buf)
{
	smap_buf_add_hex(buf, symbol->start);
	smap_buf_add_char(buf, ' ');
	smap_buf_add_hex(buf, symbol->end - symbol->start);
	smap_buf_add_str(buf, symbol->has_size ? " " : "? ");
	smap_buf_add_str(buf, symbol->name);
	if (symbol->module) {
		smap_buf_add_char(buf, '\t');
		smap_buf_add_str(buf, symbol->module);
	}
	smap_buf_add_char(buf, '\n');
}

void smap_symbols_write(const struct smap_symbols *symbols, const uint64_t *addresses,
			size_t nr_addresses, struct smap_buf *buf)
{
	bool *marks = calloc(symbols->nr_symbols + 1, sizeof(*marks));
	size_t i;

	if (!marks) {
		buf->failed = true;
		return;
	}
	for (i = 0; i < nr_addresses; i++)
		mark_symbol(symbols, addresses[i], marks);
	for (i = 0; i < symbols->nr_symbols; i++)
		if (marks[i])
			write_symbol(&symbols->symbols[i], buf);
	free(marks);
}

void smap_symbols_write_all(const struct smap_symbols *symbols, struct smap_buf *buf)
{
	size_t i;

	for (i = 0; i < symbols->nr_symbols; i++)
		write_symbol(&symbols->symbols[i], buf);
}

/* ---- reading ---- */

static bool parse_name(char *pos, char *end, struct smap_symbol *symbol)
{
	char *name_end = (char *)smap_symbol_skip_word(pos, end);

	if (!name_end || name_end == pos)
		return false;
	symbol->name = pos;
	if (name_end == end)
		return true;
	if (*name_end != '\t' || name_end + 1 == end ||
	    smap_symbol_skip_word(name_end + 1, end) != end)
		return false;
	*name_end = '\0';
	symbol->module = name_end + 1;
	return true;
}

/* "START LEN". The first byte behind it, or NULL. */
static const char *parse_range(const char *pos, const char *end, struct smap_symbol *symbol)
{
	uint64_t len;

	pos = smap_symbol_parse_hex(pos, end, &symbol->start);
	if (!pos || pos == end || *pos++ != ' ')
		return NULL;
	pos = smap_symbol_parse_hex(pos, end, &len);
	if (!pos || !len || __builtin_add_overflow(symbol->start, len, &symbol->end))
		return NULL;
	return pos;
}

/* A line [pos, end), whose newline becomes the NUL of its last word. */
static bool parse_symbol(char *pos, char *end, struct smap_symbol *symbol)
{
	*symbol = (struct smap_symbol){ .has_size = true };
	pos = (char *)parse_range(pos, end, symbol);
	if (!pos)
		return false;
	if (pos < end && *pos == '?') {
		symbol->has_size = false;
		pos++;
	}
	if (pos == end || *pos++ != ' ')
		return false;
	*end = '\0';
	return parse_name(pos, end, symbol);
}

static size_t count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	size_t nr = 0;

	for (; text < end; nr++) {
		text = memchr(text, '\n', (size_t)(end - text));
		if (!text)
			break;
		text++;
	}
	return nr;
}

/* The names stay where they stand in the text: it is copied whole, NUL behind it. */
static int alloc_symbols(struct smap_symbols *symbols, const void *data, size_t len)
{
	size_t nr;

	symbols->text = malloc(len + 1);
	if (!symbols->text)
		return -ENOMEM;
	if (len)
		memcpy(symbols->text, data, len);
	symbols->text[len] = '\0';
	nr = count_lines(symbols->text, len);
	symbols->symbols = malloc((nr + 1) * sizeof(*symbols->symbols));
	symbols->cores = malloc((nr + 1) * sizeof(*symbols->cores));
	return symbols->symbols && symbols->cores ? 0 : -ENOMEM;
}

static void add_core(struct smap_symbols *symbols, const struct smap_symbol *symbol)
{
	uint64_t size = symbol->end - symbol->start;

	if (!symbol->has_size || size > SMAP_FUNCTION_MAX)
		size = SMAP_CORE_NO_SIZE;
	symbols->cores[symbols->nr_cores++] = (struct smap_core_symbol){
		.address = symbol->start,
		.name = (uint32_t)(symbol->name - symbols->text),
		.size = (uint32_t)size,
	};
}

static int read_symbols(struct smap_symbols *symbols, size_t len, struct smap_error *err)
{
	char *pos = symbols->text, *end = pos + len, *line_end;
	struct smap_symbol *symbol;
	uint64_t before = 0;
	size_t nr = 0;

	for (; pos < end; pos = line_end + 1) {
		nr++;
		symbol = &symbols->symbols[symbols->nr_symbols];
		line_end = memchr(pos, '\n', (size_t)(end - pos));
		if (!line_end)
			return smap_error_set(err, -EBADMSG, "symbols: line %zu: cut", nr);
		if (!parse_symbol(pos, line_end, symbol))
			return smap_error_set(err, -EBADMSG, "symbols: line %zu: not a symbol", nr);
		if (symbol->start < before)
			return smap_error_set(err, -EBADMSG,
					      "symbols: line %zu: lies in the line before", nr);
		before = symbol->end;
		if (!symbol->module)
			add_core(symbols, symbol);
		symbols->nr_symbols++;
	}
	return 0;
}

int smap_symbols_from_stored(const void *data, size_t len, struct smap_symbols **ret_symbols,
			     struct smap_error *err)
{
	struct smap_symbols *symbols;
	int ret;

	if (len > SMAP_SYMBOL_TEXT_MAX)
		return smap_error_set(err, -EBADMSG, "symbols: too long");
	symbols = smap_symbols_new();
	if (!symbols || alloc_symbols(symbols, data, len)) {
		smap_symbols_free(symbols);
		return smap_error_nomem(err);
	}
	ret = read_symbols(symbols, len, err);
	if (ret) {
		smap_symbols_free(symbols);
		return smap_errno(ret);
	}
	*ret_symbols = symbols;
	return 0;
}

/* ---- a few of many ---- */

/* Within a length: each address would have one without an end read again. */
static const char *find_newline(const char *pos, const char *end)
{
	const size_t len = (size_t)(end - pos);

	return memchr(pos, '\n', len < SMAP_SYMBOL_LINE_MAX ? len : SMAP_SYMBOL_LINE_MAX);
}

/* Where the next line begins; @end: none does. */
static const char *next_line(const char *pos, const char *end)
{
	const char *newline = find_newline(pos, end);

	return newline ? newline + 1 : end;
}

static bool begins_behind(const char *line, const char *end, uint64_t address)
{
	uint64_t start;

	return !smap_symbol_parse_hex(line, end, &start) || start > address;
}

/* A line in the middle of [line, end), but not the first; @end: there is no other. */
static const char *middle_line(const char *line, const char *end)
{
	const char *middle = line + (end - line) / 2;
	const char *newline;

	if (middle - line > SMAP_SYMBOL_LINE_MAX)
		line = middle - SMAP_SYMBOL_LINE_MAX;
	newline = memrchr(line, '\n', (size_t)(middle - line));
	return newline ? newline + 1 : next_line(middle, end);
}

/*
 * The last line from @line on that begins at @address or before it, or @line itself: a few steps,
 * each twice as long, then halves of the last one. The next one wanted is seldom far.
 */
static const char *seek_line(const char *line, const char *end, uint64_t address)
{
	const char *high = end, *at;
	size_t step = 64;

	while (step < (size_t)(high - line)) {
		at = next_line(line + step, high);
		if (at == high || begins_behind(at, end, address)) {
			high = at;
			break;
		}
		line = at;
		step *= 2;
	}
	while ((at = middle_line(line, high)) != high) {
		if (begins_behind(at, end, address))
			high = at;
		else
			line = at;
	}
	return line;
}

void smap_symbols_pick(const char *text, size_t len, const uint64_t *addresses,
		       size_t nr_addresses, struct smap_buf *buf)
{
	const char *line = text, *end = text + len, *behind = text, *newline;
	struct smap_symbol symbol;
	size_t i;

	/* The first byte that is in no line of @buf yet is at @behind. */
	for (i = 0; i < nr_addresses && line < end; i++) {
		line = seek_line(line, end, addresses[i]);
		if (line < behind || smap_symbol_is_no_place(addresses[i]) ||
		    !parse_range(line, end, &symbol) || addresses[i] < symbol.start ||
		    addresses[i] >= symbol.end)
			continue;
		newline = find_newline(line, end);
		if (!newline)
			continue;
		behind = newline + 1;
		smap_buf_add(buf, line, (size_t)(behind - line));
	}
}
