// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A text with its size in front.
 */
#include "fixture.h"

#include "alloc-fail.h"

/* kallsyms has a size of 4 bytes, the command lines one of 8. */
#define HEAD	"kallsyms 12 T a\ncomm 7 \"b\"\n"

static void assert_text(const struct smap_tracedat *tracedat, unsigned int id, size_t width,
			const char *expected)
{
	char *text = NULL;
	size_t len = 77;

	assert_int_equal(smap_trace_load_text(tracedat, id, width, &text, &len, NULL), 0);
	assert_int_equal(len, strlen(expected));
	assert_string_equal(text, expected);
	free(text);
}

static void assert_no_text(const struct smap_tracedat *tracedat, unsigned int id, size_t width,
			   const char *words)
{
	struct smap_error err = { "" };
	char *text = NULL;
	size_t len = 77;

	assert_int_equal(smap_trace_load_text(tracedat, id, width, &text, &len, &err), -EBADMSG);
	assert_non_null(strstr(err.text, words));
	assert_null(text);
	assert_int_equal(len, 77);
}

static void a_text_is_what_stands_behind_its_size(void **state)
{
	static const char *const heads[] = {
		"version 6\n" HEAD, "version 6\nendian big\n" HEAD, "compression zlib\n" HEAD,
		"compression zstd\nendian big\n" HEAD,
	};
	struct smap_tracedat *tracedat;
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		tracedat = open_described(heads[i]);
		assert_text(tracedat, TRACE_KALLSYMS, 4, "12 T a\n");
		assert_text(tracedat, TRACE_CMDLINES, 8, "7 b\n");
		smap_tracedat_close(tracedat);
	}
}

static void no_section_is_an_empty_text(void **state)
{
	struct smap_tracedat *tracedat = open_described("without kallsyms cmdlines\n");

	assert_text(tracedat, TRACE_KALLSYMS, 4, "");
	assert_text(tracedat, TRACE_CMDLINES, 8, "");
	smap_tracedat_close(tracedat);
}

/* Written to after it was opened. */
static void a_text_larger_than_its_section_is_refused(void **state)
{
	struct layout layout;
	int fd = make_trace(HEAD, &layout), copy = dup(fd);
	uint64_t kallsyms = part_offset(&layout, "kallsyms");
	uint64_t cmdlines = part_offset(&layout, "command lines");
	struct smap_tracedat *tracedat = open_trace(fd);

	poke(copy, kallsyms + 16, 8, 4);
	assert_no_text(tracedat, TRACE_KALLSYMS, 4, "kallsyms is cut off");
	poke(copy, cmdlines + 16, 5, 8);
	assert_no_text(tracedat, TRACE_CMDLINES, 8, "command lines is cut off");
	poke(copy, cmdlines + 16, UINT64_MAX, 8);
	assert_no_text(tracedat, TRACE_CMDLINES, 8, "command lines is cut off");
	poke(copy, kallsyms + 16, 6, 4);
	assert_text(tracedat, TRACE_KALLSYMS, 4, "12 T a");
	assert_int_equal(ftruncate(copy, (off_t)kallsyms), 0);
	assert_no_text(tracedat, TRACE_KALLSYMS, 4, "cut off");
	close(copy);
	smap_tracedat_close(tracedat);
}

static void a_section_of_gigabytes_is_not_read(void **state)
{
	struct layout layout;
	struct smap_tracedat *tracedat;
	struct smap_error err;
	char *text;
	size_t len;
	int fd;

	/* The hole becomes the kallsyms: its first bytes say that it has no text. */
	fd = make_trace("without kallsyms buffers\nhole 2500M\noption 19 \"AAAAAAAA\"\n", &layout);
	poke(fd, part_offset(&layout, "hole"), TRACE_KALLSYMS, 2);
	{
		char bytes[16384];
		uint64_t from = part_offset(&layout, "options");
		ssize_t got = pread(fd, bytes, sizeof(bytes), (off_t)from);
		char *found = memmem(bytes, (size_t)got, "AAAAAAAA", 8);

		assert_non_null(found);
		poke(fd, from + (uint64_t)(found - bytes), part_offset(&layout, "hole"), 8);
	}
	tracedat = open_trace(fd);
	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "kallsyms: too large"));
	smap_tracedat_close(tracedat);
}

static int load_once(void *data)
{
	struct smap_error err;
	char *text;
	size_t len;
	int ret = smap_trace_load_text(data, TRACE_CMDLINES, 8, &text, &len, &err);

	if (!ret)
		free(text);
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	struct smap_tracedat *tracedat = open_described("compression zstd\n" HEAD);

	assert_true(alloc_fail_each(load_once, tracedat) > 1);
	smap_tracedat_close(tracedat);
	tracedat = open_described("without cmdlines\n");
	assert_int_equal(alloc_fail_each(load_once, tracedat), 1);
	smap_tracedat_close(tracedat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_what_stands_behind_its_size),
		cmocka_unit_test(no_section_is_an_empty_text),
		cmocka_unit_test(a_text_larger_than_its_section_is_refused),
		cmocka_unit_test(a_section_of_gigabytes_is_not_read),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
