// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A store behind a trace. The trace is any bytes here: where it ends is told by the caller.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "in-range.h"
#include "store/attached.h"
#include "store/copy.h"

/* Everything that changes the disk is a step: the nth of them fails, or ends the process. */
static struct {
	unsigned int	nr_steps;
	unsigned int	at;		/* 0: never */
	int		code;		/* 0: the process ends */
	bool		all_after;
	size_t		torn;		/* bytes that a write takes before the process ends */
	size_t		cleared;	/* by a cut, behind an end that does not come */
	void		(*change)(void);	/* NULL, or called right before ... */
	unsigned int	change_at;	/* ... this write */
	unsigned int	nr_writes;
	char		calls[256];	/* writes that follow each other stand once */
} plan;

static bool is_step(const char *call)
{
	size_t used = strlen(plan.calls);

	if (strcmp(call, "write") || used < 6 || strcmp(plan.calls + used - 6, "write "))
		snprintf(plan.calls + used, sizeof(plan.calls) - used, "%s ", call);
	plan.nr_steps++;
	return plan.at && (plan.nr_steps == plan.at ||
			   (plan.nr_steps > plan.at && plan.all_after));
}

static int step(const char *call)
{
	if (!is_step(call))
		return 0;
	if (!plan.code)
		_exit(99);
	errno = plan.code;
	return -1;
}

ssize_t __real_pwrite64(int fd, const void *data, size_t len, off_t offset);
int __real_fsync(int fd);
int __real_ftruncate64(int fd, off_t len);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset);
int __wrap_fsync(int fd);
int __wrap_ftruncate64(int fd, off_t len);

ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset)
{
	if (++plan.nr_writes == plan.change_at)
		plan.change();
	if (!is_step("write"))
		return __real_pwrite64(fd, data, len, offset);
	if (!plan.code) {
		if (plan.torn)
			__real_pwrite64(fd, data, plan.torn < len ? plan.torn : len, offset);
		_exit(99);
	}
	errno = plan.code;
	return -1;
}

int __wrap_fsync(int fd)
{
	return step("sync") ? -1 : __real_fsync(fd);
}

/* A file system may do so, and the power be cut then. */
static void clear_behind(int fd, off_t len)
{
	static const char zeros[4096];
	off_t size = lseek(fd, 0, SEEK_END);
	size_t nr = plan.cleared < sizeof(zeros) ? plan.cleared : sizeof(zeros);

	if (size - len < (off_t)nr)
		nr = (size_t)(size - len);
	__real_pwrite64(fd, zeros, nr, len);
}

int __wrap_ftruncate64(int fd, off_t len)
{
	if (!is_step("cut"))
		return __real_ftruncate64(fd, len);
	if (!plan.code) {
		clear_behind(fd, len);
		_exit(99);
	}
	errno = plan.code;
	return -1;
}

/* ---- helpers ---- */

static const char trace_bytes[] = "the bytes of a trace, an odd number of them";
#define END	(sizeof(trace_bytes))

static const char *trace_path(void)
{
	return fixture_path("trace.dat");
}

