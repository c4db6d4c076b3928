// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cmd.h"
#include "elements.h"

#define FIRST_BITS	10

uint64_t elements_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)&seed * 0x9e3779b97f4a7c15ULL;
	return seed | 1;
}

void elements_init(struct elements *elements)
{
	*elements = (struct elements){ .seed = elements_seed() };
}

void elements_release(struct elements *elements)
{
	size_t i;

	for (i = 0; i < elements->nr; i++)
		free(elements->items[i].text);
	free(elements->items);
	free(elements->by_text);
	free(elements->aliases);
	free(elements->order);
}

/* ---- making a string safe ---- */

static bool is_safe(const char *string, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (string[i] <= ' ' || string[i] > '~' || string[i] == ';' || string[i] == '\\')
			return false;
	}
	return true;
}

static void replace(char *text, size_t len, bool in_brackets)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == ';')
			text[i] = ':';
		else if (text[i] == ' ' && !in_brackets)
			text[i] = '_';
	}
}

/* NULL: no memory */
static char *make_safe(const char *string, size_t len, size_t *ret_len)
{
	bool in_brackets = len && string[0] == '[' && string[len - 1] == ']';
	size_t need = stackmap_escape(NULL, 0, string, len);
	char *text;

	if (!len || is_safe(string, len)) {
		*ret_len = len ? len : 1;
		return strdup(len ? string : "_");
	}
	text = malloc(need + 1);
	if (!text)
		return NULL;
	stackmap_escape(text, need + 1, string, len);
	replace(text, need, in_brackets);
	*ret_len = need;
	return text;
}

/* ---- tables ---- */

static uint64_t hash_text(const char *text, size_t len, uint64_t seed)
{
	uint64_t hash = seed;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ULL ^ hash >> 29;
	return hash * seed;
}

static uint32_t *text_place(const struct elements *elements, uint32_t *table, unsigned int bits,
			    const char *text, size_t len)
{
	size_t at = hash_text(text, len, elements->seed) >> (64 - bits);
	const struct element *item;

	for (; table[at]; at = (at + 1) & (((size_t)1 << bits) - 1)) {
		item = &elements->items[table[at] - 1];
		if (item->len == len && !memcmp(item->text, text, len))
			break;
	}
	return &table[at];
}

static bool grow_by_text(struct elements *elements)
{
	unsigned int bits = elements->by_text ? elements->text_bits + 1 : FIRST_BITS;
	uint32_t *table;
	size_t i;

	if (elements->by_text && (elements->nr + 1) * 2 <= (size_t)1 << elements->text_bits)
		return true;
	table = calloc((size_t)1 << bits, sizeof(*table));
	if (!table)
		return false;
	for (i = 0; i < elements->nr; i++)
		*text_place(elements, table, bits, elements->items[i].text,
			    elements->items[i].len) = i + 1;
	free(elements->by_text);
	elements->by_text = table;
	elements->text_bits = bits;
	return true;
}

static struct element_alias *alias_place(const struct elements *elements,
					 struct element_alias *table, unsigned int bits,
					 const char *string)
{
	size_t at = ((uintptr_t)string >> 3 ^ (uintptr_t)string << 32) * elements->seed >>
		    (64 - bits);

	while (table[at].string && table[at].string != string)
		at = (at + 1) & (((size_t)1 << bits) - 1);
	return &table[at];
}

static bool grow_aliases(struct elements *elements)
{
	unsigned int bits = elements->aliases ? elements->alias_bits + 1 : FIRST_BITS;
	struct element_alias *table;
	size_t i;

	if (elements->aliases &&
	    (elements->nr_aliases + 1) * 2 <= (size_t)1 << elements->alias_bits)
		return true;
	table = calloc((size_t)1 << bits, sizeof(*table));
	if (!table)
		return false;
	for (i = 0; elements->aliases && i < (size_t)1 << elements->alias_bits; i++) {
		if (elements->aliases[i].string)
			*alias_place(elements, table, bits, elements->aliases[i].string) =
				elements->aliases[i];
	}
	free(elements->aliases);
	elements->aliases = table;
	elements->alias_bits = bits;
	return true;
}

static bool room_for_item(struct elements *elements)
{
	size_t capacity = elements->capacity ? elements->capacity * 2 : 256;
	struct element *items;

	if (elements->nr < elements->capacity)
		return true;
	if (elements->nr >= ELEMENT_NONE - 1)
		return false;
	items = realloc(elements->items, capacity * sizeof(*items));
	if (!items)
		return false;
	elements->items = items;
	elements->capacity = capacity;
	return true;
}

/* Takes @text; NULL: no memory. */
static uint32_t add_text(struct elements *elements, char *text, size_t len)
{
	uint32_t *place;

	if (!text || !room_for_item(elements) || !grow_by_text(elements)) {
		free(text);
		cmd_nomem();
		return ELEMENT_NONE;
	}
	place = text_place(elements, elements->by_text, elements->text_bits, text, len);
	if (*place) {
		free(text);
		return *place - 1;
	}
	elements->items[elements->nr] = (struct element){ .text = text, .len = len };
	*place = ++elements->nr;
	return *place - 1;
}

uint32_t elements_add(struct elements *elements, const char *string)
{
	size_t len;
	char *text = make_safe(string, strlen(string), &len);

	return add_text(elements, text, len);
}

uint32_t elements_add_constant(struct elements *elements, const char *string)
{
	struct element_alias *alias;

	if (!grow_aliases(elements)) {
		cmd_nomem();
		return ELEMENT_NONE;
	}
	alias = alias_place(elements, elements->aliases, elements->alias_bits, string);
	if (!alias->string) {
		alias->number = elements_add(elements, string);
		if (alias->number == ELEMENT_NONE)
			return ELEMENT_NONE;
		alias->string = string;
		elements->nr_aliases++;
	}
	return alias->number;
}

/* ---- order ---- */

struct sorted {
	struct element	item;
	uint32_t	number;
};

static int compare_texts(const void *a, const void *b)
{
	const struct sorted *sorted_a = a, *sorted_b = b;

	return strcmp(sorted_a->item.text, sorted_b->item.text);
}

int elements_sort(struct elements *elements)
{
	struct sorted *sorted = calloc(elements->nr + 1, sizeof(*sorted));
	size_t i;

	elements->order = calloc(elements->nr + 1, sizeof(*elements->order));
	if (!sorted || !elements->order) {
		free(sorted);
		return cmd_nomem();
	}
	for (i = 0; i < elements->nr; i++)
		sorted[i] = (struct sorted){ elements->items[i], i };
	qsort(sorted, elements->nr, sizeof(*sorted), compare_texts);
	for (i = 0; i < elements->nr; i++) {
		elements->items[i] = sorted[i].item;
		elements->order[sorted[i].number] = i;
	}
	free(sorted);
	return CMD_OK;
}
