// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which trace.dat a handle reads, in one program that opens files in ways that `trace-cmd report`
 * does not: as `trace-cmd stream` reads its deleted file, one within another, again and again.
 *
 * TRACEEVENT_PLUGIN_DIR names the plugin to test.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <trace-cmd.h>

static char folder[] = "/tmp/stackmap-handles-XXXXXX";

static char *in_folder(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

static char *in_data(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/good/%s", getenv("SMAP_TEST_DATA"), name) > 0);
	return path;
}

static void copy_into(const char *data_name, int to)
{
	char *from = in_data(data_name);
	char buf[1 << 16];
	ssize_t len;
	int fd;

	fd = open(from, O_RDONLY);
	assert_true(fd >= 0);
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		assert_int_equal(write(to, buf, len), len);
	close(fd);
	free(from);
}

static void copy(const char *data_name, const char *name)
{
	char *path = in_folder(name);
	int fd;

	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	assert_true(fd >= 0);
	copy_into(data_name, fd);
	close(fd);
	free(path);
}

static const char *const names[] = {
	"sched.dat", "sched.dat.stackmap", "mod.dat", "mod.dat.stackmap",
};

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	copy("v8/sched.dat", names[0]);
	copy("v8/sched.stack_map", names[1]);
	copy("dbg/mod.dat", names[2]);
	copy("dbg/mod.stack_map", names[3]);
	return 0;
}

static int remove_folder(void **state)
{
	size_t i;
	char *path;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path = in_folder(names[i]);
		unlink(path);
		free(path);
	}
	return rmdir(folder);
}

static struct tracecmd_input *open_file(const char *name)
{
	struct tracecmd_input *input;
	char *path = in_folder(name);

	input = tracecmd_open(path, 0);
	free(path);
	assert_non_null(input);
	return input;
}

