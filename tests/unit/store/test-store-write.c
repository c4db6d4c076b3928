// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "bin2.h"
#include "fixture.h"
#include "alloc-fail.h"

static void a_file_header_is_as_the_page_says(void **state)
{
	static const uint8_t wanted[56] = {
		0x89, 'S', 'T', 'K', 'M', 'A', 'P', '\n',	/* magic */
		1, 0, 56, 0, 0, 0, 0, 0,			/* version, size, compatible */
		0, 0, 0, 0, 0, 0, 0, 0,				/* must understand, reserved */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,	/* store id */
		0, 0, 0, 0, 0, 0, 0, 0,				/* reserved */
		0, 0, 0, 0, 0, 0, 0, 0,
		0xae, 0x07, 0x86, 0x20, 0x02, 0x83, 0xe9, 0x77,	/* checksum */
	};
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	assert_int_equal(buf.len, 56);
	assert_memory_equal(buf.data, wanted, 56);
	smap_buf_free(&buf);
}

static void a_block_is_as_the_page_says(void **state)
{
	static const uint8_t wanted[24] = {
		0x89, 'S', 'T', 'K', 'B', 'L', 'K', '\n',	/* magic */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,	/* store id */
		56, 0, 1, 0, 0, 0, 0, 0,			/* size, kind, flags */
	};
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_block_header disk;

	fixture_add_block(&buf, fixture_gen1);
	assert_memory_equal(buf.data, wanted, sizeof(wanted));
	memcpy(&disk, buf.data, sizeof(disk));
	assert_int_equal(le64toh(disk.size), buf.len - 56);
	assert_int_equal(le32toh(disk.nr_sections), 3);
	assert_int_equal(disk.reserved, 0);
	assert_int_equal(le64toh(disk.data_checksum), smap_checksum(buf.data + 56, buf.len - 56));
	assert_int_equal(le64toh(disk.checksum), smap_checksum(buf.data, 48));
	/* The export stands there as the kernel gave it. */
	assert_memory_equal(buf.data + fixture_find_section(&buf, 0, SMAP_SECTION_EXPORT),
			    fixture_gen1, strlen(fixture_gen1));
	smap_buf_free(&buf);
}

static void blocks_and_sections_begin_at_multiples_of_8(void **state)
{
	struct smap_buf text = SMAP_BUF_INIT, buf = SMAP_BUF_INIT;
	unsigned int kind, i;

	for (i = 0; i < 16; i++) {
		smap_buf_reset(&text);
		smap_buf_addf(&text, "stack_id 1 gen 1 ref 1 depth 1\n => %.*s+0x0/0x1\n",
			      (int)i + 1, "abcdefghijklmnop");
		assert_int_equal(fixture_add_block(&buf, text.data) % 8, 0);
	}
	assert_int_equal(buf.len % 8, 0);
	for (kind = SMAP_SECTION_ORIGIN; kind <= SMAP_SECTION_EXPORT; kind++)
		assert_int_equal(fixture_find_section(&buf, 0, kind) % 8, 0);
	smap_buf_free(&buf);
	smap_buf_free(&text);
}

static void refused(const struct smap_save_input *input, int code, const char *words)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_error err = { "" };

	smap_buf_add_str(&buf, "before");
	assert_int_equal(smap_store_encode_block(&buf, STORE_ID, input, &err), code);
	assert_int_equal(buf.len, 6);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
	smap_buf_free(&buf);
}

static void what_is_no_export_is_not_saved(void **state)
{
	struct smap_save_input input = fixture_input("no export\n");

	refused(&input, -EINVAL, "export: ");
	input = fixture_input("");
	refused(&input, -EINVAL, "export: ");
	input = fixture_input("stack_id 1 gen 1 ref 1 depth 1\n => f+0x0/0x1\nand then\n");
	refused(&input, -EBADMSG, "export: ");
}

static void an_origin_that_does_not_fit_is_refused(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	char *release = malloc(70000);

	memset(release, 'r', 70000);
	release[69999] = '\0';
	input.origin.release = release;
	refused(&input, -EINVAL, "release longer than 65535 bytes");
	free(release);
}

