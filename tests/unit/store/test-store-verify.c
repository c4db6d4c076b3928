// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bin2.h"
#include "fixture.h"
#include "alloc-fail.h"

/* A small store with a section of each kind, and where its block stands. */
struct small {
	struct smap_buf	buf;
	size_t		block;
};

static int setup(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct small *small = calloc(1, sizeof(*small));

	input.stat = fixture_stat;
	input.stat_len = strlen(fixture_stat);
	input.symbols = fixture_symbols;
	input.symbols_len = strlen(fixture_symbols);
	fixture_add_header(&small->buf);
	small->block = fixture_add_input(&small->buf, &input);
	*state = small;
	return 0;
}

static int teardown(void **state)
{
	struct small *small = *state;

	smap_buf_free(&small->buf);
	free(small);
	return 0;
}

/* Checking finds faults, one with these words. Returns how many. */
static int finds(struct small *small, const char *words)
{
	struct smap_store *store = fixture_open(&small->buf);
	int ret = fixture_verify(store, words);

	smap_store_close(store);
	return ret;
}

static void a_sound_store_has_no_faults(void **state)
{
	assert_int_equal(finds(*state, NULL), 0);
}

static void found_by_opening_or_checking(struct small *small)
{
	struct smap_store *store;

	if (smap_store_open_memory(small->buf.data, small->buf.len, &store, NULL))
		return;
	assert_true(fixture_verify(store, NULL) > 0);
	smap_store_close(store);
}

static void every_flipped_bit_is_found(void **state)
{
	struct small *small = *state;
	size_t bit;

	fixture_add_block(&small->buf, fixture_gen2);
	for (bit = 0; bit < small->buf.len * 8; bit++) {
		small->buf.data[bit / 8] = (char)(small->buf.data[bit / 8] ^ 1 << bit % 8);
		found_by_opening_or_checking(small);
		small->buf.data[bit / 8] = (char)(small->buf.data[bit / 8] ^ 1 << bit % 8);
	}
	assert_int_equal(finds(small, NULL), 0);
}

static void a_flipped_bit_costs_no_other_save(void **state)
{
	struct small *small = *state;
	struct smap_store *store;
	size_t bit, second;

	second = fixture_add_block(&small->buf, fixture_gen2);
	for (bit = small->block * 8; bit < second * 8; bit++) {
		small->buf.data[bit / 8] = (char)(small->buf.data[bit / 8] ^ 1 << bit % 8);
		store = fixture_open(&small->buf);
		assert_int_equal(smap_store_nr_saves(store), 1);
		fixture_holds(store, 0, fixture_gen2);
		smap_store_close(store);
		small->buf.data[bit / 8] = (char)(small->buf.data[bit / 8] ^ 1 << bit % 8);
	}
}

static void every_length_but_a_whole_one_is_found(void **state)
{
	struct small *small = *state;
	size_t whole = small->buf.len;

	while (small->buf.len--)
		if (small->buf.len != small->block)
			found_by_opening_or_checking(small);
	small->buf.len = whole;
}

/* What follows has right checksums: somebody wrote it so. */

static void reserved_fields_of_the_file_header_are_zero(void **state)
{
	struct small *small = *state;

	small->buf.data[offsetof(struct smap_store_header, reserved)] = 1;
	fixture_seal_header(&small->buf);
	assert_int_equal(finds(small, "file header: a reserved field is not zero"), 1);
	small->buf.data[offsetof(struct smap_store_header, reserved)] = 0;
	small->buf.data[offsetof(struct smap_store_header, reserved2) + 15] = 1;
	fixture_seal_header(&small->buf);
	assert_int_equal(finds(small, "file header: a reserved field is not zero"), 1);
	/* Unless a flag that we do not know gives them a meaning. */
	small->buf.data[offsetof(struct smap_store_header, compatible)] = 1;
	fixture_seal_header(&small->buf);
	assert_int_equal(finds(small, NULL), 0);
}

