// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack_map, the text of series 4 to 7 and of series 8:
 *
 *	stack_id 42 [ref 1337, depth 2]		stack_id 42 gen 1 ref 1337 depth 2
 *	  [0] schedule+0x48/0xc0		 => schedule+0x48/0xc0
 *	  [1] [FTRACE TRAMPOLINE]		 => [FTRACE TRAMPOLINE]
 *	(an empty line)
 *
 * Both are one grammar: a header with numbers in it, frames behind a mark, and a record that ends
 * where the next one begins, at an empty line, or with the text. Of a frame nothing is interpreted:
 * what stands behind its mark up to the newline is the frame.
 *
 * Only the end of a text can be cut. A last line without newline is therefore held against the
 * grammar as far as it goes; all other lines must fit it whole.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "parse.h"

struct header {
	uint32_t	slot;
	uint32_t	generation;
	uint32_t	ref;
	uint32_t	depth;
};

/* A number of the header and the words in front of it. */
struct header_field {
	const char	*words;
	size_t		offset;		/* in struct header */
};

#define MAX_HEADER_FIELDS	4

struct text_format {
	struct header_field	fields[MAX_HEADER_FIELDS];
	size_t			nr_fields;
	const char		*header_end;
	/* What stands in front of frame @nr. */
	enum smap_match		(*match_mark)(struct smap_line *line, uint32_t nr);
	bool			has_generation;
	bool			has_empty_line;	/* behind each record */
};

struct text_parser {
	const struct text_format *format;
	const char		*start;
	struct smap_builder	*builder;
	struct smap_findings	*findings;
	struct smap_error	*err;

	/* the record that is being read */
	bool			in_record;
	bool			is_cut;		/* by the line that was read last */
	uint64_t		offset;
	struct header		header;
};

#define MATCH_LITERAL(line, text)	smap_line_match_word(line, text, sizeof(text) - 1)

/* ---- the two formats ---- */

static enum smap_match match_mark8(struct smap_line *line, uint32_t nr)
{
	return MATCH_LITERAL(line, " => ");
}

static enum smap_match match_mark4(struct smap_line *line, uint32_t nr)
{
	enum smap_match match = MATCH_LITERAL(line, "  [");
	uint64_t number;

	if (match == SMAP_MATCH)
		match = smap_line_match_uint(line, UINT32_MAX, &number);
	if (match == SMAP_MATCH)
		match = MATCH_LITERAL(line, "] ");
	if (match == SMAP_MATCH && number != nr)
		return SMAP_MATCH_NONE;
	return match;
}

#define HEADER_FIELD(words, member)	{ words, offsetof(struct header, member) }

static const struct text_format text8 = {
	.fields = {
		HEADER_FIELD("stack_id ", slot),
		HEADER_FIELD(" gen ", generation),
		HEADER_FIELD(" ref ", ref),
		HEADER_FIELD(" depth ", depth),
	},
	.nr_fields = 4,
	.header_end = "",
	.match_mark = match_mark8,
	.has_generation = true,
};

static const struct text_format text4 = {
	.fields = {
		HEADER_FIELD("stack_id ", slot),
		HEADER_FIELD(" [ref ", ref),
		HEADER_FIELD(", depth ", depth),
	},
	.nr_fields = 3,
	.header_end = "]",
	.match_mark = match_mark4,
	.has_empty_line = true,
};

static enum smap_match match_header(const struct text_format *format, struct smap_line *line,
				    struct header *header)
{
	const struct header_field *field;
	enum smap_match match;
	uint64_t value;

	for (field = format->fields; field < format->fields + format->nr_fields; field++) {
		match = smap_line_match_word(line, field->words, strlen(field->words));
		if (match == SMAP_MATCH)
			match = smap_line_match_uint(line, UINT32_MAX, &value);
		if (match != SMAP_MATCH)
			return match;
		*(uint32_t *)((char *)header + field->offset) = (uint32_t)value;
	}
	match = smap_line_match_word(line, format->header_end, strlen(format->header_end));
	if (match == SMAP_MATCH && smap_line_left(line))
		return SMAP_MATCH_NONE;
	return match;
}

/* The words behind the slot differ, and all formats to come will differ there too. */
static bool probe_text(const struct text_format *format, const void *data, size_t len)
{
	const char *pos = data;
	struct smap_line line;
	uint64_t slot;

	if (!len)
		return false;
	line = smap_line_next(&pos, pos + len);
	return MATCH_LITERAL(&line, "stack_id ") == SMAP_MATCH &&
	       smap_line_match_uint(&line, UINT32_MAX, &slot) == SMAP_MATCH &&
	       smap_line_match_word(&line, format->fields[1].words,
				    strlen(format->fields[1].words)) == SMAP_MATCH;
}

/* ---- records ---- */

static int bad_line(struct text_parser *parser, const struct smap_line *line, const char *what)
{
	int shown = smap_line_left(line) > 60 ? 60 : (int)smap_line_left(line);

	return smap_error_set(parser->err, -EBADMSG, "line %zu: %s: \"%.*s\"",
			      smap_line_number(parser->start, line->pos), what, shown, line->pos);
}

