// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding what is attached to a trace, of which only the end matters here: each state, and what
 * stands in it is held against the file.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "store/attached.h"
#include "store/stream.h"

#define END	43			/* an odd place */

/* What stands behind the trace. */
struct tail {
	struct smap_attached_header header;
	struct smap_buf		store;
};

static void make_tail(struct tail *tail)
{
	tail->store = (struct smap_buf)SMAP_BUF_INIT;
	fixture_add_header(&tail->store);
	fixture_add_block(&tail->store, fixture_gen1);
	smap_attached_make_header(&tail->header, END);
	smap_attached_make_commit(&tail->header.commits[0], 1, tail->store.len);
}

static void seal(struct tail *tail)
{
	tail->header.checksum =
		htole64(smap_checksum(&tail->header, offsetof(struct smap_attached_header,
							      checksum)));
}

/* The file, @len bytes of its tail. */
static int put(const struct tail *tail, size_t len)
{
	static const char trace[END] = "a trace";
	struct smap_buf all = SMAP_BUF_INIT;
	int fd;

	smap_buf_add(&all, trace, sizeof(trace));
	smap_buf_add(&all, &tail->header, sizeof(tail->header));
	smap_buf_add(&all, tail->store.data, tail->store.len);
	assert_true(END + len <= all.len);
	fixture_write(fixture_path("trace.dat"), all.data, END + len);
	smap_buf_free(&all);
	fd = open(fixture_path("trace.dat"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static size_t whole(const struct tail *tail)
{
	return sizeof(tail->header) + tail->store.len;
}

static int find_in(const struct tail *tail, size_t len, struct smap_attached *attached)
{
	struct smap_error err = { "" };
	int fd = put(tail, len), ret;

	memset(attached, 0xff, sizeof(*attached));
	ret = smap_attached_find(fd, END, attached, &err);
	assert_int_equal(ret != 0, err.text[0] != '\0');
	close(fd);
	return ret;
}

static void state_is(const struct tail *tail, size_t len, enum smap_attached_state wanted)
{
	struct smap_attached attached;

	assert_int_equal(find_in(tail, len, &attached), 0);
	assert_int_equal(attached.state, wanted);
	if (wanted == SMAP_ATTACHED_THERE)
		assert_true(attached.begin + attached.len <= attached.file_size);
}

/* How many saves a reader has. */
static void saves_are(const struct tail *tail, size_t len, size_t wanted)
{
	int fd = put(tail, len), ret;
	struct smap_store *store;

	ret = smap_store_open_attached(fd, END, &store, NULL);
	close(fd);
	assert_int_equal(ret, wanted ? 0 : -ENODATA);
	if (ret)
		return;
	assert_int_equal(smap_store_nr_saves(store), wanted);
	smap_store_close(store);
}

static void a_trace_and_nothing_else(void **state)
{
	struct tail tail;

	make_tail(&tail);
	state_is(&tail, 0, SMAP_ATTACHED_NONE);
	saves_are(&tail, 0, 0);
	smap_buf_free(&tail.store);
}

static void all_of_it(void **state)
{
	struct smap_attached attached;
	struct tail tail;

	make_tail(&tail);
	assert_int_equal(find_in(&tail, whole(&tail), &attached), 0);
	assert_int_equal(attached.state, SMAP_ATTACHED_THERE);
	assert_int_equal(attached.begin, END + sizeof(tail.header));
	assert_int_equal(attached.len, tail.store.len);
	assert_int_equal(attached.missing, 0);
	assert_int_equal(attached.sequence, 1);
	assert_int_equal(attached.next, 1);
	assert_false(attached.is_damaged);
	assert_true(attached.is_header_whole);
	saves_are(&tail, whole(&tail), 1);
	smap_buf_free(&tail.store);
}

static void a_header_that_was_being_written_is_none(void **state)
{
	struct tail tail;
	size_t i;

	make_tail(&tail);
	memset(tail.header.commits, 0, sizeof(tail.header.commits));
	for (i = 1; i <= sizeof(tail.header); i++)
		state_is(&tail, i, SMAP_ATTACHED_BEGUN);
	memset((char *)&tail.header + 12, 0, 20);
	state_is(&tail, sizeof(tail.header), SMAP_ATTACHED_BEGUN);
	/* Other bytes are somebody else's. */
	memset(&tail.header, 'x', 8);
	state_is(&tail, 5, SMAP_ATTACHED_FOREIGN);
	smap_buf_free(&tail.store);
}

static void a_store_that_was_never_committed_counts_for_nobody(void **state)
{
	struct tail tail;

	make_tail(&tail);
	memset(tail.header.commits, 0, sizeof(tail.header.commits));
	state_is(&tail, whole(&tail), SMAP_ATTACHED_BEGUN);
	saves_are(&tail, whole(&tail), 0);
	smap_buf_free(&tail.store);
}

static void one_that_was_copied_from_behind_another_trace_is_not_its_own(void **state)
{
	struct tail tail;

	make_tail(&tail);
	tail.header.begin = htole64(END + 8);
	seal(&tail);
	state_is(&tail, whole(&tail), SMAP_ATTACHED_FOREIGN);
	smap_buf_free(&tail.store);
}

static void a_newer_version_is_refused(void **state)
{
	struct smap_attached attached;
	struct tail tail;

	make_tail(&tail);
	tail.header.version = htole16(2);
	seal(&tail);
	assert_int_equal(find_in(&tail, whole(&tail), &attached), -EOPNOTSUPP);
	tail.header.version = htole16(1);
	tail.header.must_understand = htole32(1);
	seal(&tail);
	assert_int_equal(find_in(&tail, whole(&tail), &attached), -EOPNOTSUPP);
	tail.header.must_understand = 0;
	tail.header.header_size = htole16(sizeof(tail.header) - 8);
	seal(&tail);
	assert_int_equal(find_in(&tail, whole(&tail), &attached), -EOPNOTSUPP);
	tail.header.header_size = htole16(0xfff8);
	seal(&tail);
	assert_int_equal(find_in(&tail, whole(&tail), &attached), -EOPNOTSUPP);
	smap_buf_free(&tail.store);
}

/* Of whatever length: the file has not so many bytes. */
static void a_commit_that_says_more_than_there_is_is_cut(void **state)
{
	static const uint64_t lens[] = { 1 << 20, INT64_MAX, UINT64_MAX };
	struct smap_attached attached;
	struct tail tail;
	size_t i;

	make_tail(&tail);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		smap_attached_make_commit(&tail.header.commits[0], 1, lens[i]);
		assert_int_equal(find_in(&tail, whole(&tail), &attached), 0);
		assert_int_equal(attached.len, tail.store.len);
		assert_int_equal(attached.missing, lens[i] - tail.store.len);
		/* One that fits comes before it, whatever their numbers. */
		smap_attached_make_commit(&tail.header.commits[1], 0, tail.store.len);
		assert_int_equal(find_in(&tail, whole(&tail), &attached), 0);
		assert_int_equal(attached.missing, 0);
		memset(&tail.header.commits[1], 0, sizeof(tail.header.commits[1]));
	}
	smap_buf_free(&tail.store);
}

static void the_later_of_two_commits_counts(void **state)
{
	struct smap_attached attached;
	struct tail tail;
	size_t first;

	make_tail(&tail);
	first = tail.store.len;
	fixture_add_block(&tail.store, fixture_gen2);
	smap_attached_make_commit(&tail.header.commits[1], 2, tail.store.len);
	saves_are(&tail, whole(&tail), 2);
	smap_attached_make_commit(&tail.header.commits[1], UINT64_MAX, first);
	saves_are(&tail, whole(&tail), 1);
	/* One is damaged: nobody knows which counts, and blocks speak for themselves. */
	tail.header.commits[1].len ^= 1;
	assert_int_equal(find_in(&tail, whole(&tail), &attached), 0);
	assert_true(attached.is_damaged);
	assert_int_equal(attached.len, tail.store.len);
	saves_are(&tail, whole(&tail), 2);
	smap_buf_free(&tail.store);
}

static void every_byte_of_the_header_may_be_wrong(void **state)
{
	struct smap_attached attached;
	struct tail tail;
	uint8_t *bytes = (uint8_t *)&tail.header;
	size_t i;
	int ret;

	make_tail(&tail);
	for (i = 0; i < sizeof(tail.header); i++) {
		bytes[i] ^= 0x55;
		ret = find_in(&tail, whole(&tail), &attached);
		assert_int_equal(ret, 0);
		assert_int_equal(attached.state, SMAP_ATTACHED_THERE);
		assert_true(attached.is_damaged);
		saves_are(&tail, whole(&tail), 1);
		bytes[i] ^= 0x55;
	}
	smap_buf_free(&tail.store);
}

static void what_cannot_be_read_is_an_error(void **state)
{
	struct smap_attached attached;
	struct smap_error err = { "" };

	assert_int_equal(smap_attached_find(-1, END, &attached, &err), -EBADF);
	assert_non_null(strstr(err.text, "byte 43"));
}

static int open_once(void *data)
{
	struct smap_store *store;
	int ret;

	ret = smap_store_open_attached(*(int *)data, END, &store, NULL);
	if (ret)
		return smap_errno(ret);
	smap_store_close(store);
	return 0;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct tail tail;
	int fd;

	make_tail(&tail);
	fd = put(&tail, whole(&tail));
	alloc_fail_each(open_once, &fd);
	close(fd);
	smap_buf_free(&tail.store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_trace_and_nothing_else),
		FOLDER_TEST(all_of_it),
		FOLDER_TEST(a_header_that_was_being_written_is_none),
		FOLDER_TEST(a_store_that_was_never_committed_counts_for_nobody),
		FOLDER_TEST(one_that_was_copied_from_behind_another_trace_is_not_its_own),
		FOLDER_TEST(a_newer_version_is_refused),
		FOLDER_TEST(a_commit_that_says_more_than_there_is_is_cut),
		FOLDER_TEST(the_later_of_two_commits_counts),
		FOLDER_TEST(every_byte_of_the_header_may_be_wrong),
		cmocka_unit_test(what_cannot_be_read_is_an_error),
		FOLDER_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests_name("store-attached", tests, NULL, NULL);
}
