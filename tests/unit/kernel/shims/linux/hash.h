/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_HASH_H
#define SHIM_LINUX_HASH_H

/* 2^64 over the square of the golden ratio. A build that wants collisions gives its own. */
#ifndef GOLDEN_RATIO_64
#define GOLDEN_RATIO_64		0x61c8864680b583ebULL
#endif

#endif