static int builder_failed(struct text_parser *parser, int code)
{
	if (code == -ENOMEM)
		return smap_error_nomem(parser->err);
	return smap_error_set(parser->err, code, "byte %llu: more than can be counted",
			      (unsigned long long)parser->offset);
}

/* The text ends within the record at @offset. */
static void find_cut(struct text_parser *parser, uint64_t offset)
{
	struct smap_findings *findings = parser->findings;

	findings->cut = true;
	findings->cut_offset = offset;
}

static void find_cut_record(struct text_parser *parser)
{
	smap_builder_mark_damaged(parser->builder);
	find_cut(parser, parser->offset);
	parser->findings->has_cut_slot = true;
	parser->findings->cut_slot = parser->header.slot;
}

/* The record ends here; @at_end: because the text does, and not because it says so. */
static void end_record(struct text_parser *parser, bool at_end)
{
	struct smap_findings *findings = parser->findings;
	uint32_t depth;

	if (!parser->in_record)
		return;
	parser->in_record = false;
	depth = smap_builder_depth(parser->builder);
	if (parser->is_cut || (at_end && depth < parser->header.depth)) {
		find_cut_record(parser);
		return;
	}
	if (depth == parser->header.depth)
		return;
	if (!findings->nr_depth_mismatch++)
		findings->depth_mismatch_offset = parser->offset;
}

static int read_header(struct text_parser *parser, struct smap_line line)
{
	struct smap_line whole = line;
	struct header header = { 0 };
	enum smap_match match;
	uint64_t offset = (uint64_t)(line.pos - parser->start);
	int ret;

	end_record(parser, false);
	match = match_header(parser->format, &line, &header);
	if (match == SMAP_MATCH_CUT && !line.has_newline) {
		find_cut(parser, offset);
		return 0;
	}
	if (match != SMAP_MATCH)
		return bad_line(parser, &whole, "neither a record nor a frame of one");

	parser->in_record = true;
	parser->is_cut = !line.has_newline;
	parser->offset = offset;
	parser->header = header;
	parser->findings->nr_records++;
	ret = smap_builder_begin(parser->builder, header.generation, header.slot, header.ref,
				 header.depth);
	return ret ? builder_failed(parser, ret) : 0;
}

/* ---- frames ---- */

static bool get_hex(const char **pos, const char *end, uint64_t *ret_value, int *ret_digits)
{
	uint64_t value = 0;
	const char *p;

	if (end - *pos < 3 || memcmp(*pos, "0x", 2))
		return false;
	for (p = *pos + 2; p < end && isxdigit((unsigned char)*p); p++)
		value = value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
	*ret_digits = (int)(p - *pos - 2);
	*pos = p;
	*ret_value = value;
	return *ret_digits > 0 && *ret_digits <= 16;
}

/*
 * Can the frame be whole although the text ends behind it? It can where it ends as the kernel ends
 * one: in "]", in "+0xOFFSET/0xSIZE", or as an address of either word size. An offset that is not
 * below the size shows that digits of the size are missing.
 */
static bool frame_looks_whole(const char *text, const char *end)
{
	uint64_t offset, size;
	const char *plus, *pos = text;
	int digits;

	if (end > text && end[-1] == ']')
		return true;
	if (get_hex(&pos, end, &offset, &digits) && pos == end)
		return digits == 8 || digits == 16;
	plus = memrchr(text, '+', (size_t)(end - text));
	if (!plus || plus == text)
		return false;
	pos = plus + 1;
	if (!get_hex(&pos, end, &offset, &digits) || pos == end || *pos++ != '/')
		return false;
	return get_hex(&pos, end, &size, &digits) && pos == end && offset < size;
}

/* The last line of the text, without newline: it may be all that the record still lacked. */
static bool last_frame_is_whole(struct text_parser *parser, const struct smap_line *line)
{
	if (!frame_looks_whole(line->pos, line->end))
		return false;
	parser->findings->no_last_newline =
		smap_builder_depth(parser->builder) + 1 == parser->header.depth;
	return true;
}

static int read_frame(struct text_parser *parser, struct smap_line line)
{
	const struct smap_line whole = line;
	enum smap_match match;
	int ret;

	if (!parser->in_record)
		return bad_line(parser, &whole, "neither a record nor an empty line");
	match = parser->format->match_mark(&line, smap_builder_depth(parser->builder));
	if (!line.has_newline &&
	    (match == SMAP_MATCH_CUT ||
	     (match == SMAP_MATCH && !last_frame_is_whole(parser, &line)))) {
		parser->is_cut = true;
		return 0;
	}
	if (match != SMAP_MATCH || !smap_line_left(&line))
		return bad_line(parser, &whole, "not the next frame of its record");
	ret = smap_builder_add_text(parser->builder, line.pos, smap_line_left(&line));
	return ret ? builder_failed(parser, ret) : 0;
}