static void reserved_fields_of_a_block_header_are_zero(void **state)
{
	struct small *small = *state;

	small->buf.data[small->block + offsetof(struct smap_block_header, reserved)] = 1;
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, "block header: a reserved field is not zero"), 1);
	small->buf.data[small->block + offsetof(struct smap_block_header, flags) + 3] = 1;
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, NULL), 0);
}

static void a_flag_of_the_file_may_give_any_reserved_field_a_meaning(void **state)
{
	struct small *small = *state;

	small->buf.data[small->block + offsetof(struct smap_block_header, reserved)] = 1;
	small->buf.data[fixture_find_section(&small->buf, small->block, SMAP_SECTION_ORIGIN) +
			offsetof(struct smap_store_origin, reserved)] = 1;
	small->buf.data[fixture_find_section(&small->buf, small->block, SMAP_SECTION_SUMMARY) +
			sizeof(struct smap_store_summary) +
			offsetof(struct smap_store_generation, reserved)] = 1;
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, NULL), 3);
	small->buf.data[offsetof(struct smap_store_header, compatible)] = 1;
	fixture_seal_header(&small->buf);
	assert_int_equal(finds(small, NULL), 0);
}

static void paddings_are_zero(void **state)
{
	struct small *small = *state;
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_EXPORT);

	assert_true(strlen(fixture_gen1) % 8);
	small->buf.data[at + strlen(fixture_gen1)] = 1;
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, "section: its padding is not zero"), 1);
}

static void origin_fault(struct small *small, size_t field, uint8_t value, const char *words)
{
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_ORIGIN) + field;
	char saved = small->buf.data[at];

	small->buf.data[at] = (char)value;
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, words), 1);
	small->buf.data[at] = saved;
}

static void faults_of_an_origin_are_found(void **state)
{
	origin_fault(*state, offsetof(struct smap_store_origin, reserved), 1,
		     "origin: a reserved field is not zero");
	origin_fault(*state, offsetof(struct smap_store_origin, flags), 0,
		     "origin: an unknown boot id is not zero");
	origin_fault(*state, offsetof(struct smap_store_origin, word_size), 5,
		     "origin: bad word size");
	origin_fault(*state, offsetof(struct smap_store_origin, byte_order), 3,
		     "origin: bad byte order");
}

static void summary_fault(struct small *small, size_t field, const char *words)
{
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_SUMMARY) + field;

	small->buf.data[at] ^= 1;
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, words), 1);
	small->buf.data[at] ^= 1;
}

static void a_summary_of_another_export_is_found(void **state)
{
	const size_t first = sizeof(struct smap_store_summary);

	summary_fault(*state, first + offsetof(struct smap_store_generation, reserved),
		      "summary: a reserved field is not zero");
	summary_fault(*state, first + offsetof(struct smap_store_generation, generation),
		      "export: the summary tells of another");
	summary_fault(*state, first + offsetof(struct smap_store_generation, nr_stacks),
		      "export: the summary tells of another");
	summary_fault(*state, offsetof(struct smap_store_summary, nr_records),
		      "export: the summary tells of another");
	summary_fault(*state, offsetof(struct smap_store_summary, nr_generations),
		      "export: the summary tells of another");
	summary_fault(*state, offsetof(struct smap_store_summary, flags),
		      "export: the summary tells of another");
}

static void an_export_that_cannot_be_parsed_is_found(void **state)
{
	struct small *small = *state;
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_EXPORT);

	memcpy(small->buf.data + at, "STACK_ID", 8);
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, "export: "), 1);
}

static void a_stat_that_cannot_be_parsed_is_found(void **state)
{
	struct small *small = *state;
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_STAT);

	memset(small->buf.data + at, 'x', strlen(fixture_stat));
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, "stat: "), 1);
}

