/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data of one section, as it is stored and as it is meant.
 */
#ifndef SMAP_STORE_CODEC_H
#define SMAP_STORE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/error.h"

/* Of a section header; @codec is enum smap_codec of layout.h. */
struct smap_coded {
	uint16_t	codec;
	uint64_t	stored_size;
	uint64_t	size;
};

/*
 * Add @data to @buf, compressed where that pays, and say how in @ret_coded. Returns 0, -ENOMEM,
 * or -EINVAL where zstd has a reason of its own.
 */
int smap_encode(struct smap_buf *buf, const void *data, size_t len, struct smap_coded *ret_coded,
		struct smap_error *err);

/*
 * Memory for the caller to free(), a NUL behind it. What is announced is held against what the
 * stored bytes say and against what they may hold before it is asked for. Returns 0, -EBADMSG,
 * -EOPNOTSUPP (codec) or -ENOMEM.
 */
int smap_decode(const struct smap_coded *coded, const void *stored, char **ret_data,
		size_t *ret_len, struct smap_error *err);

/*
 * A part at a time, of @stored, which has to stay. _new: as smap_decode(). _read: up to *@len bytes
 * into @room, and *@len becomes how many; 0: the end. -EBADMSG where less comes than was
 * announced.
 */
struct smap_decoder;
int smap_decoder_new(const struct smap_coded *coded, const void *stored,
		     struct smap_decoder **ret_decoder, struct smap_error *err);
int smap_decoder_read(struct smap_decoder *decoder, void *room, size_t *len,
		      struct smap_error *err);
void smap_decoder_free(struct smap_decoder *decoder);

#endif /* SMAP_STORE_CODEC_H */
