// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "core/buf.h"
#include "fixture.h"

/* ---- an export, number by number: the offsets are not taken from the header of the format ---- */

struct bin {
	struct smap_buf	buf;
	bool		big;
};

static void put(struct bin *bin, uint64_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		smap_buf_add_char(&bin->buf,
				  (char)(value >> 8 * (bin->big ? size - 1 - i : i) & 0xff));
}

/* Change a number that was put. */
static void set(struct bin *bin, size_t at, uint64_t value, unsigned int size)
{
	unsigned int i;

	assert_true(at + size <= bin->buf.len);
	for (i = 0; i < size; i++)
		bin->buf.data[at + i] =
			(char)(value >> 8 * (bin->big ? size - 1 - i : i) & 0xff);
}

#define HEADER_SIZE	64
#define VERSION_AT	4
#define HEADER_SIZE_AT	8
#define FLAGS_AT	12
#define TRAMPOLINE_AT	32
#define BUILD_ID_LEN_AT	40

#define CLOSED		1
#define ADDR32		2

static struct bin bin_new(bool big, uint32_t flags)
{
	struct bin bin = { SMAP_BUF_INIT, big };
	unsigned int i;

	put(&bin, 0x46534d32, 4);
	put(&bin, 2, 4);
	put(&bin, HEADER_SIZE, 4);
	put(&bin, flags, 4);
	put(&bin, 1804289383, 4);
	put(&bin, 16384, 4);
	put(&bin, 0xffffffff81000000, 8);
	put(&bin, 0x7fffffff, 8);
	put(&bin, 20, 4);
	for (i = 0; i < 20; i++)
		put(&bin, 0xa0 + i, 1);
	assert_int_equal(bin.buf.len, HEADER_SIZE);
	return bin;
}

static void put_stack(struct bin *bin, uint32_t slot, uint32_t ref, uint32_t frames)
{
	put(bin, 1, 4);
	put(bin, 24 + 8 * frames, 4);
	put(bin, slot, 4);
	put(bin, ref, 4);
	put(bin, frames, 4);
	put(bin, 24, 4);
}

static void put_trailer(struct bin *bin, uint32_t nr_stacks)
{
	size_t nr_bytes = bin->buf.len;

	put(bin, 2, 4);
	put(bin, 40, 4);
	put(bin, nr_stacks, 4);
	put(bin, 0, 4);
	put(bin, nr_bytes, 8);
	put(bin, 1338, 8);
	put(bin, 5, 8);
}

/* Where the records of two_stacks() begin. */
#define FIRST_AT	HEADER_SIZE
#define SECOND_AT	(FIRST_AT + 24 + 3 * 8)
#define TRAILER_AT	(SECOND_AT + 24 + 8)
#define END_AT		(TRAILER_AT + 40)

static struct bin two_stacks(bool big)
{
	struct bin bin = bin_new(big, 0);

	put_stack(&bin, 42, 1337, 3);
	put(&bin, 0xffffffff81000048, 8);
	put(&bin, 0x7fffffff, 8);
	put(&bin, 0xffffffffc0001010, 8);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 0xffffffff81000048, 8);
	assert_int_equal(bin.buf.len, TRAILER_AT);
	put_trailer(&bin, 2);
	assert_int_equal(bin.buf.len, END_AT);
	return bin;
}

#define FIRST	"1804289383:42 ref 1337 0xffffffff81000048|TRAMPOLINE|0xffffffffc0001010\n"
#define SECOND	"1804289383:43 ref 1 0xffffffff81000048\n"

/* Parses and frees @bin. */
static struct parsed parsed_from_bin(struct bin *bin)
{
	struct parsed parsed = parsed_from(bin->buf.data, bin->buf.len);

	smap_buf_free(&bin->buf);
	return parsed;
}

static void assert_refused(struct bin *bin, int code, const char *words)
{
	struct parsed parsed;

	errno = 0;
	parsed = parsed_from_bin(bin);
	assert_int_equal(parsed.ret, code);
	assert_int_equal(errno, -code);
	assert_string_equal(parsed.err.text, words);
	parsed_free(&parsed);
}

