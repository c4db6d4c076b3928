/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a path leads in the world that the environment names.
 */
#ifndef SHIM_PATHS_H
#define SHIM_PATHS_H

#include <limits.h>
#include <stdbool.h>

#include "world.h"

struct shim_path {
	bool		is_mapped;	/* else use the path as it came */
	bool		is_tracefs;
	char		world[PATH_MAX];	/* "": none */
	char		absolute[PATH_MAX];	/* as the program means it */
	char		real[PATH_MAX];		/* where it is mapped to */
	char		name[PATH_MAX];		/* below the mount point; "": that itself */
	enum shim_kind	kind;
};

/* The world's directory; NULL where the environment names none. */
const char *shim_world_dir(void);
void shim_path_find(struct shim_path *path, int dirfd, const char *given);
/* What an open descriptor stands for; "" where it has no path. */
void shim_fd_path(char *path, int fd);

#endif /* SHIM_PATHS_H */
