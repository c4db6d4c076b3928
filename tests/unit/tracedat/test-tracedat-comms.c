// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of tasks in a trace.
 */
#include "fixture.h"

#include "alloc-fail.h"

#define COMMS	"comm 30 \"java main\"\n" \
		"comm 8 \"HDMI polling ta\"\n" \
		"comm 9 \" leading\"\n" \
		"comm 10 \"trailing \"\n" \
		"comm 4194303 \"[ET_NET 0]\"\n" \
		"comm 12 \"x [1\"\n" \
		"comm 13 \"kworker/u8:0-events\"\n" \
		"comm 14 \"\"\n" \
		"comm 15 \"   \"\n" \
		"comm 16 \"\\x1b\\xff\\t\\x0d\"\n" \
		"comm 1 \"17 x\"\n"

static struct smap_comms *read_comms(const char *description)
{
	struct smap_tracedat *tracedat = open_described(description);
	struct smap_comms *comms = NULL;
	struct smap_error err = { "" };

	if (smap_tracedat_comms(tracedat, &comms, &err))
		fail_msg("%s", err.text);
	/* They do without the file. */
	smap_tracedat_close(tracedat);
	return comms;
}

static void assert_comm(const struct smap_comms *comms, int pid, const char *name)
{
	const char *found = smap_comms_find(comms, pid);

	if (!found)
		fail_msg("no name of %d", pid);
	assert_string_equal(found, name);
}

static void assert_whole(const char *head)
{
	char description[1024];
	struct smap_comms *comms;

	snprintf(description, sizeof(description), "%s%s", head, COMMS);
	comms = read_comms(description);
	assert_comm(comms, 30, "java main");
	assert_comm(comms, 8, "HDMI polling ta");
	assert_comm(comms, 9, " leading");
	assert_comm(comms, 10, "trailing ");
	assert_comm(comms, 4194303, "[ET_NET 0]");
	assert_comm(comms, 12, "x [1");
	assert_comm(comms, 13, "kworker/u8:0-events");
	assert_comm(comms, 14, "");
	assert_comm(comms, 15, "   ");
	assert_comm(comms, 16, "\x1b\xff\t\r");
	assert_comm(comms, 1, "17 x");
	assert_null(smap_comms_find(comms, 17));
	assert_null(smap_comms_find(comms, 0));
	assert_null(smap_comms_find(comms, -1));
	assert_null(smap_comms_find(comms, INT32_MAX));
	smap_comms_free(comms);
}

static void every_name_is_whole_in_every_kind_of_file(void **state)
{
	assert_whole("version 6\n");
	assert_whole("version 6\nendian big\n");
	assert_whole("compression none\nendian big\nlong 4\n");
	assert_whole("compression zlib\n");
	assert_whole("compression zstd\nendian big\n");
}

static void no_names_are_no_error(void **state)
{
	static const char *const files[] = {
		"version 6\n", "version 7\n", "compression zstd\n", "without cmdlines\n",
		"version 6\nwithout cmdlines\n",
	};
	struct smap_comms *comms;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		comms = read_comms(files[i]);
		assert_null(smap_comms_find(comms, 7));
		smap_comms_free(comms);
	}
	smap_comms_free(NULL);
}

static void the_first_of_several_names_counts(void **state)
{
	struct smap_comms *comms = read_comms("comm 7 \"z\"\ncomm 6 \"b\"\ncomm 7 \"a\"\n"
					      "comm 7 \"m\"\ncomm 8 \"c\"\n");

	assert_comm(comms, 6, "b");
	assert_comm(comms, 7, "z");
	assert_comm(comms, 8, "c");
	smap_comms_free(comms);
}

/* Nothing else tells where a name ends: not even a name of two lines can hide the task after it. */
static void a_newline_belongs_to_the_name(void **state)
{
	struct smap_comms *comms = read_comms("comm 7 \"two\\nlines\"\ncomm 8 \"\\n\"\n"
					      "comm 9 \"\\n \\n\\n\"\ncomm 10 \"next\"\n");

	assert_comm(comms, 7, "two\nlines");
	assert_comm(comms, 8, "\n");
	assert_comm(comms, 9, "\n \n\n");
	assert_comm(comms, 10, "next");
	smap_comms_free(comms);
}

