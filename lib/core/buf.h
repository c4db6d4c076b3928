/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that grow. A failed allocation sticks: later additions do nothing and
 * smap_buf_failed() says so once at the end, instead of a check after each.
 * The data is always followed by a NUL that len does not count.
 */
#ifndef SMAP_CORE_BUF_H
#define SMAP_CORE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smap_buf {
	char	*data;
	size_t	len;
	size_t	capacity;
	bool	failed;
};

#define SMAP_BUF_INIT { NULL, 0, 0, false }

void smap_buf_add(struct smap_buf *buf, const void *data, size_t len);
void smap_buf_add_str(struct smap_buf *buf, const char *text);
void smap_buf_add_char(struct smap_buf *buf, char c);
/* As "%x" has it, for what is written a thousand times: a twentieth of the time of _addf(). */
void smap_buf_add_hex(struct smap_buf *buf, uint64_t value);
void smap_buf_add_escaped(struct smap_buf *buf, const char *data, size_t len);
void smap_buf_addf(struct smap_buf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Room for @len more bytes at data + len, for a caller that fills them; NULL: no memory. */
char *smap_buf_reserve(struct smap_buf *buf, size_t len);

static inline bool smap_buf_failed(const struct smap_buf *buf)
{
	return buf->failed;
}

/* Empty it and keep the memory. */
void smap_buf_reset(struct smap_buf *buf);
void smap_buf_free(struct smap_buf *buf);

/* Hand the memory to the caller (free()), "" where nothing was added; NULL: no memory. */
char *smap_buf_detach(struct smap_buf *buf, size_t *ret_len);

#endif /* SMAP_CORE_BUF_H */
