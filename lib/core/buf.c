// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "escape.h"

char *smap_buf_reserve(struct smap_buf *buf, size_t len)
{
	size_t need;

	if (buf->failed)
		return NULL;
	if (__builtin_add_overflow(buf->len, len, &need) || need == SIZE_MAX ||
	    smap_array_grow((void **)&buf->data, &buf->capacity, need + 1, 1)) {
		buf->failed = true;
		return NULL;
	}
	return buf->data + buf->len;
}

void smap_buf_add(struct smap_buf *buf, const void *data, size_t len)
{
	char *room = smap_buf_reserve(buf, len);

	if (!room)
		return;
	if (len)
		memcpy(room, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void smap_buf_add_str(struct smap_buf *buf, const char *text)
{
	smap_buf_add(buf, text, strlen(text));
}

void smap_buf_add_char(struct smap_buf *buf, char c)
{
	smap_buf_add(buf, &c, 1);
}

void smap_buf_add_hex(struct smap_buf *buf, uint64_t value)
{
	char digits[2 * sizeof(value)], *pos = digits + sizeof(digits);

	do
		*--pos = "0123456789abcdef"[value & 0xf];
	while (value >>= 4);
	smap_buf_add(buf, pos, (size_t)(digits + sizeof(digits) - pos));
}

void smap_buf_add_escaped(struct smap_buf *buf, const char *data, size_t len)
{
	size_t need;
	char *room;

	if (smap_is_plain(data, len)) {
		smap_buf_add(buf, data, len);
		return;
	}
	need = smap_escape(NULL, 0, data, len);
	room = smap_buf_reserve(buf, need);
	if (!room)
		return;
	smap_escape(room, need + 1, data, len);
	buf->len += need;
}

void smap_buf_addf(struct smap_buf *buf, const char *fmt, ...)
{
	va_list ap;
	char *room;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0) {
		buf->failed = true;
		return;
	}
	room = smap_buf_reserve(buf, (size_t)len);
	if (!room)
		return;
	va_start(ap, fmt);
	vsnprintf(room, (size_t)len + 1, fmt, ap);
	va_end(ap);
	buf->len += (size_t)len;
}

void smap_buf_reset(struct smap_buf *buf)
{
	buf->len = 0;
	buf->failed = false;
	if (buf->data)
		buf->data[0] = '\0';
}

void smap_buf_free(struct smap_buf *buf)
{
	free(buf->data);
	*buf = (struct smap_buf)SMAP_BUF_INIT;
}

char *smap_buf_detach(struct smap_buf *buf, size_t *ret_len)
{
	char *data = NULL;

	smap_buf_add(buf, "", 0);
	if (!buf->failed) {
		data = buf->data;
		if (ret_len)
			*ret_len = buf->len;
		buf->data = NULL;
	}
	smap_buf_free(buf);
	return data;
}
