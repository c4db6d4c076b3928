// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"

#define REMOTE_NAME	"trace"		/* of maps whose trace is not here */
#define MAX_NAMES	10000

/* ---- names ---- */

/* "NAME", "NAME.2" and so on: @nr counts from 1. NULL: no memory. */
static char *numbered(const char *name, int nr)
{
	char *path;
	int len;

	len = nr == 1 ? asprintf(&path, "%s", name) : asprintf(&path, "%s.%d", name, nr);
	return len < 0 ? NULL : path;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* As rename(), but never over something. */
static int rename_to_new(const char *from, const char *to)
{
	int fd;

	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* This file system cannot: the name is taken by a file of ours, which may be replaced. */
	fd = open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return rename(from, to) ? -errno : 0;
}

static int sync_path(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags), err = 0;

	if (fd < 0)
		return -errno;
	/* what cannot be synced cannot get lost in between */
	if (fsync(fd) && errno != EINVAL && errno != EROFS)
		err = -errno;
	close(fd);
	return err;
}

static int sync_folder_of(const char *path)
{
	char *copy = strdup(path);
	int err;

	if (!copy)
		return -ENOMEM;
	err = sync_path(dirname(copy), O_DIRECTORY);
	free(copy);
	return err;
}

/* @from gets the name @to, or @to with a number, for good. */
static int move_to_free_name(const char *from, const char *to, char **ret_name)
{
	char *name;
	int nr, err = -EEXIST;

	for (nr = 1; nr < MAX_NAMES && err == -EEXIST; nr++) {
		name = numbered(to, nr);
		if (!name)
			return -ENOMEM;
		err = rename_to_new(from, name);
		if (err)
			free(name);
	}
	if (err)
		return err;
	err = sync_folder_of(name);
	if (err)
		free(name);
	else
		*ret_name = name;
	return err;
}

/* ---- the maps that are not the trace's yet ---- */

static int choose_pending(struct output *output)
{
	char *name;
	int nr;

	if (asprintf(&name, "%s.new", output->saved) < 0)
		return cmd_nomem();
	for (nr = 1; nr < MAX_NAMES; nr++) {
		output->pending = numbered(name, nr);
		if (!output->pending || !is_there(output->pending))
			break;
		cmd_warn("%s has the maps of a recording that was cut off; it stays",
			 output->pending);
		free(output->pending);
		output->pending = NULL;
	}
	free(name);
	if (output->pending)
		return CMD_OK;
	return nr < MAX_NAMES ? cmd_nomem() : cmd_error("%s: too many such files", output->saved);
}

int output_init(struct output *output, const char *path)
{
	*output = (struct output){ .path = path };
	if (asprintf(&output->saved, "%s.stackmap", path ? path : REMOTE_NAME) < 0) {
		output->saved = NULL;
		return cmd_nomem();
	}
	output->existed = path && !stat(path, &output->before);
	return choose_pending(output);
}

void output_release(struct output *output)
{
	free(output->saved);
	free(output->pending);
	output->saved = NULL;
	output->pending = NULL;
}

/* ---- the trace ---- */

static bool is_same_time(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

bool output_is_written(const struct output *output)
{
	const struct stat *before = &output->before;
	struct stat now;

	if (!output->path || stat(output->path, &now) || !S_ISREG(now.st_mode))
		return false;
	if (!output->existed || now.st_ino != before->st_ino || now.st_dev != before->st_dev)
		return true;
	return now.st_size != before->st_size || !is_same_time(&now.st_mtim, &before->st_mtim) ||
	       !is_same_time(&now.st_ctim, &before->st_ctim);
}

bool output_is_no_file(const struct output *output)
{
	struct stat now;

	return output->path && !stat(output->path, &now) && !S_ISREG(now.st_mode);
}

int output_sync(const struct output *output)
{
	int err = sync_path(output->path, 0);

	return err ? err : sync_folder_of(output->path);
}

int output_set_aside(const struct output *output, char **ret_name)
{
	char *to;
	int err;

	*ret_name = NULL;
	if (!is_there(output->saved))
		return 0;
	if (asprintf(&to, "%s.old", output->saved) < 0)
		return -ENOMEM;
	err = move_to_free_name(output->saved, to, ret_name);
	free(to);
	return err;
}

/* Owner and mode of the trace, as far as we may. */
static int make_like_trace(const struct output *output)
{
	struct stat trace;
	int fd, err = 0;

	if (stat(output->path, &trace))
		return -errno;
	fd = open(output->pending, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fchown(fd, trace.st_uid, trace.st_gid) && errno != EPERM)
		err = -errno;
	/* file systems that know no modes refuse it */
	if (!err && fchmod(fd, trace.st_mode & 0666) && errno != EPERM)
		err = -errno;
	close(fd);
	return err;
}

int output_publish(const struct output *output)
{
	int err = make_like_trace(output);

	if (!err)
		err = rename_to_new(output->pending, output->saved);
	return err ? err : sync_folder_of(output->saved);
}

int output_keep(const struct output *output, char **ret_name)
{
	return move_to_free_name(output->pending, REMOTE_NAME ".stackmap", ret_name);
}

int output_remove(const char *path)
{
	if (unlink(path))
		return -errno;
	return sync_folder_of(path);
}
