// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 6: parts one behind the other.
 */
#include "fixture.h"

#define V6	"version 6\n"

static void optional_sections_may_be_empty(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	char *text;
	size_t len;

	tracedat = open_described(V6 "without cmdlines kallsyms printk events\n" SOME_EVENTS);
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 2);
	free_scanned(&scanned);
	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, NULL), 0);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
	smap_tracedat_close(tracedat);
}

static void instances_have_cpus_of_their_own(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;

	tracedat = open_described(V6 "cpu 1\n1 7 stack_id 1\nbuffer \"a\"\ncpu 0\n1 7 stack_id 2\n"
				  "buffer \"b\"\ncpu 3\n1 7 stack_id 3\n");
	assert_int_equal(tracedat->nr_cpus, 3);
	assert_int_equal(tracedat->cpus[0].buffer, 0);
	assert_int_equal(tracedat->cpus[0].cpu, 1);
	assert_int_equal(tracedat->cpus[1].buffer, 1);
	assert_int_equal(tracedat->cpus[1].cpu, 0);
	assert_int_equal(tracedat->cpus[2].buffer, 2);
	assert_int_equal(tracedat->cpus[2].cpu, 3);
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 3);
	assert_int_equal((uint32_t)scanned.cookies[2], 3);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void the_end_is_that_of_the_last_event_data(void **state)
{
	struct smap_tracedat *tracedat = open_described(V6 SOME_EVENTS);
	uint64_t end = tracedat->end;

	assert_int_equal(end, tracedat->size);
	smap_tracedat_close(tracedat);
	tracedat = open_described(V6 "append \"\\x89STKMAP\\n more\"\n" SOME_EVENTS);
	assert_int_equal(tracedat->end, end);
	assert_int_equal(tracedat->size, end + 13);
	smap_tracedat_close(tracedat);
}

static void event_data_may_lie_behind_4_gib(void **state)
{
	struct smap_tracedat *tracedat = open_described(V6 "hole 4500M\n" SOME_EVENTS);
	struct scanned scanned = scan_trace(tracedat);

	assert_true(tracedat->cpus[0].offset > 4500ULL << 20);
	assert_int_equal(scanned.nr, 2);
	assert_int_equal(scanned.cookies[1], 3ULL << 32 | 43);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void unknown_options_are_passed_over(void **state)
{
	struct smap_tracedat *tracedat;

	tracedat = open_described(V6 "option 4711 \"hello\"\noption 99 \"\"\n" SOME_EVENTS);
	assert_string_equal(tracedat->release, "7.2.13");
	assert_int_equal(tracedat->nr_cpus, 1);
	smap_tracedat_close(tracedat);
}

static void a_trace_without_a_clock_is_one(void **state)
{
	struct smap_tracedat *tracedat = open_described(V6 "without clock\n" SOME_EVENTS);

	assert_null(tracedat->clock);
	smap_tracedat_close(tracedat);
}

static void an_empty_clock_option_leaves_the_text_behind_the_cpus(void **state)
{
	struct smap_tracedat *tracedat;
	struct layout layout;
	uint64_t pos;
	int fd;

	/*
	 * The option that is there becomes an unknown one, and an empty one says that the text
	 * follows.
	 */
	fd = make_trace(V6 "clock boot\noption 4 \"\"\n" SOME_EVENTS, &layout);
	pos = part_offset(&layout, "options") + 10;
	assert_int_equal(peek(fd, pos, 2), 4);
	poke(fd, pos, 4711, 2);
	tracedat = open_trace(fd);
	assert_string_equal(tracedat->clock, "boot");
	smap_tracedat_close(tracedat);
}

static void a_clock_longer_than_the_file_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS, &layout);

	poke(fd, part_offset(&layout, "list of CPUs") + 16, UINT64_MAX, 8);
	assert_refused(fd, -EBADMSG, "the trace clock is cut off");
}

static void text_instead_of_events_is_accepted(void **state)
{
	struct smap_tracedat *tracedat;
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS, &layout);

	assert_int_equal(pwrite(fd, "latency  ", 10,
				(off_t)part_offset(&layout, "list of CPUs") - 10), 10);
	tracedat = open_trace(fd);
	assert_int_equal(tracedat->nr_cpus, 0);
	assert_true(tracedat->is_text);
	assert_int_equal(tracedat->end, tracedat->size);
	smap_tracedat_close(tracedat);
}

static void anything_else_instead_of_events_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS, &layout);

	assert_int_equal(pwrite(fd, "nonsense ", 10,
				(off_t)part_offset(&layout, "list of CPUs") - 10), 10);
	assert_refused(fd, -EBADMSG, "neither flyrecord nor latency");
}

static void event_data_outside_the_file_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS, &layout);
	uint64_t list = part_offset(&layout, "list of CPUs");

	poke(fd, list + 8, 8192, 8);
	assert_refused(fd, -EBADMSG, "CPU 0: offset ");

	/* Offset and size that wrap around. */
	fd = make_trace(V6 SOME_EVENTS, &layout);
	poke(fd, list, 4096, 8);
	poke(fd, list + 8, UINT64_MAX - 4095, 8);
	assert_refused(fd, -EBADMSG, "event data is cut off");
	fd = make_trace(V6 SOME_EVENTS, &layout);
	poke(fd, list, UINT64_MAX - 4095, 8);
	assert_refused(fd, -EBADMSG, "event data is cut off");
}

