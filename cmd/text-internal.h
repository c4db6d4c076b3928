/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files behind text.h share:
 *
 *	text.c			the cookie of a line, and other lines
 *	text-header.c		the header, from its end to its beginning
 *	text-prefix.c		what a log put before the line
 */
#ifndef CMD_TEXT_INTERNAL_H
#define CMD_TEXT_INTERNAL_H

#include <string.h>

#include "text.h"

#define NO_DASH		((size_t)-1)

/* Widths of the task name: "%16s-", and "%8.8s-" in the latency format. */
#define COMM_WIDTH	16
#define COMM_WIDTH_LATENCY	8

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static inline bool is_tgid_char(char c)
{
	return is_digit(c) || c == ' ' || c == '-';
}

/*
 * 9 a digit, A a letter, ~ a digit or a blank, anything else itself. Returns the position behind,
 * 0: no match.
 */
static inline size_t match(const char *line, size_t len, size_t pos, const char *pattern)
{
	for (; *pattern; pattern++, pos++) {
		if (pos >= len)
			return 0;
		if (*pattern == '9' ? !is_digit(line[pos]) :
		    *pattern == 'A' ? !is_letter(line[pos]) :
		    *pattern == '~' ? !is_digit(line[pos]) && line[pos] != ' ' :
		    line[pos] != *pattern)
			return 0;
	}
	return pos;
}

static inline size_t skip_while(const char *line, size_t len, size_t pos, bool (*is)(char c))
{
	while (pos < len && is(line[pos]))
		pos++;
	return pos;
}

static inline bool is_all_blank(const char *line, size_t len)
{
	while (len && is_blank(line[len - 1]))
		len--;
	return !len;
}

/* ---- text-header.c ---- */

struct text_header {
	size_t	dash;		/* between task name and PID, NO_DASH: unknown */
	size_t	comm_width;
};

/* A header that ends before @end, its last colon taken off. */
bool text_is_header(const char *line, size_t end, struct text_header *ret_header);
/* Does a header end at @end? "TIME: ", or "TIME: stack_id:   " as trace-cmd prints it. */
bool text_find_header(const char *line, size_t end, struct text_header *ret_header,
		      bool *ret_has_event);
/* Does what the function graph tracer puts before an event end at @start? */
bool text_is_graph_comment(const char *line, size_t start);

/* ---- text-prefix.c ---- */

/* What is known to stand before lines of a log. */
size_t text_known_prefix(const char *line, size_t len);
/* And what no list knows, as far as a header tells where it ends: the prefix, 0 bytes for none. */
size_t text_find_prefix(const char *line, size_t len, const struct text_header *header,
			bool has_event);

#endif /* CMD_TEXT_INTERNAL_H */
