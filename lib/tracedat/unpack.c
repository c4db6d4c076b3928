// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The compressions of trace.dat version 7. One row a name; the size of the result is always known
 * from the file and is never exceeded.
 */
#include <errno.h>
#include <limits.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "internal.h"

struct smap_trace_codec {
	const char	*name;
	void		*(*new_context)(void);
	void		(*free_context)(void *context);
	int		(*unpack)(void *context, const void *packed, size_t packed_len, void *data,
				  size_t len);
};

static void *zstd_new(void)
{
	return ZSTD_createDCtx();
}

static void zstd_free(void *context)
{
	ZSTD_freeDCtx(context);
}

static int zstd_unpack(void *context, const void *packed, size_t packed_len, void *data, size_t len)
{
	size_t got = ZSTD_decompressDCtx(context, data, len, packed, packed_len);

	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	return ZSTD_isError(got) || got != len ? -EBADMSG : 0;
}

static int zlib_unpack(void *context, const void *packed, size_t packed_len, void *data, size_t len)
{
	uLongf got = len;
	int ret = uncompress(data, &got, packed, packed_len);

	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return ret != Z_OK || got != len ? -EBADMSG : 0;
}

static const struct smap_trace_codec codecs[] = {
	{ .name = "none" },
	{ .name = "zstd", .new_context = zstd_new, .free_context = zstd_free,
	  .unpack = zstd_unpack },
	{ .name = "zlib", .unpack = zlib_unpack },
};

const struct smap_trace_codec *smap_trace_find_codec(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
		if (!strcmp(codecs[i].name, name))
			return &codecs[i];
	}
	return NULL;
}

bool smap_trace_codec_is_none(const struct smap_trace_codec *codec)
{
	return !codec->unpack;
}

int smap_trace_unpacker_init(struct smap_trace_unpacker *unpacker, const char *compression)
{
	unpacker->codec = smap_trace_find_codec(compression);
	unpacker->context = NULL;
	if (!unpacker->codec)
		return smap_errno(-EOPNOTSUPP);
	if (!unpacker->codec->new_context)
		return 0;
	unpacker->context = unpacker->codec->new_context();
	return unpacker->context ? 0 : smap_errno(-ENOMEM);
}

void smap_trace_unpacker_free(struct smap_trace_unpacker *unpacker)
{
	if (unpacker->context)
		unpacker->codec->free_context(unpacker->context);
	unpacker->context = NULL;
}

int smap_trace_unpack(struct smap_trace_unpacker *unpacker, const void *packed, size_t packed_len,
		      void *data, size_t len)
{
	int ret;

	if (!unpacker->codec->unpack)
		return smap_errno(-EBADMSG);
	ret = unpacker->codec->unpack(unpacker->context, packed, packed_len, data, len);
	return ret ? smap_errno(ret) : 0;
}
