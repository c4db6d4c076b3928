// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "said.h"

#include "cmd.h"
#include "record-options.h"

#define MAX_WORDS	16

static struct record_options options;
static char line[256];
static char *words[MAX_WORDS + 1];

/* Split at blanks. */
static int read_line(const char *text)
{
	char *word, *rest = line;
	int argc = 1;

	record_options_release(&options);
	assert_true(strlen(text) < sizeof(line));
	strcpy(line, text);
	words[0] = (char *)"record";
	while ((word = strsep(&rest, " "))) {
		assert_true(argc < MAX_WORDS);
		words[argc++] = word;
	}
	words[argc] = NULL;
	return record_options_read(&options, argc, words);
}

static void reads(const char *text)
{
	assert_int_equal(read_line(text), CMD_OK);
}

static const char *passed(void)
{
	static char text[256];
	int i;

	*text = '\0';
	for (i = 0; i < options.argc; i++) {
		strcat(text, i ? " " : "");
		strcat(text, options.argv[i]);
	}
	assert_null(options.argv[options.argc]);
	return text;
}

static int teardown(void **state)
{
	record_options_release(&options);
	said();
	return 0;
}

static void the_option_is_found_in_every_form(void **state)
{
	static const char *const forms[] = {
		"-O stackmap", "-Ostackmap", "-e sched_switch -T -O stackmap", "-TO stackmap",
		"-qTOstackmap", "-e sched -O stackmap -- ls", "--date -O stackmap",
		"--verbose -O stackmap", "--temp /tmp -O stackmap", "--temp=/tmp -O stackmap",
		"--file-v 7 -O stackmap", "-k -O stackmap", "-K -O stackmap",
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		reads(forms[i]);
		assert_int_equal(options.stackmap, RECORD_ON);
		assert_null(options.misplaced);
		assert_null(options.unknown);
		assert_string_equal(passed(), forms[i]);
	}
}

static void it_is_not_found_where_it_is_none(void **state)
{
	static const char *const forms[] = {
		"", "-e sched_switch", "-e stackmap", "ls -O stackmap", "-- -O stackmap",
		"-o -Ostackmap", "-O stackmapx", "-O xstackmap", "-O nostackmapx", "-f -O stackmap",
		"-O stacktrace", "--temp -Ostackmap", "-T -o stackmap ls -Ostackmap",
	};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		reads(forms[i]);
		assert_int_equal(options.stackmap, RECORD_UNSAID);
		assert_string_equal(passed(), forms[i]);
	}
}

static void blanks_around_it_do_not_count(void **state)
{
	char *argv[] = { words[0], (char *)"-O", (char *)" stackmap\n", (char *)"-O",
			 (char *)"stack map", NULL };

	record_options_release(&options);
	assert_int_equal(record_options_read(&options, 3, argv), CMD_OK);
	assert_int_equal(options.stackmap, RECORD_ON);
	record_options_release(&options);
	assert_int_equal(record_options_read(&options, 3, argv + 2), CMD_OK);
	assert_int_equal(options.stackmap, RECORD_UNSAID);
}

static void the_first_of_two_that_contradict_each_other_counts(void **state)
{
	reads("-O stackmap -O nostackmap");
	assert_int_equal(options.stackmap, RECORD_ON);
	reads("-Onostackmap -e sched -Ostackmap");
	assert_int_equal(options.stackmap, RECORD_OFF);
}

static void a_buffer_has_options_of_its_own(void **state)
{
	reads("-O stackmap -e a -B one -e b -O nostackmap");
	assert_int_equal(options.stackmap, RECORD_ON);
	assert_null(options.misplaced);
	reads("-e a -B one -O stackmap -B two -Ostackmap");
	assert_int_equal(options.stackmap, RECORD_UNSAID);
	assert_string_equal(options.misplaced, "one");
	assert_false(options.misplaced_guest);
}

static void what_follows_a_guest_is_for_the_guest(void **state)
{
	reads("-e a -A one -O stackmap -o x -N host -h --daemonize -e b");
	assert_int_equal(options.stackmap, RECORD_UNSAID);
	assert_string_equal(options.misplaced, "one");
	assert_true(options.misplaced_guest);
	assert_null(options.output);
	assert_null(options.remote);
	assert_false(options.is_usage);
	assert_false(options.is_daemon);
	/* behind a proxy another guest is one of its options; a buffer is ours again */
	reads("--proxy one -A two -O stackmap -o x -B three -o y");
	assert_string_equal(options.misplaced, "one");
	assert_string_equal(options.output, "y");
	reads("-A one --name two -B three -O stackmap");
	assert_string_equal(options.misplaced, "three");
	assert_false(options.misplaced_guest);
}

static void it_knows_whether_the_top_level_records(void **state)
{
	static const char *const sources[] = { "-e a", "-p function", "-F", "--profile", "-H a" };
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		reads(sources[i]);
		assert_true(options.records);
	}
	reads("-T -B one -e a -p function");
	assert_false(options.records);
}

