// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "store/origin.h"

/* A store with one save, and where the block of it stands. */
struct one {
	struct smap_buf	buf;
	size_t		block;
};

static int setup(void **state)
{
	struct one *one = calloc(1, sizeof(*one));

	fixture_add_header(&one->buf);
	one->block = fixture_add_block(&one->buf, fixture_gen1);
	*state = one;
	return 0;
}

static int teardown(void **state)
{
	struct one *one = *state;

	smap_buf_free(&one->buf);
	free(one);
	return 0;
}

/* Read the block as it is now; words in *reason. */
static int read_block(struct one *one, struct smap_error *reason)
{
	struct smap_store store = { .store_id = STORE_ID, .to_waste = UINT64_MAX };
	struct smap_content content;
	struct smap_block block;
	int ret;

	smap_reader_open_memory(&store.reader, one->buf.data, one->buf.len);
	store.stream = smap_stream_new(&store.reader);
	if (!store.stream)
		return smap_errno(-ENOMEM);
	ret = smap_block_read(&store, one->block, &block, &content, reason);
	smap_content_release(&content);
	smap_stream_free(store.stream);
	return ret;
}

static void gives(struct one *one, int result, const char *words)
{
	struct smap_error reason = { "" };

	assert_int_equal(read_block(one, &reason), result);
	assert_string_equal(reason.text, words);
}

static void set16(struct one *one, size_t at, uint16_t value)
{
	value = htole16(value);
	memcpy(one->buf.data + at, &value, sizeof(value));
}

static void set32(struct one *one, size_t at, uint32_t value)
{
	value = htole32(value);
	memcpy(one->buf.data + at, &value, sizeof(value));
}

static void set64(struct one *one, size_t at, uint64_t value)
{
	value = htole64(value);
	memcpy(one->buf.data + at, &value, sizeof(value));
}

#define HEADER(one, field)	((one)->block + offsetof(struct smap_block_header, field))
#define SECTION(one, kind, field)							\
	(fixture_find_section(&(one)->buf, (one)->block, kind) -			\
	 sizeof(struct smap_section_header) + offsetof(struct smap_section_header, field))

static void a_block_tells_of_its_save(void **state)
{
	struct one *one = *state;
	struct smap_store store = { .store_id = STORE_ID, .to_waste = UINT64_MAX };
	struct smap_error reason;
	struct smap_content content;
	struct smap_block block;

	smap_reader_open_memory(&store.reader, one->buf.data, one->buf.len);
	store.stream = smap_stream_new(&store.reader);
	assert_int_equal(smap_block_read(&store, one->block, &block, &content, &reason),
			 SMAP_BLOCK_SAVE_READ);
	assert_int_equal(content.save.offset, 56);
	assert_int_equal(content.save.stored_size, one->buf.len - 56);
	assert_int_equal(content.save.export_size, strlen(fixture_gen1));
	assert_true(content.save.has_generation);
	assert_false(content.save.has_stat);
	assert_false(content.save.has_symbols);
	assert_string_equal(content.save.origin.release, "7.2.13");
	smap_content_release(&content);
	smap_stream_free(store.stream);
}

static void a_header_that_is_none_is_not_believed(void **state)
{
	struct one *one = *state;

	one->buf.data[one->block] ^= 1;
	gives(one, SMAP_BLOCK_BROKEN, "no block begins here");
	one->buf.data[one->block] ^= 1;
	one->buf.data[HEADER(one, nr_sections)] ^= 1;
	gives(one, SMAP_BLOCK_BROKEN, "block header: its checksum differs");
}

static void a_block_of_another_file_is_none(void **state)
{
	struct one *one = *state;

	set64(one, HEADER(one, store_id), STORE_ID + 1);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_BROKEN, "a block of another file");
}

static void a_header_of_a_bad_size_is_not_believed(void **state)
{
	static const uint16_t bad[] = { 0, 8, 48, 57, 63, 520, 65528, 65535 };
	struct one *one = *state;
	struct smap_error reason;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set16(one, HEADER(one, header_size), bad[i]);
		assert_int_equal(read_block(one, &reason), SMAP_BLOCK_BROKEN);
		assert_non_null(strstr(reason.text, "block header: bad size "));
	}
}

static void a_header_may_be_longer_than_we_know(void **state)
{
	struct one *one = *state;
	struct smap_buf longer = SMAP_BUF_INIT;
	const size_t known = offsetof(struct smap_block_header, checksum);
	char *block = one->buf.data + one->block;

	smap_buf_add(&longer, one->buf.data, one->block);
	smap_buf_add(&longer, block, known);
	smap_buf_add(&longer, "24 bytes of later times.", 24);
	smap_buf_add(&longer, block + known, one->buf.len - one->block - known);
	smap_buf_free(&one->buf);
	one->buf = longer;
	set16(one, HEADER(one, header_size), 56 + 24);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_SAVE_READ, "");
	/* And is under its checksum as a whole. */
	one->buf.data[one->block + 56] ^= 1;
	gives(one, SMAP_BLOCK_BROKEN, "block header: its checksum differs");
}

