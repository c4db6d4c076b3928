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

#define TWO_STACKS8				\
	"stack_id 42 gen 1 ref 1337 depth 3\n"	\
	" => schedule+0x48/0xc0\n"		\
	" => io_schedule+0x1c/0x30\n"		\
	" => [FTRACE TRAMPOLINE]\n"		\
	"stack_id 43 gen 1 ref 1 depth 1\n"	\
	" => ext4_sync+0x10/0x80 [ext4]\n"

#define TWO_STACKS4				\
	"stack_id 42 [ref 1337, depth 3]\n"	\
	"  [0] schedule+0x48/0xc0\n"		\
	"  [1] io_schedule+0x1c/0x30\n"		\
	"  [2] [FTRACE TRAMPOLINE]\n"		\
	"\n"					\
	"stack_id 43 [ref 1, depth 1]\n"	\
	"  [0] ext4_sync+0x10/0x80 [ext4]\n"	\
	"\n"

#define TWO_STACKS								\
	"42 ref 1337 schedule+0x48/0xc0|io_schedule+0x1c/0x30|[FTRACE TRAMPOLINE]\n"	\
	"43 ref 1 ext4_sync+0x10/0x80 [ext4]\n"

static void assert_no_findings(const struct smap_findings *findings)
{
	assert_false(findings->crlf);
	assert_false(findings->no_last_newline);
	assert_false(findings->cut);
	assert_int_equal(findings->nr_missing, 0);
	assert_int_equal(findings->nr_depth_mismatch, 0);
	assert_int_equal(findings->nr_trailing, 0);
}

static void assert_stacks(const char *text, const char *stacks)
{
	struct parsed parsed = parsed_from_text(text);

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, stacks);
	parsed_free(&parsed);
}

static void assert_refused(const char *text, const char *words)
{
	struct parsed parsed;

	errno = 0;
	parsed = parsed_from_text(text);
	if (parsed.ret != -EBADMSG || errno != EBADMSG)
		fail_msg("not refused: \"%s\"", text);
	assert_string_equal(parsed.err.text, words);
	parsed_free(&parsed);
}

/* ---- what the kernel writes ---- */

static void text_of_series_8_is_read_as_it_stands(void **state)
{
	struct parsed parsed = parsed_from_text(TWO_STACKS8);

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks,
		"1:42 ref 1337 schedule+0x48/0xc0|io_schedule+0x1c/0x30|[FTRACE TRAMPOLINE]\n"
		"1:43 ref 1 ext4_sync+0x10/0x80 [ext4]\n");
	assert_true(parsed.export->has_generation);
	assert_int_equal(parsed.order, SMAP_ORDER_UNKNOWN);
	assert_int_equal(parsed.findings.nr_records, 2);
	assert_no_findings(&parsed.findings);
	parsed_free(&parsed);
}

static void text_of_series_4_to_7_is_read_as_it_stands(void **state)
{
	struct parsed parsed = parsed_from_text(TWO_STACKS4);

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, TWO_STACKS);
	assert_false(parsed.export->has_generation);
	assert_int_equal(parsed.findings.nr_records, 2);
	assert_no_findings(&parsed.findings);
	parsed_free(&parsed);
}

static void every_form_of_frame_survives_unchanged(void **state)
{
	static const char *const frames[] = {
		"schedule+0x48/0xc0",
		"ext4_sync+0x10/0x80 [ext4]",
		"ext4_sync+0x10/0x80 [ext4 5f2b9c0a1d3e4f60718293a4b5c6d7e8f9012345]",
		"0xffffffff81000048",
		"0xc0100048",
		"[FTRACE TRAMPOLINE]",
		"name.llvm.3433979326929198294+0x20/0x1b0 [btrfs]",
		"f.isra.0.cold+0x1/0x2",
		"$x.12+0x0/0x4",
		"bpf_prog_07df9015606e4140+0x1c/0x58 [bpf]",
		"_RNvCs1234_7mycrate3foo+0x0/0x10",
		"a b => c  ",
		" leading blank",
		"\t",
		"\xff\x01\033[2J",
		"stack_id 1 gen 1 ref 1 depth 1",
		"?",
	};
	char text[256], stacks[256];
	size_t i;

	for (i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		snprintf(text, sizeof(text), "stack_id 1 gen 2 ref 3 depth 1\n => %s\n", frames[i]);
		snprintf(stacks, sizeof(stacks), "2:1 ref 3 %s\n", frames[i]);
		assert_stacks(text, stacks);
		snprintf(text, sizeof(text), "stack_id 1 [ref 3, depth 1]\n  [0] %s\n\n",
			 frames[i]);
		assert_stacks(text, stacks + 2);
	}
}

