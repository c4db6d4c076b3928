// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Running another in our place is done by a process of its own, the stand-in, in a group of its
 * own: the test signals it, or its group, as a shell or a terminal would.
 */
#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "said.h"

#include "child.h"

#define NOT_LONG	60	/* seconds until a test that hangs is ended */

/* The child says that it runs, then waits on what its traps do. */
#define SHELL(script) { (char *)"sh", (char *)"-c", (char *)(script), NULL }
#define WAIT	"echo up; while :; do sleep 0.05; done"

struct stand_in {
	pid_t	pid;
	FILE	*output;
};

static void __attribute__((noreturn)) run_stand_in(char **argv)
{
	struct child child;
	int status;

	/* It fails for who leads a session, and a group by that. */
	setpgid(0, 0);
	alarm(NOT_LONG);
	if (child_start(&child, "/bin/sh", argv))
		_exit(99);
	while (!child_wait(&child, 20 * 1000000LL))
		;
	child_release(&child);
	status = child_exit_like(&child);
	_exit(status);
}

/* Where @ret_keyboard is not NULL, on a terminal of its own, whose other end that is. */
static struct stand_in start_on(char **argv, int *ret_keyboard)
{
	struct stand_in in;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	in.pid = ret_keyboard ? forkpty(ret_keyboard, NULL, NULL, NULL) : fork();
	assert_true(in.pid >= 0);
	if (!in.pid) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		run_stand_in(argv);
	}
	close(fds[1]);
	in.output = fdopen(fds[0], "r");
	assert_non_null(in.output);
	return in;
}

static struct stand_in start(char **argv)
{
	return start_on(argv, NULL);
}

static void says(const struct stand_in *in, const char *wanted)
{
	char line[64] = "";

	assert_non_null(fgets(line, sizeof(line), in->output));
	line[strcspn(line, "\n")] = '\0';
	assert_string_equal(line, wanted);
}

/* The wait status of the stand-in. */
static int ends(const struct stand_in *in)
{
	int status;

	assert_int_equal(waitpid(in->pid, &status, 0), in->pid);
	fclose(in->output);
	return status;
}

static void its_exit_status_is_ours(void **state)
{
	char *argv[] = SHELL("exit 37");
	struct stand_in in = start(argv);
	int status = ends(&in);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 37);
}

