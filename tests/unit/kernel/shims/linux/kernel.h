/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include_next <linux/kernel.h>

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "shim.h"

#define lower_32_bits(n)	((u32)(n))
#define upper_32_bits(n)	((u32)((u64)(n) >> 32))

/* Counted, for tests to see that something was said */
#define pr_warn(...)		shim_warn(__VA_ARGS__)

int kstrtoint(const char *text, unsigned int base, int *ret_value);

#endif
