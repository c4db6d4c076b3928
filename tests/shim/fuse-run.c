// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stackmap-shim-fuse COMMAND...: a command in the world that STACKMAP_SHIM names, which it meets as
 * a file system. It goes where the preloaded library does not: into programs that are linked
 * statically or make system calls of their own.
 *
 *	this process			its server
 *	a mount namespace of its own
 *	over/ and tracefs in place
 *	forks			----->	mounts the world upon tracefs
 *				<-----	is ready
 *	catches system calls	----->	has the descriptor that they come by
 *	becomes COMMAND			answers, until nobody is left who makes any
 *
 * The namespace, with all that is mounted there, ends with the last of them. Tracefs itself is
 * there for those who look for it in /proc/mounts.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <mntent.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse.h"
#include "paths.h"

#define FAILED	2
#define CANNOT	77	/* here, as Meson takes it: the tests are skipped */

static char mount_dir[PATH_MAX];	/* as the world says */

__attribute__((noreturn, format(printf, 2, 3)))
static void stop(int status, const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	fputs("stackmap-shim-fuse: ", stderr);
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, ": %s\n", strerror(err));
	va_end(ap);
	exit(status);
}

/* ---- the namespace ---- */

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static void mount_empty(const char *path)
{
	if (mount("stackmap-shim", path, "tmpfs", 0, "mode=755"))
		stop(FAILED, "an empty %s", path);
}

/*
 * Nothing is made in the file systems of the machine: where @path ends there, an empty one is
 * mounted, and it goes on in that.
 */