/* What is told of the faults, one behind the other. */
static const char *told(const struct parsed *parsed)
{
	static char text[1024];
	struct smap_error words;
	int kind;

	text[0] = '\0';
	for (kind = 0; kind < SMAP_NR_FINDINGS; kind++) {
		if (!smap_findings_get_words(&parsed->findings, kind, &words))
			continue;
		strcat(text, words.text);
		strcat(text, "\n");
	}
	return text;
}

static void assert_served(struct bin *bin, const char *stacks, const char *words)
{
	struct parsed parsed = parsed_from_bin(bin);

	if (parsed.ret)
		fail_msg("%s", parsed.err.text);
	assert_string_equal(parsed.stacks, stacks);
	assert_string_equal(told(&parsed), words);
	parsed_free(&parsed);
}

/* ---- what is right ---- */

static void both_byte_orders_are_read_and_named(void **state)
{
	struct parsed parsed;
	struct bin bin;
	int big;

	for (big = 0; big < 2; big++) {
		bin = two_stacks(big);
		parsed = parsed_from_bin(&bin);
		assert_int_equal(parsed.ret, 0);
		assert_string_equal(parsed.stacks, FIRST SECOND);
		assert_int_equal(parsed.order, big ? SMAP_ORDER_BIG : SMAP_ORDER_LITTLE);
		assert_int_equal(parsed.findings.nr_records, 2);
		assert_string_equal(told(&parsed), "");
		parsed_free(&parsed);
	}
}

static void the_stacks_are_of_the_generation_of_the_header(void **state)
{
	struct bin bin = two_stacks(false);
	struct parsed parsed = parsed_from_bin(&bin);
	const struct smap_export *export = parsed.export;

	assert_true(export->has_generation);
	assert_int_equal(export->nr_maps, 1);
	assert_int_equal(export->maps[0].generation, 1804289383);
	assert_non_null(smap_export_find(export, smap_cookie(1804289383, 42)));
	assert_null(smap_export_find(export, smap_cookie(0, 42)));
	assert_null(smap_export_find(export, smap_cookie(1804289384, 42)));
	assert_null(smap_export_find(export, smap_cookie(1804289383, 44)));
	parsed_free(&parsed);
}

static void a_map_without_stacks_has_its_generation(void **state)
{
	struct bin bin = bin_new(true, CLOSED);
	struct parsed parsed;

	put_trailer(&bin, 0);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->nr_maps, 1);
	assert_int_equal(parsed.export->maps[0].generation, 1804289383);
	assert_int_equal(parsed.export->maps[0].nr_stacks, 0);
	assert_string_equal(told(&parsed), "");
	parsed_free(&parsed);
}

static void what_header_and_trailer_tell_is_kept(void **state)
{
	static const uint8_t build_id[20] = {
		0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9,
		0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb0, 0xb1, 0xb2, 0xb3,
	};
	const struct smap_export_info *info;
	struct parsed parsed;
	struct bin bin;
	int big;

	for (big = 0; big < 2; big++) {
		bin = two_stacks(big);
		set(&bin, FLAGS_AT, CLOSED, 4);
		parsed = parsed_from_bin(&bin);
		info = &parsed.export->info;
		assert_int_equal(info->stext, 0xffffffff81000000);
		assert_int_equal(info->word_size, 8);
		assert_int_equal(info->capacity, 16384);
		assert_true(info->is_closed);
		assert_int_equal(info->build_id_len, 20);
		assert_memory_equal(info->build_id, build_id, 20);
		assert_true(info->has_counts);
		assert_int_equal(info->successes, 1338);
		assert_int_equal(info->fallbacks, 5);
		parsed_free(&parsed);
	}
}

static void a_live_map_of_an_unknown_build_is_told_as_such(void **state)
{
	struct bin bin = two_stacks(false);
	struct parsed parsed;

	set(&bin, BUILD_ID_LEN_AT, 0, 4);
	parsed = parsed_from_bin(&bin);
	assert_false(parsed.export->info.is_closed);
	assert_int_equal(parsed.export->info.build_id_len, 0);
	parsed_free(&parsed);
}

