/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the parsers share: an export parsed, and spelled as text to be compared.
 */
#ifndef SMAP_TESTS_PARSE_FIXTURE_H
#define SMAP_TESTS_PARSE_FIXTURE_H

#include <stddef.h>

#include "parse/parse.h"

struct parsed {
	int			ret;
	struct smap_export	*export;	/* NULL where it was refused */
	enum smap_byte_order	order;
	struct smap_findings	findings;
	struct smap_error	err;
	char			*stacks;	/* see below; "" where it was refused */
};

/*
 * smap_parse() of a copy of exactly this size; smap_parse_brief() must agree. stacks has a line for
 * each stack, in their order:
 *
 *	1:42 ref 1337 a+0x1/0x2|b+0x1/0x2 [mod]
 *
 * without "1:" where there is no generation, and with " conflict" or " damaged" at its end.
 */
struct parsed parsed_from(const void *data, size_t len);
struct parsed parsed_from_text(const char *text);
/* A file of tests/data, "good/v7/sched.stack_map". */
struct parsed parsed_from_file(const char *name);
void parsed_free(struct parsed *parsed);

/* What ->has_all() of @ops says of two exports. */
bool parsed_has_all(const struct smap_parse_ops *ops, const char *data, size_t len,
		    const char *older, size_t older_len);

/* The bytes of a file of tests/data, to be freed. */
char *data_file(const char *name, size_t *ret_len);

/* An allocation-failure test: parse and free. */
struct input {
	const void	*data;
	size_t		len;
};
int parse_once(void *input);
int parse_briefly_once(void *input);

#endif /* SMAP_TESTS_PARSE_FIXTURE_H */
