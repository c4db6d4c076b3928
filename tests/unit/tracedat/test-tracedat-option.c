// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One option: what it tells us, and what of it libtracecmd would fall over.
 */
#include "fixture.h"

static struct smap_tracedat *open_with(const char *option)
{
	return open_trace(make_tracef("without uname clock trace_id buffers\noption %s\n", option));
}

static void refuse_with(const char *option, const char *words)
{
	assert_refused(make_tracef("option %s\n", option), -EBADMSG, words);
}

static void assert_uname(const char *text, const char *release, const char *machine)
{
	struct smap_tracedat *tracedat;
	char option[256];

	snprintf(option, sizeof(option), "5 \"%s\\x00\"", text);
	tracedat = open_with(option);
	if (release) {
		assert_string_equal(tracedat->release, release);
		assert_string_equal(tracedat->machine, machine);
	} else {
		assert_null(tracedat->release);
		assert_null(tracedat->machine);
	}
	smap_tracedat_close(tracedat);
}

static void uname_ends_with_release_and_machine(void **state)
{
	assert_uname("Linux (none) 7.2.13+ x86_64", "7.2.13+", "x86_64");
	assert_uname("Linux a name with blanks 6.1.0-rc1 aarch64", "6.1.0-rc1", "aarch64");
	assert_uname("Linux host 5.10  armv7l ", "5.10", "armv7l");
	assert_uname("Linux host 5.10 armv7l\\n", "5.10", "armv7l");
}

static void a_uname_that_is_too_short_says_nothing(void **state)
{
	assert_uname("", NULL, NULL);
	assert_uname("Linux", NULL, NULL);
	assert_uname("7.2 x86_64", NULL, NULL);
	assert_uname("   ", NULL, NULL);
}

static void the_last_uname_counts(void **state)
{
	struct smap_tracedat *tracedat;

	tracedat = open_described("uname Linux a 1.0 m1\noption 5 \"Linux b 2.0 m2\\x00\"\n"
				  "without buffers\n");
	assert_string_equal(tracedat->release, "2.0");
	assert_string_equal(tracedat->machine, "m2");
	smap_tracedat_close(tracedat);
}

static void assert_clock(const char *text, const char *clock)
{
	struct smap_tracedat *tracedat;
	char option[256];

	snprintf(option, sizeof(option), "4 \"%s\"", text);
	tracedat = open_with(option);
	if (clock)
		assert_string_equal(tracedat->clock, clock);
	else
		assert_null(tracedat->clock);
	smap_tracedat_close(tracedat);
}

static void the_clock_in_brackets_is_the_selected_one(void **state)
{
	assert_clock("[local] global counter\\n\\x00", "local");
	assert_clock("local global [mono_raw] tai\\n\\x00", "mono_raw");
	assert_clock("local [x86-tsc]\\n\\x00", "x86-tsc");
	assert_clock("local global\\n\\x00", NULL);
	assert_clock("", NULL);
}

static void a_clock_without_a_name_is_refused(void **state)
{
	refuse_with("4 \"local [] x\\x00\"", "option TRACECLOCK: a clock without a name");
	refuse_with("4 \"[\\x00\"", "option TRACECLOCK: a clock without a name");
}

static void texts_must_end(void **state)
{
	refuse_with("1 \"0x1234\"", "option DATE: the text does not end");
	refuse_with("4 \"[local]\"", "option TRACECLOCK: the text does not end");
	refuse_with("5 \"Linux\"", "option UNAME: the text does not end");
	refuse_with("5 \"\"", "option UNAME: the text does not end");
	refuse_with("6 \"a,b/c,d\"", "option HOOK: the text does not end");
	refuse_with("7 \"5\"", "option OFFSET: the text does not end");
	refuse_with("9 \"3.1.6\"", "option VERSION: the text does not end");
}

