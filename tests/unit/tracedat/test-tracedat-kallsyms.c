// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The copy of /proc/kallsyms in a trace.
 */
#include "fixture.h"

#define LINES	"kallsyms ffffffff81000000 T schedule\n" \
		"kallsyms ffffffffc0000000 t ext4_sync\t[ext4]\n"
#define TEXT	"ffffffff81000000 T schedule\nffffffffc0000000 t ext4_sync\t[ext4]\n"

static void assert_text(const char *head, const char *expected)
{
	struct smap_tracedat *tracedat = open_trace(make_tracef("%s", head));
	char *text = NULL;
	size_t len = 77;

	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, NULL), 0);
	assert_int_equal(len, strlen(expected));
	assert_string_equal(text, expected);
	free(text);
	smap_tracedat_close(tracedat);
}

static void the_text_is_the_same_in_every_kind_of_file(void **state)
{
	assert_text("version 6\n" LINES, TEXT);
	assert_text("version 6\nendian big\n" LINES, TEXT);
	assert_text("compression none\nendian big\n" LINES, TEXT);
	assert_text("compression zlib\n" LINES, TEXT);
	assert_text("compression zstd\nendian big\n" LINES, TEXT);
}

static void no_text_and_no_section_are_the_same(void **state)
{
	assert_text("version 6\n", "");
	assert_text("compression zstd\n", "");
	assert_text("without kallsyms\n", "");
}

static void a_text_larger_than_its_section_is_refused(void **state)
{
	struct layout layout;
	struct smap_tracedat *tracedat;
	int fd = make_trace(LINES, &layout), copy = dup(fd);
	struct smap_error err;
	char *text = NULL;
	size_t len = 77;

	/* Written to after it was opened. */
	tracedat = open_trace(fd);
	poke(copy, part_offset(&layout, "kallsyms") + 16, 4096, 4);
	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "kallsyms is cut off"));
	assert_null(text);
	assert_int_equal(len, 77);
	assert_int_equal(ftruncate(copy, (off_t)part_offset(&layout, "kallsyms")), 0);
	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, &err), -EBADMSG);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_the_same_in_every_kind_of_file),
		cmocka_unit_test(no_text_and_no_section_are_the_same),
		cmocka_unit_test(a_text_larger_than_its_section_is_refused),
		cmocka_unit_test(a_section_of_gigabytes_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
