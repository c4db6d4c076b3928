// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A path, and the saved maps that it stands for: a saved-map file, a raw export, or a trace.dat
 * with what is attached to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/open.h"
#include "tracedat/magic.h"
#include "tracedat/tracedat.h"

static bool is_trace(int fd)
{
	char head[SMAP_TRACEDAT_MAGIC_LEN];

	return pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       smap_tracedat_probe(head, sizeof(head));
}

/* Not even to be opened otherwise: who writes into a FIFO would find that its reader has left. */
static bool is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static int open_of_trace(int fd, const char *path, struct smap_store **ret_store,
			 struct smap_error *err)
{
	struct smap_tracedat *trace;
	int ret;

	ret = smap_tracedat_open_fd(fd, &trace, err);
	if (ret)
		return smap_error_prefix(err, ret, "%s", path);
	ret = smap_store_open_attached(trace->fd, trace->end, ret_store, err);
	smap_tracedat_close(trace);
	if (ret == -ENODATA)
		smap_error_set(err, ret, "a trace.dat, with no saved map attached to it");
	return ret ? smap_error_prefix(err, ret, "%s", path) : 0;
}

int smap_maps_open_inside(const char *path, struct smap_store **ret_store, struct smap_error *err)
{
	int fd, ret = -EINVAL;

	if (!is_regular(path))
		return smap_errno(-EINVAL);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return smap_error_set(err, -errno, "%s: %m", path);
	if (is_trace(fd))
		ret = open_of_trace(fd, path, ret_store, err);
	close(fd);
	return smap_errno(ret);
}

int smap_maps_open(const char *path, struct smap_store **ret_store, struct smap_error *err)
{
	int ret = -EINVAL;

	if (strcmp(path, "-"))
		ret = smap_maps_open_inside(path, ret_store, err);
	if (ret == -EINVAL)
		return smap_store_open(path, ret_store, err);
	return ret;
}