static void addresses_of_32_bits_are_read_and_held_to_it(void **state)
{
	struct parsed parsed;
	struct bin bin;
	int big;

	for (big = 0; big < 2; big++) {
		bin = bin_new(big, ADDR32);
		put_stack(&bin, 1, 1, 2);
		put(&bin, 0xc0008000, 8);
		put(&bin, 0x7fffffff, 8);
		put_trailer(&bin, 1);
		parsed = parsed_from(bin.buf.data, bin.buf.len);
		assert_string_equal(parsed.stacks, "1804289383:1 ref 1 0xc0008000|TRAMPOLINE\n");
		assert_int_equal(parsed.export->info.word_size, 4);
		parsed_free(&parsed);

		set(&bin, FIRST_AT + 24 + 8, 0x100000000, 8);
		assert_refused(&bin, -EBADMSG, "byte 96: an address of more than 32 bits");
	}
}

static void the_header_says_what_stands_for_the_trampoline(void **state)
{
	struct bin bin = two_stacks(true);

	set(&bin, TRAMPOLINE_AT, 0xffffffffc0001010, 8);
	assert_served(&bin, "1804289383:42 ref 1337 0xffffffff81000048|0x7fffffff|TRAMPOLINE\n"
		      SECOND, "");
}

static void stacks_may_be_deeper_than_64_frames(void **state)
{
	struct bin bin = bin_new(false, 0);
	struct parsed parsed;
	uint64_t i;

	put_stack(&bin, 1, 1, 1024);
	for (i = 0; i < 1024; i++)
		put(&bin, i, 8);
	put_trailer(&bin, 1);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->stacks[0].depth, 1024);
	assert_int_equal(parsed.export->stacks[0].flags, 0);
	parsed_free(&parsed);
}

/* ---- how the format may grow ---- */

static void a_longer_header_is_passed_over(void **state)
{
	struct bin bin = bin_new(true, 0);

	set(&bin, HEADER_SIZE_AT, HEADER_SIZE + 16, 4);
	put(&bin, 1, 8);
	put(&bin, UINT64_MAX, 8);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 0xffffffff81000048, 8);
	put_trailer(&bin, 1);
	assert_served(&bin, SECOND, "");
}

static void flags_that_are_not_known_say_nothing(void **state)
{
	struct bin bin = two_stacks(false);

	set(&bin, FLAGS_AT, 0xfffffff8, 4);
	assert_served(&bin, FIRST SECOND, "");
}

static void kinds_that_are_not_known_are_passed_over(void **state)
{
	struct bin bin = bin_new(false, 0);

	put(&bin, 0, 4);
	put(&bin, 8, 4);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 0xffffffff81000048, 8);
	put(&bin, 0x80000000, 4);
	put(&bin, 24, 4);
	put(&bin, UINT64_MAX, 8);
	put(&bin, UINT64_MAX, 8);
	put_trailer(&bin, 1);
	assert_served(&bin, SECOND, "");
}

static void frames_are_where_the_record_says(void **state)
{
	struct bin bin = bin_new(true, 0);

	put(&bin, 1, 4);
	put(&bin, 40 + 8, 4);
	put(&bin, 43, 4);
	put(&bin, 1, 4);
	put(&bin, 1, 4);
	put(&bin, 40, 4);
	put(&bin, 0xaaaaaaaa, 8);
	put(&bin, 0xbbbbbbbb, 8);
	put(&bin, 0xffffffff81000048, 8);
	put_trailer(&bin, 1);
	assert_served(&bin, SECOND, "");
}

static void a_longer_trailer_is_taken(void **state)
{
	struct bin bin = two_stacks(false);

	set(&bin, TRAILER_AT + 4, 48, 4);
	put(&bin, 1, 8);
	assert_served(&bin, FIRST SECOND, "");
}

static void all_of_a_longer_trailer_has_to_be_there(void **state)
{
	struct bin bin = two_stacks(false);
	struct parsed parsed;

	set(&bin, TRAILER_AT + 4, 48, 4);
	put(&bin, 1, 4);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_string_equal(told(&parsed), "the last record is cut, at byte 144\n");
	assert_false(parsed.export->info.has_counts);
	parsed_free(&parsed);
}

/* ---- what is served with its fault named ---- */

