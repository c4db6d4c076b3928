/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which trace.dat does a tep handle read?
 *
 * libtraceevent does not say. But it loads plugins while trace-cmd's library reads the first bytes
 * of the file: at that moment its descriptor stands right behind the byte order,
 *
 *	17 08 44 "tracing" VERSION 00 BYTEORDER | LONGSIZE PAGESIZE ...
 *	                                        ^ here
 *
 * and no other does: a file that was opened before has been read on, one that comes later is not
 * open yet. /proc/self/fd lists the descriptors and /proc/self/fdinfo their positions. A descriptor
 * that a living handle has claimed comes last: only `trace-cmd stream` reads one anew for each
 * instance.
 *
 * Without /proc, or where more than one file could be meant, the file is not known: no guess.
 */
#ifndef SMAP_PLUGINS_TRACEFILE_H
#define SMAP_PLUGINS_TRACEFILE_H

#include <stdbool.h>
#include <sys/types.h>

struct smap_tracefile {
	int	fd;		/* our own, with a position of its own; -1: not known */
	char	*path;		/* as /proc has it, symlinks followed; NULL: none */
	bool	is_deleted;
	int	claimed_fd;	/* the reader's */
	dev_t	dev;
	ino_t	ino;
};

#define SMAP_TRACEFILE_NONE	{ .fd = -1, .claimed_fd = -1 }

/* Does a living handle read through this descriptor? */
typedef bool (*smap_is_claimed_fn)(int fd, dev_t dev, ino_t ino, void *data);

/*
 * The file that is being opened right now. Returns 0; or -ENOENT (it is not known) or -ENOMEM, and
 * *ret_file is SMAP_TRACEFILE_NONE. It is to be given to smap_tracefile_release() in each case.
 */
int smap_tracefile_find(smap_is_claimed_fn is_claimed, void *data, struct smap_tracefile *ret_file);
void smap_tracefile_release(struct smap_tracefile *file);

/*
 * /proc has one name of the file, with symlinks followed; the user may know it by another, which
 * then stands on the command line. Calls @fn with each word there that names the same file by
 * another path, until @fn gives non-zero, which is returned. trace-cmd's default counts as a word.
 */
int smap_tracefile_for_each_alias(const struct smap_tracefile *file,
				  int (*fn)(const char *path, void *data), void *data);

#endif /* SMAP_PLUGINS_TRACEFILE_H */