static void names_have_no_longest_length(void **state)
{
	static const size_t lens[] = { 127, 128, 129, 255, 512, 70000 };
	char *name = malloc(70000);
	struct smap_buf text = SMAP_BUF_INIT, stacks = SMAP_BUF_INIT;
	size_t i;

	memset(name, 'n', 70000);
	smap_buf_addf(&text, "stack_id 1 gen 1 ref 1 depth %d\n", 12);
	smap_buf_add_str(&stacks, "1:1 ref 1 ");
	for (i = 0; i < 6; i++) {
		smap_buf_addf(&text, " => %.*s+0x0/0x1\n => short+0x%zx/0x9\n",
			      (int)lens[i], name, i);
		smap_buf_addf(&stacks, "%s%.*s+0x0/0x1|short+0x%zx/0x9", i ? "|" : "",
			      (int)lens[i], name, i);
	}
	smap_buf_add_str(&stacks, "\n");
	assert_stacks(text.data, stacks.data);
	smap_buf_free(&text);
	smap_buf_free(&stacks);
	free(name);
}

static void depth_has_no_limit(void **state)
{
	static const uint32_t depths[] = { 63, 64, 65, 90, 100000 };
	struct smap_buf text8 = SMAP_BUF_INIT, text4 = SMAP_BUF_INIT;
	struct parsed parsed;
	uint32_t i, j;

	for (i = 0; i < 5; i++) {
		smap_buf_addf(&text8, "stack_id %u gen 1 ref 1 depth %u\n", i, depths[i]);
		smap_buf_addf(&text4, "stack_id %u [ref 1, depth %u]\n", i, depths[i]);
		for (j = 0; j < depths[i]; j++) {
			smap_buf_addf(&text8, " => f+0x%x/0x100000\n", j);
			smap_buf_addf(&text4, "  [%u] f+0x%x/0x100000\n", j, j);
		}
		smap_buf_add_char(&text4, '\n');
	}
	parsed = parsed_from(text8.data, text8.len);
	assert_int_equal(parsed.ret, 0);
	for (i = 0; i < 5; i++) {
		assert_int_equal(parsed.export->stacks[i].depth, depths[i]);
		assert_int_equal(parsed.export->stacks[i].flags, 0);
	}
	assert_no_findings(&parsed.findings);
	parsed_free(&parsed);

	parsed = parsed_from(text4.data, text4.len);
	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->stacks[4].depth, 100000);
	assert_no_findings(&parsed.findings);
	parsed_free(&parsed);
	smap_buf_free(&text8);
	smap_buf_free(&text4);
}

static void numbers_reach_the_end_of_their_range(void **state)
{
	assert_stacks("stack_id 4294967295 gen 4294967295 ref 4294967295 depth 1\n => f\n",
		      "4294967295:4294967295 ref 4294967295 f\n");
	assert_stacks("stack_id 0 gen 0 ref 0 depth 1\n => f\n", "0:0 ref 0 f\n");
}

static void generations_of_one_file_are_told_apart(void **state)
{
	struct parsed parsed = parsed_from_text(
		"stack_id 5 gen 1 ref 1 depth 1\n => a\n"
		"stack_id 9 gen 1 ref 1 depth 1\n => b\n"
		"stack_id 5 gen 2 ref 1 depth 1\n => c\n"
		"stack_id 5 gen 3 ref 1 depth 1\n => d\n");

	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->nr_maps, 3);
	assert_int_equal(parsed.export->nr_conflicts, 0);
	assert_string_equal(parsed.stacks, "1:5 ref 1 a\n1:9 ref 1 b\n2:5 ref 1 c\n3:5 ref 1 d\n");
	parsed_free(&parsed);
}

