// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap expand: the same text, with the frames under each cookie.
 *
 * The text runs through one buffer. What holds no cookie is copied from it in large pieces, found
 * by searching for the mark that every cookie begins with:
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
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "text.h"
#include "tracedat/magic.h"

#define BUF_SIZE	(256 * 1024)
/* Escaped at once; the escaped form of a byte has up to four. */
#define PIECE		256
/* This much of the line below a cookie tells whether it is a frame. */
#define ENOUGH_OF_A_LINE	1024

#define NS_PER_S		UINT64_C(1000000000)
/* Reads of the running kernel's map in a row that did not help; then once a second. */
#define MAX_FRUITLESS		16

/*
 * How long a cookie waits for the line below it: while nothing is known of the text, and once it
 * has bare cookies.
 */
#define PATIENCE_MS		1000
#define PATIENCE_BARE_MS	50

struct expand {
	struct cmd_maps	maps;
	char		*buf;
	bool		tty;		/* control characters must not reach it */
	bool		one_line;

	/* of the text that is read */
	const char	*name;
	int		fd;
	struct stackmap_resolver *resolver;
	uint64_t	read_ns;	/* --live: when the map was read last because of a miss */
	unsigned int	nr_fruitless;	/* such reads one after the other that did not help */
	bool		was_read_again;
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

/* ---- writing ---- */

static void put(const char *data, size_t len)
{
	fwrite_unlocked(data, 1, len, stdout);
}

/* Newlines, tabs and the CR of a line's end are the text's own. */
static bool is_own_control(const char *c, const char *end)
{
	return *c == '\n' || *c == '\t' || (*c == '\r' && c + 1 < end && c[1] == '\n');
}

/* The rest is escaped where it could steer the terminal. */
static void put_to_terminal(const char *data, size_t len)
{
	const char *end = data + len, *stop;
	char escaped[4 * PIECE + 1];
	size_t piece;

	while (data < end) {
		for (stop = data; stop < end && stop - data < PIECE && !is_own_control(stop, end); )
			stop++;
		/* not in the middle of a character */
		while (stop < end && stop - data > PIECE - 4 && (*stop & 0xc0) == 0x80)
			stop--;
		piece = (size_t)(stop - data);
		stackmap_escape(escaped, sizeof(escaped), data, piece);
		fputs(escaped, stdout);
		data = stop;
		if (data < end && is_own_control(data, end))
			put(data++, 1);
	}
}

static void put_text(const struct expand *expand, const char *data, size_t len)
{
	if (expand->collecting)
		return;
	if (expand->tty)
		put_to_terminal(data, len);
	else
		put(data, len);
}

/* A line with a cookie. */
struct line {
	const char		*text;
	size_t			len;	/* without its end */
	const char		*eol;	/* "\n", "\r\n"; "" at the end of the text */
	struct text_cookie	cookie;
};

/* " => FRAME" lines, each with the line's prefix and the line's end. */
static void put_frames(const struct expand *expand, const struct line *line, const char *frames)
{
	const char *eol = *line->eol ? line->eol : "\n", *end;

	for (; *frames; frames = *end ? end + 1 : end) {
		end = strchrnul(frames, '\n');
		fputs_unlocked(eol, stdout);
		put_text(expand, line->text, line->cookie.prefix_len);
		put(frames, (size_t)(end - frames));
	}
}

/* The line as it was but for what our plugin said about it when it had no map. */
static void put_resolved(const struct expand *expand, const struct line *line,
			 struct stackmap_stack *stack, const char *text)
{
	const struct text_cookie *cookie = &line->cookie;

	put_text(expand, line->text, cookie->end);
	if (expand->one_line) {
		put(" ", 1);
		fputs_unlocked(text, stdout);
	}
	put_text(expand, line->text + cookie->mark_end, line->len - cookie->mark_end);
	if (!expand->one_line)
		put_frames(expand, line, text);
	fputs_unlocked(line->eol, stdout);
}

static void put_unresolved(const struct expand *expand, const struct line *line,
			   struct stackmap_stack *stack)
{
	const struct text_cookie *cookie = &line->cookie;

