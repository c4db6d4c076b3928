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

#define SMAP_HUGE_PAGE	((uintptr_t)2 << 20)

/* As malloc(), freed by free(). */
static inline void *smap_alloc_large(size_t size)
{
	void *room = malloc(size);
	uintptr_t start, end;
	int saved_errno = errno;

	if (!room || size < 2 * SMAP_HUGE_PAGE)
		return room;
	start = ((uintptr_t)room + SMAP_HUGE_PAGE - 1) & ~(SMAP_HUGE_PAGE - 1);
	end = ((uintptr_t)room + size) & ~(SMAP_HUGE_PAGE - 1);
	if (start < end)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	errno = saved_errno;
	return room;
}

#endif /* SMAP_CORE_LARGE_H */