static void repeated_records_are_merged_and_different_ones_kept(void **state)
{
	struct parsed parsed = parsed_from_text(
		"stack_id 5 gen 1 ref 1 depth 1\n => a\n"
		"stack_id 9 gen 1 ref 7 depth 1\n => b\n"
		"stack_id 5 gen 1 ref 3 depth 1\n => a\n"
		"stack_id 9 gen 1 ref 1 depth 1\n => c\n");

	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.findings.nr_records, 4);
	assert_int_equal(parsed.export->nr_repeated, 1);
	assert_int_equal(parsed.export->nr_conflicts, 1);
	assert_string_equal(parsed.stacks,
			    "1:5 ref 3 a\n1:9 ref 7 b conflict\n1:9 ref 1 c conflict\n");
	parsed_free(&parsed);
}

/* ---- what copying by hand does to it ---- */

static char *with_crlf(const char *text)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	for (; *text; text++) {
		if (*text == '\n')
			smap_buf_add_char(&buf, '\r');
		smap_buf_add_char(&buf, *text);
	}
	return smap_buf_detach(&buf, NULL);
}

static void lines_may_end_in_cr_lf(void **state)
{
	static const char *const texts[] = { TWO_STACKS8, TWO_STACKS4 };
	struct parsed parsed, plain;
	char *text;
	int i;

	for (i = 0; i < 2; i++) {
		text = with_crlf(texts[i]);
		parsed = parsed_from_text(text);
		plain = parsed_from_text(texts[i]);
		assert_int_equal(parsed.ret, 0);
		assert_string_equal(parsed.stacks, plain.stacks);
		assert_true(parsed.findings.crlf);
		parsed.findings.crlf = false;
		assert_no_findings(&parsed.findings);
		parsed_free(&parsed);
		parsed_free(&plain);
		free(text);
	}
}

static void empty_lines_between_records_say_nothing(void **state)
{
	assert_stacks("stack_id 5 gen 1 ref 1 depth 1\n => a\n\n\n"
		      "stack_id 9 gen 1 ref 1 depth 1\n => b\n\n",
		      "1:5 ref 1 a\n1:9 ref 1 b\n");
	assert_stacks("stack_id 5 [ref 1, depth 1]\n  [0] a\n"
		      "stack_id 9 [ref 1, depth 1]\n  [0] b\n\n\n",
		      "5 ref 1 a\n9 ref 1 b\n");
}

static void a_missing_last_newline_is_reported_and_nothing_is_lost(void **state)
{
	static const char *const frames[] = {
		"schedule+0x48/0xc0", "f+0x1/0x2 [ext4]", "[FTRACE TRAMPOLINE]",
		"0xffffffff81000048", "0xc0100048",
	};
	struct parsed parsed;
	char text[128], stacks[128];
	size_t i;

	for (i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		snprintf(text, sizeof(text), "stack_id 5 gen 1 ref 1 depth 1\n => %s", frames[i]);
		snprintf(stacks, sizeof(stacks), "1:5 ref 1 %s\n", frames[i]);
		parsed = parsed_from_text(text);
		assert_int_equal(parsed.ret, 0);
		assert_string_equal(parsed.stacks, stacks);
		assert_true(parsed.findings.no_last_newline);
		assert_false(parsed.findings.cut);
		parsed_free(&parsed);
	}
}

static void the_empty_line_at_the_end_is_the_last_newline_of_series_4_to_7(void **state)
{
	struct parsed parsed = parsed_from_text("stack_id 5 [ref 1, depth 1]\n  [0] f+0x1/0x2\n");

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, "5 ref 1 f+0x1/0x2\n");
	assert_true(parsed.findings.no_last_newline);
	assert_false(parsed.findings.cut);
	parsed_free(&parsed);
}

