// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "store/origin.h"

static void a_boot_id_may_have_dashes_or_none_and_a_newline(void **state)
{
	static const uint8_t wanted[16] = { 0x6a, 0x9f, 0x0f, 0x63, 0x1d, 0x0b, 0x4c, 0x0f,
					    0x8a, 0x5e, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab };
	uint8_t got[16];

	assert_int_equal(smap_boot_id_parse(BOOT_ID, got), 0);
	assert_memory_equal(got, wanted, 16);
	assert_int_equal(smap_boot_id_parse("6A9F0F631D0B4C0F8A5E0123456789AB", got), 0);
	assert_memory_equal(got, wanted, 16);
	assert_int_equal(smap_boot_id_parse(BOOT_ID "\n", got), 0);
	assert_memory_equal(got, wanted, 16);
}

static void what_is_no_boot_id_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "\n", "-", "6a9f0f63", BOOT_ID "0", BOOT_ID "-", BOOT_ID "\n\n",
		"6a9f0f63-1d0b-4c0f-8a5e-0123456789a", "6a9f0f631d0b4c0f8a5e0123456789agg",
		"6a9f0f63--1d0b-4c0f-8a5e-0123456789ab", "6a9f0f631-d0b-4c0f-8a5e-0123456789ab",
		"6a9f0f63-1d0b4c0f8a5e0123456789ab", " " BOOT_ID, "0x" BOOT_ID,
	};
	uint8_t got[16] = { 0 }, zeros[16] = { 0 };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(smap_boot_id_parse(bad[i], got), -EINVAL);
		assert_int_equal(errno, EINVAL);
		assert_memory_equal(got, zeros, 16);
	}
}

/* With all that an origin can have. */
static struct smap_save_input whole_input(void)
{
	struct smap_save_input input = fixture_input(fixture_gen1);

	input.read_times = (struct smap_read_times){ true, 11, 12, 13 };
	input.modules = (struct smap_modules){ true, 0xfedcba9876543210 };
	return input;
}

