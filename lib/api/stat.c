// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A stack_map_stat as an object: the numbers, and a copy of the lines that nobody knows yet, one
 * behind the other in text, each with a NUL.
 */
#include <ctype.h>
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

/* @line is "NAME: NUMBER"? 1, 0 or -EINVAL: of that name, but no number. */
static int read_line(const char *line, const char *name, uint64_t *ret_value)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(line, name, len) || line[len] != ':')
		return 0;
	line += len + 1;
	line += strspn(line, " \t");
	if (!isdigit((unsigned char)*line))
		return -EINVAL;
	errno = 0;
	*ret_value = strtoull(line, &end, 10);
	return errno || end[strspn(end, " \t\r")] ? -EINVAL : 1;
}

SMAP_PUBLIC int stackmap_stat_find(const struct stackmap_stat *stat, const char *name,
				   uint64_t *ret_value)
{
	uint64_t value;
	size_t i;
	int ret;

	for (i = 0; i < SMAP_NR_STAT_FIELDS; i++)
		if (!strcmp(name, smap_stat_field_name((enum smap_stat_field)i)))
			return stackmap_stat_get(stat, (enum stackmap_stat_field)i, ret_value);
	for (i = 0; i < stat->numbers.nr_unknown; i++) {
		ret = read_line(stat->text + stat->unknown[i], name, &value);
		if (ret < 0)
			return smap_errno(ret);
		if (!ret)
			continue;
		*ret_value = value;
		return 0;
	}
	return smap_errno(-ENOENT);
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