static int open_trace(void)
{
	int fd = open(trace_path(), O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* A store file with this save. */
static struct smap_store *source_of(const char *name, const char *export)
{
	struct smap_save_input input = fixture_input(export);
	struct smap_store *store = NULL;

	if (access(fixture_path(name), F_OK))
		assert_int_equal(smap_store_append(fixture_path(name), &input, 1, NULL), 0);
	assert_int_equal(smap_store_open(fixture_path(name), &store, NULL), 0);
	return store;
}

static int attach_save(const char *name, const char *export, struct smap_error *err)
{
	struct smap_store *store = source_of(name, export);
	struct smap_save_ref ref = { store, 0 };
	struct smap_attach_input input = { .saves = &ref, .nr_saves = 1 };
	int fd = open_trace(), ret;
	size_t nr = 0;

	plan.nr_steps = 0;
	plan.nr_writes = 0;
	plan.calls[0] = '\0';
	ret = smap_attach(fd, END, &input, &nr, err);
	close(fd);
	smap_store_close(store);
	return ret ? ret : (int)nr;
}

static int attach_first(void)
{
	return attach_save("a.stackmap", fixture_gen1, NULL);
}

static int attach_second(void)
{
	return attach_save("b.stackmap", fixture_gen2, NULL);
}

#define NR_LONG	12000
#define LONG	200000		/* several windows of what is copied, and less than it takes */

/* An export that does not shrink by much. */
static const char *long_export(void)
{
	static struct smap_buf buf;
	uint64_t noise[2 * NR_LONG];
	unsigned int slot;

	if (buf.len)
		return buf.data;
	fixture_noise((uint8_t *)noise, sizeof(noise), 1);
	for (slot = 0; slot < NR_LONG; slot++)
		smap_buf_addf(&buf, "stack_id %u gen 3 ref 1 depth 1\n => f%llx_%llx+0x0/0x1\n",
			      slot, (unsigned long long)noise[2 * slot],
			      (unsigned long long)noise[2 * slot + 1]);
	return buf.data;
}

static void make_long(void)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	fixture_add_block(&buf, long_export());
	assert_uint_in_range(buf.len, LONG + 1000, 2 * LONG);
	fixture_write(fixture_path("long.stackmap"), buf.data, buf.len);
	smap_buf_free(&buf);
}

static int attach_long(void)
{
	return attach_save("long.stackmap", long_export(), NULL);
}

static void make_trace(void)
{
	memset(&plan, 0, sizeof(plan));
	fixture_write(trace_path(), trace_bytes, END);
}

/* The trace is whole, and these are attached, and nothing is damaged. */
static void holds(size_t nr, ...)
{
	struct smap_buf now = SMAP_BUF_INIT;
	struct smap_store *store = NULL;
	int fd = open_trace(), ret;
	va_list ap;
	size_t i;

	fixture_read(trace_path(), &now);
	assert_true(now.len >= END);
	assert_memory_equal(now.data, trace_bytes, END);
	smap_buf_free(&now);
	ret = smap_store_open_attached(fd, END, &store, NULL);
	close(fd);
	assert_int_equal(ret, nr ? 0 : -ENODATA);
	if (!nr)
		return;
	assert_int_equal(smap_store_nr_saves(store), nr);
	va_start(ap, nr);
	for (i = 0; i < nr; i++)
		fixture_holds(store, i, va_arg(ap, const char *));
	va_end(ap);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
}

static bool holds_nothing(void)
{
	int fd = open_trace(), ret;
	struct smap_store *store;

	ret = smap_store_open_attached(fd, END, &store, NULL);
	if (!ret)
		smap_store_close(store);
	close(fd);
	return ret == -ENODATA;
}

static size_t nr_attached(void)
{
	struct smap_store *store;
	int fd = open_trace();
	size_t nr = 0;

	if (!smap_store_open_attached(fd, END, &store, NULL)) {
		nr = smap_store_nr_saves(store);
		smap_store_close(store);
	}
	close(fd);
	return nr;
}

/* ---- without accidents ---- */

static void saves_are_attached_and_found_again(void **state)
{
	make_trace();
	holds(0);
	assert_int_equal(attach_first(), 1);
	holds(1, fixture_gen1);
	assert_int_equal(attach_second(), 1);
	holds(2, fixture_gen1, fixture_gen2);
}

static void what_is_attached_already_is_not_attached_again(void **state)
{
	struct smap_buf before = SMAP_BUF_INIT, after = SMAP_BUF_INIT;

	make_trace();
	attach_first();
	fixture_read(trace_path(), &before);
	assert_int_equal(attach_first(), 0);
	fixture_read(trace_path(), &after);
	assert_int_equal(after.len, before.len);
	assert_memory_equal(after.data, before.data, before.len);
	smap_buf_free(&before);
	smap_buf_free(&after);
}

static void a_raw_export_is_attached_as_a_save(void **state)
{
	make_trace();
	fixture_write(fixture_path("a.stackmap"), fixture_gen1, strlen(fixture_gen1));
	assert_int_equal(attach_first(), 1);
	holds(1, fixture_gen1);
}

static void detaching_gives_every_byte_back(void **state)
{
	struct smap_buf after = SMAP_BUF_INIT;
	int fd;

	make_trace();
	attach_first();
	attach_second();
	fd = open_trace();
	assert_int_equal(smap_detach(fd, END, NULL), 0);
	close(fd);
	fixture_read(trace_path(), &after);
	assert_int_equal(after.len, END);
	assert_memory_equal(after.data, trace_bytes, END);
	smap_buf_free(&after);
}

static void all_is_durable_before_it_counts_and_before_success(void **state)
{
	make_trace();
	attach_first();
	assert_string_equal(plan.calls, "write sync write sync write sync ");
	attach_second();
	assert_string_equal(plan.calls, "write sync write sync ");
}

static void other_bytes_behind_a_trace_are_not_touched(void **state)
{
	struct smap_error err = { "" };
	FILE *file;

	make_trace();
	file = fopen(trace_path(), "ae");
	fputs("of somebody else", file);
	fclose(file);
	assert_int_equal(attach_save("a.stackmap", fixture_gen1, &err), -EEXIST);
	assert_non_null(strstr(err.text, "16 bytes of something else"));
	assert_true(holds_nothing());
}

/* ---- accidents ---- */

static bool kill_at(unsigned int at, size_t torn, int (*fn)(void))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		plan.at = at;
		plan.torn = torn;
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == 99 || !WEXITSTATUS(status));
	return WEXITSTATUS(status) == 99;
}

