// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "store/reader.h"

static bool everything(const void *data, size_t len)
{
	return true;
}

static bool nothing(const void *data, size_t len)
{
	return false;
}

static void has(struct smap_reader *reader, const char *text)
{
	char room[64] = "";

	assert_int_equal(reader->len, strlen(text));
	assert_int_equal(smap_reader_read(reader, 0, room, strlen(text), NULL), 0);
	assert_string_equal(room, text);
}

static void a_file_is_read_where_one_asks(void **state)
{
	const char *path = fixture_path("file");
	struct smap_reader reader;
	char room[4];

	fixture_write(path, "0123456789", 10);
	assert_int_equal(smap_reader_open(&reader, path, everything, NULL), 0);
	has(&reader, "0123456789");
	assert_int_equal(smap_reader_read(&reader, 6, room, 4, NULL), 0);
	assert_memory_equal(room, "6789", 4);
	assert_int_equal(smap_reader_read(&reader, 10, room, 0, NULL), 0);
	smap_reader_close(&reader);
}

static void a_read_past_the_end_is_refused(void **state)
{
	struct smap_reader reader;
	struct smap_error err;
	char room[8];

	smap_reader_open_memory(&reader, "0123456789", 10);
	assert_int_equal(smap_reader_read(&reader, 3, room, 8, &err), -EBADMSG);
	assert_int_equal(smap_reader_read(&reader, 11, room, 0, &err), -EBADMSG);
	assert_int_equal(smap_reader_read(&reader, UINT64_MAX, room, 2, &err), -EBADMSG);
	assert_int_equal(smap_reader_read(&reader, 2, room, SIZE_MAX, &err), -EBADMSG);
	assert_string_equal(err.text, "ends at byte 10");
	smap_reader_close(&reader);
}

static void a_file_that_is_cut_short_while_it_is_open_gives_an_error(void **state)
{
	const char *path = fixture_path("file");
	struct smap_reader reader;
	struct smap_error err;
	char room[10];

	fixture_write(path, "0123456789", 10);
	assert_int_equal(smap_reader_open(&reader, path, everything, NULL), 0);
	assert_int_equal(truncate(path, 5), 0);
	assert_int_equal(smap_reader_read(&reader, 0, room, 10, &err), -EBADMSG);
	assert_string_equal(err.text, "cut short while it was read");
	smap_reader_close(&reader);
}

static void a_part_of_a_file_begins_at_its_own_byte_0(void **state)
{
	const char *path = fixture_path("file");
	struct smap_reader reader;
	int fd;

	fixture_write(path, "0123456789", 10);
	fd = open(path, O_RDONLY);
	assert_int_equal(smap_reader_open_fd(&reader, fd, 7, everything, NULL), 0);
	has(&reader, "789");
	/* The caller's position is the caller's. */
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
	has(&reader, "789");
	smap_reader_close(&reader);
}

static void there_is_no_part_behind_the_end(void **state)
{
	const char *path = fixture_path("file");
	struct smap_reader reader;
	struct smap_error err;
	int fd;

	fixture_write(path, "0123456789", 10);
	fd = open(path, O_RDONLY);
	assert_int_equal(smap_reader_open_fd(&reader, fd, 10, everything, &err), -EINVAL);
	assert_string_equal(err.text, "nothing stands at byte 10");
	assert_int_equal(smap_reader_open_fd(&reader, fd, UINT64_MAX, everything, NULL), -EINVAL);
	close(fd);
}

static void a_file_that_says_it_is_empty_is_read_all_the_same(void **state)
{
	struct smap_reader reader;
	char room[6];

	assert_int_equal(smap_reader_open(&reader, "/proc/version", everything, NULL), 0);
	assert_true(reader.len > 6);
	assert_int_equal(smap_reader_read(&reader, 0, room, 6, NULL), 0);
	assert_memory_equal(room, "Linux ", 6);
	smap_reader_close(&reader);
}

static void a_pipe_is_read_to_its_end(void **state)
{
	struct smap_reader reader;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "through a pipe", 14), 14);
	close(fds[1]);
	assert_int_equal(smap_reader_open_fd(&reader, fds[0], 0, everything, NULL), 0);
	close(fds[0]);
	has(&reader, "through a pipe");
	smap_reader_close(&reader);
}

