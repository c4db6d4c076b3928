// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a line of trace text, told by a walk back from its end. The walk never crosses a
 * colon, so that those from all colons of a line together are linear in its length.
 */
#include <string.h>

#include "text-internal.h"

/* ---- the walk back ---- */

/* @pos is behind the last character that was not taken yet. */
struct back {
	const char	*line;
	size_t		pos;
};

static char back_last(const struct back *back)
{
	return back->pos ? back->line[back->pos - 1] : '\0';
}

static bool back_char(struct back *back, char c)
{
	if (!back->pos || back->line[back->pos - 1] != c)
		return false;
	back->pos--;
	return true;
}

static void back_blanks(struct back *back)
{
	while (back->pos && is_blank(back->line[back->pos - 1]))
		back->pos--;
}

static size_t back_while(struct back *back, bool (*is)(char c))
{
	size_t end = back->pos;

	while (back->pos && is(back->line[back->pos - 1]))
		back->pos--;
	return end - back->pos;
}

static bool back_word(struct back *back, const char *word)
{
	size_t len = strlen(word);

	if (back->pos < len || memcmp(back->line + back->pos - len, word, len))
		return false;
	back->pos -= len;
	return true;
}

/* ---- columns ---- */

static bool is_time_char(char c)
{
	return is_digit(c) || c == '.';
}

static bool is_difference_char(char c)
{
	return is_digit(c) || is_one_of(c, "+-.msu");
}

static bool is_flag_char(char c)
{
	return is_digit(c) || is_letter(c) || is_one_of(c, ".#");
}

/* "(+12)", as --ts-diff and the verbose latency format print the time since the event before. */
static bool back_difference(struct back *back)
{
	struct back at = *back;

	if (!back_char(&at, ')') || !back_while(&at, is_difference_char) || !back_char(&at, '('))
		return false;
	*back = at;
	return true;
}

/* "12.345678", "12345us", "12345us+", "12345us ", "12.345ms (+0.012ms)". */
static bool back_time(struct back *back)
{
	back_blanks(back);
	if (back_difference(back))
		back_blanks(back);
	if (is_one_of(back_last(back), "$@*#!+"))
		back->pos--;
	if (!back_word(back, "us"))
		back_word(back, "ms");
	return is_digit(back_last(back)) && back_while(back, is_time_char);
}

/* "[001]" */
static bool back_cpu(struct back *back)
{
	struct back at = *back;

	back_blanks(&at);
	if (!back_char(&at, ']') || !back_while(&at, is_digit) || !back_char(&at, '['))
		return false;
	*back = at;
	return true;
}

/* "-53", "-53   (   53)", or the number alone. */
static bool back_pid(struct back *back, size_t *ret_dash)
{
	struct back at;

	back_blanks(back);
	at = *back;
	if (back_char(&at, ')') && back_while(&at, is_tgid_char) && back_char(&at, '(')) {
		*back = at;
		back_blanks(back);
	}
	if (!back_while(back, is_digit))
		return false;
	*ret_dash = NO_DASH;
	if (back_char(back, '-'))
		*ret_dash = back->pos;
	else if (back->pos && !is_blank(back_last(back)))
		return false;
	return back->pos > 0;
}

/* "1d..2.": CPU and flags in one, as the latency format has them. */
static bool is_latency_column(const char *word, size_t len)
{
	return len >= 2 && is_digit(word[0]) &&
	       back_while(&(struct back){ word, len }, is_flag_char) == len;
}

/* The columns before the time: [flags] CPU PID, or PID CPUflags. */
static bool back_columns(struct back *back, struct text_header *ret_header)
{
	struct back flags = *back;
	size_t end;

	ret_header->comm_width = COMM_WIDTH;
	if (back_cpu(back))
		return back_pid(back, &ret_header->dash);
	back_blanks(&flags);
	end = flags.pos;
	if (!back_while(&flags, is_flag_char))
		return false;
	*back = flags;
	if (back_cpu(back))
		return back_pid(back, &ret_header->dash);
	if (!is_latency_column(flags.line + flags.pos, end - flags.pos) ||
	    !is_blank(back_last(&flags)))
		return false;
	ret_header->comm_width = COMM_WIDTH_LATENCY;
	*back = flags;
	return back_pid(back, &ret_header->dash) && ret_header->dash != NO_DASH;
}

/*
 * "[0000abcd]" before the milliseconds: the verbose latency format, whose other columns are
 * numbers.
 */
static bool back_verbose(struct back *back)
{
	struct back at = *back;

	back_blanks(&at);
	return back_char(&at, ']') && back_while(&at, is_flag_char) && back_char(&at, '[') &&
	       at.pos && is_blank(back_last(&at));
}

/* ---- the whole header ---- */

bool text_is_header(const char *line, size_t end, struct text_header *ret_header)
{
	struct back back = { line, end }, verbose;

	if (!back_time(&back))
		return false;
	verbose = back;
	if (back_columns(&back, ret_header))
		return true;
	ret_header->dash = NO_DASH;
	ret_header->comm_width = COMM_WIDTH;
	return back_verbose(&verbose);
}

bool text_find_header(const char *line, size_t end, struct text_header *ret_header,
		      bool *ret_has_event)
{
	struct back back = { line, end };

	back_blanks(&back);
	if (!back_char(&back, ':'))
		return false;
	*ret_has_event = back_word(&back, "stack_id");
	if (*ret_has_event) {
		back_word(&back, "ftrace:");
		back_blanks(&back);
		if (back_difference(&back))
			back_blanks(&back);
		if (!back_char(&back, ':'))
			return false;
	}
	return text_is_header(line, back.pos, ret_header);
}

bool text_is_graph_comment(const char *line, size_t start)
{
	return back_word(&(struct back){ line, start }, "/* ");
}
