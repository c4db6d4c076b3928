// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fixture.h"
#include "alloc-fail.h"

/* Readable, and neither the same everywhere nor random. */
static void fill(struct smap_buf *buf, size_t nr_lines)
{
	size_t i;

	for (i = 0; i < nr_lines; i++)
		smap_buf_addf(buf, " => function_%zu+0x%zx/0x1000\n", i * 7919 % 1000, i % 4096);
	assert_false(smap_buf_failed(buf));
}

static void comes_back(const char *data, size_t len, unsigned int codec)
{
	struct smap_buf stored = SMAP_BUF_INIT;
	struct smap_coded coded;
	char *decoded;
	size_t decoded_len;

	assert_int_equal(smap_encode(&stored, data, len, &coded, NULL), 0);
	assert_int_equal(coded.codec, codec);
	assert_int_equal(coded.size, len);
	assert_int_equal(coded.stored_size, stored.len);
	assert_int_equal(smap_decode(&coded, stored.data, &decoded, &decoded_len, NULL), 0);
	assert_int_equal(decoded_len, len);
	assert_memory_equal(decoded, data, len);
	assert_int_equal(decoded[len], '\0');
	free(decoded);
	smap_buf_free(&stored);
}

static void short_data_stay_plain(void **state)
{
	comes_back("", 0, SMAP_CODEC_NONE);
	comes_back("generation: 1\n", 14, SMAP_CODEC_NONE);
}

static void long_data_are_compressed(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	fill(&buf, 1000);
	comes_back(buf.data, buf.len, SMAP_CODEC_ZSTD);
	smap_buf_free(&buf);
}

static void what_does_not_shrink_stays_plain(void **state)
{
	char noise[4096];
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < sizeof(noise); i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)(x >> 24);
	}
	comes_back(noise, sizeof(noise), SMAP_CODEC_NONE);
}

static void what_shrinks_more_than_a_reader_believes_stays_plain(void **state)
{
	const size_t len = 1 << 20;
	char *zeros = calloc(1, len);

	comes_back(zeros, len, SMAP_CODEC_NONE);
	free(zeros);
}

/* The same, @part bytes at a time, added to @buf. */
static int decode_in_parts(const struct smap_coded *coded, const void *stored, size_t part,
			   struct smap_buf *buf)
{
	struct smap_decoder *decoder = NULL;
	struct smap_error err;
	char room[10000];
	size_t len;
	int ret;

	ret = smap_decoder_new(coded, stored, &decoder, &err);
	do {
		len = part;
		if (!ret)
			ret = smap_decoder_read(decoder, room, &len, &err);
		if (!ret)
			smap_buf_add(buf, room, len);
	} while (!ret && len);
	smap_decoder_free(decoder);
	return ret;
}

static void refused(const struct smap_coded *coded, const void *stored, int code)
{
	struct smap_error err;
	struct smap_buf buf = SMAP_BUF_INIT;
	char *data = NULL;
	size_t len = 0;

	assert_int_equal(smap_decode(coded, stored, &data, &len, &err), code);
	assert_null(data);
	assert_int_equal(decode_in_parts(coded, stored, 16, &buf), code);
	smap_buf_free(&buf);
}

static void two_sizes_for_plain_data_are_refused(void **state)
{
	refused(&(struct smap_coded){ SMAP_CODEC_NONE, 4, 5 }, "data", -EBADMSG);
	refused(&(struct smap_coded){ SMAP_CODEC_NONE, 4, UINT64_MAX }, "data", -EBADMSG);
}

static void more_than_an_export_has_asks_for_no_memory(void **state)
{
	const struct smap_coded coded = { SMAP_CODEC_NONE, (1ULL << 30) + 1, (1ULL << 30) + 1 };
	struct smap_error err = { "" };
	char *data = NULL;
	size_t len;

	assert_int_equal(smap_decode(&coded, "", &data, &len, &err), -EBADMSG);
	assert_null(data);
	assert_string_equal(err.text, "longer than 1073741824 bytes");
}

static void a_codec_of_a_later_version_is_told(void **state)
{
	refused(&(struct smap_coded){ 2, 4, 4 }, "data", -EOPNOTSUPP);
}

static void compressed_data_that_promise_too_much_are_refused(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, stored = SMAP_BUF_INIT;
	struct smap_coded coded;
	size_t before;

	fill(&buf, 1000);
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), 0);
	before = alloc_fail_nr_live();
	coded.size = 10ULL << 30;
	refused(&coded, stored.data, -EBADMSG);
	coded.size = UINT64_MAX;
	refused(&coded, stored.data, -EBADMSG);
	assert_int_equal(alloc_fail_nr_live(), before);
	smap_buf_free(&stored);
	smap_buf_free(&buf);
}

static void a_frame_that_really_grows_too_much_is_refused(void **state)
{
	const size_t len = 64 << 20;
	char *zeros = calloc(1, len), small[16384];
	size_t stored = ZSTD_compress(small, sizeof(small), zeros, len, 3);

	assert_false(ZSTD_isError(stored));
	refused(&(struct smap_coded){ SMAP_CODEC_ZSTD, stored, len }, small, -EBADMSG);
	free(zeros);
}

