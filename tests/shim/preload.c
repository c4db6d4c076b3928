// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calls of libc that are taken over. Each looks where its path leads or what its descriptor is,
 * and hands on to libc what is not ours. Without STACKMAP_SHIM in the environment all is.
 *
 * What libc calls inside itself does not come by here: a file of tracefs that is opened with
 * fopen() is a stream of our own, and what printf(3) writes into its descriptor is lost.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload.h"
#include "tracefs.h"

void *shim_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

long shim_give(long ret)
{
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

/* ---- opening ---- */

/* Of a file that is none of tracefs, where a rule names it. */
static int open_elsewhere(const struct shim_path *path, int dirfd, const char *given, int flags,
			  mode_t mode)
{
	int ret = shim_path_moment(path, "open", shim_access_name(flags));

	if (ret)
		return (int)shim_give(ret);
	if (path->is_mapped)
		return (int)shim_give(shim_sys_open(path->real, flags, (int)mode));
	return (int)syscall(SYS_openat, dirfd, given, flags, mode);
}

static int open_any(int dirfd, const char *given, int flags, mode_t mode)
{
	struct shim_path path;

	shim_path_find(&path, dirfd, given);
	if (path.is_tracefs)
		return (int)shim_give(shim_open(&path, flags));
	return open_elsewhere(&path, dirfd, given, flags, mode);
}

static mode_t mode_of(int flags, va_list ap)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t) : 0;
}

#define OPEN(name)								\
PUBLIC int name(const char *file, int flags, ...)				\
{										\
	va_list ap;								\
	mode_t mode;								\
										\
	va_start(ap, flags);							\
	mode = mode_of(flags, ap);						\
	va_end(ap);								\
	return open_any(AT_FDCWD, file, flags, mode);				\
}

#define OPENAT(name)								\
PUBLIC int name(int dirfd, const char *file, int flags, ...)			\
{										\
	va_list ap;								\
	mode_t mode;								\
										\
	va_start(ap, flags);							\
	mode = mode_of(flags, ap);						\
	va_end(ap);								\
	return open_any(dirfd, file, flags, mode);				\
}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char *file, int flags);
int __open64_2(const char *file, int flags);
int __openat_2(int dirfd, const char *file, int flags);
int __openat64_2(int dirfd, const char *file, int flags);

PUBLIC int __open_2(const char *file, int flags)
{
	return open_any(AT_FDCWD, file, flags, 0);
}

PUBLIC int __open64_2(const char *file, int flags)
{
	return open_any(AT_FDCWD, file, flags, 0);
}

PUBLIC int __openat_2(int dirfd, const char *file, int flags)
{
	return open_any(dirfd, file, flags, 0);
}

PUBLIC int __openat64_2(int dirfd, const char *file, int flags)
{
	return open_any(dirfd, file, flags, 0);
}

PUBLIC int creat(const char *file, mode_t mode)
{
	return open_any(AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

/* ---- streams ---- */

static ssize_t stream_read(void *cookie, char *data, size_t count)
{
	return shim_give(shim_read((int)(intptr_t)cookie, data, count));
}

static ssize_t stream_write(void *cookie, const char *data, size_t count)
{
	return shim_give(shim_write((int)(intptr_t)cookie, data, count));
}

static int stream_close(void *cookie)
{
	return (int)syscall(SYS_close, (int)(intptr_t)cookie);
}

static FILE *open_stream(const struct shim_path *path, const char *mode)
{
	static const cookie_io_functions_t functions = {
		.read = stream_read,
		.write = stream_write,
		.close = stream_close,
	};
	int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
	long fd = shim_give(shim_open(path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0)));

	if (fd < 0)
		return NULL;
	return path->kind ? fopencookie((void *)(intptr_t)fd, mode, functions) :
			    fdopen((int)fd, mode);
}

typedef FILE *(*fopen_fn)(const char *file, const char *mode);

static FILE *fopen_any(const char *file, const char *mode, fopen_fn libc)
{
	struct shim_path path;

	shim_path_find(&path, AT_FDCWD, file);
	if (path.is_tracefs)
		return open_stream(&path, mode);
	return libc(path.is_mapped ? path.real : file, mode);
}

PUBLIC FILE *fopen(const char *file, const char *mode)
{
	return fopen_any(file, mode, NEXT(fopen));
}

PUBLIC FILE *fopen64(const char *file, const char *mode)
{
	return fopen_any(file, mode, NEXT(fopen64));
}

PUBLIC FILE *setmntent(const char *file, const char *mode)
{
	struct shim_path path;

	shim_path_find(&path, AT_FDCWD, file);
	return NEXT(setmntent)(path.is_mapped ? path.real : file, mode);
}

/* ---- files elsewhere ---- */

/* What the rules say of @moment from byte @at on of a file elsewhere; *count: how much of it. */
static int allow(const char *moment, int fd, long at, size_t *count)
{
	const char *dir = shim_world_dir();
	uint64_t limit = UINT64_MAX, next;
	char path[PATH_MAX], byte[24];
	int ret;

	if (!dir || at < 0 || !shim_has_rules(dir))
		return 0;
	shim_fd_path(path, fd);
	if (!*path)
		return 0;
	snprintf(byte, sizeof(byte), "%ld", at);
	ret = shim_moment(dir, moment, path, byte, &limit);
	next = shim_rule_next_byte(dir, moment, path, (uint64_t)at) - (uint64_t)at;
	limit = next < limit ? next : limit;
	*count = *count < limit ? *count : limit;
	return ret;
}

/* ---- reading ---- */

PUBLIC ssize_t read(int fd, void *data, size_t count)
{
	return shim_is_file(fd) ? shim_give(shim_read(fd, data, count)) :
				  syscall(SYS_read, fd, data, count);
}

ssize_t __read_chk(int fd, void *data, size_t count, size_t size);

PUBLIC ssize_t __read_chk(int fd, void *data, size_t count, size_t size)
{
	return read(fd, data, count < size ? count : size);
}

PUBLIC ssize_t readv(int fd, const struct iovec *parts, int nr)
{
	if (!shim_is_file(fd))
		return syscall(SYS_readv, fd, parts, nr);
	return nr > 0 ? read(fd, parts[0].iov_base, parts[0].iov_len) : 0;
}

/* A saver has no use for it, and what position means is nothing to rely on. */
PUBLIC ssize_t pread(int fd, void *data, size_t count, off_t offset)
{
	long ret;

	if (shim_is_file(fd))
		return shim_give(-ESPIPE);
	ret = allow("read", fd, offset, &count);
	return ret ? shim_give(ret) : syscall(SYS_pread64, fd, data, count, offset);
}

PUBLIC ssize_t pread64(int fd, void *data, size_t count, off64_t offset)
{
	return pread(fd, data, count, offset);
}

PUBLIC off_t lseek(int fd, off_t offset, int whence)
{
	return shim_is_file(fd) ? shim_give(shim_seek(fd, offset, whence)) :
				  syscall(SYS_lseek, fd, offset, whence);
}

PUBLIC off64_t lseek64(int fd, off64_t offset, int whence)
{
	return lseek(fd, offset, whence);
}

PUBLIC ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset,
			       size_t count, unsigned int flags)
{
	if (shim_is_file(in))
		return shim_give(-EINVAL);
	return syscall(SYS_copy_file_range, in, in_offset, out, out_offset, count, flags);
}

