// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps go into a trace.dat and come out again: a real one, copied into a folder of the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "core/buf.h"
#include "in-range.h"
#include "stackmap.h"
#include "store/layout.h"
#include "store/reader.h"
#include "store/store.h"
#include "store/writer.h"

#define BOOT_ID	"6a9f0f63-1d0b-4c0f-8a5e-0123456789ab"
#define TRACE	"v7/func.dat"
#define NOBODY	65534

static const char gen1[] = "stack_id 1 gen 1 ref 1 depth 1\n => one+0x0/0x10\n";
static const char gen1_fuller[] =
	"stack_id 1 gen 1 ref 1 depth 1\n => one+0x0/0x10\n"
	"stack_id 2 gen 1 ref 1 depth 1\n => two+0x0/0x10\n";
static const char gen2[] = "stack_id 1 gen 2 ref 1 depth 1\n => one+0x0/0x10\n";

struct fixture {
	char	folder[64];
	char	trace[96];
	char	beside[96];
	char	maps[96];
	char	lines[512];
	off_t	len;		/* of the trace, before anything is attached */
	struct stackmap_attachment *attachment;
};

/* ---- files ---- */

static void read_file(const char *path, struct smap_buf *buf)
{
	struct smap_error err;

	smap_buf_reset(buf);
	if (smap_read_file(path, NULL, buf, &err))
		fail_msg("%s", err.text);
}

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void copy_trace(const struct fixture *f, const char *name)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	char path[512];

	snprintf(path, sizeof(path), "%s/good/%s", getenv("SMAP_TEST_DATA"), name);
	read_file(path, &buf);
	write_file(f->trace, buf.data, buf.len);
	smap_buf_free(&buf);
}

/* The file has the bytes of the recording, and then more, or no more. */
static void trace_is(const struct fixture *f, const char *name, bool more)
{
	struct smap_buf was = SMAP_BUF_INIT, is = SMAP_BUF_INIT;
	char path[512];

	snprintf(path, sizeof(path), "%s/good/%s", getenv("SMAP_TEST_DATA"), name);
	read_file(path, &was);
	read_file(f->trace, &is);
	assert_int_equal(is.len > was.len, more);
	assert_true(is.len >= was.len);
	assert_memory_equal(is.data, was.data, was.len);
	smap_buf_free(&was);
	smap_buf_free(&is);
}

/* As a saver does. */
static void save(const char *path, const char *text)
{
	struct smap_save_input input = {
		.saved_wall_ns = SMAP_TIME_UNKNOWN, .saved_boot_ns = 1,
		.export = text, .export_len = strlen(text),
		.origin.has_boot_id = true,
	};
	struct smap_findings findings;
	struct smap_writer *writer;
	struct smap_export *export;
	uint64_t len;

	assert_int_equal(smap_boot_id_parse(BOOT_ID, input.origin.boot_id), 0);
	assert_int_equal(smap_parse(text, strlen(text), &export, &input.order, &findings, NULL), 0);
	input.parsed = export;
	input.findings = &findings;
	assert_int_equal(smap_writer_open(path, &writer, NULL), 0);
	assert_int_equal(smap_writer_append(writer, &input, &len, NULL), 0);
	smap_writer_close(writer);
	smap_export_free(export);
}

static void tie(const char *path, const char *trace)
{
	struct stackmap_store *store = stackmap_store_new();

	assert_int_equal(stackmap_store_open(store, path), 0);
	assert_int_equal(stackmap_store_tie(store, trace), 0);
	stackmap_store_free(store);
}

static size_t nr_saves(const char *path)
{
	struct stackmap_store *store = stackmap_store_new();
	size_t nr;

	assert_int_equal(stackmap_store_open(store, path), 0);
	nr = stackmap_store_nr_saves(store);
	assert_int_equal(stackmap_store_nr_damages(store), 0);
	stackmap_store_free(store);
	return nr;
}

