/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SMAP_RESOLVE_OPEN_H
#define SMAP_RESOLVE_OPEN_H

#include "store/store.h"

/*
 * As smap_store_open(), and a trace.dat stands for the store that is attached to it: then also
 * -ENODATA (none is), and what smap_tracedat_open() returns. Words begin with the path.
 */
int smap_maps_open(const char *path, struct smap_store **ret_store, struct smap_error *err);

/* Only that: -EINVAL, without words, where @path is no trace.dat. */
int smap_maps_open_inside(const char *path, struct smap_store **ret_store, struct smap_error *err);

#endif /* SMAP_RESOLVE_OPEN_H */
