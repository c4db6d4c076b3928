// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 7: options, sections and the chain of them.
 */
#include "fixture.h"

static uint64_t first_options(int fd)
{
	return peek(fd, 10 + 2 + 2 + 4 + 5 + 1, 8);
}

/* The value of the first option of this kind. */
static uint64_t find_option(int fd, unsigned int id)
{
	uint64_t list = first_options(fd), pos;

	while (list) {
		for (pos = list + 16; peek(fd, pos, 2); pos += 6 + peek(fd, pos + 2, 4)) {
			if (peek(fd, pos, 2) == id)
				return pos + 6;
		}
		list = peek(fd, pos + 6, 8);
	}
	fail_msg("no option %u", id);
	return 0;
}

static void optional_sections_may_be_missing(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	char *text;
	size_t len;

	tracedat = open_described("without cmdlines kallsyms printk events strings uname trace_id "
				  "cpu_count clock\n" SOME_EVENTS);
	assert_null(tracedat->release);
	assert_null(tracedat->machine);
	assert_int_equal(tracedat->trace_id, 0);
	/* The buffer says it too. */
	assert_string_equal(tracedat->clock, "local");
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 2);
	free_scanned(&scanned);
	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, NULL), 0);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
	smap_tracedat_close(tracedat);
}

static void a_trace_without_buffers_is_one(void **state)
{
	struct smap_tracedat *tracedat = open_described("without buffers\n");

	assert_int_equal(tracedat->nr_cpus, 0);
	assert_true(tracedat->has_stack_id);
	smap_tracedat_close(tracedat);
}

static void unknown_options_and_sections_are_passed_over(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;

	tracedat = open_described("compression zstd\noption 4711 \"hello\"\noption 99 \"\"\n"
				  "section 77 \"what is this\"\nsection 4711 \"\"\n" SOME_EVENTS);
	assert_string_equal(tracedat->release, "7.2.13");
	assert_int_equal(tracedat->end, tracedat->size);
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 2);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void instances_have_cpus_and_pages_of_their_own(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;

	tracedat = open_described("compression zstd\ncpu 1\n1 7 stack_id 1\n"
				  "buffer \"a\" 16K\ncpu 0\n1 7 stack_id 2\n"
				  "buffer \"b\"\ncpu 63\n1 7 stack_id 3\n");
	assert_int_equal(tracedat->nr_cpus, 3);
	assert_int_equal(tracedat->cpus[1].buffer, 1);
	assert_int_equal(tracedat->cpus[1].page_size, 16384);
	assert_int_equal(tracedat->cpus[2].buffer, 2);
	assert_int_equal(tracedat->cpus[2].cpu, 63);
	assert_int_equal(tracedat->cpus[2].page_size, 4096);
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 3);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

/* Turns the buffer of this name into one of text. */
static int make_text_buffer(const char *events, const char *section)
{
	struct layout layout;
	int fd = make_trace(events, &layout);

	poke(fd, part_offset(&layout, section), TRACE_BUFFER_TEXT, 2);
	return fd;
}

static void a_top_level_of_text_is_accepted(void **state)
{
	struct smap_tracedat *tracedat;
	int fd = make_text_buffer(SOME_EVENTS, "buffer flyrecord ");

	poke(fd, find_option(fd, TRACE_BUFFER) - 6, TRACE_BUFFER_TEXT, 2);
	tracedat = open_trace(fd);
	assert_true(tracedat->is_text);
	assert_int_equal(tracedat->nr_cpus, 0);
	assert_string_equal(tracedat->clock, "local");
	smap_tracedat_close(tracedat);
}

static void an_instance_of_text_is_refused(void **state)
{
	int fd = make_text_buffer("buffer \"i\"\ncpu 0\n1 7 stack_id 1\n", "buffer flyrecord i");
	uint64_t pos = find_option(fd, TRACE_BUFFER);

	/* The first one is the top level, the instance's is in the next list. */
	for (pos += 1; peek(fd, pos, 2) != TRACE_BUFFER || peek(fd, pos + 14, 2) != 'i'; pos++)
		;
	poke(fd, pos, TRACE_BUFFER_TEXT, 2);
	assert_refused(fd, -EBADMSG, "an instance with text");
}