/* A descriptor of a file that has no name any more. */
static int open_deleted(const char *data_name)
{
	FILE *fp = tmpfile();
	int fd;

	assert_non_null(fp);
	fd = dup(fileno(fp));
	fclose(fp);
	copy_into(data_name, fd);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Frames below the first cookie of CPU 1; 0: it stays as it is. */
static size_t first_depth(struct tracecmd_input *input)
{
	struct tep_handle *tep = tracecmd_get_tep(input);
	struct tep_record *record;
	struct tep_event *event;
	struct trace_seq seq;
	size_t depth = 0;
	char *at;

	trace_seq_init(&seq);
	while ((record = tracecmd_read_data(input, 1))) {
		event = tep_find_event_by_record(tep, record);
		if (event && !strcmp(event->name, "stack_id"))
			tep_print_event(tep, &seq, record, "%s", TEP_PRINT_INFO);
		tracecmd_free_record(record);
		if (seq.len)
			break;
	}
	assert_true(seq.len > 0);
	for (at = seq.buffer; (at = strstr(at, "\n => ")); at++)
		depth++;
	trace_seq_destroy(&seq);
	return depth;
}

static size_t nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* Depths of these stacks in the copies of stack_map. */
#define SCHED_DEPTH	8
#define MOD_DEPTH	10

static void files_that_are_open_together_have_their_own_maps(void **state)
{
	struct tracecmd_input *sched = open_file("sched.dat"), *mod = open_file("mod.dat");

	assert_int_equal(first_depth(mod), MOD_DEPTH);
	assert_int_equal(first_depth(sched), SCHED_DEPTH);
	tracecmd_close(sched);
	tracecmd_close(mod);
}

static void a_file_keeps_its_map_when_another_is_opened_and_closed(void **state)
{
	struct tracecmd_input *sched = open_file("sched.dat"), *mod = open_file("mod.dat");

	tracecmd_close(mod);
	assert_int_equal(first_depth(sched), SCHED_DEPTH);
	tracecmd_close(sched);
}

static void a_file_without_a_name_is_resolved_by_a_map_that_is_named(void **state)
{
	struct tracecmd_input *input;
	char *map = in_data("v8/sched.stack_map");

	setenv("TRACE_STACKMAP", map, 1);
	input = tracecmd_open_fd(open_deleted("v8/sched.dat"), 0);
	assert_non_null(input);
	assert_int_equal(first_depth(input), SCHED_DEPTH);
	tracecmd_close(input);
	unsetenv("TRACE_STACKMAP");
	free(map);
}

static void a_file_without_a_name_takes_no_other_file_s_map(void **state)
{
	struct tracecmd_input *sched = open_file("sched.dat"), *input;

	input = tracecmd_open_fd(open_deleted("v8/sched.dat"), 0);
	assert_non_null(input);
	assert_int_equal(first_depth(input), 0);
	assert_int_equal(first_depth(sched), SCHED_DEPTH);
	tracecmd_close(input);
	tracecmd_close(sched);
}

/* As `trace-cmd stream` does it for each instance. */
static void one_descriptor_can_be_read_by_several_handles(void **state)
{
	struct tracecmd_input *first, *second;
	char *path = in_folder("sched.dat");
	int fd;

	fd = open(path, O_RDONLY);
	free(path);
	assert_true(fd >= 0);
	first = tracecmd_open_fd(fd, 0);
	assert_non_null(first);
	lseek(fd, 0, SEEK_SET);
	second = tracecmd_open_fd(fd, 0);
	assert_non_null(second);
	assert_int_equal(first_depth(second), SCHED_DEPTH);
	assert_int_equal(first_depth(first), SCHED_DEPTH);
	tracecmd_close(first);
	tracecmd_close(second);
}

/* Somebody else reads a header, too: nothing tells which of the two is ours. */
static void where_two_files_could_be_meant_none_is(void **state)
{
	struct tracecmd_input *input;
	char *path = in_folder("mod.dat");
	int other;

	other = open(path, O_RDONLY);
	free(path);
	assert_true(other >= 0);
	lseek(other, 3 + strlen("tracing") + sizeof("7") + 1, SEEK_SET);
	input = open_file("sched.dat");
	assert_int_equal(first_depth(input), 0);
	tracecmd_close(input);

	/* Elsewhere in its header, it is not the one that is being opened. */
	lseek(other, 5000, SEEK_SET);
	input = open_file("sched.dat");
	assert_int_equal(first_depth(input), SCHED_DEPTH);
	tracecmd_close(input);
	close(other);
}

static void nothing_stays_open(void **state)
{
	struct tracecmd_input *input;
	size_t before, i;

	before = nr_descriptors();
	for (i = 0; i < 20; i++) {
		input = open_file("sched.dat");
		if (i % 2)
			assert_int_equal(first_depth(input), SCHED_DEPTH);
		tracecmd_close(input);
	}
	assert_int_equal(nr_descriptors(), before);
}

static void a_position_is_left_alone(void **state)
{
	struct tracecmd_input *input = open_file("sched.dat");
	struct tep_record *record;
	size_t nr = 0;
	int cpu;

	assert_int_equal(first_depth(input), SCHED_DEPTH);
	for (cpu = 0; cpu < 2; cpu++) {
		while ((record = tracecmd_read_data(input, cpu))) {
			tracecmd_free_record(record);
			nr++;
		}
	}
	/* 2,636 cookies and as many events, less the two that were read. */
	assert_int_equal(nr, 2 * 2636 - 2);
	tracecmd_close(input);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_open_together_have_their_own_maps),
		cmocka_unit_test(a_file_keeps_its_map_when_another_is_opened_and_closed),
		cmocka_unit_test(a_file_without_a_name_is_resolved_by_a_map_that_is_named),
		cmocka_unit_test(a_file_without_a_name_takes_no_other_file_s_map),
		cmocka_unit_test(one_descriptor_can_be_read_by_several_handles),
		cmocka_unit_test(where_two_files_could_be_meant_none_is),
		cmocka_unit_test(nothing_stays_open),
		cmocka_unit_test(a_position_is_left_alone),
	};

	unsetenv("TRACE_STACKMAP");
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
