// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "in-range.h"

/*
 * ---- calls that fail, or do not return ----
 *
 * Everything that changes the disk goes through step(): the nth of them fails with an errno (those
 * behind it too, where the disk stays full), or ends the process, as a kill would.
 */
static struct {
	unsigned int	nr_steps;
	unsigned int	at;		/* 0: never */
	int		code;		/* 0: the process ends */
	bool		all_after;
	int		cleanup_code;	/* 0: as the plan has it; else what unlinking sets */
	size_t		short_write;	/* bytes that a write takes at most; 0: all */
	bool		no_sleep;
	bool		interrupts;	/* a signal comes as soon as it sleeps */
	bool		is_interrupted;
	unsigned int	slept_ms;
	bool		has_overslept;	/* a moment in which it was not locked */
	bool		no_rename;	/* the file system knows no RENAME_NOREPLACE */
	char		calls[512];	/* which they were, each with a blank behind it */
} plan;

static int step(const char *call)
{
	size_t used = strlen(plan.calls);

	snprintf(plan.calls + used, sizeof(plan.calls) - used, "%s ", call);
	plan.nr_steps++;
	if (!plan.at || plan.nr_steps < plan.at || (plan.nr_steps > plan.at && !plan.all_after))
		return 0;
	if (!plan.code)
		_exit(99);
	errno = plan.code;
	return -1;
}

ssize_t __real_pwrite64(int fd, const void *data, size_t len, off_t offset);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_openat64(int folder, const char *name, int flags, ...);
int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned int flags);
int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __real_unlinkat(int folder, const char *name, int flags);
int __real_ftruncate64(int fd, off_t len);
int __real_flock(int fd, int how);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_openat64(int folder, const char *name, int flags, ...);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_ftruncate64(int fd, off_t len);
int __wrap_flock(int fd, int how);

ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset)
{
	if (step("write"))
		return -1;
	if (plan.short_write && len > plan.short_write)
		len = plan.short_write;
	return __real_pwrite64(fd, data, len, offset);
}

int __wrap_fsync(int fd)
{
	return step("sync") ? -1 : __real_fsync(fd);
}

/* As Linux has it: the descriptor is gone, whatever close() says. */
int __wrap_close(int fd)
{
	int ret = __real_close(fd);

	return step("close") ? -1 : ret;
}

int __wrap_openat64(int folder, const char *name, int flags, ...)
{
	return step("open") ? -1 : __real_openat64(folder, name, flags, 0666);
}

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned int flags)
{
	if (plan.no_rename) {
		errno = EINVAL;
		return -1;
	}
	return step("rename") ? -1 : __real_renameat2(from_folder, from, to_folder, to, flags);
}

int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	return step("link") ? -1 : __real_linkat(from_folder, from, to_folder, to, flags);
}

int __wrap_unlinkat(int folder, const char *name, int flags)
{
	int ret = step("unlink") ? -1 : __real_unlinkat(folder, name, flags);

	if (plan.cleanup_code)
		errno = plan.cleanup_code;
	return ret;
}

int __wrap_ftruncate64(int fd, off_t len)
{
	return step("cut") ? -1 : __real_ftruncate64(fd, len);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	const bool interrupts = plan.interrupts && !plan.is_interrupted;

	plan.is_interrupted = interrupts;
	if (interrupts) {
		if (left)
			*left = *time;
		errno = EINTR;
		return -1;
	}
	plan.slept_ms += (unsigned int)(time->tv_nsec / 1000000);
	plan.has_overslept |= time->tv_nsec > 2000000;
	return plan.no_sleep ? 0 : __real_nanosleep(time, left);
}

int __wrap_flock(int fd, int how)
{
	return step("lock") ? -1 : __real_flock(fd, how);
}

static void plan_nothing(void)
{
	memset(&plan, 0, sizeof(plan));
}

/* ---- helpers ---- */

static int append(const char *path, const char *export, struct smap_error *err)
{
	struct smap_save_input input = fixture_input(export);

	return smap_store_append(path, &input, 1, err);
}

static void appended(const char *path, const char *export)
{
	struct smap_error err = { "" };

	if (append(path, export, &err))
		fail_msg("%s", err.text);
}

