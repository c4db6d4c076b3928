// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "escape.h"

/* Length of the escape-worthy unit at @data, 0 where the byte is plain. */
static size_t unit_to_escape(const unsigned char *data, size_t len)
{
	if (data[0] < 0x20 || data[0] == 0x7f)
		return 1;
	/* U+0080..U+009F: a terminal takes them for control characters too. */
	if (data[0] == 0xc2 && len > 1 && data[1] >= 0x80 && data[1] <= 0x9f)
		return 2;
	/* So that an escape that we write differs from one that stood there. */
	if (data[0] == '\\' && len > 1 && data[1] == 'x')
		return 1;
	return 0;
}

/*
 * The first two bytes say that the sequence is longer than it need be, a surrogate, or beyond
 * U+10FFFF: a lax decoder would find a control character in the first of them.
 */
static bool is_overlong_or_no_character(const unsigned char *data)
{
	return (data[0] == 0xe0 && data[1] < 0xa0) || (data[0] == 0xed && data[1] >= 0xa0) ||
	       (data[0] == 0xf0 && data[1] < 0x90) || (data[0] == 0xf4 && data[1] >= 0x90);
}

/* Length of the UTF-8 sequence at @data; 0 for a byte that is none. */
static size_t utf8_len(const unsigned char *data, size_t len)
{
	size_t need, i;

	if (data[0] < 0x80)
		return 1;
	if (data[0] >= 0xc2 && data[0] <= 0xdf)
		need = 2;
	else if (data[0] >= 0xe0 && data[0] <= 0xef)
		need = 3;
	else if (data[0] >= 0xf0 && data[0] <= 0xf4)
		need = 4;
	else
		return 0;
	if (need > len || is_overlong_or_no_character(data))
		return 0;
	for (i = 1; i < need; i++)
		if ((data[i] & 0xc0) != 0x80)
			return 0;
	return need;
}

bool smap_is_plain(const char *data, size_t len)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t i = 0, n;

	while (i < len) {
		n = utf8_len(p + i, len - i);
		if (!n || unit_to_escape(p + i, len - i))
			return false;
		i += n;
	}
	return true;
}

static size_t put_escaped(char *out, const unsigned char *data, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	if (data[0] == '\\') {
		memcpy(out, "\\\\", 2);
		return 2;
	}
	for (i = 0; i < n; i++) {
		out[4 * i] = '\\';
		out[4 * i + 1] = 'x';
		out[4 * i + 2] = hex[data[i] >> 4];
		out[4 * i + 3] = hex[data[i] & 15];
	}
	return 4 * n;
}

size_t smap_escape(char *out, size_t size, const char *data, size_t len)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t whole = 0, used = 0, i = 0, n, put;
	bool room = size > 0;
	char unit[8];

	while (i < len) {
		n = unit_to_escape(p + i, len - i);
		if (!n && !utf8_len(p + i, len - i))
			n = 1;
		if (n) {
			put = put_escaped(unit, p + i, n);
		} else {
			n = put = utf8_len(p + i, len - i);
			memcpy(unit, p + i, n);
		}
		room = room && used + put < size;
		if (room) {
			memcpy(out + used, unit, put);
			used += put;
		}
		whole += put;
		i += n;
	}
	if (size)
		out[used] = '\0';
	return whole;
}
