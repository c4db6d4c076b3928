// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A stack_map_stat as an object: the numbers, and a copy of the lines that nobody knows yet, one
 * behind the other in text, each with a NUL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/error.h"
#include "core/export.h"
#include "parse/parse.h"
#include "stackmap.h"

struct stackmap_stat {
	struct smap_stat	numbers;
	size_t			*unknown;	/* offsets in text, numbers.nr_unknown of them */
	char			*text;
};

/* The public enum has the same fields in the same order. */
#define SAME_FIELD(field)								\
	_Static_assert((int)STACKMAP_STAT_##field == (int)SMAP_STAT_##field, #field)
SAME_FIELD(GENERATION);
SAME_FIELD(ENTRIES);
SAME_FIELD(CAPACITY);
SAME_FIELD(SUCCESSES);
SAME_FIELD(FALLBACKS);
SAME_FIELD(TABLE_SIZE);

static int keep_unknown(struct stackmap_stat *stat, const char *text, size_t len)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	size_t pos = 0, line_len, nr = 0;
	const char *line;

	stat->unknown = calloc(stat->numbers.nr_unknown + 1, sizeof(*stat->unknown));
	if (!stat->unknown)
		return smap_errno(-ENOMEM);
	while (smap_stat_next_unknown(text, len, &pos, &line, &line_len)) {
		stat->unknown[nr++] = buf.len;
		smap_buf_add(&buf, line, line_len);
		smap_buf_add_char(&buf, '\0');
	}
	stat->text = smap_buf_detach(&buf, NULL);
	return stat->text ? 0 : smap_errno(-ENOMEM);
}

SMAP_PUBLIC struct stackmap_stat *stackmap_stat_new(const char *text, size_t len)
{
	struct stackmap_stat *stat;

	if (!text && len) {
		errno = EINVAL;
		return NULL;
	}
	stat = calloc(1, sizeof(*stat));
	if (!stat)
		return NULL;
	if (smap_stat_parse(text, len, &stat->numbers, NULL) || keep_unknown(stat, text, len)) {
		stackmap_stat_free(stat);
		return NULL;
	}
	return stat;
}

SMAP_PUBLIC void stackmap_stat_free(struct stackmap_stat *stat)
{
	int err = errno;

	if (!stat)
		return;
	free(stat->unknown);
	free(stat->text);
	free(stat);
	errno = err;
}

SMAP_PUBLIC int stackmap_stat_get(const struct stackmap_stat *stat, enum stackmap_stat_field field,
				  uint64_t *ret_value)
{
	if ((unsigned int)field >= SMAP_NR_STAT_FIELDS || !(stat->numbers.has & 1U << field))
		return smap_errno(-ENOENT);
	*ret_value = stat->numbers.value[field];
	return 0;
}

SMAP_PUBLIC size_t stackmap_stat_nr_unknown(const struct stackmap_stat *stat)
{
	return stat->numbers.nr_unknown;
}

SMAP_PUBLIC const char *stackmap_stat_get_unknown(const struct stackmap_stat *stat, size_t nr)
{
	if (nr >= stat->numbers.nr_unknown) {
		errno = ERANGE;
		return NULL;
	}
	return stat->text + stat->unknown[nr];
}