static struct smap_store *opened(const char *path)
{
	struct smap_store *store = NULL;
	struct smap_error err = { "" };

	if (smap_store_open(path, &store, &err))
		fail_msg("%s", err.text);
	return store;
}

/* The file is sound and holds these exports. */
static void file_holds(const char *path, size_t nr, const char *const *exports)
{
	struct smap_store *store = opened(path);
	size_t i;

	assert_int_equal(smap_store_nr_saves(store), nr);
	for (i = 0; i < nr; i++)
		fixture_holds(store, i, exports[i]);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
}
#define FILE_HOLDS(path, ...)								\
	file_holds(path, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),	\
		   (const char *[]){ __VA_ARGS__ })

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

/* ---- without accidents ---- */

static void a_file_is_made_where_there_is_none(void **state)
{
	const char *path = fixture_path("a.stackmap");

	appended(path, fixture_gen1);
	FILE_HOLDS(path, fixture_gen1);
	assert_int_equal(fixture_nr_files(), 1);
}

static void a_save_is_put_behind_those_that_are_there(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_buf before = SMAP_BUF_INIT, after = SMAP_BUF_INIT;

	appended(path, fixture_gen1);
	fixture_read(path, &before);
	appended(path, fixture_gen2);
	appended(path, fixture_text4);
	FILE_HOLDS(path, fixture_gen1, fixture_gen2, fixture_text4);
	fixture_read(path, &after);
	assert_memory_equal(after.data, before.data, before.len);
	assert_int_equal(fixture_nr_files(), 1);
	smap_buf_free(&before);
	smap_buf_free(&after);
}

static void several_saves_are_appended_in_one_go(void **state)
{
	struct smap_save_input inputs[] = {
		fixture_input(fixture_gen1), fixture_input(fixture_gen2),
	};
	const char *path = fixture_path("a.stackmap");

	assert_int_equal(smap_store_append(path, inputs, 2, NULL), 0);
	assert_int_equal(smap_store_append(path, inputs, 2, NULL), 0);
	FILE_HOLDS(path, fixture_gen1, fixture_gen2, fixture_gen1, fixture_gen2);
}

static void every_file_has_an_id_of_its_own(void **state)
{
	struct smap_buf a = SMAP_BUF_INIT, b = SMAP_BUF_INIT;

	appended(fixture_path("a.stackmap"), fixture_gen1);
	appended(fixture_path("b.stackmap"), fixture_gen1);
	fixture_read(fixture_path("a.stackmap"), &a);
	fixture_read(fixture_path("b.stackmap"), &b);
	assert_memory_not_equal(a.data + offsetof(struct smap_store_header, store_id),
				b.data + offsetof(struct smap_store_header, store_id), 8);
	smap_buf_free(&a);
	smap_buf_free(&b);
}

static void a_name_without_a_folder_is_in_the_current_one(void **state)
{
	int here = open(".", O_RDONLY | O_DIRECTORY);
	char folder[256];

	strcpy(folder, fixture_path(""));
	assert_int_equal(chdir(folder), 0);
	appended("a.stackmap", fixture_gen1);
	FILE_HOLDS("a.stackmap", fixture_gen1);
	assert_int_equal(fchdir(here), 0);
	close(here);
	assert_true(is_there(fixture_path("a.stackmap")));
}

static void a_file_may_be_named_through_a_link(void **state)
{
	const char *path = fixture_path("a.stackmap"), *link = fixture_path("link");

	appended(path, fixture_gen1);
	assert_int_equal(symlink("a.stackmap", link), 0);
	appended(link, fixture_gen2);
	FILE_HOLDS(path, fixture_gen1, fixture_gen2);
}

static void nothing_to_write_makes_no_file(void **state)
{
	assert_int_equal(smap_store_append(fixture_path("a.stackmap"), NULL, 0, NULL), -EINVAL);
	assert_int_equal(fixture_nr_files(), 0);
}

static void an_export_that_is_none_makes_no_file(void **state)
{
	struct smap_error err;

	assert_int_equal(append(fixture_path("a.stackmap"), "no export", &err), -EINVAL);
	assert_non_null(strstr(err.text, "/a.stackmap: export: "));
	assert_int_equal(fixture_nr_files(), 0);
}

