/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stacks that were recorded in full, kept by the resolver.
 */
#ifndef SMAP_RESOLVE_FULL_H
#define SMAP_RESOLVE_FULL_H

#include "resolve/resolver.h"

void smap_full_free(struct smap_full *full);

#endif /* SMAP_RESOLVE_FULL_H */
