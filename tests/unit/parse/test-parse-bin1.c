// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "core/buf.h"
#include "fixture.h"

/* ---- an export, byte by byte ---- */

struct bin {
	struct smap_buf	buf;
	bool		big;
};

static void put(struct bin *bin, uint64_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		smap_buf_add_char(&bin->buf,
				  (char)(value >> 8 * (bin->big ? size - 1 - i : i) & 0xff));
}

static struct bin bin_new(bool big, uint32_t version, uint32_t nr_stacks)
{
	struct bin bin = { SMAP_BUF_INIT, big };

	put(&bin, 0x46534d42, 4);
	put(&bin, version, 4);
	put(&bin, nr_stacks, 4);
	put(&bin, 0, 4);
	return bin;
}

static void put_stack(struct bin *bin, uint32_t slot, uint32_t depth, uint32_t ref)
{
	put(bin, slot, 4);
	put(bin, depth, 4);
	put(bin, ref, 4);
	put(bin, 0, 4);
}

static struct bin two_stacks(bool big)
{
	struct bin bin = bin_new(big, 1, 2);

	put_stack(&bin, 42, 3, 1337);
	put(&bin, 0xffffffff81000048, 8);
	put(&bin, 0x7fffffff, 8);
	put(&bin, 0xffffffffc0001010, 8);
	put_stack(&bin, 43, 1, 1);
	put(&bin, 0xffffffff81000048, 8);
	return bin;
}

#define TWO_STACKS	"42 ref 1337 0xffffffff81000048|TRAMPOLINE|0xffffffffc0001010\n"	\
			"43 ref 1 0xffffffff81000048\n"

/* Parses and frees @bin. */
static struct parsed parsed_from_bin(struct bin *bin)
{
	struct parsed parsed = parsed_from(bin->buf.data, bin->buf.len);

	smap_buf_free(&bin->buf);
	return parsed;
}

static void assert_refused(struct bin *bin, int code, const char *words)
{
	struct parsed parsed;

	errno = 0;
	parsed = parsed_from_bin(bin);
	assert_int_equal(parsed.ret, code);
	assert_int_equal(errno, -code);
	assert_string_equal(parsed.err.text, words);
	parsed_free(&parsed);
}

/* ---- the tests ---- */

static void both_byte_orders_are_read_and_named(void **state)
{
	struct parsed parsed;
	struct bin bin;
	int big;

	for (big = 0; big < 2; big++) {
		bin = two_stacks(big);
		parsed = parsed_from_bin(&bin);
		assert_int_equal(parsed.ret, 0);
		assert_string_equal(parsed.stacks, TWO_STACKS);
		assert_int_equal(parsed.order, big ? SMAP_ORDER_BIG : SMAP_ORDER_LITTLE);
		assert_false(parsed.export->has_generation);
		assert_int_equal(parsed.findings.nr_records, 2);
		assert_false(parsed.findings.cut);
		assert_int_equal(parsed.findings.nr_missing, 0);
		assert_int_equal(parsed.findings.nr_trailing, 0);
		parsed_free(&parsed);
	}
}

static void the_trampoline_is_the_whole_value_only(void **state)
{
	struct bin bin = bin_new(false, 1, 1);
	struct parsed parsed;

	put_stack(&bin, 1, 3, 1);
	put(&bin, 0x7fffffff, 8);
	put(&bin, 0x17fffffff, 8);
	put(&bin, 0xffffffff7fffffff, 8);
	parsed = parsed_from_bin(&bin);
	assert_string_equal(parsed.stacks, "1 ref 1 TRAMPOLINE|0x17fffffff|0xffffffff7fffffff\n");
	parsed_free(&parsed);
}

static void an_export_that_announces_no_stacks_is_valid(void **state)
{
	struct bin bin = bin_new(false, 1, 0);
	struct parsed parsed = parsed_from_bin(&bin);

	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->nr_stacks, 0);
	assert_false(parsed.findings.cut);
	parsed_free(&parsed);
}