static void every_prefix_gives_whole_stacks_and_says_what_is_cut(void **state)
{
	static const size_t starts[] = { FIRST_AT, SECOND_AT, TRAILER_AT };
	struct parsed parsed;
	size_t len, record;
	struct bin bin;
	int big;

	for (big = 0; big < 2; big++) {
		bin = two_stacks(big);
		for (len = 0; len < END_AT; len++) {
			parsed = parsed_from(bin.buf.data, len);
			if (len < HEADER_SIZE) {
				assert_int_equal(parsed.ret, len < 4 ? -EINVAL : -EBADMSG);
				parsed_free(&parsed);
				continue;
			}
			assert_int_equal(parsed.ret, 0);
			for (record = 2; starts[record] > len; record--)
				;
			/* Between two records none is cut. */
			assert_int_equal(parsed.findings.cut, len != starts[record]);
			assert_int_equal(parsed.findings.no_trailer, len == starts[record]);
			if (parsed.findings.cut)
				assert_int_equal(parsed.findings.cut_offset, starts[record]);
			else
				assert_int_equal(parsed.findings.trailer_offset, len);
			assert_int_equal(parsed.findings.has_cut_slot,
					 record < 2 && len >= starts[record] + 24);
			if (parsed.findings.has_cut_slot)
				assert_int_equal(parsed.findings.cut_slot, 42 + record);
			assert_int_equal(parsed.export->nr_damaged, parsed.findings.has_cut_slot);
			assert_int_equal(parsed.export->nr_stacks,
					 record + parsed.findings.has_cut_slot);
			assert_int_equal(parsed.export->nr_maps, 1);
			assert_false(parsed.export->info.has_counts);
			parsed_free(&parsed);
		}
		smap_buf_free(&bin.buf);
	}
}

static void a_cut_stack_keeps_the_frames_that_are_whole(void **state)
{
	struct bin bin = two_stacks(false);
	struct parsed parsed = parsed_from(bin.buf.data, FIRST_AT + 24 + 8 + 7);

	assert_string_equal(parsed.stacks,
			    "1804289383:42 ref 1337 0xffffffff81000048 damaged\n");
	assert_int_equal(parsed.export->stacks[0].stated_depth, 3);
	assert_string_equal(told(&parsed), "the last record (slot 42) is cut, at byte 64\n");
	parsed_free(&parsed);
	smap_buf_free(&bin.buf);
}

static void an_export_without_its_trailer_is_not_complete(void **state)
{
	struct bin bin = two_stacks(false);

	bin.buf.len = TRAILER_AT;
	assert_served(&bin, FIRST SECOND,
		      "ends without its trailer, at byte 144: it is not complete\n");
}

static void a_trailer_that_counts_otherwise_is_told(void **state)
{
	struct bin bin = two_stacks(true);

	set(&bin, TRAILER_AT + 8, 1, 4);
	assert_served(&bin, FIRST SECOND, "the trailer tells of 1 stack and 144 bytes before it, "
		      "there are 2 and 144\n");
	bin = two_stacks(true);
	set(&bin, TRAILER_AT + 16, 0x100000090, 8);
	assert_served(&bin, FIRST SECOND, "the trailer tells of 2 stacks and 4294967440 bytes "
		      "before it, there are 2 and 144\n");
}

static void bytes_behind_the_trailer_are_counted(void **state)
{
	struct bin bin = two_stacks(false);

	put_stack(&bin, 44, 1, 1);
	put(&bin, 1, 8);
	put(&bin, 1, 1);
	assert_served(&bin, FIRST SECOND, "33 bytes behind the end\n");
}

static void slots_that_fall_are_told_and_kept(void **state)
{
	struct bin bin = bin_new(false, 0);

	put_stack(&bin, 42, 1, 1);
	put(&bin, 1, 8);
	put_stack(&bin, 41, 1, 1);
	put(&bin, 2, 8);
	put_stack(&bin, 40, 1, 1);
	put(&bin, 3, 8);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 4, 8);
	put_trailer(&bin, 4);
	assert_served(&bin, "1804289383:40 ref 1 0x3\n1804289383:41 ref 1 0x2\n"
		      "1804289383:42 ref 1 0x1\n1804289383:43 ref 1 0x4\n",
		      "2 records out of the order of slots, first at byte 96\n");
}

static void a_slot_that_comes_twice_is_told(void **state)
{
	struct bin bin = bin_new(false, 0);

	put_stack(&bin, 0, 1, 1);
	put(&bin, 1, 8);
	put_stack(&bin, 0, 1, 1);
	put(&bin, 2, 8);
	put_trailer(&bin, 2);
	assert_served(&bin, "1804289383:0 ref 1 0x1 conflict\n1804289383:0 ref 1 0x2 conflict\n",
		      "1 record out of the order of slots, first at byte 96\n");

	bin = bin_new(false, 0);
	put_stack(&bin, 0, 1, 1);
	put(&bin, 1, 8);
	put_stack(&bin, 0, 2, 1);
	put(&bin, 1, 8);
	put_trailer(&bin, 2);
	assert_served(&bin, "1804289383:0 ref 2 0x1\n",
		      "1 record out of the order of slots, first at byte 96\n");
}