static void a_frame_of_another_size_is_refused(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, stored = SMAP_BUF_INIT;
	struct smap_coded coded;

	fill(&buf, 1000);
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), 0);
	coded.size--;
	refused(&coded, stored.data, -EBADMSG);
	coded.size += 2;
	refused(&coded, stored.data, -EBADMSG);
	smap_buf_free(&stored);
	smap_buf_free(&buf);
}

static void bytes_behind_the_frame_are_refused(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, stored = SMAP_BUF_INIT;
	struct smap_coded coded;

	fill(&buf, 1000);
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), 0);
	smap_buf_add(&stored, "more", 4);
	coded.stored_size += 4;
	refused(&coded, stored.data, -EBADMSG);
	smap_buf_free(&stored);
	smap_buf_free(&buf);
}

static void a_frame_cut_anywhere_is_refused(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, stored = SMAP_BUF_INIT;
	struct smap_coded coded;
	char *exact;

	fill(&buf, 60);
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), 0);
	assert_int_equal(coded.codec, SMAP_CODEC_ZSTD);
	while (coded.stored_size) {
		coded.stored_size--;
		exact = malloc((size_t)coded.stored_size + 1);
		memcpy(exact, stored.data, (size_t)coded.stored_size);
		refused(&coded, exact, -EBADMSG);
		free(exact);
	}
	smap_buf_free(&stored);
	smap_buf_free(&buf);
}

static void comes_back_in_parts(size_t nr)
{
	static const size_t parts[] = { 1, 7, 4096, 10000 };
	struct smap_buf buf = SMAP_BUF_INIT, stored = SMAP_BUF_INIT, got = SMAP_BUF_INIT;
	struct smap_coded coded;
	size_t i;

	fill(&buf, nr);
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), 0);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		smap_buf_reset(&got);
		assert_int_equal(decode_in_parts(&coded, stored.data, parts[i], &got), 0);
		assert_int_equal(got.len, buf.len);
		assert_memory_equal(got.data, buf.data, buf.len);
	}
	smap_buf_free(&got);
	smap_buf_free(&stored);
	smap_buf_free(&buf);
}

static void it_comes_back_in_parts_as_well(void **state)
{
	comes_back_in_parts(5);
	comes_back_in_parts(100000);
}

static void nothing_comes_back_as_nothing(void **state)
{
	const struct smap_coded plain = { SMAP_CODEC_NONE, 0, 0 };
	struct smap_buf got = SMAP_BUF_INIT;

	assert_int_equal(decode_in_parts(&plain, "", 16, &got), 0);
	assert_int_equal(got.len, 0);
	smap_buf_free(&got);
}

static int encode_and_decode(void *data)
{
	struct smap_buf stored = SMAP_BUF_INIT, *buf = data;
	struct smap_coded coded;
	struct smap_error err;
	char *decoded;
	size_t len;
	int ret;

	ret = smap_encode(&stored, buf->data, buf->len, &coded, &err);
	if (!ret)
		ret = smap_decode(&coded, stored.data, &decoded, &len, &err);
	if (!ret)
		free(decoded);
	smap_buf_free(&stored);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	alloc_fail_each(encode_and_decode, &buf);
	fill(&buf, 1000);
	alloc_fail_each(encode_and_decode, &buf);
	smap_buf_free(&buf);
}

/* What zstd allocates for itself is not counted above: its contexts are had from here. */
static bool no_context;
ZSTD_CCtx *__real_ZSTD_createCCtx(void);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
	return no_context ? NULL : __real_ZSTD_createCCtx();
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
	return no_context ? NULL : __real_ZSTD_createDCtx();
}

static void a_context_that_cannot_be_had_is_out_of_memory(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT, stored = SMAP_BUF_INIT;
	struct smap_coded coded;

	fill(&buf, 1000);
	no_context = true;
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), -ENOMEM);
	no_context = false;
	assert_int_equal(smap_encode(&stored, buf.data, buf.len, &coded, NULL), 0);
	no_context = true;
	refused(&coded, stored.data, -ENOMEM);
	no_context = false;
	smap_buf_free(&stored);
	smap_buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_data_stay_plain),
		cmocka_unit_test(long_data_are_compressed),
		cmocka_unit_test(what_does_not_shrink_stays_plain),
		cmocka_unit_test(what_shrinks_more_than_a_reader_believes_stays_plain),
		cmocka_unit_test(two_sizes_for_plain_data_are_refused),
		cmocka_unit_test(more_than_an_export_has_asks_for_no_memory),
		cmocka_unit_test(a_codec_of_a_later_version_is_told),
		cmocka_unit_test(compressed_data_that_promise_too_much_are_refused),
		cmocka_unit_test(a_frame_that_really_grows_too_much_is_refused),
		cmocka_unit_test(a_frame_of_another_size_is_refused),
		cmocka_unit_test(bytes_behind_the_frame_are_refused),
		cmocka_unit_test(a_frame_cut_anywhere_is_refused),
		cmocka_unit_test(it_comes_back_in_parts_as_well),
		cmocka_unit_test(nothing_comes_back_as_nothing),
		cmocka_unit_test(no_allocation_that_fails_does_harm),
		cmocka_unit_test(a_context_that_cannot_be_had_is_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
