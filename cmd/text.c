// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of trace text: see text.h. All of it is linear in the length of the line: the walk back
 * over a header never crosses a colon, and the walk forward over a prefix never turns round.
 */
#include <stdlib.h>
#include <string.h>

#include <stackmap.h>

#include "text.h"

#define NO_DASH		((size_t)-1)
/* Longer than any prefix that a log writes. */
#define MAX_PREFIX	512

/* Widths of the task name: "%16s-", and "%8.8s-" in the latency format. */
#define COMM_WIDTH	16
#define COMM_WIDTH_LATENCY	8

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* ---- the walk back from the end of a header ---- */

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

static bool is_tgid_char(char c)
{
	return is_digit(c) || c == ' ' || c == '-';
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

struct header {
	size_t	dash;		/* between task name and PID, NO_DASH: unknown */
	size_t	comm_width;
};

/* The columns before the time: [flags] CPU PID, or PID CPUflags. */
static bool back_columns(struct back *back, struct header *ret_header)
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

/* A header that ends before @end, its last colon taken off. */
static bool is_header(const char *line, size_t end, struct header *ret_header)
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

/*
 * Does a header end at @end? "TIME: ", or "TIME: stack_id:   " as trace-cmd prints it.
 */
static bool find_header(const char *line, size_t end, struct header *ret_header,
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
	return is_header(line, back.pos, ret_header);
}

/* ---- the walk forward over what a log puts before a line ---- */

/*
 * 9 a digit, A a letter, ~ a digit or a blank, anything else itself. Returns the position behind,
 * 0: no match.
 */
static size_t match(const char *line, size_t len, size_t pos, const char *pattern)
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

static size_t skip_while(const char *line, size_t len, size_t pos, bool (*is)(char c))
{
	while (pos < len && is(line[pos]))
		pos++;
	return pos;
}

static bool is_group_char(char c)
{
	return is_digit(c) || is_letter(c) || is_one_of(c, " .,:+<>_/-");
}

static bool is_host_char(char c)
{
	return is_digit(c) || is_letter(c) || is_one_of(c, "_.:-");
}

static bool is_tag_char(char c)
{
	return is_digit(c) || is_letter(c) || is_one_of(c, "_.-/@()");
}

/*
 * "[   12.345678]", "[    T1]", "[Sat Nov 29 12:00:00 2026]": a number in brackets, then a blank or
 * the next group.
 */
static size_t match_group(const char *line, size_t len, size_t pos)
{
	size_t end, i;

	if (pos >= len || line[pos] != '[')
		return 0;
	end = skip_while(line, len, pos + 1, is_group_char);
	if (end >= len || line[end] != ']')
		return 0;
	for (i = pos + 1; i < end && !is_digit(line[i]); i++)
		;
	if (i == end)
		return 0;
	end++;
	if (end == len || line[end] == '[')
		return end;
	return line[end] == ' ' ? end + 1 : 0;
}

/* "<4>" */
static size_t match_level(const char *line, size_t len, size_t pos)
{
	size_t end;

	if (pos >= len || line[pos] != '<')
		return 0;
	end = skip_while(line, len, pos + 1, is_digit);
	return end > pos + 1 && end < len && line[end] == '>' ? end + 1 : 0;
}

/* "kern  :warn  : ", of dmesg -x */
static size_t match_facility(const char *line, size_t len, size_t pos)
{
	static const char *const facilities[] = {
		"kern  :", "user  :", "mail  :", "daemon:", "auth  :", "syslog:"
	};
	size_t i, end;

	for (i = 0; i < sizeof(facilities) / sizeof(facilities[0]); i++) {
		end = match(line, len, pos, facilities[i]);
		if (!end)
			continue;
		end = skip_while(line, len, end, is_letter);
		end = skip_while(line, len, end, is_blank);
		return match(line, len, end, ": ");
	}
	return 0;
}

/* ".123", ",123456" and "+00:00", "Z", " UTC" */
static size_t skip_fraction_and_zone(const char *line, size_t len, size_t pos)
{
	static const char *const zones[] = { "+99:99", "-99:99", "+9999", "-9999", "Z", " UTC" };
	size_t i, end;

	if (pos + 1 < len && is_one_of(line[pos], ".,") && is_digit(line[pos + 1]))
		pos = skip_while(line, len, pos + 1, is_digit);
	for (i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
		end = match(line, len, pos, zones[i]);
		if (end)
			return end;
	}
	return pos;
}

/* A date and a time, or a time, then a blank. */
static size_t match_time(const char *line, size_t len, size_t pos)
{
	static const char *const times[] = {
		"AAA ~9 99:99:99", "9999-99-99T99:99:99", "9999-99-99 99:99:99",
		"AAA 9999-99-99 99:99:99", "99-99 99:99:99", "99:99:99",
	};
	size_t i, end = 0;

	for (i = 0; !end && i < sizeof(times) / sizeof(times[0]); i++)
		end = match(line, len, pos, times[i]);
	if (!end)
		return 0;
	end = skip_fraction_and_zone(line, len, end);
	return end < len && is_blank(line[end]) ? end + 1 : 0;
}

/* "host kernel: ", "host app[12]: " */
static size_t match_host(const char *line, size_t len, size_t pos)
{
	size_t host = skip_while(line, len, pos, is_host_char), tag;

	if (host == pos || host >= len || line[host] != ' ')
		return 0;
	tag = skip_while(line, len, host + 1, is_tag_char);
	if (tag == host + 1)
		return 0;
	if (tag < len && line[tag] == '[') {
		tag = skip_while(line, len, tag + 1, is_digit);
		tag = match(line, len, tag, "]");
	}
	return tag ? match(line, len, tag, ": ") : 0;
}

static bool is_not_blank_or_colon(char c)
{
	return !is_blank(c) && c != ':' && c != '(';
}

/* Android: "  123   124 I kernel  : ", "W/kernel  (  123): " */
static size_t match_logcat(const char *line, size_t len, size_t pos)
{
	bool brief = match(line, len, pos, "A/");
	size_t end;

	if (brief) {
		end = skip_while(line, len, pos + 2, is_not_blank_or_colon);
		end = skip_while(line, len, end, is_blank);
		end = match(line, len, end, "(");
		if (!end)
			return 0;
		end = skip_while(line, len, end, is_tgid_char);
		return match(line, len, end, "): ");
	}
	end = skip_while(line, len, skip_while(line, len, pos, is_blank), is_digit);
	end = skip_while(line, len, skip_while(line, len, end, is_blank), is_digit);
	end = match(line, len, end, " A ");
	if (!end)
		return 0;
	end = skip_while(line, len, end, is_not_blank_or_colon);
	return match(line, len, skip_while(line, len, end, is_blank), ": ");
}

static size_t match_prefix_part(const char *line, size_t len, size_t pos, bool *timed)
{
	size_t end;

	end = match_level(line, len, pos);
	if (!end)
		end = match_facility(line, len, pos);
	if (end)
		return end;
	end = match_group(line, len, pos);
	if (!end)
		end = match_time(line, len, pos);
	if (end) {
		*timed = true;
		return end;
	}
	end = match_logcat(line, len, pos);
	if (!end && *timed)
		end = match_host(line, len, pos);
	*timed = false;
	return end;
}

/* What is known to stand before lines of a log. */
static size_t known_prefix(const char *line, size_t len)
{
	size_t pos = 0, end;
	bool timed = false;

	if (len > MAX_PREFIX)
		len = MAX_PREFIX;
	while ((end = match_prefix_part(line, len, pos, &timed)))
		pos = end;
	return pos;
}

static bool is_all_blank(const char *line, size_t len)
{
	while (len && is_blank(line[len - 1]))
		len--;
	return !len;
}

/*
 * What no list knows is found by the task name, whose column has a fixed width: what stands before
 * it is a prefix. In the report of several files or buffers, trace-cmd puts their name there: that
 * is the line's own.
 */
static size_t unknown_prefix(const char *line, const struct header *header, bool has_event)
{
	size_t len, end;

	if (header->dash == NO_DASH || header->dash <= header->comm_width)
		return 0;
	len = header->dash - header->comm_width;
	if (len > MAX_PREFIX)
		return 0;
	/* A task name has at most 15 characters. */
	if (header->comm_width == COMM_WIDTH && line[len] != ' ')
		return 0;
	for (end = len; end && is_blank(line[end - 1]); end--)
		;
	if (has_event && end && line[end - 1] == ':')
		return 0;
	return end ? len : 0;
}

static size_t find_prefix(const char *line, size_t len, const struct header *header, bool has_event)
{
	size_t known = known_prefix(line, len), unknown;

	/* What looks like a prefix but reaches into the header is a task name. */
	if (header->dash != NO_DASH && known >= header->dash)
		known = 0;
	unknown = unknown_prefix(line, header, has_event);
	if (unknown > known && !is_all_blank(line + known, unknown - known))
		return unknown;
	return known;
}

/* ---- the cookie ---- */

static size_t parse_u32(const char *line, size_t len, size_t pos, uint32_t *ret_number)
{
	size_t start = pos;
	uint64_t number = 0;

	for (; pos < len && is_digit(line[pos]); pos++) {
		number = number * 10 + (uint64_t)(line[pos] - '0');
		if (number > UINT32_MAX)
			return 0;
	}
	if (pos == start)
		return 0;
	*ret_number = (uint32_t)number;
	return pos;
}

/* "42" or "42 gen 1" at @pos. Returns the position behind it, 0: there is none. */
static size_t parse_numbers(const char *line, size_t len, size_t pos, struct text_cookie *cookie)
{
	size_t end, gen;

	end = parse_u32(line, len, pos, &cookie->slot);
	cookie->generation = 0;
	cookie->has_generation = false;
	gen = end ? match(line, len, end, " gen ") : 0;
	if (!gen)
		return end;
	end = parse_u32(line, len, gen, &cookie->generation);
	cookie->has_generation = end;
	return end;
}

static const char *last_mark(const char *line, size_t len)
{
	const char *at, *found = NULL, *end = line + len;

	for (at = line; (at = memmem(at, (size_t)(end - at), TEXT_COOKIE_MARK,
				     sizeof(TEXT_COOKIE_MARK) - 1)); at++)
		found = at;
	return found;
}

/* What may follow a cookie that is not expanded. */
static bool parse_tail(const char *line, size_t len, struct text_cookie *cookie)
{
	size_t pos = match(line, len, cookie->end, " [unresolved: "), end = len;

	while (end > cookie->end && is_blank(line[end - 1]))
		end--;
	cookie->mark_end = cookie->end;
	if (pos && end > pos && line[end - 1] == ']') {
		cookie->mark_end = end;
		return true;
	}
	if (end == cookie->end)
		return true;
	return end == cookie->end + 3 && !memcmp(line + cookie->end, " */", 3);
}

static bool is_graph_comment(const char *line, size_t start)
{
	return back_word(&(struct back){ line, start }, "/* ");
}

bool text_find_cookie(const char *line, size_t len, struct text_cookie *ret_cookie)
{
	const char *mark = last_mark(line, len);
	struct header header = { NO_DASH, COMM_WIDTH };
	struct text_cookie cookie;
	bool has_event = false;
	size_t end;

	if (!mark)
		return false;
	cookie.start = (size_t)(mark - line);
	end = parse_numbers(line, len, cookie.start + sizeof(TEXT_COOKIE_MARK) - 1, &cookie);
	cookie.end = end ? match(line, len, end, ">") : 0;
	if (!cookie.end || !parse_tail(line, len, &cookie))
		return false;
	if (!find_header(line, cookie.start, &header, &has_event) &&
	    !is_graph_comment(line, cookie.start)) {
		/* The cookie alone: context-info is off, or somebody cut it out. */
		cookie.prefix_len = known_prefix(line, cookie.start);
		if (!is_all_blank(line + cookie.prefix_len, cookie.start - cookie.prefix_len))
			return false;
	} else {
		cookie.prefix_len = find_prefix(line, cookie.start, &header, has_event);
	}
	*ret_cookie = cookie;
	return true;
}

static bool parse_whole_number(const char *text, uint64_t *ret_number)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	size_t len = strlen(digits);

	if (!len || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != len)
		return false;
	if (len > (hex ? 16U : 20U))
		return false;
	*ret_number = strtoull(digits, NULL, hex ? 16 : 10);
	return *ret_number != UINT64_MAX || hex || !strcmp(digits, "18446744073709551615");
}

