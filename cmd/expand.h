/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of expand share:
 *
 *	cmd-expand.c		its options; the texts, one after the other, and the maps of each
 *	expand-stream.c		a text that comes through a buffer, and where its cookies are
 *	expand-line.c		the line of a cookie, with its stack
 */
#ifndef CMD_EXPAND_H
#define CMD_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd.h"
#include "text.h"

#define EXPAND_BUF_SIZE	(256 * 1024)

/* All that expand knows. */
struct expand {
	struct cmd_maps	maps;
	char		*buf;
	bool		tty;		/* control characters must not reach it */
	bool		one_line;

	/* of the text that is read */
	const char	*name;
	int		fd;
	struct stackmap_resolver *resolver;
	size_t		len;		/* bytes in buf */
	bool		eof;
	bool		is_file;	/* can be read again, never blocks */
	bool		collecting;	/* first of two passes: learn the slots, write nothing */
	bool		in_long;	/* inside a line that is longer than the buffer */
	bool		waiting;	/* buf begins with a cookie whose next line is not there */
	bool		at_trace_mark;	/* the line before was "TRACE:", of Android's atrace */
	bool		is_trace;	/* a line of a trace was seen */
	bool		has_expanded;	/* a cookie with frames below it was seen */
	bool		has_bare;	/* one without */
	size_t		nr_cookies;
	size_t		nr_unresolved;
	size_t		nr_distinct;	/* unresolved ones */
};

/* A line with a cookie. */
struct line {
	const char		*text;
	size_t			len;	/* without its end */
	const char		*eol;	/* "\n", "\r\n"; "" at the end of the text */
	struct text_cookie	cookie;
};

/* ---- expand-line.c ---- */

/* The text's own bytes to stdout, but nothing in the first of two passes. */
void expand_put_text(const struct expand *expand, const char *data, size_t len);

/* Write @line with its frames, or with why it has none. CMD_OK, or CMD_FAILED after cmd_error(). */
int expand_line(struct expand *expand, const struct line *line);

/* ---- expand-stream.c ---- */

/*
 * From where the file stands to its end. CMD_OK, or CMD_FAILED after cmd_error(), and where stdout
 * did not take it.
 */
int expand_walk(struct expand *expand);

/*
 * The same, but a cookie without generation is believed only where all of the text's are known: a
 * file is read once before.
 */
int expand_walk_twice(struct expand *expand);

#endif /* CMD_EXPAND_H */
