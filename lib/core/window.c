// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "window.h"

int smap_window_init(struct smap_window *window, smap_window_fn fn, void *data)
{
	*window = (struct smap_window){ .fn = fn, .data = data };
	window->bytes = window->room = malloc(SMAP_WINDOW_SIZE);
	return window->room ? 0 : smap_errno(-ENOMEM);
}

void smap_window_over(struct smap_window *window, const void *data, size_t len)
{
	*window = (struct smap_window){ .bytes = data, .len = len, .is_at_end = true };
}

void smap_window_release(struct smap_window *window)
{
	free(window->room);
	*window = (struct smap_window){ .is_at_end = true };
}

/* As much as there is room for. */
static void fill(struct smap_window *window)
{
	size_t nr;

	if (window->is_at_end)
		return;
	window->len -= window->pos;
	if (window->len)
		memmove(window->room, window->room + window->pos, window->len);
	window->pos = 0;
	while (!window->is_at_end && window->len < SMAP_WINDOW_SIZE) {
		nr = SMAP_WINDOW_SIZE - window->len;
		window->ret = window->fn(window->data, window->room + window->len, &nr);
		window->is_at_end = window->ret || !nr;
		if (!window->ret)
			window->len += nr;
	}
}

const void *smap_window_peek(struct smap_window *window, size_t len)
{
	if (window->len - window->pos < len && len <= SMAP_WINDOW_SIZE)
		fill(window);
	return window->len - window->pos < len ? NULL : window->bytes + window->pos;
}

const void *smap_window_look(struct smap_window *window, size_t *ret_len)
{
	smap_window_peek(window, 1);
	*ret_len = window->len - window->pos;
	return window->bytes + window->pos;
}

bool smap_window_is_empty(struct smap_window *window)
{
	return !smap_window_peek(window, 1);
}

const void *smap_window_take(struct smap_window *window, size_t len)
{
	const void *data = smap_window_peek(window, len);

	if (data)
		window->pos += len;
	return data;
}

static const char *find_newline(const struct smap_window *window)
{
	size_t left = window->len - window->pos;

	return left ? memchr(window->bytes + window->pos, '\n', left) : NULL;
}

const char *smap_window_take_line(struct smap_window *window, size_t *ret_len)
{
	const char *newline = find_newline(window), *line;

	if (!newline) {
		fill(window);
		newline = find_newline(window);
	}
	if (!newline)
		return NULL;
	line = window->bytes + window->pos;
	*ret_len = (size_t)(newline - line);
	window->pos += *ret_len + 1;
	return line;
}