bool text_parse_cookie(const char *text, struct text_cookie *ret_cookie)
{
	struct text_cookie cookie = { 0 };
	size_t len = strlen(text), pos, end;
	uint64_t number;

	if (parse_whole_number(text, &number)) {
		cookie.slot = stackmap_cookie_get_slot(number);
		cookie.generation = stackmap_cookie_get_generation(number);
		cookie.has_generation = number > UINT32_MAX;
		*ret_cookie = cookie;
		return true;
	}
	end = parse_u32(text, len, 0, &cookie.generation);
	end = end ? match(text, len, end, ":") : 0;
	if (end && parse_u32(text, len, end, &cookie.slot) == len) {
		cookie.has_generation = true;
		*ret_cookie = cookie;
		return true;
	}
	pos = match(text, len, 0, "<");
	end = match(text, len, pos, "stack_id ");
	end = end ? parse_numbers(text, len, end, &cookie) : 0;
	if (end && pos)
		end = match(text, len, end, ">");
	if (!end || end != len)
		return false;
	*ret_cookie = cookie;
	return true;
}

/* ---- other lines ---- */

bool text_is_frame(const char *line, size_t len, const char *prefix, size_t prefix_len)
{
	size_t pos = 0;

	if (prefix_len <= len && !memcmp(line, prefix, prefix_len))
		pos = prefix_len;
	else
		pos = known_prefix(line, len);
	pos = skip_while(line, len, pos, is_blank);
	return match(line, len, pos, "=> ");
}

bool text_is_trace(const char *line, size_t len)
{
	const char *end = line + len, *colon;
	struct text_cookie cookie;
	struct header header;
	size_t pos;

	if (match(line, len, 0, "# tracer: ") || text_find_cookie(line, len, &cookie))
		return true;
	pos = match(line, len, 0, "cpus=9");
	if (pos && skip_while(line, len, pos, is_digit) == len)
		return true;
	for (colon = line; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
		if (is_header(line, (size_t)(colon - line), &header))
			return true;
	}
	return false;
}
