/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growth of arrays, in one place: doubling, with the size checked for overflow.
 */
#ifndef SMAP_CORE_ARRAY_H
#define SMAP_CORE_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Make room for @need elements of @size bytes. Returns 0 or -ENOMEM, the array untouched. */
static inline int smap_array_grow(void **array, size_t *capacity, size_t need, size_t size)
{
	size_t cap = *capacity, bytes;
	void *grown;

	if (need <= cap)
		return 0;
	cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	if (cap < need)
		cap = need;
	if (cap < 8)
		cap = 8;
	if (__builtin_mul_overflow(cap, size, &bytes)) {
		errno = ENOMEM;
		return -ENOMEM;
	}
	grown = realloc(*array, bytes);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = cap;
	return 0;
}

/* For an array variable @array with capacity variable @capacity (size_t). */
#define SMAP_ARRAY_GROW(array, capacity, need)						\
	smap_array_grow((void **)&(array), &(capacity), (need), sizeof(*(array)))

#endif /* SMAP_CORE_ARRAY_H */
