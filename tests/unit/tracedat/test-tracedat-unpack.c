// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed bytes -> bytes, never more than there is room for.
 */
#include <zlib.h>
#include <zstd.h>

#include "fixture.h"

static const char text[] = "a text that repeats a text that repeats a text that repeats";

static size_t pack(const char *name, uint8_t *packed, size_t room)
{
	uLongf len = room;

	if (!strcmp(name, "zstd"))
		return ZSTD_compress(packed, room, text, sizeof(text), 3);
	assert_int_equal(compress(packed, &len, (const void *)text, sizeof(text)), Z_OK);
	return len;
}

static void each_compression_gives_back_what_was_packed(const char *name)
{
	struct smap_trace_unpacker unpacker;
	uint8_t packed[256];
	char data[sizeof(text) + 8];
	size_t len = pack(name, packed, sizeof(packed)), i;

	assert_int_equal(smap_trace_unpacker_init(&unpacker, name), 0);
	assert_int_equal(smap_trace_unpack(&unpacker, packed, len, data, sizeof(text)), 0);
	assert_string_equal(data, text);
	/* One more or one less than it unpacks to. */
	assert_int_equal(smap_trace_unpack(&unpacker, packed, len, data, sizeof(text) + 1),
			 -EBADMSG);
	assert_int_equal(smap_trace_unpack(&unpacker, packed, len, data, sizeof(text) - 1),
			 -EBADMSG);
	for (i = 0; i < len; i++)
		assert_int_equal(smap_trace_unpack(&unpacker, packed, i, data, sizeof(text)),
				 -EBADMSG);
	/* And again after all these failures. */
	assert_int_equal(smap_trace_unpack(&unpacker, packed, len, data, sizeof(text)), 0);
	smap_trace_unpacker_free(&unpacker);
}

static void zstd_gives_back_what_was_packed(void **state)
{
	each_compression_gives_back_what_was_packed("zstd");
}

static void zlib_gives_back_what_was_packed(void **state)
{
	each_compression_gives_back_what_was_packed("zlib");
}

static void none_is_known_and_unpacks_nothing(void **state)
{
	struct smap_trace_unpacker unpacker;
	char data[8];

	assert_true(smap_trace_codec_is_none(smap_trace_find_codec("none")));
	assert_false(smap_trace_codec_is_none(smap_trace_find_codec("zstd")));
	assert_int_equal(smap_trace_unpacker_init(&unpacker, "none"), 0);
	assert_int_equal(smap_trace_unpack(&unpacker, "12345678", 8, data, 8), -EBADMSG);
	smap_trace_unpacker_free(&unpacker);
}

static void other_names_are_not_known(void **state)
{
	struct smap_trace_unpacker unpacker;

	assert_null(smap_trace_find_codec("lz77"));
	assert_null(smap_trace_find_codec(""));
	assert_null(smap_trace_find_codec("zst"));
	assert_int_equal(smap_trace_unpacker_init(&unpacker, "lz77"), -EOPNOTSUPP);
	smap_trace_unpacker_free(&unpacker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zstd_gives_back_what_was_packed),
		cmocka_unit_test(zlib_gives_back_what_was_packed),
		cmocka_unit_test(none_is_known_and_unpacks_nothing),
		cmocka_unit_test(other_names_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
