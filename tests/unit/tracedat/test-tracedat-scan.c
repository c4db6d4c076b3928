// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Going through pages of events.
 */
#include "fixture.h"

static void assert_scan(const char *description, size_t nr, ...)
{
	struct smap_tracedat *tracedat = open_described(description);
	struct scanned scanned = scan_trace(tracedat);
	va_list ap;
	size_t i;

	assert_int_equal(scanned.nr, nr);
	va_start(ap, nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(scanned.times[i], va_arg(ap, uint64_t));
		assert_int_equal(scanned.cookies[i], va_arg(ap, uint64_t));
	}
	va_end(ap);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

#define COOKIE(generation, slot)	((uint64_t)(generation) << 32 | (slot))
#define TS(ts)				((uint64_t)(ts))

#define MIXED	"cpu 0\n" \
		"1000 7 value value=5\n" \
		"+10 7 stack_id 42 gen 3\n" \
		"+10 7 kernel_stack 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n" \
		"+5000000000 7 stack_id 4294967295 gen 4294967295\n" \
		"padding 60\n" \
		"+10 7 stack_id 0 gen 1\n"

static void cookies_are_the_same_in_every_kind_of_file(void **state)
{
	static const char *const heads[] = {
		"version 6\n", "version 6\nendian big\n", "version 6\nlong 4\n",
		"version 6\nlong 4\nendian big\n", "compression none\nendian big\n",
		"compression zlib\n", "compression zlib\nendian big\nlong 4\n",
		"compression zstd\n", "compression zstd\nendian big\n",
		"compression zstd\nlong 4\n",
	};
	char description[1024];
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		snprintf(description, sizeof(description), "%s%s", heads[i], MIXED);
		assert_scan(description, 3, TS(1010), COOKIE(3, 42), TS(5000001020),
			    COOKIE(UINT32_MAX, UINT32_MAX), TS(5000001031), COOKIE(1, 0));
	}
}

static void slots_without_generation_are_handed_out_bare(void **state)
{
	assert_scan("series 4\ncpu 0\n10 1 stack_id 262143\n", 1, TS(10), TS(262143));
	assert_scan("series 4\nendian big\ncpu 0\n10 1 stack_id 5\n", 1, TS(10), TS(5));
}

static void all_cpus_and_buffers_are_scanned(void **state)
{
	assert_scan("cpu 0\n1 1 stack_id 1\ncpu 1\n2 1 stack_id 2\n"
		    "buffer \"a\"\ncpu 0\n3 1 stack_id 3\n",
		    3, TS(1), COOKIE(1, 1), TS(2), COOKIE(1, 2), TS(3), COOKIE(1, 3));
}

static void time_may_jump_back(void **state)
{
	assert_scan("cpu 0\n5000 1 stack_id 1\n100 1 stack_id 2\n+1 1 stack_id 3\n", 3,
		    TS(5000), COOKIE(1, 1), TS(100), COOKIE(1, 2), TS(101), COOKIE(1, 3));
	/* In the middle of a page, by an absolute time stamp. */
	assert_scan("cpu 0\n9000000000 1 stack_id 1\ntime-stamp 7\n+3 1 stack_id 2\n", 2,
		    TS(9000000000), COOKIE(1, 1), TS(10), COOKIE(1, 2));
}

static void the_upper_bits_of_an_absolute_time_stamp_are_those_before(void **state)
{
	assert_scan("cpu 0\n0xf800000000000001 1 stack_id 1\ntime-stamp 0xf800000000000100\n"
		    "+3 1 stack_id 2\n", 2, TS(0xf800000000000001), COOKIE(1, 1),
		    TS(0xf800000000000103), COOKIE(1, 2));
}

static void lost_events_do_not_hide_what_follows(void **state)
{
	assert_scan("cpu 0\n1 1 stack_id 1\nmissed 5\n9 1 stack_id 2\nmissed\n20 1 stack_id 3\n", 3,
		    TS(1), COOKIE(1, 1), TS(9), COOKIE(1, 2), TS(20), COOKIE(1, 3));
}

static void an_event_too_small_for_its_cookie_is_passed_over(void **state)
{
	assert_scan("cpu 0\n1 1 stack_id 1 @8\n2 1 stack_id 2 @12\n3 1 stack_id 3 @4\n"
		    "4 1 stack_id 4\n",
		    1, TS(4), COOKIE(1, 4));
}

static void a_cookie_outside_the_event_is_passed_over(void **state)
{
	assert_scan("cookie-offset 4000\ncpu 0\n1 1 raw 21 \"12345678\"\n2 1 value value=5\n", 0);
	assert_scan("cookie-offset 0xfffffff0\ncpu 0\n1 1 raw 21 \"12345678\"\n", 0);
	/* The end of the field wraps around to 0. */
	assert_scan("cookie-offset 0xfffffff8\ncpu 0\n1 1 raw 21 \"12345678\"\n", 0);
}