static void an_origin_comes_back_as_it_was(void **state)
{
	struct smap_save_input input = whole_input();
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	assert_int_equal(smap_origin_encode(&buf, &input, NULL), 0);
	assert_int_equal(smap_origin_decode(&save, buf.data, buf.len, NULL), 0);
	assert_true(save.origin.has_boot_id);
	assert_memory_equal(save.origin.boot_id, input.origin.boot_id, 16);
	assert_string_equal(save.boot_id_text, BOOT_ID);
	assert_string_equal(save.origin.release, "7.2.13");
	assert_string_equal(save.origin.version, "#1 SMP");
	assert_string_equal(save.origin.machine, "x86_64");
	assert_int_equal(save.origin.word_size, 8);
	assert_int_equal(save.origin.byte_order, SMAP_ORDER_LITTLE);
	assert_int_equal(save.saved_wall_ns, 1790000000123456789);
	assert_int_equal(save.saved_boot_ns, 987654321);
	assert_true(save.read_times.is_known);
	assert_int_equal(save.read_times.mono_raw_ns, 13);
	assert_true(save.modules.is_known);
	assert_true(save.modules.sum == 0xfedcba9876543210);
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static void what_is_unknown_stays_unknown(void **state)
{
	struct smap_save_input input = { .saved_wall_ns = SMAP_TIME_UNKNOWN,
					 .saved_boot_ns = SMAP_TIME_UNKNOWN };
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	assert_int_equal(smap_origin_encode(&buf, &input, NULL), 0);
	assert_int_equal(buf.len, sizeof(struct smap_store_origin));
	assert_int_equal(smap_origin_decode(&save, buf.data, buf.len, NULL), 0);
	assert_false(save.origin.has_boot_id);
	assert_null(save.origin.release);
	assert_null(save.origin.version);
	assert_null(save.origin.machine);
	assert_int_equal(save.origin.word_size, 0);
	assert_int_equal(save.origin.byte_order, SMAP_ORDER_UNKNOWN);
	assert_false(save.read_times.is_known);
	assert_false(save.modules.is_known);
	assert_int_equal(save.saved_wall_ns, SMAP_TIME_UNKNOWN);
	assert_int_equal(save.saved_boot_ns, SMAP_TIME_UNKNOWN);
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static void a_string_too_long_for_the_format_is_refused(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_error err;
	char *release = malloc(65537);

	memset(release, 'x', 65536);
	release[65536] = '\0';
	input.origin.release = release;
	assert_int_equal(smap_origin_encode(&buf, &input, &err), -EINVAL);
	assert_string_equal(err.text, "release longer than 65535 bytes");
	release[65535] = '\0';
	assert_int_equal(smap_origin_encode(&buf, &input, &err), 0);
	free(release);
	smap_buf_free(&buf);
}

static void a_string_with_a_nul_is_refused(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	assert_int_equal(smap_origin_encode(&buf, &input, NULL), 0);
	buf.data[sizeof(struct smap_store_origin) + 2] = '\0';
	assert_int_equal(smap_origin_decode(&save, buf.data, buf.len, NULL), -EBADMSG);
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static void an_origin_cut_anywhere_is_refused(void **state)
{
	struct smap_save_input input = whole_input();
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;
	char *exact;
	size_t len;

	assert_int_equal(smap_origin_encode(&buf, &input, NULL), 0);
	for (len = 0; len < buf.len; len++) {
		exact = malloc(len + !len);
		memcpy(exact, buf.data, len);
		smap_save_init(&save);
		assert_int_equal(smap_origin_decode(&save, exact, len, NULL), -EBADMSG);
		smap_save_release(&save);
		free(exact);
	}
	smap_buf_free(&buf);
}

static void an_origin_may_grow_behind_its_strings(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	assert_int_equal(smap_origin_encode(&buf, &input, NULL), 0);
	smap_buf_add(&buf, "what later versions add", 23);
	assert_int_equal(smap_origin_decode(&save, buf.data, buf.len, NULL), 0);
	assert_string_equal(save.origin.machine, "x86_64");
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static void values_of_later_versions_are_unknown_not_broken(void **state)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	input.origin.word_size = 16;
	input.origin.byte_order = 7;
	assert_int_equal(smap_origin_encode(&buf, &input, NULL), 0);
	assert_int_equal(smap_origin_decode(&save, buf.data, buf.len, NULL), 0);
	assert_int_equal(save.origin.word_size, 0);
	assert_int_equal(save.origin.byte_order, SMAP_ORDER_UNKNOWN);
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static void summarize(const char *text, struct smap_buf *buf)
{
	struct smap_findings findings;
	struct smap_export *export;

	assert_int_equal(smap_parse(text, strlen(text), &export, NULL, &findings, NULL), 0);
	assert_int_equal(smap_summary_encode(buf, export, &findings, NULL), 0);
	smap_export_free(export);
}

static void a_summary_counts_stacks_by_generation(void **state)
{
	struct smap_buf text = SMAP_BUF_INIT, buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	smap_buf_add_str(&text, fixture_gen1);
	smap_buf_add_str(&text, fixture_gen2);
	smap_buf_add_str(&text, fixture_gen2);
	summarize(text.data, &buf);
	assert_int_equal(smap_summary_decode(&save, buf.data, buf.len, NULL), 0);
	assert_true(save.has_generation);
	assert_int_equal(save.nr_records, 4);
	assert_int_equal(save.nr_generations, 2);
	assert_int_equal(save.generations[0].generation, 1);
	assert_int_equal(save.generations[0].nr_stacks, 2);
	assert_int_equal(save.generations[1].generation, 2);
	assert_int_equal(save.generations[1].nr_stacks, 1);
	smap_save_release(&save);
	smap_buf_free(&buf);
	smap_buf_free(&text);
}

static void a_summary_says_that_there_are_no_generations(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	summarize(fixture_text4, &buf);
	assert_int_equal(smap_summary_decode(&save, buf.data, buf.len, NULL), 0);
	assert_false(save.has_generation);
	assert_int_equal(save.nr_generations, 1);
	assert_int_equal(save.generations[0].generation, 0);
	assert_int_equal(save.generations[0].nr_stacks, 1);
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static void a_summary_cut_anywhere_is_refused(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;
	char *exact;
	size_t len;

	summarize(fixture_gen1, &buf);
	for (len = 0; len < buf.len; len++) {
		exact = malloc(len + !len);
		memcpy(exact, buf.data, len);
		smap_save_init(&save);
		assert_int_equal(smap_summary_decode(&save, exact, len, NULL), -EBADMSG);
		smap_save_release(&save);
		free(exact);
	}
	smap_buf_free(&buf);
}

static void a_summary_that_announces_too_much_asks_for_no_memory(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct stackmap_save save;

	smap_save_init(&save);
	summarize(fixture_gen1, &buf);
	memset(buf.data + offsetof(struct smap_store_summary, nr_generations), 0xff, 4);
	assert_int_equal(smap_summary_decode(&save, buf.data, buf.len, NULL), -EBADMSG);
	assert_null(save.generations);
	smap_save_release(&save);
	smap_buf_free(&buf);
}

static int encode_and_decode(void *data)
{
	struct smap_save_input input = fixture_input(fixture_gen1);
	struct smap_buf origin = SMAP_BUF_INIT;
	struct smap_buf *summary = data;
	struct smap_error err;
	struct stackmap_save save;
	int ret;

	smap_save_init(&save);
	ret = smap_origin_encode(&origin, &input, &err);
	if (!ret)
		ret = smap_origin_decode(&save, origin.data, origin.len, &err);
	if (!ret)
		ret = smap_summary_decode(&save, summary->data, summary->len, &err);
	smap_save_release(&save);
	smap_buf_free(&origin);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct smap_buf summary = SMAP_BUF_INIT;

	summarize(fixture_gen1, &summary);
	alloc_fail_each(encode_and_decode, &summary);
	smap_buf_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_boot_id_may_have_dashes_or_none_and_a_newline),
		cmocka_unit_test(what_is_no_boot_id_is_refused),
		cmocka_unit_test(an_origin_comes_back_as_it_was),
		cmocka_unit_test(what_is_unknown_stays_unknown),
		cmocka_unit_test(a_string_too_long_for_the_format_is_refused),
		cmocka_unit_test(a_string_with_a_nul_is_refused),
		cmocka_unit_test(an_origin_cut_anywhere_is_refused),
		cmocka_unit_test(an_origin_may_grow_behind_its_strings),
		cmocka_unit_test(values_of_later_versions_are_unknown_not_broken),
		cmocka_unit_test(a_summary_counts_stacks_by_generation),
		cmocka_unit_test(a_summary_says_that_there_are_no_generations),
		cmocka_unit_test(a_summary_cut_anywhere_is_refused),
		cmocka_unit_test(a_summary_that_announces_too_much_asks_for_no_memory),
		cmocka_unit_test(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
