// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tracing is switched off for a moment, and on again whatever becomes of us: a child waits for a
 * word, and switches it on where the line is cut instead, as it is when we are killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "room.h"

/* Only what may be called between fork() and exec(): other threads may hold locks. */
static void __attribute__((noreturn)) guard(int line, int tracing_on)
{
	ssize_t len;
	char word;

	/* What ends our parent, Ctrl-C or the end of its session, is not to end us as well. */
	setsid();
	do
		len = read(line, &word, 1);
	while (len < 0 && errno == EINTR);
	if (!len)
		while (write(tracing_on, "1", 1) < 0 && errno == EINTR)
			;
	_exit(0);
}

static void block_all(sigset_t *ret_old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_old);
}

/* Signals stay blocked in it: nobody but SIGKILL ends it. */
static int start_guard(struct smap_pause *pause)
{
	sigset_t old;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	block_all(&old);
	pause->guard = fork();
	if (!pause->guard) {
		close(ends[1]);
		guard(ends[0], pause->tracing_on);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	pause->line = ends[1];
	if (pause->guard > 0)
		return 0;
	close(ends[1]);
	return -EAGAIN;
}

static void end_guard(struct smap_pause *pause)
{
	ssize_t len;

	/* No SIGPIPE where somebody has killed it. */
	do
		len = send(pause->line, "x", 1, MSG_NOSIGNAL);
	while (len < 0 && errno == EINTR);
	close(pause->line);
	while (waitpid(pause->guard, NULL, 0) < 0 && errno == EINTR)
		;
}

int smap_pause_begin(struct stackmap_live *live, struct smap_pause *pause)
{
	int ret;

	pause->tracing_on = smap_tracefs_open(live->dir, "tracing_on", O_WRONLY, &live->err);
	if (pause->tracing_on < 0)
		return pause->tracing_on;
	ret = start_guard(pause);
	if (ret) {
		close(pause->tracing_on);
		return smap_error_set(&live->err, ret, "no process to end the pause of tracing");
	}
	ret = smap_tracefs_write_fd(pause->tracing_on, live->dir, "tracing_on", "0", &live->err);
	if (ret) {
		end_guard(pause);
		close(pause->tracing_on);
	}
	return ret;
}

int smap_pause_end(struct stackmap_live *live, struct smap_pause *pause)
{
	int ret = smap_tracefs_write_fd(pause->tracing_on, live->dir, "tracing_on", "1",
					&live->err);

	end_guard(pause);
	close(pause->tracing_on);
	return ret;
}
