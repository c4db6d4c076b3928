// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calls of libc on paths, and on what a system is, that are taken over; see preload.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "preload.h"
#include "tracefs.h"

/* The errno that asking for this path has to fail with, negative. */
static int look_moment(const struct shim_path *path)
{
	return path->is_tracefs && *path->name ? shim_path_moment(path, "stat", NULL) : 0;
}

static int stat_any(int dirfd, const char *given, struct stat *st, int flags)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, dirfd, given);
	ret = look_moment(&path);
	if (ret)
		return (int)shim_give(ret);
	if (!path.is_mapped)
		return (int)syscall(SYS_newfstatat, dirfd, given, st, flags);
	ret = (int)syscall(SYS_newfstatat, AT_FDCWD, path.real, st, flags);
	if (!ret && path.is_tracefs && S_ISREG(st->st_mode))
		shim_play_stat(st);
	return ret;
}

static int fstat_any(int fd, struct stat *st)
{
	int ret = (int)syscall(SYS_fstat, fd, st);

	if (!ret && shim_is_file(fd)) {
		shim_play_stat(st);
		st->st_mode = S_IFREG | 0640;
	}
	return ret;
}

PUBLIC int stat(const char *file, struct stat *st)
{
	return stat_any(AT_FDCWD, file, st, 0);
}

PUBLIC int stat64(const char *file, struct stat64 *st)
{
	return stat_any(AT_FDCWD, file, (struct stat *)st, 0);
}

PUBLIC int lstat(const char *file, struct stat *st)
{
	return stat_any(AT_FDCWD, file, st, AT_SYMLINK_NOFOLLOW);
}

PUBLIC int lstat64(const char *file, struct stat64 *st)
{
	return stat_any(AT_FDCWD, file, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

PUBLIC int fstat(int fd, struct stat *st)
{
	return fstat_any(fd, st);
}

PUBLIC int fstat64(int fd, struct stat64 *st)
{
	return fstat_any(fd, (struct stat *)st);
}

static int fstatat_any(int dirfd, const char *file, struct stat *st, int flags)
{
	return (flags & AT_EMPTY_PATH) && !*file ? fstat_any(dirfd, st) :
						   stat_any(dirfd, file, st, flags);
}

PUBLIC int fstatat(int dirfd, const char *file, struct stat *st, int flags)
{
	return fstatat_any(dirfd, file, st, flags);
}

PUBLIC int fstatat64(int dirfd, const char *file, struct stat64 *st, int flags)
{
	return fstatat_any(dirfd, file, (struct stat *)st, flags);
}

PUBLIC int statx(int dirfd, const char *file, int flags, unsigned int mask, struct statx *st)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, dirfd, file);
	ret = look_moment(&path);
	if (ret)
		return (int)shim_give(ret);
	if (path.is_mapped)
		ret = (int)syscall(SYS_statx, AT_FDCWD, path.real, flags, mask, st);
	else
		ret = (int)syscall(SYS_statx, dirfd, file, flags, mask, st);
	if (!ret && ((path.is_tracefs && S_ISREG(st->stx_mode)) ||
		     ((flags & AT_EMPTY_PATH) && !*file && shim_is_file(dirfd))))
		st->stx_size = 0;
	return ret;
}

/* ---- access ---- */

static int access_any(int dirfd, const char *given, int mode, int flags)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, dirfd, given);
	ret = look_moment(&path);
	if (ret)
		return (int)shim_give(ret);
	if (path.is_mapped)
		return (int)syscall(SYS_faccessat, AT_FDCWD, path.real, mode);
	return (int)(flags ? syscall(SYS_faccessat2, dirfd, given, mode, flags) :
			     syscall(SYS_faccessat, dirfd, given, mode));
}

PUBLIC int access(const char *file, int mode)
{
	return access_any(AT_FDCWD, file, mode, 0);
}

PUBLIC int euidaccess(const char *file, int mode)
{
	return access_any(AT_FDCWD, file, mode, AT_EACCESS);
}

PUBLIC int eaccess(const char *file, int mode)
{
	return access_any(AT_FDCWD, file, mode, AT_EACCESS);
}

PUBLIC int faccessat(int dirfd, const char *file, int mode, int flags)
{
	return access_any(dirfd, file, mode, flags);
}

/* ---- folders ---- */

PUBLIC DIR *opendir(const char *file)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, AT_FDCWD, file);
	ret = path.is_tracefs ? shim_path_moment(&path, "open", "r") : 0;
	if (ret) {
		shim_give(ret);
		return NULL;
	}
	return NEXT(opendir)(path.is_mapped ? path.real : file);
}

PUBLIC int chdir(const char *file)
{
	struct shim_path path;

	shim_path_find(&path, AT_FDCWD, file);
	return (int)syscall(SYS_chdir, path.is_mapped ? path.real : file);
}

static char *real_path(const char *file, char *resolved, char *(*libc)(const char *, char *))
{
	struct shim_path path;
	struct stat st;

	shim_path_find(&path, AT_FDCWD, file);
	if (!path.is_mapped)
		return libc(file, resolved);
	if (syscall(SYS_newfstatat, AT_FDCWD, path.real, &st, 0))
		return NULL;
	return resolved ? strcpy(resolved, path.absolute) : strdup(path.absolute);
}

PUBLIC char *realpath(const char *file, char *resolved)
{
	return real_path(file, resolved, NEXT(realpath));
}

PUBLIC char *canonicalize_file_name(const char *file)
{
	return real_path(file, NULL, NEXT(realpath));
}

