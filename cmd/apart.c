// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apart.h"

/* From the child: a byte where it has returned. It closes as that ends, however it comes. */
struct line {
	int	here;
	int	there;
};

static void __attribute__((noreturn)) be_child(int line, void (*fn)(void *data), void *shared,
					       pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have died before. */
	if (getppid() == parent) {
		fn(shared);
		while (write(line, "", 1) < 0 && errno == EINTR)
			;
	}
	_exit(0);
}

/* A signal that can be read is not taken by that. */
static void wait_for_child(pid_t child, int line, int signals)
{
	struct pollfd fds[] = {
		{ .fd = line, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	int nr;

	do
		nr = poll(fds, 2, -1);
	while (nr < 0 && errno == EINTR);
	if (!fds[0].revents)
		kill(child, SIGKILL);
}

/* What it ended with is not known where SIGCHLD is ignored. */
static bool has_returned(int line)
{
	ssize_t len;
	char byte;

	do
		len = read(line, &byte, 1);
	while (len < 0 && errno == EINTR);
	return len == 1;
}

/* 1: it has returned; 0: it was ended; -1: it could not be called. */
static int call_in_child(const struct line *line, int signals, void (*fn)(void *data), void *shared)
{
	pid_t parent = getpid(), child = fork();

	if (!child) {
		close(line->here);
		be_child(line->there, fn, shared, parent);
	}
	close(line->there);
	if (child < 0)
		return -1;
	wait_for_child(child, line->here, signals);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return has_returned(line->here);
}

static int call_with_signals(const sigset_t *set, void (*fn)(void *data), void *shared)
{
	int signals = signalfd(-1, set, SFD_CLOEXEC), ends[2], ret = -1;

	if (signals < 0)
		return -1;
	if (!pipe2(ends, O_CLOEXEC)) {
		ret = call_in_child(&(struct line){ ends[0], ends[1] }, signals, fn, shared);
		close(ends[0]);
	}
	close(signals);
	return ret;
}

bool apart_call(const sigset_t *set, void (*fn)(void *data), void *data, size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret = -1;

	if (shared != MAP_FAILED) {
		memcpy(shared, data, size);
		ret = call_with_signals(set, fn, shared);
		if (ret > 0)
			memcpy(data, shared, size);
		munmap(shared, size);
	}
	if (ret < 0)
		fn(data);
	/* Here, too, it has returned. */
	return ret != 0;
}
