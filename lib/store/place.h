/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a store is, or will be, and the steps that put bytes there for good. How they make a whole
 * is told in append.c and writer.c.
 */
#ifndef SMAP_STORE_PLACE_H
#define SMAP_STORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "durable.h"

struct smap_place {
	int		folder;
	const char	*name;		/* of the file in it, borrowed */
	bool		is_private;	/* what is made is for its owner alone; not at first */
	unsigned int	lock_ms;	/* to wait for others; SMAP_LOCK_MS at first */
};

/*
 * Another writer may make or replace the file between two of our steps; it cannot do so for ever.
 */
#define SMAP_PLACE_TRIES	16
/* After so many tries: -EEXIST, with the reason in @err. */
int smap_place_fail_tries(const struct smap_place *place, struct smap_error *err);

/* The folder of @path, which has to live as long. Nothing to close on failure. */
int smap_place_open(const char *path, struct smap_place *place, struct smap_error *err);
void smap_place_close(struct smap_place *place);
/* Remove what writers left that were killed: a favour to the user, which may fail. */
void smap_place_tidy(const struct smap_place *place);

/* ".stackmap-", 16 hex digits, ".tmp" */
#define SMAP_TEMP_SIZE	32

/*
 * Open the store that is there and lock it, once whoever has it locked is done. Returns its
 * descriptor, or -ENOENT; -EAGAIN: it was replaced meanwhile, look again; -EEXIST: no store;
 * -EBADMSG, -EOPNOTSUPP: one that must not be written to; or another errno.
 */
int smap_place_open_store(const struct smap_place *place, uint64_t *ret_store_id,
			  struct smap_error *err);

/* Writes what is to stand there, for the three below. */
typedef int (*smap_fill_fn)(struct smap_sink *sink, void *data, struct smap_error *err);

/*
 * Make a new file there. Returns its descriptor, locked, or -EAGAIN: there is a file now; or
 * another errno: then nothing is there.
 */
int smap_place_create_store(const struct smap_place *place, smap_fill_fn fill, void *data,
			    struct smap_error *err);

/*
 * Have blocks written at the end of a store that is locked: @ret_len bytes, 0 where @fill had none.
 * On failure it is as long as it was, or has a torn tail.
 */
int smap_place_append(const struct smap_place *place, int fd, smap_fill_fn fill, void *data,
		      uint64_t *ret_len, struct smap_error *err);

/* Take the store behind @fd, which is locked, away again. */
void smap_place_unmake(const struct smap_place *place, int fd);

/*
 * Put a temporary file in the place of the store behind @fd, which is locked: with its owner and
 * mode, durable, at once. 0 or negative errno; the old one is then as it was. Not where the file
 * has other names or is named through a link.
 */
int smap_place_replace(const struct smap_place *place, int fd, smap_fill_fn fill, void *data);

#endif /* SMAP_STORE_PLACE_H */