static void a_second_export_that_is_none_leaves_the_file_as_it_was(void **state)
{
	struct smap_save_input inputs[] = {
		fixture_input(fixture_gen2), fixture_input("no export"),
	};
	const char *path = fixture_path("a.stackmap");

	appended(path, fixture_gen1);
	assert_int_equal(smap_store_append(path, inputs, 2, NULL), -EINVAL);
	FILE_HOLDS(path, fixture_gen1);
}

static void a_new_file_is_durable_before_its_name_and_its_name_before_success(void **state)
{
	plan_nothing();
	appended(fixture_path("a.stackmap"), fixture_gen1);
	/* The folder for leftovers; the file, which is not there; the temporary one. */
	assert_string_equal(plan.calls,
			    "open open open lock write sync close rename sync close close ");
	unlink(fixture_path("a.stackmap"));
	plan_nothing();
	plan.no_rename = true;
	appended(fixture_path("a.stackmap"), fixture_gen1);
	assert_string_equal(plan.calls,
			    "open open open lock write sync close link unlink sync close close ");
	plan_nothing();
}

static void a_save_is_durable_before_success(void **state)
{
	appended(fixture_path("a.stackmap"), fixture_gen1);
	plan_nothing();
	appended(fixture_path("a.stackmap"), fixture_gen2);
	/* The first close is that of what read the header. */
	assert_string_equal(plan.calls, "open open lock close write sync close sync close close ");
}

/* ---- what is there and is no store ---- */

static void refused(const char *path, int code, const char *words)
{
	struct smap_error err = { "" };

	assert_int_equal(append(path, fixture_gen1, &err), code);
	assert_int_equal(errno, -code);
	assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void left_alone(const char *content, size_t len, int code, const char *words)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_buf after = SMAP_BUF_INIT;

	fixture_write(path, content, len);
	refused(path, code, words);
	fixture_read(path, &after);
	assert_int_equal(after.len, len);
	if (len)
		assert_memory_equal(after.data, content, len);
	assert_int_equal(fixture_nr_files(), 1);
	smap_buf_free(&after);
}

static void a_file_of_another_kind_is_never_overwritten(void **state)
{
	left_alone("My letters\n", 11, -EEXIST, "is there and is no saved-map file");
	left_alone(fixture_gen1, strlen(fixture_gen1), -EEXIST,
		   "is there and is no saved-map file");
}

static void empty_and_zeroed_files_are_never_overwritten(void **state)
{
	static const char zeros[5000];

	left_alone("", 0, -EBADMSG, "damaged, not written to: empty");
	left_alone(zeros, sizeof(zeros), -EBADMSG, "damaged, not written to: zeros");
	left_alone(zeros, 3, -EBADMSG, "damaged, not written to: cut in its file header");
	left_alone(SMAP_STORE_MAGIC, 8, -EBADMSG,
		   "damaged, not written to: cut in its file header");
}

static void a_store_with_a_damaged_header_is_left_alone(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	fixture_add_block(&buf, fixture_gen2);
	buf.data[30] ^= 1;
	left_alone(buf.data, buf.len, -EBADMSG, "damaged, not written to: file header: ");
	buf.data[30] ^= 1;
	buf.data[0] ^= 1;
	left_alone(buf.data, buf.len, -EBADMSG, "damaged, not written to: file header: ");
	smap_buf_free(&buf);
}

static void a_store_of_a_newer_version_is_left_alone(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_add_header(&buf);
	buf.data[offsetof(struct smap_store_header, version)] = 2;
	fixture_seal_header(&buf);
	left_alone(buf.data, buf.len, -EOPNOTSUPP, "written by a newer version");
	smap_buf_free(&buf);
}

static void what_is_no_regular_file_is_refused(void **state)
{
	const char *path = fixture_path("fifo");

	assert_int_equal(mkfifo(path, 0600), 0);
	refused(path, -EEXIST, "is there and is no regular file");
	refused("/dev/null", -EEXIST, "is there and is no regular file");
	refused("/", -EISDIR, "a file name is missing");
	refused("/tmp", -EISDIR, "Is a directory");
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	refused(fixture_path("nowhere/a.stackmap"), -ENOENT,
		"its folder: No such file or directory");
}