static const size_t torn_after[] = { 0, 1, 9, 20, 40, 100, 200 };

static void a_kill_while_the_first_is_attached_leaves_none_or_it(void **state)
{
	unsigned int at, nr_kills = 0;
	bool killed = true;
	size_t i;

	for (at = 1; killed; at++) {
		for (i = 0; i < sizeof(torn_after) / sizeof(torn_after[0]); i++) {
			make_trace();
			killed = kill_at(at, torn_after[i], attach_first);
			nr_kills += killed;
			if (nr_attached())
				holds(1, fixture_gen1);
			else
				holds(0);
			/* The next one goes on from there. */
			assert_true(attach_first() >= 0);
			holds(1, fixture_gen1);
		}
	}
	assert_uint_in_range(nr_kills, 6, 100);
}

static void kill_while_another_is_attached(int (*another)(void), unsigned int most_kills)
{
	unsigned int at, nr_kills = 0;
	bool killed = true;
	size_t i;

	for (at = 1; killed; at++) {
		for (i = 0; i < sizeof(torn_after) / sizeof(torn_after[0]); i++) {
			make_trace();
			attach_first();
			killed = kill_at(at, torn_after[i], another);
			nr_kills += killed;
			/* A torn commit counts as damage, but its save is there. */
			assert_uint_in_range(nr_attached(), 1, 2);
			assert_true(another() >= 0);
			assert_int_equal(nr_attached(), 2);
		}
	}
	assert_uint_in_range(nr_kills, 4, most_kills);
}

static void a_kill_while_another_is_attached_costs_only_that(void **state)
{
	kill_while_another_is_attached(attach_second, 100);
	make_long();
	kill_while_another_is_attached(attach_long, 200);
}