static void what_libtracecmd_writes_to_must_be_there(void **state)
{
	refuse_with("2 \"\"", "option CPUSTAT: empty");
	refuse_with("10 \"\"", "option PROCMAPS: empty");
	refuse_with("8 \"\\x01\\x00\\x00\"", "option CPUCOUNT: too short");
}

static void the_count_of_cpus_is_bounded(void **state)
{
	refuse_with("8 \"\\x01\\x00\\x01\\x00\"", "option CPUCOUNT: too many CPUs");
	smap_tracedat_close(open_with("8 \"\\x00\\x00\\x01\\x00\""));
}

static void a_short_trace_id_is_none(void **state)
{
	struct smap_tracedat *tracedat = open_with("11 \"\\x01\\x02\\x03\"");

	assert_int_equal(tracedat->trace_id, 0);
	smap_tracedat_close(tracedat);
	tracedat = open_with("11 \"\\x01\\x02\\x00\\x00\\x00\\x00\\x00\\x00\"");
	assert_int_equal(tracedat->trace_id, 0x201);
	smap_tracedat_close(tracedat);
}

#define ID	"\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00"

static void guests_number_their_own_cpus(void **state)
{
	smap_tracedat_close(open_with("13 \"guest\\x00" ID "\\x01\\x00\\x00\\x00"
				      "\\x00\\x00\\x00\\x00\\x09\\x00\\x00\\x00\""));
	refuse_with("13 \"guest\\x00" ID "\\x01\\x00\\x00\\x00"
		    "\\x01\\x00\\x00\\x00\\x09\\x00\\x00\\x00\"",
		    "option GUEST: the number of a CPU");
	refuse_with("13 \"guest\\x00" ID "\\x01\\x00\\x00\\x00"
		    "\\xff\\xff\\xff\\xff\\x09\\x00\\x00\\x00\"",
		    "option GUEST: the number of a CPU");
	refuse_with("13 \"guest\\x00" ID "\\x02\\x00\\x00\\x00"
		    "\\x00\\x00\\x00\\x00\\x09\\x00\\x00\\x00\"", "option GUEST: too short");
	refuse_with("13 \"guest\\x00" ID "\\xff\\xff\\xff\\xff\"", "option GUEST: too many CPUs");
	refuse_with("13 \"guest\"", "option GUEST: too short");
}

static void hooks_have_two_halves(void **state)
{
	static const char *const good[] = {
		"sched:sched_wakeup,pid/sched:sched_switch,next_pid",
		"sched_wakeup,pid/sched_switch,next_pid",
		"a,b,c/d,e,pg", "a,b,c/d:e,f,s",
	};
	static const char *const bad[] = {
		"", "/", "a", "a,b", "a,b/", "a,b/c", "/c,d", ",b/c,d", "a,/c,d", "a,b/c,",
		":a,b/c,d", "s:,b/c,d", "a,b,/c,d", "a,b/c,d,", "a,b/c,d/e,f", "a,,b/c,d",
	};
	char option[256];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(option, sizeof(option), "6 \"%s\\x00\"", good[i]);
		smap_tracedat_close(open_with(option));
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(option, sizeof(option), "6 \"%s\\x00\"", bad[i]);
		refuse_with(option, "option HOOK: no hook");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uname_ends_with_release_and_machine),
		cmocka_unit_test(a_uname_that_is_too_short_says_nothing),
		cmocka_unit_test(the_last_uname_counts),
		cmocka_unit_test(the_clock_in_brackets_is_the_selected_one),
		cmocka_unit_test(a_clock_without_a_name_is_refused),
		cmocka_unit_test(texts_must_end),
		cmocka_unit_test(what_libtracecmd_writes_to_must_be_there),
		cmocka_unit_test(the_count_of_cpus_is_bounded),
		cmocka_unit_test(a_short_trace_id_is_none),
		cmocka_unit_test(guests_number_their_own_cpus),
		cmocka_unit_test(hooks_have_two_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
