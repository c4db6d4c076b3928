// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <stackmap.h>

#include "cmd.h"
#include "interrupt.h"

#define NR_SIGNALS	4

static const int signals[NR_SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction old_actions[NR_SIGNALS];

/* The handler can do no more than write; so what it writes is made before. */
struct stage {
	char	doing[512];
	char	left[1024];
};

/* One is in use while the other is filled. */
static struct stage stages[2];
static volatile sig_atomic_t current, nr_signals, given_up_status;

static void say(const char *line)
{
	ssize_t len __attribute__((unused)) = write(2, line, strlen(line));
}

static void on_signal(int signal)
{
	if (!nr_signals++) {
		say(stages[current].doing);
		return;
	}
	say(stages[current].left);
	_exit(given_up_status);
}

void interrupt_begin(int status)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	int i;

	given_up_status = status;
	nr_signals = 0;
	for (i = 0; i < NR_SIGNALS; i++) {
		sigaction(signals[i], NULL, &old_actions[i]);
		if (old_actions[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

static void make_line(char *line, size_t size, const char *words, const char *more)
{
	char plain[512];

	/* names of files may be in it */
	stackmap_escape(plain, sizeof(plain), words, strlen(words));
	snprintf(line, size, "%s: %s%s\n", cmd_prefix(), plain, more);
}

void interrupt_stage(const char *doing, const char *left)
{
	struct stage *stage = &stages[!current];

	make_line(stage->doing, sizeof(stage->doing), doing, "; once more gives it up");
	make_line(stage->left, sizeof(stage->left), left, "");
	current = !current;
}

void interrupt_end(void)
{
	int i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &old_actions[i], NULL);
}