/* How many maps of @path (NULL: what goes with the trace) are proven to be of the trace. */
static size_t nr_proven(const struct fixture *f, const char *path)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	size_t i, nr = 0;

	assert_int_equal(stackmap_resolver_set_trace(resolver, f->trace), 0);
	if (path)
		assert_int_equal(stackmap_resolver_add_file(resolver, path), 0);
	else
		assert_true(stackmap_resolver_add_maps_of(resolver, f->trace) > 0);
	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++)
		nr += stackmap_map_get_tie(stackmap_resolver_get_map(resolver, i)) ==
		      STACKMAP_TIE_PROVEN;
	stackmap_resolver_free(resolver);
	return nr;
}

static void keep_line(const char *line, void *data)
{
	struct fixture *f = data;
	size_t used = strlen(f->lines);

	snprintf(f->lines + used, sizeof(f->lines) - used, "%s\n", line);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/stackmap-test.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->trace, sizeof(f->trace), "%s/trace.dat", f->folder);
	snprintf(f->beside, sizeof(f->beside), "%s/trace.dat.stackmap", f->folder);
	snprintf(f->maps, sizeof(f->maps), "%s/maps", f->folder);
	copy_trace(f, TRACE);
	f->attachment = stackmap_attachment_new();
	stackmap_attachment_set_log(f->attachment, keep_line, f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stackmap_attachment_free(f->attachment);
	chmod(f->folder, 0700);
	unlink(f->trace);
	unlink(f->beside);
	unlink(f->maps);
	assert_int_equal(rmdir(f->folder), 0);
	free(f);
	return 0;
}

static void add(struct fixture *f, const char *path)
{
	if (stackmap_attachment_add_file(f->attachment, path))
		fail_msg("%s", stackmap_attachment_get_error(f->attachment));
}

static void attaches(struct fixture *f, int nr)
{
	int ret = stackmap_attachment_write(f->attachment, f->trace);

	if (ret != nr)
		fail_msg("%d: %s", ret, stackmap_attachment_get_error(f->attachment));
}

/* Fails with this, and with words that begin so and hold @words. */
static void fails(struct fixture *f, int ret, int code, const char *words)
{
	const char *text = stackmap_attachment_get_error(f->attachment);

	assert_int_equal(ret, code);
	assert_int_equal(errno, -code);
	if (!strstr(text, words))
		fail_msg("%s", text);
}

/* ---- tests ---- */

static void maps_go_in_and_come_out_to_the_byte(void **state)
{
	static const char *const names[] = {
		"v7/func.dat", "v8/func.dat", "v8/v6.dat", "v8/raw.dat", "v8/sched.dat",
	};
	struct fixture *f = *state;
	size_t i;

	save(f->maps, gen1);
	save(f->maps, gen2);
	add(f, f->maps);
	assert_int_equal(stackmap_attachment_nr_saves(f->attachment), 2);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		copy_trace(f, names[i]);
		attaches(f, 2);
		trace_is(f, names[i], true);
		assert_int_equal(nr_saves(f->trace), 2);
		attaches(f, 0);
		assert_int_equal(stackmap_attachment_detach(f->attachment, f->trace, NULL), 2);
		trace_is(f, names[i], false);
	}
	assert_string_equal(f->lines, "");
}

static void what_is_superseded_stays_behind(void **state)
{
	struct fixture *f = *state;

	save(f->maps, gen1);
	tie(f->maps, f->trace);
	save(f->maps, gen1_fuller);
	save(f->maps, gen2);
	assert_int_equal(nr_saves(f->maps), 3);
	add(f, f->maps);
	assert_int_equal(stackmap_attachment_nr_saves(f->attachment), 2);
	attaches(f, 2);
	assert_int_equal(nr_saves(f->trace), 2);
	/* The fuller one is what was recorded with the trace, and the other is of its boot. */
	assert_int_equal(nr_proven(f, NULL), 2);
}

