/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Setting up a world, and changing what its kernel is like.
 */
#ifndef SHIM_SETUP_H
#define SHIM_SETUP_H

#include "world.h"

/* @dir is made and must not be there. @series as in struct shim_state; 0: no stack map. */
int shim_setup(const char *dir, uint32_t series);
/* "KEY=VALUE", see README.md. -EINVAL: there is no such key. */
int shim_set(const char *dir, const char *setting);

#endif /* SHIM_SETUP_H */
