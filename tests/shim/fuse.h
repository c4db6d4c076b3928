/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world as a file system; see fuse-run.c.
 */
#ifndef SHIM_FUSE_H
#define SHIM_FUSE_H

#include <sys/types.h>

/* ---- the files: fuse.c ---- */

struct fuse_session;

/* The world that the environment names, mounted on @mount; NULL where that fails, which it says. */
struct fuse_session *shim_fuse_mount(const char *mount);
/* Until it is unmounted. */
void shim_fuse_serve(struct fuse_session *session);
/* Until no file of it is open. */
void shim_fuse_wait_closed(void);

/* ---- system calls that no file system answers: fuse-calls.c ---- */

/* From now on those of this process and its children wait for an answer: where to find them. */
int shim_calls_catch(void);
/* Until none of these processes is left. @dev: of the files that are of tracefs. */
void shim_calls_answer(int listener, dev_t dev);

#endif /* SHIM_FUSE_H */
