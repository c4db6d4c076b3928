// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "alloc-fail.h"

/* A header and three blocks: generation 1, generation 2, text of series 4 to 7. */
struct three {
	struct smap_buf	buf;
	size_t		blocks[4];	/* the last: the end */
};

static int setup(void **state)
{
	struct three *three = calloc(1, sizeof(*three));

	fixture_add_header(&three->buf);
	three->blocks[0] = fixture_add_block(&three->buf, fixture_gen1);
	three->blocks[1] = fixture_add_block(&three->buf, fixture_gen2);
	three->blocks[2] = fixture_add_block(&three->buf, fixture_text4);
	three->blocks[3] = three->buf.len;
	*state = three;
	return 0;
}

static int teardown(void **state)
{
	struct three *three = *state;

	smap_buf_free(&three->buf);
	free(three);
	return 0;
}

static const char *const exports[] = { fixture_gen1, fixture_gen2, fixture_text4 };

/* The store holds all three but @without (3: all), and has @nr_damages. */
static struct smap_store *holds_all_but(struct three *three, size_t without, size_t nr_damages)
{
	struct smap_store *store = fixture_open(&three->buf);
	size_t i, nr = 0;

	for (i = 0; i < 3; i++)
		if (i != without)
			fixture_holds(store, nr++, exports[i]);
	assert_int_equal(smap_store_nr_saves(store), nr);
	assert_int_equal(smap_store_nr_damages(store), nr_damages);
	return store;
}

static void blocks_are_served_in_their_order(void **state)
{
	smap_store_close(holds_all_but(*state, 3, 0));
}

static void a_damaged_block_costs_only_itself(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	size_t i;

	for (i = 0; i < 3; i++) {
		three->buf.data[three->blocks[i] + 100] ^= 1;
		store = holds_all_but(three, i, 1);
		fixture_damaged(store, 0, three->blocks[i], three->blocks[i + 1] - three->blocks[i],
				"block: the checksum of its data differs");
		smap_store_close(store);
		three->buf.data[three->blocks[i] + 100] ^= 1;
	}
}

static void a_damaged_block_header_costs_only_its_block(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	size_t i;

	for (i = 0; i < 3; i++) {
		three->buf.data[three->blocks[i] + 30] ^= 1;
		store = holds_all_but(three, i, 1);
		fixture_damaged(store, 0, three->blocks[i], three->blocks[i + 1] - three->blocks[i],
				"block header: its checksum differs");
		smap_store_close(store);
		three->buf.data[three->blocks[i] + 30] ^= 1;
	}
}

static void at_every_length_the_whole_blocks_are_served_and_the_rest_is_told(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	size_t len, whole;

	for (len = three->blocks[3] - 1; len >= 56; len--) {
		three->buf.len = len;
		for (whole = 0; three->blocks[whole + 1] <= len; whole++)
			;
		store = fixture_open(&three->buf);
		assert_int_equal(smap_store_nr_saves(store), whole);
		assert_int_equal(smap_store_nr_damages(store), len != three->blocks[whole]);
		if (len != three->blocks[whole])
			fixture_damaged(store, 0, three->blocks[whole], len - three->blocks[whole],
					"");
		smap_store_close(store);
	}
	for (len = 1; len < 56; len++) {
		three->buf.len = len;
		fixture_refused(&three->buf, -EBADMSG, "cut in its file header");
	}
}

/* A copy that lies in memory of exactly its length. */
static void replace(struct three *three, size_t at, const void *data, size_t len)
{
	memcpy(three->buf.data + at, data, len);
}

static void what_is_written_behind_a_torn_tail_is_found(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	size_t keep;

	/*
	 * Torn at every multiple of 8, and then written on, so that its size reaches over the
	 * rest.
	 */
	for (keep = 8; keep < three->blocks[1] - three->blocks[0]; keep += 8) {
		struct three torn = { .buf = SMAP_BUF_INIT };
		size_t second;

		smap_buf_add(&torn.buf, three->buf.data, three->blocks[0] + keep);
		second = fixture_add_block(&torn.buf, fixture_gen2);
		fixture_add_block(&torn.buf, fixture_text4);
		store = fixture_open(&torn.buf);
		assert_int_equal(smap_store_nr_saves(store), 2);
		fixture_holds(store, 0, fixture_gen2);
		fixture_holds(store, 1, fixture_text4);
		assert_int_equal(smap_store_nr_damages(store), 1);
		fixture_damaged(store, 0, 56, second - 56, "");
		smap_store_close(store);
		smap_buf_free(&torn.buf);
	}
}