static void ties_go_with_the_maps_wherever_these_go(void **state)
{
	struct fixture *f = *state;

	save(f->maps, gen1);
	tie(f->maps, f->trace);
	add(f, f->maps);
	attaches(f, 1);
	assert_int_equal(nr_proven(f, NULL), 1);
	/* Into a new file. */
	assert_int_equal(stackmap_attachment_detach(f->attachment, f->trace, f->beside), 1);
	assert_int_equal(nr_proven(f, f->beside), 1);
	/* Into one that has another save. */
	unlink(f->beside);
	attaches(f, 1);
	save(f->beside, gen2);
	assert_int_equal(nr_proven(f, f->beside), 0);
	assert_int_equal(stackmap_attachment_detach(f->attachment, f->trace, f->beside), 1);
	assert_int_equal(nr_saves(f->beside), 2);
	assert_int_equal(nr_proven(f, f->beside), 2);
	/* Into one that has the save, and nothing of whose it is. */
	unlink(f->beside);
	attaches(f, 1);
	save(f->beside, gen1);
	assert_int_equal(stackmap_attachment_detach(f->attachment, f->trace, f->beside), 1);
	assert_int_equal(nr_saves(f->beside), 1);
	assert_int_equal(nr_proven(f, f->beside), 1);
	trace_is(f, TRACE, false);
}

static void a_tie_is_added_to_a_save_that_is_attached_already(void **state)
{
	struct fixture *f = *state;
	struct stackmap_attachment *again = stackmap_attachment_new();

	save(f->maps, gen1);
	add(f, f->maps);
	attaches(f, 1);
	assert_int_equal(nr_proven(f, NULL), 0);
	tie(f->maps, f->trace);
	assert_int_equal(stackmap_attachment_add_file(again, f->maps), 0);
	assert_int_equal(stackmap_attachment_write(again, f->trace), 0);
	stackmap_attachment_free(again);
	assert_int_equal(nr_proven(f, NULL), 1);
}

static void what_is_no_trace_is_refused_and_not_touched(void **state)
{
	struct fixture *f = *state;
	struct smap_buf buf = SMAP_BUF_INIT;

	fails(f, stackmap_attachment_write(f->attachment, f->trace), -ENODATA, "no saved map");
	save(f->maps, gen1);
	add(f, f->maps);
	fails(f, stackmap_attachment_write(f->attachment, NULL), -EINVAL, "no path");
	fails(f, stackmap_attachment_write(f->attachment, f->folder), -EINVAL, "not a regular");
	fails(f, stackmap_attachment_write(f->attachment, f->maps), -EINVAL, "trace.dat");
	fails(f, stackmap_attachment_write(f->attachment, f->beside), -ENOENT, f->beside);
	fails(f, stackmap_attachment_detach(f->attachment, f->trace, NULL), -ENODATA,
	      "no saved map is attached");
	fails(f, stackmap_attachment_detach(f->attachment, NULL, NULL), -EINVAL, "no path");
	trace_is(f, TRACE, false);
	read_file(f->trace, &buf);
	write_file(f->trace, buf.data, buf.len / 2);
	fails(f, stackmap_attachment_write(f->attachment, f->trace), -EBADMSG, f->trace);
	smap_buf_free(&buf);
}

static void one_that_is_being_written_is_left_alone(void **state)
{
	struct fixture *f = *state;
	int fd = open(f->trace, O_WRONLY | O_CLOEXEC);

	save(f->maps, gen1);
	add(f, f->maps);
	fails(f, stackmap_attachment_write(f->attachment, f->trace), -EBUSY, "writ");
	close(fd);
	attaches(f, 1);
}

static void what_is_no_map_file_takes_nothing_back(void **state)
{
	struct fixture *f = *state;

	save(f->maps, gen1);
	add(f, f->maps);
	attaches(f, 1);
	write_file(f->beside, "mine", 4);
	fails(f, stackmap_attachment_detach(f->attachment, f->trace, f->beside), -EEXIST,
	      f->beside);
	assert_int_equal(nr_saves(f->trace), 1);
}

