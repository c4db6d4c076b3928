// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "alloc-fail.h"

static const struct smap_fingerprint trace = { 7, 1000, 1, 2 };
static const struct smap_fingerprint same_recording = { 7, 2000, 3, 4 };
static const struct smap_fingerprint other = { 8, 1000, 1, 2 };
static const struct smap_fingerprint without_id = { 0, 1000, 1, 2 };

static void append(const char *path, const char *export)
{
	const struct smap_save_input input = fixture_input(export);
	struct smap_error err = { "" };

	assert_int_equal(smap_store_append(path, &input, 1, &err), 0);
}

static void tie(const char *path, const struct smap_fingerprint *to)
{
	struct smap_error err = { "" };

	assert_int_equal(smap_store_tie(path, to, &err), 0);
}

/* Bit n: save n is tied to @to. */
static unsigned int tied(const char *path, const struct smap_fingerprint *to)
{
	struct smap_error err = { "" };
	struct smap_store *store;
	unsigned int bits = 0;
	size_t i;

	assert_int_equal(smap_store_open(path, &store, &err), 0);
	assert_int_equal(smap_store_mark_tied(store, to), 0);
	for (i = 0; i < smap_store_nr_saves(store); i++)
		bits |= (unsigned int)smap_store_save(store, i)->is_tied << i;
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	return bits;
}

static void saves_are_tied_to_their_trace_and_no_other(void **state)
{
	const char *path = fixture_path("a");

	append(path, fixture_gen1);
	append(path, fixture_gen2);
	assert_int_equal(tied(path, &trace), 0);
	tie(path, &trace);
	assert_int_equal(tied(path, &trace), 3);
	assert_int_equal(tied(path, &other), 0);
	assert_int_equal(tied(path, &without_id), 0);
	/* Converted, or cut out of it. */
	assert_int_equal(tied(path, &same_recording), 3);
}

static void a_save_that_came_later_is_not_tied(void **state)
{
	const char *path = fixture_path("a");

	append(path, fixture_gen1);
	tie(path, &trace);
	append(path, fixture_gen2);
	assert_int_equal(tied(path, &trace), 1);
	tie(path, &other);
	assert_int_equal(tied(path, &trace), 1);
	assert_int_equal(tied(path, &other), 3);
}

static void without_an_id_all_of_a_trace_counts(void **state)
{
	struct smap_fingerprint near = without_id;
	const char *path = fixture_path("a");

	append(path, fixture_gen1);
	tie(path, &without_id);
	assert_int_equal(tied(path, &without_id), 1);
	near.tail++;
	assert_int_equal(tied(path, &near), 0);
	near = without_id;
	near.head++;
	assert_int_equal(tied(path, &near), 0);
	near = without_id;
	near.len++;
	assert_int_equal(tied(path, &near), 0);
	assert_int_equal(tied(path, &trace), 0);
}

static void nothing_to_tie_is_refused(void **state)
{
	struct smap_error err = { "" };
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	fixture_write(fixture_path("empty"), buf.data, buf.len);
	assert_int_equal(smap_store_tie(fixture_path("empty"), &trace, &err), -ENODATA);
	fixture_write(fixture_path("raw"), fixture_gen1, strlen(fixture_gen1));
	assert_int_equal(smap_store_tie(fixture_path("raw"), &trace, &err), -EINVAL);
	assert_int_equal(smap_store_tie(fixture_path("none"), &trace, &err), -ENOENT);
	smap_buf_free(&buf);
}

static void add_tie(struct smap_buf *buf, uint32_t nr_saves, size_t len, uint32_t reserved)
{
	struct smap_store_tie disk = { .nr_saves = nr_saves, .reserved = reserved };
	struct smap_buf section = SMAP_BUF_INIT;
	uint8_t data[64] = { 0 };

	memcpy(data, &disk, sizeof(disk));
	fixture_add_section(&section, SMAP_SECTION_TIE, 0, SMAP_CODEC_NONE, len, data, len);
	fixture_add_kind(buf, SMAP_BLOCK_TIE, 0, 1, section.data, section.len);
	smap_buf_free(&section);
}

