// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing JSON: see json.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

static void put(const char *data, size_t len)
{
	fwrite_unlocked(data, 1, len, stdout);
}

static bool is_follower(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the character at @text, 0 where there is none in UTF-8. */
static size_t char_len(const unsigned char *text, size_t len)
{
	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		return len >= 2 && is_follower(text[1]) ? 2 : 0;
	if (text[0] >= 0xe0 && text[0] <= 0xef) {
		if (len < 3 || !is_follower(text[1]) || !is_follower(text[2]))
			return 0;
		/* neither overlong nor a surrogate */
		if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f))
			return 0;
		return 3;
	}
	if (text[0] >= 0xf0 && text[0] <= 0xf4) {
		if (len < 4 || !is_follower(text[1]) || !is_follower(text[2]) ||
		    !is_follower(text[3]))
			return 0;
		if ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

static bool is_c1(const unsigned char *text, size_t nr)
{
	return nr == 2 && text[0] == 0xc2 && text[1] < 0xa0;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_escaped(FILE *file, unsigned int unit)
{
	if (unit == '"' || unit == '\\') {
		putc_unlocked('\\', file);
		putc_unlocked((int)unit, file);
	} else {
		fprintf(file, "\\u%04x", unit);
	}
}

void json_write_bytes(FILE *file, const char *text, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t i = 0, plain, nr;

	while (i < len) {
		for (plain = i; plain < len && is_plain(bytes[plain]); )
			plain++;
		fwrite_unlocked(text + i, 1, plain - i, file);
		i = plain;
		if (i == len)
			break;
		nr = char_len(bytes + i, len - i);
		if (nr == 0)
			put_escaped(file, 0xdc00 + bytes[i]);
		else if (nr == 1)
			put_escaped(file, bytes[i]);
		else if (is_c1(bytes + i, nr))
			put_escaped(file, bytes[i + 1]);
		else
			fwrite_unlocked(text + i, 1, nr, file);
		i += nr ? nr : 1;
	}
}

void json_write_string(FILE *file, const char *text, size_t len)
{
	putc_unlocked('"', file);
	json_write_bytes(file, text, len);
	putc_unlocked('"', file);
}

static void begin(struct json *json, const char *key)
{
	if (json->more)
		put(",", 1);
	json->more = true;
	if (!key)
		return;
	json_write_string(stdout, key, strlen(key));
	put(":", 1);
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	put(&bracket, 1);
	json->more = false;
}

void json_close(struct json *json, char bracket)
{
	put(&bracket, 1);
	json->more = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (!text) {
		json_null(json, key);
		return;
	}
	begin(json, key);
	json_write_string(stdout, text, strlen(text));
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	begin(json, key);
	fprintf(stdout, "%" PRIu64, number);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", stdout);
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	put("null", 4);
}