/* As somebody to whom the folder is closed: the trace itself is all that is written to. */
static int attach_as_nobody(struct fixture *f)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		if (geteuid() == 0 && (setresgid(NOBODY, NOBODY, NOBODY) ||
				       setresuid(NOBODY, NOBODY, NOBODY)))
			_exit(90);
		if (stackmap_attachment_write(f->attachment, f->trace) != 1)
			_exit(1);
		if (stackmap_attachment_detach(f->attachment, f->trace, f->beside) != -EACCES)
			_exit(2);
		if (stackmap_attachment_detach(f->attachment, f->trace, NULL) != 1)
			_exit(3);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_folder_that_cannot_be_written_to_is_no_hindrance(void **state)
{
	static const mode_t modes[] = { 0555, 0111 };
	struct fixture *f = *state;
	size_t i;

	save(f->maps, gen1);
	add(f, f->maps);
	if (geteuid() == 0)
		assert_int_equal(chown(f->trace, NOBODY, NOBODY), 0);
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(f->folder, modes[i]), 0);
		assert_int_equal(attach_as_nobody(f), 0);
		trace_is(f, TRACE, false);
	}
}

/* ---- with little memory ---- */

#define LONG	(1 << 20)
#define NR_LONG	64
#define LITTLE	(LONG / 2)	/* not even for one of its saves */

/* A store of a day: many saves, each of so many bytes that do not shrink. */
static void make_long_store(const char *path)
{
	struct smap_save_input input = {
		.saved_wall_ns = SMAP_TIME_UNKNOWN, .saved_boot_ns = SMAP_TIME_UNKNOWN,
		.export = gen1, .export_len = strlen(gen1),
	};
	struct smap_buf buf = SMAP_BUF_INIT;
	uint64_t *noise = malloc(LONG), state = 1;
	size_t i, k;

	assert_non_null(noise);
	input.stat = noise;
	input.stat_len = LONG;
	assert_int_equal(smap_store_encode_header(&buf, 1), 0);
	for (i = 0; i < NR_LONG; i++) {
		for (k = 0; k < LONG / sizeof(*noise); k++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			noise[k] = state;
		}
		assert_int_equal(smap_store_encode_block(&buf, 1, &input, NULL), 0);
	}
	write_file(path, buf.data, buf.len);
	assert_true(buf.len >= NR_LONG * LONG);
	smap_buf_free(&buf);
	free(noise);
}

static void took_little(const char *what)
{
	if (alloc_fail_most_bytes() > LITTLE)
		fail_msg("%s: %zu bytes", what, alloc_fail_most_bytes());
	alloc_fail_watch_bytes();
}

static void how_long_a_store_is_costs_no_memory(void **state)
{
	struct fixture *f = *state;

	/* One of which nothing has to be unpacked. */
	copy_trace(f, "v8/raw.dat");
	make_long_store(f->maps);
	alloc_fail_watch_bytes();
	add(f, f->maps);
	attaches(f, NR_LONG);
	took_little("attach");
	attaches(f, 0);
	took_little("attach again");
	assert_int_equal(stackmap_attachment_detach(f->attachment, f->trace, f->beside), NR_LONG);
	took_little("detach into a new file");
	assert_int_equal(nr_saves(f->beside), NR_LONG);
	attaches(f, NR_LONG);
	unlink(f->beside);
	save(f->beside, gen2);
	alloc_fail_watch_bytes();
	assert_int_equal(stackmap_attachment_detach(f->attachment, f->trace, f->beside), NR_LONG);
	took_little("detach into a file");
	assert_int_equal(nr_saves(f->beside), NR_LONG + 1);
	trace_is(f, "v8/raw.dat", false);
}

