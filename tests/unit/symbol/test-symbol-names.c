// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc-fail.h"
#include "fixture.h"

static const char table[] =
	"ffffffff81000000 T schedule\n"
	"ffffffff810000c0 t __do_sys_fork\n"
	"ffffffff810000c0 T __x64_sys_fork\n"
	"ffffffff81000100 t show.llvm.3433979326929198294\n"
	"ffffffff81000180 t show\n"
	"ffffffff810001a0 t init\n"
	"ffffffff810001b0 t init\n"
	"ffffffff810001d0 t store.llvm.77\n"
	"ffffffff810001e0 t once.llvm.\n"
	"ffffffff810001f0 T last\n"
	"ffffffffc0001000 t nfs_open\t[nfs]\n"
	"ffffffffc0001010 t nfs_close\t[nfs]\n";

static enum smap_symbol_match match(const struct smap_symbols *symbols, const char *name,
				    uint64_t size)
{
	return smap_symbols_match(symbols, name, strlen(name), size);
}

static void check_matches(const struct smap_symbols *symbols)
{
	assert_int_equal(match(symbols, "schedule", 0xc0), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "schedule", 0xc1), SMAP_SYMBOL_OTHER_SIZE);
	assert_int_equal(match(symbols, "schedule", UINT64_MAX), SMAP_SYMBOL_OTHER_SIZE);
	assert_int_equal(match(symbols, "schedule", 0x1000000c0), SMAP_SYMBOL_OTHER_SIZE);
	assert_int_equal(match(symbols, "schedul", 0xc0), SMAP_SYMBOL_ABSENT);
	assert_int_equal(match(symbols, "", 0), SMAP_SYMBOL_ABSENT);
	/* Each alias. */
	assert_int_equal(match(symbols, "__do_sys_fork", 0x40), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "__x64_sys_fork", 0x40), SMAP_SYMBOL_MATCHES);
	/* Each of several functions of one name. */
	assert_int_equal(match(symbols, "init", 0x10), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "init", 0x20), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "init", 0x30), SMAP_SYMBOL_OTHER_SIZE);
	/* The tail may be missing, but is not another one. */
	assert_int_equal(match(symbols, "show", 0x80), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "show", 0x20), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "show.llvm.3433979326929198294", 0x80),
			 SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "show.llvm.1", 0x80), SMAP_SYMBOL_ABSENT);
	assert_int_equal(match(symbols, "once", 0x10), SMAP_SYMBOL_ABSENT);
	/* Its end is not known, so its size is no contradiction. */
	assert_int_equal(match(symbols, "last", 0x1234), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "nfs_open", 0x10), SMAP_SYMBOL_ABSENT);
}

static void check_addresses(const struct smap_symbols *symbols)
{
	assert_int_equal(smap_symbols_address(symbols, "schedule"), 0xffffffff81000000);
	assert_int_equal(smap_symbols_address(symbols, "__x64_sys_fork"), 0xffffffff810000c0);
	assert_int_equal(smap_symbols_address(symbols, "store"), 0xffffffff810001d0);
	assert_int_equal(smap_symbols_address(symbols, "init"), 0);
	assert_int_equal(smap_symbols_address(symbols, "show"), 0);
	assert_int_equal(smap_symbols_address(symbols, "nfs_open"), 0);
	assert_int_equal(smap_symbols_address(symbols, "nothing"), 0);
}

static void a_frame_matches_by_name_and_size(void **state)
{
	struct smap_symbols *symbols = table_of(table);

	check_matches(symbols);
	check_matches(symbols);
	smap_symbols_free(symbols);
}

static void a_name_that_one_symbol_has_tells_its_address(void **state)
{
	struct smap_symbols *symbols = table_of(table);

	check_addresses(symbols);
	smap_symbols_free(symbols);
}

static void a_module_on_the_same_address_does_not_change_a_size(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000000 T f\n"
						"ffffffff81000000 t g\t[m]\n"
						"ffffffff81000000 T h\n"
						"ffffffff81000020 T _etext\n"
						"ffffffff82000000 T elsewhere\n");

	assert_int_equal(match(symbols, "f", 0x20), SMAP_SYMBOL_MATCHES);
	assert_int_equal(match(symbols, "f", 0x10), SMAP_SYMBOL_OTHER_SIZE);
	assert_int_equal(match(symbols, "h", 0x20), SMAP_SYMBOL_MATCHES);
	smap_symbols_free(symbols);
}

static void without_memory_for_an_index_the_answers_are_the_same(void **state)
{
	struct smap_symbols *symbols;
	size_t nth;

	for (nth = 1; nth <= 2; nth++) {
		symbols = table_of(table);
		alloc_fail_at(nth, true);
		check_matches(symbols);
		check_addresses(symbols);
		assert_true(alloc_fail_has_failed());
		alloc_fail_stop();
		smap_symbols_free(symbols);
	}
	assert_int_equal(alloc_fail_nr_live(), 0);
}

static void thousands_of_functions_of_one_name_are_asked_in_no_time(void **state)
{
	struct smap_symbols *symbols;
	char *text = malloc(1 << 23);
	char *pos = text;
	unsigned int i;

	for (i = 0; i < 100000; i++)
		pos += sprintf(pos, "%llx t init\n", 0xffffffff81000000ULL + i * 64ULL);
	sprintf(pos, "%llx T _etext\n", 0xffffffff81000000ULL + i * 64ULL);
	symbols = table_of(text);
	/* Quadratic behaviour would not end while anybody waits. */
	for (i = 0; i < 1000000; i++)
		assert_int_equal(match(symbols, "init", 65), SMAP_SYMBOL_OTHER_SIZE);
	assert_int_equal(match(symbols, "init", 64), SMAP_SYMBOL_MATCHES);
	smap_symbols_free(symbols);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_matches_by_name_and_size),
		cmocka_unit_test(a_name_that_one_symbol_has_tells_its_address),
		cmocka_unit_test(a_module_on_the_same_address_does_not_change_a_size),
		cmocka_unit_test(without_memory_for_an_index_the_answers_are_the_same),
		cmocka_unit_test(thousands_of_functions_of_one_name_are_asked_in_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
