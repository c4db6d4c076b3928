// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Version 7: sections, each with a header (u16 id, u16 flags, u32 description, u64 size):
 *
 *	initial format | section | section | ... | section | other bytes
 *	     |              ^           ^
 *	     +-> options ---+           |      options name sections by their offset; DONE names
 *	         options ---------------+      the next list of options, or 0
 *
 * trace-cmd finds most through the options, and the strings (descriptions of sections) by going
 * from one section to the next from the first to the end of the file. It takes whatever stands
 * behind the last section for one more; we do not, unless it looks like one. That is where
 * tracedat->end comes from.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

#define HEADER_SIZE		16
#define FLAG_COMPRESSED		1
#define NO_DESCRIPTION		UINT32_MAX

struct header {
	uint16_t	id;
	uint16_t	flags;
	uint32_t	description;	/* offset in the strings */
	uint64_t	size;
	uint64_t	data;		/* where the contents begin */
};

static int read_header(struct smap_trace_opening *opening, uint64_t offset, struct header *header)
{
	struct smap_trace_input *input = &opening->input;
	uint64_t pos = offset;
	int ret;

	ret = smap_trace_read_u16(input, &pos, &header->id, "the header of a section");
	if (!ret)
		ret = smap_trace_read_u16(input, &pos, &header->flags, "the header of a section");
	if (!ret)
		ret = smap_trace_read_u32(input, &pos, &header->description,
					  "the header of a section");
	if (!ret)
		ret = smap_trace_read_u64(input, &pos, &header->size, "the header of a section");
	header->data = pos;
	return ret;
}

/* The header of a section that an option names: of the right kind, and all of it there. */
static int read_named_header(struct smap_trace_opening *opening, uint64_t offset, unsigned int id,
			     struct header *header)
{
	const char *name = smap_trace_section_name(id);
	int ret = read_header(opening, offset, header);

	if (ret)
		return smap_error_prefix(opening->err, ret, "%s", name);
	if (header->id != id)
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": no %s where an option says so", offset,
				      name);
	ret = smap_trace_check_range(opening->input.size, header->data, header->size, name,
				     opening->err);
	if (ret)
		return ret;
	smap_trace_extend(opening, header->data + header->size);
	opening->named_bytes += HEADER_SIZE + header->size;
	if (opening->named_bytes > opening->input.size)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": %s: sections overlap, or the options lead back", offset,
				      name);
	return 0;
}

/* An option that holds the offset of a section. */
static int take_section(struct smap_trace_opening *opening, unsigned int id,
			struct smap_bytes bytes)
{
	struct header header;
	uint64_t offset;
	int ret;

	if (!smap_bytes_get_u64(&bytes, &offset))
		return 0;
	ret = read_named_header(opening, offset, id, &header);
	if (ret)
		return ret;
	return smap_trace_add_section(opening, id, header.flags & FLAG_COMPRESSED, header.data,
				      header.size);
}

static bool is_page_size(uint32_t size)
{
	return size >= TRACE_MIN_PAGE && size <= TRACE_MAX_PAGE && !(size & (size - 1));
}

static int take_cpus(struct smap_trace_opening *opening, struct smap_bytes *bytes, bool is_top,
		     bool compressed, uint64_t where)
{
	struct smap_tracedat_cpu cpu = { .compressed = compressed };
	uint32_t page_size, count, number;
	int ret = 0;

	if (!smap_bytes_get_u32(bytes, &page_size) || !smap_bytes_get_u32(bytes, &count))
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": option BUFFER: too short", where);
	if (count && !is_page_size(page_size))
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": pages of %u bytes", where, page_size);
	cpu.buffer = is_top ? 0 : ++opening->nr_buffers;
	/* libtracecmd reads the top level with the size of the initial format. */
	cpu.page_size = is_top ? opening->tracedat->page_size : page_size;
	while (!ret && count--) {
		if (!smap_bytes_get_u32(bytes, &number) ||
		    !smap_bytes_get_u64(bytes, &cpu.offset) ||
		    !smap_bytes_get_u64(bytes, &cpu.len))
			return smap_error_set(opening->err, -EBADMSG,
					      "offset %" PRIu64 ": option BUFFER: too short",
					      where);
		if (number >= TRACE_MAX_CPU)
			return smap_error_set(opening->err, -EBADMSG,
					      "offset %" PRIu64 ": CPU %u", where, number);
		cpu.cpu = number;
		ret = smap_trace_add_cpu(opening, &cpu);
	}
	return ret;
}