/* What is left of the record is kept and flagged, the place is said. */
static void a_cut_last_record_is_flagged_with_its_place(void **state)
{
	static const struct {
		const char	*last;
		const char	*stack;		/* NULL: nothing of it can be kept */
	} cuts[] = {
		{ "s", NULL },
		{ "stack_id 7 gen 1 re", NULL },
		{ "stack_id 7 gen 1 ref 1 depth ", NULL },
		{ "stack_id 7 gen 1 ref 1 depth 2", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 0", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 2\n", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 2\n =", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 2\n => ", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 2\n => g+0x1", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 2\n => g+0x1/0x2",
		  "1:7 ref 1 g+0x1/0x2 damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 2\n => g+0x1/0x2\n",
		  "1:7 ref 1 g+0x1/0x2 damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => g", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => g+0x1/", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => g+0x1/0x", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => g+0x48/0xc", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => g+0x2/0x2", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => g+0x1/0x2 [ex", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => [FTRACE", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => 0xffffffff8100004", "1:7 ref 1  damaged\n" },
		{ "stack_id 7 gen 1 ref 1 depth 1\n => a\n => g", "1:7 ref 1 a damaged\n" },
	};
	static const char first[] = "stack_id 5 gen 1 ref 1 depth 1\n => a\n";
	struct parsed parsed;
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		snprintf(text, sizeof(text), "%s%s", first, cuts[i].last);
		parsed = parsed_from_text(text);
		assert_int_equal(parsed.ret, 0);
		assert_memory_equal(parsed.stacks, "1:5 ref 1 a\n", 12);
		assert_string_equal(parsed.stacks + 12, cuts[i].stack ? cuts[i].stack : "");
		assert_true(parsed.findings.cut);
		assert_false(parsed.findings.no_last_newline);
		assert_int_equal(parsed.findings.cut_offset, sizeof(first) - 1);
		assert_int_equal(parsed.findings.has_cut_slot, cuts[i].stack != NULL);
		assert_int_equal(parsed.findings.cut_slot, cuts[i].stack ? 7 : 0);
		assert_int_equal(parsed.findings.nr_depth_mismatch, 0);
		parsed_free(&parsed);
	}
}

static void a_frame_too_many_that_is_cut_is_more_than_a_missing_newline(void **state)
{
	struct parsed parsed = parsed_from_text("stack_id 4 [ref 1, depth 1]\n  [0] a\n  [1] g");

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, "4 ref 1 a damaged\n");
	assert_true(parsed.findings.cut);
	assert_false(parsed.findings.no_last_newline);
	parsed_free(&parsed);
}

/* No prefix is refused once its format can be told, and none shows a stack that was not there. */
static void every_prefix_gives_whole_stacks_and_says_that_it_is_cut(void **state)
{
	static const char *const texts[] = { TWO_STACKS8, TWO_STACKS4 };
	struct parsed whole, parsed;
	char *crlf, *line, *end;
	const char *text;
	size_t len, full;
	int i;

	for (i = 0; i < 4; i++) {
		crlf = with_crlf(texts[i % 2]);
		text = i < 2 ? texts[i] : crlf;
		whole = parsed_from_text(text);
		full = strlen(text);
		for (len = 0; len < full; len++) {
			parsed = parsed_from(text, len);
			if (len < strlen("stack_id 42 [ref ")) {
				if (parsed.ret != -EINVAL)
					assert_int_equal(parsed.ret, 0);
			} else {
				assert_int_equal(parsed.ret, 0);
			}
			for (line = parsed.stacks; *line; line = end + 1) {
				end = strchr(line, '\n');
				*end = '\0';
				if (!strstr(line, " damaged"))
					assert_non_null(strstr(whole.stacks, line));
				else
					assert_true(parsed.findings.cut);
			}
			parsed_free(&parsed);
		}
		parsed_free(&whole);
		free(crlf);
	}
}

/* Whether the cut is said wherever something is missing: bytes of TWO_STACKS8 where nothing is. */
static void a_prefix_is_whole_only_between_records(void **state)
{
	const char *text = TWO_STACKS8;
	size_t first = (size_t)(strstr(text, "stack_id 43") - text), len;
	struct parsed parsed;

	for (len = 20; len < strlen(text); len++) {
		parsed = parsed_from(text, len);
		assert_int_equal(parsed.ret, 0);
		assert_int_equal(parsed.findings.cut,
				 len != first && len != first - 1 && len != strlen(text) - 1 &&
				 /* "ext4_sync+0x10/0x80" could have been all */
				 len != strlen(text) - 8);
		assert_int_equal(parsed.findings.no_last_newline,
				 len == first - 1 || len == strlen(text) - 1 ||
				 len == strlen(text) - 8);
		parsed_free(&parsed);
	}
}