static void more_generations_than_fit_are_refused(void **state)
{
	struct smap_buf text = SMAP_BUF_INIT;
	struct smap_save_input input;
	unsigned int i;

	for (i = 0; i < 65536; i++)
		smap_buf_addf(&text, "stack_id 1 gen %u ref 1 depth 1\n => f+0x0/0x1\n", i);
	input = fixture_input(text.data);
	refused(&input, -EINVAL, "65536 generations are more than a save can hold");
	smap_buf_free(&text);
}

static void the_byte_order_of_a_binary_export_is_recorded(void **state)
{
	struct smap_buf export = SMAP_BUF_INIT, buf = SMAP_BUF_INIT;
	struct smap_save_input input = fixture_input("");
	struct smap_store *store;

	fixture_read(fixture_data("good/v7/sched.stack_map_bin"), &export);
	input.export = export.data;
	input.export_len = export.len;
	input.origin.byte_order = SMAP_ORDER_UNKNOWN;
	fixture_add_header(&buf);
	fixture_add_input(&buf, &input);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_save(store, 0)->origin.byte_order, SMAP_ORDER_LITTLE);
	smap_store_close(store);
	smap_buf_free(&buf);
	smap_buf_free(&export);
}

/* Whatever the input says, which may come from another place. */
static void the_word_size_that_an_export_shows_is_recorded(void **state)
{
	static const unsigned int flags[] = { 0, FTRACE_STACKMAP_BIN_ADDR32 };
	struct smap_save_input input = fixture_input("");
	struct smap_buf buf = SMAP_BUF_INIT;
	struct bin2_bytes export;
	struct smap_store *store;
	struct bin2 bin;
	int i;

	for (i = 0; i < 2; i++) {
		bin = (struct bin2){ 7, flags[i], 0xc0008000, { 0xc0008010 }, 1 };
		export = bin2_make(&bin);
		input.export = export.data;
		input.export_len = export.len;
		input.origin.word_size = i ? 8 : 0;
		smap_buf_reset(&buf);
		fixture_add_header(&buf);
		fixture_add_input(&buf, &input);
		store = fixture_open(&buf);
		assert_int_equal(smap_store_save(store, 0)->origin.word_size, i ? 4 : 8);
		smap_store_close(store);
	}
	smap_buf_free(&buf);
}

static void a_map_without_stacks_keeps_its_generation(void **state)
{
	struct smap_save_input input = fixture_input("");
	const struct bin2 bin = { .generation = 7 };
	struct bin2_bytes export = bin2_make(&bin);
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct stackmap_save *save;
	struct smap_store *store;

	input.export = export.data;
	input.export_len = export.len;
	fixture_add_header(&buf);
	fixture_add_input(&buf, &input);
	store = fixture_open(&buf);
	save = smap_store_save(store, 0);
	assert_true(save->has_generation);
	assert_int_equal(save->nr_generations, 1);
	assert_int_equal(save->generations[0].generation, 7);
	assert_int_equal(save->generations[0].nr_stacks, 0);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void every_recorded_export_comes_back_verbatim(void **state)
{
	static const char *const names[] = {
		"v8/sched.stack_map", "v8/gens.1.stack_map", "v8/gens.2.stack_map",
		"v8/gens.3.stack_map", "v8/func.stack_map", "v8/raw.stack_map", "v8/v6.stack_map",
		"v7/sched.stack_map", "v7/sched.stack_map_bin", "v7/gens.1.stack_map",
		"v7/gens.1.stack_map_bin", "v7/func.stack_map", "dbg/mod.stack_map",
	};
	size_t nr = sizeof(names) / sizeof(names[0]), i, len;
	struct smap_buf exports[sizeof(names) / sizeof(names[0])] = { 0 }, buf = SMAP_BUF_INIT;
	struct smap_store *store;
	char path[128], *data;

	fixture_add_header(&buf);
	for (i = 0; i < nr; i++) {
		struct smap_save_input input = fixture_input("");

		snprintf(path, sizeof(path), "good/%s", names[i]);
		fixture_read(fixture_data(path), &exports[i]);
		input.export = exports[i].data;
		input.export_len = exports[i].len;
		fixture_add_input(&buf, &input);
	}
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(smap_store_export_bytes(store, i, &data, &len, NULL), 0);
		assert_int_equal(len, exports[i].len);
		assert_memory_equal(data, exports[i].data, len);
		free(data);
		smap_buf_free(&exports[i]);
	}
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	smap_buf_free(&buf);
}

