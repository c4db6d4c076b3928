// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading of a file that may end anywhere.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "internal.h"

static int cut_off(struct smap_error *err, uint64_t offset, const char *what, uint64_t size)
{
	return smap_error_set(err, -EBADMSG,
			      "offset %" PRIu64 ": %s is cut off at %" PRIu64, offset, what,
			      size);
}

int smap_trace_check_range(uint64_t size, uint64_t offset, uint64_t len, const char *what,
			   struct smap_error *err)
{
	if (offset > size || len > size - offset)
		return cut_off(err, offset, what, size);
	return 0;
}

/* As much as there is, up to @len. Returns the number of bytes or negative errno. */
static ssize_t read_some(int fd, uint64_t offset, void *data, size_t len)
{
	size_t done = 0;
	ssize_t got;

	while (done < len) {
		got = pread(fd, (char *)data + done, len - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int smap_trace_pread(int fd, uint64_t offset, void *data, size_t len, struct smap_error *err)
{
	ssize_t got = read_some(fd, offset, data, len);

	if (got < 0)
		return smap_error_set(err, (int)got, "offset %" PRIu64 ": cannot be read", offset);
	if ((size_t)got < len)
		return cut_off(err, offset, "data", offset + (uint64_t)got);
	return 0;
}

void smap_trace_input_memory(struct smap_trace_input *input, const void *data, size_t len,
			     bool swap, struct smap_error *err)
{
	input->fd = -1;
	input->size = len;
	input->swap = swap;
	input->window = data;
	input->start = 0;
	input->len = len;
	input->err = err;
}

void smap_trace_input_file(struct smap_trace_input *input, int fd, uint64_t size, bool swap,
			   struct smap_error *err)
{
	input->fd = fd;
	input->size = size;
	input->swap = swap;
	input->window = input->buf;
	input->start = 0;
	input->len = 0;
	input->err = err;
}

/* Make [pos, pos + len) part of the window; it is inside the input. */
static int move_window(struct smap_trace_input *input, uint64_t pos, size_t len)
{
	uint64_t left = input->size - pos;
	size_t want = sizeof(input->buf);
	int ret;

	if (pos >= input->start && pos + len <= input->start + input->len)
		return 0;
	if (want > left)
		want = (size_t)left;
	input->len = 0;
	ret = smap_trace_pread(input->fd, pos, input->buf, want, input->err);
	if (ret)
		return ret;
	input->start = pos;
	input->len = want;
	return 0;
}

int smap_trace_read(struct smap_trace_input *input, uint64_t *pos, void *data, size_t len,
		    const char *what)
{
	int ret;

	ret = smap_trace_check_range(input->size, *pos, len, what, input->err);
	if (!ret)
		ret = move_window(input, *pos, len);
	if (ret)
		return ret;
	memcpy(data, input->window + (*pos - input->start), len);
	*pos += len;
	return 0;
}

#define READ_UINT(bits)									\
int smap_trace_read_u##bits(struct smap_trace_input *input, uint64_t *pos,		\
			    uint##bits##_t *ret_val, const char *what)			\
{											\
	uint##bits##_t val;								\
	int ret = smap_trace_read(input, pos, &val, sizeof(val), what);			\
											\
	if (!ret)									\
		*ret_val = input->swap ? __builtin_bswap##bits(val) : val;		\
	return ret;									\
}
READ_UINT(16)
READ_UINT(32)
READ_UINT(64)

int smap_trace_skip(struct smap_trace_input *input, uint64_t *pos, uint64_t len, const char *what)
{
	int ret = smap_trace_check_range(input->size, *pos, len, what, input->err);

	if (!ret)
		*pos += len;
	return ret;
}

int smap_trace_read_string(struct smap_trace_input *input, uint64_t *pos, char *text, size_t size,
			   const char *what)
{
	uint64_t start = *pos;
	size_t len;
	int ret;

	for (len = 0; len < size; len++) {
		ret = smap_trace_read(input, pos, text + len, 1, what);
		if (ret)
			return ret;
		if (!text[len])
			return 0;
	}
	return smap_error_set(input->err, -EBADMSG, "offset %" PRIu64 ": %s does not end", start,
			      what);
}
