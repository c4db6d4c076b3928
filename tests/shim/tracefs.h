/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening, reading and writing the files of tracefs that are played. All return what a system call
 * does: a number, or negative errno.
 */
#ifndef SHIM_TRACEFS_H
#define SHIM_TRACEFS_H

#include <sys/stat.h>
#include <sys/types.h>

#include "paths.h"

/* Is @fd a file of tracefs that is played? */
bool shim_is_file(int fd);

/* "r", "w" or "rw": what rules of opening name. */
const char *shim_access_name(int flags);
long shim_open(const struct shim_path *path, int flags);
long shim_read(int fd, void *data, size_t count);
long shim_write(int fd, const void *data, size_t count);
long shim_seek(int fd, off_t offset, int whence);
/* Of a file that was just opened. */
bool shim_is_seekable(int fd);
int shim_mkdir(const struct shim_path *path, mode_t mode);
/* Files of tracefs have no length, and those who ask see what the kernel would say of them. */
void shim_play_stat(struct stat *st);

/* What the rules say of a call on a path; 0, or negative errno. */
int shim_path_moment(const struct shim_path *path, const char *moment, const char *arg);

#endif /* SHIM_TRACEFS_H */
