// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "stackmap.h"

static const char text[] =
	"generation: 1\n"
	"entries: 2500\n"
	"resets: 3\n"
	"fallbacks: 0\n"
	"frozen\n";

static void fields_are_there_or_enoent(void **state)
{
	struct stackmap_stat *stat = stackmap_stat_new(text, strlen(text));
	uint64_t value = 17;

	assert_non_null(stat);
	assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &value), 0);
	assert_int_equal(value, 2500);
	assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_FALLBACKS, &value), 0);
	assert_int_equal(value, 0);
	value = 17;
	errno = 0;
	assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_CAPACITY, &value), -ENOENT);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(stackmap_stat_get(stat, (enum stackmap_stat_field)99, &value), -ENOENT);
	assert_int_equal(stackmap_stat_get(stat, (enum stackmap_stat_field)-1, &value), -ENOENT);
	assert_int_equal(value, 17);
	stackmap_stat_free(stat);
}

static void lines_that_are_not_known_are_kept(void **state)
{
	char *copy = strdup(text);
	struct stackmap_stat *stat = stackmap_stat_new(copy, strlen(copy));

	memset(copy, 'X', strlen(copy));
	free(copy);
	assert_int_equal(stackmap_stat_nr_unknown(stat), 2);
	assert_string_equal(stackmap_stat_get_unknown(stat, 0), "resets: 3");
	assert_string_equal(stackmap_stat_get_unknown(stat, 1), "frozen");
	errno = 0;
	assert_null(stackmap_stat_get_unknown(stat, 2));
	assert_int_equal(errno, ERANGE);
	stackmap_stat_free(stat);
}

static void empty_text_has_no_field(void **state)
{
	struct stackmap_stat *stat = stackmap_stat_new(NULL, 0);
	uint64_t value;

	assert_non_null(stat);
	assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &value), -ENOENT);
	assert_int_equal(stackmap_stat_nr_unknown(stat), 0);
	stackmap_stat_free(stat);
	stackmap_stat_free(NULL);
}

static void what_is_no_stat_is_refused(void **state)
{
	errno = 0;
	assert_null(stackmap_stat_new("hello\n", 6));
	assert_int_equal(errno, EBADMSG);
	assert_null(stackmap_stat_new(NULL, 6));
	assert_int_equal(errno, EINVAL);
}

static int new_and_free(void *data)
{
	struct stackmap_stat *stat = stackmap_stat_new(text, strlen(text));

	if (!stat)
		return -errno;
	stackmap_stat_free(stat);
	return 0;
}

static void every_failing_allocation_gives_enomem_and_leaks_nothing(void **state)
{
	assert_true(alloc_fail_each(new_and_free, NULL) >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_there_or_enoent),
		cmocka_unit_test(lines_that_are_not_known_are_kept),
		cmocka_unit_test(empty_text_has_no_field),
		cmocka_unit_test(what_is_no_stat_is_refused),
		cmocka_unit_test(every_failing_allocation_gives_enomem_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