static void several_torn_tails_in_a_row_are_passed_over(void **state)
{
	struct three *three = *state;
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t i;

	smap_buf_add(&buf, three->buf.data, 56);
	for (i = 0; i < 100; i++)
		smap_buf_add(&buf, three->buf.data + 56, 56 + i % 10 * 8);
	fixture_add_block(&buf, fixture_gen2);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1);
	fixture_holds(store, 0, fixture_gen2);
	assert_int_equal(smap_store_nr_damages(store), 100);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void zeros_between_blocks_are_damage(void **state)
{
	struct three *three = *state;
	struct smap_store *store;

	memset(three->buf.data + three->blocks[1], 0, three->blocks[2] - three->blocks[1]);
	store = holds_all_but(three, 1, 1);
	fixture_damaged(store, 0, three->blocks[1], three->blocks[2] - three->blocks[1],
			"no block begins here");
	smap_store_close(store);
}

static void blocks_of_another_file_are_not_served(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	uint64_t other = htole64(STORE_ID ^ 1);

	replace(three, three->blocks[1] + 8, &other, sizeof(other));
	fixture_seal_block(&three->buf, three->blocks[1]);
	store = holds_all_but(three, 1, 1);
	fixture_damaged(store, 0, three->blocks[1], three->blocks[2] - three->blocks[1],
			"a block of another file");
	smap_store_close(store);
}

/* A whole store with an id of its own, as a section of a damaged block. */
static void a_store_inside_a_damaged_block_is_not_served(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen2);
	struct smap_buf inner = SMAP_BUF_INIT, sections = SMAP_BUF_INIT, buf = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t outer;

	assert_int_equal(smap_store_encode_header(&inner, 4711), 0);
	assert_int_equal(smap_store_encode_block(&inner, 4711, &input, NULL), 0);
	fixture_add_section(&sections, SMAP_SECTION_EXPORT, 0, SMAP_CODEC_NONE, inner.len,
			    inner.data, inner.len);
	fixture_add_header(&buf);
	outer = fixture_add_kind(&buf, SMAP_BLOCK_SAVE, 0, 1, sections.data, sections.len);
	fixture_add_block(&buf, fixture_text4);
	buf.data[outer + 60] ^= 1;
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1);
	fixture_holds(store, 0, fixture_text4);
	smap_store_close(store);
	smap_buf_free(&buf);
	smap_buf_free(&sections);
	smap_buf_free(&inner);
}

static void blocks_of_unknown_kinds_are_passed_over(void **state)
{
	struct three *three = *state;
	struct smap_store *store;

	fixture_add_kind(&three->buf, 1000, 0, 0, "anything", 8);
	three->blocks[3] = fixture_add_block(&three->buf, fixture_gen1);
	store = fixture_open(&three->buf);
	assert_int_equal(smap_store_nr_saves(store), 4);
	assert_int_equal(smap_store_nr_damages(store), 0);
	smap_store_close(store);
}

static void blocks_that_must_be_understood_are_told(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	size_t at;

	at = fixture_add_kind(&three->buf, 1000, SMAP_MUST_UNDERSTAND, 0, "anything", 8);
	fixture_add_block(&three->buf, fixture_gen1);
	store = fixture_open(&three->buf);
	assert_int_equal(smap_store_nr_saves(store), 4);
	assert_int_equal(smap_store_nr_damages(store), 1);
	fixture_damaged(store, 0, at, 64, "needs a newer version");
	smap_store_close(store);
}

static void a_file_of_a_newer_version_is_refused(void **state)
{
	struct three *three = *state;

	three->buf.data[offsetof(struct smap_store_header, version)] = 2;
	fixture_seal_header(&three->buf);
	fixture_refused(&three->buf, -EOPNOTSUPP, "written by a newer version");
}

static void a_file_that_must_be_understood_is_refused(void **state)
{
	struct three *three = *state;

	three->buf.data[offsetof(struct smap_store_header, must_understand) + 3] = 1;
	fixture_seal_header(&three->buf);
	fixture_refused(&three->buf, -EOPNOTSUPP, "needs 0x1000000");
}

static void compatible_flags_do_not_matter(void **state)
{
	struct three *three = *state;

	memset(three->buf.data + offsetof(struct smap_store_header, compatible), 0xff, 4);
	fixture_seal_header(&three->buf);
	smap_store_close(holds_all_but(three, 3, 0));
}

static void a_longer_file_header_is_read(void **state)
{
	struct three *three = *state;
	struct smap_buf longer = SMAP_BUF_INIT;
	const size_t known = offsetof(struct smap_store_header, checksum);

	smap_buf_add(&longer, three->buf.data, known);
	smap_buf_add(&longer, "8 bytes.", 8);
	smap_buf_add(&longer, three->buf.data + known, three->buf.len - known);
	smap_buf_free(&three->buf);
	three->buf = longer;
	three->buf.data[offsetof(struct smap_store_header, header_size)] = 64;
	fixture_seal_header(&three->buf);
	smap_store_close(holds_all_but(three, 3, 0));
}