static void an_event_whose_format_is_missing_is_not_handed_out(void **state)
{
	assert_scan("no-format stack_id\n" SOME_EVENTS, 0);
}

static void a_format_without_the_cookie_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(SOME_EVENTS, &layout);
	uint64_t pos = part_offset(&layout, "ftrace events");
	struct smap_tracedat *tracedat;
	struct smap_error err;
	struct scanned scanned;
	char bytes[4096], *found;
	ssize_t len = pread(fd, bytes, sizeof(bytes), (off_t)pos);

	found = memmem(bytes, (size_t)len, "stack_cookie", 12);
	assert_non_null(found);
	poke(fd, pos + (uint64_t)(found - bytes), 'X', 1);
	tracedat = open_trace(fd);
	assert_true(tracedat->has_stack_id);
	assert_int_equal(scan_into(tracedat, &scanned, &err), -EBADMSG);
	assert_string_equal(err.text, "the format of ftrace:stack_id lacks a field");
	smap_tracedat_close(tracedat);
}

static int stop_at_second(uint64_t cookie, uint64_t ts, void *data)
{
	return ++*(int *)data == 2 ? 4711 : 0;
}

static void a_result_that_is_not_zero_ends_it(void **state)
{
	struct smap_tracedat *tracedat = open_described(MIXED);
	int nr = 0;

	assert_int_equal(smap_tracedat_scan(tracedat, stop_at_second, &nr, NULL), 4711);
	assert_int_equal(nr, 2);
	smap_tracedat_close(tracedat);
}

static void events_fill_many_pages_and_chunks(void **state)
{
	static const char *const heads[] = { "version 6\n", "compression zstd\n" };
	char *description = malloc(1 << 20), *pos;
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	int head, i;

	assert_non_null(description);
	for (head = 0; head < 2; head++) {
		pos = description + sprintf(description, "%scpu 0\n", heads[head]);
		for (i = 0; i < 20000; i++)
			pos += sprintf(pos, "%d 7 stack_id %d gen 9\n", i * 10, i);
		tracedat = open_described(description);
		scanned = scan_trace(tracedat);
		assert_int_equal(scanned.nr, 20000);
		for (i = 0; i < 20000; i++)
			assert_int_equal(scanned.cookies[i], COOKIE(9, i));
		free_scanned(&scanned);
		smap_tracedat_close(tracedat);
	}
	free(description);
}

/* What went before a damaged page is handed out; the words name the place of the page. */
static void assert_damaged(const char *events, size_t nr_before, const char *words)
{
	static const char *const heads[] = { "version 6\n", "compression zstd\n" };
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	struct smap_error err;
	size_t i;

	for (i = 0; i < 2; i++) {
		tracedat = open_trace(make_tracef("%scpu 0\n%s", heads[i], events));
		assert_int_equal(scan_into(tracedat, &scanned, &err), -EBADMSG);
		assert_int_equal(scanned.nr, nr_before);
		if (strncmp(err.text, "offset ", 7) || !strstr(err.text, words))
			fail_msg("%s", err.text);
		free_scanned(&scanned);
		smap_tracedat_close(tracedat);
	}
}

static void a_page_that_claims_more_than_it_has_is_damaged(void **state)
{
	assert_damaged("1 1 stack_id 1\npage\n2 1 stack_id 2\ncommit 4081\n", 1,
		       "more events than it can hold");
	assert_damaged("1 1 stack_id 1\ncommit 0x7ffffff\n", 0, "more events than it can hold");
}

static void an_event_that_is_cut_off_is_damage(void **state)
{
	assert_damaged("1 1 stack_id 1\n2 1 stack_id 2\ncommit 38\n", 1, "an event is cut off");
	assert_damaged("1 1 stack_id 1\n2 1 stack_id 2\ncommit 22\n", 1, "an event is cut off");
	/* At the last bytes of a page there is no room for what the type announces. */
	assert_damaged("1 1 raw 5 \"\" @4068\nbytes \"\\x1e\\x00\\x00\\x00\"\n", 0,
		       "an event is cut off");
}

static void a_length_that_leads_back_is_damage(void **state)
{
	/* Type 0 with a length of less than the word that it stands in. */
	assert_damaged("1 1 stack_id 1\nbytes \"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"\n", 1,
		       "the length of an event is wrong");
	assert_damaged("1 1 stack_id 1\nbytes \"\\x00\\x00\\x00\\x00\\xf0\\xff\\xff\\xff\"\n", 1,
		       "the length of an event is wrong");
	/* Padding of a length with which kbuffer_next_event() would not come on. */
	assert_damaged("1 1 stack_id 1\nbytes \"\\x3d\\x00\\x00\\x00\\xfc\\xff\\xff\\xff\"\n", 1,
		       "the length of an event is wrong");
	assert_damaged("1 1 stack_id 1\nbytes \"\\x3d\\x00\\x00\\x00\\x00\\x10\\x00\\x00\"\n", 1,
		       "the length of an event is wrong");
}

