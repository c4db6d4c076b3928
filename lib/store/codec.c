// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/large.h"
#include "codec.h"
#include "layout.h"
#include "reader.h"

/*
 * A map that is saved every minute is small, and a sixth smaller still at a level that takes three
 * times as long; for a full one that time counts for more.
 */
#define ZSTD_LEVEL	3
#define ZSTD_LEVEL_SMALL 6
#define SMALL		(512U << 10)
/* Below this nothing is gained; above it a sixteenth must be. */
#define WORTH_TRYING	256
/* What these levels use is 2 MiB; a frame that wants more than 8 MiB to be read is not ours. */
#define WINDOW_LOG_MAX	23

static int zstd_error(size_t result, int code, struct smap_error *err)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		return smap_error_nomem(err);
	return smap_error_set(err, code, "zstd: %s", ZSTD_getErrorName(result));
}

static int compress(struct smap_buf *buf, const void *data, size_t len, size_t *ret_stored,
		    struct smap_error *err)
{
	size_t bound = ZSTD_compressBound(len), result;
	char *room = smap_buf_reserve(buf, bound);
	ZSTD_CCtx *ctx;

	if (!room)
		return smap_error_nomem(err);
	ctx = ZSTD_createCCtx();
	if (!ctx)
		return smap_error_nomem(err);
	result = ZSTD_compressCCtx(ctx, room, bound, data, len,
				   len <= SMALL ? ZSTD_LEVEL_SMALL : ZSTD_LEVEL);
	ZSTD_freeCCtx(ctx);
	if (ZSTD_isError(result))
		return zstd_error(result, -EINVAL, err);
	*ret_stored = result;
	return 0;
}

int smap_encode(struct smap_buf *buf, const void *data, size_t len, struct smap_coded *ret_coded,
		struct smap_error *err)
{
	size_t stored = len;
	int ret;

	if (len >= WORTH_TRYING) {
		ret = compress(buf, data, len, &stored, err);
		if (ret)
			return ret;
	}
	if (stored < len - len / 16 && len <= SMAP_DECODED_MAX(stored)) {
		buf->len += stored;
		buf->data[buf->len] = '\0';
		*ret_coded = (struct smap_coded){ SMAP_CODEC_ZSTD, stored, len };
		return 0;
	}
	smap_buf_add(buf, data, len);
	if (smap_buf_failed(buf))
		return smap_error_nomem(err);
	*ret_coded = (struct smap_coded){ SMAP_CODEC_NONE, len, len };
	return 0;
}

/* The stored bytes are one frame, which promises what the section header does. */
static int check_frame(const struct smap_coded *coded, const void *stored, struct smap_error *err)
{
	size_t frame = ZSTD_findFrameCompressedSize(stored, (size_t)coded->stored_size);

	if (ZSTD_isError(frame))
		return zstd_error(frame, -EBADMSG, err);
	if (frame != coded->stored_size ||
	    ZSTD_getFrameContentSize(stored, (size_t)coded->stored_size) != coded->size)
		return smap_error_set(err, -EBADMSG, "another size than was announced");
	return 0;
}

static int check_coded(const struct smap_coded *coded, const void *stored, struct smap_error *err)
{
	switch (coded->codec) {
	case SMAP_CODEC_NONE:
		if (coded->size != coded->stored_size)
			return smap_error_set(err, -EBADMSG, "two sizes for plain data");
		return 0;
	case SMAP_CODEC_ZSTD:
		if (coded->size > SMAP_DECODED_MAX(coded->stored_size))
			return smap_error_set(err, -EBADMSG, "too much is announced");
		return check_frame(coded, stored, err);
	default:
		return smap_error_set(err, -EOPNOTSUPP, "codec %u of a newer version",
				      coded->codec);
	}
}

static int decompress(const struct smap_coded *coded, const void *stored, char *room, size_t size,
		      struct smap_error *err)
{
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	size_t result;

	if (!ctx)
		return smap_error_nomem(err);
	result = ZSTD_decompressDCtx(ctx, room, size, stored, (size_t)coded->stored_size);
	ZSTD_freeDCtx(ctx);
	if (ZSTD_isError(result))
		return zstd_error(result, -EBADMSG, err);
	if (result != size)
		return smap_error_set(err, -EBADMSG, "another size than was announced");
	return 0;
}

