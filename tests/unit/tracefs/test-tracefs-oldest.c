// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"
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
	age_is(STATS("1", " 5.000000", " 5.000000"), 0);
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

/* It was set back meanwhile: how old the event is, nobody knows. */
static void a_clock_that_went_backwards_tells_nothing(void **state)
{
	refused(STATS("1", " 5.000001", " 5.000000"), -EOPNOTSUPP);
	refused(STATS("129", "1790000000.000000", "1789990000.000000"), -EOPNOTSUPP);
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

/* ---- of a played kernel ---- */

static void put(const char *file, const char *text)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "env -u LD_PRELOAD sh -c 'mkdir -p \"$STACKMAP_SHIM/root/per_cpu/cpu0\" && "
		 "printf \"%s\" > \"$STACKMAP_SHIM/root/%s\"'", text, file);
	assert_int_equal(system(command), 0);
}

static void the_oldest_event_of_a_kernel_is_found(void **state)
{
	struct fixture *f = *state;
	uint64_t oldest = 77;

	fixture_play("ours", "", false);
	fixture_failed(f, stackmap_live_get_oldest_ns(f->live, &oldest), -ENODATA, "is empty");
	put("per_cpu/cpu0/stats", "entries: 1\noldest event ts: 5.000000\nnow ts: 5.000000\n");
	assert_int_equal(stackmap_live_get_oldest_ns(f->live, &oldest), 0);
	assert_int_not_equal(oldest, 77);
}

/* It jumps when somebody sets the time, and looks like seconds. */
static void the_clock_tai_tells_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t oldest = 77;

	fixture_play("ours", "", false);
	put("per_cpu/cpu0/stats", "entries: 1\noldest event ts: 5.000000\nnow ts: 9.000000\n");
	put("trace_clock", "local global counter uptime perf mono mono_raw boot [tai]\n");
	fixture_failed(f, stackmap_live_get_oldest_ns(f->live, &oldest), -EOPNOTSUPP,
		       "trace clock");
	put("trace_clock", "local global counter uptime perf mono mono_raw [boot] tai\n");
	assert_int_equal(stackmap_live_get_oldest_ns(f->live, &oldest), 0);
	put("trace_clock", "");
	fixture_failed(f, stackmap_live_get_oldest_ns(f->live, &oldest), -EOPNOTSUPP,
		       "trace clock");
	assert_int_not_equal(oldest, 77);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_age_is_the_difference_of_two_times_of_one_clock),
	cmocka_unit_test(a_cpu_without_events_tells_nothing),
	cmocka_unit_test(a_clock_that_counts_no_seconds_tells_nothing),
	cmocka_unit_test(a_clock_that_went_backwards_tells_nothing),
	cmocka_unit_test(what_is_no_such_text_is_refused),
	cmocka_unit_test(the_answer_is_cautious),
	LIVE_TEST(the_oldest_event_of_a_kernel_is_found),
	LIVE_TEST(the_clock_tai_tells_nothing),
};

FIXTURE_MAIN(tests)