static void make_folder(const char *path)
{
	char part[PATH_MAX + 1], above[PATH_MAX] = "/";
	bool is_ours = false;
	char *slash;

	snprintf(part, sizeof(part), "%s/", path);
	for (slash = part; (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		if (!is_ours && !is_there(part)) {
			if (!above[1])
				stop(FAILED, "%s", part);
			mount_empty(above);
			is_ours = true;
		}
		if (is_ours && mkdir(part, 0755))
			stop(FAILED, "%s", part);
		snprintf(above, sizeof(above), "%s", part);
	}
}

static bool is_tracefs(const struct mntent *mount)
{
	return !strcmp(mount->mnt_type, "tracefs") || !strcmp(mount->mnt_type, "debugfs");
}

/* One less. False: there is none. */
static bool unmount_one(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *one;
	bool is_less = false;

	while (mounts && !is_less && (one = getmntent(mounts)))
		is_less = is_tracefs(one) && !umount2(one->mnt_dir, MNT_DETACH);
	if (mounts)
		endmntent(mounts);
	return is_less;
}

/* Those of the machine, wherever they are. */
static void hide_system(void)
{
	while (unmount_one())
		;
}

static bool read_mount_dir(const char *dir)
{
	char path[PATH_MAX], *text;

	snprintf(path, sizeof(path), "%s/mount", dir);
	text = shim_sys_load(path, NULL);
	if (!text)
		return false;
	snprintf(mount_dir, sizeof(mount_dir), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return true;
}

static size_t over_len;		/* of the path of over/ */

/* A file there is mounted on the one that it stands in for; of mounts the kernel itself tells. */
static int mount_over(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const char *place = path + over_len, *name = path + where->base;

	if (type == FTW_F && strcmp(name, "mounts") && strcmp(name, "mtab") && is_there(place) &&
	    mount(path, place, NULL, MS_BIND, NULL))
		stop(FAILED, "mount %s", place);
	return 0;
}

static void make_namespace(const char *dir)
{
	char over[PATH_MAX];

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		stop(CANNOT, "a mount namespace");
	hide_system();
	over_len = (size_t)snprintf(over, sizeof(over), "%s/over", dir);
	nftw(over, mount_over, 8, FTW_PHYS);
	if (!*mount_dir)
		return;
	make_folder(mount_dir);
	if (mount("nodev", mount_dir, "tracefs", 0, NULL))
		stop(CANNOT, "mount tracefs");
}

/* ---- the server ---- */

/* A letter, with a descriptor or without. */
static bool send_fd(int to, int fd)
{
	char letter = 'x', control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { .iov_base = &letter, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	return sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

/* -1 where nobody sends one. */
static int receive_fd(int from)
{
	char letter, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { .iov_base = &letter, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	int fd = -1;

	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/*
 * What the command has open is not held by its server: nobody waits for that. Nor is what is
 * allowed to the command meant for it.
 */
static void leave_command(int socket)
{
	struct rlimit limit;
	int null;

	setsid();
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	umask(0);
	/* Once it is ready; until then it can complain. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, 0);
	dup2(null, 1);
	dup2(socket, 3);
	syscall(SYS_close_range, 4, ~0U, 0);
	fcntl(3, F_SETFD, FD_CLOEXEC);
}

/* When it cannot go on, the command has errors, and does not wait. */
static void *serve(void *session)
{
	shim_fuse_serve(session);
	_exit(1);
}

/* The device number of the files that are served. */
static dev_t begin_serving(void)
{
	struct fuse_session *session;
	pthread_t thread;
	struct stat st;

	if (!*mount_dir)
		return 0;
	session = shim_fuse_mount(mount_dir);
	if (!session || pthread_create(&thread, NULL, serve, session) || stat(mount_dir, &st))
		stop(FAILED, "mount it");
	return st.st_dev;
}

/* Where who comes from outside meets the mount; see settle() in stackmap-shim.c. */
static void name_server(char *name, const char *dir)
{
	char place[PATH_MAX + 32];

	snprintf(name, PATH_MAX, "%s/servers/%d", dir, (int)getpid());
	snprintf(place, sizeof(place), "/proc/%d/root%s", (int)getpid(), mount_dir);
	if (symlink(place, name))
		stop(FAILED, "%s", name);
}

__attribute__((noreturn))
static void be_server(const char *dir, int socket)
{
	char name[PATH_MAX];
	int listener;
	dev_t dev;

	leave_command(socket);
	dev = begin_serving();
	name_server(name, dir);
	dup2(0, 2);
	send_fd(3, -1);
	listener = receive_fd(3);
	close(3);
	if (listener >= 0)
		shim_calls_answer(listener, dev);
	/* Of the last process, which is just ending: settle() can ask for them until then. */
	shim_fuse_wait_closed();
	unlink(name);
	_exit(0);
}

/* No child of this process: the command would meet it. */
static void start_server(const char *dir, int socket)
{
	pid_t child = fork();
	int status;

	if (!child) {
		child = fork();
		if (!child)
			be_server(dir, socket);
		_exit(child < 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		stop(FAILED, "fork");
}

/* ---- the command ---- */

/* The server needs it: a namespace for the command alone. */
static void hide_proc(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/no-proc", dir);
	if (!is_there(path))
		return;
	if (unshare(CLONE_NEWNS))
		stop(CANNOT, "a mount namespace");
	mount_empty("/proc");
}

static void run(const char *dir, char **argv)
{
	int sockets[2], listener;
	char letter;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		stop(FAILED, "a socket");
	start_server(dir, sockets[1]);
	close(sockets[1]);
	if (recv(sockets[0], &letter, 1, 0) != 1)
		exit(FAILED);
	hide_proc(dir);
	listener = shim_calls_catch();
	if (listener < 0)
		stop(CANNOT, "catch system calls");
	send_fd(sockets[0], listener);
	close(listener);
	close(sockets[0]);
	setenv(SHIM_ENV_MOUNTED, dir, true);
	execvp(argv[0], argv);
}

static void need_fuse(void)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		stop(CANNOT, "/dev/fuse");
	close(fd);
}

int main(int argc, char **argv)
{
	const char *dir = shim_world_dir();

	if (!dir || argc < 2) {
		fputs("stackmap-shim-fuse: no command, or no STACKMAP_SHIM\n", stderr);
		return 2;
	}
	need_fuse();
	if (!read_mount_dir(dir))
		stop(FAILED, "%s", dir);
	make_namespace(dir);
	run(dir, argv + 1);
	fprintf(stderr, "stackmap-shim-fuse: %s: %s\n", argv[1], strerror(errno));
	return 127;
}
