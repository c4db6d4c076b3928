// SPDX-License-Identifier: GPL-2.0-or-later
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
#include <unistd.h>
#include <cmocka.h>

#include "alloc-fail.h"
#include "stackmap.h"

/* Names, each with a blank behind it; ends at the name @stop. */
struct seen {
	char		text[512];
	const char	*stop;
};

static int see(const char *path, void *data)
{
	struct seen *seen = data;

	strcat(seen->text, path);
	strcat(seen->text, " ");
	return seen->stop && !strcmp(path, seen->stop) ? -EIO : 0;
}

static void stand_for(const char *paths, const char *wanted)
{
	struct seen seen = { "", NULL };

	assert_int_equal(stackmap_each_file(paths, see, &seen), 0);
	assert_string_equal(seen.text, wanted);
}

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int set_up(void **state)
{
	char folder[] = "/tmp/core-files.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	*state = strdup(folder);
	mkdir("many", 0700);
	make("many/b.stackmap");
	make("many/a.stackmap");
	make("many/a.stackmap.old");
	make("many/.stackmap-0123456789abcdef.tmp");
	make("many/.stackmap");
	make("many/trace.dat");
	mkdir("none", 0700);
	make("with:colon");
	return 0;
}

static int tear_down(void **state)
{
	const char *const files[] = {
		"many/b.stackmap", "many/a.stackmap", "many/a.stackmap.old",
		"many/.stackmap-0123456789abcdef.tmp", "many/.stackmap", "many/trace.dat",
		"with:colon",
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	rmdir("many");
	rmdir("none");
	rmdir(*state);
	free(*state);
	return 0;
}

static void one_stands_for_itself(void **state)
{
	stand_for("trace.dat.stackmap", "trace.dat.stackmap ");
	stand_for("nowhere/x", "nowhere/x ");
	stand_for("-", "- ");
	stand_for("with:colon", "with:colon ");
}

static void several_have_colons_between_them(void **state)
{
	stand_for("a:b", "a b ");
	stand_for(":a::b:", "a b ");
	stand_for("::", "");
}

static void a_folder_stands_for_its_saved_maps(void **state)
{
	stand_for("many", "many/a.stackmap many/b.stackmap ");
	stand_for("x:many:y", "x many/a.stackmap many/b.stackmap y ");
	stand_for("none", "none ");
}

static void it_ends_where_it_is_told(void **state)
{
	struct seen seen = { "", "many/a.stackmap" };

	assert_int_equal(stackmap_each_file("x:many:y", see, &seen), -EIO);
	assert_string_equal(seen.text, "x many/a.stackmap ");
}

static int each(void *data)
{
	struct seen seen = { "", NULL };
	int ret = stackmap_each_file("x:many:y", see, &seen);

	assert_true(!ret || ret == -ENOMEM);
	if (!ret)
		assert_string_equal(seen.text, "x many/a.stackmap many/b.stackmap y ");
	return ret;
}

static void memory_may_run_out(void **state)
{
	alloc_fail_each(each, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_stands_for_itself),
		cmocka_unit_test(several_have_colons_between_them),
		cmocka_unit_test(a_folder_stands_for_its_saved_maps),
		cmocka_unit_test(it_ends_where_it_is_told),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
