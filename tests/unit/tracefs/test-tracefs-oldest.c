// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tracefs/oldest.h"

#define S	1000000000ULL

/* As a kernel of 2026 prints them. */
#define STATS(entries, oldest, now)						\
	"entries: " entries "\noverrun: 0\ncommit overrun: 0\nbytes: 5256\n"		\
	"oldest event ts: " oldest "\nnow ts: " now "\ndropped events: 0\nread events: 0\n"

static void age_is(const char *text, uint64_t ns)
{
	uint64_t age = 77;

	assert_int_equal(smap_oldest_parse(text, &age), 0);
	assert_int_equal(age, ns);
}

static void refused(const char *text, int code)
{
	uint64_t age = 77;

	assert_int_equal(smap_oldest_parse(text, &age), code);
	assert_int_equal(age, 77);
}

static void the_age_is_the_difference_of_two_times_of_one_clock(void **state)
{
	age_is(STATS("129", " 2725.123456", " 2730.654321"), 5 * S + 530865000);
	age_is(STATS("1", "0.000000", "1790000000.000001"), 1790000000 * S + 1000);
	age_is(STATS("1", " 5.000000", " 4.000000"), 0);
}

static void a_cpu_without_events_tells_nothing(void **state)
{
	refused(STATS("0", " 0.000000", " 2730.654321"), -ENODATA);
}

static void a_clock_that_counts_no_seconds_tells_nothing(void **state)
{
	refused(STATS("129", "187263", "187999"), -EOPNOTSUPP);
	refused("entries: 129\noverrun: 0\n", -EOPNOTSUPP);
}

static void what_is_no_such_text_is_refused(void **state)
{
	refused("", -EBADMSG);
	refused("entries", -EBADMSG);
	refused("entries:\n", -EBADMSG);
	refused("hello\n", -EBADMSG);
	refused("entries: 5\noldest event ts: x\nnow ts: 1.000000\n", -EOPNOTSUPP);
	refused("entries: 5\noldest event ts: 1.0000000\nnow ts: 1.000000\n", -EOPNOTSUPP);
	refused("entries: 5\noldest event ts: 12345678901.000000\nnow ts: 1.000000\n", -EOPNOTSUPP);
	refused("entries: 5\noldest event ts: -1.000000\nnow ts: 1.0", -EOPNOTSUPP);
}

/* It allows for clocks that drift and that stand still while the machine sleeps. */
static void the_answer_is_cautious(void **state)
{
	assert_int_equal(smap_oldest_boot_ns(0, 100 * S, 100 * S), 99 * S);
	assert_int_equal(smap_oldest_boot_ns(1000 * S, 5000 * S, 5000 * S), 3998 * S);
	assert_int_equal(smap_oldest_boot_ns(1000 * S, 5000 * S, 4000 * S), 2998 * S);
	assert_int_equal(smap_oldest_boot_ns(100 * S, 100 * S, 100 * S), 0);
	assert_int_equal(smap_oldest_boot_ns(UINT64_MAX, 100 * S, 100 * S), 0);
	assert_int_equal(smap_oldest_boot_ns(UINT64_MAX - S, UINT64_MAX, UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_age_is_the_difference_of_two_times_of_one_clock),
		cmocka_unit_test(a_cpu_without_events_tells_nothing),
		cmocka_unit_test(a_clock_that_counts_no_seconds_tells_nothing),
		cmocka_unit_test(what_is_no_such_text_is_refused),
		cmocka_unit_test(the_answer_is_cautious),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
