/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of a text that nobody vouches for, and tokens within one.
 *
 * A line ends at its newline or where the text ends; a CR before that end belongs to it. What is
 * looked for in a line is found, is not there, or could have been there had the line not ended: in
 * a line without newline that tells a cut from garbage.
 */
#ifndef SMAP_PARSE_LINES_H
#define SMAP_PARSE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct smap_line {
	const char	*pos;		/* moves as tokens are read */
	const char	*end;
	bool		has_newline;
	bool		has_cr;
};

/* The line at *@pos, which is before @end, and *@pos behind it. */
static inline struct smap_line smap_line_next(const char **pos, const char *end)
{
	const char *newline = memchr(*pos, '\n', (size_t)(end - *pos));
	struct smap_line line = { *pos, newline ? newline : end, newline != NULL, false };

	*pos = newline ? newline + 1 : end;
	if (line.end > line.pos && line.end[-1] == '\r') {
		line.has_cr = true;
		line.end--;
	}
	return line;
}

static inline size_t smap_line_left(const struct smap_line *line)
{
	return (size_t)(line->end - line->pos);
}

/* Number of the line that holds @at, from 1. For messages only: it looks at all bytes before. */
static inline size_t smap_line_number(const char *start, const char *at)
{
	size_t number = 1;

	while (start < at && (start = memchr(start, '\n', (size_t)(at - start)))) {
		number++;
		start++;
	}
	return number;
}

enum smap_match {
	SMAP_MATCH,		/* it is there, the line is behind it now */
	SMAP_MATCH_CUT,		/* all that is there fits, but the line ends before it does */
	SMAP_MATCH_NONE,
};

static inline enum smap_match smap_line_match_word(struct smap_line *line, const char *word,
						   size_t len)
{
	size_t left = smap_line_left(line);

	if (left >= len && !memcmp(line->pos, word, len)) {
		line->pos += len;
		return SMAP_MATCH;
	}
	return left < len && !memcmp(line->pos, word, left) ? SMAP_MATCH_CUT : SMAP_MATCH_NONE;
}

/* Decimal digits as the kernel prints them: no sign, no zero in front, at most @max. */
static inline enum smap_match smap_line_match_uint(struct smap_line *line, uint64_t max,
						   uint64_t *ret_value)
{
	const char *p = line->pos;
	unsigned int digit;
	uint64_t value = 0;

	for (; p < line->end && (digit = (unsigned int)(*p - '0')) <= 9; p++) {
		if (p == line->pos + 1 && !value)
			return SMAP_MATCH_NONE;
		if (value > (max - digit) / 10)
			return SMAP_MATCH_NONE;
		value = value * 10 + digit;
	}
	if (p == line->pos)
		return p == line->end ? SMAP_MATCH_CUT : SMAP_MATCH_NONE;
	line->pos = p;
	*ret_value = value;
	return SMAP_MATCH;
}

#endif /* SMAP_PARSE_LINES_H */