static void a_failure_at_any_step_leaves_the_file_as_it_was(void **state)
{
	static const int codes[] = { ENOSPC, EIO };
	unsigned int at, i, nr;
	struct smap_buf now = SMAP_BUF_INIT, before = SMAP_BUF_INIT;
	int ret;

	memset(&plan, 0, sizeof(plan));
	smap_store_close(source_of("a.stackmap", fixture_gen1));
	smap_store_close(source_of("b.stackmap", fixture_gen2));
	for (i = 0; i < 2; i++) {
		for (at = 1, nr = 1; at <= nr; at++) {
			make_trace();
			plan.at = at;
			plan.code = codes[i];
			ret = attach_first();
			nr = plan.nr_steps;
			if (ret == 1)
				break;
			assert_int_equal(ret, -codes[i]);
			smap_buf_reset(&now);
			fixture_read(trace_path(), &now);
			assert_int_equal(now.len, END);
			memset(&plan, 0, sizeof(plan));
			assert_int_equal(attach_first(), 1);
			smap_buf_reset(&before);
			fixture_read(trace_path(), &before);
			plan.at = at;
			plan.code = codes[i];
			ret = attach_second();
			if (ret == -codes[i]) {
				smap_buf_reset(&now);
				fixture_read(trace_path(), &now);
				assert_int_equal(now.len, before.len);
				holds(1, fixture_gen1);
			}
		}
	}
	smap_buf_free(&now);
	smap_buf_free(&before);
}

/* Then not even the tail can be cut off. */
static void a_disk_that_stays_broken_costs_nothing_that_was_there(void **state)
{
	unsigned int at;
	int ret = -EIO;

	memset(&plan, 0, sizeof(plan));
	smap_store_close(source_of("a.stackmap", fixture_gen1));
	smap_store_close(source_of("b.stackmap", fixture_gen2));
	for (at = 1; ret == -EIO; at++) {
		make_trace();
		attach_first();
		plan.at = at;
		plan.code = EIO;
		plan.all_after = true;
		ret = attach_second();
		memset(&plan, 0, sizeof(plan));
		assert_uint_in_range(nr_attached(), 1, 2);
		if (ret == -EIO)
			assert_true(attach_second() >= 0);
		holds(2, fixture_gen1, fixture_gen2);
	}
	assert_int_equal(ret, 1);
}

static void a_file_cut_anywhere_keeps_its_trace(void **state)
{
	struct smap_buf whole = SMAP_BUF_INIT;
	size_t len;
	int fd;

	make_trace();
	attach_first();
	attach_second();
	fixture_read(trace_path(), &whole);
	for (len = END; len < whole.len; len++) {
		fixture_write(trace_path(), whole.data, len);
		/* The first one is there as soon as all its bytes are. */
		assert_uint_in_range(nr_attached(), 0, 1);
		fd = open_trace();
		assert_int_equal(smap_detach(fd, END, NULL), 0);
		close(fd);
		holds(0);
	}
	smap_buf_free(&whole);
}

static int detach_once(void)
{
	int fd = open_trace(), ret = smap_detach(fd, END, NULL);

	close(fd);
	return ret;
}

static void what_a_power_cut_leaves_of_a_detach_is_ours(void **state)
{
	static const size_t cleared[] = { 0, 50, 100, 300, 4096 };
	unsigned int at;
	size_t i;

	for (i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++) {
		for (at = 1; ; at++) {
			make_trace();
			attach_first();
			attach_second();
			plan.nr_steps = 0;
			plan.cleared = cleared[i];
			if (!kill_at(at, 0, detach_once))
				break;
			assert_uint_in_range(nr_attached(), 0, 2);
			assert_true(attach_first() >= 0);
			assert_uint_in_range(nr_attached(), 1, 2);
			detach_once();
			holds(0);
		}
		assert_true(at > 6);
	}
}

/* Each one costs at most a save, and is seen. */
static void no_flipped_bit_costs_what_it_is_not_in(void **state)
{
	struct smap_buf whole = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t at;
	int fd, ret;

	make_trace();
	attach_first();
	attach_second();
	fixture_read(trace_path(), &whole);
	for (at = END; at < END + sizeof(struct smap_attached_header); at++) {
		whole.data[at] ^= 1 << at % 8;
		fixture_write(trace_path(), whole.data, whole.len);
		whole.data[at] ^= 1 << at % 8;
		fd = open_trace();
		ret = smap_store_open_attached(fd, END, &store, NULL);
		close(fd);
		assert_int_equal(ret, 0);
		assert_int_equal(smap_store_nr_saves(store), 2);
		assert_true(smap_store_nr_damages(store) > 0);
		smap_store_close(store);
	}
	smap_buf_free(&whole);
}

