// SPDX-License-Identifier: GPL-2.0-or-later
#include "said.h"

#include "waiting.h"

static struct events_cpu cpu;

static int setup(void **state)
{
	cpu = (struct events_cpu){ 0 };
	return 0;
}

static void event(int pid, uint8_t flags, uint8_t count, uint64_t note)
{
	struct event_waiting waiting = {
		.context = event_context_make(pid, flags, count),
		.note = note,
		.seq = note,
		.level = context_level(flags),
	};

	waiting_add(&cpu, &waiting);
}

/* The note of the event that the stack belongs to; 0: there is none. */
static uint64_t stack(int pid, uint8_t flags, uint8_t count)
{
	const struct event_waiting *waiting =
		waiting_take(&cpu, event_context_make(pid, flags, count));

	return waiting ? waiting->note : 0;
}

static void a_context_gives_back_what_it_was_made_of(void **state)
{
	event_context context = event_context_make(-2, 0xff, 0x80);

	assert_int_equal(event_context_pid(context), -2);
	assert_int_equal(event_context_flags(context), 0xff);
	assert_true(context != event_context_make(-2, 0xff, 0x81));
}

static void a_stack_belongs_to_the_event_before_it(void **state)
{
	event(7, 0, 0, 1);
	assert_int_equal(stack(7, 0, 0), 1);
}

static void an_event_has_one_stack(void **state)
{
	event(7, 0, 0, 1);
	stack(7, 0, 0);
	assert_int_equal(stack(7, 0, 0), 0);
}

static void the_newest_event_of_a_context_has_it(void **state)
{
	event(7, 0, 0, 1);
	event(7, 0, 0, 2);
	assert_int_equal(stack(7, 0, 0), 2);
	assert_int_equal(stack(7, 0, 0), 0);
}

static void a_stack_of_another_context_has_no_event(void **state)
{
	event(7, 0, 0, 1);
	assert_int_equal(stack(8, 0, 0), 0);
	assert_int_equal(stack(7, 1, 0), 0);
	assert_int_equal(stack(7, 0, 1), 0);
	assert_int_equal(stack(7, 0, 0), 1);
}

static void interrupts_nest(void **state)
{
	event(7, 0, 0, 1);
	event(7, CONTEXT_FLAG_SOFTIRQ, 1, 2);
	event(7, CONTEXT_FLAG_SOFTIRQ | CONTEXT_FLAG_HARDIRQ, 2, 3);
	event(7, CONTEXT_FLAG_SOFTIRQ | CONTEXT_FLAG_HARDIRQ | CONTEXT_FLAG_NMI, 3, 4);
	assert_int_equal(stack(7, 0x58, 3), 4);
	assert_int_equal(stack(7, 0x18, 2), 3);
	assert_int_equal(stack(7, 0x10, 1), 2);
	assert_int_equal(stack(7, 0, 0), 1);
}

static void an_interrupt_is_over_when_the_task_goes_on(void **state)
{
	event(7, CONTEXT_FLAG_HARDIRQ, 1, 1);
	event(7, 0, 0, 2);
	assert_int_equal(stack(7, CONTEXT_FLAG_HARDIRQ, 1), 0);
	assert_int_equal(stack(7, 0, 0), 2);
}

static void another_task_ends_the_wait(void **state)
{
	event(7, 0, 0, 1);
	event(8, 0, 0, 2);
	assert_int_equal(stack(7, 0, 0), 0);
}

static void one_task_can_wait_more_than_once(void **state)
{
	event(7, 0, 0, 1);
	event(7, 0, 1, 2);
	assert_int_equal(stack(7, 0, 1), 2);
	assert_int_equal(stack(7, 0, 0), 1);
}

static void what_came_after_an_event_with_a_stack_waits_no_longer(void **state)
{
	event(7, 0, 0, 1);
	event(7, 0, 1, 2);
	assert_int_equal(stack(7, 0, 0), 1);
	assert_int_equal(stack(7, 0, 1), 0);
}

static void the_oldest_gives_way(void **state)
{
	unsigned int i;

	for (i = 0; i <= EVENTS_MAX_WAITING; i++)
		event(7, 0, i, i + 1);
	assert_int_equal(cpu.nr_waiting, EVENTS_MAX_WAITING);
	assert_false(waiting_has(&cpu, 1));
	assert_true(waiting_has(&cpu, 2));
	assert_int_equal(stack(7, 0, EVENTS_MAX_WAITING), EVENTS_MAX_WAITING + 1);
}

static void an_event_can_be_forgotten(void **state)
{
	event(7, 0, 0, 1);
	event(7, 0, 1, 2);
	waiting_forget(&cpu, 1);
	assert_int_equal(stack(7, 0, 1), 2);
	assert_int_equal(stack(7, 0, 0), 0);
}

#define TEST(fn)	cmocka_unit_test_setup(fn, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_context_gives_back_what_it_was_made_of),
		TEST(a_stack_belongs_to_the_event_before_it),
		TEST(an_event_has_one_stack),
		TEST(the_newest_event_of_a_context_has_it),
		TEST(a_stack_of_another_context_has_no_event),
		TEST(interrupts_nest),
		TEST(an_interrupt_is_over_when_the_task_goes_on),
		TEST(another_task_ends_the_wait),
		TEST(one_task_can_wait_more_than_once),
		TEST(what_came_after_an_event_with_a_stack_waits_no_longer),
		TEST(the_oldest_gives_way),
		TEST(an_event_can_be_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