static void bytes_behind_the_last_section_are_not_ours(void **state)
{
	static const char *const appended[] = {
		"\\x89STKMAP\\n and more that follows it",
		"x",
		("\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
		 "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"),
		"plain text that somebody put behind the trace",
		/* Looks like a section of kallsyms, but for its flags. */
		"\\x13\\x00\\x89S\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00",
		/* Looks like a section, but is larger than the file. */
		"\\x77\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xff\\x00\\x00\\x00\\x00\\x00\\x00\\x00",
	};
	struct smap_tracedat *tracedat = open_described(SOME_EVENTS);
	uint64_t end = tracedat->end;
	size_t i;

	assert_int_equal(end, tracedat->size);
	smap_tracedat_close(tracedat);
	for (i = 0; i < sizeof(appended) / sizeof(appended[0]); i++) {
		tracedat = open_trace(make_tracef("append \"%s\"\n%s", appended[i], SOME_EVENTS));
		assert_int_equal(tracedat->end, end);
		assert_true(tracedat->size > end);
		smap_tracedat_close(tracedat);
	}
}

static void bytes_that_lead_a_reader_back_are_refused(void **state)
{
	/* The size of what looks like a section is -16: libtracecmd would go round for ever. */
	assert_refused(make_trace("append \"\\xff\\xff\\xff\\xff\\x00\\x00\\x00\\x00"
				  "\\xf0\\xff\\xff\\xff\\xff\\xff\\xff\\xff\"\n" SOME_EVENTS, NULL),
		       -EBADMSG, "behind the last section");
}

static void event_data_may_lie_behind_a_section_of_3_gib(void **state)
{
	struct smap_tracedat *tracedat = open_described("hole 3G\n" SOME_EVENTS);
	struct scanned scanned = scan_trace(tracedat);

	assert_true(tracedat->cpus[0].offset > 3ULL << 30);
	assert_int_equal(scanned.nr, 2);
	assert_int_equal(tracedat->end, tracedat->size);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void event_data_may_be_larger_than_2_gib(void **state)
{
	/* 2 GiB of empty pages, then the events. */
	struct smap_tracedat *tracedat = open_described("cpu 0\nempty-pages 524300\n" SOME_EVENTS);
	struct scanned scanned = scan_trace(tracedat);

	assert_int_equal(tracedat->cpus[0].len, 524301ULL * 4096);
	assert_int_equal(scanned.nr, 2);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void options_that_lead_back_are_refused(void **state)
{
	assert_refused(make_trace("options-loop\n" SOME_EVENTS, NULL), -EBADMSG,
		       "sections overlap, or the options lead back");
	assert_refused(make_trace("options-loop\nwithout buffers\n", NULL), -EBADMSG,
		       "sections overlap, or the options lead back");
}

static void a_recording_that_was_not_finished_is_refused(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);

	/* Magic, "7", byte order, long, page size, "none", "". */
	poke(fd, 10 + 2 + 2 + 4 + 5 + 1, 0, 8);
	assert_refused(fd, -EBADMSG, "not finished");
}

static void an_option_that_names_something_else_is_refused(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);

	poke(fd, find_option(fd, TRACE_KALLSYMS), first_options(fd), 8);
	assert_refused(fd, -EBADMSG, "no kallsyms where an option says so");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, find_option(fd, TRACE_PRINTK), UINT64_MAX - 3, 8);
	assert_refused(fd, -EBADMSG, "printk formats: offset 18446744073709551612: the header");
}

