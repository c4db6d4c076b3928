// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals are blocked while the child runs, and taken one by one by child_wait(): nothing happens
 * behind its back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

#define NS_PER_SEC	1000000000LL

static const int signals[] = {
	SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2,
};

_Static_assert(sizeof(signals) / sizeof(signals[0]) == CHILD_NR_SIGNALS, "as many as in child.h");

static void ignore(int signal)
{
}

/*
 * An ignored signal cannot be waited for. One that we were started with ignored is to stay so for
 * the child (nohup), but not Ctrl-C: trace-cmd stops on it in any case.
 */
static bool is_taken(int signal, const struct sigaction *action)
{
	if (signal == SIGCHLD || signal == SIGINT)
		return true;
	return action->sa_handler != SIG_IGN;
}

static void take_signals(struct child *child)
{
	struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };
	size_t i;

	sigemptyset(&child->waited);
	for (i = 0; i < CHILD_NR_SIGNALS; i++) {
		sigaction(signals[i], NULL, &child->actions[i]);
		if (!is_taken(signals[i], &child->actions[i]))
			continue;
		sigaction(signals[i], &action, NULL);
		sigaddset(&child->waited, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &child->waited, &child->mask);
}

static void restore_actions(const struct child *child)
{
	size_t i;

	for (i = 0; i < CHILD_NR_SIGNALS; i++)
		sigaction(signals[i], &child->actions[i], NULL);
}

static void give_signals_back(const struct child *child)
{
	restore_actions(child);
	child_unblock(child);
}

/* In the child. What it could not do goes through @report, which closes when it could. */
static void __attribute__((noreturn)) become(const struct child *child, const char *path,
					     char **argv, pid_t parent, int report)
{
	int err;

	give_signals_back(child);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	/* it may have died before */
	if (getppid() != parent)
		_exit(127);
	execv(path, argv);
	err = errno;
	while (write(report, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* The errno that the child reported; 0: it runs. */
static int read_report(int fd)
{
	int err = 0;
	ssize_t len;

	do
		len = read(fd, &err, sizeof(err));
	while (len < 0 && errno == EINTR);
	return len == sizeof(err) ? err : 0;
}

int child_start(struct child *child, const char *path, char **argv)
{
	pid_t parent = getpid();
	int report[2], err;

	*child = (struct child){ .pid = -1 };
	if (pipe2(report, O_CLOEXEC))
		return -errno;
	take_signals(child);
	child->pid = fork();
	err = child->pid < 0 ? errno : 0;
	if (!child->pid)
		become(child, path, argv, parent, report[1]);
	close(report[1]);
	if (!err)
		err = read_report(report[0]);
	close(report[0]);
	if (!err)
		return 0;
	if (child->pid > 0)
		waitpid(child->pid, NULL, 0);
	give_signals_back(child);
	return -err;
}

/* Stop as everybody stops, and go on where somebody continues us. */
static void stop_ourselves(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, old;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &action, &old);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* stopped here */
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTSTP, &old, NULL);
}

static void take_signal(struct child *child, const siginfo_t *info)
{
	if (info->si_signo == SIGCHLD)
		return;
	/* by kill() and its like, not by the kernel for a terminal */
	if (info->si_code <= 0)
		kill(child->pid, info->si_signo);
	if (info->si_signo == SIGTSTP)
		stop_ourselves();
}

static bool has_ended(struct child *child)
{
	pid_t pid;

	do
		pid = waitpid(child->pid, &child->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		child->status = 255 << 8;	/* somebody else has waited for it */
	return pid;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

bool child_wait(struct child *child, long long timeout_ns)
{
	long long end = now_ns() + timeout_ns, left;
	struct timespec timeout;
	siginfo_t info;

	while (!has_ended(child)) {
		left = timeout_ns < 0 ? NS_PER_SEC * 3600 : end - now_ns();
		if (left <= 0)
			return false;
		timeout = (struct timespec){ left / NS_PER_SEC, left % NS_PER_SEC };
		if (sigtimedwait(&child->waited, &info, &timeout) > 0)
			take_signal(child, &info);
	}
	return true;
}

void child_release(struct child *child)
{
	static const struct timespec at_once;

	/* Ctrl-C that it was given more than once does not mean what comes now. */
	while (sigtimedwait(&child->waited, NULL, &at_once) > 0 || errno == EINTR)
		;
	restore_actions(child);
}

void child_unblock(const struct child *child)
{
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
}

int child_exit_like(const struct child *child)
{
	struct rlimit none = { 0, 0 };
	int signal_nr;
	sigset_t set;

	if (WIFEXITED(child->status))
		return WEXITSTATUS(child->status);
	signal_nr = WTERMSIG(child->status);
	/* its core is the one to look at */
	setrlimit(RLIMIT_CORE, &none);
	signal(signal_nr, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_nr);
	raise(signal_nr);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + signal_nr;
}
