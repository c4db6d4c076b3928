/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that are on disk once these have returned 0. An interrupted call is begun anew.
 */
#ifndef SMAP_STORE_DURABLE_H
#define SMAP_STORE_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

/* All of them, or negative errno with words; some may have been written then. */
int smap_write_all(int fd, const char *data, size_t len, off_t offset, struct smap_error *err);

/* A store that is being written, one part behind the other; not on disk before it is synced. */
struct smap_sink {
	int		fd;
	uint64_t	base;		/* where byte 0 of the store stands in the file */
	uint64_t	len;		/* of the store so far */
	bool		is_shared;	/* others may write to the file: -EBUSY where they did */
	/* NULL, or called once before anything is written, which it may do itself. */
	int		(*begin)(struct smap_sink *sink, struct smap_error *err);
	void		*data;		/* for it */
};

/* As smap_write_all(), or what @begin returned: then the sink is of no use any more. */
int smap_sink_add(struct smap_sink *sink, const void *data, size_t len, struct smap_error *err);
/* The file of one that is shared ends where the sink does; else -EBUSY with words. */
int smap_sink_check_end(const struct smap_sink *sink, struct smap_error *err);
/* A beginning: where blocks may stand, behind a tail that is torn. */
int smap_sink_pad(struct smap_sink *sink, struct smap_error *err);

/* fsync(2), without words: 0, or -1 with errno. */
int smap_sync_fd(int fd);
/* The same for a file of ours, with words, and what else may tell of a failed write. */
int smap_sync_file(int fd, struct smap_error *err);

/*
 * Lock it against others that do so, or wait for them: a process that is stopped would have all
 * others wait for ever. Steps are short: who saves all the time unlocks it for a moment only.
 * 0, -ETIMEDOUT after @ms, or errno of flock(2), with words.
 */
#define SMAP_LOCK_MS		30000
#define SMAP_LOCK_STEP_MS	2
int smap_lock(int fd, unsigned int ms, struct smap_error *err);

#endif /* SMAP_STORE_DURABLE_H */