/* ---- what is refused ---- */

static void other_versions_are_not_supported_whatever_their_size(void **state)
{
	static const uint32_t versions[] = { 0, 1, 3, 0x02000000, UINT32_MAX };
	char words[64];
	struct bin bin;
	int i;

	for (i = 0; i < 5; i++) {
		bin = two_stacks(i % 2);
		set(&bin, VERSION_AT, versions[i], 4);
		if (i % 2)
			bin.buf.len = 8;
		snprintf(words, sizeof(words), "version %u of format FSM2 is not known",
			 versions[i]);
		assert_refused(&bin, -EOPNOTSUPP, words);
	}
}

static void a_header_that_ends_too_early_is_refused(void **state)
{
	struct bin bin = two_stacks(false);

	bin.buf.len = 6;
	assert_refused(&bin, -EBADMSG, "cut within its header, at byte 6");
	bin = two_stacks(false);
	bin.buf.len = 63;
	assert_refused(&bin, -EBADMSG, "cut within its header, at byte 63");
	bin = two_stacks(false);
	set(&bin, HEADER_SIZE_AT, END_AT + 8, 4);
	assert_refused(&bin, -EBADMSG, "cut within its header, at byte 184");
}

static void headers_of_wrong_sizes_are_refused(void **state)
{
	static const uint32_t sizes[] = { 0, 56, 63, 68, UINT32_MAX };
	char words[64];
	struct bin bin;
	int i;

	for (i = 0; i < 5; i++) {
		bin = two_stacks(false);
		set(&bin, HEADER_SIZE_AT, sizes[i], 4);
		snprintf(words, sizeof(words), "byte 8: a header of %u bytes", sizes[i]);
		assert_refused(&bin, -EBADMSG, words);
	}
}

static void a_build_id_longer_than_its_place_is_refused(void **state)
{
	struct bin bin = two_stacks(true);

	set(&bin, BUILD_ID_LEN_AT, 21, 4);
	assert_refused(&bin, -EBADMSG, "byte 40: a build ID of 21 bytes");
}

static void records_of_wrong_sizes_are_refused(void **state)
{
	static const struct { uint32_t kind, size; const char *words; } cases[] = {
		{ 1, 0, "byte 112: a stack of 0 bytes" },
		{ 1, 16, "byte 112: a stack of 16 bytes" },
		{ 1, 33, "byte 112: a stack of 33 bytes" },
		{ 1, UINT32_MAX, "byte 112: a stack of 4294967295 bytes" },
		{ 2, 32, "byte 112: a trailer of 32 bytes" },
		{ 3, 0, "byte 112: a record of 0 bytes" },
		{ 3, 4, "byte 112: a record of 4 bytes" },
		{ 3, 12, "byte 112: a record of 12 bytes" },
	};
	struct bin bin;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bin = two_stacks(i % 2);
		set(&bin, SECOND_AT, cases[i].kind, 4);
		set(&bin, SECOND_AT + 4, cases[i].size, 4);
		assert_refused(&bin, -EBADMSG, cases[i].words);
	}
}

