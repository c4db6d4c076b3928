// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two and three CPUs that record at once: each goes so many steps, then another one, in every way
 * that takes a few switches. Other than an interrupt, a CPU may come to its end in the midst of
 * what the other one does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#include <cmocka.h>

#include "shim.h"
#include "world.h"

#define MAX_CPUS	3
#define STACK_SIZE	(256 * 1024)

static struct cpu {
	enum world_stack	records;
	bool			ended;
	ucontext_t		context;
	char			stack[STACK_SIZE];
} cpus[MAX_CPUS];

static ucontext_t scheduler;
static int running;
static unsigned int steps_left;	/* of it, and one */
static struct world world;

/* Before each step of the CPU that runs */
static void maybe_stop(void)
{
	if (!--steps_left)
		swapcontext(&cpus[running].context, &scheduler);
}

static void record(void)
{
	world_record(&world, cpus[running].records);
	cpus[running].ended = true;
}

static void start(int cpu, enum world_stack records)
{
	cpus[cpu].records = records;
	cpus[cpu].ended = false;
	assert_int_equal(getcontext(&cpus[cpu].context), 0);
	cpus[cpu].context.uc_stack.ss_sp = cpus[cpu].stack;
	cpus[cpu].context.uc_stack.ss_size = STACK_SIZE;
	cpus[cpu].context.uc_link = &scheduler;
	makecontext(&cpus[cpu].context, record, 0);
}

/* False: it has come to its end. */
static bool go(int cpu, unsigned int steps)
{
	if (cpus[cpu].ended)
		return false;
	running = cpu;
	steps_left = steps + 1;
	shim_run_on_cpu(cpu);
	shim_step_hook = maybe_stop;
	swapcontext(&scheduler, &cpus[cpu].context);
	shim_step_hook = NULL;
	shim_run_on_cpu(0);
	return !cpus[cpu].ended;
}

static void go_on(int cpu)
{
	go(cpu, UINT_MAX - 1);
}

/* The first CPU goes @steps[0], the second @steps[1], the first @steps[2]; both to the end then. */
static bool run_two(enum world_room room, enum world_stack one, enum world_stack other,
		    const unsigned int *steps, unsigned int *ret_stopped)
{
	if (!world_begin(&world, room, 8))
		return false;
	world.at_once = true;
	start(0, one);
	start(1, other);
	*ret_stopped = 0;
	while (*ret_stopped < 3 && go(*ret_stopped & 1, steps[*ret_stopped]))
		++*ret_stopped;
	go_on(1);
	go_on(0);
	world_end(&world);
	return true;
}

/* Count the steps up as the digits of a number: past an end, one was as large as it gets. */
static unsigned int run_two_all(enum world_room room, enum world_stack one,
				enum world_stack other)
{
	/* On the way past many others nothing happens */
	unsigned int first = room == WORLD_LAST_SLOT ? 62 : 0;
	unsigned int steps[3] = { first, first, 0 }, stopped, nr = 0;

	while (run_two(room, one, other, steps, &stopped)) {
		nr++;
		if (!stopped)
			break;
		if (stopped < 3)
			steps[stopped] = stopped < 2 ? first : 0;
		steps[stopped - 1]++;
	}
	return nr;
}

static void two_cpus_record_at_once(void **state)
{
	unsigned int room, other, nr = 0;

	for (room = 0; room < WORLD_NR_ROOMS; room++)
		for (other = 0; other < WORLD_NR_STACKS; other++)
			nr += run_two_all(room, WORLD_ONE, other);
	print_message("%u schedules\n", nr);
	assert_true(nr > 10000);
}

/* By turns of random length */
static void run_three(enum world_room room, const enum world_stack *records, uint32_t *seed)
{
	bool going[MAX_CPUS] = { true, true, true };
	int cpu;

	if (!world_begin(&world, room, 8))
		return;
	world.at_once = true;
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		start(cpu, records[cpu]);
	while (going[0] || going[1] || going[2]) {
		*seed = *seed * 1664525 + 1013904223;
		cpu = (*seed >> 16) % MAX_CPUS;
		if (going[cpu])
			going[cpu] = go(cpu, (*seed >> 24) % 8);
	}
	world_end(&world);
}

static void three_cpus_record_at_once(void **state)
{
	const enum world_stack records[][MAX_CPUS] = {
		{ WORLD_ONE, WORLD_ONE, WORLD_ONE },
		{ WORLD_ONE, WORLD_COLLIDING, WORLD_ONE },
		{ WORLD_ONE, WORLD_ONE, WORLD_OTHER },
		{ WORLD_COLLIDING, WORLD_SHORT, WORLD_ONE },
		{ WORLD_LONG, WORLD_ONE, WORLD_LONG },
		{ WORLD_SHORT, WORLD_LONG, WORLD_SHORT },
	};
	unsigned int room, i, times;
	uint32_t seed = 1;

	for (room = 0; room < WORLD_NR_ROOMS; room++)
		for (i = 0; i < sizeof(records) / sizeof(*records); i++)
			for (times = 0; times < 500; times++)
				run_three(room, records[i], &seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_cpus_record_at_once),
		cmocka_unit_test(three_cpus_record_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