static void we_die_of_the_signal_that_it_died_of(void **state)
{
	char *argv[] = SHELL("kill -KILL $$");
	struct stand_in in = start(argv);
	int status = ends(&in);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void a_signal_to_us_alone_is_handed_on(void **state)
{
	static const struct {
		int		signal;
		const char	*name;
	} sent[] = {
		{ SIGINT, "INT" }, { SIGTERM, "TERM" }, { SIGHUP, "HUP" }, { SIGUSR1, "USR1" },
		{ SIGUSR2, "USR2" }, { SIGQUIT, "QUIT" },
	};
	char script[128];
	struct stand_in in;
	size_t i;

	for (i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
		char *argv[] = SHELL(script);

		snprintf(script, sizeof(script), "trap 'echo %s; exit 5' %s; " WAIT, sent[i].name,
			 sent[i].name);
		in = start(argv);
		says(&in, "up");
		kill(in.pid, sent[i].signal);
		says(&in, sent[i].name);
		assert_int_equal(WEXITSTATUS(ends(&in)), 5);
	}
}

static void one_that_kills_it_kills_us(void **state)
{
	char *argv[] = SHELL(WAIT);
	struct stand_in in = start(argv);
	int status;

	says(&in, "up");
	kill(in.pid, SIGTERM);
	status = ends(&in);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Ctrl-C: the child takes its time, and we wait for it. */
static void a_signal_to_the_group_does_not_end_us_before_it(void **state)
{
	char *argv[] = SHELL("trap 'sleep 0.2; echo ending; exit 6' INT; " WAIT);
	struct stand_in in = start(argv);

	says(&in, "up");
	kill(-in.pid, SIGINT);
	says(&in, "ending");
	assert_int_equal(WEXITSTATUS(ends(&in)), 6);
}

/* The terminal sends it to both of us: it is not to come twice. */
static void what_is_typed_reaches_it_once(void **state)
{
	/* A shell would take two that come close to each other for one. */
	char *argv[] = SHELL("exec perl -e '$| = 1; $SIG{INT} = sub { print \"typed\\n\" };"
			     "$SIG{USR1} = sub { print \"end\\n\"; exit 8 }; print \"up\\n\";"
			     "select(undef, undef, undef, 1) while 1'");
	int keyboard, i;
	struct stand_in in = start_on(argv, &keyboard);

	says(&in, "up");
	for (i = 0; i < 3; i++) {
		assert_int_equal(write(keyboard, "\003", 1), 1);
		says(&in, "typed");
	}
	kill(in.pid, SIGUSR1);
	says(&in, "end");
	assert_int_equal(WEXITSTATUS(ends(&in)), 8);
	close(keyboard);
}

static void we_stop_and_go_on_with_it(void **state)
{
	char *argv[] = SHELL("trap 'echo more; exit 7' CONT; " WAIT);
	struct stand_in in = start(argv);
	int status;

	says(&in, "up");
	kill(in.pid, SIGTSTP);
	assert_int_equal(waitpid(in.pid, &status, WUNTRACED), in.pid);
	assert_true(WIFSTOPPED(status));
	kill(in.pid, SIGCONT);
	says(&in, "more");
	assert_int_equal(WEXITSTATUS(ends(&in)), 7);
}

static void when_we_are_killed_it_is_interrupted(void **state)
{
	char *argv[] = SHELL("trap 'echo interrupted; exit 0' INT; " WAIT);
	struct stand_in in = start(argv);
	int status;

	says(&in, "up");
	kill(in.pid, SIGKILL);
	assert_int_equal(waitpid(in.pid, &status, 0), in.pid);
	says(&in, "interrupted");
	fclose(in.output);
}

static void what_cannot_be_run_is_told_and_leaves_signals_alone(void **state)
{
	char *argv[] = { (char *)"none", NULL };
	struct sigaction before, after;
	sigset_t mask;
	struct child child;

	sigaction(SIGINT, NULL, &before);
	assert_int_equal(child_start(&child, "/nonexistent/none", argv), -ENOENT);
	assert_int_equal(child_start(&child, "/", argv), -EACCES);
	sigaction(SIGINT, NULL, &after);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGINT));
}

/* nohup, and the jobs that a script starts in the background */
static void ignored_signals_stay_so_for_it(void **state)
{
	char *argv[] = SHELL("kill -HUP $$; kill -INT $$; exit 8");
	struct stand_in in;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	in = start(argv);
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	assert_int_equal(WEXITSTATUS(ends(&in)), 8);
}

static void waiting_ends_in_time(void **state)
{
	char *argv[] = SHELL("exec sleep 30");
	struct child child;

	assert_int_equal(child_start(&child, "/bin/sh", argv), 0);
	assert_false(child_wait(&child, 1000000));
	kill(child.pid, SIGKILL);
	assert_true(child_wait(&child, -1));
	child_release(&child);
	assert_true(WIFSIGNALED(child.status));
}

/* As whoever started us left them: nohup(1) ignores one, "&" of a shell two. */
static int take_all(void **state)
{
	static const int signals[] = {
		SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP,
	};
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_exit_status_is_ours),
		cmocka_unit_test(we_die_of_the_signal_that_it_died_of),
		cmocka_unit_test(a_signal_to_us_alone_is_handed_on),
		cmocka_unit_test(one_that_kills_it_kills_us),
		cmocka_unit_test(a_signal_to_the_group_does_not_end_us_before_it),
		cmocka_unit_test(what_is_typed_reaches_it_once),
		cmocka_unit_test(we_stop_and_go_on_with_it),
		cmocka_unit_test(when_we_are_killed_it_is_interrupted),
		cmocka_unit_test(what_cannot_be_run_is_told_and_leaves_signals_alone),
		cmocka_unit_test(ignored_signals_stay_so_for_it),
		cmocka_unit_test(waiting_ends_in_time),
	};

	return cmocka_run_group_tests_name("cmd child", tests, take_all, NULL);
}