static void a_section_larger_than_the_file_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(SOME_EVENTS, &layout);

	poke(fd, part_offset(&layout, "kallsyms") + 8, 1U << 30, 8);
	assert_refused(fd, -EBADMSG, "kallsyms is cut off");
	fd = make_trace(SOME_EVENTS, &layout);
	poke(fd, part_offset(&layout, "printk") + 8, UINT64_MAX, 8);
	assert_refused(fd, -EBADMSG, "printk formats is cut off");
}

static void contents_larger_than_their_section_are_refused(void **state)
{
	static const struct {
		const char	*part;
		unsigned int	offset;		/* of a size in the contents */
		unsigned int	size;
		const char	*words;
	} rows[] = {
		{ "headers", 12, 8, "the header of pages is damaged" },
		{ "ftrace events", 4, 8, "is cut off" },
		{ "events format", 0, 4, "is cut off" },
		{ "kallsyms", 0, 4, "is cut off" },
		{ "printk", 0, 4, "is cut off" },
		{ "command lines", 0, 8, "is cut off" },
	};
	struct layout layout;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fd = make_trace(SOME_EVENTS, &layout);
		poke(fd, part_offset(&layout, rows[i].part) + 16 + rows[i].offset, 1U << 30,
		     rows[i].size);
		assert_refused(fd, -EBADMSG, rows[i].words);
	}
}

static void a_text_of_4_gib_less_one_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(SOME_EVENTS, &layout);

	/* libtracecmd would add one and have room for nothing. */
	poke(fd, part_offset(&layout, "kallsyms") + 16, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "kallsyms is too large");
}

static void a_compressed_section_must_unpack_to_what_it_says(void **state)
{
	struct layout layout;
	int fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	uint64_t pos = part_offset(&layout, "ftrace events") + 16;
	uint64_t len = peek(fd, pos + 4, 4);

	poke(fd, pos + 4, len + 1, 4);
	assert_refused(fd, -EBADMSG, "ftrace event formats: cannot be unpacked");
	fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	poke(fd, pos + 4, len - 1, 4);
	assert_refused(fd, -EBADMSG, "ftrace event formats: cannot be unpacked");
	fd = make_trace("compression zlib\n" SOME_EVENTS, &layout);
	poke(fd, part_offset(&layout, "ftrace events") + 16 + 30, 0, 8);
	assert_refused(fd, -EBADMSG, "ftrace event formats: cannot be unpacked");
}

static void a_compressed_section_cannot_claim_any_size(void **state)
{
	struct layout layout;
	int fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	uint64_t pos = part_offset(&layout, "kallsyms") + 16;

	poke(fd, pos + 4, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "kallsyms: claims more than it can hold");
	fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	poke(fd, pos, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "kallsyms: larger than its section");
}

static void a_cut_list_of_options_is_refused(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);
	uint64_t list = first_options(fd);

	poke(fd, list + 8, peek(fd, list + 8, 8) - 1, 8);
	assert_refused(fd, -EBADMSG, "the list of options is cut off");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, list + 16 + 2, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "the list of options is cut off");
}

/* Where the option of the top-level buffer has its first CPU: number, offset, size. */
static uint64_t first_cpu(int fd)
{
	return find_option(fd, TRACE_BUFFER) + 8 + 1 + sizeof("local") + 4 + 4;
}

static void event_data_outside_the_file_is_refused(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);

	poke(fd, first_cpu(fd) + 12, UINT64_MAX - 100, 8);
	assert_refused(fd, -EBADMSG, "CPU 0: offset ");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, first_cpu(fd) + 4, UINT64_MAX - 4095, 8);
	assert_refused(fd, -EBADMSG, "event data is cut off");
}

static void numbers_of_cpus_and_pages_are_bounded(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);

	poke(fd, first_cpu(fd), UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "CPU 4294967295");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, first_cpu(fd) - 4, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "option BUFFER: too short");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, first_cpu(fd) - 8, 0, 4);
	assert_refused(fd, -EBADMSG, "pages of 0 bytes");
}

