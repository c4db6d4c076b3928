// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions of a played kernel: a line "ADDRESS SIZE NAME [MODULE]" each in the file symbols,
 * in the order in which they were first named. The kernel's own follow one another from _stext on,
 * those of a module from where that is, so that the end of one is the begin of the next.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

#define MODULES_BEGIN	UINT64_C(0xffffffffc0000000)
#define MODULE_SIZE	UINT64_C(0x100000)
#define DEFAULT_SIZE	0x100

struct symbol {
	uint64_t	address, size;
	char		name[384];
	char		module[64];	/* "": of the kernel itself */
};

static struct {
	char		dir[PATH_MAX];
	size_t		len;		/* of the file, as it was read */
	struct symbol	*symbols;
	size_t		nr;
} table;

static bool parse_line(const char *text, struct symbol *symbol)
{
	char line[600];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	symbol->module[0] = '\0';
	return sscanf(line, "%" SCNx64 " %" SCNx64 " %383s %63s", &symbol->address, &symbol->size,
		      symbol->name, symbol->module) >= 3;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void parse_symbols(const char *text)
{
	const char *line;
	size_t nr = 0;

	for (line = text; (line = strchr(line, '\n')); line++)
		nr++;
	free(table.symbols);
	table.symbols = calloc(nr + 1, sizeof(*table.symbols));
	table.nr = 0;
	for (line = text; table.symbols && *line && nr; line++) {
		table.nr += parse_line(line, &table.symbols[table.nr]);
		line = strchr(line, '\n');
		if (!line)
			break;
	}
	if (table.symbols)
		qsort(table.symbols, table.nr, sizeof(*table.symbols), by_address);
}

static void load_symbols(const char *dir)
{
	char path[PATH_MAX], *text;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	text = shim_sys_load(path, &len);
	if (text && (strcmp(table.dir, dir) || table.len != len)) {
		parse_symbols(text);
		table.len = len;
		snprintf(table.dir, sizeof(table.dir), "%s", dir);
	}
	free(text);
}

static const struct symbol *find_address(uint64_t address)
{
	size_t low = 0, high = table.nr, middle;
	const struct symbol *symbol;

	while (low < high) {
		middle = low + (high - low) / 2;
		symbol = &table.symbols[middle];
		if (address < symbol->address)
			high = middle;
		else if (address - symbol->address >= symbol->size)
			low = middle + 1;
		else
			return symbol;
	}
	return NULL;
}

int shim_symbol_print(const char *dir, uint64_t address, char *out, size_t size)
{
	const struct symbol *symbol;

	if (strcmp(table.dir, dir) || !find_address(address))
		load_symbols(dir);
	symbol = find_address(address);
	if (!symbol)
		return snprintf(out, size, "0x%" PRIx64, address);
	return snprintf(out, size, "%s+0x%" PRIx64 "/0x%" PRIx64 "%s%s", symbol->name,
			address - symbol->address, symbol->size, *symbol->module ? " " : "",
			symbol->module);
}

/* ---- new ones ---- */

static uint64_t end_of_region(const char *module)
{
	uint64_t end = *module ? 0 : SHIM_STEXT + 0x1000, last = MODULES_BEGIN - MODULE_SIZE;
	size_t i;

	for (i = 0; i < table.nr; i++) {
		if (!strcmp(table.symbols[i].module, module))
			end = table.symbols[i].address + table.symbols[i].size;
		if (*table.symbols[i].module)
			last = table.symbols[i].address & -MODULE_SIZE;
	}
	return end ? end : last + MODULE_SIZE;
}

static int add_symbol(const char *dir, struct symbol *symbol)
{
	char path[PATH_MAX], line[600];
	int len;

	if (!symbol->size)
		symbol->size = DEFAULT_SIZE;
	symbol->address = end_of_region(symbol->module);
	len = snprintf(line, sizeof(line), "%" PRIx64 " %" PRIx64 " %s %s\n", symbol->address,
		       symbol->size, symbol->name, symbol->module);
	snprintf(path, sizeof(path), "%s/symbols", dir);
	return shim_sys_store(path, line, (size_t)len, true);
}

static bool find_name(struct symbol *symbol)
{
	size_t i;

	for (i = 0; i < table.nr; i++) {
		if (strcmp(table.symbols[i].name, symbol->name) ||
		    strcmp(table.symbols[i].module, symbol->module) ||
		    (symbol->size && symbol->size != table.symbols[i].size))
			continue;
		*symbol = table.symbols[i];
		return true;
	}
	return false;
}

/* Symbols are added to, and nothing else: what was read of them stays right. */
static int know_name(const char *dir, struct symbol *symbol)
{
	if (!strcmp(table.dir, dir) && find_name(symbol))
		return 0;
	load_symbols(dir);
	return find_name(symbol) ? 0 : add_symbol(dir, symbol);
}

/* "name+0x1/0x20 [mod]"; the size and the module may be missing, the offset too. */
static bool parse_frame(const char *text, struct symbol *symbol, uint64_t *offset)
{
	const char *rest = text + strcspn(text, "+ ");
	char *end = (char *)rest;

	*symbol = (struct symbol){ 0 };
	*offset = 0;
	snprintf(symbol->name, sizeof(symbol->name), "%.*s", (int)(rest - text), text);
	if (*rest == '+')
		*offset = strtoull(rest + 1, &end, 16);
	if (*end == '/')
		symbol->size = strtoull(end + 1, &end, 16);
	if (*end == ' ')
		snprintf(symbol->module, sizeof(symbol->module), "%s", end + 1);
	return *symbol->name;
}

int shim_symbol_parse(const char *dir, const char *text, uint64_t *ret_address)
{
	struct symbol symbol;
	uint64_t offset;
	int ret;

	if (!strcmp(text, "[FTRACE TRAMPOLINE]")) {
		*ret_address = SHIM_TRAMPOLINE;
		return 0;
	}
	if (!strncmp(text, "0x", 2)) {
		*ret_address = strtoull(text, NULL, 16);
		return 0;
	}
	if (!parse_frame(text, &symbol, &offset))
		return -EINVAL;
	ret = know_name(dir, &symbol);
	if (ret)
		return ret;
	*ret_address = symbol.address + offset;
	return 0;
}

/* ---- /proc/kallsyms ---- */

static void put_line(FILE *file, uint64_t address, char type, const char *name,
		     const char *module, bool hidden)
{
	fprintf(file, "%016" PRIx64 " %c %s%s%s\n", hidden ? 0 : address, type, name,
		*module ? "\t" : "", module);
}

/* Behind the last one of a module there is another symbol, which tells how long it is. */
static void put_end(FILE *file, const struct symbol *symbol, bool hidden)
{
	if (*symbol->module && (symbol == &table.symbols[table.nr - 1] ||
				strcmp(symbol->module, symbol[1].module)))
		put_line(file, symbol->address + symbol->size, 't', "cleanup_module",
			 symbol->module, hidden);
}

int shim_symbols_write(const char *dir, bool hidden)
{
	char path[PATH_MAX], *text = NULL;
	size_t len = 0, i;
	bool is_ended = false;
	FILE *file = open_memstream(&text, &len);
	int ret;

	if (!file)
		return -ENOMEM;
	load_symbols(dir);
	put_line(file, SHIM_STEXT, 'T', "_text", "", hidden);
	put_line(file, SHIM_STEXT, 'T', "_stext", "", hidden);
	put_line(file, SHIM_STEXT, 'T', "startup", "", hidden);
	for (i = 0; i < table.nr; i++) {
		if (*table.symbols[i].module && !is_ended)
			put_line(file, end_of_region(""), 'T', "_etext", "", hidden);
		is_ended |= *table.symbols[i].module;
		put_line(file, table.symbols[i].address, 't', table.symbols[i].name,
			 table.symbols[i].module, hidden);
		put_end(file, &table.symbols[i], hidden);
	}
	if (!is_ended)
		put_line(file, end_of_region(""), 'T', "_etext", "", hidden);
	fclose(file);
	snprintf(path, sizeof(path), "%s/over/proc/kallsyms", dir);
	ret = shim_sys_store(path, text, len, false);
	free(text);
	return ret;
}
