// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "crash.h"

#if defined(__SANITIZE_ADDRESS__)
#define HANDLERS_INSTALLED	0	/* its report is worth more than ours */
#else
#define HANDLERS_INSTALLED	1
#endif

#define STACK_SIZE	(64 * 1024)

static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

/* Written before a handler can run, read by it. */
static char line[1024];
static size_t line_len;
static volatile sig_atomic_t is_reading;
static char handler_stack[STACK_SIZE];

static void handle(int sig)
{
	if (!is_reading) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	if (write(STDERR_FILENO, line, line_len) < 0)
		_exit(CMD_FAILED);
	_exit(CMD_FAILED);
}

static void install(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	size_t i;

	sigaltstack(&stack, NULL);
	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

void crash_set_file(const char *path)
{
	static bool is_installed;
	static const char *current;
	char name[sizeof(line) - 128];

	is_reading = 0;
	if (!path)
		return;
	if (path != current) {
		stackmap_escape(name, sizeof(name), path, strlen(path));
		line_len = snprintf(line, sizeof(line),
				    "%s: %s: damaged: libtracecmd failed while reading it\n",
				    cmd_prefix(), name);
		current = path;
	}
	if (HANDLERS_INSTALLED && !is_installed)
		install();
	is_installed = true;
	is_reading = 1;
}