	put_text(expand, line->text, cookie->mark_end);
	/* What the text says already may know more than we do. */
	if (cookie->mark_end == cookie->end && stackmap_resolver_nr_maps(expand->resolver))
		printf(" [unresolved: %s]", stackmap_stack_get_reason(stack));
	put_text(expand, line->text + cookie->mark_end, line->len - cookie->mark_end);
	fputs_unlocked(line->eol, stdout);
}

/* ---- cookies ---- */

static struct stackmap_stack *find_stack(const struct expand *expand,
					 const struct text_cookie *cookie)
{
	if (!cookie->has_generation)
		return stackmap_resolver_find_slot(expand->resolver, cookie->slot,
						   STACKMAP_TS_UNKNOWN);
	return stackmap_resolver_find(expand->resolver,
				      stackmap_cookie_make(cookie->generation, cookie->slot),
				      STACKMAP_TS_UNKNOWN);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* It can have been recorded after the kernel's map was read. */
static bool can_be_newer(struct stackmap_stack *stack)
{
	switch (stackmap_stack_get_verdict(stack)) {
	case STACKMAP_VERDICT_NO_MAP:
	case STACKMAP_VERDICT_GENERATION_NOT_SAVED:
	case STACKMAP_VERDICT_SLOT_NOT_SAVED:
		return true;
	default:
		return false;
	}
}

/* As often as that finds something, else once a second: the text may be of another kernel. */
static bool may_read_again(struct expand *expand, struct stackmap_stack *stack)
{
	uint64_t now = now_ns();

	if ((stackmap_stack_get_private(stack) || expand->nr_fruitless >= MAX_FRUITLESS) &&
	    now - expand->read_ns < NS_PER_S)
		return false;
	expand->read_ns = now;
	return true;
}

/*
 * Where @stack is not in the running kernel's map as it was read, read that anew. Returns @stack,
 * or what is there now. Not for a cookie without generation: it is judged by all of a text.
 */
static struct stackmap_stack *look_again(struct expand *expand, const struct text_cookie *cookie,
					 struct stackmap_stack *stack)
{
	struct stackmap_resolver *before = expand->resolver, *fresh;
	struct stackmap_stack *again = NULL;

	if (!expand->maps.use_live || !cookie->has_generation || !can_be_newer(stack) ||
	    !may_read_again(expand, stack))
		return stack;
	expand->maps.quiet = true;
	fresh = cmd_maps_resolver(&expand->maps, NULL);
	expand->resolver = fresh;
	if (fresh)
		again = find_stack(expand, cookie);
	if (again && stackmap_stack_get_verdict(again) == STACKMAP_VERDICT_RESOLVED) {
		stackmap_resolver_free(before);
		expand->nr_fruitless = 0;
		expand->was_read_again = true;
		return again;
	}
	stackmap_resolver_free(fresh);
	expand->resolver = before;
	expand->nr_fruitless++;
	return stack;
}

static void count_unresolved(struct expand *expand, struct stackmap_stack *stack)
{
	expand->nr_unresolved++;
	if (stackmap_stack_get_private(stack))
		return;
	stackmap_stack_set_private(stack, expand);
	expand->nr_distinct++;
}

static int expand_line(struct expand *expand, const struct line *line)
{
	struct stackmap_stack *stack;
	const char *text;

	if (expand->collecting) {
		if (!line->cookie.has_generation &&
		    stackmap_resolver_expect_slot(expand->resolver, line->cookie.slot))
			return cmd_nomem();
		return CMD_OK;
	}
	stack = find_stack(expand, &line->cookie);
	if (!stack)
		return cmd_nomem();
	stack = look_again(expand, &line->cookie, stack);
	expand->nr_cookies++;
	expand->has_bare = true;
	if (stackmap_stack_get_verdict(stack) != STACKMAP_VERDICT_RESOLVED) {
		count_unresolved(expand, stack);
		put_unresolved(expand, line, stack);
		return CMD_OK;
	}
	text = stackmap_stack_get_text(stack, NULL);
	if (!text)
		return cmd_nomem();
	put_resolved(expand, line, stack, text);
	return CMD_OK;
}

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
			put_text(expand, done, (size_t)(start - done));
			advance(expand, (size_t)(start - expand->buf));
			return PROGRESS_WAIT;
		}
		put_text(expand, done, (size_t)(start - done));
		if (expand_line(expand, &line) != CMD_OK)
			return PROGRESS_FAILED;
		done = next;
	}
	end = expand->eof ? limit : memrchr(done, '\n', (size_t)(limit - done));
	if (end && end != limit)
		end++;
	if (end) {
		put_text(expand, done, (size_t)(end - done));
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

	put_text(expand, expand->buf, len);
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
		got = read(expand->fd, expand->buf + expand->len, BUF_SIZE - expand->len);
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
	return expand->eof || expand->waiting || expand->at_trace_mark || expand->len == BUF_SIZE ||
	       line_end(expand, expand->buf + fresh);
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
	if (expand->len == BUF_SIZE)
		pass_long_line(expand);
	return CMD_OK;
}

