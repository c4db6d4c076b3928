/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The elements of folded stacks: each distinct one once, safe to be printed, known by a number.
 * Numbers are dense and, once elements_sort() was called, in the order of the texts.
 */
#ifndef CMD_ELEMENTS_H
#define CMD_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct element {
	char		*text;
	uint32_t	len;
};

/* A string that was seen before, by its address. */
struct element_alias {
	const char	*string;
	uint32_t	number;
};

struct elements {
	struct element		*items;
	size_t			nr;
	size_t			capacity;
	uint32_t		*by_text;	/* number + 1; open addressing, at most half full */
	unsigned int		text_bits;
	struct element_alias	*aliases;	/* likewise */
	size_t			nr_aliases;
	unsigned int		alias_bits;
	uint64_t		seed;
	uint32_t		*order;		/* after elements_sort(): number -> number of now */
};

#define ELEMENT_NONE	UINT32_MAX

void elements_init(struct elements *elements);
void elements_release(struct elements *elements);

/* The element that @string becomes. ELEMENT_NONE after cmd_error(): no memory. */
uint32_t elements_add(struct elements *elements, const char *string);
/* The same, for a string that stays what and where it is. */
uint32_t elements_add_constant(struct elements *elements, const char *string);

/* Sort; order[OLD] is then the number of what was OLD. CMD_OK or CMD_FAILED after cmd_error(). */
int elements_sort(struct elements *elements);

/* A number that no file can know, odd. */
uint64_t elements_seed(void);

#endif /* CMD_ELEMENTS_H */
