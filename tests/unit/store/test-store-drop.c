// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "in-range.h"

/* The exports that the tests put into a file, in this order. */
static const char *const exports[] = { fixture_gen1, fixture_gen2, fixture_text4, fixture_gen1 };

/* A store with the first @nr of them. */
static size_t make(struct smap_buf *buf, size_t nr)
{
	size_t at = fixture_add_header(buf), i;

	for (i = 0; i < nr; i++)
		at = fixture_add_block(buf, exports[i]);
	return at;
}

static const char *written(struct smap_buf *buf)
{
	const char *path = fixture_path("a.stackmap");

	fixture_write(path, buf->data, buf->len);
	smap_buf_free(buf);
	return path;
}

/* Drop those of which @data, a text, has an 'x' in their place. */
static bool by_place(const struct stackmap_save *save, void *data)
{
	return ((const char *)data)[save->nr] == 'x';
}

static void dropped(const char *path, const char *which, size_t nr)
{
	struct smap_error err = { "" };
	size_t nr_dropped = 77;

	if (smap_store_drop(path, by_place, (void *)which, &nr_dropped, &err))
		fail_msg("%s", err.text);
	assert_int_equal(nr_dropped, nr);
}

static void refused(const char *path, int code, const char *words)
{
	struct smap_error err = { "" };
	size_t nr_dropped = 77;

	assert_int_equal(smap_store_drop(path, by_place, (void *)"x", &nr_dropped, &err), code);
	if (!strstr(err.text, words))
		fail_msg("%s", err.text);
	assert_int_equal(nr_dropped, 77);
}

/* It is sound, and has these. */
static void holds(const char *path, size_t nr, const char *const *wanted)
{
	struct smap_store *store = NULL;
	size_t i;

	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), nr);
	for (i = 0; i < nr; i++)
		fixture_holds(store, i, wanted[i]);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
}

static void what_is_not_dropped_stays_byte_for_byte(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, wanted = SMAP_BUF_INIT, got = SMAP_BUF_INIT;
	const char *path;

	make(&buf, 3);
	path = written(&buf);
	dropped(path, "x-x", 2);
	fixture_add_header(&wanted);
	fixture_add_block(&wanted, exports[1]);
	fixture_read(path, &got);
	assert_int_equal(got.len, wanted.len);
	assert_memory_equal(got.data, wanted.data, got.len);
	assert_int_equal(fixture_nr_files(), 1);
	smap_buf_free(&wanted);
	smap_buf_free(&got);
}

static void a_store_can_lose_all_its_saves_and_be_appended_to(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen2);
	struct smap_buf buf = SMAP_BUF_INIT;
	const char *path;

	make(&buf, 2);
	path = written(&buf);
	dropped(path, "xx", 2);
	holds(path, 0, NULL);
	assert_int_equal(smap_store_append(path, &input, 1, NULL), 0);
	holds(path, 1, &exports[1]);
}

static void nothing_dropped_is_nothing_done(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stat before, after;
	const char *path;

	make(&buf, 2);
	path = written(&buf);
	assert_int_equal(stat(path, &before), 0);
	dropped(path, "--", 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void blocks_of_other_kinds_stay(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, got = SMAP_BUF_INIT;
	size_t first, other, last;
	const char *path;

	fixture_add_header(&buf);
	first = fixture_add_block(&buf, exports[0]);
	other = fixture_add_kind(&buf, 77, 0, 0, NULL, 0);
	last = fixture_add_block(&buf, exports[1]);
	last = buf.len - last;
	path = written(&buf);
	dropped(path, "x-", 1);
	holds(path, 1, &exports[1]);
	fixture_read(path, &got);
	assert_int_equal(got.len, first + sizeof(struct smap_block_header) + last);
	dropped(path, "x", 1);
	smap_buf_reset(&got);
	fixture_read(path, &got);
	assert_int_equal(got.len, first + sizeof(struct smap_block_header));
	assert_true(other > first);
	smap_buf_free(&got);
}

/* Torn blocks, as a writer leaves them that is killed: @which as in by_place(). */
static void with_damage(const char *which, size_t nr_dropped, size_t nr_damages)
{
	static const char torn[] = "torn and of no use";
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = NULL;
	const char *path;
	size_t i;

	fixture_add_header(&buf);
	for (i = 0; i < 3; i++) {
		smap_buf_add(&buf, torn, 16);
		fixture_add_block(&buf, exports[i]);
	}
	smap_buf_add(&buf, torn, 13);
	path = written(&buf);
	dropped(path, which, nr_dropped);
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), 3 - nr_dropped);
	assert_int_equal(smap_store_nr_damages(store), nr_damages);
	smap_store_close(store);
	unlink(path);
}