static void a_damaged_file_header_costs_no_block(void **state)
{
	struct three *three = *state;
	struct smap_store *store;
	size_t bit;

	for (bit = 0; bit < 56 * 8; bit++) {
		three->buf.data[bit / 8] = (char)(three->buf.data[bit / 8] ^ 1 << bit % 8);
		store = holds_all_but(three, 3, 1);
		fixture_damaged(store, 0, 0, 56, "file header: ");
		smap_store_close(store);
		three->buf.data[bit / 8] = (char)(three->buf.data[bit / 8] ^ 1 << bit % 8);
	}
}

static void a_damaged_file_header_without_a_block_behind_it_is_refused(void **state)
{
	struct three *three = *state;

	three->buf.data[20] ^= 1;
	three->buf.data[three->blocks[0] + 20] ^= 1;
	fixture_refused(&three->buf, -EBADMSG, "file header: its checksum differs");
	three->buf.len = 56;
	fixture_refused(&three->buf, -EBADMSG, "file header: its checksum differs");
}

static void a_store_without_an_id_is_damaged(void **state)
{
	struct three *three = *state;
	size_t i;

	memset(three->buf.data + offsetof(struct smap_store_header, store_id), 0, 8);
	fixture_seal_header(&three->buf);
	for (i = 0; i < 3; i++) {
		memset(three->buf.data + three->blocks[i] + 8, 0, 8);
		fixture_seal_block(&three->buf, three->blocks[i]);
	}
	fixture_refused(&three->buf, -EBADMSG, "file header: its checksum differs");
}

static void a_file_header_of_a_bad_size_is_damaged(void **state)
{
	static const uint16_t bad[] = { 0, 8, 55, 57, 520, 65535 };
	struct three *three = *state;
	struct smap_store *store;
	uint16_t size;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size = htole16(bad[i]);
		replace(three, offsetof(struct smap_store_header, header_size), &size,
			sizeof(size));
		store = holds_all_but(three, 3, 1);
		fixture_damaged(store, 0, 0, 56, "file header: bad size");
		smap_store_close(store);
	}
}

static void empty_and_zeroed_files_are_damaged_not_empty_stores(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	static const char zeros[4096];

	fixture_refused(&buf, -EBADMSG, "empty");
	smap_buf_add(&buf, zeros, sizeof(zeros));
	fixture_refused(&buf, -EBADMSG, "zeros stand where a file header should");
	buf.len = 20;
	fixture_refused(&buf, -EBADMSG, "cut in its file header");
	smap_buf_free(&buf);
}

static void a_header_alone_is_a_store_without_saves(void **state)
{
	struct three *three = *state;
	struct smap_store *store;

	three->buf.len = 56;
	store = fixture_open(&three->buf);
	assert_int_equal(smap_store_nr_saves(store), 0);
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(smap_store_size(store), 56);
	smap_store_close(store);
}

/* Headers, each with a right checksum and a size that reaches to the end of the file. */
static void fill_with_headers(struct smap_buf *buf, size_t len, size_t reach)
{
	struct smap_block_header *disk;
	size_t at;
	char *room;

	room = smap_buf_reserve(buf, len);
	assert_non_null(room);
	memset(room, 0, len);
	buf->len += len;
	for (at = 56; at + sizeof(*disk) <= buf->len; at += sizeof(*disk)) {
		disk = (struct smap_block_header *)(void *)(buf->data + at);
		memcpy(disk->magic, SMAP_BLOCK_MAGIC, sizeof(disk->magic));
		disk->store_id = htole64(STORE_ID);
		disk->header_size = htole16(sizeof(*disk));
		disk->kind = htole16(SMAP_BLOCK_SAVE);
		disk->size = htole64(reach ? reach : (buf->len - at - sizeof(*disk)) / 8 * 8);
		disk->checksum = htole64(smap_checksum(disk, offsetof(struct smap_block_header,
								       checksum)));
	}
}