static void symbols_of_another_shape_are_found(void **state)
{
	static const char *const bad[] = {
		"g", " ", "ffffffff81000000c", "ffffffff81000000 c0x", "ffffffff81000000 c0 \t",
		"ffffffff81000000 c0 \n", "ffffffff81000000 c0??", "00000000000000000",
	};
	struct small *small = *state;
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_SYMBOLS), i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(small->buf.data + at, fixture_symbols, strlen(fixture_symbols));
		memcpy(small->buf.data + at, bad[i], strlen(bad[i]));
		fixture_seal_block(&small->buf, small->block);
		assert_int_equal(finds(small, "symbols: a line is no symbol"), 1);
	}
	/* A size that is not known is one of the forms. */
	memcpy(small->buf.data + at, "ffffffff8100000 c0?", 19);
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, NULL), 0);
}

/* A store whose only save has these symbols: checking finds one fault with these words, or none. */
static void symbols_give(const char *symbols, const char *words)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct small small = { .block = 0 };

	input.symbols = symbols;
	input.symbols_len = strlen(symbols);
	fixture_add_header(&small.buf);
	fixture_add_input(&small.buf, &input);
	assert_int_equal(finds(&small, words), words ? 1 : 0);
	smap_buf_free(&small.buf);
}

static void symbols_that_no_reader_takes_are_found(void **state)
{
	static const char *const bad[] = {
		"1000 10 two words\n", "1000 10 a\tm n\n", "1000 10 a\t\n", "1000 10 a\tm\tn\n",
		"1000 10 a\r\n", "1000 10 a\vb\n", "1000 0 a\n", "1000 10 \n", "1000 10?\n",
		"fffffffffffffff0 11 a\n", "1000 10 a",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		symbols_give(bad[i], "symbols: a line is no symbol");
	symbols_give("1000 11 a\n1010 10 b\n", "symbols: a line lies in the one before");
	symbols_give("2000 10 a\n1000 10 b\n", "symbols: a line lies in the one before");
}

static void symbols_side_by_side_are_no_fault(void **state)
{
	symbols_give("1000 10 a\n1010 10? b\tm\nABCD 1 c\nffffffffffffffef 10 d\n", NULL);
}

static void data_that_cannot_be_decoded_are_found(void **state)
{
	struct small *small = *state;
	size_t at = fixture_find_section(&small->buf, small->block, SMAP_SECTION_EXPORT) -
		    sizeof(struct smap_section_header);
	uint16_t codec = htole16(SMAP_CODEC_ZSTD);

	memcpy(small->buf.data + at + offsetof(struct smap_section_header, codec), &codec,
	       sizeof(codec));
	fixture_seal_block(&small->buf, small->block);
	assert_int_equal(finds(small, "export: "), 1);
}

static void an_export_with_a_cut_record_is_told(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct small *small = *state;
	char words[128];

	input.export_len -= 10;
	fixture_add_input(&small->buf, &input);
	snprintf(words, sizeof(words),
		 "export: the last record (slot 77) is cut, at byte %zu",
		 (size_t)(strstr(fixture_gen1, "stack_id 77") - fixture_gen1));
	assert_true(finds(small, words) > 0);
}

static void what_opening_found_is_told_again(void **state)
{
	struct small *small = *state;

	fixture_add_block(&small->buf, fixture_gen2);
	small->buf.data[small->block + 100] ^= 1;
	assert_int_equal(finds(small, "the checksum of its data differs"), 1);
}

static void what_broke_after_opening_is_found(void **state)
{
	struct small *small = *state;
	struct smap_store *store = fixture_open(&small->buf);

	assert_int_equal(smap_store_nr_damages(store), 0);
	small->buf.data[small->buf.len - 1] ^= 1;
	assert_int_equal(fixture_verify(store, "the checksum of its data differs"), 1);
	small->buf.data[small->buf.len - 1] ^= 1;
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
}

static void a_binary_export_of_another_byte_order_is_found(void **state)
{
	struct smap_buf export = SMAP_BUF_INIT, buf = SMAP_BUF_INIT;
	struct smap_save_input input = fixture_input("");
	struct small other = { .block = 0 };

	fixture_read(fixture_data("good/v7/sched.stack_map_bin"), &export);
	input.export = export.data;
	input.export_len = export.len;
	input.origin.byte_order = SMAP_ORDER_UNKNOWN;
	fixture_add_header(&buf);
	other.block = fixture_add_input(&buf, &input);
	other.buf = buf;
	assert_int_equal(finds(&other, NULL), 0);
	buf.data[fixture_find_section(&buf, other.block, SMAP_SECTION_ORIGIN) +
		 offsetof(struct smap_store_origin, byte_order)] = SMAP_ORDER_BIG;
	fixture_seal_block(&buf, other.block);
	assert_int_equal(finds(&other, "export: the origin has another byte order"), 1);
	smap_buf_free(&buf);
	smap_buf_free(&export);
}

static void a_binary_export_of_another_word_size_is_found(void **state)
{
	const struct bin2 bin = { 7, 0, 0xffffffff81000000, { 0xffffffff81000048 }, 1 };
	struct smap_save_input input = fixture_input("");
	struct bin2_bytes export = bin2_make(&bin);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct small other = { .block = 0 };

	input.export = export.data;
	input.export_len = export.len;
	fixture_add_header(&buf);
	other.block = fixture_add_input(&buf, &input);
	other.buf = buf;
	assert_int_equal(finds(&other, NULL), 0);
	buf.data[fixture_find_section(&buf, other.block, SMAP_SECTION_ORIGIN) +
		 offsetof(struct smap_store_origin, word_size)] = 4;
	fixture_seal_block(&buf, other.block);
	assert_int_equal(finds(&other, "export: the origin has another word size"), 1);
	smap_buf_free(&buf);
}

static void ignore(const struct smap_damage *damage, void *data)
{
}

static int check_it(void *data)
{
	struct smap_error err;
	int ret = smap_store_verify(data, ignore, NULL, &err);

	return ret < 0 ? ret : 0;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct small *small = *state;
	struct smap_store *store = fixture_open(&small->buf);

	alloc_fail_each(check_it, store);
	small->buf.data[fixture_find_section(&small->buf, small->block, SMAP_SECTION_STAT)] = '\n';
	fixture_seal_block(&small->buf, small->block);
	alloc_fail_each(check_it, store);
	smap_store_close(store);
}

#define VERIFY_TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(a_sound_store_has_no_faults),
		VERIFY_TEST(every_flipped_bit_is_found),
		VERIFY_TEST(a_flipped_bit_costs_no_other_save),
		VERIFY_TEST(every_length_but_a_whole_one_is_found),
		VERIFY_TEST(reserved_fields_of_the_file_header_are_zero),
		VERIFY_TEST(reserved_fields_of_a_block_header_are_zero),
		VERIFY_TEST(a_flag_of_the_file_may_give_any_reserved_field_a_meaning),
		VERIFY_TEST(paddings_are_zero),
		VERIFY_TEST(faults_of_an_origin_are_found),
		VERIFY_TEST(a_summary_of_another_export_is_found),
		VERIFY_TEST(an_export_that_cannot_be_parsed_is_found),
		VERIFY_TEST(a_stat_that_cannot_be_parsed_is_found),
		VERIFY_TEST(symbols_of_another_shape_are_found),
		cmocka_unit_test(symbols_that_no_reader_takes_are_found),
		cmocka_unit_test(symbols_side_by_side_are_no_fault),
		VERIFY_TEST(data_that_cannot_be_decoded_are_found),
		VERIFY_TEST(an_export_with_a_cut_record_is_told),
		VERIFY_TEST(what_opening_found_is_told_again),
		VERIFY_TEST(what_broke_after_opening_is_found),
		cmocka_unit_test(a_binary_export_of_another_byte_order_is_found),
		cmocka_unit_test(a_binary_export_of_another_word_size_is_found),
		VERIFY_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