static void padding_without_a_time_ends_the_page(void **state)
{
	assert_scan("cpu 0\n1 1 stack_id 1\nbytes \"\\x1d\\x00\\x00\\x00\\xff\\xff\\xff\\xff\"\n"
		    "page\n5 1 stack_id 2\n", 2, TS(1), COOKIE(1, 1), TS(5), COOKIE(1, 2));
}

static void padding_of_no_length_is_passed_over(void **state)
{
	assert_scan("cpu 0\n1 1 stack_id 1\nbytes \"\\x3d\\x00\\x00\\x00\\x04\\x00\\x00\\x00\"\n"
		    "5 1 stack_id 2\n", 2, TS(1), COOKIE(1, 1), TS(6), COOKIE(1, 2));
}

static void a_chunk_that_cannot_be_unpacked_is_damage(void **state)
{
	struct layout layout;
	int fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	struct smap_error err;

	poke(fd, part_offset(&layout, "event data") + 12, 0, 8);
	tracedat = open_trace(fd);
	assert_int_equal(scan_into(tracedat, &scanned, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "cannot be unpacked"));
	smap_tracedat_close(tracedat);
}

static void a_file_that_shrinks_while_it_is_read_is_damage(void **state)
{
	static const char *const heads[] = { "version 6\n", "compression zstd\n" };
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	struct smap_error err;
	int i, fd, copy;

	for (i = 0; i < 2; i++) {
		fd = make_tracef("%s%s", heads[i], SOME_EVENTS);
		copy = dup(fd);
		tracedat = open_trace(fd);
		assert_int_equal(ftruncate(copy, (off_t)tracedat->cpus[0].offset + 2), 0);
		assert_int_equal(scan_into(tracedat, &scanned, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "is cut off"));
		close(copy);
		smap_tracedat_close(tracedat);
	}
}

static void a_chunk_that_grows_after_opening_is_damage(void **state)
{
	struct layout layout;
	int fd = make_trace("compression zstd\n" SOME_EVENTS, &layout), copy = dup(fd);
	struct smap_tracedat *tracedat = open_trace(fd);
	struct scanned scanned;
	struct smap_error err;

	poke(copy, part_offset(&layout, "event data") + 4, UINT32_MAX, 4);
	assert_int_equal(scan_into(tracedat, &scanned, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "the file has changed"));
	poke(copy, part_offset(&layout, "event data") + 4, 4096, 4);
	err.text[0] = '\0';
	assert_int_equal(scan_into(tracedat, &scanned, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "the file has changed"));
	close(copy);
	smap_tracedat_close(tracedat);
}

static void a_last_page_that_was_not_filled_up_is_read(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	struct layout layout;
	int fd = make_trace("version 6\n" SOME_EVENTS, &layout);
	uint64_t list = part_offset(&layout, "list of CPUs");

	poke(fd, list + 8, 16 + 3 * 20, 8);
	tracedat = open_trace(fd);
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 2);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cookies_are_the_same_in_every_kind_of_file),
		cmocka_unit_test(slots_without_generation_are_handed_out_bare),
		cmocka_unit_test(all_cpus_and_buffers_are_scanned),
		cmocka_unit_test(time_may_jump_back),
		cmocka_unit_test(the_upper_bits_of_an_absolute_time_stamp_are_those_before),
		cmocka_unit_test(lost_events_do_not_hide_what_follows),
		cmocka_unit_test(an_event_too_small_for_its_cookie_is_passed_over),
		cmocka_unit_test(a_cookie_outside_the_event_is_passed_over),
		cmocka_unit_test(an_event_whose_format_is_missing_is_not_handed_out),
		cmocka_unit_test(a_format_without_the_cookie_is_refused),
		cmocka_unit_test(a_result_that_is_not_zero_ends_it),
		cmocka_unit_test(events_fill_many_pages_and_chunks),
		cmocka_unit_test(a_page_that_claims_more_than_it_has_is_damaged),
		cmocka_unit_test(an_event_that_is_cut_off_is_damage),
		cmocka_unit_test(a_length_that_leads_back_is_damage),
		cmocka_unit_test(padding_without_a_time_ends_the_page),
		cmocka_unit_test(padding_of_no_length_is_passed_over),
		cmocka_unit_test(a_chunk_that_cannot_be_unpacked_is_damage),
		cmocka_unit_test(a_file_that_shrinks_while_it_is_read_is_damage),
		cmocka_unit_test(a_chunk_that_grows_after_opening_is_damage),
		cmocka_unit_test(a_last_page_that_was_not_filled_up_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