static void a_link_to_nowhere_is_no_endless_loop(void **state)
{
	const char *path = fixture_path("a.stackmap");

	assert_int_equal(symlink("nowhere", path), 0);
	refused(path, -EEXIST, "a symbolic link to a file that is not there");
	assert_int_equal(fixture_nr_files(), 1);
}

/* ---- torn tails ---- */

static void the_next_save_is_found_behind_a_tail_torn_anywhere(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_buf whole = SMAP_BUF_INIT;
	struct smap_store *store;
	size_t first, len;

	fixture_add_header(&whole);
	first = fixture_add_block(&whole, fixture_gen1) + fixture_block_len(&whole, 56);
	fixture_add_block(&whole, fixture_text4);
	for (len = first + 1; len < whole.len; len++) {
		fixture_write(path, whole.data, len);
		appended(path, fixture_gen2);
		store = opened(path);
		assert_int_equal(smap_store_nr_saves(store), 2);
		fixture_holds(store, 0, fixture_gen1);
		fixture_holds(store, 1, fixture_gen2);
		assert_int_equal(smap_store_nr_damages(store), 1);
		fixture_damaged(store, 0, first, (len + 7) / 8 * 8 - first, "");
		smap_store_close(store);
	}
	smap_buf_free(&whole);
}

/* ---- accidents ---- */

static const int codes[] = { ENOSPC, EIO, EDQUOT };

/*
 * Let each step of @fn fail in turn; @check looks at what is left. Returns how many steps there
 * are.
 */
static unsigned int fail_each_step(int (*fn)(void), void (*check)(int ret, int code),
				   bool all_after)
{
	unsigned int at, nr;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (at = 1; ; at++) {
			plan.nr_steps = 0;
			plan.at = at;
			plan.code = codes[i];
			plan.all_after = all_after;
			ret = fn();
			nr = plan.nr_steps;
			plan.at = 0;
			check(ret, codes[i]);
			if (nr < at)
				break;
		}
		assert_int_equal(ret, 0);
	}
	return nr;
}

static int make_file(void)
{
	struct smap_error err = { "" };
	int ret = append(fixture_path("new.stackmap"), fixture_gen1, &err);

	if (ret)
		assert_non_null(strstr(err.text, "/new.stackmap: "));
	return ret;
}

/* All or nothing; a call whose failure costs nothing may fail. */
static void check_made_file(int ret, int code)
{
	const char *path = fixture_path("new.stackmap");

	if (ret) {
		assert_int_equal(ret, -code);
		assert_false(is_there(path));
		assert_int_equal(fixture_nr_files(), 0);
		return;
	}
	FILE_HOLDS(path, fixture_gen1);
	/* Made by a second name, it can keep the temporary one: the next writer removes that. */
	if (plan.no_rename && fixture_nr_files() == 2)
		appended(path, fixture_gen2);
	assert_int_equal(fixture_nr_files(), 1);
	assert_int_equal(unlink(path), 0);
}

static void a_file_is_made_whole_or_not_at_all(void **state)
{
	plan_nothing();
	assert_uint_in_range(fail_each_step(make_file, check_made_file, false), 10, 100);
}

static void a_file_is_made_without_rename_whole_or_not_at_all(void **state)
{
	plan_nothing();
	plan.no_rename = true;
	assert_uint_in_range(fail_each_step(make_file, check_made_file, false), 10, 100);
	plan_nothing();
}

static int extend_file(void)
{
	return append(fixture_path("a.stackmap"), fixture_gen2, NULL);
}

/* It holds what it held, or that and the new save. Either way it is as before again afterwards. */
static void check_extended_file(int ret, int code)
{
	const char *path = fixture_path("a.stackmap");

	if (ret) {
		assert_int_equal(ret, -code);
		FILE_HOLDS(path, fixture_gen1);
		return;
	}
	FILE_HOLDS(path, fixture_gen1, fixture_gen2);
	assert_int_equal(unlink(path), 0);
	appended(path, fixture_gen1);
}

static void a_file_is_extended_or_as_it_was(void **state)
{
	plan_nothing();
	appended(fixture_path("a.stackmap"), fixture_gen1);
	assert_uint_in_range(fail_each_step(extend_file, check_extended_file, false), 8, 100);
}

