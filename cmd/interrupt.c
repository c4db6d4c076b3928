// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stackmap.h>

#include "cmd.h"
#include "interrupt.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define NR_SIGNALS	(sizeof(signals) / sizeof(signals[0]))

/* Seconds to put back what was there before; then it hangs, in a lock or on a disk. */
#define PUT_BACK_S	5

/* A handler can do no more than write; so what it writes is made before. */
struct stage {
	char	doing[4096];
	char	left[1024];
};

/* A signal handler is told by nothing else. */
static struct {
	bool			is_on;
	struct stage		stages[2];	/* one is in use while the other is filled */
	volatile sig_atomic_t	current;
	volatile sig_atomic_t	nr;		/* signals that came */
	int			status;		/* where it hangs */
	struct rlimit		limit;		/* on the size of files, as it was */
	struct sigaction	old[NR_SIGNALS], old_alarm, old_limit, old_pipe;
} guard;

static void say(const char *line)
{
	ssize_t len __attribute__((unused)) = write(STDERR_FILENO, line, strlen(line));
}

static void give_up(void)
{
	struct rlimit none = { .rlim_cur = 0, .rlim_max = guard.limit.rlim_max };

	setrlimit(RLIMIT_FSIZE, &none);
	alarm(PUT_BACK_S);
}

static void on_signal(int signal)
{
	int saved = errno;

	guard.nr++;
	if (guard.nr == 1)
		say(guard.stages[guard.current].doing);
	else if (guard.nr == 2)
		give_up();
	errno = saved;
}

/* A store that ends in the middle of a block stays readable. */
static void on_alarm(int signal)
{
	setrlimit(RLIMIT_FSIZE, &guard.limit);
	say(guard.stages[guard.current].left);
	_exit(guard.status);
}

/* One that was ignored when we were started stays so: nohup(1). */
static void take(int signal, struct sigaction *old, const struct sigaction *action)
{
	sigaction(signal, NULL, old);
	if (old->sa_handler != SIG_IGN)
		sigaction(signal, action, NULL);
}

void interrupt_begin(int status)
{
	/* Reading and writing go on where they were. */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction on_time = { .sa_handler = on_alarm };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	size_t i;

	guard.is_on = true;
	guard.nr = 0;
	guard.status = status;
	interrupt_stage("saving", "given up");
	getrlimit(RLIMIT_FSIZE, &guard.limit);
	sigaction(SIGALRM, &on_time, &guard.old_alarm);
	sigaction(SIGXFSZ, &ignore, &guard.old_limit);
	sigaction(SIGPIPE, &ignore, &guard.old_pipe);
	for (i = 0; i < NR_SIGNALS; i++)
		take(signals[i], &guard.old[i], &action);
}

static void make_line(char *line, size_t size, const char *words, const char *more)
{
	char plain[3072];

	/* names of files may be in it */
	if (stackmap_escape(plain, sizeof(plain), words, strlen(words)) >= sizeof(plain))
		strcpy(plain + sizeof(plain) - sizeof("..."), "...");
	snprintf(line, size, "%s: %s%s\n", cmd_prefix(), plain, more);
}

void interrupt_stage(const char *doing, const char *left)
{
	struct stage *stage = &guard.stages[!guard.current];

	make_line(stage->doing, sizeof(stage->doing), doing, "; interrupt again to give up");
	make_line(stage->left, sizeof(stage->left), left, "");
	guard.current = !guard.current;
}

bool interrupt_end(void)
{
	size_t i;

	if (!guard.is_on)
		return guard.nr > 1;
	alarm(0);
	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &guard.old[i], NULL);
	sigaction(SIGALRM, &guard.old_alarm, NULL);
	setrlimit(RLIMIT_FSIZE, &guard.limit);
	sigaction(SIGXFSZ, &guard.old_limit, NULL);
	sigaction(SIGPIPE, &guard.old_pipe, NULL);
	guard.is_on = false;
	return guard.nr > 1;
}

bool interrupt_is_given_up(void)
{
	return guard.nr > 1 && interrupt_end();
}
