// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "said.h"

#include "crash.h"

static char words[1024];

/* What a child that does @fn says on stderr goes to words; returns its status. */
static int in_child(void (*fn)(void))
{
	const struct rlimit no_core = { 0, 0 };
	int fds[2], status;
	ssize_t len;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		dup2(fds[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(fds[1]);
	len = read(fds[0], words, sizeof(words) - 1);
	words[len < 0 ? 0 : len] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void follow_a_wild_pointer(void)
{
	crash_set_file("some.dat");
	raise(SIGSEGV);
}

static void abort_on_another_file(void)
{
	crash_set_file("some.dat");
	crash_set_file("e\x1b[2Jvil.dat");
	abort();
}

/* Volatile: the compiler shall neither see that there is no end nor make a loop of it. */
static volatile int depth;

static int recurse(int n)
{
	volatile char room[4096];

	room[0] = n;
	if (++depth < 0)
		return 0;
	return recurse(n + 1) + room[0];
}

static void use_up_the_stack(void)
{
	crash_set_file("deep.dat");
	recurse(0);
}

static void crash_without_a_file(void)
{
	crash_set_file("some.dat");
	crash_set_file(NULL);
	abort();
}

static void a_crash_names_the_file(void **state)
{
	int status = in_child(follow_a_wild_pointer);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_string_equal(words, "trace-cmd stackmap test: some.dat: damaged: "
				   "libtracecmd failed while reading it\n");
}

static void it_is_the_file_set_last(void **state)
{
	int status = in_child(abort_on_another_file);

	assert_true(WIFEXITED(status));
	assert_non_null(strstr(words, ": e\\x1b[2Jvil.dat: damaged"));
}

static void the_handler_has_a_stack_of_its_own(void **state)
{
	int status = in_child(use_up_the_stack);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
}

static void our_own_crash_is_not_put_on_a_file(void **state)
{
	int status = in_child(crash_without_a_file);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_string_equal(words, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_names_the_file),
		cmocka_unit_test(it_is_the_file_set_last),
		cmocka_unit_test(the_handler_has_a_stack_of_its_own),
		cmocka_unit_test(our_own_crash_is_not_put_on_a_file),
	};

#if defined(__SANITIZE_ADDRESS__)
	return 77;	/* whose report is worth more */
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
