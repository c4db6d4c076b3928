// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"

static void code_errno_and_words_go_together(void **state)
{
	struct smap_error err;

	errno = 0;
	assert_int_equal(smap_error_set(&err, -EBADMSG, "record %d: bad size", 3), -EBADMSG);
	assert_int_equal(errno, EBADMSG);
	assert_string_equal(err.text, "record 3: bad size");
}

static void each_layer_puts_its_place_in_front(void **state)
{
	struct smap_error err;

	smap_error_set(&err, -EIO, "bad size");
	smap_error_prefix(&err, -EIO, "record %d", 3);
	errno = 0;
	assert_int_equal(smap_error_prefix(&err, -EIO, "%s", "map"), -EIO);
	assert_int_equal(errno, EIO);
	assert_string_equal(err.text, "map: record 3: bad size");
}

static void words_may_be_left_out(void **state)
{
	errno = 0;
	assert_int_equal(smap_error_set(NULL, -EIO, "words"), -EIO);
	assert_int_equal(errno, EIO);
	errno = 0;
	assert_int_equal(smap_error_prefix(NULL, -EIO, "words"), -EIO);
	assert_int_equal(errno, EIO);
	errno = 0;
	assert_int_equal(smap_errno(-ERANGE), -ERANGE);
	assert_int_equal(errno, ERANGE);
}

static void out_of_memory_says_so(void **state)
{
	struct smap_error err;

	assert_int_equal(smap_error_nomem(&err), -ENOMEM);
	assert_int_equal(errno, ENOMEM);
	assert_string_equal(err.text, "out of memory");
}

static void bytes_that_steer_a_terminal_are_escaped(void **state)
{
	struct smap_error err;

	smap_error_set(&err, -EIO, "%s", "a\033[2Jb");
	assert_string_equal(err.text, "a\\x1b[2Jb");
	smap_error_prefix(&err, -EIO, "%s", "x\ny");
	assert_string_equal(err.text, "x\\x0ay: a\\x1b[2Jb");
}

static void words_that_are_too_long_are_cut_and_the_place_survives(void **state)
{
	struct smap_error err;
	int i;

	smap_error_set(&err, -EIO, "%*s", 2 * SMAP_ERROR_SIZE, "x");
	assert_int_equal(strlen(err.text), SMAP_ERROR_SIZE - 1);
	smap_error_prefix(&err, -EIO, "FILE");
	assert_int_equal(strlen(err.text), SMAP_ERROR_SIZE - 1);
	assert_memory_equal(err.text, "FILE: ", 6);
	for (i = 0; i < 3; i++) {
		smap_error_prefix(&err, -EIO, "%*s", 2 * SMAP_ERROR_SIZE, "\001");
		assert_true(strlen(err.text) < SMAP_ERROR_SIZE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_errno_and_words_go_together),
		cmocka_unit_test(each_layer_puts_its_place_in_front),
		cmocka_unit_test(words_may_be_left_out),
		cmocka_unit_test(out_of_memory_says_so),
		cmocka_unit_test(bytes_that_steer_a_terminal_are_escaped),
		cmocka_unit_test(words_that_are_too_long_are_cut_and_the_place_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