PUBLIC ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
	return shim_is_file(in) ? shim_give(-EINVAL) :
				  syscall(SYS_sendfile, out, in, offset, count);
}

PUBLIC ssize_t sendfile64(int out, int in, off64_t *offset, size_t count)
{
	return sendfile(out, in, offset, count);
}

PUBLIC void *mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset)
{
	long ret;

	if (!(flags & MAP_ANONYMOUS) && shim_is_file(fd)) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	ret = syscall(SYS_mmap, address, len, protection, flags, fd, offset);
	return (void *)ret;
}

PUBLIC void *mmap64(void *address, size_t len, int protection, int flags, int fd, off64_t offset)
{
	return mmap(address, len, protection, flags, fd, offset);
}

/* ---- writing ---- */

static long write_elsewhere(int fd, const void *data, size_t count)
{
	int ret = allow("write", fd, syscall(SYS_lseek, fd, 0, SEEK_CUR), &count);

	return ret ? shim_give(ret) : syscall(SYS_write, fd, data, count);
}

PUBLIC ssize_t write(int fd, const void *data, size_t count)
{
	return shim_is_file(fd) ? shim_give(shim_write(fd, data, count)) :
				  write_elsewhere(fd, data, count);
}

PUBLIC ssize_t writev(int fd, const struct iovec *parts, int nr)
{
	if (shim_is_file(fd))
		return nr > 0 ? write(fd, parts[0].iov_base, parts[0].iov_len) : 0;
	return syscall(SYS_writev, fd, parts, nr);
}

PUBLIC ssize_t pwrite(int fd, const void *data, size_t count, off_t offset)
{
	size_t allowed = count;
	long ret;

	if (shim_is_file(fd))
		return shim_give(-ESPIPE);
	ret = allow("write", fd, offset, &allowed);
	return ret ? shim_give(ret) : syscall(SYS_pwrite64, fd, data, allowed, offset);
}

PUBLIC ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset)
{
	return pwrite(fd, data, count, offset);
}

/* @fd: of a file that a rule can name. */
static int fd_moment(int fd, const char *moment)
{
	const char *dir = shim_world_dir();
	char path[PATH_MAX];

	if (!dir || !shim_has_rules(dir))
		return 0;
	shim_fd_path(path, fd);
	return *path ? shim_moment(dir, moment, path, NULL, NULL) : 0;
}

PUBLIC int fsync(int fd)
{
	int ret = fd_moment(fd, "fsync");

	return ret ? (int)shim_give(ret) : (int)syscall(SYS_fsync, fd);
}

PUBLIC int fdatasync(int fd)
{
	int ret = fd_moment(fd, "fsync");

	return ret ? (int)shim_give(ret) : (int)syscall(SYS_fdatasync, fd);
}

PUBLIC int ftruncate(int fd, off_t len)
{
	int ret = fd_moment(fd, "ftruncate");

	return ret ? (int)shim_give(ret) : (int)syscall(SYS_ftruncate, fd, len);
}

PUBLIC int ftruncate64(int fd, off64_t len)
{
	return ftruncate(fd, len);
}
