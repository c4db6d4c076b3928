// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "said.h"

#include "filter.h"

static struct event_filter filter;
static struct events_trace trace;
static struct events_buffer buffer = { .trace = &trace };

static int setup(void **state)
{
	filter = (struct event_filter){ 0 };
	trace = (struct events_trace){ .in_ns = true };
	return 0;
}

static int teardown(void **state)
{
	filter_release(&filter);
	said();
	return 0;
}

static bool wants(uint64_t ts, int cpu, int pid)
{
	struct event event = { .buffer = &buffer, .ts = ts, .cpu = cpu, .pid = pid };

	return filter_wants_event(&filter, &event);
}

static bool wants_ts(uint64_t ts)
{
	return wants(ts, 0, 0);
}

static bool wants_type(const char *system, const char *name)
{
	struct tep_event tep = { .system = (char *)system, .name = (char *)name };

	return filter_wants_type(&filter, &tep);
}

static void an_empty_filter_wants_everything(void **state)
{
	assert_true(filter_is_empty(&filter));
	assert_true(wants(5, 3, 7));
	assert_true(wants_type("sched", "sched_switch"));
	assert_true(filter_wants_type(&filter, NULL));
}

static void ranges_are_lists_of_numbers_and_spans(void **state)
{
	assert_true(filter_add_ranges(&filter.pids, "--pid", "3,10-12"));
	assert_true(filter_add_ranges(&filter.pids, "--pid", "0x20"));
	assert_false(filter_is_empty(&filter));
	assert_true(wants(0, 0, 3));
	assert_true(wants(0, 0, 10));
	assert_true(wants(0, 0, 12));
	assert_true(wants(0, 0, 32));
	assert_false(wants(0, 0, 13));
	assert_false(wants(0, 0, -1));
}

static void what_is_no_range_is_refused(void **state)
{
	static const char *const wrong[] = { "", "x", "1,", "1-", "-1", "1-x", " 1", "0x", "1 2",
						"2-1" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(filter_add_ranges(&filter.cpus, "--cpu", wrong[i]));
		assert_string_not_equal(said(), "");
	}
}

static void times_are_compared_as_they_are_printed(void **state)
{
	assert_true(filter_set_time(&filter, "1.000002..1.000004"));
	assert_true(wants_ts(1000001500));	/* printed 1.000002 */
	assert_false(wants_ts(1000001499));
	assert_true(wants_ts(1000004499));
	assert_false(wants_ts(1000004500));
}

static void more_digits_than_printed_are_exact(void **state)
{
	assert_true(filter_set_time(&filter, "1.0000020..1.000004001"));
	assert_false(wants_ts(1000001999));
	assert_true(wants_ts(1000002000));
	assert_true(wants_ts(1000004001));
	assert_false(wants_ts(1000004002));
}

static void either_end_can_be_left_out(void **state)
{
	assert_true(filter_set_time(&filter, "..2"));
	assert_true(wants_ts(0));
	assert_true(wants_ts(2000000000));
	assert_false(wants_ts(2000001000));
	assert_true(filter_set_time(&filter, "1.."));
	assert_false(wants_ts(0));
}

static void times_beyond_64_bits_are_the_latest(void **state)
{
	assert_true(filter_set_time(&filter, "18446744073709551615..18446744073709551615.5"));
	assert_false(wants_ts(1));
	assert_true(wants_ts(UINT64_MAX));
}

static void another_clock_is_compared_as_a_number(void **state)
{
	trace.in_ns = false;
	assert_true(filter_set_time(&filter, "1500..1600"));
	assert_true(wants_ts(1500));
	assert_true(wants_ts(1600));
	assert_false(wants_ts(1601));
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const wrong[] = {
		"", "5", "a..b", "1..b", "1.2.3..4", "-1..2", "1...2", "18446744073709551616..",
		" 1..", "..", "2..1", "0.2..0.1", "18446744073709551616..1"
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (filter_set_time(&filter, wrong[i]))
			fail_msg("%s", wrong[i]);
		assert_string_not_equal(said(), "");
	}
}

static void events_are_named_with_and_without_system(void **state)
{
	assert_true(filter_add_glob(&filter.events, "--event", "sched_*"));
	assert_true(filter_add_glob(&filter.events, "--event", "kmem:*alloc"));
	assert_true(wants_type("sched", "sched_switch"));
	assert_true(wants_type("other", "sched_switch"));
	assert_true(wants_type("kmem", "kmem_cache_alloc"));
	assert_false(wants_type("vmalloc", "kmem_cache_alloc"));
	assert_false(wants_type("kmem", "kmem_cache_free"));
	assert_false(filter_wants_type(&filter, NULL));
}

static void an_empty_name_is_refused(void **state)
{
	assert_false(filter_add_glob(&filter.comms, "--comm", ""));
	assert_string_not_equal(said(), "");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_filter_wants_everything),
		TEST(ranges_are_lists_of_numbers_and_spans),
		TEST(what_is_no_range_is_refused),
		TEST(times_are_compared_as_they_are_printed),
		TEST(more_digits_than_printed_are_exact),
		TEST(either_end_can_be_left_out),
		TEST(times_beyond_64_bits_are_the_latest),
		TEST(another_clock_is_compared_as_a_number),
		TEST(what_is_no_time_is_refused),
		TEST(events_are_named_with_and_without_system),
		TEST(an_empty_name_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
