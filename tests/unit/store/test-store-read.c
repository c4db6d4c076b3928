// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bin2.h"
#include "fixture.h"
#include "alloc-fail.h"

static void make_store(struct smap_buf *buf)
{
	struct smap_save_input input = fixture_input(fixture_gen1);

	input.stat = fixture_stat;
	input.stat_len = strlen(fixture_stat);
	input.symbols = fixture_symbols;
	input.symbols_len = strlen(fixture_symbols);
	fixture_add_header(buf);
	fixture_add_input(buf, &input);
	fixture_add_block(buf, fixture_gen2);
}

static void a_save_gives_back_what_was_put_in(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct stackmap_save *save;
	struct smap_store *store;
	char *data;
	size_t len;

	make_store(&buf);
	store = fixture_open(&buf);
	save = smap_store_save(store, 0);
	assert_ptr_equal(save->store, store);
	assert_int_equal(save->nr, 0);
	assert_int_equal(save->offset, 56);
	assert_int_equal(save->stored_size, fixture_block_len(&buf, 56));
	assert_int_equal(save->export_size, strlen(fixture_gen1));
	assert_string_equal(save->origin.release, "7.2.13");
	assert_string_equal(save->boot_id_text, BOOT_ID);
	assert_true(save->has_stat);
	assert_true(save->has_symbols);
	assert_false(save->is_raw);
	assert_true(save->has_generation);
	fixture_holds(store, 0, fixture_gen1);
	assert_int_equal(smap_store_stat_bytes(store, 0, &data, &len, NULL), 0);
	assert_string_equal(data, fixture_stat);
	free(data);
	assert_int_equal(smap_store_symbol_bytes(store, 0, &data, &len, NULL), 0);
	assert_string_equal(data, fixture_symbols);
	free(data);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void what_a_save_has_not_is_empty(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	char *data;
	size_t len;

	make_store(&buf);
	store = fixture_open(&buf);
	assert_false(smap_store_save(store, 1)->has_stat);
	assert_false(smap_store_save(store, 1)->has_symbols);
	assert_int_equal(smap_store_stat_bytes(store, 1, &data, &len, NULL), 0);
	assert_int_equal(len, 0);
	assert_string_equal(data, "");
	free(data);
	assert_int_equal(smap_store_symbol_bytes(store, 1, &data, &len, NULL), 0);
	assert_int_equal(len, 0);
	free(data);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void an_export_is_parsed_when_it_is_asked_for(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct smap_stack *stack;
	struct smap_findings findings;
	struct smap_export *export;
	struct smap_store *store;

	make_store(&buf);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_export(store, 0, &export, &findings, NULL), 0);
	assert_int_equal(findings.nr_records, 2);
	stack = smap_export_find(export, 1ULL << 32 | 42);
	assert_non_null(stack);
	assert_int_equal(stack->depth, 3);
	assert_int_equal(stack->ref, 1337);
	smap_export_free(export);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void there_is_no_save_behind_the_last(void **state)
{
	const struct smap_parse_ops *format;
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_export *export;
	struct smap_store *store;
	struct smap_error err;
	char *data;
	size_t len;

	make_store(&buf);
	store = fixture_open(&buf);
	assert_null(smap_store_save(store, 2));
	assert_null(smap_store_damage(store, 0));
	assert_int_equal(smap_store_export_bytes(store, 2, &data, &len, &err), -ERANGE);
	assert_int_equal(smap_store_export(store, 2, &export, NULL, &err), -ERANGE);
	assert_int_equal(smap_store_export_format(store, 2, &format, &err), -ERANGE);
	assert_string_equal(err.text, "no save 3");
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_block_that_changes_after_opening_is_not_served(void **state)
{
	const struct smap_parse_ops *format = NULL;
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_export *export = NULL;
	struct smap_store *store;
	struct smap_error err;

	make_store(&buf);
	store = fixture_open(&buf);
	buf.data[200] ^= 1;
	assert_int_equal(smap_store_export(store, 0, &export, NULL, &err), -EBADMSG);
	assert_null(export);
	assert_string_equal(err.text,
			    "export of the save at byte 56: changed since the file was opened");
	assert_int_equal(smap_store_export_format(store, 0, &format, &err), -EBADMSG);
	assert_null(format);
	fixture_holds(store, 1, fixture_gen2);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static const char *format_of(struct smap_store *store, size_t nr)
{
	const struct smap_parse_ops *format;

	assert_int_equal(smap_store_export_format(store, nr, &format, NULL), 0);
	return format->name;
}

/* Long enough to be compressed. */
static void add_records(struct smap_buf *text, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		smap_buf_addf(text, "stack_id %u gen 1 ref 1 depth 1\n => f%u+0x0/0x10\n", i, i);
}

static void the_format_is_told_without_decoding_the_rest(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, text = SMAP_BUF_INIT;
	struct smap_store *store;

	add_records(&text, 10000);
	fixture_add_header(&buf);
	fixture_add_block(&buf, text.data);
	fixture_add_block(&buf, fixture_text4);
	store = fixture_open(&buf);
	assert_string_equal(format_of(store, 0), "text8");
	assert_string_equal(format_of(store, 1), "text4");
	fixture_holds(store, 0, text.data);
	smap_store_close(store);
	smap_buf_free(&text);
	smap_buf_free(&buf);
}

static void a_raw_export_is_a_store_with_one_save(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct stackmap_save *save;
	struct smap_store *store;
	char *data;
	size_t len;

	smap_buf_add_str(&buf, fixture_gen1);
	smap_buf_add_str(&buf, fixture_gen2);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1);
	assert_int_equal(smap_store_nr_damages(store), 0);
	save = smap_store_save(store, 0);
	assert_true(save->is_raw);
	assert_int_equal(save->nr_generations, 2);
	assert_int_equal(save->generations[1].generation, 2);
	assert_int_equal(save->offset, 0);
	assert_int_equal(save->stored_size, buf.len);
	assert_int_equal(save->export_size, buf.len);
	assert_int_equal(save->nr_records, 3);
	assert_false(save->origin.has_boot_id);
	assert_null(save->origin.release);
	assert_int_equal(save->origin.word_size, 0);
	assert_int_equal(save->saved_wall_ns, SMAP_TIME_UNKNOWN);
	assert_string_equal(format_of(store, 0), "text8");
	fixture_holds(store, 0, buf.data);
	assert_int_equal(smap_store_stat_bytes(store, 0, &data, &len, NULL), 0);
	assert_int_equal(len, 0);
	free(data);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_raw_export_can_be_had_as_often_as_one_likes(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_findings findings;
	struct smap_export *export;
	struct smap_store *store;
	int i;

	smap_buf_add_str(&buf, fixture_gen1);
	store = fixture_open(&buf);
	for (i = 0; i < 3; i++) {
		memset(&findings, 0, sizeof(findings));
		assert_int_equal(smap_store_export(store, 0, &export, &findings, NULL), 0);
		assert_int_equal(export->nr_stacks, 2);
		assert_int_equal(findings.nr_records, 2);
		smap_export_free(export);
	}
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_raw_binary_export_shows_its_byte_order(void **state)
{
	struct smap_store *store;

	assert_int_equal(smap_store_open(fixture_data("good/v7/sched.stack_map_bin"), &store, NULL),
			 0);
	assert_int_equal(smap_store_save(store, 0)->origin.byte_order, SMAP_ORDER_LITTLE);
	assert_int_equal(smap_store_save(store, 0)->origin.word_size, 0);
	assert_false(smap_store_save(store, 0)->has_generation);
	assert_int_equal(smap_store_save(store, 0)->generations[0].nr_stacks, 47);
	assert_string_equal(format_of(store, 0), "bin1");
	smap_store_close(store);
}

static void a_raw_export_of_format_fsm2_shows_what_it_is_of(void **state)
{
	const struct bin2 bin = { 7, 0, 0xffffffff81000000, { 0xffffffff81000048 }, 1 };
	struct bin2_bytes export = bin2_make(&bin);
	const struct stackmap_save *save;
	struct smap_store *store;

	assert_int_equal(smap_store_open_memory(export.data, export.len, &store, NULL), 0);
	save = smap_store_save(store, 0);
	assert_int_equal(save->origin.word_size, 8);
	assert_true(save->has_generation);
	assert_int_equal(save->generations[0].generation, 7);
	assert_int_equal(save->generations[0].nr_stacks, 1);
	assert_string_equal(format_of(store, 0), "bin2");
	assert_int_equal(smap_store_nr_damages(store), 0);
	smap_store_close(store);
}

static void a_raw_export_with_a_cut_record_is_damaged(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	smap_buf_add(&buf, fixture_gen1, strlen(fixture_gen1) - 10);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1);
	assert_true(smap_store_nr_damages(store) >= 1);
	fixture_damaged(store, 0, 0, buf.len, "export: the last record (slot 77) is cut");
	assert_int_equal(fixture_verify(store, "is cut"), (int)smap_store_nr_damages(store));
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_raw_export_without_all_its_records_is_damaged(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	/* Nothing but the header. */
	fixture_read(fixture_data("good/v7/sched.stack_map_bin"), &buf);
	buf.len = 16;
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_damages(store), 1);
	fixture_damaged(store, 0, 0, 16, "export: 47 announced records are missing");
	smap_store_close(store);
	smap_buf_free(&buf);
}

/* Of holes, but for its first record. */
static void a_raw_export_too_long_asks_for_no_memory(void **state)
{
	const char *path = fixture_path("holes");
	struct smap_store *store = NULL;
	struct smap_error err = { "" };

	fixture_write(path, fixture_gen1, strlen(fixture_gen1));
	assert_int_equal(truncate(path, (1LL << 30) + 1), 0);
	assert_int_equal(smap_store_open(path, &store, &err), -EFBIG);
	assert_null(store);
	assert_non_null(strstr(err.text, "holes: longer than 1073741824 bytes"));
}

static void what_is_neither_store_nor_export_is_refused(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add_str(&buf, "root:x:0:0:root:/root:/bin/sh\n");
	fixture_refused(&buf, -EINVAL, "neither a saved-map file nor a stack_map");
	smap_buf_reset(&buf);
	smap_buf_add_str(&buf, "s");
	fixture_refused(&buf, -EINVAL, "neither a saved-map file nor a stack_map");
	smap_buf_free(&buf);
}

static void words_name_the_file(void **state)
{
	struct smap_store *store = NULL;
	struct smap_error err;
	const char *path = fixture_path("other");
	char words[512];

	fixture_write(path, "something else\n", 15);
	assert_int_equal(smap_store_open(path, &store, &err), -EINVAL);
	snprintf(words, sizeof(words), "%s: neither a saved-map file nor a stack_map", path);
	assert_string_equal(err.text, words);
	assert_int_equal(smap_store_open(fixture_path("nowhere"), &store, &err), -ENOENT);
	assert_null(store);
}

static void a_store_on_disk_is_read(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	make_store(&buf);
	fixture_write(path, buf.data, buf.len);
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), 2);
	assert_int_equal(smap_store_size(store), buf.len);
	fixture_holds(store, 0, fixture_gen1);
	fixture_holds(store, 1, fixture_gen2);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_store_behind_other_bytes_is_read(void **state)
{
	static const size_t offsets[] = { 1, 8, 4097, 100000 };
	const char *path = fixture_path("trace.dat");
	struct smap_store *store;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct smap_buf buf = SMAP_BUF_INIT, front = SMAP_BUF_INIT;

		make_store(&buf);
		memset(smap_buf_reserve(&front, offsets[i]), 'x', offsets[i]);
		front.len = offsets[i];
		smap_buf_add(&front, buf.data, buf.len);
		fixture_write(path, front.data, front.len);
		fd = open(path, O_RDONLY);
		assert_int_equal(smap_store_open_at(fd, offsets[i], &store, NULL), 0);
		close(fd);
		assert_int_equal(smap_store_nr_saves(store), 2);
		assert_int_equal(smap_store_nr_damages(store), 0);
		assert_int_equal(smap_store_save(store, 0)->offset, 56);
		assert_int_equal(smap_store_size(store), buf.len);
		fixture_holds(store, 0, fixture_gen1);
		assert_int_equal(fixture_verify(store, NULL), 0);
		smap_store_close(store);
		smap_buf_free(&buf);
		smap_buf_free(&front);
	}
}

static void a_store_through_a_pipe_is_read(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	int fds[2];

	make_store(&buf);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], buf.data, buf.len), buf.len);
	close(fds[1]);
	assert_int_equal(smap_store_open_at(fds[0], 0, &store, NULL), 0);
	close(fds[0]);
	assert_int_equal(smap_store_nr_saves(store), 2);
	fixture_holds(store, 1, fixture_gen2);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_file_cut_short_after_opening_kills_nobody(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_export *export;
	struct smap_store *store;

	make_store(&buf);
	fixture_write(path, buf.data, buf.len);
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(smap_store_export(store, 0, &export, NULL, NULL), -EBADMSG);
	assert_int_equal(smap_store_export(store, 1, &export, NULL, NULL), -EBADMSG);
	assert_true(fixture_verify(store, "cut short while it was read") > 0);
	smap_store_close(store);

	fixture_write(path, fixture_gen1, strlen(fixture_gen1));
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(smap_store_export(store, 0, &export, NULL, NULL), 0);
	smap_export_free(export);
	assert_int_equal(smap_store_export(store, 0, &export, NULL, NULL), -EBADMSG);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void a_store_is_known_by_its_first_bytes(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	make_store(&buf);
	assert_true(smap_store_probe(buf.data, buf.len));
	assert_true(smap_store_probe(buf.data, 8));
	assert_false(smap_store_probe(buf.data, 7));
	assert_false(smap_store_probe(fixture_gen1, strlen(fixture_gen1)));
	smap_buf_free(&buf);
}

static void closing_nothing_is_allowed(void **state)
{
	smap_store_close(NULL);
}

static int use(void *data)
{
	const struct smap_parse_ops *format;
	struct smap_export *export;
	struct smap_store *store;
	struct smap_error err;
	char *bytes;
	size_t len;
	int ret;

	ret = smap_store_open(data, &store, &err);
	if (ret)
		return ret;
	ret = smap_store_export(store, 0, &export, NULL, &err);
	if (!ret)
		smap_export_free(export);
	if (!ret)
		ret = smap_store_stat_bytes(store, 0, &bytes, &len, &err);
	if (!ret)
		free(bytes);
	if (!ret)
		ret = smap_store_export_bytes(store, 0, &bytes, &len, &err);
	if (!ret)
		free(bytes);
	if (!ret)
		ret = smap_store_export_format(store, 0, &format, &err);
	smap_store_close(store);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	char *path = strdup(fixture_path("a.stackmap"));

	make_store(&buf);
	fixture_write(path, buf.data, buf.len);
	alloc_fail_each(use, path);
	fixture_write(path, fixture_gen1, strlen(fixture_gen1));
	alloc_fail_each(use, path);
	free(path);
	smap_buf_free(&buf);
}

static void memory_does_not_grow_with_the_number_of_saves_but_for_their_list(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, text = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t before, i;

	add_records(&text, 100);
	fixture_add_header(&buf);
	for (i = 0; i < 1440; i++)
		fixture_add_block(&buf, text.data);
	before = alloc_fail_nr_live();
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_saves(store), 1440);
	/* Each: three strings and its generations; for all: the store and its two lists. */
	assert_int_equal(alloc_fail_nr_live() - before, 1440 * 4 + 3);
	smap_store_close(store);
	smap_buf_free(&text);
	smap_buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_save_gives_back_what_was_put_in),
		cmocka_unit_test(what_a_save_has_not_is_empty),
		cmocka_unit_test(an_export_is_parsed_when_it_is_asked_for),
		cmocka_unit_test(there_is_no_save_behind_the_last),
		cmocka_unit_test(a_block_that_changes_after_opening_is_not_served),
		cmocka_unit_test(the_format_is_told_without_decoding_the_rest),
		cmocka_unit_test(a_raw_export_is_a_store_with_one_save),
		cmocka_unit_test(a_raw_export_can_be_had_as_often_as_one_likes),
		cmocka_unit_test(a_raw_binary_export_shows_its_byte_order),
		cmocka_unit_test(a_raw_export_of_format_fsm2_shows_what_it_is_of),
		cmocka_unit_test(a_raw_export_with_a_cut_record_is_damaged),
		cmocka_unit_test(a_raw_export_without_all_its_records_is_damaged),
		FOLDER_TEST(a_raw_export_too_long_asks_for_no_memory),
		cmocka_unit_test(what_is_neither_store_nor_export_is_refused),
		FOLDER_TEST(words_name_the_file),
		FOLDER_TEST(a_store_on_disk_is_read),
		FOLDER_TEST(a_store_behind_other_bytes_is_read),
		cmocka_unit_test(a_store_through_a_pipe_is_read),
		FOLDER_TEST(a_file_cut_short_after_opening_kills_nobody),
		cmocka_unit_test(a_store_is_known_by_its_first_bytes),
		cmocka_unit_test(closing_nothing_is_allowed),
		FOLDER_TEST(no_allocation_that_fails_does_harm),
		cmocka_unit_test(memory_does_not_grow_with_the_number_of_saves_but_for_their_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
