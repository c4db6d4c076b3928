// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The initial format, real recordings, files cut off anywhere, and memory that runs out.
 */
#include "fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "alloc-fail.h"

#define EXTENSIVE	"kallsyms ffffffff81000000 T schedule\n" \
			"kallsyms ffffffff81000100 t vfs_read\n" \
			"comm 7 \"java main\"\n" \
			SOME_EVENTS \
			"cpu 1\n" \
			"500 8 stack_id 1 gen 1\n" \
			"buffer \"inst\"\n" \
			"cpu 0\n" \
			"700 8 stack_id 2 gen 1\n"

static void every_kind_of_file_says_what_it_is(void **state)
{
	static const char *const compressions[] = { "none", "zstd", "zlib" };
	int version, big, longs, c;
	struct smap_tracedat *tracedat;

	for (version = 6; version <= 7; version++) {
		for (big = 0; big <= 1; big++) {
			for (longs = 4; longs <= 8; longs += 4) {
				for (c = 0; c < (version == 7 ? 3 : 1); c++) {
					tracedat = open_trace(make_tracef(
						"version %d\nendian %s\nlong %d\ncompression %s\n"
						"page 8K\nclock mono\n%s", version,
						big ? "big" : "little", longs, compressions[c],
						EXTENSIVE));
					assert_int_equal(tracedat->version, version);
					assert_int_equal(tracedat->big_endian, big);
					assert_int_equal(tracedat->long_size, longs);
					assert_int_equal(tracedat->page_size, 8192);
					assert_string_equal(tracedat->compression, compressions[c]);
					assert_string_equal(tracedat->release, "7.2.13");
					assert_string_equal(tracedat->machine, "x86_64");
					assert_string_equal(tracedat->clock, "mono");
					assert_int_equal(tracedat->trace_id, 0x1234567812345678);
					assert_int_equal(tracedat->end, tracedat->size);
					assert_true(tracedat->has_stack_id);
					assert_true(tracedat->cookie_has_generation);
					assert_int_equal(tracedat->nr_cpus, 3);
					assert_int_equal(tracedat->cpus[2].buffer, 1);
					smap_tracedat_close(tracedat);
				}
			}
		}
	}
}

static void a_missing_or_zero_version_is_six(void **state)
{
	struct smap_tracedat *tracedat = open_described("version \"\"\n" SOME_EVENTS);

	assert_int_equal(tracedat->version, 6);
	smap_tracedat_close(tracedat);
	tracedat = open_described("version 0\n" SOME_EVENTS);
	assert_int_equal(tracedat->version, 6);
	smap_tracedat_close(tracedat);
}

static void a_newer_version_is_named(void **state)
{
	assert_refused(make_trace("version 8\n" SOME_EVENTS, NULL), -EOPNOTSUPP, "version \"8\"");
	assert_refused(make_trace("version 7x\n" SOME_EVENTS, NULL), -EOPNOTSUPP, "\"7x\"");
}

static void an_unknown_compression_is_named(void **state)
{
	assert_refused(make_trace("compression lz77\n" SOME_EVENTS, NULL), -EOPNOTSUPP,
		       "unknown compression \"lz77\"");
}

static void other_files_are_no_trace_dat(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);

	poke(fd, 3, 'T', 1);
	assert_refused(fd, -EINVAL, "not a trace.dat");
	fd = make_trace("cut 0\n", NULL);
	assert_refused(fd, -EINVAL, "not a trace.dat");
	fd = make_trace("cut 9\n", NULL);
	assert_refused(fd, -EINVAL, "not a trace.dat");
	assert_refused(open("/dev/null", O_RDONLY), -EINVAL, "not a regular file");
	assert_refused(open("/", O_RDONLY), -EISDIR, "directory");
}

static void probe_wants_the_whole_magic(void **state)
{
	assert_true(smap_tracedat_probe("\x17\x08\x44tracing6", 11));
	assert_true(smap_tracedat_probe("\x17\x08\x44tracing", 10));
	assert_false(smap_tracedat_probe("\x17\x08\x44tracing", 9));
	assert_false(smap_tracedat_probe("stack_id 42 gen 1", 17));
}