static void damage_goes_with_the_save_before_it(void **state)
{
	with_damage("---", 0, 4);
	with_damage("x--", 1, 2);
	with_damage("-x-", 1, 3);
	with_damage("--x", 1, 3);
	with_damage("xx-", 2, 1);
	with_damage("xxx", 3, 0);
}

static void owner_and_mode_stay(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const char *path;
	struct stat st;

	make(&buf, 2);
	path = written(&buf);
	assert_int_equal(chmod(path, 0640), 0);
	dropped(path, "x-", 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void who_has_it_open_reads_on(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = NULL;
	const char *path;

	make(&buf, 2);
	path = written(&buf);
	assert_int_equal(smap_store_open(path, &store, NULL), 0);
	dropped(path, "xx", 2);
	fixture_holds(store, 1, exports[1]);
	smap_store_close(store);
}

static void what_is_no_store_of_ours_is_left_alone(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_buf buf = SMAP_BUF_INIT;

	refused(path, -ENOENT, path);
	fixture_write(path, "hello, I am a letter", 20);
	refused(path, -EEXIST, "no saved-map file");
	fixture_write(path, "", 0);
	refused(path, -EBADMSG, "empty");
	make(&buf, 1);
	buf.data[20] ^= 1;
	fixture_write(path, buf.data, buf.len);
	smap_buf_free(&buf);
	refused(path, -EBADMSG, "damaged");
}

/* To write it anew would part the two. */
static void a_file_with_two_names_is_left_alone(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const char *path;

	make(&buf, 2);
	path = written(&buf);
	assert_int_equal(link(path, fixture_path("b.stackmap")), 0);
	refused(path, -EMLINK, "written anew");
	holds(path, 2, exports);
}

#define LONG	(1 << 20)
#define NR_LONG	64

/* A store of a day, and less memory than for one of its saves. */
static void how_long_a_store_is_costs_no_memory(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf buf = SMAP_BUF_INIT;
	char which[NR_LONG + 1] = "x";
	uint8_t *noise = malloc(LONG);
	struct stat st;
	const char *path;
	uint64_t i;

	assert_non_null(noise);
	input.stat = noise;
	input.stat_len = LONG;
	fixture_add_header(&buf);
	for (i = 0; i < NR_LONG; i++) {
		fixture_noise(noise, LONG, i);
		fixture_add_input(&buf, &input);
	}
	free(noise);
	path = written(&buf);
	alloc_fail_watch_bytes();
	dropped(path, which, 1);
	assert_uint_in_range(alloc_fail_most_bytes(), 1, LONG / 2);
	assert_int_equal(stat(path, &st), 0);
	assert_uint_in_range(st.st_size, (NR_LONG - 1) * LONG, NR_LONG * LONG);
}

static int drop_once(void *data)
{
	const struct smap_buf *buf = data;
	const char *path = fixture_path("a.stackmap");
	struct smap_error err = { "" };
	size_t nr = 0;

	fixture_write(path, buf->data, buf->len);
	return smap_store_drop(path, by_place, (void *)"x-", &nr, &err);
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	make(&buf, 2);
	alloc_fail_each(drop_once, &buf);
	smap_buf_free(&buf);
	holds(fixture_path("a.stackmap"), 1, &exports[1]);
	assert_int_equal(fixture_nr_files(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(what_is_not_dropped_stays_byte_for_byte),
		FOLDER_TEST(a_store_can_lose_all_its_saves_and_be_appended_to),
		FOLDER_TEST(nothing_dropped_is_nothing_done),
		FOLDER_TEST(blocks_of_other_kinds_stay),
		FOLDER_TEST(damage_goes_with_the_save_before_it),
		FOLDER_TEST(owner_and_mode_stay),
		FOLDER_TEST(who_has_it_open_reads_on),
		FOLDER_TEST(what_is_no_store_of_ours_is_left_alone),
		FOLDER_TEST(a_file_with_two_names_is_left_alone),
		FOLDER_TEST(how_long_a_store_is_costs_no_memory),
		FOLDER_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
