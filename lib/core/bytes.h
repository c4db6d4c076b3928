/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cursor over bytes that nobody vouches for.
 *
 *	start        pos                      end
 *	  |-----------|------------------------|
 *	  already read      still to read
 *
 * Every read is checked against the end; one that does not fit returns false
 * and moves nothing. Code above it does no arithmetic on pointers.
 */
#ifndef SMAP_CORE_BYTES_H
#define SMAP_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct smap_bytes {
	const uint8_t	*start;
	const uint8_t	*pos;
	const uint8_t	*end;
	bool		swap;		/* the data is in the other byte order than this machine */
};

static inline struct smap_bytes smap_bytes_init(const void *data, size_t len, bool swap)
{
	const uint8_t *start = data;

	return (struct smap_bytes){ start, start, start ? start + len : start, swap };
}

static inline size_t smap_bytes_left(const struct smap_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->pos);
}

static inline size_t smap_bytes_offset(const struct smap_bytes *bytes)
{
	return (size_t)(bytes->pos - bytes->start);
}

/* Borrow @len bytes where they stand. */
static inline bool smap_bytes_get(struct smap_bytes *bytes, size_t len, const void **ret_data)
{
	if (len > smap_bytes_left(bytes))
		return false;
	*ret_data = bytes->pos;
	bytes->pos += len;
	return true;
}

static inline bool smap_bytes_skip(struct smap_bytes *bytes, size_t len)
{
	const void *data;

	return smap_bytes_get(bytes, len, &data);
}

/* A string that ends in a NUL before the end of the bytes. */
static inline bool smap_bytes_get_string(struct smap_bytes *bytes, const char **ret_string)
{
	const uint8_t *nul = NULL;

	if (bytes->pos != bytes->end)
		nul = memchr(bytes->pos, '\0', smap_bytes_left(bytes));
	if (!nul)
		return false;
	*ret_string = (const char *)bytes->pos;
	bytes->pos = nul + 1;
	return true;
}

#define SMAP_BYTES_GET_UINT(bits, swapped)						\
static inline bool smap_bytes_get_u##bits(struct smap_bytes *bytes, uint##bits##_t *ret_val)	\
{											\
	const void *data;								\
	uint##bits##_t val;								\
											\
	if (!smap_bytes_get(bytes, sizeof(val), &data))					\
		return false;								\
	memcpy(&val, data, sizeof(val));						\
	*ret_val = bytes->swap ? swapped : val;						\
	return true;									\
}
SMAP_BYTES_GET_UINT(8, val)
SMAP_BYTES_GET_UINT(16, __builtin_bswap16(val))
SMAP_BYTES_GET_UINT(32, __builtin_bswap32(val))
SMAP_BYTES_GET_UINT(64, __builtin_bswap64(val))
#undef SMAP_BYTES_GET_UINT

/* @nr of them, one behind the other. */
static inline bool smap_bytes_get_u64s(struct smap_bytes *bytes, uint64_t *ret_vals, size_t nr)
{
	const void *data;
	size_t i;

	if (nr > smap_bytes_left(bytes) / sizeof(*ret_vals) ||
	    !smap_bytes_get(bytes, nr * sizeof(*ret_vals), &data))
		return false;
	memcpy(ret_vals, data, nr * sizeof(*ret_vals));
	for (i = 0; bytes->swap && i < nr; i++)
		ret_vals[i] = __builtin_bswap64(ret_vals[i]);
	return true;
}

#define SMAP_HOST_IS_BIG_ENDIAN	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

#endif /* SMAP_CORE_BYTES_H */