static int mkdir_any(int dirfd, const char *file, mode_t mode)
{
	struct shim_path path;

	shim_path_find(&path, dirfd, file);
	if (path.is_tracefs)
		return (int)shim_give(shim_mkdir(&path, mode));
	if (path.is_mapped)
		return (int)syscall(SYS_mkdirat, AT_FDCWD, path.real, mode);
	return (int)syscall(SYS_mkdirat, dirfd, file, mode);
}

PUBLIC int mkdir(const char *file, mode_t mode)
{
	return mkdir_any(AT_FDCWD, file, mode);
}

PUBLIC int mkdirat(int dirfd, const char *file, mode_t mode)
{
	return mkdir_any(dirfd, file, mode);
}

static int unlink_any(int dirfd, const char *file, int flags)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, dirfd, file);
	ret = path.is_tracefs ? -EPERM : shim_path_moment(&path, "unlink", NULL);
	return ret ? (int)shim_give(ret) : (int)syscall(SYS_unlinkat, dirfd, file, flags);
}

PUBLIC int unlink(const char *file)
{
	return unlink_any(AT_FDCWD, file, 0);
}

PUBLIC int unlinkat(int dirfd, const char *file, int flags)
{
	return unlink_any(dirfd, file, flags);
}

static int rename_any(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, to_fd, to);
	ret = path.is_tracefs ? -EPERM : shim_path_moment(&path, "rename", NULL);
	if (ret)
		return (int)shim_give(ret);
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

PUBLIC int rename(const char *from, const char *to)
{
	return rename_any(AT_FDCWD, from, AT_FDCWD, to, 0);
}

PUBLIC int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return rename_any(from_fd, from, to_fd, to, 0);
}

PUBLIC int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	return rename_any(from_fd, from, to_fd, to, flags);
}

/* ---- file systems ---- */

static int statfs_any(const char *file, struct statfs *st)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, AT_FDCWD, file);
	ret = (int)syscall(SYS_statfs, path.is_mapped ? path.real : file, st);
	if (!ret && path.is_tracefs)
		st->f_type = TRACEFS_MAGIC;
	return ret;
}

PUBLIC int statfs(const char *file, struct statfs *st)
{
	return statfs_any(file, st);
}

PUBLIC int statfs64(const char *file, struct statfs64 *st)
{
	return statfs_any(file, (struct statfs *)st);
}

/* glibc has the kind of a file system in a statvfs since 2.41; stat -f asks there. */
#if __GLIBC_PREREQ(2, 41)
PUBLIC int statvfs(const char *file, struct statvfs *st)
{
	struct shim_path path;
	int ret;

	shim_path_find(&path, AT_FDCWD, file);
	ret = NEXT(statvfs)(path.is_mapped ? path.real : file, st);
	if (!ret && path.is_tracefs)
		st->f_type = TRACEFS_MAGIC;
	return ret;
}
#endif

static int fstatfs_any(int fd, struct statfs *st)
{
	struct shim_path path;
	char name[PATH_MAX];
	int ret = (int)syscall(SYS_fstatfs, fd, st);

	if (ret || !shim_world_dir())
		return ret;
	shim_fd_path(name, fd);
	shim_path_find(&path, AT_FDCWD, name);
	if (shim_is_file(fd) || path.is_tracefs)
		st->f_type = TRACEFS_MAGIC;
	return 0;
}

PUBLIC int fstatfs(int fd, struct statfs *st)
{
	return fstatfs_any(fd, st);
}

PUBLIC int fstatfs64(int fd, struct statfs64 *st)
{
	return fstatfs_any(fd, (struct statfs *)st);
}

/* What was asked for is kept in the file mounts: a test wants to know that nobody did. */
PUBLIC int mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data)
{
	const char *dir = shim_world_dir();
	char line[PATH_MAX + 64], file[PATH_MAX];
	struct shim_world world;
	bool can_mount;
	int len;

	if (!dir)
		return NEXT(mount)(source, target, type, flags, data);
	len = snprintf(line, sizeof(line), "%s %s\n", type ? type : "-", target);
	snprintf(file, sizeof(file), "%s/mounts", dir);
	shim_sys_store(file, line, (size_t)len, true);
	if (shim_world_lock(&world, dir))
		return (int)shim_give(-ENOENT);
	can_mount = world.state->can_mount && type && !strcmp(type, "tracefs");
	shim_world_unlock(&world);
	if (!can_mount)
		return (int)shim_give(-EPERM);
	snprintf(file, sizeof(file), "%s/mount", dir);
	return (int)shim_give(shim_sys_store(file, target, strlen(target), false));
}

/* ---- the system ---- */

PUBLIC int uname(struct utsname *name)
{
	const char *dir = shim_world_dir();
	int ret = (int)syscall(SYS_uname, name);

	if (!ret && dir)
		shim_play_uname(dir, name);
	return ret;
}

static uid_t played_uid(uid_t uid)
{
	const char *dir = shim_world_dir();
	struct shim_world world;

	if (!dir || shim_world_lock(&world, dir))
		return uid;
	if (world.state->uid != UINT32_MAX)
		uid = world.state->uid;
	shim_world_unlock(&world);
	return uid;
}

PUBLIC uid_t geteuid(void)
{
	return played_uid((uid_t)syscall(SYS_geteuid));
}

PUBLIC uid_t getuid(void)
{
	return played_uid((uid_t)syscall(SYS_getuid));
}
