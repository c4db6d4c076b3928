// SPDX-License-Identifier: GPL-2.0-or-later
/* Which format it is, and whole files: the recordings and the damaged ones. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/buf.h"
#include "fixture.h"

static void the_format_is_told_from_the_first_bytes(void **state)
{
	assert_ptr_equal(smap_parse_probe("stack_id 4 gen 1", 16), &smap_parse_text8);
	assert_ptr_equal(smap_parse_probe("stack_id 4 [ref 1", 17), &smap_parse_text4);
	assert_ptr_equal(smap_parse_probe("BMSF", 4), &smap_parse_bin1);
	assert_ptr_equal(smap_parse_probe("FSMB", 4), &smap_parse_bin1);
	assert_ptr_equal(smap_parse_probe("2MSF", 4), &smap_parse_bin2);
	assert_ptr_equal(smap_parse_probe("FSM2", 4), &smap_parse_bin2);
	assert_string_equal(smap_parse_text8.name, "text8");
	assert_string_equal(smap_parse_text4.name, "text4");
	assert_string_equal(smap_parse_bin1.name, "bin1");
	assert_true(smap_parse_bin1.is_binary);
	assert_string_equal(smap_parse_bin2.name, "bin2");
	assert_true(smap_parse_bin2.is_binary);
	assert_false(smap_parse_text8.is_binary);
}

static void what_is_none_of_them_has_no_format(void **state)
{
	static const char *const none[] = {
		"", "\n", "stack_id", "stack_id ", "stack_id x gen 1 ", "stack_id 1\n gen 1 ",
		" stack_id 1 gen 1 ", "BMS", "SMBF", "entries: 1\n", "ffffffff81000000 T _text\n",
		"stack_id 99999999999 gen 1 ", "stack_id -1 [ref 1, depth 1]\n",
	};
	char zeros[256] = { 0 };
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_null(smap_parse_probe(none[i], strlen(none[i])));
	assert_null(smap_parse_probe(zeros, sizeof(zeros)));
	assert_null(smap_parse_probe(NULL, 0));
}

static void what_has_no_format_is_invalid(void **state)
{
	struct parsed parsed = parsed_from_text("hello\n");

	assert_int_equal(parsed.ret, -EINVAL);
	assert_string_equal(parsed.err.text, "neither stack_map nor stack_map_bin");
	parsed_free(&parsed);
	parsed = parsed_from_text("");
	assert_int_equal(parsed.ret, -EINVAL);
	assert_string_equal(parsed.err.text, "empty: no map was allocated");
	parsed_free(&parsed);
}

static void out_parameters_may_be_left_out_and_stay_on_failure(void **state)
{
	static const char good[] = "stack_id 1 gen 1 ref 1 depth 1\n => a\n";
	static const char bad[] = "stack_id 1 gen 1 ref 1 depth 1\nb\n";
	struct smap_export *export = NULL;
	struct smap_findings findings = { .nr_trailing = 17 };
	enum smap_byte_order order = SMAP_ORDER_BIG;

	assert_int_equal(smap_parse(good, strlen(good), &export, NULL, NULL, NULL), 0);
	smap_export_free(export);
	export = NULL;
	assert_int_equal(smap_parse(bad, strlen(bad), &export, &order, &findings, NULL), -EBADMSG);
	assert_null(export);
	assert_int_equal(order, SMAP_ORDER_BIG);
	assert_int_equal(findings.nr_trailing, 17);
}

/* ---- recordings ---- */

struct recording {
	const char	*name;
	size_t		nr_stacks;
	uint32_t	generation;	/* 0: none */
};

static const struct recording recordings[] = {
	{ "good/v8/sched.stack_map", 56, 1 },
	{ "good/v8/gens.1.stack_map", 260, 1 },
	{ "good/v8/gens.2.stack_map", 226, 2 },
	{ "good/v8/gens.3.stack_map", 220, 3 },
	{ "good/v8/func.stack_map", 1, 4 },
	{ "good/v8/raw.stack_map", 45, 4 },
	{ "good/v8/v6.stack_map", 25, 4 },
	{ "good/dbg/mod.stack_map", 30, 1 },
	{ "good/v7/sched.stack_map", 47, 0 },
	{ "good/v7/func.stack_map", 1, 0 },
	{ "good/v7/gens.1.stack_map", 398, 0 },
	{ "good/v7/gens.2.stack_map", 195, 0 },
	{ "good/v7/sched.stack_map_bin", 47, 0 },
	{ "good/v7/func.stack_map_bin", 1, 0 },
	{ "good/v7/gens.1.stack_map_bin", 398, 0 },
	{ "good/v7/gens.2.stack_map_bin", 195, 0 },
};

static void recordings_hold_what_was_counted(void **state)
{
	const struct recording *recording = recordings;
	struct parsed parsed;
	size_t i;

	for (i = 0; i < sizeof(recordings) / sizeof(*recordings); i++, recording++) {
		parsed = parsed_from_file(recording->name);
		assert_int_equal(parsed.ret, 0);
		assert_int_equal(parsed.export->nr_stacks, recording->nr_stacks);
		assert_int_equal(parsed.findings.nr_records, recording->nr_stacks);
		assert_int_equal(parsed.export->nr_maps, 1);
		assert_int_equal(parsed.export->has_generation, recording->generation != 0);
		assert_int_equal(parsed.export->maps[0].generation, recording->generation);
		assert_int_equal(parsed.export->nr_damaged, 0);
		assert_int_equal(parsed.export->nr_conflicts, 0);
		assert_int_equal(parsed.export->nr_repeated, 0);
		assert_false(parsed.findings.cut);
		assert_false(parsed.findings.no_last_newline);
		assert_int_equal(parsed.findings.nr_trailing, 0);
		parsed_free(&parsed);
	}
}

