// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expand, the text: it runs through one buffer. What holds no cookie is copied from it in large
 * pieces, found by searching for the mark that every cookie begins with:
 *
 *	buf                 done            line      next            len
 *	 |-- written --------|-- to be copied -|- cookie -|-- not yet seen -|
 *
 * A line with a cookie waits until the line below it has begun to arrive: if that is a frame the
 * cookie is expanded already and all stays as it is. A text that goes on slowly (trace_pipe) must
 * not keep its last cookie back for ever; see wait_for_more().
 *
 * A line longer than the buffer is no line of a trace: it is passed through in pieces.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "expand.h"
#include "tracedat/magic.h"

/* This much of the line below a cookie tells whether it is a frame. */
#define ENOUGH_OF_A_LINE	1024

/*
 * How long a cookie waits for the line below it: while nothing is known of the text, and once it
 * has bare cookies.
 */
#define PATIENCE_MS		1000
#define PATIENCE_BARE_MS	50

/* ---- the buffer ---- */

enum progress {
	PROGRESS_MORE,		/* all that can be decided is */
	PROGRESS_WAIT,		/* a cookie stands at the end, its next line does not */
	PROGRESS_FAILED,
};

/* Drop what is written. */
static void advance(struct expand *expand, size_t done)
{
	expand->len -= done;
	memmove(expand->buf, expand->buf + done, expand->len);
}

static const char *line_end(const struct expand *expand, const char *line)
{
	return memchr(line, '\n', (size_t)(expand->buf + expand->len - line));
}

/* The line that begins at @text; @end is its newline, NULL where the text ends without one. */
static void set_line(const struct expand *expand, const char *text, const char *end,
		     struct line *ret_line)
{
	*ret_line = (struct line){
		.text = text,
		.len = (size_t)((end ? end : expand->buf + expand->len) - text),
		.eol = end ? "\n" : "",
	};
	if (end && ret_line->len && text[ret_line->len - 1] == '\r') {
		ret_line->len--;
		ret_line->eol = "\r\n";
	}
}

/* Is the line below already a frame? -1: it has not arrived. */
static int is_expanded(const struct expand *expand, const struct line *line, const char *next,
		       bool waited)
{
	size_t left = (size_t)(expand->buf + expand->len - next);
	const char *end = memchr(next, '\n', left);

	if (!end && !expand->eof && !waited && left < ENOUGH_OF_A_LINE)
		return -1;
	return text_is_frame(next, end ? (size_t)(end - next) : left, line->text,
			     line->cookie.prefix_len);
}

/* Write everything up to the last newline but for a cookie that must wait; @waited: none must. */
static enum progress process(struct expand *expand, bool waited)
{
	const char *done = expand->buf, *at = expand->buf, *mark, *start, *end, *next;
	const char *limit = expand->buf + expand->len;
	struct line line;
	int expanded;

	while ((mark = memmem(at, (size_t)(limit - at), TEXT_COOKIE_MARK,
			      sizeof(TEXT_COOKIE_MARK) - 1))) {
		start = memrchr(at, '\n', (size_t)(mark - at));
		start = start ? start + 1 : at;
		end = line_end(expand, mark);
		if (!end && !expand->eof)
			break;
		next = end ? end + 1 : limit;
		at = next;
		set_line(expand, start, end, &line);
		if (!text_find_cookie(line.text, line.len, &line.cookie))
			continue;
		expand->is_trace = true;
		expanded = is_expanded(expand, &line, next, waited);
		if (expanded) {
			expand->has_expanded |= expanded > 0;
			if (expanded > 0)
				continue;
			expand_put_text(expand, done, (size_t)(start - done));
			advance(expand, (size_t)(start - expand->buf));
			return PROGRESS_WAIT;
		}
		expand_put_text(expand, done, (size_t)(start - done));
		if (expand_line(expand, &line) != CMD_OK)
			return PROGRESS_FAILED;
		done = next;
	}
	end = expand->eof ? limit : memrchr(done, '\n', (size_t)(limit - done));
	if (end && end != limit)
		end++;
	if (end) {
		expand_put_text(expand, done, (size_t)(end - done));
		done = end;
	}
	advance(expand, (size_t)(done - expand->buf));
	return PROGRESS_MORE;
}

/* A line that does not fit: pass on what there is of it. */
static void pass_long_line(struct expand *expand)
{
	const char *end = line_end(expand, expand->buf);
	size_t len = end ? (size_t)(end + 1 - expand->buf) : expand->len;

	expand_put_text(expand, expand->buf, len);
	advance(expand, len);
	expand->in_long = !end;
}

/* ---- what kind of text it is ---- */

static const struct {
	const char	*magic;
	size_t		len;
	const char	*what;
} not_texts[] = {
	{ SMAP_TRACEDAT_MAGIC, SMAP_TRACEDAT_MAGIC_LEN,
	  "is a trace.dat, not text; use " CMD_PROGRAM " resolve" },
	{ "\x1f\x8b", 2, "is compressed with gzip; decompress it first" },
	{ "\x28\xb5\x2f\xfd", 4, "is compressed with zstd; decompress it first" },
	{ "\xfd" "7zXZ", 5, "is compressed with xz; decompress it first" },
	{ "BZh9", 4, "is compressed with bzip2; decompress it first" },
};