/* From where the file stands to its end. */
static int walk(struct expand *expand)
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

/*
 * A cookie without generation is believed only where all of the text's are known: read it once
 * before.
 */
static int walk_twice(struct expand *expand)
{
	off_t start = lseek(expand->fd, 0, SEEK_CUR);
	int ret;

	expand->collecting = true;
	ret = walk(expand);
	expand->collecting = false;
	if (ret != CMD_OK)
		return ret;
	if (lseek(expand->fd, start, SEEK_SET) < 0)
		return cmd_error("%s: %s", expand->name, strerror(errno));
	return walk(expand);
}

/* ---- a text ---- */

static int report(const struct expand *expand)
{
	if (!expand->is_trace)
		return cmd_error("%s: no line of it is of a trace", expand->name);
	if (!expand->nr_unresolved)
		return CMD_OK;
	if (!stackmap_resolver_nr_maps(expand->resolver))
		cmd_warn("%s: no saved map for its %zu cookies; give one with -m FILE",
			 expand->name, expand->nr_cookies);
	else if (expand->was_read_again)
		/* Those that the maps before did not know are not known to be distinct. */
		cmd_warn("%s: %zu of %zu cookies not resolved", expand->name,
			 expand->nr_unresolved, expand->nr_cookies);
	else
		cmd_warn("%s: %zu of %zu cookies not resolved (%zu distinct)", expand->name,
			 expand->nr_unresolved, expand->nr_cookies, expand->nr_distinct);
	return CMD_FOUND;
}

/*
 * A size of 0 is what files say whose contents are made as they are read, and trace_pipe gives its
 * text only once.
 */
static bool can_read_again(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	       lseek(fd, 0, SEEK_CUR) >= 0;
}

static int expand_fd(struct expand *expand)
{
	int ret;

	expand->is_file = can_read_again(expand->fd);
	expand->has_expanded = expand->has_bare = false;
	expand->nr_cookies = expand->nr_unresolved = expand->nr_distinct = 0;
	if (expand->is_file && !expand->maps.has_generation &&
	    stackmap_resolver_nr_maps(expand->resolver))
		ret = walk_twice(expand);
	else
		ret = walk(expand);
	return ret == CMD_OK ? report(expand) : ret;
}

