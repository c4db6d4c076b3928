// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "in-range.h"
#include "store/stream.h"

#define LEN	200000		/* several windows */

static uint8_t bytes[LEN];

static int fill_bytes(void **state)
{
	size_t i;

	for (i = 0; i < LEN; i++)
		bytes[i] = (uint8_t)(i * 31 + i / 251);
	return 0;
}

static void the_checksum_is_that_of_the_specification(void **state)
{
	/* As `xxhsum -H3` prints it. */
	assert_int_equal(smap_checksum("", 0), 0x2d06800538d394c2);
	assert_int_equal(smap_checksum("stack_map", 9), 0xa6ed301f53b610cf);
}

static void pieces_have_the_checksum_of_the_whole(void **state)
{
	static const size_t steps[] = { 1, 7, 4096, 65536, 65537, 150000 };
	struct smap_reader reader;
	struct smap_stream *stream;
	uint8_t room[150000];
	uint64_t sum;
	size_t i, at;

	smap_reader_open_memory(&reader, bytes, LEN);
	stream = smap_stream_new(&reader);
	assert_non_null(stream);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		smap_stream_begin(stream, 8, LEN - 16);
		assert_int_equal(smap_stream_left(stream), LEN - 16);
		assert_int_equal(smap_stream_get(stream, room, steps[i], NULL), 0);
		assert_memory_equal(room, bytes + 8, steps[i]);
		at = steps[i];
		assert_int_equal(smap_stream_skip(stream, 5, NULL), 0);
		assert_int_equal(smap_stream_passed(stream), at + 5);
		assert_int_equal(smap_stream_get(stream, room, 3, NULL), 0);
		assert_memory_equal(room, bytes + 8 + at + 5, 3);
		assert_int_equal(smap_stream_finish(stream, &sum, NULL), 0);
		assert_int_equal(sum, smap_checksum(bytes + 8, LEN - 16));
		assert_int_equal(smap_stream_left(stream), 0);
	}
	smap_stream_free(stream);
}

static void windows_have_the_bytes_and_the_checksum_of_the_whole(void **state)
{
	struct smap_reader reader;
	struct smap_stream *stream;
	const void *data;
	size_t len, at;
	uint64_t sum;

	smap_reader_open_memory(&reader, bytes, LEN);
	stream = smap_stream_new(&reader);
	assert_non_null(stream);
	smap_stream_begin(stream, 8, LEN - 16);
	assert_int_equal(smap_stream_skip(stream, 5, NULL), 0);
	for (at = 8 + 5; smap_stream_left(stream); at += len) {
		assert_int_equal(smap_stream_next(stream, &data, &len, NULL), 0);
		assert_uint_in_range(len, 1, 65536);
		assert_memory_equal(data, bytes + at, len);
	}
	assert_int_equal(at, LEN - 8);
	assert_int_equal(smap_stream_finish(stream, &sum, NULL), 0);
	assert_int_equal(sum, smap_checksum(bytes + 8, LEN - 16));
	smap_stream_free(stream);
}

static void nothing_is_had_from_behind_the_end(void **state)
{
	struct smap_reader reader;
	struct smap_stream *stream;
	uint8_t room[11];
	uint64_t sum;

	smap_reader_open_memory(&reader, bytes, LEN);
	stream = smap_stream_new(&reader);
	smap_stream_begin(stream, 0, 10);
	assert_int_equal(smap_stream_get(stream, room, 11, NULL), -EBADMSG);
	assert_int_equal(smap_stream_skip(stream, UINT64_MAX, NULL), -EBADMSG);
	assert_int_equal(smap_stream_passed(stream), 0);
	assert_int_equal(smap_stream_get(stream, room, 10, NULL), 0);
	assert_int_equal(smap_stream_get(stream, room, 1, NULL), -EBADMSG);
	assert_int_equal(smap_stream_finish(stream, &sum, NULL), 0);
	assert_int_equal(sum, smap_checksum(bytes, 10));
	smap_stream_free(stream);
}

static void bytes_that_are_not_there_are_told(void **state)
{
	struct smap_reader reader;
	struct smap_stream *stream;
	struct smap_error err;
	uint64_t sum;

	smap_reader_open_memory(&reader, bytes, 100);
	stream = smap_stream_new(&reader);
	smap_stream_begin(stream, 50, 100);
	assert_int_equal(smap_stream_finish(stream, &sum, &err), -EBADMSG);
	assert_string_equal(err.text, "ends at byte 100");
	smap_stream_free(stream);
}

static int make_one(void *data)
{
	struct smap_stream *stream = smap_stream_new(data);

	if (!stream)
		return -errno;
	smap_stream_free(stream);
	return 0;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct smap_reader reader;

	smap_reader_open_memory(&reader, bytes, LEN);
	alloc_fail_each(make_one, &reader);
	smap_stream_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checksum_is_that_of_the_specification),
		cmocka_unit_test(pieces_have_the_checksum_of_the_whole),
		cmocka_unit_test(windows_have_the_bytes_and_the_checksum_of_the_whole),
		cmocka_unit_test(nothing_is_had_from_behind_the_end),
		cmocka_unit_test(bytes_that_are_not_there_are_told),
		cmocka_unit_test(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, fill_bytes, NULL);
}
