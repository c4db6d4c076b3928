// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "window.h"

int smap_window_init(struct smap_window *window, smap_window_fn fn, void *data)
{
	*window = (struct smap_window){ .fn = fn, .data = data };
	window->room = malloc(SMAP_WINDOW_SIZE);
	return window->room ? 0 : smap_errno(-ENOMEM);
}

void smap_window_release(struct smap_window *window)
{
	free(window->room);
	window->room = NULL;
}

/* As much as there is room for. */
static void fill(struct smap_window *window)
{
	size_t nr;

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
	return window->len - window->pos < len ? NULL : window->room + window->pos;
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

	return left ? memchr(window->room + window->pos, '\n', left) : NULL;
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
	line = window->room + window->pos;
	*ret_len = (size_t)(newline - line);
	window->pos += *ret_len + 1;
	return line;
}

int smap_window_read_bytes(void *data, void *room, size_t *len)
{
	struct smap_window_bytes *bytes = data;

	if (*len > bytes->left)
		*len = bytes->left;
	if (*len)
		memcpy(room, bytes->pos, *len);
	bytes->pos += *len;
	bytes->left -= *len;
	return 0;
}
