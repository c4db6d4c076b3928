// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a resolver says of its trace.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alloc-fail.h"
#include "fixture.h"

static void set_trace(struct fixture *f, const char *name)
{
	if (stackmap_resolver_set_trace(f->resolver, fixture_data(name)))
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

static void assert_comm(struct stackmap_resolver *resolver, int pid, const char *comm)
{
	const char *found = stackmap_resolver_get_trace_comm(resolver, pid);

	assert_non_null(found);
	assert_string_equal(found, comm);
}

static void assert_no_comm(struct stackmap_resolver *resolver, int pid)
{
	errno = 0;
	assert_null(stackmap_resolver_get_trace_comm(resolver, pid));
	assert_int_equal(errno, ENOENT);
}

static void tasks_have_the_names_that_the_trace_says(void **state)
{
	struct fixture *f = *state;

	set_trace(f, "good/v8/sched.dat");
	assert_comm(f->resolver, 13, "rcu_sched");
	assert_comm(f->resolver, 9, "kworker/0:1");
	assert_comm(f->resolver, 53, "sh");
	assert_no_comm(f->resolver, 0);
	assert_no_comm(f->resolver, 12345);
}

static void tasks_of_an_old_file_have_names_too(void **state)
{
	struct fixture *f = *state;

	set_trace(f, "good/v8/v6.dat");
	assert_comm(f->resolver, 13, "rcu_sched");
}

static void without_a_trace_no_task_has_a_name(void **state)
{
	struct fixture *f = *state;

	assert_no_comm(f->resolver, 13);
}

static int find_once(void *data)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	int ret;

	if (!resolver)
		return -errno;
	ret = stackmap_resolver_set_trace(resolver, data);
	if (!ret && !stackmap_resolver_get_trace_comm(resolver, 13))
		ret = -errno;
	stackmap_resolver_free(resolver);
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	assert_true(alloc_fail_each(find_once, (void *)fixture_data("good/v8/sched.dat")) > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(tasks_have_the_names_that_the_trace_says),
		RESOLVE_TEST(tasks_of_an_old_file_have_names_too),
		RESOLVE_TEST(without_a_trace_no_task_has_a_name),
		RESOLVE_TEST(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
