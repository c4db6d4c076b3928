// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "said.h"

#include "elements.h"

static struct elements elements;

static int setup(void **state)
{
	elements_init(&elements);
	return 0;
}

static int teardown(void **state)
{
	elements_release(&elements);
	return 0;
}

static const char *element(const char *string)
{
	uint32_t number = elements_add(&elements, string);

	assert_int_not_equal(number, ELEMENT_NONE);
	assert_int_equal(elements.items[number].len, strlen(elements.items[number].text));
	return elements.items[number].text;
}

static void names_stay(void **state)
{
	assert_string_equal(element("do_nanosleep"), "do_nanosleep");
	assert_string_equal(element("name.llvm.77$x"), "name.llvm.77$x");
	assert_string_equal(element("foo::<T, U>::bar"), "foo::<T,_U>::bar");
}

static void nothing_separates_within_an_element(void **state)
{
	assert_string_equal(element("a;b"), "a:b");
	assert_string_equal(element("Thread 1"), "Thread_1");
	assert_string_equal(element(" x "), "_x_");
}

static void what_stands_in_brackets_keeps_its_blanks(void **state)
{
	assert_string_equal(element("[FTRACE TRAMPOLINE]"), "[FTRACE TRAMPOLINE]");
	assert_string_equal(element("[ET_NET 0]"), "[ET_NET 0]");
	assert_string_equal(element("[x] 1"), "[x]_1");
}

static void control_characters_are_escaped(void **state)
{
	assert_string_equal(element("\x1b[2J"), "\\x1b[2J");
	assert_string_equal(element("a\nb"), "a\\x0ab");
}

static void an_empty_string_is_an_element(void **state)
{
	assert_string_equal(element(""), "_");
}

static void equal_texts_are_one_element(void **state)
{
	char one[] = "same", other[] = "same";

	assert_int_equal(elements_add(&elements, one), elements_add(&elements, other));
	assert_int_equal(elements_add_constant(&elements, one),
			 elements_add_constant(&elements, other));
	assert_int_equal(elements_add(&elements, "a;b"), elements_add(&elements, "a:b"));
	assert_int_equal(elements.nr, 2);
}

static void many_are_found_again_and_sorted(void **state)
{
	static char names[5000][8];
	uint32_t numbers[5000];
	size_t i;

	for (i = 0; i < 5000; i++) {
		snprintf(names[i], sizeof(names[i]), "%05zu", (i * 1237) % 5000);
		numbers[i] = elements_add_constant(&elements, names[i]);
	}
	for (i = 0; i < 5000; i++)
		assert_int_equal(elements_add_constant(&elements, names[i]), numbers[i]);
	assert_int_equal(elements_sort(&elements), 0);
	for (i = 0; i < 5000; i++)
		assert_string_equal(elements.items[elements.order[numbers[i]]].text, names[i]);
	for (i = 1; i < 5000; i++)
		assert_true(strcmp(elements.items[i - 1].text, elements.items[i].text) < 0);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_stay),
		TEST(nothing_separates_within_an_element),
		TEST(what_stands_in_brackets_keeps_its_blanks),
		TEST(control_characters_are_escaped),
		TEST(an_empty_string_is_an_element),
		TEST(equal_texts_are_one_element),
		TEST(many_are_found_again_and_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