static void stacks_of_1_and_of_64_frames_are_whole(void **state)
{
	struct bin bin = bin_new(false, 1, 2);
	struct parsed parsed;
	uint64_t i;

	put_stack(&bin, 1, 1, 1);
	put(&bin, 1, 8);
	put_stack(&bin, 2, 64, 1);
	for (i = 0; i < 64; i++)
		put(&bin, i, 8);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->stacks[1].depth, 64);
	assert_int_equal(parsed.export->stacks[1].flags, 0);
	parsed_free(&parsed);
}

static void bytes_behind_the_last_stack_are_counted(void **state)
{
	struct bin bin = two_stacks(true);
	struct parsed parsed;

	smap_buf_add(&bin.buf, "trailing", 8);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, TWO_STACKS);
	assert_int_equal(parsed.findings.nr_trailing, 8);
	parsed_free(&parsed);
}

static void repeated_slots_are_merged_and_different_ones_kept(void **state)
{
	struct bin bin = bin_new(false, 1, 3);
	struct parsed parsed;

	put_stack(&bin, 1, 1, 5);
	put(&bin, 10, 8);
	put_stack(&bin, 1, 1, 9);
	put(&bin, 10, 8);
	put_stack(&bin, 1, 1, 1);
	put(&bin, 11, 8);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.export->nr_repeated, 1);
	assert_string_equal(parsed.stacks, "1 ref 9 0xa conflict\n1 ref 1 0xb conflict\n");
	parsed_free(&parsed);
}

/* 16 bytes of header, the first stack behind it, the second behind that. */
#define FIRST_AT	16
#define SECOND_AT	(FIRST_AT + 16 + 3 * 8)

static void every_prefix_gives_whole_stacks_and_says_what_is_cut(void **state)
{
	struct parsed parsed;
	struct bin bin;
	size_t len, full, second;
	int big;

	for (big = 0; big < 2; big++) {
		bin = two_stacks(big);
		full = bin.buf.len;
		for (len = 0; len < full; len++) {
			parsed = parsed_from(bin.buf.data, len);
			if (len < FIRST_AT) {
				assert_int_equal(parsed.ret, len < 4 ? -EINVAL : -EBADMSG);
				parsed_free(&parsed);
				continue;
			}
			second = len >= SECOND_AT;
			assert_int_equal(parsed.ret, 0);
			/* Between two stacks none is cut. */
			if (len == FIRST_AT || len == SECOND_AT) {
				assert_false(parsed.findings.cut);
			} else {
				assert_true(parsed.findings.cut);
				assert_int_equal(parsed.findings.cut_offset,
						 second ? SECOND_AT : FIRST_AT);
			}
			assert_int_equal(parsed.findings.has_cut_slot,
					 len >= (second ? SECOND_AT : FIRST_AT) + 16);
			assert_int_equal(parsed.export->nr_damaged, parsed.findings.has_cut_slot);
			assert_int_equal(parsed.export->nr_stacks,
					 second + parsed.findings.has_cut_slot);
			if (parsed.findings.has_cut_slot)
				assert_int_equal(parsed.findings.cut_slot, second ? 43 : 42);
			assert_int_equal(parsed.findings.nr_missing,
					 len == FIRST_AT ? 2 : len <= SECOND_AT);
			parsed_free(&parsed);
		}
		smap_buf_free(&bin.buf);
	}
}

static void a_cut_stack_keeps_the_frames_that_are_whole(void **state)
{
	struct bin bin = two_stacks(false);
	struct parsed parsed = parsed_from(bin.buf.data, FIRST_AT + 16 + 8 + 7);

	assert_string_equal(parsed.stacks, "42 ref 1337 0xffffffff81000048 damaged\n");
	assert_int_equal(parsed.export->stacks[0].stated_depth, 3);
	parsed_free(&parsed);
	smap_buf_free(&bin.buf);
}

