/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_LIMITS_H
#define SHIM_LINUX_LIMITS_H

#include_next <linux/limits.h>

#include <limits.h>

#define U16_MAX		0xffff
#define S32_MIN		(-0x7fffffff - 1)

#endif