static void no_allocation_that_fails_does_harm(void **state)
{
	unsigned long nth;
	int ret = -ENOMEM;

	make_trace();
	attach_first();
	for (nth = 1; ret == -ENOMEM; nth++) {
		struct smap_store *store = source_of("b.stackmap", fixture_gen2);
		struct smap_save_ref ref = { store, 0 };
		struct smap_attach_input input = { .saves = &ref, .nr_saves = 1 };
		int fd = open_trace();
		size_t nr;

		alloc_fail_at(nth, false);
		ret = smap_attach(fd, END, &input, &nr, NULL);
		alloc_fail_stop();
		close(fd);
		smap_store_close(store);
		if (ret == -ENOMEM)
			holds(1, fixture_gen1);
	}
	assert_int_equal(ret, 0);
	holds(2, fixture_gen1, fixture_gen2);
}

/* ---- what is copied changes meanwhile ---- */

static void flip_source(void)
{
	int fd = open(fixture_path("long.stackmap"), O_RDWR | O_CLOEXEC);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, LONG), 1);
	byte ^= 4;
	assert_int_equal(__real_pwrite64(fd, &byte, 1, LONG), 1);
	close(fd);
}

static void cut_source(void)
{
	assert_int_equal(truncate(fixture_path("long.stackmap"), LONG), 0);
}

static void grow_source(void)
{
	FILE *file = fopen(fixture_path("long.stackmap"), "ae");

	fputs("what somebody appends", file);
	fclose(file);
}

static void is_as_before(const char *path, const struct smap_buf *before)
{
	struct smap_buf now = SMAP_BUF_INIT;

	fixture_read(path, &now);
	assert_int_equal(now.len, before->len);
	assert_memory_equal(now.data, before->data, now.len);
	smap_buf_free(&now);
}

/* Before each write: it is attached whole, or all is as it was. Returns how often it was not. */
static unsigned int change_at_each_write(bool is_first, void (*change)(void))
{
	struct smap_buf before = SMAP_BUF_INIT;
	unsigned int at, nr_failed = 0;
	int ret;

	for (at = 1; ; at++) {
		make_trace();
		if (!is_first)
			attach_first();
		make_long();
		smap_buf_reset(&before);
		fixture_read(trace_path(), &before);
		plan.change = change;
		plan.change_at = at;
		ret = attach_long();
		plan.change_at = 0;
		if (plan.nr_writes < at)
			break;
		nr_failed += ret != 1;
		if (ret != 1) {
			assert_int_equal(ret, -EBADMSG);
			is_as_before(trace_path(), &before);
		} else if (is_first) {
			holds(1, long_export());
		} else {
			holds(2, fixture_gen1, long_export());
		}
	}
	assert_true(at > 6);
	smap_buf_free(&before);
	return nr_failed;
}

static void nothing_that_changes_while_it_is_copied_is_attached(void **state)
{
	assert_uint_in_range(change_at_each_write(true, flip_source), 4, 8);
	assert_uint_in_range(change_at_each_write(false, flip_source), 4, 8);
	assert_uint_in_range(change_at_each_write(true, cut_source), 4, 8);
	assert_uint_in_range(change_at_each_write(false, cut_source), 4, 8);
	assert_int_equal(change_at_each_write(true, grow_source), 0);
	assert_int_equal(change_at_each_write(false, grow_source), 0);
}

/* Its file holds @buf when it is opened, and @later when it is copied. */
static void is_not_attached(const struct smap_buf *buf, const struct smap_buf *later)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_save_ref ref = { NULL, 0 };
	const struct smap_attach_input input = { .saves = &ref, .nr_saves = 1 };
	struct smap_error err = { "" };
	size_t nr = 77;
	int fd;

	make_trace();
	fixture_write(path, buf->data, buf->len);
	assert_int_equal(smap_store_open(path, &ref.store, NULL), 0);
	fixture_write(path, later->data, later->len);
	fd = open_trace();
	assert_int_equal(smap_attach(fd, END, &input, &nr, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "at its byte 56: changed since the file was opened"));
	assert_int_equal(nr, 77);
	close(fd);
	smap_store_close(ref.store);
	assert_true(holds_nothing());
	assert_int_equal(plan.nr_steps, 0);
}