static void a_path_is_named_where_it_cannot_be_opened(void **state)
{
	struct smap_tracedat *tracedat = NULL;
	struct smap_error err;

	assert_int_equal(smap_tracedat_open("/nowhere/trace.dat", &tracedat, &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/trace.dat: No such file or directory");
	assert_null(tracedat);
	assert_int_equal(smap_tracedat_open("/dev/null", &tracedat, &err), -EINVAL);
	assert_string_equal(err.text, "/dev/null: not a regular file");
}

static void a_fifo_does_not_make_it_wait(void **state)
{
	char path[] = "/tmp/smap-fifo-XXXXXX";
	struct smap_tracedat *tracedat = NULL;
	struct smap_error err;

	assert_non_null(mkdtemp(path));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(smap_tracedat_open(path, &tracedat, &err), -EINVAL);
	unlink(path);
}

static void odd_values_of_the_initial_format_are_refused(void **state)
{
	int fd = make_trace(SOME_EVENTS, NULL);

	poke(fd, 12, 2, 1);
	assert_refused(fd, -EBADMSG, "offset 12: the byte order is 2");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, 13, 0, 1);
	assert_refused(fd, -EBADMSG, "offset 13: the size of long is 0");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, 14, 4097, 4);
	assert_refused(fd, -EBADMSG, "offset 14: the page size is 4097");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, 14, 0, 4);
	assert_refused(fd, -EBADMSG, "offset 14: the page size is 0");
	fd = make_trace(SOME_EVENTS, NULL);
	poke(fd, 14, 1U << 31, 4);
	assert_refused(fd, -EBADMSG, "offset 14: the page size is 2147483648");
}

static void the_descriptor_is_its_own_and_the_position_stays(void **state)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	int fd = make_trace(SOME_EVENTS, NULL);

	assert_int_equal(lseek(fd, 77, SEEK_SET), 77);
	assert_int_equal(smap_tracedat_open_fd(fd, &tracedat, NULL), 0);
	assert_int_not_equal(tracedat->fd, fd);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 77);
	close(fd);
	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, 2);
	free_scanned(&scanned);
	smap_tracedat_close(tracedat);
}

static void closing_nothing_is_allowed(void **state)
{
	smap_tracedat_close(NULL);
}

/* Every shorter file must be refused, whatever part the cut goes through. */
static void refuse_all_lengths(const char *head)
{
	struct smap_tracedat *tracedat;
	struct smap_error err;
	struct stat st;
	off_t len;
	int fd, ret;

	fd = make_tracef("%spage 1K\n%s", head, EXTENSIVE);
	assert_int_equal(fstat(fd, &st), 0);
	for (len = st.st_size - 1; len >= 0; len--) {
		assert_int_equal(ftruncate(fd, len), 0);
		err.text[0] = '\0';
		ret = smap_tracedat_open_fd(fd, &tracedat, &err);
		if (len < 10)
			assert_int_equal(ret, -EINVAL);
		else if (ret != -EBADMSG || !strstr(err.text, "offset "))
			fail_msg("%d \"%s\" for %ld bytes of %s", ret, err.text, (long)len, head);
	}
	close(fd);
}

static void a_file_of_version_6_is_refused_at_every_shorter_length(void **state)
{
	refuse_all_lengths("version 6\n");
	refuse_all_lengths("version 6\nendian big\nlong 4\n");
}

static void a_file_of_version_7_is_refused_at_every_shorter_length(void **state)
{
	refuse_all_lengths("compression none\nendian big\n");
	refuse_all_lengths("compression zstd\n");
	refuse_all_lengths("compression zlib\n");
}

static int copy_of(const char *path)
{
	char name[] = "/tmp/smap-tracedat-XXXXXX", buf[65536];
	int in = open(path, O_RDONLY), out = mkstemp(name);
	ssize_t len;

	assert_true(in >= 0 && out >= 0);
	unlink(name);
	while ((len = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)len), len);
	close(in);
	return out;
}

