/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that are on disk once these have returned 0. An interrupted call is begun anew.
 */
#ifndef SMAP_STORE_DURABLE_H
#define SMAP_STORE_DURABLE_H

#include <stddef.h>
#include <sys/types.h>

#include "core/error.h"

/* All of them, or negative errno with words; some may have been written then. */
int smap_write_all(int fd, const char *data, size_t len, off_t offset, struct smap_error *err);

/* fsync(2), without words: 0, or -1 with errno. */
int smap_sync_fd(int fd);
/* The same for a file of ours, with words, and what else may tell of a failed write. */
int smap_sync_file(int fd, struct smap_error *err);

/* flock(2): 0, or -1 with errno. */
int smap_lock(int fd, int how);

#endif /* SMAP_STORE_DURABLE_H */
