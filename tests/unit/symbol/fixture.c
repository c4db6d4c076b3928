// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

struct smap_symbols *table_of(const char *text)
{
	struct smap_symbols *symbols = NULL;
	struct smap_error err = { "" };
	int ret = smap_symbols_from_kallsyms(text, strlen(text), &symbols, &err);

	if (ret)
		fail_msg("refused: %s", err.text);
	return symbols;
}

int table_refused(const char *text, struct smap_error *err)
{
	struct smap_symbols *symbols = NULL;
	int ret = smap_symbols_from_kallsyms(text, strlen(text), &symbols, err);

	assert_null(symbols);
	return ret;
}

const char *name_at(const struct smap_symbols *symbols, uint64_t address)
{
	static char text[1024];
	const struct smap_symbol *symbol = smap_symbols_find(symbols, address);
	int len;

	if (!symbol)
		return "hex";
	len = snprintf(text, sizeof(text), "%s+0x%" PRIx64, symbol->name, address - symbol->start);
	if (symbol->has_size)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "/0x%" PRIx64,
				symbol->end - symbol->start);
	if (symbol->module)
		snprintf(text + len, sizeof(text) - (size_t)len, " [%s]", symbol->module);
	return text;
}

char *read_file(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "rb");
	size_t len, size = 1 << 23;
	char *data = malloc(size + 1);

	if (!file || !data)
		fail_msg("%s: cannot be read", path);
	len = fread(data, 1, size, file);
	fclose(file);
	assert_true(len > 0 && len < size);
	data[len] = '\0';
	*ret_len = len;
	return data;
}
