// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who makes the call that is played. The library is in the process that does; the file system is
 * asked by the kernel, and its thread is told for whom.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "world.h"

_Thread_local pid_t shim_caller;

pid_t shim_caller_pid(void)
{
	return shim_caller ? shim_caller : getpid();
}

/* A number behind @key in /proc/PID/status; 0 where the caller has gone. */
static uint64_t status_of(const char *key, int base)
{
	char path[64], text[4096];
	const char *line;
	long len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)shim_caller);
	fd = shim_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	len = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	text[len > 0 ? len : 0] = '\0';
	line = strstr(text, key);
	return line ? strtoull(line + strlen(key), NULL, base) : 0;
}

/* As fatal_signal_pending() of the kernel has it: what ends a process stands there as SIGKILL. */
bool shim_caller_is_killed(void)
{
	return shim_caller && (status_of("\nSigPnd:", 16) >> (SIGKILL - 1) & 1);
}

static int get_fd(int nr)
{
	int process = (int)syscall(SYS_pidfd_open, (pid_t)status_of("\nTgid:", 10), 0);
	int fd;

	if (process < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, process, nr, 0);
	if (fd < 0)
		fd = -errno;
	syscall(SYS_close, process);
	return fd;
}

/* Not one that the caller is just writing to: who else does, waits until it has. */
int shim_caller_fd(int nr)
{
	struct statfs fs;
	int fd = shim_caller ? get_fd(nr) : -EBADF;

	if (fd < 0 || syscall(SYS_fstatfs, fd, &fs) || fs.f_type != FUSE_SUPER_MAGIC)
		return fd;
	syscall(SYS_close, fd);
	return -EBADF;
}