static int check_magic(const struct expand *expand)
{
	size_t i;

	for (i = 0; i < sizeof(not_texts) / sizeof(not_texts[0]); i++) {
		if (expand->len >= not_texts[i].len &&
		    !memcmp(expand->buf, not_texts[i].magic, not_texts[i].len))
			return cmd_error("%s: %s", expand->name, not_texts[i].what);
	}
	return CMD_OK;
}

/* The two bytes that zlib begins with: deflate, and a sum that is a multiple of 31. */
static bool is_zlib(const char *data)
{
	unsigned int first = (unsigned char)data[0], second = (unsigned char)data[1];

	return first == 0x78 && (first << 8 | second) % 31 == 0;
}

/*
 * Until a line of a trace was seen: look for one, and for what Android's atrace -z writes. Each
 * line once.
 */
static int look_at_lines(struct expand *expand)
{
	const char *line = expand->buf, *limit = expand->buf + expand->len, *end;
	size_t len;

	while (!expand->is_trace && line < limit) {
		if (expand->at_trace_mark && limit - line >= 2 && is_zlib(line))
			return cmd_error("%s: compressed by atrace -z, which is not supported; "
					 "capture without -z", expand->name);
		end = line_end(expand, line);
		if (!end && !expand->eof)
			break;
		len = (size_t)((end ? end : limit) - line);
		if (len && line[len - 1] == '\r')
			len--;
		expand->is_trace = text_is_trace(line, len);
		expand->at_trace_mark = end && len == 6 && !memcmp(line, "TRACE:", 6);
		line = end ? end + 1 : limit;
	}
	return CMD_OK;
}

/* ---- reading ---- */

/*
 * May the cookie at the end of what has arrived be decided without its next line? Bare cookies are
 * never followed by frames, expanded ones always are, and no text has both but where our plugin
 * could not resolve one.
 */
static bool wait_for_more(const struct expand *expand)
{
	struct pollfd poll_fd = { .fd = expand->fd, .events = POLLIN };
	int patience = expand->has_bare ? PATIENCE_BARE_MS : PATIENCE_MS;
	int ret;

	if (expand->has_expanded || expand->is_file)
		return true;
	fflush(stdout);
	do {
		ret = poll(&poll_fd, 1, patience);
	} while (ret < 0 && errno == EINTR);
	return ret != 0;
}

/* Whoever shares standard input with us may have made it not wait. */
static bool must_read_again(const struct expand *expand)
{
	struct pollfd poll_fd = { .fd = expand->fd, .events = POLLIN };

	if (errno == EAGAIN)
		return poll(&poll_fd, 1, -1) >= 0 || errno == EINTR;
	return errno == EINTR;
}

/* Returns CMD_OK, with expand->eof at the end. */
static int fill(struct expand *expand)
{
	ssize_t got;

	if (!expand->is_file)
		fflush(stdout);
	do {
		got = read(expand->fd, expand->buf + expand->len, EXPAND_BUF_SIZE - expand->len);
	} while (got < 0 && must_read_again(expand));
	if (got < 0)
		return cmd_error("%s: %s", expand->name, strerror(errno));
	expand->eof = !got;
	expand->len += (size_t)got;
	return CMD_OK;
}

/*
 * Is there anything in the buffer that could not be decided before? @fresh: where the new bytes
 * begin.
 */
static bool has_news(const struct expand *expand, size_t fresh)
{
	return expand->eof || expand->waiting || expand->at_trace_mark ||
	       expand->len == EXPAND_BUF_SIZE || line_end(expand, expand->buf + fresh);
}

static int take(struct expand *expand, size_t fresh)
{
	enum progress progress;

	if (expand->in_long) {
		pass_long_line(expand);
		fresh = 0;
	}
	if (!has_news(expand, fresh))
		return CMD_OK;
	if (look_at_lines(expand) != CMD_OK)
		return CMD_FAILED;
	progress = process(expand, false);
	if (progress == PROGRESS_WAIT && !wait_for_more(expand))
		progress = process(expand, true);
	if (progress == PROGRESS_FAILED)
		return CMD_FAILED;
	expand->waiting = progress == PROGRESS_WAIT;
	if (expand->len == EXPAND_BUF_SIZE)
		pass_long_line(expand);
	return CMD_OK;
}

int expand_walk(struct expand *expand)
{
	size_t fresh = 0;
	int ret;

	expand->len = 0;
	expand->eof = expand->in_long = expand->waiting = false;
	expand->at_trace_mark = expand->is_trace = false;
	ret = fill(expand);
	if (ret == CMD_OK)
		ret = check_magic(expand);
	while (ret == CMD_OK) {
		ret = take(expand, fresh);
		if (ret != CMD_OK || expand->eof)
			return ret;
		/* main says why */
		if (ferror(stdout))
			return CMD_FAILED;
		fresh = expand->len;
		ret = fill(expand);
	}
	return ret;
}

int expand_walk_twice(struct expand *expand)
{
	off_t start = lseek(expand->fd, 0, SEEK_CUR);
	int ret;

	expand->collecting = true;
	ret = expand_walk(expand);
	expand->collecting = false;
	if (ret != CMD_OK)
		return ret;
	if (lseek(expand->fd, start, SEEK_SET) < 0)
		return cmd_error("%s: %s", expand->name, strerror(errno));
	return expand_walk(expand);
}