static void lines_that_name_nobody_are_passed_over(void **state)
{
	struct smap_comms *comms = read_comms("comm -5 \"below 0\"\n"
					      "comm 7 \"seven\\n99999999999 too large\"\n"
					      "comm 8 \"0123456789\\nabcde\\nf\"\n"
					      "comm 9 \"0123456789\\nabcd\"\n"
					      "comm 10 \"ten\\n11\\n12\\tx\"\n");

	assert_comm(comms, 7, "seven");
	/* 99999999999 in 32 bits. */
	assert_null(smap_comms_find(comms, 1215752191));
	/* Longer than a name can be in the kernel: what cannot belong to it does not. */
	assert_comm(comms, 8, "0123456789");
	assert_comm(comms, 9, "0123456789\nabcd");
	assert_comm(comms, 10, "ten\n11\n12\tx");
	assert_null(smap_comms_find(comms, 5));
	assert_null(smap_comms_find(comms, 11));
	assert_null(smap_comms_find(comms, 12));
	smap_comms_free(comms);
}

static void a_nul_ends_the_names(void **state)
{
	struct smap_comms *comms = read_comms("comm 7 \"a\\x00b\"\ncomm 8 \"c\"\n");

	assert_comm(comms, 7, "a");
	assert_null(smap_comms_find(comms, 8));
	smap_comms_free(comms);
}

/* The size is checked again: the file was written to after it was opened. */
static void a_text_larger_than_its_section_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(COMMS, &layout), copy = dup(fd);
	struct smap_tracedat *tracedat = open_trace(fd);
	struct smap_comms *comms = NULL;
	struct smap_error err;

	poke(copy, part_offset(&layout, "command lines") + 16, UINT64_MAX, 8);
	assert_int_equal(smap_tracedat_comms(tracedat, &comms, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "command lines is cut off"));
	assert_int_equal(ftruncate(copy, (off_t)part_offset(&layout, "command lines") + 20), 0);
	assert_int_equal(smap_tracedat_comms(tracedat, &comms, &err), -EBADMSG);
	assert_null(comms);
	close(copy);
	smap_tracedat_close(tracedat);
}

/* 64 KiB of zstd can stand for more lines than we would like to keep. */
static void more_tasks_than_there_can_be_are_refused(void **state)
{
	size_t nr = TRACE_MAX_COMMS + 1, len = nr * 3, i;
	char *lines = malloc(8 + len), trace[] = "/tmp/smap-comms-XXXXXX", none[] = "none";
	struct smap_tracedat_section section = { .id = TRACE_CMDLINES, .len = 8 + len };
	struct smap_tracedat tracedat = {
		.fd = mkstemp(trace), .big_endian = SMAP_HOST_IS_BIG_ENDIAN,
		.compression = none, .sections = &section, .nr_sections = 1,
	};
	struct smap_comms *comms = NULL;
	uint64_t size = len;
	struct smap_error err;

	assert_non_null(lines);
	memcpy(lines, &size, 8);
	for (i = 0; i < nr; i++)
		memcpy(lines + 8 + 3 * i, "7 \n", 3);
	assert_int_equal(write(tracedat.fd, lines, 8 + len), (ssize_t)(8 + len));
	unlink(trace);
	assert_int_equal(smap_tracedat_comms(&tracedat, &comms, &err), -EBADMSG);
	assert_string_equal(err.text, "command lines: more tasks than there can be");
	close(tracedat.fd);
	free(lines);
}

static int read_once(void *data)
{
	struct smap_comms *comms;
	struct smap_error err;
	int ret = smap_tracedat_comms(data, &comms, &err);

	if (!ret) {
		assert_comm(comms, 9, " leading");
		smap_comms_free(comms);
	}
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	struct smap_tracedat *tracedat = open_described("compression zstd\n" COMMS);

	assert_true(alloc_fail_each(read_once, tracedat) > 4);
	smap_tracedat_close(tracedat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_whole_in_every_kind_of_file),
		cmocka_unit_test(no_names_are_no_error),
		cmocka_unit_test(the_first_of_several_names_counts),
		cmocka_unit_test(a_newline_belongs_to_the_name),
		cmocka_unit_test(lines_that_name_nobody_are_passed_over),
		cmocka_unit_test(a_nul_ends_the_names),
		cmocka_unit_test(a_text_larger_than_its_section_is_refused),
		cmocka_unit_test(more_tasks_than_there_can_be_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