static void frames_that_do_not_fill_their_record_are_refused(void **state)
{
	static const struct { uint32_t size, frames, offset; const char *words; } cases[] = {
		{ 32, 2, 24, "a stack of 32 bytes, with 2 frames from its byte 24" },
		{ 40, 1, 24, "a stack of 40 bytes, with 1 frame from its byte 24" },
		{ 32, 1, 16, "a stack of 32 bytes, with 1 frame from its byte 16" },
		{ 32, 1, 0, "a stack of 32 bytes, with 1 frame from its byte 0" },
		/* These fill it, together with what is no frame. */
		{ 32, 2, 16, "a stack of 32 bytes, with 2 frames from its byte 16" },
		{ 32, 4, 0, "a stack of 32 bytes, with 4 frames from its byte 0" },
		{ 24, 0x20000001, 24,
		  "a stack of 24 bytes, with 536870913 frames from its byte 24" },
		/* 24 + 8 * frames, cut to 32 bits, would fit. */
		{ 32, 0x20000001, 24,
		  "a stack of 32 bytes, with 536870913 frames from its byte 24" },
		{ 32, UINT32_MAX, 40,
		  "a stack of 32 bytes, with 4294967295 frames from its byte 40" },
		{ 32, 1, 0xfffffff8,
		  "a stack of 32 bytes, with 1 frame from its byte 4294967288" },
	};
	char words[128];
	struct bin bin;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bin = two_stacks(i % 2);
		set(&bin, SECOND_AT + 4, cases[i].size, 4);
		set(&bin, SECOND_AT + 16, cases[i].frames, 4);
		set(&bin, SECOND_AT + 20, cases[i].offset, 4);
		snprintf(words, sizeof(words), "byte 112: %s", cases[i].words);
		assert_refused(&bin, -EBADMSG, words);
	}
}

static void a_stack_without_frames_is_refused(void **state)
{
	struct bin bin = two_stacks(false);

	set(&bin, SECOND_AT + 16, 0, 4);
	assert_refused(&bin, -EBADMSG, "byte 112: a stack of 0 frames");
}

/* A record of 4 GiB that is not there costs nothing. */
static void memory_follows_the_bytes_and_not_what_they_claim(void **state)
{
	struct bin bin = bin_new(false, 0);
	struct parsed parsed;

	put(&bin, 1, 4);
	put(&bin, 0xfffffff8, 4);
	put(&bin, 7, 4);
	put(&bin, 1, 4);
	put(&bin, (0xfffffff8 - 24) / 8, 4);
	put(&bin, 24, 4);
	put(&bin, 0xffffffff81000048, 8);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, "1804289383:7 ref 1 0xffffffff81000048 damaged\n");
	assert_string_equal(told(&parsed), "the last record (slot 7) is cut, at byte 64\n");
	parsed_free(&parsed);
}

/* ---- attacks ---- */

/* Bytes of two_stacks() that only say themselves what they say. */
static bool is_bare_value(size_t at)
{
	static const struct { size_t first, last; } values[] = {
		{ FLAGS_AT, 43 },			/* flags to build ID length */
		{ 44, 63 },				/* build ID */
		{ FIRST_AT + 8, FIRST_AT + 15 },	/* slot, ref */
		{ FIRST_AT + 24, SECOND_AT - 1 },
		{ SECOND_AT + 8, SECOND_AT + 15 },
		{ SECOND_AT + 24, TRAILER_AT - 1 },
		{ TRAILER_AT + 12, TRAILER_AT + 15 },	/* reserved */
		{ TRAILER_AT + 24, END_AT - 1 },	/* successes, fallbacks */
	};
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (at >= values[i].first && at <= values[i].last)
			return true;
	return false;
}

static void every_flip_of_what_holds_it_together_is_found(void **state)
{
	struct parsed parsed;
	struct bin bin;
	size_t bit;
	int big;

	for (big = 0; big < 2; big++) {
		bin = two_stacks(big);
		for (bit = 0; bit < END_AT * 8; bit++) {
			bin.buf.data[bit / 8] ^= (char)(1 << bit % 8);
			parsed = parsed_from(bin.buf.data, bin.buf.len);
			if (!parsed.ret && !*told(&parsed) && !is_bare_value(bit / 8))
				fail_msg("bit %zu of byte %zu: nothing found", bit % 8, bit / 8);
			if (parsed.ret && is_bare_value(bit / 8) && bit / 8 > 43)
				fail_msg("bit %zu of byte %zu: %s", bit % 8, bit / 8,
					 parsed.err.text);
			parsed_free(&parsed);
			bin.buf.data[bit / 8] ^= (char)(1 << bit % 8);
		}
		smap_buf_free(&bin.buf);
	}
}

static void every_failing_allocation_gives_enomem_and_leaks_nothing(void **state)
{
	struct bin bin = two_stacks(false);
	struct input input = { bin.buf.data, bin.buf.len };

	assert_true(alloc_fail_each(parse_once, &input) > 5);
	assert_true(alloc_fail_each(parse_briefly_once, &input) > 5);
	smap_buf_free(&bin.buf);

	bin = bin_new(false, 0);
	put_trailer(&bin, 0);
	input = (struct input){ bin.buf.data, bin.buf.len };
	assert_true(alloc_fail_each(parse_once, &input) > 3);
	smap_buf_free(&bin.buf);
}