static void nor_is_another_save_than_was_looked_at(void **state)
{
	struct smap_buf one = SMAP_BUF_INIT, other = SMAP_BUF_INIT;
	struct smap_block_header disk;
	size_t at;

	fixture_add_header(&other);
	fixture_add_block(&other, fixture_gen2);
	fixture_add_header(&one);
	at = fixture_add_block(&one, fixture_gen1);
	/* Whole, and of the same store. */
	is_not_attached(&one, &other);
	/* The same, and its header says that it is not. */
	smap_buf_reset(&other);
	smap_buf_add(&other, one.data, one.len);
	memcpy(&disk, other.data + at, sizeof(disk));
	disk.data_checksum ^= 1;
	disk.checksum = htole64(smap_checksum(&disk, offsetof(struct smap_block_header, checksum)));
	memcpy(other.data + at, &disk, sizeof(disk));
	is_not_attached(&one, &other);
	/* And one whose header is damaged: a new checksum would hide it. */
	memcpy(other.data, one.data, one.len);
	other.data[at + offsetof(struct smap_block_header, flags)] ^= 2;
	is_not_attached(&one, &other);
	smap_buf_free(&one);
	smap_buf_free(&other);
}

static void nor_does_it_come_to_stand_in_a_file(void **state)
{
	struct smap_buf before = SMAP_BUF_INIT;
	struct smap_store *a, *from;
	int i;

	memset(&plan, 0, sizeof(plan));
	make_long();
	a = source_of("a.stackmap", fixture_gen1);
	assert_int_equal(smap_store_append_saves(fixture_path("there.stackmap"), a, NULL), 0);
	smap_store_close(a);
	fixture_read(fixture_path("there.stackmap"), &before);
	for (i = 0; i < 2; i++) {
		make_long();
		assert_int_equal(smap_store_open(fixture_path("long.stackmap"), &from, NULL), 0);
		plan.change = i ? cut_source : flip_source;
		plan.nr_writes = 0;
		plan.change_at = 2;
		assert_int_equal(smap_store_append_saves(fixture_path("new.stackmap"), from, NULL),
				 -EBADMSG);
		assert_int_equal(access(fixture_path("new.stackmap"), F_OK), -1);
		make_long();
		plan.nr_writes = 0;
		assert_int_equal(smap_store_append_saves(fixture_path("there.stackmap"), from,
							 NULL), -EBADMSG);
		is_as_before(fixture_path("there.stackmap"), &before);
		plan.change_at = 0;
		smap_store_close(from);
	}
	assert_int_equal(fixture_nr_files(), 3);
	smap_buf_free(&before);
}

/* ---- giving back ---- */

static void a_store_given_back_is_a_copy_or_what_is_lacking(void **state)
{
	struct smap_store *a = source_of("a.stackmap", fixture_gen1);
	struct smap_store *b = source_of("b.stackmap", fixture_gen2);
	struct smap_buf from = SMAP_BUF_INIT, to = SMAP_BUF_INIT;
	struct smap_store *store;

	memset(&plan, 0, sizeof(plan));
	assert_int_equal(smap_store_append_saves(fixture_path("c.stackmap"), a, NULL), 0);
	fixture_read(fixture_path("a.stackmap"), &from);
	fixture_read(fixture_path("c.stackmap"), &to);
	assert_int_equal(to.len, from.len);
	assert_memory_equal(to.data, from.data, from.len);
	assert_int_equal(smap_store_append_saves(fixture_path("c.stackmap"), b, NULL), 0);
	assert_int_equal(smap_store_append_saves(fixture_path("c.stackmap"), a, NULL), 0);
	assert_int_equal(smap_store_open(fixture_path("c.stackmap"), &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), 2);
	fixture_holds(store, 1, fixture_gen2);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	smap_store_close(a);
	smap_store_close(b);
	smap_buf_free(&from);
	smap_buf_free(&to);
}

