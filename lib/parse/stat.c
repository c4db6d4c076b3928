// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack_map_stat: lines "name: value", a number but for two of series 4 to 7:
 *
 *	entries:      2500 / 16384	(the second is the capacity)
 *	success_rate: 100%		(says nothing that successes and drops do not say)
 *
 * Later series add lines. What they look like is not known: any line of text passes for one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "parse.h"

struct stat_name {
	const char		*name;
	bool			is_ignored;
	enum smap_stat_field	field;
};

static const struct stat_name names[] = {
	{ "generation", false, SMAP_STAT_GENERATION },
	{ "entries", false, SMAP_STAT_ENTRIES },
	{ "capacity", false, SMAP_STAT_CAPACITY },
	{ "successes", false, SMAP_STAT_SUCCESSES },
	{ "fallbacks", false, SMAP_STAT_FALLBACKS },
	{ "drops", false, SMAP_STAT_FALLBACKS },
	{ "table_size", false, SMAP_STAT_TABLE_SIZE },
	{ "success_rate", true, 0 },
};

const char *smap_stat_field_name(enum smap_stat_field field)
{
	size_t i;

	for (i = 0; names[i].field != field || names[i].is_ignored; i++)
		;
	return names[i].name;
}

/* The known name that @line begins with, and @line behind its colon; NULL: it is not known. */
static const struct stat_name *find_name(struct smap_line *line)
{
	const char *colon = memchr(line->pos, ':', smap_line_left(line));
	size_t i, len;

	if (!colon)
		return NULL;
	len = (size_t)(colon - line->pos);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i].name) != len || memcmp(names[i].name, line->pos, len))
			continue;
		line->pos = colon + 1;
		return &names[i];
	}
	return NULL;
}

static bool has_colon(const struct smap_line *line)
{
	return memchr(line->pos, ':', smap_line_left(line));
}

static bool is_text(struct smap_line line)
{
	for (; line.pos < line.end; line.pos++)
		if ((unsigned char)*line.pos < 0x20 && *line.pos != '\t')
			return false;
	return true;
}

static void skip_blanks(struct smap_line *line)
{
	while (line->pos < line->end && (*line->pos == ' ' || *line->pos == '\t'))
		line->pos++;
}

static bool put_value(struct smap_stat *stat, enum smap_stat_field field, struct smap_line *line)
{
	if (stat->has & 1U << field)
		return false;
	skip_blanks(line);
	if (smap_line_match_uint(line, UINT64_MAX, &stat->value[field]) != SMAP_MATCH)
		return false;
	skip_blanks(line);
	stat->has |= 1U << field;
	return true;
}

static bool put_line(struct smap_stat *stat, const struct stat_name *name, struct smap_line *line)
{
	if (name->is_ignored)
		return true;
	if (!put_value(stat, name->field, line))
		return false;
	if (name->field == SMAP_STAT_ENTRIES && smap_line_match_word(line, "/", 1) == SMAP_MATCH &&
	    !put_value(stat, SMAP_STAT_CAPACITY, line))
		return false;
	return !smap_line_left(line);
}

static int bad_line(struct smap_error *err, const char *start, const struct smap_line *line,
		    const char *what)
{
	int shown = smap_line_left(line) > 60 ? 60 : (int)smap_line_left(line);

	return smap_error_set(err, -EBADMSG, "line %zu: %s: \"%.*s\"",
			      smap_line_number(start, line->pos), what, shown, line->pos);
}

bool smap_stat_probe(const void *data, size_t len)
{
	const char *start = len ? data : "", *pos = start;
	struct smap_line line;

	while (pos < start + len) {
		line = smap_line_next(&pos, start + len);
		if (!is_text(line))
			return false;
		if (find_name(&line))
			return true;
		if (!has_colon(&line))
			return false;
	}
	return false;
}

int smap_stat_parse(const void *data, size_t len, struct smap_stat *ret_stat,
		    struct smap_error *err)
{
	const char *start = len ? data : "", *pos = start;
	const struct stat_name *name;
	struct smap_line line, whole;
	struct smap_stat stat = { 0 };

	if (len && !smap_stat_probe(data, len))
		return smap_error_set(err, -EBADMSG, "no stack_map_stat");
	while (pos < start + len) {
		whole = line = smap_line_next(&pos, start + len);
		if (!is_text(line))
			return bad_line(err, start, &whole, "not text");
		name = find_name(&line);
		if (!name && !line.has_newline && !has_colon(&line))
			return bad_line(err, start, &whole, "cut");
		if (!name)
			stat.nr_unknown += line.pos < line.end;
		else if (!put_line(&stat, name, &line))
			return bad_line(err, start, &whole, "no value, or a second one");
	}
	*ret_stat = stat;
	return 0;
}

bool smap_stat_next_unknown(const void *data, size_t len, size_t *pos,
			    const char **ret_line, size_t *ret_len)
{
	const char *start = len ? data : "", *end = start + len, *at = start + *pos;
	struct smap_line line, whole;

	while (at < end) {
		whole = line = smap_line_next(&at, end);
		*pos = (size_t)(at - start);
		if (line.pos == line.end || find_name(&line))
			continue;
		*ret_line = whole.pos;
		*ret_len = smap_line_left(&whole);
		return true;
	}
	return false;
}