static void other_versions_are_not_supported(void **state)
{
	static const uint32_t versions[] = { 0, 2, 0x01000000, UINT32_MAX };
	char words[64];
	struct bin bin;
	int i;

	for (i = 0; i < 4; i++) {
		bin = bin_new(false, versions[i], 0);
		snprintf(words, sizeof(words), "version %u of stack_map_bin is not known",
			 versions[i]);
		assert_refused(&bin, -EOPNOTSUPP, words);
	}
}

static void more_stacks_than_the_format_has_are_refused(void **state)
{
	struct bin bin = bin_new(false, 1, 1 << 18);
	struct parsed parsed = parsed_from_bin(&bin);

	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.findings.nr_missing, 1 << 18);
	parsed_free(&parsed);

	bin = bin_new(true, 1, (1 << 18) + 1);
	assert_refused(&bin, -EBADMSG, "byte 8: announces 262145 stacks, more than 262144");
}

static void stacks_of_no_and_of_too_many_frames_are_refused(void **state)
{
	static const struct { uint32_t depth; const char *words; } cases[] = {
		{ 0, "byte 40: a stack of 0 frames" },
		{ 65, "byte 40: a stack of 65 frames" },
		{ UINT32_MAX, "byte 40: a stack of 4294967295 frames" },
	};
	struct bin bin;
	int i;

	for (i = 0; i < 3; i++) {
		bin = bin_new(false, 1, 2);
		put_stack(&bin, 1, 1, 1);
		put(&bin, 1, 8);
		put_stack(&bin, 2, cases[i].depth, 1);
		put(&bin, 1, 8);
		assert_refused(&bin, -EBADMSG, cases[i].words);
	}
}

/* The announced number costs nothing: only what is there is allocated. */
static void memory_follows_the_bytes_and_not_the_header(void **state)
{
	struct bin bin = bin_new(false, 1, 1 << 18);
	struct parsed parsed;

	put_stack(&bin, 1, 64, 1);
	parsed = parsed_from_bin(&bin);
	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->nr_stacks, 1);
	assert_int_equal(parsed.export->nr_ids, 0);
	parsed_free(&parsed);
}

static void every_failing_allocation_gives_enomem_and_leaks_nothing(void **state)
{
	struct bin bin = two_stacks(false);
	struct input input = { bin.buf.data, bin.buf.len };

	assert_true(alloc_fail_each(parse_once, &input) > 5);
	assert_true(alloc_fail_each(parse_briefly_once, &input) > 5);
	smap_buf_free(&bin.buf);
}

static void the_parser_itself_checks_the_magic(void **state)
{
	struct smap_export *export = NULL;
	struct smap_findings findings = { 0 };
	struct smap_error err;
	char zeros[64] = { 0 };

	assert_false(smap_parse_bin1.probe(zeros, sizeof(zeros)));
	assert_int_equal(smap_parse_bin1.parse(zeros, sizeof(zeros), &export, &findings, &err),
			 -EBADMSG);
	assert_string_equal(err.text, "byte 0: no stack_map_bin");
	assert_null(export);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders_are_read_and_named),
		cmocka_unit_test(the_trampoline_is_the_whole_value_only),
		cmocka_unit_test(an_export_that_announces_no_stacks_is_valid),
		cmocka_unit_test(stacks_of_1_and_of_64_frames_are_whole),
		cmocka_unit_test(bytes_behind_the_last_stack_are_counted),
		cmocka_unit_test(repeated_slots_are_merged_and_different_ones_kept),
		cmocka_unit_test(every_prefix_gives_whole_stacks_and_says_what_is_cut),
		cmocka_unit_test(a_cut_stack_keeps_the_frames_that_are_whole),
		cmocka_unit_test(other_versions_are_not_supported),
		cmocka_unit_test(more_stacks_than_the_format_has_are_refused),
		cmocka_unit_test(stacks_of_no_and_of_too_many_frames_are_refused),
		cmocka_unit_test(memory_follows_the_bytes_and_not_the_header),
		cmocka_unit_test(every_failing_allocation_gives_enomem_and_leaks_nothing),
		cmocka_unit_test(the_parser_itself_checks_the_magic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
