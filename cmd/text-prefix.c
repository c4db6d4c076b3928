// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a log puts before a line of trace text: kernel logs, syslog, journalctl, logcat. The walk
 * forward over it never turns round.
 */
#include <string.h>

#include "text-internal.h"

/* Longer than any prefix that a log writes. */
#define MAX_PREFIX	512

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

size_t text_known_prefix(const char *line, size_t len)
{
	size_t pos = 0, end;
	bool timed = false;

	if (len > MAX_PREFIX)
		len = MAX_PREFIX;
	while ((end = match_prefix_part(line, len, pos, &timed)))
		pos = end;
	return pos;
}

/*
 * What no list knows is found by the task name, whose column has a fixed width: what stands before
 * it is a prefix. In the report of several files or buffers, trace-cmd puts their name there: that
 * is the line's own.
 */
static size_t unknown_prefix(const char *line, const struct text_header *header, bool has_event)
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

size_t text_find_prefix(const char *line, size_t len, const struct text_header *header,
			bool has_event)
{
	size_t known = text_known_prefix(line, len), unknown;

	/* What looks like a prefix but reaches into the header is a task name. */
	if (header->dash != NO_DASH && known >= header->dash)
		known = 0;
	unknown = unknown_prefix(line, header, has_event);
	if (unknown > known && !is_all_blank(line + known, unknown - known))
		return unknown;
	return known;
}
