// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The heap in large pages. libtracecmd and a saved map take tens of megabytes for a trace of any
 * size, and touching them page by page can take as long as all the rest: a page fault costs a
 * microsecond, several on a virtual machine.
 *
 * The heap is made to grow by a large piece at once, of which only what is used takes memory, and
 * the kernel is advised to serve that piece in huge pages. Where any of this fails, nothing but
 * time is lost.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap.h"

#define PIECE		(128 << 20)
#define HUGE_PAGE	((uintptr_t)2 << 20)
/* glibc's largest. */
#define MMAP_THRESHOLD	(32 << 20)

void heap_expect_much(void)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
	void *first;
	uintptr_t start, end;

	mallopt(M_TOP_PAD, PIECE);
	mallopt(M_TRIM_THRESHOLD, PIECE);
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
	first = malloc(HUGE_PAGE);
	start = ((uintptr_t)first + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	end = (uintptr_t)sbrk(0);
	if (first && end > start && end - start <= PIECE + 2 * HUGE_PAGE)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	free(first);
#endif
}