static void the_parser_itself_checks_the_magic(void **state)
{
	struct smap_export *export = NULL;
	struct smap_findings findings = { 0 };
	struct smap_error err;
	char zeros[64] = { 0 };

	assert_false(smap_parse_bin2.probe(zeros, sizeof(zeros)));
	assert_int_equal(smap_parse_bin2.parse(zeros, sizeof(zeros), &export, &findings, &err),
			 -EBADMSG);
	assert_string_equal(err.text, "byte 0: no stack_map_bin");
	assert_null(export);
}

/* ---- all stacks of one in another ---- */

#define BIG_ENDIAN_HOST	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static bool has_all(const struct bin *bin, const struct bin *older)
{
	return parsed_has_all(&smap_parse_bin2, bin->buf.data, bin->buf.len, older->buf.data,
			      older->buf.len);
}

/* two_stacks() with one more in front and one behind. */
static struct bin four_stacks(void)
{
	struct bin bin = bin_new(BIG_ENDIAN_HOST, CLOSED);

	put_stack(&bin, 7, 1, 1);
	put(&bin, 1, 8);
	put_stack(&bin, 42, 2000, 3);
	put(&bin, 0xffffffff81000048, 8);
	put(&bin, 0x7fffffff, 8);
	put(&bin, 0xffffffffc0001010, 8);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 0xffffffff81000048, 8);
	put_stack(&bin, 44, 1, 1);
	put(&bin, 2, 8);
	put_trailer(&bin, 4);
	return bin;
}

static void the_fuller_export_of_a_map_has_all_of_the_older(void **state)
{
	struct bin bin = four_stacks(), older = two_stacks(BIG_ENDIAN_HOST);
	struct bin none = bin_new(BIG_ENDIAN_HOST, 0);

	(void)state;
	put_trailer(&none, 0);
	assert_true(has_all(&bin, &bin));
	assert_true(has_all(&bin, &older));
	assert_false(has_all(&older, &bin));
	assert_true(has_all(&older, &none));
	assert_false(has_all(&none, &older));
	smap_buf_free(&bin.buf);
	smap_buf_free(&older.buf);
	smap_buf_free(&none.buf);
}

/* @size bytes at @at of the older one changed to @value: that is another stack, map or nothing. */
static void has_not_all_with(size_t at, uint64_t value, unsigned int size)
{
	struct bin bin = four_stacks(), older = two_stacks(BIG_ENDIAN_HOST);

	set(&older, at, value, size);
	assert_false(has_all(&bin, &older));
	smap_buf_free(&bin.buf);
	smap_buf_free(&older.buf);
}

static void what_differs_is_not_all(void **state)
{
	(void)state;
	has_not_all_with(0, 0x46534d31, 4);
	has_not_all_with(VERSION_AT, 3, 4);
	has_not_all_with(HEADER_SIZE_AT, 60, 4);
	has_not_all_with(FLAGS_AT, ADDR32, 4);
	has_not_all_with(16, 1804289384, 4);			/* generation */
	has_not_all_with(24, 0xffffffff82000000, 8);		/* stext */
	has_not_all_with(TRAMPOLINE_AT, 0x7ffffffe, 8);
	has_not_all_with(FIRST_AT, 9, 4);			/* a kind that is not known */
	has_not_all_with(FIRST_AT + 4, 0, 4);			/* sizes */
	has_not_all_with(FIRST_AT + 4, 40, 4);
	has_not_all_with(FIRST_AT + 4, 0xfffffff8, 4);
	has_not_all_with(FIRST_AT + 8, 41, 4);			/* slots */
	has_not_all_with(FIRST_AT + 8, 43, 4);
	has_not_all_with(SECOND_AT + 8, 42, 4);
	has_not_all_with(FIRST_AT + 16, 2, 4);			/* frames */
	has_not_all_with(FIRST_AT + 20, 32, 4);
	has_not_all_with(FIRST_AT + 24, 0xffffffff81000049, 8);
	has_not_all_with(FIRST_AT + 40, 0xffffffffc0001011, 8);
	has_not_all_with(TRAILER_AT, 1, 4);
}

