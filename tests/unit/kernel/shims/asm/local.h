/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A counter that its own CPU alone writes, in whatever context, and that all may read */
#ifndef SHIM_ASM_LOCAL_H
#define SHIM_ASM_LOCAL_H

#include <linux/atomic.h>

typedef struct {
	long	counter;
} local_t;

#define local_read(l)	READ_ONCE((l)->counter)

static inline void local_inc(local_t *l)
{
	shim_step();
	__atomic_fetch_add(&l->counter, 1, __ATOMIC_RELAXED);
}

#endif
