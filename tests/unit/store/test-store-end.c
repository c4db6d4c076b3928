// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who appends looks at the end of a store only: what that costs, what it sees there, and what it
 * does not lose by it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "store/writer.h"

#define MB	(1UL << 20)

static const char one[] = "stack_id 1 gen 1 ref 1 depth 1\n => one+0x0/0x10\n";
static const char two[] = "stack_id 1 gen 1 ref 1 depth 1\n => one+0x0/0x10\n"
			  "stack_id 2 gen 1 ref 1 depth 1\n => two+0x0/0x10\n";

static const struct smap_fingerprint trace = { 7, 1000, 1, 2 };

static size_t nr_read;			/* bytes */

ssize_t __real_pread64(int fd, void *data, size_t len, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t len, off_t offset);

ssize_t __wrap_pread64(int fd, void *data, size_t len, off_t offset)
{
	ssize_t got = __real_pread64(fd, data, len, offset);

	nr_read += got > 0 ? (size_t)got : 0;
	return got;
}

static const char *path(void)
{
	return fixture_path("a.stackmap");
}

/* A save of generation 2 that takes @len bytes and a little: what does not shrink stands in it. */
static void add_large(struct smap_buf *buf, size_t len)
{
	struct smap_save_input input = fixture_input(fixture_gen2);
	uint64_t *noise = malloc(len), state = buf->len + 1;
	size_t i;

	assert_non_null(noise);
	for (i = 0; i < len / sizeof(*noise); i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		noise[i] = state ^ state >> 29;
	}
	input.stat = noise;
	input.stat_len = len;
	fixture_add_input(buf, &input);
	free(noise);
}

/* In front of what a writer looks at. */
static void add_past(struct smap_buf *buf, size_t nr)
{
	while (nr--)
		add_large(buf, MB);
}

static int save_input(struct smap_save_input input)
{
	struct smap_writer *writer = NULL;
	struct smap_findings findings;
	struct smap_export *parsed;
	uint64_t len;
	int ret;

	ret = smap_parse(input.export, input.export_len, &parsed, &input.order, &findings, NULL);
	if (ret)
		return ret;
	input.parsed = parsed;
	input.findings = &findings;
	ret = smap_writer_open(path(), &writer, NULL);
	if (!ret)
		ret = smap_writer_append(writer, &input, &len, NULL);
	smap_writer_close(writer);
	smap_export_free(parsed);
	return ret;
}

static int save(const char *export)
{
	return save_input(fixture_input(export));
}

static size_t bytes_of_a_save(const struct smap_buf *buf)
{
	fixture_write(path(), buf->data, buf->len);
	nr_read = 0;
	assert_int_equal(save(two), 0);
	return nr_read;
}

static void a_save_reads_no_more_of_a_longer_file(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	size_t shorter, longer;

	fixture_add_header(&buf);
	add_past(&buf, 12);
	fixture_add_block(&buf, one);
	shorter = bytes_of_a_save(&buf);
	buf.len = 0;
	fixture_add_header(&buf);
	add_past(&buf, 60);
	fixture_add_block(&buf, one);
	longer = bytes_of_a_save(&buf);
	assert_true(shorter < 10 * MB);
	assert_true(longer < 10 * MB);
	smap_buf_free(&buf);
}

static struct smap_store *open_end(const struct smap_buf *buf)
{
	struct smap_store *store = NULL;
	int fd;