/* The recording of a full map, where it is there: see the option big_data. */
static char *read_big(size_t *ret_len)
{
	const char *folder = getenv("SMAP_BIG_DATA");
	struct smap_buf packed = SMAP_BUF_INIT;
	char path[512], *text;

	if (!folder || !*folder)
		return NULL;
	snprintf(path, sizeof(path), "%s/map.stack_map.zst", folder);
	fixture_read(path, &packed);
	*ret_len = (size_t)ZSTD_getFrameContentSize(packed.data, packed.len);
	text = malloc(*ret_len);
	assert_non_null(text);
	assert_int_equal(ZSTD_decompress(text, *ret_len, packed.data, packed.len), *ret_len);
	smap_buf_free(&packed);
	return text;
}

static void a_full_map_takes_at_most_6_percent_of_its_text(void **state)
{
	struct smap_save_input input = fixture_input("");
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	char *text, *data;
	size_t len, got;

	text = read_big(&len);
	if (!text)
		skip();
	assert_int_equal(len, 11931847);
	input.export = text;
	input.export_len = len;
	fixture_add_header(&buf);
	fixture_add_input(&buf, &input);
	assert_true(buf.len <= len * 6 / 100);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_save(store, 0)->generations[0].nr_stacks, 16384);
	assert_int_equal(smap_store_export_bytes(store, 0, &data, &got, NULL), 0);
	assert_int_equal(got, len);
	assert_memory_equal(data, text, len);
	free(data);
	smap_store_close(store);
	smap_buf_free(&buf);
	free(text);
}

static int encode(void *data)
{
	const struct smap_save_input *input = data;
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_error err;
	int ret;

	ret = smap_store_encode_header(&buf, STORE_ID);
	if (!ret)
		ret = smap_store_encode_block(&buf, STORE_ID, input, &err);
	smap_buf_free(&buf);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf text = SMAP_BUF_INIT;
	unsigned int i;

	input.stat = fixture_stat;
	input.stat_len = strlen(fixture_stat);
	input.symbols = fixture_symbols;
	input.symbols_len = strlen(fixture_symbols);
	alloc_fail_each(encode, &input);
	for (i = 0; i < 50; i++)
		smap_buf_addf(&text, "stack_id %u gen 1 ref 1 depth 1\n => f+0x0/0x1\n", i);
	input.export = text.data;
	input.export_len = text.len;
	alloc_fail_each(encode, &input);
	smap_buf_free(&text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_header_is_as_the_page_says),
		cmocka_unit_test(a_block_is_as_the_page_says),
		cmocka_unit_test(blocks_and_sections_begin_at_multiples_of_8),
		cmocka_unit_test(what_is_no_export_is_not_saved),
		cmocka_unit_test(an_origin_that_does_not_fit_is_refused),
		cmocka_unit_test(more_generations_than_fit_are_refused),
		cmocka_unit_test(the_byte_order_of_a_binary_export_is_recorded),
		cmocka_unit_test(the_word_size_that_an_export_shows_is_recorded),
		cmocka_unit_test(a_map_without_stacks_keeps_its_generation),
		cmocka_unit_test(every_recorded_export_comes_back_verbatim),
		cmocka_unit_test(no_allocation_that_fails_does_harm),
	};
	const struct CMUnitTest big_tests[] = {
		cmocka_unit_test(a_full_map_takes_at_most_6_percent_of_its_text),
	};
	const char *folder = getenv("SMAP_BIG_DATA");

	if (argc < 2 || strcmp(argv[1], "big"))
		return cmocka_run_group_tests(tests, NULL, NULL);
	/* A program of which nothing ran has to say so: 77. */
	if (!folder || !*folder)
		return 77;
	return cmocka_run_group_tests(big_tests, NULL, NULL);
}