static void a_depth_that_is_not_the_number_of_frames_is_flagged(void **state)
{
	static const char text[] =
		"stack_id 4 gen 1 ref 1 depth 1\n => a\n"
		"stack_id 5 gen 1 ref 1 depth 2\n => a\n"
		"stack_id 6 gen 1 ref 1 depth 1\n => a\n => b\n"
		"stack_id 7 gen 1 ref 1 depth 1\n => a\n";
	struct parsed parsed = parsed_from_text(text);

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, "1:4 ref 1 a\n1:5 ref 1 a damaged\n"
					   "1:6 ref 1 a|b damaged\n1:7 ref 1 a\n");
	assert_int_equal(parsed.findings.nr_depth_mismatch, 2);
	assert_int_equal(parsed.findings.depth_mismatch_offset, strstr(text, "stack_id 5") - text);
	assert_int_equal(parsed.export->nr_damaged, 2);
	assert_false(parsed.findings.cut);
	parsed_free(&parsed);
}

static void a_last_record_with_a_frame_too_many_is_not_cut(void **state)
{
	struct parsed parsed = parsed_from_text("stack_id 4 gen 1 ref 1 depth 1\n => a\n => b\n");

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, "1:4 ref 1 a|b damaged\n");
	assert_int_equal(parsed.findings.nr_depth_mismatch, 1);
	assert_false(parsed.findings.cut);
	parsed_free(&parsed);
}

static void an_empty_line_ends_a_record_that_lacks_frames(void **state)
{
	struct parsed parsed = parsed_from_text("stack_id 4 [ref 1, depth 2]\n  [0] a\n\n");

	assert_int_equal(parsed.ret, 0);
	assert_string_equal(parsed.stacks, "4 ref 1 a damaged\n");
	assert_int_equal(parsed.findings.nr_depth_mismatch, 1);
	assert_false(parsed.findings.cut);
	parsed_free(&parsed);
}

/* ---- what is refused ---- */

static void numbers_are_strict(void **state)
{
	static const char *const lines[] = {
		"stack_id %s gen 1 ref 1 depth 1",
		"stack_id 1 gen %s ref 1 depth 1",
		"stack_id 1 gen 1 ref %s depth 1",
		"stack_id 1 gen 1 ref 1 depth %s",
		"stack_id %s [ref 1, depth 1]",
		"stack_id 1 [ref %s, depth 1]",
		"stack_id 1 [ref 1, depth %s]",
	};
	static const char *const numbers[] = {
		"", "-1", "+1", " 1", "01", "0x1", "1a", "4294967296", "18446744073709551617",
		"99999999999999999999999",
	};
	char line[128], text[256], words[256];
	size_t i, field;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		for (field = 0; field < 7; field++) {
			snprintf(line, sizeof(line), lines[field], numbers[i]);
			snprintf(text, sizeof(text), "%s%s\n", field < 4 ?
				 "stack_id 9 gen 1 ref 1 depth 1\n => a\n" :
				 "stack_id 9 [ref 1, depth 1]\n  [0] a\n", line);
			snprintf(words, sizeof(words),
				 "line 3: neither a record nor a frame of one: \"%.60s\"", line);
			assert_refused(text, words);
		}
	}
}

static void bytes_that_are_no_record_are_refused_with_their_line(void **state)
{
	assert_refused("stack_id 4 gen 1 ref 1 depth 1\n => a\nstack 5\n",
		       "line 3: neither a record nor a frame of one: \"stack 5\"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 1 \n => a\n",
		       "line 1: neither a record nor a frame of one: "
		       "\"stack_id 4 gen 1 ref 1 depth 1 \"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 1\n => a\ngarbage\n",
		       "line 3: not the next frame of its record: \"garbage\"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 1\n => a\ngarbage",
		       "line 3: not the next frame of its record: \"garbage\"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 2\n => a\n =>\n",
		       "line 3: not the next frame of its record: \" =>\"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 2\n => a\n => \n",
		       "line 3: not the next frame of its record: \" => \"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 2\n => a\n\n => b\n",
		       "line 4: neither a record nor an empty line: \" => b\"");
	assert_refused("stack_id 4 gen 1 ref 1 depth 1\n => a\n\033[2J\n",
		       "line 3: not the next frame of its record: \"\\x1b[2J\"");
}