/* u64 offset of the section, name, clock, and for events: page size, number of CPUs, the CPUs. */
static int take_buffer(struct smap_trace_opening *opening, unsigned int id,
		       struct smap_bytes bytes, uint64_t where)
{
	const char *name, *clock;
	struct header header;
	uint64_t offset;
	bool is_top;
	int ret;

	if (!smap_bytes_get_u64(&bytes, &offset) || !smap_bytes_get_string(&bytes, &name) ||
	    !smap_bytes_get_string(&bytes, &clock))
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": option BUFFER: too short", where);
	is_top = !name[0];
	if (is_top && opening->has_top)
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": a second top-level buffer", where);
	opening->has_top |= is_top;
	/* libtracecmd would look for the events of such an instance. */
	if (id == TRACE_BUFFER_TEXT && !is_top)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": an instance with text instead of events", where);
	opening->tracedat->is_text |= id == TRACE_BUFFER_TEXT;
	ret = read_named_header(opening, offset, id, &header);
	if (!ret)
		ret = smap_trace_add_section(opening, id, header.flags & FLAG_COMPRESSED,
					     header.data, header.size);
	if (!ret && is_top && clock[0] && !opening->tracedat->clock) {
		opening->tracedat->clock = strdup(clock);
		if (!opening->tracedat->clock)
			ret = smap_error_nomem(opening->err);
	}
	if (ret || id == TRACE_BUFFER_TEXT)
		return ret;
	return take_cpus(opening, &bytes, is_top, header.flags & FLAG_COMPRESSED, where);
}

static int take_option(struct smap_trace_opening *opening, unsigned int id, const void *data,
		       size_t len, uint64_t where)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, opening->input.swap);

	if (id == TRACE_BUFFER || id == TRACE_BUFFER_TEXT)
		return take_buffer(opening, id, bytes, where);
	if (id >= TRACE_HEADER_INFO && id <= TRACE_CMDLINES)
		return take_section(opening, id, bytes);
	return smap_trace_take_option(opening, id, data, len, where);
}

/* A list of options in memory. @where: what to count offsets from, for the words. */
static int take_options(struct smap_trace_opening *opening, const char *data, size_t len,
			uint64_t where, uint64_t *ret_next)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, opening->input.swap);
	const void *value;
	uint32_t size;
	uint64_t at;
	uint16_t id;
	int ret;

	do {
		at = where + smap_bytes_offset(&bytes);
		if (!smap_bytes_get_u16(&bytes, &id) || !smap_bytes_get_u32(&bytes, &size) ||
		    !smap_bytes_get(&bytes, size, &value))
			return smap_error_set(opening->err, -EBADMSG,
					      "offset %" PRIu64 ": the list of options is cut off",
					      at);
		if (id != TRACE_DONE) {
			ret = take_option(opening, id, value, size, at);
			if (ret)
				return ret;
		}
	} while (id != TRACE_DONE);

	bytes = smap_bytes_init(value, size, opening->input.swap);
	if (!smap_bytes_get_u64(&bytes, ret_next))
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": option DONE: too short", at);
	return 0;
}

static int read_options(struct smap_trace_opening *opening, uint64_t offset, uint64_t *ret_next)
{
	struct smap_tracedat_section section;
	struct header header;
	size_t len;
	char *data;
	int ret;

	ret = read_named_header(opening, offset, TRACE_DONE, &header);
	if (ret)
		return ret;
	section = (struct smap_tracedat_section){
		.id = TRACE_DONE,
		.compressed = header.flags & FLAG_COMPRESSED,
		.offset = header.data,
		.len = header.size,
	};
	ret = smap_trace_add_section(opening, TRACE_DONE, section.compressed, section.offset,
				     section.len);
	if (!ret)
		ret = smap_trace_load_section(opening->tracedat, &section, &data, &len,
					      opening->err);
	if (ret)
		return ret;
	ret = take_options(opening, data, len, header.data, ret_next);
	free(data);
	return ret;
}

static int read_all_options(struct smap_trace_opening *opening, uint64_t offset)
{
	unsigned int nr_lists = 0;
	int ret;

	if (!offset)
		return smap_error_set(opening->err, -EBADMSG,
				      "no options: the recording was not finished");
	while (offset) {
		if (++nr_lists > TRACE_MAX_OPTION_LISTS)
			return smap_error_set(opening->err, -EBADMSG,
					      "offset %" PRIu64 ": too many lists of options",
					      offset);
		ret = read_options(opening, offset, &offset);
		if (ret)
			return ret;
	}
	return 0;
}