static void make_raw(const char *path)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	unsigned int slot;

	for (slot = 0; slot < 5000; slot++)
		smap_buf_addf(&buf, "stack_id %u gen 1 ref 1 depth 1\n => f%u+0x0/0x10\n", slot,
			      slot);
	write_file(path, buf.data, buf.len);
	smap_buf_free(&buf);
}

static void of_many_raw_exports_one_is_held(void **state)
{
	struct fixture *f = *state;
	size_t most;
	int i;

	copy_trace(f, "v8/raw.dat");
	make_raw(f->maps);
	alloc_fail_watch_bytes();
	add(f, f->maps);
	attaches(f, 1);
	most = alloc_fail_most_bytes();
	for (i = 0; i < 8; i++)
		add(f, f->maps);
	attaches(f, 0);
	assert_uint_in_range(alloc_fail_most_bytes(), most, most + most / 4);
}

/* ---- without memory ---- */

static int attach_once(void *data)
{
	struct stackmap_attachment *attachment = stackmap_attachment_new();
	const struct fixture *f = data;
	struct stat st;
	int ret;

	if (!attachment)
		return -ENOMEM;
	ret = stackmap_attachment_add_file(attachment, f->maps);
	if (!ret)
		ret = stackmap_attachment_write(attachment, f->trace);
	stackmap_attachment_free(attachment);
	/* Nothing that allocates here. */
	assert_int_equal(stat(f->trace, &st), 0);
	assert_int_equal(st.st_size > f->len, ret >= 0);
	assert_int_equal(truncate(f->trace, f->len), 0);
	return ret < 0 ? smap_errno(ret) : 0;
}

static int detach_once(void *data)
{
	struct stackmap_attachment *attachment = stackmap_attachment_new();
	const struct fixture *f = data;
	int ret;

	if (!attachment)
		return -ENOMEM;
	ret = stackmap_attachment_detach(attachment, f->trace, f->beside);
	stackmap_attachment_free(attachment);
	return ret < 0 ? smap_errno(ret) : 0;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	assert_int_equal(stat(f->trace, &st), 0);
	f->len = st.st_size;
	save(f->maps, gen1);
	tie(f->maps, f->trace);
	alloc_fail_each(attach_once, f);
	trace_is(f, TRACE, false);
	add(f, f->maps);
	attaches(f, 1);
	detach_once(f);
	assert_int_equal(nr_proven(f, f->beside), 1);
	trace_is(f, TRACE, false);
}

/* What is in it is in one of the two files all the time. */
static void no_allocation_that_fails_loses_what_is_detached(void **state)
{
	struct fixture *f = *state;
	size_t nth;
	int ret;

	save(f->maps, gen1);
	add(f, f->maps);
	attaches(f, 1);
	for (nth = 1; nth < 10000; nth++) {
		alloc_fail_at(nth, false);
		ret = detach_once(f);
		alloc_fail_stop();
		if (!ret)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(nr_saves(f->trace), 1);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr_saves(f->beside), 1);
	trace_is(f, TRACE, false);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(maps_go_in_and_come_out_to_the_byte),
		TEST(what_is_superseded_stays_behind),
		TEST(ties_go_with_the_maps_wherever_these_go),
		TEST(a_tie_is_added_to_a_save_that_is_attached_already),
		TEST(what_is_no_trace_is_refused_and_not_touched),
		TEST(one_that_is_being_written_is_left_alone),
		TEST(what_is_no_map_file_takes_nothing_back),
		TEST(a_folder_that_cannot_be_written_to_is_no_hindrance),
		TEST(how_long_a_store_is_costs_no_memory),
		TEST(of_many_raw_exports_one_is_held),
		TEST(no_allocation_that_fails_does_harm),
		TEST(no_allocation_that_fails_loses_what_is_detached),
	};

	return cmocka_run_group_tests_name("api-attachment", tests, NULL, NULL);
}