/* ---- all stacks of one in another? ---- */

static bool take_header(const struct text_format *format, struct smap_window *window,
			struct header *ret_header)
{
	struct smap_line line = { .has_newline = true };
	size_t len;

	line.pos = smap_window_take_line(window, &len);
	if (!line.pos)
		return false;
	line.end = line.pos + len;
	return match_header(format, &line, ret_header) == SMAP_MATCH;
}

static const char *take_frame(struct smap_window *window, size_t *ret_len)
{
	const char *line = smap_window_take_line(window, ret_len);

	/* A header begins with a letter. */
	return line && *ret_len && *line == ' ' ? line : NULL;
}

static bool pass_frames(struct smap_window *window, uint32_t depth)
{
	size_t len;

	while (depth && take_frame(window, &len))
		depth--;
	return !depth;
}

static bool take_same_frames(struct smap_window *a, struct smap_window *b, uint32_t depth)
{
	const char *in_a, *in_b;
	size_t len_a, len_b;

	for (; depth; depth--) {
		in_a = take_frame(a, &len_a);
		in_b = take_frame(b, &len_b);
		if (!in_a || !in_b || len_a != len_b || memcmp(in_a, in_b, len_a))
			return false;
	}
	return true;
}

/* Up to the record of @slot, of which the header is taken: both are in the order of slots. */
static bool go_to_slot(const struct text_format *format, struct smap_window *window, uint32_t slot,
		       struct header *ret_header)
{
	while (take_header(format, window, ret_header)) {
		if (ret_header->slot >= slot)
			return ret_header->slot == slot;
		if (!pass_frames(window, ret_header->depth))
			return false;
	}
	return false;
}

static bool has_all_text(const struct text_format *format, struct smap_window *export,
			 struct smap_window *older)
{
	struct header header, found;

	while (!smap_window_is_empty(older)) {
		if (!take_header(format, older, &header) ||
		    !go_to_slot(format, export, header.slot, &found) ||
		    found.generation != header.generation || found.depth != header.depth ||
		    !take_same_frames(export, older, header.depth))
			return false;
	}
	return !older->ret;
}

/* ---- the whole text ---- */

static int read_line(struct text_parser *parser, struct smap_line line)
{
	if (line.has_cr)
		parser->findings->crlf = true;
	if (line.pos == line.end) {
		end_record(parser, false);
		return 0;
	}
	if (*line.pos == 's')
		return read_header(parser, line);
	return read_frame(parser, line);
}

static int read_text(struct text_parser *parser, const char *end)
{
	const char *pos = parser->start;
	struct smap_line line;
	int ret;

	while (pos < end) {
		line = smap_line_next(&pos, end);
		ret = read_line(parser, line);
		if (ret)
			return ret;
	}
	/* The empty line of the last record is its last newline. */
	if (parser->in_record && parser->format->has_empty_line && !parser->is_cut &&
	    smap_builder_depth(parser->builder) == parser->header.depth)
		parser->findings->no_last_newline = true;
	end_record(parser, true);
	return 0;
}

static int parse_text(const struct text_format *format, const void *data, size_t len,
		      struct smap_export **ret_export, struct smap_findings *findings,
		      struct smap_error *err)
{
	struct text_parser parser = {
		.format = format,
		.start = len ? data : "",
		.findings = findings,
		.err = err,
	};
	const char *nul = len ? memchr(data, '\0', len) : NULL;
	int ret;

	if (nul)
		return smap_error_set(err, -EBADMSG, "line %zu: a NUL byte, at byte %zu",
				      smap_line_number(data, nul), (size_t)(nul - parser.start));
	parser.builder = smap_builder_new(format->has_generation);
	if (!parser.builder)
		return smap_error_nomem(err);
	ret = read_text(&parser, parser.start + len);
	if (ret) {
		smap_builder_free(parser.builder);
		return ret;
	}
	ret = smap_builder_finish(parser.builder, ret_export);
	return ret ? builder_failed(&parser, ret) : 0;
}

static bool has_all_text8(struct smap_window *export, struct smap_window *older)
{
	return has_all_text(&text8, export, older);
}

/* @holds: has_all of the row. */
#define TEXT_FORMAT(format, words, holds)							\
static bool probe_##format(const void *data, size_t len)					\
{												\
	return probe_text(&format, data, len);							\
}												\
												\
static int parse_##format(const void *data, size_t len, struct smap_export **ret_export,	\
			  struct smap_findings *findings, struct smap_error *err)		\
{												\
	return parse_text(&format, data, len, ret_export, findings, err);			\
}												\
												\
const struct smap_parse_ops smap_parse_##format = {						\
	.name = #format,									\
	.title = words,										\
	.probe = probe_##format,								\
	.parse = parse_##format,								\
	.has_all = holds,									\
}

TEXT_FORMAT(text8, "text of series 8", has_all_text8);
TEXT_FORMAT(text4, "text of series 4 to 7", NULL);