/* What looks like the header of a section. Anything else stands behind the trace. */
static bool is_section(const struct header *header)
{
	if (header->flags & ~FLAG_COMPRESSED)
		return false;
	/* Zeros are no empty list of options: that would have a DONE. */
	return header->id != TRACE_DONE || header->size;
}

struct chain {
	uint64_t	strings;	/* bytes, unpacked */
	uint64_t	described;	/* the strings must reach at least so far */
	uint64_t	end;
};

/* libtracecmd goes on behind the compressed bytes, wherever the section ends. */
static int add_strings(struct smap_trace_opening *opening, const struct header *header,
		       struct chain *chain)
{
	bool compressed = header->flags & FLAG_COMPRESSED;
	uint64_t pos = header->data, size = header->size;
	uint32_t packed, unpacked;
	int ret;

	if (compressed) {
		ret = smap_trace_read_u32(&opening->input, &pos, &packed, "strings");
		if (!ret)
			ret = smap_trace_read_u32(&opening->input, &pos, &unpacked, "strings");
		if (ret)
			return ret;
		if (header->size != (uint64_t)packed + 8)
			return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
					      ": strings of another size than their section",
					      header->data);
		size = unpacked;
	}
	if (size > TRACE_MAX_SECTION)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": too many strings", header->data);
	chain->strings += size;
	return smap_trace_add_section(opening, TRACE_STRINGS, compressed, header->data,
				      header->size);
}

static int take_link(struct smap_trace_opening *opening, uint64_t offset,
		     const struct header *header, struct chain *chain)
{
	const char *name = smap_trace_section_name(header->id);
	int ret;

	ret = smap_trace_check_range(opening->input.size, header->data, header->size,
				     name ? name : "a section", opening->err);
	if (ret)
		return ret;
	chain->end = header->data + header->size;
	if (header->description != NO_DESCRIPTION && header->description >= chain->described)
		chain->described = (uint64_t)header->description + 1;
	if (header->id == TRACE_STRINGS)
		return add_strings(opening, header, chain);
	return 0;
}

/*
 * Bytes behind the last section. libtracecmd takes them for sections while it looks for strings: a
 * size is signed to it, and must not lead it back to where it was.
 */
static int walk_rest(struct smap_trace_opening *opening, uint64_t pos)
{
	uint64_t size = opening->input.size, offset;
	struct header header;
	int ret;

	for (offset = pos; size >= HEADER_SIZE && offset <= size - HEADER_SIZE; offset = pos) {
		ret = read_header(opening, offset, &header);
		if (ret)
			return ret;
		pos = header.data + header.size;
		if (header.id == TRACE_STRINGS || pos <= offset)
			return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
					      ": damaged bytes behind the last section", offset);
		if (pos > INT64_MAX)
			return 0;
	}
	return 0;
}

static int walk_chain(struct smap_trace_opening *opening, uint64_t pos)
{
	struct chain chain = { .end = pos };
	struct header header;
	unsigned int nr = 0;
	int ret;

	while (pos < opening->input.size && opening->input.size - pos >= HEADER_SIZE) {
		ret = read_header(opening, pos, &header);
		if (ret)
			return ret;
		if (!is_section(&header))
			break;
		/* Not a kind that we know, and not all there: it only looks like one. */
		if (!smap_trace_section_name(header.id) &&
		    header.size > opening->input.size - header.data)
			break;
		if (++nr > TRACE_MAX_SECTIONS)
			return smap_error_set(opening->err, -EBADMSG,
					      "offset %" PRIu64 ": too many sections", pos);
		ret = take_link(opening, pos, &header, &chain);
		if (ret)
			return ret;
		pos = chain.end;
	}
	smap_trace_extend(opening, chain.end);
	/* Each section has its name in the strings, which come last. */
	if (chain.described > chain.strings)
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": the strings are missing: cut off here",
				      chain.end);
	return walk_rest(opening, pos);
}

int smap_trace_open_v7(struct smap_trace_opening *opening, uint64_t pos)
{
	uint64_t options;
	int ret;

	ret = smap_trace_read_u64(&opening->input, &pos, &options, "the offset of the options");
	if (!ret)
		ret = read_all_options(opening, options);
	if (!ret)
		ret = walk_chain(opening, pos);
	return ret;
}