static void one_that_is_cut_is_damage_and_ties_nothing(void **state)
{
	static const struct { uint32_t nr_saves; size_t len; } cut[] = {
		{ 0, 39 }, { 1, 40 }, { 4, 64 }, { UINT32_MAX, 64 },
	};
	struct smap_store *store;
	struct smap_buf buf;
	size_t i;

	for (i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		buf = (struct smap_buf)SMAP_BUF_INIT;
		fixture_add_header(&buf);
		fixture_add_block(&buf, fixture_gen1);
		add_tie(&buf, cut[i].nr_saves, cut[i].len, 0);
		store = fixture_open(&buf);
		assert_int_equal(smap_store_nr_saves(store), 1);
		assert_int_equal(smap_store_nr_ties(store), 0);
		assert_int_equal(smap_store_nr_damages(store), 1);
		smap_store_close(store);
		smap_buf_free(&buf);
	}
}

static void a_check_looks_at_it(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	fixture_add_header(&buf);
	fixture_add_block(&buf, fixture_gen1);
	add_tie(&buf, 0, 40, 1);
	store = fixture_open(&buf);
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(fixture_verify(store, "tie: a reserved field is not zero"), 1);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void read_times_and_origin_of_the_generation_are_kept(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf buf = SMAP_BUF_INIT;
	const struct stackmap_save *save;
	struct smap_store *store;

	input.origin.random_generation = true;
	input.read_times = (struct smap_read_times){ true, 30, 20, 10 };
	fixture_add_header(&buf);
	fixture_add_input(&buf, &input);
	fixture_add_block(&buf, fixture_gen2);
	store = fixture_open(&buf);
	save = smap_store_save(store, 0);
	assert_true(save->origin.random_generation);
	assert_true(save->read_times.is_known);
	assert_int_equal(save->read_times.boot_ns, 30);
	assert_int_equal(save->read_times.mono_ns, 20);
	assert_int_equal(save->read_times.mono_raw_ns, 10);
	assert_string_equal(save->origin.machine, input.origin.machine);
	save = smap_store_save(store, 1);
	assert_false(save->origin.random_generation);
	assert_false(save->read_times.is_known);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static int encode_and_mark(void *data)
{
	const struct smap_buf *save = data;
	uint64_t sums[] = { 1, 2 };
	const struct smap_tie made = { trace, sums, 2 };
	const struct smap_save_input input = { .tie = &made };
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = NULL;
	struct smap_error err = { "" };
	int ret = -ENOMEM;

	smap_buf_add(&buf, save->data, save->len);
	if (!smap_buf_failed(&buf))
		ret = smap_store_encode_block(&buf, STORE_ID, &input, &err);
	if (!ret)
		ret = smap_store_open_memory(buf.data, buf.len, &store, &err);
	if (!ret)
		ret = smap_store_mark_tied(store, &trace);
	smap_store_close(store);
	smap_buf_free(&buf);
	return ret ? smap_errno(ret) : 0;
}

static void no_memory_is_survived(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	fixture_add_block(&buf, fixture_gen1);
	alloc_fail_each(encode_and_mark, &buf);
	smap_buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(saves_are_tied_to_their_trace_and_no_other),
		FOLDER_TEST(a_save_that_came_later_is_not_tied),
		FOLDER_TEST(without_an_id_all_of_a_trace_counts),
		FOLDER_TEST(nothing_to_tie_is_refused),
		cmocka_unit_test(one_that_is_cut_is_damage_and_ties_nothing),
		cmocka_unit_test(a_check_looks_at_it),
		cmocka_unit_test(read_times_and_origin_of_the_generation_are_kept),
		cmocka_unit_test(no_memory_is_survived),
	};

	return cmocka_run_group_tests_name("store-tie", tests, NULL, NULL);
}