static void assert_cut_refused(int fd, off_t len)
{
	struct smap_tracedat *tracedat = NULL;
	struct smap_error err = { "" };

	assert_int_equal(ftruncate(fd, len), 0);
	if (smap_tracedat_open_fd(fd, &tracedat, &err) != -EBADMSG ||
	    !strstr(err.text, "offset "))
		fail_msg("\"%s\" for %ld bytes", err.text, (long)len);
}

static int by_offset(const void *a, const void *b)
{
	off_t x = *(const off_t *)a, y = *(const off_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* At each boundary of a section and beside it, and at many other lengths. */
static void cut_recording(const char *name)
{
	struct smap_tracedat *tracedat;
	off_t lengths[1024], size;
	char *path = good_path(name);
	size_t i, nr = 0;
	int fd, step;

	assert_int_equal(smap_tracedat_open(path, &tracedat, NULL), 0);
	size = (off_t)tracedat->size;
	for (i = 0; i < tracedat->nr_sections; i++) {
		for (step = -1; step <= 1; step++) {
			lengths[nr++] = (off_t)tracedat->sections[i].offset + step;
			lengths[nr++] = (off_t)(tracedat->sections[i].offset +
						tracedat->sections[i].len) + step;
		}
	}
	for (i = 1; i < 60; i++)
		lengths[nr++] = size * (off_t)i / 60;
	lengths[nr++] = size - 1;
	smap_tracedat_close(tracedat);
	qsort(lengths, nr, sizeof(lengths[0]), by_offset);

	fd = copy_of(path);
	for (i = 0; i < nr; i++) {
		if (lengths[i] < size)
			assert_cut_refused(fd, lengths[i]);
	}
	close(fd);
	free(path);
}

static void real_recordings_are_refused_when_cut_off(void **state)
{
	cut_recording("v8/sched.dat");
	cut_recording("v8/raw.dat");
	cut_recording("v8/v6.dat");
	cut_recording("v7/func.dat");
}

static const struct recording {
	const char	*name;
	unsigned int	version;
	const char	*compression;
	const char	*release;
	const char	*clock;
	bool		has_generation;
	size_t		kallsyms_len;
	size_t		nr_cookies;
	size_t		nr_distinct;
} recordings[] = {
	{ "v8/sched.dat", 7, "zstd", "7.2.13+", "local", true, 2510514, 2636, 56 },
	{ "v8/sched-full.dat", 7, "zstd", "7.2.13+", "local", true, 2510514, 0, 0 },
	{ "v8/gens.dat", 7, "zstd", "7.2.13+", "local", true, 2510514, 31638, 202 + 226 + 289 },
	{ "v8/func.dat", 7, "zstd", "7.2.13+", "local", true, 2510571, 2, 1 },
	{ "v8/raw.dat", 7, "none", "7.2.13+", "local", true, 2510571, 683, 34 },
	{ "v8/v6.dat", 6, "none", "7.2.13+", "local", true, 2510571, 543, 24 },
	{ "v7/sched.dat", 7, "zstd", "7.2.13+", "local", false, 2510948, 1144, 47 },
	{ "v7/func.dat", 7, "zstd", "7.2.13+", "local", false, 2511005, 6, 1 },
	{ "v7/gens.dat", 7, "zstd", "7.2.13+", "local", false, 2510948, 21705, 444 },
	{ "dbg/mod.dat", 7, "zstd", "7.2.13", "global", true, 2120473, 6647, 30 },
};

static void check_recording(const struct recording *recording, const char *path)
{
	struct smap_tracedat *tracedat;
	struct smap_error err = { "" };
	struct scanned scanned;
	char *text;
	size_t len;

	if (smap_tracedat_open(path, &tracedat, &err))
		fail_msg("%s", err.text);
	assert_int_equal(tracedat->version, recording->version);
	assert_false(tracedat->big_endian);
	assert_int_equal(tracedat->long_size, 8);
	assert_int_equal(tracedat->page_size, 4096);
	assert_string_equal(tracedat->compression, recording->compression);
	assert_string_equal(tracedat->release, recording->release);
	assert_string_equal(tracedat->machine, "x86_64");
	assert_string_equal(tracedat->clock, recording->clock);
	assert_int_not_equal(tracedat->trace_id, 0);
	assert_int_equal(tracedat->end, tracedat->size);
	assert_true(tracedat->has_stack_id);
	assert_int_equal(tracedat->cookie_has_generation, recording->has_generation);

	assert_int_equal(smap_tracedat_kallsyms(tracedat, &text, &len, &err), 0);
	assert_int_equal(len, recording->kallsyms_len);
	assert_int_equal(strlen(text), len);
	free(text);

	scanned = scan_trace(tracedat);
	assert_int_equal(scanned.nr, recording->nr_cookies);
	assert_int_equal(count_distinct(&scanned), recording->nr_distinct);
	free_scanned(&scanned);
	assert_int_equal(smap_tracedat_check_sections(tracedat, &err), 0);
	smap_tracedat_close(tracedat);
}

static void real_recordings_hold_what_their_list_says(void **state)
{
	size_t i;
	char *path;

	for (i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		path = good_path(recordings[i].name);
		check_recording(&recordings[i], path);
		free(path);
	}
}

static void large_recordings_hold_what_their_list_says(void **state)
{
	static const struct recording map = {
		"map.dat", 7, "zstd", "7.2.13+", "local", true, 2510514, 693784, 16384,
	};
	static const struct recording full = {
		"full.dat", 7, "zstd", "7.2.13+", "local", true, 2510514, 0, 0,
	};
	const char *folder = getenv("SMAP_BIG_DATA");
	char path[4096];

	if (!folder || !*folder)
		skip();
	snprintf(path, sizeof(path), "%s/map.dat", folder);
	check_recording(&map, path);
	snprintf(path, sizeof(path), "%s/full.dat", folder);
	check_recording(&full, path);
}

static int use_once(void *data)
{
	struct smap_tracedat *tracedat;
	struct scanned scanned;
	struct smap_error err;
	char *text;
	size_t len;
	int ret;

	ret = smap_tracedat_open_fd(*(int *)data, &tracedat, &err);
	if (ret)
		return ret;
	ret = smap_tracedat_kallsyms(tracedat, &text, &len, &err);
	if (!ret) {
		free(text);
		ret = smap_tracedat_check_sections(tracedat, &err);
	}
	if (!ret) {
		ret = scan_into(tracedat, &scanned, &err);
		free_scanned(&scanned);
	}
	smap_tracedat_close(tracedat);
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	int fd = make_trace("version 6\n" EXTENSIVE, NULL);

	assert_true(alloc_fail_each(use_once, &fd) > 10);
	close(fd);
	fd = make_trace("compression zstd\n" EXTENSIVE, NULL);
	assert_true(alloc_fail_each(use_once, &fd) > 10);
	close(fd);
	fd = make_trace("compression none\nwithout kallsyms\n" EXTENSIVE, NULL);
	assert_true(alloc_fail_each(use_once, &fd) > 10);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_file_says_what_it_is),
		cmocka_unit_test(a_missing_or_zero_version_is_six),
		cmocka_unit_test(a_newer_version_is_named),
		cmocka_unit_test(an_unknown_compression_is_named),
		cmocka_unit_test(other_files_are_no_trace_dat),
		cmocka_unit_test(probe_wants_the_whole_magic),
		cmocka_unit_test(a_path_is_named_where_it_cannot_be_opened),
		cmocka_unit_test(a_fifo_does_not_make_it_wait),
		cmocka_unit_test(odd_values_of_the_initial_format_are_refused),
		cmocka_unit_test(the_descriptor_is_its_own_and_the_position_stays),
		cmocka_unit_test(closing_nothing_is_allowed),
		cmocka_unit_test(a_file_of_version_6_is_refused_at_every_shorter_length),
		cmocka_unit_test(a_file_of_version_7_is_refused_at_every_shorter_length),
		cmocka_unit_test(real_recordings_are_refused_when_cut_off),
		cmocka_unit_test(real_recordings_hold_what_their_list_says),
		cmocka_unit_test(large_recordings_hold_what_their_list_says),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
