// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack_map_bin, format FSM2: header, a record a stack, trailer. The layout is that of
 * uapi/ftrace_stackmap.h, which the kernel includes too; stackmap-bin(5) is the authority.
 *
 * What contradicts itself within a record is refused: nothing tells where the next one begins.
 * What ends too early is used as far as it goes, as is what only the trailer disagrees with.
 */
#include <errno.h>

#include "bin.h"
#include "uapi/ftrace_stackmap.h"

#define ASSERT_AT(type, field, offset)							\
	_Static_assert(offsetof(struct ftrace_stackmap_bin_##type, field) == (offset), #field)
#define ASSERT_SIZE(type, size)								\
	_Static_assert(sizeof(struct ftrace_stackmap_bin_##type) == (size), #type)

ASSERT_AT(header, magic, 0);
ASSERT_AT(header, version, 4);
ASSERT_AT(header, header_size, 8);
ASSERT_AT(header, flags, 12);
ASSERT_AT(header, generation, 16);
ASSERT_AT(header, capacity, 20);
ASSERT_AT(header, stext, 24);
ASSERT_AT(header, trampoline, 32);
ASSERT_AT(header, build_id_len, 40);
ASSERT_AT(header, build_id, 44);
ASSERT_SIZE(header, 64);
ASSERT_AT(record, kind, 0);
ASSERT_AT(record, size, 4);
ASSERT_SIZE(record, 8);
ASSERT_AT(stack, kind, 0);
ASSERT_AT(stack, size, 4);
ASSERT_AT(stack, slot, 8);
ASSERT_AT(stack, ref, 12);
ASSERT_AT(stack, frames, 16);
ASSERT_AT(stack, frames_offset, 20);
ASSERT_SIZE(stack, 24);
ASSERT_AT(trailer, kind, 0);
ASSERT_AT(trailer, size, 4);
ASSERT_AT(trailer, nr_stacks, 8);
ASSERT_AT(trailer, reserved, 12);
ASSERT_AT(trailer, nr_bytes, 16);
ASSERT_AT(trailer, successes, 24);
ASSERT_AT(trailer, fallbacks, 32);
ASSERT_SIZE(trailer, 40);
_Static_assert(FTRACE_STACKMAP_BUILD_ID_SIZE == SMAP_BUILD_ID_SIZE, "build_id");

/* A record of which at least the first 8 bytes are there. */
struct record {
	size_t			offset;		/* in the export */
	uint32_t		kind;
	uint32_t		size;
	bool			is_cut;		/* the export ends before it does */
	struct smap_bytes	bytes;		/* what is there of it, from its first byte on */
};

struct reader {
	struct smap_bin_parser	*parser;
	uint32_t		generation;
	bool			has_slot;	/* a stack came before */
	uint32_t		slot;		/* the last one's */
	bool			at_end;		/* nothing is to be read any more */
};

static uint32_t u32(const struct smap_bytes *bytes, __u32 value)
{
	return bytes->swap ? __builtin_bswap32(value) : value;
}

static uint64_t u64(const struct smap_bytes *bytes, __u64 value)
{
	return bytes->swap ? __builtin_bswap64(value) : value;
}

static bool get_struct(struct smap_bytes *bytes, void *ret_struct, size_t size)
{
	const void *data;

	if (!smap_bytes_get(bytes, size, &data))
		return false;
	memcpy(ret_struct, data, size);
	return true;
}

static bool is_size(uint32_t size, size_t at_least)
{
	return size >= at_least && size % 8 == 0;
}

/* ---- the header ---- */

static int check_header(struct smap_bin_parser *parser,
			const struct ftrace_stackmap_bin_header *header)
{
	const struct smap_bytes *bytes = &parser->bytes;
	uint32_t size = u32(bytes, header->header_size);
	uint32_t build_id_len = u32(bytes, header->build_id_len);

	if (!is_size(size, sizeof(*header)))
		return smap_error_set(parser->err, -EBADMSG, "byte 8: a header of %u bytes", size);
	if (build_id_len > sizeof(header->build_id))
		return smap_error_set(parser->err, -EBADMSG, "byte 40: a build ID of %u bytes",
				      build_id_len);
	return 0;
}

static void keep_header(struct smap_bin_parser *parser,
			const struct ftrace_stackmap_bin_header *header)
{
	const struct smap_bytes *bytes = &parser->bytes;
	struct smap_export_info *info = &parser->info;
	uint32_t flags = u32(bytes, header->flags);

	parser->trampoline = u64(bytes, header->trampoline);
	parser->max_address = flags & FTRACE_STACKMAP_BIN_ADDR32 ? UINT32_MAX : UINT64_MAX;
	info->random_generation = true;
	info->word_size = flags & FTRACE_STACKMAP_BIN_ADDR32 ? 4 : 8;
	info->is_closed = flags & FTRACE_STACKMAP_BIN_CLOSED;
	info->stext = u64(bytes, header->stext);
	info->capacity = u32(bytes, header->capacity);
	info->build_id_len = u32(bytes, header->build_id_len);
	memcpy(info->build_id, header->build_id, info->build_id_len);
}

/* A version that we do not know may have any size: it is told first. */
static int check_version(struct smap_bin_parser *parser)
{
	struct smap_bytes bytes = parser->bytes;
	uint32_t magic, version;

	if (!smap_bytes_get_u32(&bytes, &magic) || !smap_bytes_get_u32(&bytes, &version))
		return smap_bin_header_cut(parser);
	if (version != FTRACE_STACKMAP_BIN_VERSION)
		return smap_error_set(parser->err, -EOPNOTSUPP,
				      "version %u of format FSM2 is not known", version);
	return 0;
}

static int read_header(struct reader *reader)
{
	struct smap_bin_parser *parser = reader->parser;
	struct smap_bytes *bytes = &parser->bytes;
	struct ftrace_stackmap_bin_header header;
	int ret;

	ret = check_version(parser);
	if (ret)
		return ret;
	if (!get_struct(bytes, &header, sizeof(header)))
		return smap_bin_header_cut(parser);
	ret = check_header(parser, &header);
	if (ret)
		return ret;
	if (!smap_bytes_skip(bytes, u32(bytes, header.header_size) - sizeof(header)))
		return smap_bin_header_cut(parser);
	keep_header(parser, &header);
	reader->generation = u32(bytes, header.generation);
	smap_builder_announce(parser->builder, reader->generation);
	return 0;
}

/* ---- stacks ---- */

/* The frames are the last of a record: nothing but they can tell how many there are. */
static bool frames_fit(uint32_t frames, uint32_t frames_offset, uint32_t record_size)
{
	return frames && frames_offset >= sizeof(struct ftrace_stackmap_bin_stack) &&
	       frames_offset + (uint64_t)frames * sizeof(uint64_t) == record_size;
}

static int check_stack(struct smap_bin_parser *parser, const struct record *record,
		       const struct ftrace_stackmap_bin_stack *stack)
{
	uint32_t frames = u32(&record->bytes, stack->frames);
	uint32_t frames_offset = u32(&record->bytes, stack->frames_offset);

	if (frames_fit(frames, frames_offset, record->size))
		return 0;
	if (!frames)
		return smap_error_set(parser->err, -EBADMSG, "byte %zu: a stack of 0 frames",
				      record->offset);
	return smap_error_set(parser->err, -EBADMSG,
			      "byte %zu: a stack of %u bytes, with %u frame%s from its byte %u",
			      record->offset, record->size, frames, frames == 1 ? "" : "s",
			      frames_offset);
}

static void check_order(struct reader *reader, const struct record *record, uint32_t slot)
{
	struct smap_findings *findings = reader->parser->findings;

	if (reader->has_slot && slot <= reader->slot && !findings->nr_unordered++)
		findings->unordered_offset = record->offset;
	reader->has_slot = true;
	reader->slot = slot;
}

static int add_stack(struct reader *reader, struct record *record,
		     const struct ftrace_stackmap_bin_stack *stack)
{
	struct smap_bin_parser *parser = reader->parser;
	struct smap_bytes *bytes = &record->bytes;
	uint32_t slot = u32(bytes, stack->slot), frames = u32(bytes, stack->frames);
	int ret;

	check_order(reader, record, slot);
	parser->findings->nr_records++;
	ret = smap_builder_begin(parser->builder, reader->generation, slot, u32(bytes, stack->ref),
				 frames);
	if (ret)
		return smap_bin_builder_failed(parser, ret);
	if (record->is_cut)
		smap_bin_find_cut_slot(parser, slot);
	if (!smap_bytes_skip(bytes, u32(bytes, stack->frames_offset) - sizeof(*stack)))
		return 0;
	return smap_bin_read_frames(parser, bytes, frames);
}

static int read_stack(struct reader *reader, struct record *record)
{
	struct ftrace_stackmap_bin_stack stack;
	int ret;

	if (!get_struct(&record->bytes, &stack, sizeof(stack)))
		return 0;
	ret = check_stack(reader->parser, record, &stack);
	return ret ? ret : add_stack(reader, record, &stack);
}

/* ---- the trailer ---- */

static void compare_trailer(struct smap_findings *findings, size_t offset, uint32_t nr_stacks,
			    uint64_t nr_bytes)
{
	findings->trailer_differs = nr_stacks != findings->nr_records || nr_bytes != offset;
	findings->trailer_offset = offset;
	findings->trailer_records = nr_stacks;
	findings->trailer_bytes = nr_bytes;
}

static int read_trailer(struct reader *reader, struct record *record)
{
	struct smap_bin_parser *parser = reader->parser;
	struct smap_bytes *bytes = &record->bytes;
	struct ftrace_stackmap_bin_trailer trailer;

	reader->at_end = true;
	if (record->is_cut || !get_struct(bytes, &trailer, sizeof(trailer)))
		return 0;
	compare_trailer(parser->findings, record->offset, u32(bytes, trailer.nr_stacks),
			u64(bytes, trailer.nr_bytes));
	parser->info.has_counts = true;
	parser->info.successes = u64(bytes, trailer.successes);
	parser->info.fallbacks = u64(bytes, trailer.fallbacks);
	parser->findings->nr_trailing = smap_bytes_left(&parser->bytes);
	return 0;
}

/* ---- records ---- */

static const struct kind {
	uint32_t	kind;
	const char	*name;
	size_t		size;		/* at least */
	int		(*read)(struct reader *reader, struct record *record);
} kinds[] = {
	{ FTRACE_STACKMAP_BIN_STACK, "stack", sizeof(struct ftrace_stackmap_bin_stack),
	  read_stack },
	{ FTRACE_STACKMAP_BIN_TRAILER, "trailer", sizeof(struct ftrace_stackmap_bin_trailer),
	  read_trailer },
};

/* One that is not known is passed over. */
static const struct kind *find_kind(uint32_t kind)
{
	static const struct kind any = { 0, "record", sizeof(struct ftrace_stackmap_bin_record),
					 NULL };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return &any;
}

/* False where the export ends before the record says what it is. */
static bool take_record(struct smap_bytes *bytes, struct record *ret_record)
{
	struct ftrace_stackmap_bin_record head;
	struct smap_bytes peek = *bytes;
	size_t left = smap_bytes_left(bytes);

	if (!get_struct(&peek, &head, sizeof(head)))
		return false;
	ret_record->offset = smap_bytes_offset(bytes);
	ret_record->kind = u32(bytes, head.kind);
	ret_record->size = u32(bytes, head.size);
	ret_record->is_cut = left < ret_record->size;
	ret_record->bytes = *bytes;
	if (!smap_bytes_skip(bytes, ret_record->is_cut ? left : ret_record->size))
		return false;
	ret_record->bytes.end = bytes->pos;
	return true;
}

static int read_record(struct reader *reader)
{
	struct smap_bin_parser *parser = reader->parser;
	size_t offset = smap_bytes_offset(&parser->bytes);
	const struct kind *kind;
	struct record record;

	if (!take_record(&parser->bytes, &record)) {
		smap_bin_find_cut(parser, offset);
		return 0;
	}
	kind = find_kind(record.kind);
	if (!is_size(record.size, kind->size))
		return smap_error_set(parser->err, -EBADMSG, "byte %zu: a %s of %u bytes", offset,
				      kind->name, record.size);
	if (record.is_cut)
		smap_bin_find_cut(parser, offset);
	return kind->read ? kind->read(reader, &record) : 0;
}

static int read_records(struct reader *reader)
{
	struct smap_bin_parser *parser = reader->parser;
	struct smap_findings *findings = parser->findings;
	int ret;

	while (!reader->at_end && !findings->cut && smap_bytes_left(&parser->bytes)) {
		ret = read_record(reader);
		if (ret)
			return ret;
	}
	if (!reader->at_end && !findings->cut) {
		findings->no_trailer = true;
		findings->trailer_offset = smap_bytes_offset(&parser->bytes);
	}
	return 0;
}

static int read_all(struct smap_bin_parser *parser)
{
	struct reader reader = { .parser = parser };
	int ret = read_header(&reader);

	return ret ? ret : read_records(&reader);
}

/* ---- all stacks of one in another? ---- */

/* From stack to stack, of what is whole and in the order that a kernel writes. */
struct walk {
	struct ftrace_stackmap_bin_header header;
	struct smap_window	*window;
	bool			has_slot;
	bool			at_end;		/* at the trailer: there was nothing wrong */
	uint32_t		slot;		/* the stack where it is now */
	uint32_t		nr_frames;
	const void		*frames;
};

static bool begin_walk(struct walk *walk, struct smap_window *window)
{
	const void *data = smap_window_peek(window, sizeof(walk->header));

	*walk = (struct walk){ .window = window };
	if (!data)
		return false;
	memcpy(&walk->header, data, sizeof(walk->header));
	return walk->header.magic == FTRACE_STACKMAP_BIN_MAGIC &&
	       walk->header.version == FTRACE_STACKMAP_BIN_VERSION &&
	       is_size(walk->header.header_size, sizeof(walk->header)) &&
	       smap_window_take(window, walk->header.header_size);
}

static bool take_stack(struct walk *walk, const char *record, uint32_t size)
{
	struct ftrace_stackmap_bin_stack stack;

	if (size < sizeof(stack))
		return false;
	memcpy(&stack, record, sizeof(stack));
	if (!frames_fit(stack.frames, stack.frames_offset, size) ||
	    (walk->has_slot && stack.slot <= walk->slot))
		return false;
	walk->has_slot = true;
	walk->slot = stack.slot;
	walk->nr_frames = stack.frames;
	walk->frames = record + stack.frames_offset;
	return true;
}

static bool walk_on(struct walk *walk)
{
	struct ftrace_stackmap_bin_record head;
	const void *record = smap_window_peek(walk->window, sizeof(head));

	if (!record)
		return false;
	memcpy(&head, record, sizeof(head));
	if (!is_size(head.size, sizeof(head)))
		return false;
	record = smap_window_take(walk->window, head.size);
	if (!record)
		return false;
	if (head.kind == FTRACE_STACKMAP_BIN_STACK)
		return take_stack(walk, record, head.size);
	/* Of another kind nobody knows what it says. */
	walk->at_end = head.kind == FTRACE_STACKMAP_BIN_TRAILER;
	return false;
}

/* What an address is, and of which map. */
static bool same_map(const struct ftrace_stackmap_bin_header *a,
		     const struct ftrace_stackmap_bin_header *b)
{
	return a->generation == b->generation && a->stext == b->stext &&
	       a->trampoline == b->trampoline &&
	       !((a->flags ^ b->flags) & FTRACE_STACKMAP_BIN_ADDR32);
}

static bool same_stack(const struct walk *a, const struct walk *b)
{
	return a->slot == b->slot && a->nr_frames == b->nr_frames &&
	       !memcmp(a->frames, b->frames, a->nr_frames * sizeof(uint64_t));
}

/* Byte by byte: for two exports of one map, in the order of this machine. */
static bool has_all(struct smap_window *export, struct smap_window *older)
{
	struct walk all, some;

	if (!begin_walk(&all, export) || !begin_walk(&some, older) ||
	    !same_map(&all.header, &some.header))
		return false;
	while (walk_on(&some)) {
		do {
			if (!walk_on(&all))
				return false;
		} while (all.slot < some.slot);
		if (!same_stack(&all, &some))
			return false;
	}
	while (walk_on(&all))
		;
	return some.at_end && all.at_end;
}

static const struct smap_bin_format bin2 = {
	.magic = FTRACE_STACKMAP_BIN_MAGIC,
	.has_generation = true,
	.read = read_all,
};

SMAP_BIN_FORMAT(bin2, "stack_map_bin, format FSM2", true, has_all);
