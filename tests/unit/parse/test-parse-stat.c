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

#include "fixture.h"

#define SERIES8			\
	"generation: 1\n"	\
	"entries: 2500\n"	\
	"capacity: 16384\n"	\
	"successes: 148923\n"	\
	"fallbacks: 7\n"

#define SERIES4					\
	"entries:      2500 / 16384\n"		\
	"table_size:   32768\n"			\
	"successes:    148923\n"		\
	"drops:        7\n"			\
	"success_rate: 100%\n"

static int parse(const char *text, struct smap_stat *stat, struct smap_error *err)
{
	size_t len = strlen(text);
	char *copy = malloc(len + 1);
	int ret;

	memcpy(copy, text, len);
	copy[len] = '#';
	ret = smap_stat_parse(copy, len, stat, err);
	if (!ret && len)
		assert_true(smap_stat_probe(copy, len));
	free(copy);
	return ret;
}

/* "generation=1 entries=2500 ...", in the order of the fields. */
static const char *spell(const struct smap_stat *stat)
{
	static const char *const names[] = {
		"generation", "entries", "capacity", "successes", "fallbacks", "table_size",
	};
	static char text[256];
	size_t len = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < SMAP_NR_STAT_FIELDS; i++)
		if (stat->has & 1U << i)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%llu",
						len ? " " : "", names[i],
						(unsigned long long)stat->value[i]);
	return text;
}

static void assert_stat(const char *text, const char *spelled, size_t nr_unknown)
{
	struct smap_error err;
	struct smap_stat stat;

	assert_int_equal(parse(text, &stat, &err), 0);
	assert_string_equal(spell(&stat), spelled);
	assert_int_equal(stat.nr_unknown, nr_unknown);
}

static void assert_refused(const char *text, const char *words)
{
	struct smap_error err;
	struct smap_stat stat = { .nr_unknown = 17 };

	errno = 0;
	assert_int_equal(parse(text, &stat, &err), -EBADMSG);
	assert_int_equal(errno, EBADMSG);
	assert_string_equal(err.text, words);
	assert_int_equal(stat.nr_unknown, 17);
}

static void the_form_of_series_8_is_read(void **state)
{
	assert_stat(SERIES8, "generation=1 entries=2500 capacity=16384 successes=148923 "
			     "fallbacks=7", 0);
}

static void the_form_of_series_4_to_7_is_read(void **state)
{
	assert_stat(SERIES4, "entries=2500 capacity=16384 successes=148923 fallbacks=7 "
			     "table_size=32768", 0);
}

static void nothing_is_said_where_no_map_was_allocated(void **state)
{
	struct smap_error err;
	struct smap_stat stat;

	assert_int_equal(smap_stat_parse(NULL, 0, &stat, &err), 0);
	assert_int_equal(stat.has, 0);
	assert_false(smap_stat_probe(NULL, 0));
	assert_false(smap_stat_probe("", 0));
}

static void lines_that_are_not_known_are_counted_and_skipped(void **state)
{
	assert_stat("resets: 3\n" SERIES8 "hash: siphash 1:2\nthe map is frozen\n\n",
		    "generation=1 entries=2500 capacity=16384 successes=148923 fallbacks=7", 3);
}

static void lines_that_are_not_known_are_given_as_they_are(void **state)
{
	static const char text[] = "resets: 3\r\n\n" SERIES8 "the map is frozen\n";
	const char *line;
	size_t pos = 0, len;

	assert_true(smap_stat_next_unknown(text, strlen(text), &pos, &line, &len));
	assert_int_equal(len, strlen("resets: 3"));
	assert_memory_equal(line, "resets: 3", len);
	assert_true(smap_stat_next_unknown(text, strlen(text), &pos, &line, &len));
	assert_int_equal(len, strlen("the map is frozen"));
	assert_memory_equal(line, "the map is frozen", len);
	assert_false(smap_stat_next_unknown(text, strlen(text), &pos, &line, &len));
	pos = 0;
	assert_false(smap_stat_next_unknown(NULL, 0, &pos, &line, &len));
}

static void a_name_is_known_as_a_whole_only(void **state)
{
	assert_stat("entries: 1\nentries_peak: 2\nentrie: 3\n entries: 4\n", "entries=1", 3);
}

static void cr_lf_and_a_missing_last_newline_do_no_harm(void **state)
{
	assert_stat("generation: 1\r\nentries: 2\r\n", "generation=1 entries=2", 0);
	assert_stat("entries:      2500 / 16384\r\ndrops:        7", "entries=2500 capacity=16384 "
								     "fallbacks=7", 0);
}