static void a_block_that_is_not_all_there_is_torn(void **state)
{
	struct one *one = *state;

	one->buf.len -= 8;
	assert_int_equal(one->buf.len - one->block - 56, 352);
	gives(one, SMAP_BLOCK_BROKEN, "block torn: of 360 bytes of data 352 are there");
	one->buf.len = one->block + 55;
	gives(one, SMAP_BLOCK_BROKEN, "no block, or cut in its header");
}

static void a_size_that_is_no_multiple_of_8_is_not_believed(void **state)
{
	struct one *one = *state;

	set64(one, HEADER(one, size), fixture_block_len(&one->buf, one->block) - 56 - 1);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_BROKEN, "block header: bad size of the data");
}

static void a_size_that_overflows_is_torn(void **state)
{
	struct one *one = *state;
	struct smap_error reason;

	set64(one, HEADER(one, size), UINT64_MAX - 7);
	fixture_seal_block(&one->buf, one->block);
	assert_int_equal(read_block(one, &reason), SMAP_BLOCK_BROKEN);
	assert_non_null(strstr(reason.text, "block torn"));
}

static void data_that_changed_are_not_believed(void **state)
{
	struct one *one = *state;
	size_t at;

	for (at = one->block + 56; at < one->buf.len; at++) {
		one->buf.data[at] ^= 0x10;
		gives(one, SMAP_BLOCK_BROKEN, "block: the checksum of its data differs");
		one->buf.data[at] ^= 0x10;
	}
}

static void unknown_kinds_are_passed_over(void **state)
{
	struct one *one = *state;

	set16(one, HEADER(one, kind), 77);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_PASSED, "");
}

static void unknown_kinds_that_must_be_understood_are_refused(void **state)
{
	struct one *one = *state;

	set16(one, HEADER(one, kind), 77);
	set32(one, HEADER(one, flags), SMAP_MUST_UNDERSTAND);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_REFUSED, "block: it needs a newer version of this program");
}

/* The block, and behind its sections one more. */
static void add_section(struct one *one, unsigned int kind, unsigned int flags, unsigned int codec)
{
	struct smap_block_header disk;
	struct smap_buf extra = SMAP_BUF_INIT;

	memcpy(&disk, one->buf.data + one->block, sizeof(disk));
	fixture_add_section(&extra, kind, flags, codec, 5, "extra", 5);
	set64(one, HEADER(one, size), le64toh(disk.size) + extra.len);
	set32(one, HEADER(one, nr_sections), le32toh(disk.nr_sections) + 1);
	smap_buf_add(&one->buf, extra.data, extra.len);
	smap_buf_free(&extra);
	fixture_seal_block(&one->buf, one->block);
}

static void unknown_sections_are_passed_over(void **state)
{
	struct one *one = *state;

	add_section(one, 99, 0, 99);
	gives(one, SMAP_BLOCK_SAVE_READ, "");
	add_section(one, 0, 0, 0);
	gives(one, SMAP_BLOCK_SAVE_READ, "");
}

static void unknown_sections_that_must_be_understood_are_refused(void **state)
{
	add_section(*state, 99, SMAP_MUST_UNDERSTAND, 0);
	gives(*state, SMAP_BLOCK_REFUSED, "block: it needs a newer version of this program");
}

static void an_unknown_codec_of_a_known_section_is_refused(void **state)
{
	add_section(*state, SMAP_SECTION_STAT, 0, 9);
	gives(*state, SMAP_BLOCK_REFUSED,
	      "block: section 4: it needs a newer version of this program");
}

static void a_section_that_is_there_twice_is_refused(void **state)
{
	add_section(*state, SMAP_SECTION_EXPORT, 0, 0);
	gives(*state, SMAP_BLOCK_REFUSED, "block: section 4: there twice");
}

static void a_missing_section_is_told(void **state)
{
	static const struct {
		unsigned int kind;
		const char *words;
	} rows[] = {
		{ SMAP_SECTION_ORIGIN, "block: origin: not there" },
		{ SMAP_SECTION_SUMMARY, "block: summary: not there" },
		{ SMAP_SECTION_EXPORT, "block: no export in it" },
	};
	struct one *one = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t at = SECTION(one, rows[i].kind, kind);

		set16(one, at, 99);
		fixture_seal_block(&one->buf, one->block);
		gives(one, SMAP_BLOCK_REFUSED, rows[i].words);
		set16(one, at, (uint16_t)rows[i].kind);
	}
}

static void sections_that_reach_out_of_the_block_are_refused(void **state)
{
	static const uint64_t sizes[] = { 1000, UINT64_MAX, UINT64_MAX - 6, UINT64_MAX - 24,
					  1ULL << 63 };
	struct one *one = *state;
	size_t at = SECTION(one, SMAP_SECTION_EXPORT, stored_size), i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		set64(one, at, sizes[i]);
		fixture_seal_block(&one->buf, one->block);
		gives(one, SMAP_BLOCK_REFUSED, "block: section 3: cut short");
	}
}