/*
 * Where it cannot be cut back either: a torn tail, or the save itself, and never less than
 * before.
 */
static void check_at_worst_torn(int ret, int code)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_store *store = opened(path);

	assert_true(smap_store_nr_saves(store) >= 1);
	fixture_holds(store, 0, fixture_gen1);
	smap_store_close(store);
	assert_int_equal(unlink(path), 0);
	appended(path, fixture_gen1);
}

static void a_disk_that_stays_full_costs_nothing_that_was_there(void **state)
{
	plan_nothing();
	plan.short_write = 100;
	appended(fixture_path("a.stackmap"), fixture_gen1);
	fail_each_step(extend_file, check_at_worst_torn, true);
	plan_nothing();
}

static void short_writes_are_continued(void **state)
{
	const char *path = fixture_path("a.stackmap");

	plan_nothing();
	plan.short_write = 7;
	appended(path, fixture_gen1);
	appended(path, fixture_gen2);
	FILE_HOLDS(path, fixture_gen1, fixture_gen2);
	plan_nothing();
}

static void interrupted_calls_are_repeated(void **state)
{
	const char *path = fixture_path("a.stackmap");
	unsigned int nr_repeated = 0, nr, i;

	/* Those that are not repeated fail, and leave nothing. */
	plan_nothing();
	appended(path, fixture_gen1);
	nr = plan.nr_steps;
	for (i = 1; i <= nr; i++) {
		unlink(path);
		plan_nothing();
		plan.at = i;
		plan.code = EINTR;
		if (append(path, fixture_gen1, NULL))
			assert_int_equal(fixture_nr_files(), 0);
		else
			nr_repeated++;
		plan_nothing();
	}
	assert_true(nr_repeated >= 5);
}

/* ---- kills ---- */

/* Run @fn in a process that ends at step @at. Returns false once it comes to its own end. */
static bool kill_at(unsigned int at, int (*fn)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		plan_nothing();
		plan.short_write = 100;
		plan.at = at;
		_exit(fn() ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) != 99)
		assert_int_equal(WEXITSTATUS(status), 0);
	return WEXITSTATUS(status) == 99;
}

static void a_writer_killed_while_it_makes_a_file_leaves_none_or_a_whole_one(void **state)
{
	const char *path = fixture_path("new.stackmap");
	unsigned int at;
	bool killed;

	for (at = 1; ; at++) {
		killed = kill_at(at, make_file);
		if (is_there(path))
			FILE_HOLDS(path, fixture_gen1);
		assert_true(fixture_nr_files() <= 2);
		/* The next one makes or extends it, and leaves nothing else behind. */
		plan_nothing();
		appended(path, fixture_gen2);
		assert_int_equal(fixture_nr_files(), 1);
		unlink(path);
		if (!killed)
			break;
	}
	assert_true(at > 10);
}

static void a_writer_killed_while_it_extends_a_file_costs_only_its_own_save(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_store *store;
	unsigned int at;
	size_t nr;
	bool killed;

	for (at = 1; ; at++) {
		plan_nothing();
		appended(path, fixture_gen1);
		killed = kill_at(at, extend_file);
		store = opened(path);
		fixture_holds(store, 0, fixture_gen1);
		nr = smap_store_nr_saves(store);
		smap_store_close(store);
		appended(path, fixture_text4);
		store = opened(path);
		fixture_holds(store, 0, fixture_gen1);
		fixture_holds(store, nr, fixture_text4);
		assert_int_equal(smap_store_nr_saves(store), nr + 1);
		smap_store_close(store);
		assert_int_equal(fixture_nr_files(), 1);
		unlink(path);
		if (!killed)
			break;
	}
	assert_true(at > 8);
}

/* Cleaning up fails, too, with another errno. */
static void a_lock_that_fails_is_told_with_its_own_errno(void **state)
{
	struct smap_error err = { "" };

	plan_nothing();
	/* Behind the looks for leftovers and for the file, and a temporary one. */
	plan.at = 4;
	plan.code = ENOLCK;
	plan.cleanup_code = EACCES;
	assert_int_equal(append(fixture_path("a.stackmap"), fixture_gen1, &err), -ENOLCK);
	assert_string_equal(plan.calls, "open open open lock unlink close close ");
	plan_nothing();
	assert_non_null(strstr(err.text, "lock: No locks available"));
}