	fixture_write(path(), buf->data, buf->len);
	fd = open(path(), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(smap_store_open_end(fd, &store, NULL), 0);
	close(fd);
	return store;
}

static void the_last_saves_are_seen_and_all_of_a_short_file(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	fixture_add_header(&buf);
	store = open_end(&buf);
	assert_false(store->is_end_only);
	assert_int_equal(smap_store_nr_saves(store), 0);
	smap_store_close(store);
	add_past(&buf, 7);
	fixture_add_block(&buf, one);
	store = open_end(&buf);
	assert_false(store->is_end_only);
	assert_int_equal(smap_store_nr_saves(store), 8);
	smap_store_close(store);
	add_past(&buf, 5);
	store = open_end(&buf);
	assert_true(store->is_end_only);
	assert_int_equal(smap_store_nr_saves(store), 8);
	assert_int_equal(smap_store_nr_damages(store), 0);
	fixture_holds(store, 2, one);
	smap_store_close(store);
	smap_buf_free(&buf);
}

static void one_that_is_longer_than_that_is_seen_whole(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	fixture_add_header(&buf);
	add_past(&buf, 30);
	add_large(&buf, 20 * MB);
	store = open_end(&buf);
	assert_true(store->is_end_only);
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_true(smap_store_nr_saves(store) >= 1);
	assert_true(smap_store_save(store, smap_store_nr_saves(store) - 1)->stored_size > 20 * MB);
	smap_store_close(store);
	smap_buf_free(&buf);
}

/* A tail of each kind that a killed writer, or a power cut, leaves behind a long file. */
static void behind_a_torn_tail_it_goes_on(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t whole, lost;

	for (lost = 1; lost < 12 * MB; lost = lost * 7 + 1) {
		buf.len = 0;
		fixture_add_header(&buf);
		add_past(&buf, 9);
		fixture_add_block(&buf, one);
		whole = buf.len;
		add_large(&buf, 12 * MB);
		if (lost % 2)
			buf.len -= lost;	/* cut */
		else
			memset(buf.data + buf.len - lost, 0, lost);
		store = open_end(&buf);
		assert_int_equal(smap_store_nr_damages(store), 1);
		assert_int_equal(smap_store_damage(store, 0)->offset, whole);
		smap_store_close(store);
		assert_int_equal(save(two), 0);
		assert_int_equal(smap_store_open(path(), &store, NULL), 0);
		assert_int_equal(smap_store_nr_damages(store), 1);
		assert_int_equal(smap_store_nr_saves(store), 11);
		fixture_holds(store, 10, two);
		/* The one before it is of the same map, and was found. */
		assert_true(smap_store_save(store, 9)->is_superseded);
		smap_store_close(store);
	}
	smap_buf_free(&buf);
}

/* Blocks behind a torn one, whose size reaches over them: the end begins in the middle of it. */
static void what_a_torn_block_covers_is_seen(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;

	fixture_add_header(&buf);
	add_large(&buf, 40 * MB);
	buf.len = 3 * MB;
	add_past(&buf, 10);
	fixture_add_block(&buf, one);
	store = open_end(&buf);
	assert_true(store->is_end_only);
	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(smap_store_nr_saves(store), 8);
	smap_store_close(store);
	smap_buf_free(&buf);
}

/* The tie stands far in front of the save that took the place of what it names. */
static void what_was_tied_far_before_stays_so(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_save_input input = fixture_input(one);
	struct smap_store *store;
	uint64_t tied;

	fixture_add_header(&buf);
	fixture_add_block(&buf, one);
	fixture_write(path(), buf.data, buf.len);
	assert_int_equal(smap_store_tie(path(), &trace, NULL), 0);
	assert_int_equal(smap_store_open(path(), &store, NULL), 0);
	tied = store->blocks[0].data_checksum;
	buf.len = 0;
	fixture_read(path(), &buf);
	/* The same store, and not what fixture_add_header() makes of it. */
	assert_int_equal(store->store_id, STORE_ID);
	smap_store_close(store);
	add_past(&buf, 10);
	input.superseded = &tied;
	input.nr_superseded = 1;
	fixture_add_input(&buf, &input);
	fixture_write(path(), buf.data, buf.len);
	assert_int_equal(save(two), 0);
	assert_int_equal(smap_store_open(path(), &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), 13);
	assert_int_equal(smap_store_mark_tied(store, &trace), 0);
	assert_true(smap_store_save(store, 11)->is_superseded);
	assert_true(smap_store_save(store, 12)->is_tied);
	smap_store_close(store);
	smap_buf_free(&buf);
}

/* Needless saves go from a long file, too, in the end. */
static void a_long_file_of_needless_saves_is_written_anew(void **state)
{
	struct smap_save_input input = fixture_input(one);
	struct smap_buf buf = SMAP_BUF_INIT, noise = SMAP_BUF_INIT;
	struct stat st;
	off_t largest = 0;
	uint64_t i;

	add_large(&noise, MB);
	fixture_add_header(&buf);
	add_past(&buf, 9);
	fixture_write(path(), buf.data, buf.len);
	input.stat = noise.data;
	input.stat_len = noise.len;
	for (i = 0; i < 40; i++) {
		input.saved_wall_ns = i;
		assert_int_equal(save_input(input), 0);
		assert_int_equal(stat(path(), &st), 0);
		largest = st.st_size > largest ? st.st_size : largest;
	}
	assert_true(largest < (off_t)(24 * MB));
	smap_buf_free(&noise);
	smap_buf_free(&buf);
}

static int open_once(void *data)
{
	struct smap_store *store = NULL;
	int fd = open(path(), O_RDONLY | O_CLOEXEC), ret;

	assert_true(fd >= 0);
	ret = smap_store_open_end(fd, &store, NULL);
	close(fd);
	if (!ret)
		assert_int_equal(smap_store_nr_saves(store), 1);
	smap_store_close(store);
	return ret ? smap_errno(ret) : 0;
}

static void no_memory_is_survived(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	add_large(&buf, 9 * MB);
	fixture_add_block(&buf, one);
	fixture_write(path(), buf.data, buf.len);
	alloc_fail_each(open_once, NULL);
	smap_buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_save_reads_no_more_of_a_longer_file),
		FOLDER_TEST(the_last_saves_are_seen_and_all_of_a_short_file),
		FOLDER_TEST(one_that_is_longer_than_that_is_seen_whole),
		FOLDER_TEST(behind_a_torn_tail_it_goes_on),
		FOLDER_TEST(what_a_torn_block_covers_is_seen),
		FOLDER_TEST(what_was_tied_far_before_stays_so),
		FOLDER_TEST(a_long_file_of_needless_saves_is_written_anew),
		FOLDER_TEST(no_memory_is_survived),
	};

	return cmocka_run_group_tests_name("store-end", tests, NULL, NULL);
}
