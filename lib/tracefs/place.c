// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files of tracefs. The usual places first, then what /proc/mounts says: libtracefs would remember
 * the first answer for good, and mount tracefs itself where it is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <tracefs.h>
#include <unistd.h>

#include "store/reader.h"
#include "room.h"

/* Where the kernel makes a folder to mount it on. */
#define USUAL_DIR	"/sys/kernel/tracing"

/* ---- where it is ---- */

static bool is_tracefs(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) && (uint32_t)fs.f_type == TRACEFS_MAGIC;
}

static int take_dir(const char *dir, char **ret_dir)
{
	*ret_dir = strdup(dir);
	return *ret_dir ? 1 : -ENOMEM;
}

/* 1: @dir is it; 0: it is not; -ENOMEM. */
static int try_mount(const struct mntent *mount, char **ret_dir)
{
	char *below;
	int ret = 0;

	if (!strcmp(mount->mnt_type, "tracefs"))
		return is_tracefs(mount->mnt_dir) ? take_dir(mount->mnt_dir, ret_dir) : 0;
	if (strcmp(mount->mnt_type, "debugfs"))
		return 0;
	/* The kernel mounts it there for whoever looks. */
	if (asprintf(&below, "%s/tracing", mount->mnt_dir) < 0)
		return -ENOMEM;
	if (is_tracefs(below))
		ret = take_dir(below, ret_dir);
	free(below);
	return ret;
}

static int try_mounts(char **ret_dir)
{
	FILE *mounts = setmntent("/proc/mounts", "re");
	struct mntent mount;
	char room[8192];
	int ret = 0;

	if (!mounts)
		return 0;
	while (!ret && getmntent_r(mounts, &mount, room, sizeof(room)))
		ret = try_mount(&mount, ret_dir);
	endmntent(mounts);
	return ret;
}

static int not_mounted(struct smap_error *err)
{
	if (!access(USUAL_DIR, F_OK))
		return smap_error_set(err, -ENOENT, "tracefs is not mounted: as root, "
				      "mount -t tracefs tracefs " USUAL_DIR);
	return smap_error_set(err, -ENOENT,
			      "no tracefs: a kernel without tracing, or a container without it");
}

static int find_top_level(char **ret_dir, struct smap_error *err)
{
	static const char *const usual[] = { USUAL_DIR, "/sys/kernel/debug/tracing" };
	size_t i;
	int ret;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (is_tracefs(usual[i]))
			return take_dir(usual[i], ret_dir) < 0 ? smap_error_nomem(err) : 0;
	ret = try_mounts(ret_dir);
	if (ret < 0)
		return smap_error_nomem(err);
	return ret ? 0 : not_mounted(err);
}

int smap_tracefs_find(struct tracefs_instance *instance, char **ret_dir, struct smap_error *err)
{
	const char *name;
	char *dir;

	if (!instance)
		return find_top_level(ret_dir, err);
	name = tracefs_instance_get_name(instance);
	if (name)
		return smap_error_set(err, -EOPNOTSUPP,
				      "instance %s: only the top level has a stack map", name);
	dir = tracefs_instance_get_dir(instance);
	if (!dir)
		return smap_error_nomem(err);
	*ret_dir = dir;
	return 0;
}

/* ---- words ---- */

static int no_stack_map(const char *dir, struct smap_error *err)
{
	return smap_error_set(err, -EOPNOTSUPP,
			      "%s has no stack_map: this kernel has no stack map, it needs one "
			      "with CONFIG_FTRACE_STACKMAP", dir);
}

/* @doing: "read", "write to". */
static int failed(int code, const char *dir, const char *name, const char *doing,
		  struct smap_error *err)
{
	switch (code) {
	case -EACCES:
		return smap_error_set(err, code,
				      "%s/%s: no right to %s it: run as root, or in its group", dir,
				      name, doing);
	case -EPERM:
		return smap_error_set(err, code,
				      "%s/%s: the kernel is locked down, see kernel_lockdown(7)",
				      dir, name);
	case -ENODEV:
		return smap_error_set(err, code, "%s/%s: tracing is disabled in this kernel", dir,
				      name);
	case -ENOENT:
		if (!strcmp(name, "stack_map") || !strcmp(name, "options/stackmap"))
			return no_stack_map(dir, err);
		return smap_error_set(err, code, "%s/%s: this kernel has no such file", dir, name);
	default:
		errno = -code;
		return smap_error_set(err, code, "%s/%s: %s: %m", dir, name, doing);
	}
}

static const char *doing(int flags)
{
	return (flags & O_ACCMODE) == O_RDONLY ? "read" : "write to";
}

/* ---- files ---- */

int smap_tracefs_open(const char *dir, const char *name, int flags, struct smap_error *err)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return smap_error_nomem(err);
	do
		fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		fd = failed(-errno, dir, name, doing(flags), err);
	free(path);
	return fd;
}

int smap_tracefs_has(const char *dir, const char *name)
{
	char *path;
	int has;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	has = !access(path, F_OK);
	free(path);
	return has;
}

int smap_tracefs_read_fd(int fd, const char *dir, const char *name, struct smap_buf *buf,
			 struct smap_error *err)
{
	int ret = smap_read_fd(fd, buf, err);

	if (!ret)
		return 0;
	smap_buf_reset(buf);
	if (ret == -ENOMEM || ret == -EFBIG)
		return smap_error_prefix(err, ret, "%s/%s", dir, name);
	return failed(ret, dir, name, "read", err);
}

int smap_tracefs_read(const char *dir, const char *name, struct smap_buf *buf,
		      struct smap_error *err)
{
	int fd = smap_tracefs_open(dir, name, O_RDONLY, err);
	int ret;

	if (fd < 0)
		return fd;
	ret = smap_tracefs_read_fd(fd, dir, name, buf, err);
	close(fd);
	return ret;
}

int smap_tracefs_read_head(const char *dir, const char *name, char *head, size_t size,
			   size_t *ret_len, struct smap_error *err)
{
	int fd = smap_tracefs_open(dir, name, O_RDONLY, err);
	ssize_t got;
	int ret = 0;

	if (fd < 0)
		return fd;
	got = smap_read_some(fd, head, size);
	if (got < 0)
		ret = failed(-errno, dir, name, "read", err);
	else
		*ret_len = (size_t)got;
	close(fd);
	return ret;
}

int smap_tracefs_write_fd(int fd, const char *dir, const char *name, const char *text,
			  struct smap_error *err)
{
	ssize_t done = write(fd, text, strlen(text));

	if (done < 0)
		return failed(-errno, dir, name, "write to", err);
	if ((size_t)done != strlen(text))
		return failed(-EIO, dir, name, "write to", err);
	return 0;
}

int smap_tracefs_write(const char *dir, const char *name, const char *text, struct smap_error *err)
{
	int fd = smap_tracefs_open(dir, name, O_WRONLY, err);
	int ret;

	if (fd < 0)
		return fd;
	ret = smap_tracefs_write_fd(fd, dir, name, text, err);
	close(fd);
	return ret;
}