int smap_decode(const struct smap_coded *coded, const void *stored, char **ret_data,
		size_t *ret_len, struct smap_error *err)
{
	size_t size;
	char *room;
	int ret;

	ret = check_coded(coded, stored, err);
	if (ret)
		return ret;
	ret = smap_check_len(coded->size, SMAP_READ_MAX, -EBADMSG, err);
	if (ret)
		return ret;
	size = (size_t)coded->size;
	room = smap_alloc_large(size + 1);
	if (!room)
		return smap_error_nomem(err);
	if (coded->codec == SMAP_CODEC_ZSTD)
		ret = decompress(coded, stored, room, size, err);
	else if (size)
		memcpy(room, stored, size);
	if (ret) {
		free(room);
		return ret;
	}
	room[size] = '\0';
	*ret_data = room;
	*ret_len = size;
	return 0;
}

/* ---- a part at a time ---- */

struct smap_decoder {
	ZSTD_DCtx	*ctx;		/* NULL: what is stored is plain */
	ZSTD_inBuffer	in;
	uint64_t	left;		/* bytes that were announced and did not come yet */
};

void smap_decoder_free(struct smap_decoder *decoder)
{
	if (!decoder)
		return;
	ZSTD_freeDCtx(decoder->ctx);
	free(decoder);
}

static int make_context(struct smap_decoder *decoder, struct smap_error *err)
{
	size_t result;

	decoder->ctx = ZSTD_createDCtx();
	if (!decoder->ctx)
		return smap_error_nomem(err);
	result = ZSTD_DCtx_setParameter(decoder->ctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return ZSTD_isError(result) ? zstd_error(result, -EINVAL, err) : 0;
}

int smap_decoder_new(const struct smap_coded *coded, const void *stored,
		     struct smap_decoder **ret_decoder, struct smap_error *err)
{
	struct smap_decoder *decoder;
	int ret;

	ret = check_coded(coded, stored, err);
	if (ret)
		return ret;
	decoder = calloc(1, sizeof(*decoder));
	if (!decoder)
		return smap_error_nomem(err);
	decoder->in = (ZSTD_inBuffer){ stored, (size_t)coded->stored_size, 0 };
	decoder->left = coded->size;
	if (coded->codec == SMAP_CODEC_ZSTD)
		ret = make_context(decoder, err);
	if (ret) {
		smap_decoder_free(decoder);
		return ret;
	}
	*ret_decoder = decoder;
	return 0;
}

static int decompress_part(struct smap_decoder *decoder, void *room, size_t *len,
			   struct smap_error *err)
{
	ZSTD_outBuffer out = { room, *len, 0 };
	size_t before, result;

	do {
		before = decoder->in.pos + out.pos;
		result = ZSTD_decompressStream(decoder->ctx, &out, &decoder->in);
		if (ZSTD_isError(result))
			return zstd_error(result, -EBADMSG, err);
	} while (result && out.pos < out.size && decoder->in.pos + out.pos != before);
	*len = out.pos;
	return 0;
}

static void copy_part(struct smap_decoder *decoder, void *room, size_t *len)
{
	size_t left = decoder->in.size - decoder->in.pos;

	*len = *len < left ? *len : left;
	if (*len)
		memcpy(room, (const char *)decoder->in.src + decoder->in.pos, *len);
	decoder->in.pos += *len;
}

int smap_decoder_read(struct smap_decoder *decoder, void *room, size_t *len,
		      struct smap_error *err)
{
	int ret = 0;

	if (!*len || !decoder->left) {
		*len = 0;
		return 0;
	}
	if (*len > decoder->left)
		*len = (size_t)decoder->left;
	if (decoder->ctx)
		ret = decompress_part(decoder, room, len, err);
	else
		copy_part(decoder, room, len);
	if (!ret && !*len)
		ret = smap_error_set(err, -EBADMSG, "another size than was announced");
	if (!ret)
		decoder->left -= *len;
	return ret;
}
