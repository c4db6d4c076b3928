/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_VMALLOC_H
#define SHIM_LINUX_VMALLOC_H

#include <linux/slab.h>

void *__vmalloc(size_t size, unsigned long flags);
void vfree(void *p);

#endif