/* The maps that were named, else the one beside the text. */
static int find_maps(struct expand *expand, const char *path)
{
	/* What was said of another text was not said of this one. */
	expand->maps.quiet = false;
	expand->resolver = cmd_maps_resolver(&expand->maps, NULL);
	if (!expand->resolver)
		return CMD_FAILED;
	if (!path || cmd_maps_are_named(&expand->maps))
		return CMD_OK;
	return cmd_maps_add_beside(&expand->maps, expand->resolver, path);
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static int expand_text(struct expand *expand, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int ret;

	expand->name = name_of(path);
	expand->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (expand->fd < 0)
		return cmd_error("%s: %s", path, strerror(errno));
	ret = find_maps(expand, is_stdin ? NULL : path);
	if (ret == CMD_OK)
		ret = expand_fd(expand);
	stackmap_resolver_free(expand->resolver);
	expand->resolver = NULL;
	if (!is_stdin)
		close(expand->fd);
	return ret;
}

static bool uses_stdin(char **texts, int nr)
{
	for (; nr; nr--, texts++) {
		if (!strcmp(*texts, "-"))
			return true;
	}
	return false;
}

static bool has_map_on_stdin(const struct cmd_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr_files; i++) {
		if (!strcmp(maps->files[i], "-"))
			return true;
	}
	return false;
}

/* Addresses are the maps': those that are named serve all texts, else each text has its own. */
static int check_kallsyms(const struct cmd_maps *maps, int nr)
{
	if (cmd_maps_are_named(maps))
		return cmd_maps_check_one_kallsyms(maps);
	return cmd_maps_check_kallsyms(maps, (size_t)nr, "text");
}

static int expand_texts(struct expand *expand, char **texts, int nr)
{
	char dash[] = "-", *standard_input[] = { dash };
	int status = CMD_OK, ret, i;

	if (!nr) {
		texts = standard_input;
		nr = 1;
	}
	if (has_map_on_stdin(&expand->maps) && uses_stdin(texts, nr))
		return cmd_error("standard input cannot be both a map and a text");
	if (check_kallsyms(&expand->maps, nr) != CMD_OK)
		return CMD_FAILED;
	expand->buf = malloc(BUF_SIZE);
	if (!expand->buf)
		return cmd_nomem();
	expand->tty = isatty(STDOUT_FILENO);
	expand->one_line = expand->maps.style.flags & STACKMAP_STYLE_ONE_LINE;
	for (i = 0; i < nr && !ferror(stdout); i++) {
		expand->maps.trace_nr = cmd_maps_are_named(&expand->maps) ? 0 : (size_t)i;
		expand->maps.trace_name = nr > 1 ? name_of(texts[i]) : NULL;
		ret = expand_text(expand, texts[i]);
		if (ret > status)
			status = ret;
	}
	free(expand->buf);
	return status == CMD_OK && expand->maps.is_damaged ? CMD_FOUND : status;
}

static int run_expand(const struct command *cmd, int argc, char **argv)
{
	struct expand expand = { .maps = CMD_MAPS_INIT };
	struct cmd_args args;
	int key, status = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (cmd_maps_take(&expand.maps, key, args.value) < 0)
			key = CMD_ARGS_BAD;
		if (key == CMD_ARGS_BAD)
			break;
	}
	if (key == CMD_ARGS_END)
		status = expand_texts(&expand, argv + cmd_args_first(&args),
				      argc - cmd_args_first(&args));
	cmd_args_release(&args);
	cmd_maps_release(&expand.maps);
	return status;
}

static const struct cmd_option *const expand_options[] = {
	cmd_maps_options,
	cmd_proof_options,
	cmd_live_options,
	cmd_style_options,
	NULL
};

const struct command cmd_expand = {
	.name = "expand",
	.synopsis = "[OPTION...] [TEXT...]",
	.summary = "Print a text with the frames under each cookie",
	.help =
"\n"
"TEXT is what trace, trace_pipe, trace-cmd report or a kernel log with an ftrace dump\n"
"hold; without it, or as -, standard input. Frames carry what the log put before the\n"
"line. What is expanded already stays as it is.\n",
	.options = expand_options,
	.run = run_expand,
};
