// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "tracefile.h"

/* Position of trace-cmd's library while it loads plugins. */
#define BEHIND_BYTE_ORDER	13

static const char header[] = "\x17\x08\x44tracing7\0\0\x08\x00\x10\0\0none\0\0and what follows";

static char folder[] = "/tmp/stackmap-tracefile-XXXXXX";
static int claimed;

static bool is_claimed(int fd, dev_t dev, ino_t ino, void *data)
{
	return fd == claimed;
}

static int make_folder(void **state)
{
	return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static int forget_claims(void **state)
{
	claimed = -1;
	return 0;
}

static int open_at(const char *name, off_t position)
{
	int fd;

	fd = open(name, O_RDWR | O_CREAT, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, header, sizeof(header)), sizeof(header));
	assert_int_equal(lseek(fd, position, SEEK_SET), position);
	return fd;
}

static void expect_file(const char *name)
{
	struct smap_tracefile file;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(smap_tracefile_find(is_claimed, NULL, &file), 0);
	assert_string_equal(file.path, path);
	assert_true(file.fd >= 0);
	smap_tracefile_release(&file);
}

static void expect_none(void)
{
	struct smap_tracefile file;

	assert_int_equal(smap_tracefile_find(is_claimed, NULL, &file), -ENOENT);
	assert_int_equal(file.fd, -1);
	assert_null(file.path);
	smap_tracefile_release(&file);
}

static void the_file_is_the_one_that_stands_behind_its_byte_order(void **state)
{
	int before = open_at("before.dat", 0), now = open_at("now.dat", BEHIND_BYTE_ORDER);
	int after = open_at("after.dat", sizeof(header));

	expect_file("now.dat");
	close(before);
	close(now);
	close(after);
	unlink("before.dat");
	unlink("now.dat");
	unlink("after.dat");
}

static void a_file_that_was_opened_before_is_none(void **state)
{
	off_t position;
	int fd;

	expect_none();
	for (position = 0; position < (off_t)sizeof(header); position++) {
		fd = open_at("a.dat", position);
		/* From the magic up to and with the page size. */
		if (position >= 10 && position < 18)
			expect_file("a.dat");
		else
			expect_none();
		close(fd);
	}
	unlink("a.dat");
}

static void the_exact_position_wins_over_one_near_it(void **state)
{
	int near = open_at("near.dat", BEHIND_BYTE_ORDER - 1);
	int exact = open_at("exact.dat", BEHIND_BYTE_ORDER);
	int near_too = open_at("near_too.dat", BEHIND_BYTE_ORDER + 1);

	expect_file("exact.dat");
	close(exact);
	expect_none();
	close(near);
	expect_file("near_too.dat");
	close(near_too);
	unlink("near.dat");
	unlink("exact.dat");
	unlink("near_too.dat");
}

static void two_files_are_none_but_two_descriptors_of_one_are_one(void **state)
{
	int a = open_at("a.dat", BEHIND_BYTE_ORDER), b = open_at("b.dat", BEHIND_BYTE_ORDER);

	expect_none();
	close(b);
	b = dup(a);
	expect_file("a.dat");
	close(a);
	close(b);
	unlink("a.dat");
	unlink("b.dat");
}

static void a_claimed_descriptor_comes_last(void **state)
{
	int a = open_at("a.dat", BEHIND_BYTE_ORDER), b = open_at("b.dat", BEHIND_BYTE_ORDER);

	claimed = a;
	expect_file("b.dat");
	claimed = b;
	expect_file("a.dat");
	close(a);
	expect_file("b.dat");
	close(b);
	unlink("a.dat");
	unlink("b.dat");
}

static void other_files_are_none(void **state)
{
	int fd;

	fd = open("text", O_RDWR | O_CREAT, 0666);
	assert_int_equal(write(fd, "text that is long enough", 25), 25);
	lseek(fd, BEHIND_BYTE_ORDER, SEEK_SET);
	expect_none();
	/* No version, and a version that does not end. */
	assert_int_equal(pwrite(fd, header, 10, 0), 10);
	assert_int_equal(ftruncate(fd, 10), 0);
	expect_none();
	assert_int_equal(pwrite(fd, "77777777777777777777777777777777", 32, 10), 32);
	expect_none();
	close(fd);
	unlink("text");
}