static void records_of_another_series_do_not_mix(void **state)
{
	assert_refused("stack_id 4 gen 1 ref 1 depth 1\n => a\nstack_id 5 [ref 1, depth 1]\n",
		       "line 3: neither a record nor a frame of one: "
		       "\"stack_id 5 [ref 1, depth 1]\"");
	assert_refused("stack_id 5 [ref 1, depth 1]\n => a\n",
		       "line 2: not the next frame of its record: \" => a\"");
}

static void frames_of_series_4_to_7_count_up_from_0(void **state)
{
	assert_refused("stack_id 5 [ref 1, depth 1]\n  [1] a\n",
		       "line 2: not the next frame of its record: \"  [1] a\"");
	assert_refused("stack_id 5 [ref 1, depth 3]\n  [0] a\n  [2] b\n",
		       "line 3: not the next frame of its record: \"  [2] b\"");
	assert_refused("stack_id 5 [ref 1, depth 2]\n  [0] a\n  [0] a\n",
		       "line 3: not the next frame of its record: \"  [0] a\"");
	assert_refused("stack_id 5 [ref 1, depth 1]\n  [00] a\n",
		       "line 2: not the next frame of its record: \"  [00] a\"");
	assert_refused("stack_id 5 [ref 1, depth 1]\n  [4294967296] a\n",
		       "line 2: not the next frame of its record: \"  [4294967296] a\"");
}

static void a_nul_byte_is_refused_with_its_place(void **state)
{
	static const char text[] = "stack_id 4 gen 1 ref 1 depth 1\n => a\0b\n";
	struct parsed parsed = parsed_from(text, sizeof(text) - 1);

	assert_int_equal(parsed.ret, -EBADMSG);
	assert_string_equal(parsed.err.text, "line 2: a NUL byte, at byte 36");
	parsed_free(&parsed);
}

/* ---- memory and time ---- */

static void a_stated_depth_costs_no_memory(void **state)
{
	struct parsed parsed = parsed_from_text("stack_id 4 gen 1 ref 1 depth 4294967295\n => a\n");

	assert_int_equal(parsed.ret, 0);
	assert_int_equal(parsed.export->nr_ids, 1);
	assert_int_equal(parsed.export->stacks[0].stated_depth, 4294967295);
	assert_true(parsed.findings.cut);
	parsed_free(&parsed);
}

static void every_failing_allocation_gives_enomem_and_leaks_nothing(void **state)
{
	struct input text8 = { TWO_STACKS8, strlen(TWO_STACKS8) };
	struct input text4 = { TWO_STACKS4, strlen(TWO_STACKS4) };

	assert_true(alloc_fail_each(parse_once, &text8) > 5);
	assert_true(alloc_fail_each(parse_once, &text4) > 5);
}

static void what_is_refused_leaks_nothing(void **state)
{
	size_t live = alloc_fail_nr_live();

	assert_refused("stack_id 4 gen 1 ref 1 depth 1\n => a\ngarbage\n",
		       "line 3: not the next frame of its record: \"garbage\"");
	assert_int_equal(alloc_fail_nr_live(), live);
}

/* ---- all stacks of one in another ---- */

#define HELD_42	" gen 1 ref 1337 depth 2\n => a+0x1/0x20\n => [FTRACE TRAMPOLINE]\n"
#define HELD_43	"stack_id 43 gen 1 ref 1 depth 1\n => b+0x1/0x20 [mod]\n"

static const char held[] = "stack_id 42" HELD_42 HELD_43;
static const char fuller[] =
	"stack_id 7 gen 1 ref 1 depth 1\n => a+0x1/0x20\n"
	"stack_id 42 gen 1 ref 2000 depth 2\n => a+0x1/0x20\n => [FTRACE TRAMPOLINE]\n"
	HELD_43
	"stack_id 44 gen 1 ref 1 depth 1\n => c+0x1/0x20\n";

static bool has_all(const char *text, const char *older)
{
	return parsed_has_all(&smap_parse_text8, text, strlen(text), older, strlen(older));
}

static void the_fuller_text_of_a_map_has_all_of_the_older(void **state)
{
	assert_true(has_all(held, held));
	assert_true(has_all(fuller, held));
	assert_false(has_all(held, fuller));
	assert_true(has_all(fuller, HELD_43));
	assert_false(has_all(HELD_43, held));
}