static void print_stack(struct smap_buf *buf, const struct smap_export *export,
			const struct smap_stack *stack)
{
	const char *frame;
	uint32_t i;

	if (export->has_generation)
		smap_buf_addf(buf, "stack_id %u gen %u ref %u depth %u\n", stack->slot,
			      stack->generation, stack->ref, stack->depth);
	else
		smap_buf_addf(buf, "stack_id %u [ref %u, depth %u]\n", stack->slot, stack->ref,
			      stack->depth);
	for (i = 0; i < stack->depth; i++) {
		frame = smap_frame_text(export, smap_export_frame(export, stack, i));
		if (export->has_generation)
			smap_buf_addf(buf, " => %s\n", frame);
		else
			smap_buf_addf(buf, "  [%u] %s\n", i, frame);
	}
	if (!export->has_generation)
		smap_buf_add_char(buf, '\n');
}

/* What was read, written once more as the kernel writes it, is the file. */
static void every_byte_of_a_text_recording_is_in_the_map(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct parsed parsed;
	size_t i, j, len;
	char *file;

	for (i = 0; i < sizeof(recordings) / sizeof(*recordings); i++) {
		if (strstr(recordings[i].name, "_bin"))
			continue;
		file = data_file(recordings[i].name, &len);
		parsed = parsed_from(file, len);
		smap_buf_reset(&buf);
		for (j = 0; j < parsed.export->nr_stacks; j++)
			print_stack(&buf, parsed.export, &parsed.export->stacks[j]);
		assert_int_equal(buf.len, len);
		assert_memory_equal(buf.data, file, len);
		free(file);
		parsed_free(&parsed);
	}
	smap_buf_free(&buf);
}

static void text_and_binary_of_one_map_hold_the_same_stacks(void **state)
{
	static const char *const names[] = { "sched", "func", "gens.1", "gens.2" };
	struct parsed text, bin;
	char path[64];
	size_t i, j;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "good/v7/%s.stack_map", names[i]);
		text = parsed_from_file(path);
		snprintf(path, sizeof(path), "good/v7/%s.stack_map_bin", names[i]);
		bin = parsed_from_file(path);
		assert_int_equal(bin.order, SMAP_ORDER_LITTLE);
		assert_int_equal(text.export->nr_stacks, bin.export->nr_stacks);
		assert_int_equal(text.export->nr_ids, bin.export->nr_ids);
		for (j = 0; j < text.export->nr_stacks; j++) {
			assert_int_equal(text.export->stacks[j].slot, bin.export->stacks[j].slot);
			assert_int_equal(text.export->stacks[j].depth, bin.export->stacks[j].depth);
			assert_int_equal(text.export->stacks[j].ref, bin.export->stacks[j].ref);
		}
		/* Each address has one name and each name one address. */
		assert_memory_equal(text.export->ids, bin.export->ids,
				    text.export->nr_ids * sizeof(*text.export->ids));
		parsed_free(&text);
		parsed_free(&bin);
	}
}

/* ---- damaged inputs ---- */

static bool has_fault(const struct parsed *parsed)
{
	const struct smap_findings *findings = &parsed->findings;

	return findings->crlf || findings->no_last_newline || findings->cut ||
	       findings->nr_missing || findings->nr_depth_mismatch || findings->nr_trailing ||
	       findings->no_trailer || findings->trailer_differs || findings->nr_unordered ||
	       parsed->export->nr_conflicts || parsed->export->nr_repeated;
}

static void check_bad_export(const char *name)
{
	struct parsed parsed = parsed_from_file(name);

	if (parsed.ret && !parsed.err.text[0])
		fail_msg("%s: refused without words", name);
	if (!parsed.ret && !has_fault(&parsed))
		fail_msg("%s: nothing found", name);
	parsed_free(&parsed);
}

static void check_bad_stat(const char *name)
{
	struct smap_error err = { "" };
	struct smap_stat stat;
	size_t len;
	char *text;

	text = data_file(name, &len);
	assert_int_equal(smap_stat_parse(text, len, &stat, &err), -EBADMSG);
	assert_true(err.text[0] != '\0');
	free(text);
}

static void every_damaged_input_is_refused_or_its_fault_is_found(void **state)
{
	const char *folder = getenv("SMAP_TEST_DATA");
	char path[4096];
	struct dirent *entry;
	size_t nr = 0;
	DIR *dir;

	assert_non_null(folder);
	snprintf(path, sizeof(path), "%s/bad", folder);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "bad/%s", entry->d_name);
		if (!strncmp(entry->d_name, "text", 4) || !strncmp(entry->d_name, "bin", 3))
			check_bad_export(path);
		else if (!strncmp(entry->d_name, "stat", 4))
			check_bad_stat(path);
		else
			continue;
		nr++;
	}
	closedir(dir);
	assert_true(nr >= 45);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_format_is_told_from_the_first_bytes),
		cmocka_unit_test(what_is_none_of_them_has_no_format),
		cmocka_unit_test(what_has_no_format_is_invalid),
		cmocka_unit_test(out_parameters_may_be_left_out_and_stay_on_failure),
		cmocka_unit_test(recordings_hold_what_was_counted),
		cmocka_unit_test(every_byte_of_a_text_recording_is_in_the_map),
		cmocka_unit_test(text_and_binary_of_one_map_hold_the_same_stacks),
		cmocka_unit_test(every_damaged_input_is_refused_or_its_fault_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
