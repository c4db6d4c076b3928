// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of trace text: see text.h. All of it is linear in the length of the line.
 */
#include <stdlib.h>
#include <string.h>

#include <stackmap.h>

#include "text-internal.h"

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

bool text_find_cookie(const char *line, size_t len, struct text_cookie *ret_cookie)
{
	const char *mark = last_mark(line, len);
	struct text_header header = { NO_DASH, COMM_WIDTH };
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
	if (!text_find_header(line, cookie.start, &header, &has_event) &&
	    !text_is_graph_comment(line, cookie.start)) {
		/* The cookie alone: context-info is off, or somebody cut it out. */
		cookie.prefix_len = text_known_prefix(line, cookie.start);
		if (!is_all_blank(line + cookie.prefix_len, cookie.start - cookie.prefix_len))
			return false;
	} else {
		cookie.prefix_len = text_find_prefix(line, cookie.start, &header, has_event);
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
		pos = text_known_prefix(line, len);
	pos = skip_while(line, len, pos, is_blank);
	return match(line, len, pos, "=> ");
}

bool text_is_trace(const char *line, size_t len)
{
	const char *end = line + len, *colon;
	struct text_cookie cookie;
	struct text_header header;
	size_t pos;

	if (match(line, len, 0, "# tracer: ") || text_find_cookie(line, len, &cookie))
		return true;
	pos = match(line, len, 0, "cpus=9");
	if (pos && skip_while(line, len, pos, is_digit) == len)
		return true;
	for (colon = line; (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
		if (text_is_header(line, (size_t)(colon - line), &header))
			return true;
	}
	return false;
}
