// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What no file system can answer: statfs(2) tells of which kind it is, which the kernel says
 * itself, and uname(2) has to do with none. A filter sends these calls to a supervisor. It sees
 * system calls, of whatever program, linked in whatever way.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fuse.h"
#include "paths.h"

#ifdef __x86_64__
# define NATIVE_ARCH	AUDIT_ARCH_X86_64
#else
# define NATIVE_ARCH	AUDIT_ARCH_AARCH64
#endif

/* That of 32 bits, as statfs64(2) gives it. */
struct statfs_32 {
	uint32_t	type, bsize;
	uint64_t	blocks, bfree, bavail, files, ffree;
	uint32_t	fsid[2], namelen, frsize, flags, spare[4];
} __attribute__((packed));

enum call {
	STATFS,
	FSTATFS,
	UNAME,
};

static const struct {
	uint32_t	arch;
	uint32_t	nr;
	enum call	call;
	unsigned int	answer;		/* the argument that says where it is to be put */
} calls[] = {
	{ NATIVE_ARCH, SYS_statfs, STATFS, 1 },
	{ NATIVE_ARCH, SYS_fstatfs, FSTATFS, 1 },
	{ NATIVE_ARCH, SYS_uname, UNAME, 0 },
#ifdef __x86_64__
	{ AUDIT_ARCH_I386, 268, STATFS, 2 },
	{ AUDIT_ARCH_I386, 269, FSTATFS, 2 },
	{ AUDIT_ARCH_I386, 122, UNAME, 0 },
#endif
};

#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))
#define FIELD(name)	((uint32_t)offsetof(struct seccomp_data, name))

/* ---- the filter ---- */

int shim_calls_catch(void)
{
	struct sock_filter code[5 * NR_CALLS + 1];
	struct sock_fprog program = { .filter = code };
	size_t i;

	for (i = 0; i < NR_CALLS; i++) {
		struct sock_filter one[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(arch)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].arch, 0, 3),
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		};

		memcpy(code + program.len, one, sizeof(one));
		program.len += sizeof(one) / sizeof(one[0]);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER |
			    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
}

/* ---- answers ---- */

static int open_of(const struct seccomp_notif *call, const char *what, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", call->pid, what);
	return open(path, flags | O_CLOEXEC);
}

static int open_path(const struct seccomp_notif *call, int memory)
{
	char path[PATH_MAX];
	ssize_t len = pread(memory, path, sizeof(path) - 1, (off_t)call->data.args[0]);
	int cwd, fd;

	if (len <= 0)
		return -1;
	path[len] = '\0';
	cwd = open_of(call, "cwd", O_PATH | O_DIRECTORY);
	fd = openat(cwd, path, O_PATH | O_CLOEXEC);
	close(cwd);
	return fd;
}

static int open_fd(const struct seccomp_notif *call)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", (int)call->data.args[0]);
	return open_of(call, name, O_PATH);
}

static bool is_on(int fd, dev_t dev)
{
	struct stat st;
	bool is_on;

	if (fd < 0)
		return false;
	is_on = !fstat(fd, &st) && st.st_dev == dev;
	close(fd);
	return is_on;
}

/* As simple_statfs() of the kernel does. */
static size_t make_statfs(const struct seccomp_notif *call, void *answer)
{
	const struct statfs native = {
		.f_type = TRACEFS_MAGIC, .f_bsize = 4096, .f_namelen = 255, .f_frsize = 4096,
	};
	const struct statfs_32 compat = {
		.type = TRACEFS_MAGIC, .bsize = 4096, .namelen = 255, .frsize = 4096,
	};
	bool is_native = call->data.arch == NATIVE_ARCH;
	size_t len = is_native ? sizeof(native) : sizeof(compat);

	memcpy(answer, is_native ? (const void *)&native : &compat, len);
	return len;
}

static size_t make_uname(void *answer)
{
	struct utsname *name = answer;

	uname(name);
	shim_play_uname(shim_world_dir(), name);
	return sizeof(*name);
}

/* What the call gives; the length, 0: let the kernel do it. */
static size_t make_answer(const struct seccomp_notif *call, enum call what, int memory, dev_t dev,
			  void *answer)
{
	switch (what) {
	case STATFS:
		return is_on(open_path(call, memory), dev) ? make_statfs(call, answer) : 0;
	case FSTATFS:
		return is_on(open_fd(call), dev) ? make_statfs(call, answer) : 0;
	default:
		return make_uname(answer);
	}
}

static size_t find_call(const struct seccomp_notif *call)
{
	size_t i = 0;

	while (i < NR_CALLS - 1 && (calls[i].arch != call->data.arch ||
				    calls[i].nr != (uint32_t)call->data.nr))
		i++;
	return i;
}

/* True: it is done. The memory is that of the caller as long as the call waits. */
static bool answer_in(int listener, const struct seccomp_notif *call, int memory, dev_t dev)
{
	union {
		struct statfs	statfs;
		struct utsname	uname;
	} answer;
	size_t i = find_call(call);
	size_t len = make_answer(call, calls[i].call, memory, dev, &answer);

	if (!len || ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call->id))
		return false;
	return pwrite(memory, &answer, len, (off_t)call->data.args[calls[i].answer]) ==
	       (ssize_t)len;
}

static void answer_one(int listener, dev_t dev)
{
	struct seccomp_notif_resp reply = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	struct seccomp_notif call = { 0 };
	int memory;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
		return;
	memory = open_of(&call, "mem", O_RDWR);
	if (memory >= 0 && answer_in(listener, &call, memory, dev))
		reply.flags = 0;
	if (memory >= 0)
		close(memory);
	reply.id = call.id;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

void shim_calls_answer(int listener, dev_t dev)
{
	struct pollfd poller = { .fd = listener, .events = POLLIN };

	while (poll(&poller, 1, -1) > 0 || errno == EINTR) {
		if (poller.revents & POLLIN)
			answer_one(listener, dev);
		else if (poller.revents & (POLLHUP | POLLERR))
			break;
	}
}
