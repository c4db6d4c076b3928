/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_MM_H
#define SHIM_LINUX_MM_H

#define PAGE_SHIFT	12

long si_mem_available(void);

#endif
