/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

/* Of the least power of two that is no less than @n */
static inline unsigned int order_base_2(unsigned long n)
{
	return n > 1 ? 64 - (unsigned int)__builtin_clzl(n - 1) : 0;
}

#endif
