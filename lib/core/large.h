/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for a whole export, which is written once from end to end and soon freed. Touching it
 * page by page costs more than parsing what is in it (a page fault is a microsecond, several on a
 * virtual machine), so that the kernel is advised to serve it in huge pages. Where it does not,
 * nothing but time is lost.
 */
#ifndef SMAP_CORE_LARGE_H
#define SMAP_CORE_LARGE_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SMAP_HUGE_PAGE	((size_t)2 << 20)

/* As malloc(), freed by free(). */
static inline void *smap_alloc_large(size_t size)
{
	int saved_errno = errno;
	void *room;

	if (size < 2 * SMAP_HUGE_PAGE || size > SIZE_MAX - SMAP_HUGE_PAGE)
		return malloc(size);
	size = (size + SMAP_HUGE_PAGE - 1) & ~(SMAP_HUGE_PAGE - 1);
	room = aligned_alloc(SMAP_HUGE_PAGE, size);
	if (room && madvise(room, size, MADV_HUGEPAGE))
		errno = saved_errno;
	return room;
}

#endif /* SMAP_CORE_LARGE_H */
