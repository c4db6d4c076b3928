/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_RANDOM_H
#define SHIM_LINUX_RANDOM_H

#include <linux/types.h>

u32 get_random_u32(void);

#endif
