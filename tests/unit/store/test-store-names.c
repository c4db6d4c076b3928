// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc-fail.h"
#include "fixture.h"
#include "store/writer.h"

static const char all[] = "ffffffff81000000 c0 schedule\nffffffff810000c0 40 vfs_read\n";
static const struct smap_modules modules = { true, 7 }, others = { true, 8 };
static const struct smap_modules unknown = { false, 7 };

static struct smap_save_input names_input(const struct smap_modules *of)
{
	struct smap_save_input input = fixture_input("");

	input.is_names = true;
	input.symbols = all;
	input.symbols_len = sizeof(all) - 1;
	input.modules = *of;
	return input;
}

static size_t add_names(struct smap_buf *buf, const struct smap_modules *of)
{
	struct smap_save_input input = names_input(of);

	return fixture_add_input(buf, &input);
}

static void boot(uint8_t boot_id[16])
{
	assert_int_equal(smap_boot_id_parse(BOOT_ID, boot_id), 0);
}

static bool keeps(const struct smap_store *store, const struct smap_modules *of)
{
	uint8_t boot_id[16];

	boot(boot_id);
	return smap_store_has_names(store, boot_id, of);
}

/* A save, names, a save: what was written to a store, opened. */
static struct smap_store *opened(struct smap_buf *buf, const struct smap_modules *of)
{
	fixture_add_header(buf);
	fixture_add_block(buf, fixture_gen1);
	add_names(buf, of);
	fixture_add_block(buf, fixture_gen2);
	return fixture_open(buf);
}

