/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations that fail on demand, and a count of those that are not freed.
 *
 * A test program that has alloc_fail_dep among its dependencies is linked with --wrap for the
 * allocating functions, so that every call made by our own objects (not those made inside shared
 * libraries) goes through here. What libc or another library allocated may be freed through it and
 * is not counted.
 *
 *	static int parse_once(void *data)
 *	{
 *		struct smap_export *export;
 *		int ret = smap_parse(..., &export, ...);
 *
 *		if (!ret)
 *			smap_export_free(export);
 *		return ret;
 *	}
 *
 *	alloc_fail_each(parse_once, NULL);
 */
#ifndef SMAP_TESTS_ALLOC_FAIL_H
#define SMAP_TESTS_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Call @fn with its 1st, 2nd, ... allocation failing, until a call makes no allocation that fails;
 * once with only that one failing, once with all that follow it failing too. @fn undoes all that it
 * did and returns 0 or a negative errno. Fails the test where @fn
 *  - returns something else than -ENOMEM with errno ENOMEM although an allocation failed,
 *  - does not return 0 in the end,
 *  - leaves an allocation behind, whatever it returned.
 * Returns the number of allocations of the successful call.
 */
size_t alloc_fail_each(int (*fn)(void *data), void *data);

/* The same for a function that may do without the memory, and return 0 all the same. */
size_t alloc_fail_each_tolerant(int (*fn)(void *data), void *data);

/* The parts, for a test that needs something else. */

/* Let the @nth allocation from now on fail (1: the next), and with @all_after those behind it. */
void alloc_fail_at(size_t nth, bool all_after);
/* No allocation fails any more. Returns how many were tried since alloc_fail_at(). */
size_t alloc_fail_stop(void);
/* An allocation failed since alloc_fail_at(). */
bool alloc_fail_has_failed(void);
/* Allocations that were made through here and not freed so far. */
size_t alloc_fail_nr_live(void);

/* From now on: how many bytes were allocated at most, beyond those that are now. */
void alloc_fail_watch_bytes(void);
size_t alloc_fail_most_bytes(void);

#endif /* SMAP_TESTS_ALLOC_FAIL_H */