static void output_and_remote_are_taken_wherever_they_stand(void **state)
{
	reads("-e a");
	assert_null(options.output);
	reads("-B one -e a -o file");
	assert_string_equal(options.output, "file");
	reads("-qofile");
	assert_string_equal(options.output, "file");
	assert_true(options.is_quiet);
	reads("-N host:12 -t");
	assert_string_equal(options.remote, "host:12");
	reads("-V 3:12");
	assert_string_equal(options.remote, "3:12");
	reads("--daemonize");
	assert_true(options.is_daemon);
}

static void usage_is_known_for_what_it_is(void **state)
{
	reads("-O stackmap -h");
	assert_true(options.is_usage);
	assert_false(options.is_help);
	reads("-O stackmap --help");
	assert_true(options.is_help);
	reads("-e a ls --help -h");
	assert_false(options.is_usage);
	reads("-O stackmap -o");
	assert_true(options.is_usage);
	assert_string_equal(passed(), "-O stackmap -o");
}

static void our_own_are_taken_out(void **state)
{
	reads("-e a --no-attach -O stackmap --pause --rotate-at 50% -T --no-rotate ls --pause");
	assert_string_equal(passed(), "-e a -O stackmap -T ls --pause");
	assert_true(options.no_attach);
	assert_true(options.pause);
	assert_true(options.no_rotate);
	assert_true(options.has_rotate_at);
	assert_int_equal(options.rotate_at, 50);
	assert_null(options.unknown);
	reads("--rotate-at=60 -- --no-attach");
	assert_string_equal(passed(), "-- --no-attach");
	assert_int_equal(options.rotate_at, 60);
	assert_false(options.no_attach);
	reads("-e a");
	assert_int_equal(options.rotate_at, RECORD_ROTATE_AT);
	assert_false(options.has_rotate_at);
}

static void our_own_are_words_of_trace_cmd_where_it_takes_them(void **state)
{
	reads("-o --pause -e a");
	assert_string_equal(options.output, "--pause");
	assert_false(options.pause);
	assert_string_equal(passed(), "-o --pause -e a");
}

static void our_own_leave_its_short_forms_alone(void **state)
{
	/* --no-filter, --nosplice and a --p that could be several */
	reads("--no- --nos -O stackmap");
	assert_null(options.unknown);
	assert_int_equal(options.stackmap, RECORD_ON);
	reads("--pau");
	assert_string_equal(options.unknown, "--pau");
	assert_string_equal(passed(), "--pau");
}

static void wrong_values_of_our_own_are_said(void **state)
{
	static const char *const wrong[] = {
		"--rotate-at 0", "--rotate-at 101%", "--rotate-at", "--rotate-at=", "--pause=1",
		"--no-attach=x", "--rotate-at -T",
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(read_line(wrong[i]), CMD_FAILED);
		assert_null(options.argv);
		assert_string_not_equal(said(), "");
	}
}

static void unknown_options_are_passed_on(void **state)
{
	reads("--new-thing -O stackmap -o file");
	assert_string_equal(options.unknown, "--new-thing");
	assert_int_equal(options.stackmap, RECORD_ON);
	assert_string_equal(options.output, "file");
	assert_string_equal(passed(), "--new-thing -O stackmap -o file");
	/* Whether it takes an argument is not known: the reading ends there. */
	reads("-O stackmap --new-thing 5 -o file");
	assert_string_equal(options.unknown, "--new-thing");
	assert_null(options.output);
	assert_string_equal(passed(), "-O stackmap --new-thing 5 -o file");
	reads("-TZO stackmap");
	assert_string_equal(options.unknown, "-TZO");
	assert_int_equal(options.stackmap, RECORD_ON);
	reads("--date=today");
	assert_string_equal(options.unknown, "--date=today");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_option_is_found_in_every_form),
		cmocka_unit_test(it_is_not_found_where_it_is_none),
		cmocka_unit_test(blanks_around_it_do_not_count),
		cmocka_unit_test(the_first_of_two_that_contradict_each_other_counts),
		cmocka_unit_test(a_buffer_has_options_of_its_own),
		cmocka_unit_test(what_follows_a_guest_is_for_the_guest),
		cmocka_unit_test(it_knows_whether_the_top_level_records),
		cmocka_unit_test(output_and_remote_are_taken_wherever_they_stand),
		cmocka_unit_test(usage_is_known_for_what_it_is),
		cmocka_unit_test(our_own_are_taken_out),
		cmocka_unit_test(our_own_are_words_of_trace_cmd_where_it_takes_them),
		cmocka_unit_test(our_own_leave_its_short_forms_alone),
		cmocka_unit_test(wrong_values_of_our_own_are_said),
		cmocka_unit_test(unknown_options_are_passed_on),
	};

	return cmocka_run_group_tests_name("cmd record-options", tests, NULL, teardown);
}
