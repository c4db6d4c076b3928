/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_CACHE_H
#define SHIM_LINUX_CACHE_H

#define SHIM_CACHELINE			64
#define ____cacheline_aligned_in_smp	__attribute__((aligned(SHIM_CACHELINE)))

#endif
