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
#include "core/window.h"

/* What comes, @part bytes at a time, and an error in place of the end. */
struct source {
	const char	*pos;
	size_t		left;
	size_t		part;
	int		code;
};

static int read_source(void *data, void *room, size_t *len)
{
	struct source *source = data;

	if (!source->left && source->code)
		return source->code;
	if (*len > source->part)
		*len = source->part;
	if (*len > source->left)
		*len = source->left;
	memcpy(room, source->pos, *len);
	source->pos += *len;
	source->left -= *len;
	return 0;
}

static struct smap_window open_window(struct source *source)
{
	struct smap_window window;

	assert_int_equal(smap_window_init(&window, read_source, source), 0);
	return window;
}

static void bytes_are_taken_in_their_order_however_they_come(void **state)
{
	static char data[3 * SMAP_WINDOW_SIZE];
	struct smap_window window;
	struct source source;
	size_t part, at, step, seen;

	for (at = 0; at < sizeof(data); at++)
		data[at] = (char)(at * 7919 >> 8);
	for (part = 1; part <= sizeof(data); part = part * 40 + 1) {
		source = (struct source){ data, sizeof(data), part, 0 };
		window = open_window(&source);
		for (at = 0, step = 1; at + step <= sizeof(data); at += step, step += 1001) {
			assert_memory_equal(smap_window_look(&window, &seen), data + at, 1);
			assert_in_range(seen, 1, SMAP_WINDOW_SIZE);
			assert_memory_equal(smap_window_peek(&window, step), data + at, step);
			assert_memory_equal(smap_window_take(&window, step), data + at, step);
		}
		assert_null(smap_window_take(&window, sizeof(data) - at + 1));
		assert_memory_equal(smap_window_take(&window, sizeof(data) - at), data + at,
				    sizeof(data) - at);
		assert_true(smap_window_is_empty(&window));
		smap_window_look(&window, &seen);
		assert_int_equal(seen, 0);
		assert_int_equal(window.ret, 0);
		smap_window_release(&window);
	}
}

static void lines_are_whole_or_not_there(void **state)
{
	struct source source = { "a\n\nlong line\ncut", 16, 1, 0 };
	struct smap_window window = open_window(&source);
	size_t len;

	assert_memory_equal(smap_window_take_line(&window, &len), "a", 1);
	assert_int_equal(len, 1);
	assert_non_null(smap_window_take_line(&window, &len));
	assert_int_equal(len, 0);
	assert_memory_equal(smap_window_take_line(&window, &len), "long line", 9);
	assert_int_equal(len, 9);
	assert_null(smap_window_take_line(&window, &len));
	assert_false(smap_window_is_empty(&window));
	assert_memory_equal(smap_window_take(&window, 3), "cut", 3);
	assert_true(smap_window_is_empty(&window));
	assert_null(smap_window_take_line(&window, &len));
	smap_window_release(&window);
}

static void what_is_longer_than_the_window_is_not_there(void **state)
{
	char *data = malloc(2 * SMAP_WINDOW_SIZE);
	struct source source = { data, 2 * SMAP_WINDOW_SIZE, SIZE_MAX, 0 };
	struct smap_window window;
	size_t len;

	memset(data, 'x', 2 * SMAP_WINDOW_SIZE);
	data[SMAP_WINDOW_SIZE] = '\n';
	window = open_window(&source);
	assert_null(smap_window_take(&window, SMAP_WINDOW_SIZE + 1));
	assert_null(smap_window_take(&window, SIZE_MAX));
	assert_null(smap_window_take_line(&window, &len));
	assert_non_null(smap_window_take(&window, 1));
	assert_non_null(smap_window_take_line(&window, &len));
	assert_int_equal(len, SMAP_WINDOW_SIZE - 1);
	smap_window_release(&window);
	free(data);
}

static void what_is_in_memory_is_seen_whole(void **state)
{
	static char data[2 * SMAP_WINDOW_SIZE];
	struct smap_window window;
	size_t len;

	memset(data, 'x', sizeof(data));
	data[sizeof(data) - 2] = '\n';
	smap_window_over(&window, data, sizeof(data));
	assert_ptr_equal(smap_window_look(&window, &len), data);
	assert_int_equal(len, sizeof(data));
	assert_ptr_equal(smap_window_take_line(&window, &len), data);
	assert_int_equal(len, sizeof(data) - 2);
	assert_null(smap_window_take_line(&window, &len));
	assert_null(smap_window_take(&window, 2));
	assert_ptr_equal(smap_window_take(&window, 1), data + sizeof(data) - 1);
	assert_true(smap_window_is_empty(&window));
	smap_window_release(&window);
	smap_window_over(&window, NULL, 0);
	assert_true(smap_window_is_empty(&window));
}

static void an_error_is_the_end_and_stays(void **state)
{
	struct source source = { "abc", 3, 2, -EIO };
	struct smap_window window = open_window(&source);

	assert_memory_equal(smap_window_take(&window, 3), "abc", 3);
	assert_true(smap_window_is_empty(&window));
	assert_int_equal(window.ret, -EIO);
	source.code = 0;
	assert_true(smap_window_is_empty(&window));
	assert_int_equal(window.ret, -EIO);
	smap_window_release(&window);
}

static int open_once(void *data)
{
	struct smap_window window;
	int ret = smap_window_init(&window, read_source, data);

	smap_window_release(&window);
	return ret;
}

static void without_memory_there_is_none(void **state)
{
	struct source source = { "", 0, 1, 0 };

	assert_int_equal(alloc_fail_each(open_once, &source), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_taken_in_their_order_however_they_come),
		cmocka_unit_test(lines_are_whole_or_not_there),
		cmocka_unit_test(what_is_longer_than_the_window_is_not_there),
		cmocka_unit_test(what_is_in_memory_is_seen_whole),
		cmocka_unit_test(an_error_is_the_end_and_stays),
		cmocka_unit_test(without_memory_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