static void what_differs_in_a_text_is_not_all(void **state)
{
	static const char *const others[] = {
		"stack_id 41" HELD_42 HELD_43,
		"stack_id 43" HELD_42 HELD_43,
		"stack_id 42" HELD_42 "stack_id 43 gen 2 ref 1 depth 1\n => b+0x1/0x20 [mod]\n",
		"stack_id 42" HELD_42 "stack_id 43 gen 1 ref 1 depth 1\n => b+0x2/0x20 [mod]\n",
		"stack_id 42" HELD_42 "stack_id 43 gen 1 ref 1 depth 1\n => b+0x1/0x20\n",
		"stack_id 42" HELD_42 "stack_id 43 gen 1 ref 1 depth 2\n => b+0x1/0x20 [mod]\n",
		"stack_id 42" HELD_42 "stack_id 43 gen 1 ref 1 depth 0\n",
		"stack_id 42" HELD_42 "stack_id 43 [ref 1, depth 1]\n => b+0x1/0x20 [mod]\n",
		HELD_43 "stack_id 42" HELD_42,
		HELD_43 HELD_43,
		"stack_id 42" HELD_42 "\n" HELD_43,
		"stack_id 42" HELD_42 " => b+0x1/0x20 [mod]\n",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (has_all(fuller, others[i]))
			fail_msg("number %zu is not all there", i);
}

static void a_text_that_is_cut_neither_has_all_nor_is_had(void **state)
{
	const size_t first = sizeof(held) - sizeof(HELD_43);
	const size_t last = (size_t)(strstr(fuller, "stack_id 44") - fuller);
	size_t len;

	for (len = 1; len < sizeof(held) - 1; len++)
		assert_int_equal(parsed_has_all(&smap_parse_text8, fuller, strlen(fuller), held,
						len), len == first);
	for (len = 0; len < last; len++)
		assert_false(parsed_has_all(&smap_parse_text8, fuller, len, held, strlen(held)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_series_8_is_read_as_it_stands),
		cmocka_unit_test(text_of_series_4_to_7_is_read_as_it_stands),
		cmocka_unit_test(every_form_of_frame_survives_unchanged),
		cmocka_unit_test(names_have_no_longest_length),
		cmocka_unit_test(depth_has_no_limit),
		cmocka_unit_test(numbers_reach_the_end_of_their_range),
		cmocka_unit_test(generations_of_one_file_are_told_apart),
		cmocka_unit_test(repeated_records_are_merged_and_different_ones_kept),
		cmocka_unit_test(lines_may_end_in_cr_lf),
		cmocka_unit_test(empty_lines_between_records_say_nothing),
		cmocka_unit_test(a_missing_last_newline_is_reported_and_nothing_is_lost),
		cmocka_unit_test(the_empty_line_at_the_end_is_the_last_newline_of_series_4_to_7),
		cmocka_unit_test(a_cut_last_record_is_flagged_with_its_place),
		cmocka_unit_test(a_frame_too_many_that_is_cut_is_more_than_a_missing_newline),
		cmocka_unit_test(every_prefix_gives_whole_stacks_and_says_that_it_is_cut),
		cmocka_unit_test(a_prefix_is_whole_only_between_records),
		cmocka_unit_test(a_depth_that_is_not_the_number_of_frames_is_flagged),
		cmocka_unit_test(a_last_record_with_a_frame_too_many_is_not_cut),
		cmocka_unit_test(an_empty_line_ends_a_record_that_lacks_frames),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(bytes_that_are_no_record_are_refused_with_their_line),
		cmocka_unit_test(records_of_another_series_do_not_mix),
		cmocka_unit_test(frames_of_series_4_to_7_count_up_from_0),
		cmocka_unit_test(a_nul_byte_is_refused_with_its_place),
		cmocka_unit_test(a_stated_depth_costs_no_memory),
		cmocka_unit_test(every_failing_allocation_gives_enomem_and_leaks_nothing),
		cmocka_unit_test(what_is_refused_leaks_nothing),
		cmocka_unit_test(the_fuller_text_of_a_map_has_all_of_the_older),
		cmocka_unit_test(what_differs_in_a_text_is_not_all),
		cmocka_unit_test(a_text_that_is_cut_neither_has_all_nor_is_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