static void event_data_that_does_not_begin_with_a_page_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS, &layout);
	uint64_t list = part_offset(&layout, "list of CPUs");

	poke(fd, list, peek(fd, list, 8) - 16, 8);
	assert_refused(fd, -EBADMSG, "does not begin with a page");
}

static void event_data_that_overlaps_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 "cpu 3\n1 7 stack_id 1\n", &layout);
	uint64_t list = part_offset(&layout, "list of CPUs"), size;
	unsigned int i;

	size = peek(fd, list + 3 * 16, 8) + peek(fd, list + 3 * 16 + 8, 8);
	for (i = 0; i < 4; i++) {
		poke(fd, list + i * 16, 0, 8);
		poke(fd, list + i * 16 + 8, size, 8);
	}
	assert_refused(fd, -EBADMSG, "overlaps");
}

static void too_many_cpus_are_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS, &layout);

	poke(fd, part_offset(&layout, "number of CPUs"), UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "4294967295 CPUs");
	fd = make_trace(V6 "option 8 \"\\x01\\x00\\x01\\x00\"\n" SOME_EVENTS, NULL);
	assert_refused(fd, -EBADMSG, "too many CPUs");
	fd = make_trace(V6 "option 8 \"\\x00\\xff\\x00\\x00\"\n" SOME_EVENTS, NULL);
	assert_refused(fd, -EBADMSG, "is cut off");
}

static void an_instance_without_cpus_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS "buffer \"a\"\ncpu 0\n1 7 stack_id 1\n", &layout);
	uint64_t pos = part_offset(&layout, "options");
	char option[] = "\x03\x00\x0a\x00\x00\x00", bytes[4096];
	ssize_t len = pread(fd, bytes, sizeof(bytes), (off_t)pos);
	char *found = memmem(bytes, (size_t)len, option, 6);

	assert_non_null(found);
	pos += (uint64_t)(found - bytes) + 6;
	poke(fd, pos, 20, 8);
	assert_refused(fd, -EBADMSG, "offset 20: neither flyrecord nor latency");
	fd = make_trace(V6 SOME_EVENTS "buffer \"a\"\ncpu 0\n1 7 stack_id 1\n", &layout);
	poke(fd, pos, UINT64_MAX, 8);
	assert_refused(fd, -EBADMSG, "the data of a buffer is cut off");
}

static void an_instance_of_text_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(V6 SOME_EVENTS "buffer \"a\"\ncpu 0\n1 7 stack_id 1\n", &layout);
	uint64_t pos = 0;
	size_t i;

	for (i = 0; i < layout.nr; i++) {
		if (!strcmp(layout.parts[i].name, "list of CPUs"))
			pos = layout.parts[i].offset - 10;
	}
	assert_int_equal(pwrite(fd, "latency  ", 10, (off_t)pos), 10);
	assert_refused(fd, -EBADMSG, "neither flyrecord nor latency");
}

static void many_instances_cannot_share_their_cpus(void **state)
{
	/*
	 * Each names the list of the top level: a short file would have us read it again and
	 * again.
	 */
	char *description = malloc(1 << 20), *pos;
	struct layout layout;
	uint64_t list = 0;
	int i, round, fd;

	assert_non_null(description);
	/* Where the list is must be known before it can be named; it does not move. */
	for (round = 0; round < 2; round++) {
		pos = description + sprintf(description, V6);
		for (i = 0; i < 2000; i++)
			pos += sprintf(pos, "option 3 \"\\x%02x\\x%02x%sx\\x00\"\n",
				       (int)(list & 0xff), (int)(list >> 8),
				       "\\x00\\x00\\x00\\x00\\x00\\x00");
		/* Without event data, which would overlap too. */
		sprintf(pos, "cpu 2000\n");
		if (round)
			break;
		fd = make_trace(description, &layout);
		list = part_offset(&layout, "list of CPUs") - 10;
		assert_true(list < 65536);
		close(fd);
	}
	assert_refused(make_trace(description, NULL), -EBADMSG, "overlap");
	free(description);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optional_sections_may_be_empty),
		cmocka_unit_test(instances_have_cpus_of_their_own),
		cmocka_unit_test(the_end_is_that_of_the_last_event_data),
		cmocka_unit_test(event_data_may_lie_behind_4_gib),
		cmocka_unit_test(unknown_options_are_passed_over),
		cmocka_unit_test(a_trace_without_a_clock_is_one),
		cmocka_unit_test(an_empty_clock_option_leaves_the_text_behind_the_cpus),
		cmocka_unit_test(a_clock_longer_than_the_file_is_refused),
		cmocka_unit_test(text_instead_of_events_is_accepted),
		cmocka_unit_test(anything_else_instead_of_events_is_refused),
		cmocka_unit_test(event_data_outside_the_file_is_refused),
		cmocka_unit_test(event_data_that_does_not_begin_with_a_page_is_refused),
		cmocka_unit_test(event_data_that_overlaps_is_refused),
		cmocka_unit_test(too_many_cpus_are_refused),
		cmocka_unit_test(an_instance_without_cpus_is_refused),
		cmocka_unit_test(an_instance_of_text_is_refused),
		cmocka_unit_test(many_instances_cannot_share_their_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