static void a_wrong_number_of_sections_is_refused(void **state)
{
	struct one *one = *state;

	set32(one, HEADER(one, nr_sections), 2);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_REFUSED, "block: bytes behind the last section");
	set32(one, HEADER(one, nr_sections), UINT32_MAX);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_REFUSED, "block: section 4: cut short");
	set32(one, HEADER(one, nr_sections), 0);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_REFUSED, "block: bytes behind the last section");
}

static void a_huge_origin_asks_for_no_memory(void **state)
{
	struct one *one = *state;

	set64(one, SECTION(one, SMAP_SECTION_ORIGIN, size), 10ULL << 30);
	fixture_seal_block(&one->buf, one->block);
	gives(one, SMAP_BLOCK_REFUSED, "block: section 1: more than 1048576 bytes");
}

static void what_is_checked_in_vain_is_bounded(void **state)
{
	struct one *one = *state;
	struct smap_store store = { .store_id = STORE_ID, .to_waste = 400 };
	struct smap_error reason;
	struct smap_content content;
	struct smap_block block;

	one->buf.data[one->buf.len - 1] ^= 1;
	smap_reader_open_memory(&store.reader, one->buf.data, one->buf.len);
	store.stream = smap_stream_new(&store.reader);
	assert_int_equal(smap_block_read(&store, 56, &block, &content, &reason), SMAP_BLOCK_BROKEN);
	assert_int_equal(store.to_waste, 400 - 360);
	assert_int_equal(smap_block_read(&store, 56, &block, &content, &reason), -E2BIG);
	assert_string_equal(reason.text, "too much is damaged to go on searching");
	smap_stream_free(store.stream);
}

static void data_that_change_later_are_not_handed_out(void **state)
{
	struct one *one = *state;
	struct smap_store *store = fixture_open(&one->buf);
	struct smap_error err;
	char *room = NULL;

	assert_int_equal(smap_block_load(&store->reader, &store->blocks[0], &room, &err), 0);
	assert_memory_equal(room, one->buf.data + 56 + 56, one->buf.len - 56 - 56);
	free(room);
	room = NULL;
	one->buf.data[one->buf.len - 1] ^= 1;
	assert_int_equal(smap_block_load(&store->reader, &store->blocks[0], &room, &err), -EBADMSG);
	assert_null(room);
	assert_string_equal(err.text, "changed since the file was opened");
	smap_store_close(store);
}

static void a_block_too_long_asks_for_no_memory(void **state)
{
	struct one *one = *state;
	struct smap_store *store = fixture_open(&one->buf);
	struct smap_block block = store->blocks[0];
	struct smap_error err;
	char *room = NULL;

	block.size = SMAP_BLOCK_MAX + 8;
	assert_int_equal(smap_block_load(&store->reader, &block, &room, &err), -EBADMSG);
	assert_null(room);
	assert_string_equal(err.text, "longer than 2147483648 bytes");
	smap_store_close(store);
}

static int read_it(void *data)
{
	struct smap_error reason;
	int ret = read_block(data, &reason);

	assert_true(ret <= 0);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	alloc_fail_each(read_it, *state);
}

#define BLOCK_TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BLOCK_TEST(a_block_tells_of_its_save),
		BLOCK_TEST(a_header_that_is_none_is_not_believed),
		BLOCK_TEST(a_block_of_another_file_is_none),
		BLOCK_TEST(a_header_of_a_bad_size_is_not_believed),
		BLOCK_TEST(a_header_may_be_longer_than_we_know),
		BLOCK_TEST(a_block_that_is_not_all_there_is_torn),
		BLOCK_TEST(a_size_that_is_no_multiple_of_8_is_not_believed),
		BLOCK_TEST(a_size_that_overflows_is_torn),
		BLOCK_TEST(data_that_changed_are_not_believed),
		BLOCK_TEST(unknown_kinds_are_passed_over),
		BLOCK_TEST(unknown_kinds_that_must_be_understood_are_refused),
		BLOCK_TEST(unknown_sections_are_passed_over),
		BLOCK_TEST(unknown_sections_that_must_be_understood_are_refused),
		BLOCK_TEST(an_unknown_codec_of_a_known_section_is_refused),
		BLOCK_TEST(a_section_that_is_there_twice_is_refused),
		BLOCK_TEST(a_missing_section_is_told),
		BLOCK_TEST(sections_that_reach_out_of_the_block_are_refused),
		BLOCK_TEST(a_wrong_number_of_sections_is_refused),
		BLOCK_TEST(a_huge_origin_asks_for_no_memory),
		BLOCK_TEST(what_is_checked_in_vain_is_bounded),
		BLOCK_TEST(data_that_change_later_are_not_handed_out),
		BLOCK_TEST(a_block_too_long_asks_for_no_memory),
		BLOCK_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