/* ---- leftovers ---- */

static const char leftover[] = ".stackmap-0123456789abcdef.tmp";

static void leftovers_are_removed_by_the_next_writer(void **state)
{
	fixture_write(fixture_path(leftover), SMAP_STORE_MAGIC, 8);
	fixture_write(fixture_path(".stackmap-0000000000000000.tmp"), "", 0);
	appended(fixture_path("a.stackmap"), fixture_gen1);
	assert_int_equal(fixture_nr_files(), 1);
}

static void a_temporary_file_in_use_is_left_alone(void **state)
{
	int fd;

	fixture_write(fixture_path(leftover), SMAP_STORE_MAGIC, 8);
	fd = open(fixture_path(leftover), O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	appended(fixture_path("a.stackmap"), fixture_gen1);
	assert_true(is_there(fixture_path(leftover)));
	close(fd);
	appended(fixture_path("a.stackmap"), fixture_gen1);
	assert_false(is_there(fixture_path(leftover)));
}

static void files_of_others_are_left_alone(void **state)
{
	fixture_write(fixture_path(leftover), "by chance\n", 10);
	fixture_write(fixture_path(".stackmap-0123456789abcdeg.tmp"), "", 0);
	fixture_write(fixture_path(".stackmap-0123456789abcdef.tmp.old"), "", 0);
	fixture_write(fixture_path("stackmap-0123456789abcdef.tmp"), "", 0);
	assert_int_equal(symlink("nowhere", fixture_path(".stackmap-1111111111111111.tmp")), 0);
	assert_int_equal(mkdir(fixture_path(".stackmap-2222222222222222.tmp"), 0700), 0);
	appended(fixture_path("a.stackmap"), fixture_gen1);
	assert_int_equal(fixture_nr_files(), 7);
}

/* ---- several writers ---- */

static void a_writer_waits_for_another(void **state)
{
	const char *path = fixture_path("a.stackmap");
	int fd, status;
	pid_t child;

	appended(path, fixture_gen1);
	fd = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	child = fork();
	if (!child) {
		close(fd);
		_exit(append(path, fixture_gen2, NULL) ? 1 : 0);
	}
	poll(NULL, 0, 100);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	FILE_HOLDS(path, fixture_gen1);
	close(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	FILE_HOLDS(path, fixture_gen1, fixture_gen2);
}

/* By a process that is stopped. */
static void one_that_stays_locked_is_given_up(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_error err = { "" };
	int fd;

	appended(path, fixture_gen1);
	fd = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	plan.no_sleep = plan.interrupts = true;
	assert_int_equal(append(path, fixture_gen2, &err), -ETIMEDOUT);
	assert_true(plan.slept_ms > 29000 && plan.slept_ms <= 30000);
	assert_false(plan.has_overslept);
	plan_nothing();
	assert_non_null(strstr(err.text, "a.stackmap: another process has had it locked for 30 s"));
	close(fd);
	FILE_HOLDS(path, fixture_gen1);
}

static void a_file_that_was_replaced_meanwhile_is_looked_for_again(void **state)
{
	const char *path = fixture_path("a.stackmap"), *other = fixture_path("b.stackmap");
	int fd, status;
	pid_t child;

	appended(path, fixture_gen1);
	appended(other, fixture_text4);
	fd = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	child = fork();
	if (!child) {
		close(fd);
		_exit(append(path, fixture_gen2, NULL) ? 1 : 0);
	}
	poll(NULL, 0, 100);
	assert_int_equal(rename(other, path), 0);
	close(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	FILE_HOLDS(path, fixture_text4, fixture_gen2);
}

#define NR_WRITERS	8
#define NR_SAVES	10

static void write_some(const char *path)
{
	int i;

	for (i = 0; i < NR_SAVES; i++)
		if (append(path, fixture_gen1, NULL))
			_exit(1);
	_exit(0);
}

static void writers_at_once_lose_nothing(void **state)
{
	const char *path = fixture_path("a.stackmap");
	struct smap_store *store;
	int i, status;

	for (i = 0; i < NR_WRITERS; i++)
		if (!fork())
			write_some(path);
	for (i = 0; i < NR_WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	store = opened(path);
	assert_int_equal(smap_store_nr_saves(store), NR_WRITERS * NR_SAVES);
	assert_int_equal(fixture_verify(store, NULL), 0);
	smap_store_close(store);
	assert_int_equal(fixture_nr_files(), 1);
}

/* ---- resources ---- */

static size_t nr_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static int append_once(void *data)
{
	struct smap_error err;
	int ret = append(data, fixture_gen1, &err);

	if (!ret)
		unlink(data);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	char *path = strdup(fixture_path("a.stackmap"));
	size_t before = nr_open_files();

	plan_nothing();
	alloc_fail_each(append_once, path);
	assert_int_equal(fixture_nr_files(), 0);
	assert_int_equal(nr_open_files(), before);
	free(path);
}

static int append_behind(void *data)
{
	struct smap_error err;

	return append(data, fixture_gen1, &err);
}

static void no_allocation_that_fails_while_appending_does_harm(void **state)
{
	char *path = strdup(fixture_path("a.stackmap"));
	size_t before = nr_open_files();

	plan_nothing();
	appended(path, fixture_gen1);
	alloc_fail_each(append_behind, path);
	FILE_HOLDS(path, fixture_gen1, fixture_gen1, fixture_gen1);
	assert_int_equal(nr_open_files(), before);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_file_is_made_where_there_is_none),
		FOLDER_TEST(a_save_is_put_behind_those_that_are_there),
		FOLDER_TEST(several_saves_are_appended_in_one_go),
		FOLDER_TEST(every_file_has_an_id_of_its_own),
		FOLDER_TEST(a_name_without_a_folder_is_in_the_current_one),
		FOLDER_TEST(a_file_may_be_named_through_a_link),
		FOLDER_TEST(nothing_to_write_makes_no_file),
		FOLDER_TEST(an_export_that_is_none_makes_no_file),
		FOLDER_TEST(a_second_export_that_is_none_leaves_the_file_as_it_was),
		FOLDER_TEST(a_new_file_is_durable_before_its_name_and_its_name_before_success),
		FOLDER_TEST(a_save_is_durable_before_success),
		FOLDER_TEST(a_file_of_another_kind_is_never_overwritten),
		FOLDER_TEST(empty_and_zeroed_files_are_never_overwritten),
		FOLDER_TEST(a_store_with_a_damaged_header_is_left_alone),
		FOLDER_TEST(a_store_of_a_newer_version_is_left_alone),
		FOLDER_TEST(what_is_no_regular_file_is_refused),
		FOLDER_TEST(a_folder_that_is_not_there_is_named),
		FOLDER_TEST(a_link_to_nowhere_is_no_endless_loop),
		FOLDER_TEST(the_next_save_is_found_behind_a_tail_torn_anywhere),
		FOLDER_TEST(a_file_is_made_whole_or_not_at_all),
		FOLDER_TEST(a_file_is_made_without_rename_whole_or_not_at_all),
		FOLDER_TEST(a_file_is_extended_or_as_it_was),
		FOLDER_TEST(a_disk_that_stays_full_costs_nothing_that_was_there),
		FOLDER_TEST(short_writes_are_continued),
		FOLDER_TEST(interrupted_calls_are_repeated),
		FOLDER_TEST(a_writer_killed_while_it_makes_a_file_leaves_none_or_a_whole_one),
		FOLDER_TEST(a_writer_killed_while_it_extends_a_file_costs_only_its_own_save),
		FOLDER_TEST(a_lock_that_fails_is_told_with_its_own_errno),
		FOLDER_TEST(leftovers_are_removed_by_the_next_writer),
		FOLDER_TEST(a_temporary_file_in_use_is_left_alone),
		FOLDER_TEST(files_of_others_are_left_alone),
		FOLDER_TEST(a_writer_waits_for_another),
		FOLDER_TEST(one_that_stays_locked_is_given_up),
		FOLDER_TEST(a_file_that_was_replaced_meanwhile_is_looked_for_again),
		FOLDER_TEST(writers_at_once_lose_nothing),
		FOLDER_TEST(no_allocation_that_fails_does_harm),
		FOLDER_TEST(no_allocation_that_fails_while_appending_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
