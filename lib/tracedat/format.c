// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Text of a format file -> where a field lies.
 *
 *	name: stack_id
 *	ID: 21
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		field:u64 stack_cookie;	offset:8;	size:8;	signed:0;
 *
 * Only these lines are needed, of one event. libtraceevent could parse them too, but goes on to
 * the print format, where it calls itself for each parenthesis: no match for a file that wants to
 * harm.
 */
#include <errno.h>
#include <inttypes.h>

#include "internal.h"

struct text {
	const char	*pos;
	const char	*end;
};

/* The next line without its newline; false at the end. */
static bool next_line(struct text *text, struct text *ret_line)
{
	const char *newline;

	if (text->pos == text->end)
		return false;
	newline = memchr(text->pos, '\n', (size_t)(text->end - text->pos));
	ret_line->pos = text->pos;
	ret_line->end = newline ? newline : text->end;
	text->pos = newline ? newline + 1 : text->end;
	return true;
}

static void skip_space(struct text *text)
{
	while (text->pos != text->end && (*text->pos == ' ' || *text->pos == '\t'))
		text->pos++;
}

/* Past @word if the text begins with it, white space before it aside. */
static bool take_word(struct text *text, const char *word)
{
	size_t len = strlen(word);

	skip_space(text);
	if ((size_t)(text->end - text->pos) < len || memcmp(text->pos, word, len))
		return false;
	text->pos += len;
	return true;
}

static bool take_number(struct text *text, uint32_t *ret_val)
{
	uint64_t val = 0;
	const char *start;

	skip_space(text);
	start = text->pos;
	for (; text->pos != text->end && *text->pos >= '0' && *text->pos <= '9'; text->pos++) {
		val = val * 10 + (uint64_t)(*text->pos - '0');
		if (val > UINT32_MAX)
			return false;
	}
	if (text->pos == start)
		return false;
	*ret_val = (uint32_t)val;
	return true;
}

static bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* "unsigned long caller[8]": the last name before ';' or '['. */
static bool take_declaration(struct text *line, struct text *ret_name)
{
	const char *semicolon = memchr(line->pos, ';', (size_t)(line->end - line->pos));
	const char *bracket, *end;

	if (!semicolon)
		return false;
	bracket = memchr(line->pos, '[', (size_t)(semicolon - line->pos));
	end = bracket ? bracket : semicolon;
	while (end != line->pos && !is_name_char(end[-1]))
		end--;
	ret_name->pos = ret_name->end = end;
	while (ret_name->pos != line->pos && is_name_char(ret_name->pos[-1]))
		ret_name->pos--;
	line->pos = semicolon + 1;
	return ret_name->pos != ret_name->end;
}

static bool is_word(const struct text *text, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(text->end - text->pos) == len && !memcmp(text->pos, word, len);
}

bool smap_trace_find_field(const char *data, size_t len, const char *name,
			   struct smap_tracedat_field *ret_field)
{
	struct text text = { data, data + len }, line, found;
	uint32_t offset, size;

	while (next_line(&text, &line)) {
		if (!take_word(&line, "field:") || !take_declaration(&line, &found) ||
		    !is_word(&found, name))
			continue;
		if (!take_word(&line, "offset:") || !take_number(&line, &offset) ||
		    !take_word(&line, ";") || !take_word(&line, "size:") ||
		    !take_number(&line, &size))
			return false;
		ret_field->offset = offset;
		ret_field->size = size;
		return true;
	}
	return false;
}

/* "name: stack_id" and "ID: 21". */
static bool is_stack_id(const char *data, size_t len, uint32_t *ret_type)
{
	struct text text = { data, data + len }, line;

	if (!next_line(&text, &line) || !take_word(&line, "name:"))
		return false;
	skip_space(&line);
	if (!is_word(&line, "stack_id"))
		return false;
	return next_line(&text, &line) && take_word(&line, "ID:") && take_number(&line, ret_type);
}

static void take_stack_id(struct smap_tracedat *tracedat, const char *text, size_t len)
{
	tracedat->has_stack_id = true;
	tracedat->type_field = tracedat->cookie_field = (struct smap_tracedat_field){ 0, 0 };
	smap_trace_find_field(text, len, "common_type", &tracedat->type_field);
	tracedat->cookie_has_generation =
		smap_trace_find_field(text, len, "stack_cookie", &tracedat->cookie_field);
	if (!tracedat->cookie_has_generation)
		smap_trace_find_field(text, len, "stack_id", &tracedat->cookie_field);
}

/* Of a version 7 nobody may have looked into it yet: what does not fit is left out. */
void smap_trace_take_formats(struct smap_tracedat *tracedat, const void *data, size_t len)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, tracedat->big_endian !=
						  SMAP_HOST_IS_BIG_ENDIAN);
	uint32_t count, type;
	const void *text;
	uint64_t size;

	if (!smap_bytes_get_u32(&bytes, &count))
		return;
	while (count-- && smap_bytes_get_u64(&bytes, &size) && size <= smap_bytes_left(&bytes) &&
	       smap_bytes_get(&bytes, (size_t)size, &text)) {
		if (!is_stack_id(text, (size_t)size, &type))
			continue;
		tracedat->stack_id_type = type;
		take_stack_id(tracedat, text, (size_t)size);
	}
}

/* As libtracecmd and libtraceevent's kbuffer have it; no kernel since 2.6.31 differs. */
static bool is_known_page(const char *text, size_t len, unsigned int *ret_long_size)
{
	struct smap_tracedat_field timestamp, commit, data;

	if (!smap_trace_find_field(text, len, "timestamp", &timestamp) ||
	    !smap_trace_find_field(text, len, "commit", &commit) ||
	    !smap_trace_find_field(text, len, "data", &data))
		return false;
	*ret_long_size = commit.size;
	return !timestamp.offset && timestamp.size == 8 && commit.offset == 8 &&
	       (commit.size == 4 || commit.size == 8) && data.offset == 8 + commit.size;
}

/*
 * The long of the initial format is that of trace-cmd. The kernel's own, which the pages are made
 * of, is the size of "commit".
 */
int smap_trace_take_header(struct smap_tracedat *tracedat, const void *data, size_t len,
			   struct smap_error *err)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, tracedat->big_endian !=
						  SMAP_HOST_IS_BIG_ENDIAN);
	unsigned int long_size;
	const char *label;
	const void *text;
	uint64_t size;

	if (!smap_bytes_get_string(&bytes, &label) || !smap_bytes_get_u64(&bytes, &size) ||
	    size > smap_bytes_left(&bytes) || !smap_bytes_get(&bytes, (size_t)size, &text))
		return smap_error_set(err, -EBADMSG, "the header of pages is damaged");
	if (!size)
		return smap_error_set(err, -EOPNOTSUPP,
				      "pages that are not described (kernel before 2.6.31)");
	if (!is_known_page(text, (size_t)size, &long_size))
		return smap_error_set(err, -EOPNOTSUPP, "pages of an unknown form");
	tracedat->long_size = long_size;
	return 0;
}