static void a_deleted_file_keeps_its_name_until_another_takes_it(void **state)
{
	int fd = open_at("a.dat", BEHIND_BYTE_ORDER), other;
	struct smap_tracefile file;

	unlink("a.dat");
	expect_file("a.dat");
	assert_int_equal(smap_tracefile_find(is_claimed, NULL, &file), 0);
	assert_true(file.is_deleted);
	smap_tracefile_release(&file);

	other = open_at("a.dat", 0);
	assert_int_equal(smap_tracefile_find(is_claimed, NULL, &file), 0);
	assert_null(file.path);
	assert_true(file.fd >= 0);
	smap_tracefile_release(&file);
	close(other);
	close(fd);
	unlink("a.dat");
}

static void our_descriptor_has_its_own_position(void **state)
{
	int fd = open_at("a.dat", BEHIND_BYTE_ORDER);
	struct smap_tracefile file;

	assert_int_equal(smap_tracefile_find(is_claimed, NULL, &file), 0);
	assert_int_not_equal(file.fd, fd);
	assert_int_equal(file.claimed_fd, fd);
	assert_int_equal(fcntl(file.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	lseek(file.fd, 0, SEEK_SET);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), BEHIND_BYTE_ORDER);
	smap_tracefile_release(&file);
	close(fd);
	unlink("a.dat");
}

static int collect_alias(const char *path, void *data)
{
	assert_null(*(char **)data);
	*(char **)data = strdup(path);
	return 7;
}

/* The command line of the test has no such word: trace-cmd's default name stands for one. */
static void another_name_is_found(void **state)
{
	int fd = open_at("a.dat", BEHIND_BYTE_ORDER);
	struct smap_tracefile file;
	char *alias = NULL;

	assert_int_equal(smap_tracefile_find(is_claimed, NULL, &file), 0);
	assert_int_equal(smap_tracefile_for_each_alias(&file, collect_alias, &alias), 0);
	assert_null(alias);
	assert_int_equal(symlink("a.dat", "trace.dat"), 0);
	assert_int_equal(smap_tracefile_for_each_alias(&file, collect_alias, &alias), 7);
	assert_string_equal(alias, "trace.dat");
	free(alias);
	smap_tracefile_release(&file);
	assert_int_equal(smap_tracefile_for_each_alias(&file, collect_alias, &alias), 0);
	close(fd);
	unlink("a.dat");
	unlink("trace.dat");
}

static int find_once(void *data)
{
	struct smap_tracefile file;
	int ret;

	ret = smap_tracefile_find(is_claimed, NULL, &file);
	smap_tracefile_release(&file);
	if (ret)
		errno = -ret;
	return ret;
}

static void every_allocation_can_fail(void **state)
{
	int fd = open_at("a.dat", BEHIND_BYTE_ORDER);

	assert_true(alloc_fail_each(find_once, NULL) > 0);
	close(fd);
	unlink("a.dat");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_file_is_the_one_that_stands_behind_its_byte_order,
				       forget_claims),
		cmocka_unit_test_setup(a_file_that_was_opened_before_is_none, forget_claims),
		cmocka_unit_test_setup(the_exact_position_wins_over_one_near_it, forget_claims),
		cmocka_unit_test_setup(two_files_are_none_but_two_descriptors_of_one_are_one,
				       forget_claims),
		cmocka_unit_test_setup(a_claimed_descriptor_comes_last, forget_claims),
		cmocka_unit_test_setup(other_files_are_none, forget_claims),
		cmocka_unit_test_setup(a_deleted_file_keeps_its_name_until_another_takes_it,
				       forget_claims),
		cmocka_unit_test_setup(our_descriptor_has_its_own_position, forget_claims),
		cmocka_unit_test_setup(another_name_is_found, forget_claims),
		cmocka_unit_test_setup(every_allocation_can_fail, forget_claims),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
