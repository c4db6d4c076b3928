/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checksums: XXH3-64 without seed, over bytes in memory or over a part of a file that
 * is passed through once.
 *
 *	begin(pos, len) | get | skip | get ... | finish -> checksum of all of it
 *
 * What _get() hands out is not yet checked: it counts only once _finish() has given the
 * checksum that was expected.
 */
#ifndef SMAP_STORE_STREAM_H
#define SMAP_STORE_STREAM_H

#include "reader.h"

uint64_t smap_checksum(const void *data, size_t len);

struct smap_stream;

struct smap_stream *smap_stream_new(const struct smap_reader *reader);
void smap_stream_free(struct smap_stream *stream);

void smap_stream_begin(struct smap_stream *stream, uint64_t offset, uint64_t len);
/* Bytes that are still to pass. */
uint64_t smap_stream_left(const struct smap_stream *stream);
/* Bytes that have passed. */
uint64_t smap_stream_passed(const struct smap_stream *stream);

/* Return 0, -EBADMSG (fewer are left), or the error of smap_reader_read(). */
int smap_stream_get(struct smap_stream *stream, void *room, size_t len, struct smap_error *err);
int smap_stream_skip(struct smap_stream *stream, uint64_t len, struct smap_error *err);
/* As much as is at hand, at least a byte where any is left; good until the next call. */
int smap_stream_next(struct smap_stream *stream, const void **ret_data, size_t *ret_len,
		     struct smap_error *err);
/* Pass what is left. */
int smap_stream_finish(struct smap_stream *stream, uint64_t *ret_checksum, struct smap_error *err);

#endif /* SMAP_STORE_STREAM_H */