/* ---- many ---- */

#define MANY	40000

/* A store of saves that differ in nothing but their time. */
static struct smap_store *make_many(struct smap_buf *buf)
{
	struct smap_buf one = SMAP_BUF_INIT;
	size_t time, i;
	uint64_t wall;

	fixture_add_header(buf);
	fixture_add_block(&one, fixture_gen1);
	time = fixture_find_section(&one, 0, SMAP_SECTION_ORIGIN) +
	       offsetof(struct smap_store_origin, saved_wall);
	for (i = 0; i < MANY; i++) {
		wall = htole64(i);
		memcpy(one.data + time, &wall, sizeof(wall));
		fixture_seal_block(&one, 0);
		smap_buf_add(buf, one.data, one.len);
	}
	smap_buf_free(&one);
	return fixture_open(buf);
}

static double cpu_seconds(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each is held against all others: a tenth of a second, or ten where that is a loop in a loop. */
static void many_saves_cost_what_they_are_long(void **state)
{
	struct smap_save_ref *refs = calloc(MANY, sizeof(*refs));
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store = make_many(&buf);
	struct smap_sink sink = { .fd = -1 };
	size_t nr_copied, i;
	double begin;

	assert_non_null(refs);
	make_trace();
	sink.fd = open_trace();
	assert_int_equal(smap_store_nr_saves(store), MANY);
	for (i = 0; i < MANY; i++)
		refs[i] = (struct smap_save_ref){ store, i };
	begin = cpu_seconds();
	assert_int_equal(smap_store_copy_saves(&sink, STORE_ID + 1, refs, MANY, NULL, &nr_copied,
					       NULL), 0);
	assert_int_equal(nr_copied, MANY);
	assert_int_equal(sink.len, buf.len - sizeof(struct smap_store_header));
	sink.len = 0;
	assert_int_equal(smap_store_copy_saves(&sink, STORE_ID + 1, refs, MANY, store, &nr_copied,
					       NULL), 0);
	assert_int_equal(nr_copied, 0);
	assert_int_equal(sink.len, 0);
	assert_true(cpu_seconds() - begin < 3);
	close(sink.fd);
	smap_store_close(store);
	smap_buf_free(&buf);
	free(refs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(saves_are_attached_and_found_again),
		FOLDER_TEST(what_is_attached_already_is_not_attached_again),
		FOLDER_TEST(a_raw_export_is_attached_as_a_save),
		FOLDER_TEST(detaching_gives_every_byte_back),
		FOLDER_TEST(all_is_durable_before_it_counts_and_before_success),
		FOLDER_TEST(other_bytes_behind_a_trace_are_not_touched),
		FOLDER_TEST(a_kill_while_the_first_is_attached_leaves_none_or_it),
		FOLDER_TEST(a_kill_while_another_is_attached_costs_only_that),
		FOLDER_TEST(a_failure_at_any_step_leaves_the_file_as_it_was),
		FOLDER_TEST(a_disk_that_stays_broken_costs_nothing_that_was_there),
		FOLDER_TEST(a_file_cut_anywhere_keeps_its_trace),
		FOLDER_TEST(what_a_power_cut_leaves_of_a_detach_is_ours),
		FOLDER_TEST(no_flipped_bit_costs_what_it_is_not_in),
		FOLDER_TEST(no_allocation_that_fails_does_harm),
		FOLDER_TEST(nothing_that_changes_while_it_is_copied_is_attached),
		FOLDER_TEST(nor_is_another_save_than_was_looked_at),
		FOLDER_TEST(nor_does_it_come_to_stand_in_a_file),
		FOLDER_TEST(a_store_given_back_is_a_copy_or_what_is_lacking),
		FOLDER_TEST(many_saves_cost_what_they_are_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
