/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that we run in our place: whoever signals us means it, and what becomes of it becomes
 * of us.
 *
 * The terminal signals a whole process group, of which it is: those signals it has already. What
 * another process sent to us alone is handed on. When we are killed, it is interrupted, as by
 * Ctrl-C.
 */
#ifndef CMD_CHILD_H
#define CMD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define CHILD_NR_SIGNALS	9

struct child {
	pid_t			pid;
	int			status;		/* as of waitpid(), once it has ended */
	/* private */
	sigset_t		waited;		/* what child_wait() takes */
	sigset_t		mask;		/* as before child_start() */
	struct sigaction	actions[CHILD_NR_SIGNALS];
};

/* Run @argv. 0, or a negative errno where @path cannot be run; all is then as it was before. */
int child_start(struct child *child, const char *path, char **argv);

/* Wait for its end, at most @timeout_ns (negative: for ever). True: it has ended. */
bool child_wait(struct child *child, long long timeout_ns);

/* After its end: signals mean what they meant before, but wait until child_unblock(). */
void child_release(struct child *child);
void child_unblock(const struct child *child);

/* Its exit status, where it had one; else we die of the signal that it died of. */
int child_exit_like(const struct child *child);

#endif /* CMD_CHILD_H */
