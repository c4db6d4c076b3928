// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "apart.h"

#define NOT_LONG	60	/* seconds until a test that hangs is ended */

struct data {
	pid_t	caller;
	bool	is_apart;
	char	words[8192];	/* more than a page */
};

static int setup(void **state)
{
	alarm(NOT_LONG);
	return 0;
}

static sigset_t block(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return set;
}

static void answer(void *arg)
{
	struct data *data = arg;

	data->is_apart = getpid() != data->caller;
	memset(data->words, 'x', sizeof(data->words) - 1);
}

static void ask_to_end(void *arg)
{
	struct data *data = arg;

	answer(arg);
	kill(data->caller, SIGTERM);
	for (;;)
		pause();
}

static void die(void *arg)
{
	struct rlimit none = { 0, 0 };

	answer(arg);
	setrlimit(RLIMIT_CORE, &none);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void what_it_leaves_is_there(void **state)
{
	struct data data = { .caller = getpid() };
	sigset_t set = block(SIGTERM);

	assert_true(apart_call(&set, answer, &data, sizeof(data)));
	assert_true(data.is_apart);
	assert_int_equal(strlen(data.words), sizeof(data.words) - 1);
}

/* As some supervisors start their programs: nobody can wait for a child then. */
static void what_it_leaves_is_there_where_children_are_ignored(void **state)
{
	signal(SIGCHLD, SIG_IGN);
	what_it_leaves_is_there(state);
	signal(SIGCHLD, SIG_DFL);
}

static void a_signal_ends_it_and_stays_pending(void **state)
{
	struct data data = { .caller = getpid() };
	sigset_t set = block(SIGTERM), pending;
	int signal;

	assert_false(apart_call(&set, ask_to_end, &data, sizeof(data)));
	assert_string_equal(data.words, "");
	assert_int_equal(sigpending(&pending), 0);
	assert_true(sigismember(&pending, SIGTERM));
	assert_int_equal(sigwait(&set, &signal), 0);
}

static void one_that_dies_leaves_nothing(void **state)
{
	struct data data = { .caller = getpid() };
	sigset_t set = block(SIGTERM);

	assert_false(apart_call(&set, die, &data, sizeof(data)));
	assert_string_equal(data.words, "");
}

static void without_a_process_it_is_called_here(void **state)
{
	struct data data = { .caller = getpid() };
	struct rlimit none, old;
	sigset_t set = block(SIGTERM);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){ 3, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_true(apart_call(&set, answer, &data, sizeof(data)));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_false(data.is_apart);
	assert_int_equal(strlen(data.words), sizeof(data.words) - 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(what_it_leaves_is_there, setup),
	cmocka_unit_test_setup(what_it_leaves_is_there_where_children_are_ignored, setup),
	cmocka_unit_test_setup(a_signal_ends_it_and_stays_pending, setup),
	cmocka_unit_test_setup(one_that_dies_leaves_nothing, setup),
	cmocka_unit_test_setup(without_a_process_it_is_called_here, setup),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