static void what_is_kept_reads_back_and_is_no_save(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = opened(&buf, &modules);
	uint8_t boot_id[16];
	char *text;
	size_t len;

	boot(boot_id);
	assert_int_equal(smap_store_kept_names(store, boot_id, &modules, &text, &len, NULL), 0);
	assert_int_equal(len, sizeof(all) - 1);
	assert_string_equal(text, all);
	free(text);
	assert_int_equal(smap_store_nr_saves(store), 2);
	fixture_holds(store, 1, fixture_gen2);
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void other_modules_or_another_boot_have_none(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, nobodys = SMAP_BUF_INIT;
	struct smap_store *store = opened(&buf, &modules);
	uint8_t boot_id[16];
	char *text = NULL;
	size_t len;

	assert_true(keeps(store, &modules));
	assert_false(keeps(store, &others));
	assert_false(keeps(store, &unknown));
	boot(boot_id);
	boot_id[15] ^= 1;
	assert_false(smap_store_has_names(store, boot_id, &modules));
	assert_int_equal(smap_store_kept_names(store, boot_id, &modules, &text, &len, NULL),
			 -ENODATA);
	smap_store_close(store);
	/* Modules that were not known are those of nobody. */
	store = opened(&nobodys, &unknown);
	assert_false(keeps(store, &modules));
	assert_false(keeps(store, &unknown));
	smap_store_close(store);
	smap_buf_free(&buf);
	smap_buf_free(&nobodys);
}

static void names_of_no_boot_are_for_nobody(void **state)
{
	struct smap_save_input input = names_input(&modules);
	static const uint8_t none[16];
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	memset(input.origin.boot_id, 0, sizeof(input.origin.boot_id));
	input.origin.has_boot_id = false;
	fixture_add_header(&buf);
	fixture_add_input(&buf, &input);
	store = fixture_open(&buf);
	assert_false(smap_store_has_names(store, none, &modules));
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void what_is_broken_in_it_is_told(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, cut = SMAP_BUF_INIT, section = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t block, at;

	fixture_add_header(&buf);
	block = add_names(&buf, &modules);
	at = fixture_find_section(&buf, block, SMAP_SECTION_SYMBOLS);
	buf.data[at] = 'x';
	fixture_seal_block(&buf, block);
	store = fixture_open(&buf);
	assert_int_equal(fixture_verify(store, "symbols: a line is no symbol"), 1);
	smap_store_close(store);

	fixture_add_section(&section, SMAP_SECTION_STAT, 0, 0, 4, "abcd", 4);
	fixture_add_header(&cut);
	fixture_add_kind(&cut, SMAP_BLOCK_NAMES, 0, 1, section.data, section.len);
	store = fixture_open(&cut);
	assert_int_equal(smap_store_nr_damages(store), 1);
	assert_non_null(strstr(smap_store_damage(store, 0)->text, "origin: not there"));
	assert_false(keeps(store, &modules));
	smap_store_close(store);
	smap_buf_free(&section);
	smap_buf_free(&cut);
	smap_buf_free(&buf);
}

static bool drop_first(const struct stackmap_save *save, void *data)
{
	return !save->nr;
}

static void only_the_last_stays_where_a_file_is_written_anew(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	const char *path = fixture_path("a");
	size_t nr, len;

	fixture_add_header(&buf);
	add_names(&buf, &others);
	fixture_add_block(&buf, fixture_gen1);
	add_names(&buf, &others);
	add_names(&buf, &modules);
	fixture_add_block(&buf, fixture_gen2);
	fixture_write(path, buf.data, buf.len);
	assert_int_equal(smap_store_drop(path, drop_first, NULL, &nr, NULL), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(smap_store_nr_saves(store), 1);
	fixture_holds(store, 0, fixture_gen2);
	assert_true(keeps(store, &modules));
	assert_false(keeps(store, &others));
	len = (size_t)smap_store_size(store);
	smap_store_close(store);
	smap_buf_reset(&buf);
	fixture_add_header(&buf);
	add_names(&buf, &modules);
	fixture_add_block(&buf, fixture_gen2);
	assert_int_equal(len, buf.len);
	smap_buf_free(&buf);
}

static void none_stay_that_take_more_than_the_saves(void **state)
{
	struct smap_save_input names = names_input(&modules);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	const char *path = fixture_path("a");
	char noise[2000];
	size_t nr, len;

	fixture_noise((uint8_t *)noise, sizeof(noise), 1);
	names.symbols = noise;
	names.symbols_len = sizeof(noise);
	fixture_add_header(&buf);
	fixture_add_block(&buf, fixture_gen1);
	fixture_add_input(&buf, &names);
	fixture_add_block(&buf, fixture_gen2);
	fixture_write(path, buf.data, buf.len);
	assert_int_equal(smap_store_drop(path, drop_first, NULL, &nr, NULL), 0);
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), 1);
	fixture_holds(store, 0, fixture_gen2);
	assert_false(keeps(store, &modules));
	len = (size_t)smap_store_size(store);
	smap_store_close(store);
	smap_buf_reset(&buf);
	fixture_add_header(&buf);
	fixture_add_block(&buf, fixture_gen2);
	assert_int_equal(len, buf.len);
	smap_buf_free(&buf);
}

static void a_copy_has_none(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = opened(&buf, &modules), *there;
	const char *path = fixture_path("a");

	assert_int_equal(smap_store_append_saves(path, store, NULL), 0);
	smap_store_close(store);
	assert_int_equal(smap_store_open(path, &there, NULL), 0);
	assert_int_equal(smap_store_nr_damages(there), 0);
	assert_int_equal(smap_store_nr_saves(there), 2);
	fixture_holds(there, 1, fixture_gen2);
	assert_false(keeps(there, &modules));
	smap_store_close(there);
	smap_buf_free(&buf);
}

static void they_are_not_carried_to_another_file(void **state)
{
	const struct smap_save_input input = fixture_input(fixture_text4);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = opened(&buf, &modules), *there;
	const char *path = fixture_path("a");

	assert_int_equal(smap_store_append(path, &input, 1, NULL), 0);
	assert_int_equal(smap_store_append_saves(path, store, NULL), 0);
	smap_store_close(store);
	assert_int_equal(smap_store_open(path, &there, NULL), 0);
	assert_int_equal(smap_store_nr_saves(there), 3);
	assert_false(keeps(there, &modules));
	smap_store_close(there);
	smap_buf_free(&buf);
}

/* ---- who writes them ---- */

static bool wants(const struct smap_writer *writer, const struct smap_modules *of, uint64_t len)
{
	uint8_t boot_id[16];

	boot(boot_id);
	return smap_writer_wants_names(writer, boot_id, of, len);
}

static uint64_t append(struct smap_writer *writer, const struct smap_save_input *input)
{
	uint64_t len;

	assert_int_equal(smap_writer_append(writer, input, &len, NULL), 0);
	return len;
}

static struct smap_writer *writer_open(const char *path)
{
	struct smap_writer *writer;
	struct smap_error err = { "" };

	if (smap_writer_open(path, &writer, &err))
		fail_msg("%s", err.text);
	return writer;
}

static void a_writer_wants_them_once_and_no_more_than_there_are_saves(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1), names = names_input(&modules);
	const char *path = fixture_path("a");
	struct smap_writer *writer = writer_open(path);
	uint64_t len, names_len;

	assert_false(wants(writer, &modules, 1));
	len = append(writer, &input);
	assert_true(wants(writer, &modules, len));
	assert_false(wants(writer, &modules, len + 1));
	names_len = append(writer, &names);
	assert_false(wants(writer, &modules, 1));
	smap_writer_close(writer);

	/* Another one: those of other modules are in its way. */
	writer = writer_open(path);
	assert_true(len > names_len);
	assert_false(wants(writer, &others, 1));
	input = fixture_input(fixture_gen2);
	len += append(writer, &input);
	assert_false(wants(writer, &modules, 1));
	assert_true(wants(writer, &others, len - names_len));
	assert_false(wants(writer, &others, len - names_len + 1));
	smap_writer_close(writer);
	assert_int_equal(unlink(path), 0);
}

static int read_once(void *data)
{
	const struct smap_buf *buf = data;
	struct smap_store *store;
	uint8_t boot_id[16];
	char *text;
	size_t len;
	int ret;

	boot(boot_id);
	ret = smap_store_open_memory(buf->data, buf->len, &store, NULL);
	if (ret)
		return ret;
	ret = smap_store_kept_names(store, boot_id, &modules, &text, &len, NULL);
	if (!ret)
		free(text);
	smap_store_close(store);
	return ret;
}

static void no_memory_is_told_and_leaks_nothing(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_store_close(opened(&buf, &modules));
	alloc_fail_each(read_once, &buf);
	smap_buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_reads_back_and_is_no_save),
		cmocka_unit_test(other_modules_or_another_boot_have_none),
		cmocka_unit_test(names_of_no_boot_are_for_nobody),
		cmocka_unit_test(what_is_broken_in_it_is_told),
		FOLDER_TEST(only_the_last_stays_where_a_file_is_written_anew),
		FOLDER_TEST(none_stay_that_take_more_than_the_saves),
		FOLDER_TEST(a_copy_has_none),
		FOLDER_TEST(they_are_not_carried_to_another_file),
		FOLDER_TEST(a_writer_wants_them_once_and_no_more_than_there_are_saves),
		cmocka_unit_test(no_memory_is_told_and_leaks_nothing),
	};

	return cmocka_run_group_tests_name("store-names", tests, NULL, NULL);
}