static void a_pipe_that_does_not_block_is_waited_for(void **state)
{
	struct smap_reader reader;
	int fds[2], status;
	pid_t child;

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	child = fork();
	if (!child) {
		poll(NULL, 0, 50);
		if (write(fds[1], "late", 4) != 4)
			_exit(1);
		poll(NULL, 0, 50);
		_exit(write(fds[1], "r", 1) != 1);
	}
	close(fds[1]);
	assert_int_equal(smap_reader_open_fd(&reader, fds[0], 0, everything, NULL), 0);
	close(fds[0]);
	has(&reader, "later");
	smap_reader_close(&reader);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void standard_input_is_read_from_where_it_stands(void **state)
{
	const char *path = fixture_path("file");
	int fd, saved = dup(STDIN_FILENO);
	struct smap_reader reader;

	fixture_write(path, "0123456789", 10);
	fd = open(path, O_RDONLY);
	assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	assert_int_equal(smap_reader_open(&reader, "-", everything, NULL), 0);
	has(&reader, "456789");
	smap_reader_close(&reader);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void an_endless_file_of_another_kind_is_not_swallowed(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_error err;

	assert_int_equal(smap_read_file("/dev/zero", nothing, &buf, &err), -EINVAL);
	assert_string_equal(err.text, "/dev/zero: no file of a known kind");
	assert_true(buf.len < 1 << 20);
	smap_buf_free(&buf);
}

static void what_is_wanted_is_asked_of_short_files_too(void **state)
{
	const char *path = fixture_path("file");
	struct smap_buf buf = SMAP_BUF_INIT;

	fixture_write(path, "short", 5);
	assert_int_equal(smap_read_file(path, nothing, &buf, NULL), -EINVAL);
	smap_buf_reset(&buf);
	assert_int_equal(smap_read_file(path, everything, &buf, NULL), 0);
	assert_string_equal(buf.data, "short");
	smap_buf_reset(&buf);
	assert_int_equal(smap_read_file(path, NULL, &buf, NULL), 0);
	assert_string_equal(buf.data, "short");
	smap_buf_free(&buf);
}

static void a_file_that_is_not_there_is_named(void **state)
{
	const char *path = fixture_path("\033[2Jnowhere");
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_reader reader;
	struct smap_error err;

	assert_int_equal(smap_read_file(path, NULL, &buf, &err), -ENOENT);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "/\\x1b[2Jnowhere: No such file or directory"));
	assert_int_equal(smap_reader_open(&reader, path, NULL, &err), -ENOENT);
	assert_int_equal(smap_read_file("/", NULL, &buf, &err), -EISDIR);
	smap_buf_free(&buf);
}

static int open_and_read(void *data)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_reader reader;
	struct smap_error err;
	int ret;

	ret = smap_read_file(data, everything, &buf, &err);
	smap_buf_free(&buf);
	if (ret)
		return ret;
	ret = smap_reader_open(&reader, data, everything, &err);
	if (!ret)
		smap_reader_close(&reader);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	char path[] = "/proc/version";

	alloc_fail_each(open_and_read, path);
}

/* Results that a read gives once, instead of reading. */
static int next_errno;
static unsigned int nr_times;
ssize_t __real_read(int fd, void *room, size_t len);
ssize_t __wrap_read(int fd, void *room, size_t len);

ssize_t __wrap_read(int fd, void *room, size_t len)
{
	if (!nr_times)
		return __real_read(fd, room, len);
	nr_times--;
	errno = next_errno;
	return -1;
}

static int read_with(int code, unsigned int times)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	int ret;

	next_errno = code;
	nr_times = times;
	ret = smap_read_file("/proc/version", everything, &buf, NULL);
	nr_times = 0;
	smap_buf_free(&buf);
	return ret;
}

static void an_interrupted_read_is_repeated(void **state)
{
	assert_int_equal(read_with(EINTR, 5000), 0);
	assert_int_equal(read_with(EAGAIN, 5), 0);
}

static void a_file_that_is_never_ready_is_given_up(void **state)
{
	assert_int_equal(read_with(EAGAIN, UINT32_MAX), -EAGAIN);
}

static void any_other_failure_ends_reading(void **state)
{
	assert_int_equal(read_with(EIO, 1), -EIO);
	assert_int_equal(read_with(ESTALE, 1), -ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_file_is_read_where_one_asks),
		cmocka_unit_test(a_read_past_the_end_is_refused),
		FOLDER_TEST(a_file_that_is_cut_short_while_it_is_open_gives_an_error),
		FOLDER_TEST(a_part_of_a_file_begins_at_its_own_byte_0),
		FOLDER_TEST(there_is_no_part_behind_the_end),
		cmocka_unit_test(a_file_that_says_it_is_empty_is_read_all_the_same),
		cmocka_unit_test(a_pipe_is_read_to_its_end),
		cmocka_unit_test(a_pipe_that_does_not_block_is_waited_for),
		FOLDER_TEST(standard_input_is_read_from_where_it_stands),
		cmocka_unit_test(an_endless_file_of_another_kind_is_not_swallowed),
		FOLDER_TEST(what_is_wanted_is_asked_of_short_files_too),
		FOLDER_TEST(a_file_that_is_not_there_is_named),
		cmocka_unit_test(no_allocation_that_fails_does_harm),
		cmocka_unit_test(an_interrupted_read_is_repeated),
		cmocka_unit_test(a_file_that_is_never_ready_is_given_up),
		cmocka_unit_test(any_other_failure_ends_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