static void values_reach_the_end_of_their_range(void **state)
{
	assert_stat("successes: 18446744073709551615\n", "successes=18446744073709551615", 0);
	assert_refused("successes: 18446744073709551616\n",
		       "line 1: no value, or a second one: \"successes: 18446744073709551616\"");
}

static void values_are_strict(void **state)
{
	static const char *const values[] = {
		"", " ", " -1", " +1", " 01", " 1x", " 0x1", " 1 2", " 1 /", " 1 / x", " 1 / 2 / 3",
		" 1 2500 / 3", " 100%",
	};
	char text[128], words[256];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(text, sizeof(text), "generation: 1\nentries:%s\n", values[i]);
		snprintf(words, sizeof(words), "line 2: no value, or a second one: \"entries:%s\"",
			 values[i]);
		assert_refused(text, words);
	}
	assert_refused("generation: 1\nfallbacks: 1 / 2\n",
		       "line 2: no value, or a second one: \"fallbacks: 1 / 2\"");
}

static void a_second_value_is_refused(void **state)
{
	assert_refused("entries: 1\nentries: 1\n",
		       "line 2: no value, or a second one: \"entries: 1\"");
	assert_refused("capacity: 1\nentries: 1 / 2\n",
		       "line 2: no value, or a second one: \"entries: 1 / 2\"");
	assert_refused("drops: 1\nfallbacks: 1\n",
		       "line 2: no value, or a second one: \"fallbacks: 1\"");
}

static void a_cut_last_line_is_refused_with_its_place(void **state)
{
	assert_refused("generation: 1\nentr", "line 2: cut: \"entr\"");
	assert_refused("generation: 1\nentries:",
		       "line 2: no value, or a second one: \"entries:\"");
}

static void what_is_no_text_is_refused(void **state)
{
	static const char nul[] = "entries: 1\n\0\n";
	struct smap_error err;
	struct smap_stat stat;

	assert_int_equal(smap_stat_parse(nul, sizeof(nul) - 1, &stat, &err), -EBADMSG);
	assert_refused("entries: 1\n\033[2J: 1\n", "line 2: not text: \"\\x1b[2J: 1\"");
	assert_refused("\n", "no stack_map_stat");
	assert_refused("resets: 3\n", "no stack_map_stat");
	assert_refused("stack_id 42 gen 1 ref 1337 depth 3\n => entries: 1\n", "no stack_map_stat");
	assert_refused("# tracer: nop\n#\nentries: 1\n", "no stack_map_stat");
}

static void the_recordings_say_what_their_maps_hold(void **state)
{
	static const struct { const char *name, *spelled; } files[] = {
		{ "good/v8/sched.stack_map_stat",
		  "generation=1 entries=56 capacity=16384 successes=2636 fallbacks=0" },
		{ "good/v7/func.stack_map_stat",
		  "entries=1 capacity=16384 successes=6 fallbacks=0 table_size=32768" },
	};
	size_t i, len;
	char *text;

	for (i = 0; i < 2; i++) {
		text = data_file(files[i].name, &len);
		assert_stat(text, files[i].spelled, 0);
		free(text);
	}
}

static void every_prefix_is_read_or_refused(void **state)
{
	static const char *const texts[] = { SERIES8, SERIES4 };
	struct smap_error err;
	struct smap_stat stat;
	char *copy;
	size_t len;
	int i;

	for (i = 0; i < 2; i++) {
		for (len = 1; len < strlen(texts[i]); len++) {
			copy = malloc(len);
			memcpy(copy, texts[i], len);
			smap_stat_probe(copy, len);
			smap_stat_parse(copy, len, &stat, &err);
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_form_of_series_8_is_read),
		cmocka_unit_test(the_form_of_series_4_to_7_is_read),
		cmocka_unit_test(nothing_is_said_where_no_map_was_allocated),
		cmocka_unit_test(lines_that_are_not_known_are_counted_and_skipped),
		cmocka_unit_test(lines_that_are_not_known_are_given_as_they_are),
		cmocka_unit_test(a_name_is_known_as_a_whole_only),
		cmocka_unit_test(cr_lf_and_a_missing_last_newline_do_no_harm),
		cmocka_unit_test(values_reach_the_end_of_their_range),
		cmocka_unit_test(values_are_strict),
		cmocka_unit_test(a_second_value_is_refused),
		cmocka_unit_test(a_cut_last_line_is_refused_with_its_place),
		cmocka_unit_test(what_is_no_text_is_refused),
		cmocka_unit_test(the_recordings_say_what_their_maps_hold),
		cmocka_unit_test(every_prefix_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
