/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <linux/types.h>

#define GFP_KERNEL		BIT(0)
#define __GFP_ZERO		BIT(1)
#define __GFP_RETRY_MAYFAIL	BIT(2)
#define __GFP_NOWARN		BIT(3)

void *kzalloc(size_t size, unsigned long flags);
void kfree(void *p);

/* As large as can be where it overflows */
static inline size_t array_size(size_t nr, size_t size)
{
	size_t product;

	return __builtin_mul_overflow(nr, size, &product) ? SIZE_MAX : product;
}

#endif
