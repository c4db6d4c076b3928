/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the bytes of a store come from: a part of a regular file, or memory.
 *
 *	regular file	read with pread() piece by piece, never mapped: a file that another
 *			process cuts short while it is read gives an error, where a mapping would
 *			give SIGBUS; and a store of a whole day costs no memory but for the
 *			save that is looked at
 *	pipe, tracefs	read to the end into memory: what says that it is empty may not be
 *	memory		borrowed
 */
#ifndef SMAP_STORE_READER_H
#define SMAP_STORE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/error.h"

/*
 * No export is longer: what comes through a pipe has an end somewhere, and a file with holes can
 * be as long as it likes.
 */
#define SMAP_READ_MAX	(1ULL << 30)
/* How much of a file a probe is shown. */
#define SMAP_PROBE_LEN	65536

/* Is it for us to ask for the memory of @len bytes? 0, or @code with words. */
int smap_check_len(uint64_t len, uint64_t max, int code, struct smap_error *err);

typedef bool (*smap_wanted_fn)(const void *data, size_t len);

struct smap_reader {
	int		fd;		/* our own; -1: memory */
	uint64_t	base;		/* where byte 0 stands in the file */
	const uint8_t	*data;		/* of memory */
	char		*owned;		/* memory that goes with the reader */
	uint64_t	len;		/* when it was opened */
};

#define SMAP_READER_INIT { -1, 0, NULL, NULL, 0 }

/* How messages call @path: "standard input" for "-". */
const char *smap_path_name(const char *path);

/*
 * Read the file at @path, "-" for standard input, to its end. Once SMAP_PROBE_LEN bytes are there
 * (or all of them) @wanted is shown them: where it says no, reading ends with -EINVAL, so that an
 * endless file of another kind is not swallowed. NULL: all is wanted. Words begin with the path.
 * Returns 0, -EINVAL, -EFBIG, -ENOMEM or errno of open and read; @buf is then for the caller to
 * free all the same.
 */
int smap_read_file(const char *path, smap_wanted_fn wanted, struct smap_buf *buf,
		   struct smap_error *err);

/* The same from where @fd stands, which stays open; words have no path. */
int smap_read_fd(int fd, struct smap_buf *buf, struct smap_error *err);

/* read(2), called until something is there or the end: EINTR and EAGAIN are no fault. */
ssize_t smap_read_some(int fd, void *room, size_t len);

/*
 * The same three for a reader; words have no path. _fd duplicates @fd, which must be a regular file
 * where @offset is not 0. On failure there is nothing to close.
 */
int smap_reader_open(struct smap_reader *reader, const char *path, smap_wanted_fn wanted,
		     struct smap_error *err);
int smap_reader_open_fd(struct smap_reader *reader, int fd, uint64_t offset,
			smap_wanted_fn wanted, struct smap_error *err);
void smap_reader_open_memory(struct smap_reader *reader, const void *data, size_t len);
void smap_reader_close(struct smap_reader *reader);

/* Exactly @len bytes from @offset. -EBADMSG: they are not there (any more). */
int smap_reader_read(const struct smap_reader *reader, uint64_t offset, void *room, size_t len,
		     struct smap_error *err);

#endif /* SMAP_STORE_READER_H */