/* Of a map in the other order of bytes it says nothing. */
static void only_exports_of_this_machine_are_compared(void **state)
{
	struct bin bin = two_stacks(!BIG_ENDIAN_HOST);

	(void)state;
	assert_false(has_all(&bin, &bin));
	smap_buf_free(&bin.buf);
}

static void what_is_not_whole_neither_has_all_nor_is_had(void **state)
{
	struct bin bin = four_stacks(), older = two_stacks(BIG_ENDIAN_HOST), cut;

	(void)state;
	for (cut = older; cut.buf.len-- > 0; )
		if (cut.buf.len < TRAILER_AT + 8)
			assert_false(has_all(&bin, &cut));
	for (cut = bin; cut.buf.len-- > 0; )
		if (cut.buf.len < bin.buf.len - 32)
			assert_false(has_all(&cut, &older));
	smap_buf_free(&bin.buf);
	smap_buf_free(&older.buf);
}

/* Two stacks of one cookie contradict each other, whichever is met first. */
static void a_slot_that_is_there_twice_is_not_had(void **state)
{
	struct bin bin = bin_new(BIG_ENDIAN_HOST, 0), older = two_stacks(BIG_ENDIAN_HOST);

	(void)state;
	smap_buf_add(&bin.buf, older.buf.data + FIRST_AT, TRAILER_AT - FIRST_AT);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 3, 8);
	put_trailer(&bin, 3);
	assert_false(has_all(&bin, &older));
	smap_buf_free(&bin.buf);
	smap_buf_free(&older.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders_are_read_and_named),
		cmocka_unit_test(the_stacks_are_of_the_generation_of_the_header),
		cmocka_unit_test(a_map_without_stacks_has_its_generation),
		cmocka_unit_test(what_header_and_trailer_tell_is_kept),
		cmocka_unit_test(a_live_map_of_an_unknown_build_is_told_as_such),
		cmocka_unit_test(addresses_of_32_bits_are_read_and_held_to_it),
		cmocka_unit_test(the_header_says_what_stands_for_the_trampoline),
		cmocka_unit_test(stacks_may_be_deeper_than_64_frames),
		cmocka_unit_test(a_longer_header_is_passed_over),
		cmocka_unit_test(flags_that_are_not_known_say_nothing),
		cmocka_unit_test(kinds_that_are_not_known_are_passed_over),
		cmocka_unit_test(frames_are_where_the_record_says),
		cmocka_unit_test(a_longer_trailer_is_taken),
		cmocka_unit_test(all_of_a_longer_trailer_has_to_be_there),
		cmocka_unit_test(every_prefix_gives_whole_stacks_and_says_what_is_cut),
		cmocka_unit_test(a_cut_stack_keeps_the_frames_that_are_whole),
		cmocka_unit_test(an_export_without_its_trailer_is_not_complete),
		cmocka_unit_test(a_trailer_that_counts_otherwise_is_told),
		cmocka_unit_test(bytes_behind_the_trailer_are_counted),
		cmocka_unit_test(slots_that_fall_are_told_and_kept),
		cmocka_unit_test(a_slot_that_comes_twice_is_told),
		cmocka_unit_test(other_versions_are_not_supported_whatever_their_size),
		cmocka_unit_test(a_header_that_ends_too_early_is_refused),
		cmocka_unit_test(headers_of_wrong_sizes_are_refused),
		cmocka_unit_test(a_build_id_longer_than_its_place_is_refused),
		cmocka_unit_test(records_of_wrong_sizes_are_refused),
		cmocka_unit_test(frames_that_do_not_fill_their_record_are_refused),
		cmocka_unit_test(a_stack_without_frames_is_refused),
		cmocka_unit_test(memory_follows_the_bytes_and_not_what_they_claim),
		cmocka_unit_test(every_flip_of_what_holds_it_together_is_found),
		cmocka_unit_test(every_failing_allocation_gives_enomem_and_leaks_nothing),
		cmocka_unit_test(the_parser_itself_checks_the_magic),
		cmocka_unit_test(the_fuller_export_of_a_map_has_all_of_the_older),
		cmocka_unit_test(what_differs_is_not_all),
		cmocka_unit_test(only_exports_of_this_machine_are_compared),
		cmocka_unit_test(what_is_not_whole_neither_has_all_nor_is_had),
		cmocka_unit_test(a_slot_that_is_there_twice_is_not_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
