// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stream.h"

#define WINDOW	65536

struct smap_stream {
	const struct smap_reader *reader;
	XXH3_state_t	*state;
	uint64_t	start;		/* all in the file */
	uint64_t	end;
	uint64_t	read;		/* what stands before this was read ... */
	size_t		pos;		/* ... and that up to here in the window was handed out */
	size_t		filled;
	uint8_t		window[WINDOW];
};

uint64_t smap_checksum(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}

struct smap_stream *smap_stream_new(const struct smap_reader *reader)
{
	struct smap_stream *stream = malloc(sizeof(*stream));

	if (!stream)
		return NULL;
	stream->reader = reader;
	stream->state = XXH3_createState();
	if (!stream->state) {
		free(stream);
		errno = ENOMEM;
		return NULL;
	}
	smap_stream_begin(stream, 0, 0);
	return stream;
}

void smap_stream_free(struct smap_stream *stream)
{
	if (!stream)
		return;
	XXH3_freeState(stream->state);
	free(stream);
}

void smap_stream_begin(struct smap_stream *stream, uint64_t offset, uint64_t len)
{
	XXH3_64bits_reset(stream->state);
	stream->start = offset;
	stream->read = offset;
	stream->end = offset + len;
	stream->pos = 0;
	stream->filled = 0;
}

uint64_t smap_stream_left(const struct smap_stream *stream)
{
	return stream->end - stream->read + (stream->filled - stream->pos);
}

uint64_t smap_stream_passed(const struct smap_stream *stream)
{
	return stream->end - stream->start - smap_stream_left(stream);
}

/* The checksum takes the window as a whole, when it comes in. */
static int fill(struct smap_stream *stream, struct smap_error *err)
{
	uint64_t left = stream->end - stream->read;
	size_t len = left < WINDOW ? (size_t)left : WINDOW;
	int ret;

	ret = smap_reader_read(stream->reader, stream->read, stream->window, len, err);
	if (ret)
		return ret;
	XXH3_64bits_update(stream->state, stream->window, len);
	stream->read += len;
	stream->pos = 0;
	stream->filled = len;
	return 0;
}

/* @room NULL: pass over. */
static int pass(struct smap_stream *stream, uint8_t *room, uint64_t len, struct smap_error *err)
{
	size_t part;
	int ret;

	if (len > smap_stream_left(stream))
		return smap_error_set(err, -EBADMSG, "cut short");
	while (len) {
		if (stream->pos == stream->filled) {
			ret = fill(stream, err);
			if (ret)
				return ret;
		}
		part = stream->filled - stream->pos;
		if (part > len)
			part = (size_t)len;
		if (room) {
			memcpy(room, stream->window + stream->pos, part);
			room += part;
		}
		stream->pos += part;
		len -= part;
	}
	return 0;
}

int smap_stream_get(struct smap_stream *stream, void *room, size_t len, struct smap_error *err)
{
	return pass(stream, room, len, err);
}

int smap_stream_skip(struct smap_stream *stream, uint64_t len, struct smap_error *err)
{
	return pass(stream, NULL, len, err);
}

int smap_stream_next(struct smap_stream *stream, const void **ret_data, size_t *ret_len,
		     struct smap_error *err)
{
	int ret = stream->pos == stream->filled ? fill(stream, err) : 0;

	if (ret)
		return ret;
	*ret_data = stream->window + stream->pos;
	*ret_len = stream->filled - stream->pos;
	stream->pos = stream->filled;
	return 0;
}

int smap_stream_finish(struct smap_stream *stream, uint64_t *ret_checksum, struct smap_error *err)
{
	int ret = pass(stream, NULL, smap_stream_left(stream), err);

	if (!ret)
		*ret_checksum = XXH3_64bits_digest(stream->state);
	return ret;
}
