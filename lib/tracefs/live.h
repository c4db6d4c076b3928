/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What other rooms may ask of the map of the running kernel, beside what stackmap.h has.
 */
#ifndef SMAP_TRACEFS_LIVE_H
#define SMAP_TRACEFS_LIVE_H

#include "stackmap.h"
#include "store/store.h"

/* The map of now as a store in memory. -ENODATA: there is none, or it has no stack. */
int smap_live_read_store(struct stackmap_live *live, struct smap_store **ret_store);

#endif /* SMAP_TRACEFS_LIVE_H */