static void a_file_of_nothing_but_headers_takes_no_quadratic_time(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct smap_damage *last;
	struct smap_store *store;

	/*
	 * 37,000 headers, each of which announces what lies between it and the end. Each that is
	 * looked into is a damage of its own: a few are, instead of all.
	 */
	fixture_add_header(&buf);
	fill_with_headers(&buf, 2 << 20, 0);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 0);
	assert_true(smap_store_nr_damages(store) < 100);
	last = smap_store_damage(store, smap_store_nr_damages(store) - 1);
	assert_string_equal(last->text, "too much is damaged to go on searching");
	assert_int_equal(last->offset + last->len, buf.len);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void damages_without_number_are_summed_up(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct smap_damage *last;
	struct smap_store *store;

	fixture_add_header(&buf);
	fill_with_headers(&buf, 1 << 20, 1ULL << 40);
	fixture_add_block(&buf, fixture_gen2);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1);
	fixture_holds(store, 0, fixture_gen2);
	assert_int_equal(smap_store_nr_damages(store), SMAP_DAMAGES_MAX);
	last = smap_store_damage(store, SMAP_DAMAGES_MAX - 1);
	assert_string_equal(last->text, "more damage than is listed one by one");
	assert_int_equal(last->offset + last->len, 56 + (1 << 20));
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_block_far_behind_the_damage_is_found(void **state)
{
	static const size_t gaps[] = { 8, 16, 65536 - 56, 65536 - 8, 65536, 65536 + 8, 131072,
				       200000 };
	struct three *three = *state;
	struct smap_store *store;
	size_t i, shift;
	char *gap;

	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		for (shift = 0; shift < 72; shift += 8) {
			struct smap_buf buf = SMAP_BUF_INIT;

			gap = calloc(1, gaps[i] + shift);
			fixture_add_header(&buf);
			smap_buf_add(&buf, gap, gaps[i] + shift);
			smap_buf_add(&buf, three->buf.data + 56, three->buf.len - 56);
			store = fixture_open(&buf);
			assert_int_equal(smap_store_nr_saves(store), 3);
			fixture_damaged(store, 0, 56, gaps[i] + shift, "no block begins here");
			smap_store_close(store);
			smap_buf_free(&buf);
			free(gap);
		}
	}
}

static void false_starts_of_a_block_are_seen_through(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	uint64_t id = htole64(STORE_ID);
	size_t i;

	fixture_add_header(&buf);
	for (i = 0; i < 20000; i++) {
		smap_buf_add(&buf, SMAP_BLOCK_MAGIC, 8);
		smap_buf_add(&buf, &id, sizeof(id));
	}
	fixture_add_block(&buf, fixture_gen2);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1);
	assert_int_equal(smap_store_nr_damages(store), 1);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static int open_it(void *data)
{
	struct three *three = data;
	struct smap_store *store;
	struct smap_error err;
	int ret;

	ret = smap_store_open_memory(three->buf.data, three->buf.len, &store, &err);
	if (!ret)
		smap_store_close(store);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct three *three = *state;

	alloc_fail_each(open_it, three);
	three->buf.data[three->blocks[1] + 80] ^= 1;
	alloc_fail_each(open_it, three);
	three->buf.data[20] ^= 1;
	alloc_fail_each(open_it, three);
}

#define SCAN_TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCAN_TEST(blocks_are_served_in_their_order),
		SCAN_TEST(a_damaged_block_costs_only_itself),
		SCAN_TEST(a_damaged_block_header_costs_only_its_block),
		SCAN_TEST(at_every_length_the_whole_blocks_are_served_and_the_rest_is_told),
		SCAN_TEST(what_is_written_behind_a_torn_tail_is_found),
		SCAN_TEST(several_torn_tails_in_a_row_are_passed_over),
		SCAN_TEST(zeros_between_blocks_are_damage),
		SCAN_TEST(blocks_of_another_file_are_not_served),
		SCAN_TEST(a_store_inside_a_damaged_block_is_not_served),
		SCAN_TEST(blocks_of_unknown_kinds_are_passed_over),
		SCAN_TEST(blocks_that_must_be_understood_are_told),
		SCAN_TEST(a_file_of_a_newer_version_is_refused),
		SCAN_TEST(a_file_that_must_be_understood_is_refused),
		SCAN_TEST(compatible_flags_do_not_matter),
		SCAN_TEST(a_longer_file_header_is_read),
		SCAN_TEST(a_damaged_file_header_costs_no_block),
		SCAN_TEST(a_damaged_file_header_without_a_block_behind_it_is_refused),
		SCAN_TEST(a_store_without_an_id_is_damaged),
		SCAN_TEST(a_file_header_of_a_bad_size_is_damaged),
		SCAN_TEST(empty_and_zeroed_files_are_damaged_not_empty_stores),
		SCAN_TEST(a_header_alone_is_a_store_without_saves),
		SCAN_TEST(a_file_of_nothing_but_headers_takes_no_quadratic_time),
		SCAN_TEST(damages_without_number_are_summed_up),
		SCAN_TEST(a_block_far_behind_the_damage_is_found),
		SCAN_TEST(false_starts_of_a_block_are_seen_through),
		SCAN_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