/* Of the first CPU: u32 count, then u32 packed, u32 unpacked. */
static void chunks_stay_inside_the_file(void **state)
{
	static const char description[] = "compression zstd\n" SOME_EVENTS;
	struct layout layout;
	int fd = make_trace(description, &layout);
	uint64_t pos = part_offset(&layout, "event data");

	assert_int_equal(peek(fd, pos, 4), 1);
	poke(fd, pos, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "CPU 0: offset ");
	fd = make_trace(description, NULL);
	poke(fd, pos + 4, 1U << 25, 4);
	assert_refused(fd, -EBADMSG, "a chunk of event data is cut off");
	fd = make_trace(description, NULL);
	poke(fd, pos + 8, 4095, 4);
	assert_refused(fd, -EBADMSG, "4095 unpacked, in pages of 4096");
	fd = make_trace(description, NULL);
	poke(fd, pos + 8, 0, 4);
	assert_refused(fd, -EBADMSG, "0 unpacked");
	fd = make_trace(description, NULL);
	poke(fd, pos + 8, 1U << 30, 4);
	assert_refused(fd, -EBADMSG, "1073741824 unpacked");
}

static void compressed_event_data_needs_a_compression(void **state)
{
	struct layout layout;
	int fd = make_trace(SOME_EVENTS, &layout);

	poke(fd, part_offset(&layout, "buffer flyrecord ") + 2, 1, 2);
	assert_refused(fd, -EBADMSG, "compressed event data in a file without compression");
}

static void strings_that_are_missing_show_a_cut(void **state)
{
	struct layout layout;
	int fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);

	assert_int_equal(ftruncate(fd, (off_t)part_offset(&layout, "strings")), 0);
	assert_refused(fd, -EBADMSG, "the strings are missing");
}

static void strings_must_fit_their_section(void **state)
{
	struct layout layout;
	int fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	uint64_t pos = part_offset(&layout, "strings") + 16;

	poke(fd, pos, peek(fd, pos, 4) - 1, 4);
	assert_refused(fd, -EBADMSG, "strings of another size than their section");
	fd = make_trace("compression zstd\n" SOME_EVENTS, &layout);
	poke(fd, pos + 4, UINT32_MAX, 4);
	assert_refused(fd, -EBADMSG, "too many strings");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optional_sections_may_be_missing),
		cmocka_unit_test(a_trace_without_buffers_is_one),
		cmocka_unit_test(unknown_options_and_sections_are_passed_over),
		cmocka_unit_test(instances_have_cpus_and_pages_of_their_own),
		cmocka_unit_test(a_top_level_of_text_is_accepted),
		cmocka_unit_test(an_instance_of_text_is_refused),
		cmocka_unit_test(bytes_behind_the_last_section_are_not_ours),
		cmocka_unit_test(bytes_that_lead_a_reader_back_are_refused),
		cmocka_unit_test(event_data_may_lie_behind_a_section_of_3_gib),
		cmocka_unit_test(event_data_may_be_larger_than_2_gib),
		cmocka_unit_test(options_that_lead_back_are_refused),
		cmocka_unit_test(a_recording_that_was_not_finished_is_refused),
		cmocka_unit_test(an_option_that_names_something_else_is_refused),
		cmocka_unit_test(a_section_larger_than_the_file_is_refused),
		cmocka_unit_test(contents_larger_than_their_section_are_refused),
		cmocka_unit_test(a_text_of_4_gib_less_one_is_refused),
		cmocka_unit_test(a_compressed_section_must_unpack_to_what_it_says),
		cmocka_unit_test(a_compressed_section_cannot_claim_any_size),
		cmocka_unit_test(a_cut_list_of_options_is_refused),
		cmocka_unit_test(event_data_outside_the_file_is_refused),
		cmocka_unit_test(numbers_of_cpus_and_pages_are_bounded),
		cmocka_unit_test(chunks_stay_inside_the_file),
		cmocka_unit_test(compressed_event_data_needs_a_compression),
		cmocka_unit_test(strings_that_are_missing_show_a_cut),
		cmocka_unit_test(strings_must_fit_their_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
