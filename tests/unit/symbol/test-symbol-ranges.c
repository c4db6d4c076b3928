// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

/* ---- where a function ends ---- */

static void a_function_ends_where_the_next_symbol_begins(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000000 T f\n"
						"ffffffff81000040 t g\n"
						"ffffffff81000050 T h\n");

	assert_string_equal(name_at(symbols, 0xffffffff80ffffff), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff81000000), "f+0x0/0x40");
	assert_string_equal(name_at(symbols, 0xffffffff8100003f), "f+0x3f/0x40");
	assert_string_equal(name_at(symbols, 0xffffffff81000040), "g+0x0/0x10");
	smap_symbols_free(symbols);
}

static void a_gap_of_a_gigabyte_is_not_attributed(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000000 T before\n"
						"ffffffffc1000000 T behind\n"
						"ffffffffc1000010 T last\n");

	assert_string_equal(name_at(symbols, 0xffffffff81000010), "before+0x10");
	assert_string_equal(name_at(symbols, 0xffffffffa1000000), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff81001000), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc1000008), "behind+0x8/0x10");
	smap_symbols_free(symbols);
}

static void a_function_of_a_mebibyte_is_one_and_a_larger_one_is_a_gap(void **state)
{
	assert_named("ffffffff81000000 T f\nffffffff81100000 T g\n", 0xffffffff810fffff,
		     "f+0xfffff/0x100000");
	assert_named("ffffffff81000000 T f\nffffffff81100001 T g\n", 0xffffffff810fffff, "hex");
}

static void data_ends_a_function_but_never_names_one(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000ff0 T f\n"
						"ffffffff82000000 D jiffies\n"
						"ffffffff82000010 r names\n"
						"ffffffff82000020 V weak_object\n"
						"ffffffff82000030 ? __nosave_begin\n");

	assert_string_equal(name_at(symbols, 0xffffffff81000ff8), "f+0x8");
	assert_string_equal(name_at(symbols, 0xffffffff81001000), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff82000008), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff82000038), "hex");
	smap_symbols_free(symbols);
}

static void the_end_of_text_is_found_however_its_mark_is_typed(void **state)
{
	static const char *const marks[] = {
		"T _etext", "D _etext", "R _etext", "A _etext", "t __etext", "B _end", "T __end",
		"T __sched_text_end", "T __pi__etext",
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct smap_symbols *symbols;

		snprintf(text, sizeof(text), "ffffffff81000000 T f\nffffffff81002000 T last\n"
			 "ffffffff81003040 %s\nffffffff81004000 T _sinittext\n"
			 "ffffffff81004010 T start_kernel\n", marks[i]);
		symbols = table_of(text);
		assert_string_equal(name_at(symbols, 0xffffffff8100303f), "last+0x103f/0x1040");
		assert_string_equal(name_at(symbols, 0xffffffff81003040), "hex");
		assert_string_equal(name_at(symbols, 0xffffffff81003fff), "hex");
		assert_string_equal(name_at(symbols, 0xffffffff81004001), "_sinittext+0x1/0x10");
		smap_symbols_free(symbols);
	}
}

static void the_end_of_text_is_found_where_its_mark_is_missing(void **state)
{
	static const char *const behind[] = { "R __start_rodata", "D _sdata", "T _sinittext" };
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		struct smap_symbols *symbols;

		snprintf(text, sizeof(text), "ffffffff81000000 T f\nffffffff81002000 T last\n"
			 "ffffffff81200000 %s\n", behind[i]);
		symbols = table_of(text);
		assert_string_equal(name_at(symbols, 0xffffffff81002008), "last+0x8");
		assert_string_equal(name_at(symbols, 0xffffffff81003000), "hex");
		assert_string_equal(name_at(symbols, 0xffffffff811fffff), "hex");
		smap_symbols_free(symbols);
	}
}

static void a_function_on_the_address_of_a_mark_is_named(void **state)
{
	assert_named("ffffffff81000000 T __irqentry_text_end\nffffffff81000000 t common_return\n"
		     "ffffffff81000010 T _etext\n", 0xffffffff81000004, "common_return+0x4/0x10");
}

static void functions_that_end_in_end_are_no_marks(void **state)
{
	assert_named("ffffffff81000000 T __end_swap_bio_read\nffffffff81000010 T kernel_fpu_end\n"
		     "ffffffff81000020 T g\n", 0xffffffff81000004, "__end_swap_bio_read+0x4/0x10");
	assert_named("ffffffff81000000 T __block_write_end\nffffffff81000010 T kernel_fpu_end\n"
		     "ffffffff81000020 T g\n", 0xffffffff81000014, "kernel_fpu_end+0x4/0x10");
}

static void vectors_high_above_the_text_are_named_and_do_not_stretch_it(void **state)
{
	struct smap_symbols *symbols = table_of("c0008000 T _text\n"
						"c0100000 T schedule\n"
						"c0100100 T _etext\n"
						"c0a00000 B _end\n"
						"ffff1000 t vector_rst\n"
						"ffff1020 t vector_irq\n"
						"ffff10a0 t vector_dabt\n");

	assert_string_equal(name_at(symbols, 0xc0100048), "schedule+0x48/0x100");
	assert_string_equal(name_at(symbols, 0xc0100100), "hex");
	assert_string_equal(name_at(symbols, 0xd0000000), "hex");
	assert_string_equal(name_at(symbols, 0xffff0fff), "hex");
	assert_string_equal(name_at(symbols, 0xffff1030), "vector_irq+0x10/0x80");
	assert_string_equal(name_at(symbols, 0xffff10b0), "vector_dabt+0x10");
	assert_string_equal(name_at(symbols, 0xffff2000), "hex");
	smap_symbols_free(symbols);
}

static void a_word_of_ones_is_no_address(void **state)
{
	assert_named("c0008000 T f\nfffff000 t vector\n", 0xffffffff, "hex");
	assert_named("ffffffff81000000 T f\nfffffffffffff000 t g\n", UINT64_MAX, "hex");
	assert_named("ffffffff81000000 T f\nfffffffffffff000 t g\n", UINT64_MAX - 1, "g+0xffe");
}

/* ---- which of several names ---- */

/* Every order of the @nr lines gives @expected for @address. */
static void assert_named_in_any_order(const char *const *lines, size_t nr, uint64_t address,
				      const char *expected)
{
	size_t nr_orders = 1, order, left, i;
	char text[1024];

	for (i = 2; i <= nr; i++)
		nr_orders *= i;
	for (order = 0; order < nr_orders; order++) {
		bool used[8] = { false };
		size_t code = order;

		text[0] = '\0';
		for (left = nr; left; left--) {
			size_t skip = code % left;

			code /= left;
			for (i = 0; used[i] || skip; i++)
				skip -= !used[i];
			used[i] = true;
			strcat(strcat(text, lines[i]), "\n");
		}
		assert_named(text, address, expected);
	}
}

static void one_of_three_aliases_is_named_in_any_order_of_lines(void **state)
{
	static const char *const lines[] = {
		"ffffffff81000000 T beta", "ffffffff81000000 t alpha", "ffffffff81000000 W aaa",
		"ffffffff81000010 T next", "ffffffff80ffff00 T before",
	};

	assert_named_in_any_order(lines, 5, 0xffffffff81000004, "alpha+0x4/0x10");
}

static void a_weak_name_gives_way(void **state)
{
	static const char *const lines[] = {
		"ffffffff81000000 W compat_sys_epoll_pwait", "ffffffff81000000 T sys_ni_syscall",
		"ffffffff81000010 T next",
	};

	assert_named_in_any_order(lines, 3, 0xffffffff81000004, "sys_ni_syscall+0x4/0x10");
}

static void a_name_of_the_linker_script_gives_way(void **state)
{
	static const char *const lines[] = {
		"ffffffff81000000 T __traceiter_initcall_level",
		"ffffffff81000000 T __hot_text_start", "ffffffff81000000 T __hot_text_end",
		"ffffffff81000010 T next",
	};

	assert_named_in_any_order(lines, 4, 0xffffffff81000004,
				  "__traceiter_initcall_level+0x4/0x10");
}

static void fewer_leading_underscores_come_first(void **state)
{
	static const char *const lines[] = {
		"ffffffff81000000 T __x64_sys_fork", "ffffffff81000000 T ___a",
		"ffffffff81000000 T _zz", "ffffffff81000010 T next",
	};

	assert_named_in_any_order(lines, 4, 0xffffffff81000004, "_zz+0x4/0x10");
}

static void the_order_of_bytes_decides_last(void **state)
{
	static const char *const lines[] = {
		"ffffffff81000000 T ab", "ffffffff81000000 T a", "ffffffff81000000 T B",
		"ffffffff81000010 T next",
	};

	assert_named_in_any_order(lines, 4, 0xffffffff81000004, "B+0x4/0x10");
}

static void a_module_function_is_not_named_by_its_second_name(void **state)
{
	static const char *const lines[] = {
		"ffffffffc0001000 t exit_v9fs\t[9p]", "ffffffffc0001000 t cleanup_module\t[9p]",
		"ffffffffc0001010 t next\t[9p]",
	};

	assert_named_in_any_order(lines, 3, 0xffffffffc0001004, "exit_v9fs+0x4/0x10 [9p]");
}

static void the_order_of_lines_changes_nothing(void **state)
{
	static const char *const lines[] = {
		"ffffffff81000000 T f", "ffffffff81000040 T g", "ffffffffc0001000 t a\t[m]",
		"ffffffffc0001030 t b\t[m]", "ffffffffc0000000 t c\t[n]",
		"ffffffff81000100 T _etext",
	};

	assert_named_in_any_order(lines, 6, 0xffffffff81000010, "f+0x10/0x40");
	assert_named_in_any_order(lines, 6, 0xffffffff81000048, "g+0x8/0xc0");
	assert_named_in_any_order(lines, 6, 0xffffffffc0001008, "a+0x8/0x30 [m]");
}

/* ---- modules ---- */

#define CORE	"ffffffff81000000 T f\nffffffff81000010 T _etext\n"

static void a_module_function_ends_at_the_next_of_its_module(void **state)
{
	assert_named(CORE
		     "ffffffffc0001000 t a\t[m]\nffffffffc0003000 t b\t[m]\n"
		     "ffffffffc0005000 t c\t[n]\nffffffffc0005010 t d\t[n]\n",
		     0xffffffffc0002fff, "a+0x1fff/0x2000 [m]");
}

static void the_last_function_of_a_module_ends_with_its_page_and_has_no_size(void **state)
{
	struct smap_symbols *symbols = table_of(CORE
						"ffffffffc0001000 t a\t[m]\n"
						"ffffffffc0001f00 t last\t[m]\n"
						"ffffffffc0010000 t other\t[n]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0001ffe), "last+0xfe [m]");
	assert_string_equal(name_at(symbols, 0xffffffffc0002000), "hex");
	smap_symbols_free(symbols);
}

static void data_of_a_module_does_not_tell_the_size_of_its_last_function(void **state)
{
	assert_named(CORE "ffffffffc0001000 t last\t[m]\nffffffffc0001800 d table\t[m]\n",
		     0xffffffffc00017ff, "last+0x7ff [m]");
	assert_named(CORE "ffffffffc0001000 t last\t[m]\nffffffffc0001800 d table\t[m]\n",
		     0xffffffffc0001800, "hex");
}

static void an_address_of_a_module_that_has_gone_is_not_named_by_what_is_near(void **state)
{
	struct smap_symbols *symbols = table_of(CORE
						"ffffffffc0001000 t a\t[m]\n"
						"ffffffffc0001010 t b\t[m]\n"
						"ffffffffc0008000 t c\t[n]\n"
						"ffffffffc0008010 t d\t[n]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0004242), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0000ffe), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0009000), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff9f000000), "hex");
	smap_symbols_free(symbols);
}

static void an_area_that_two_modules_claim_has_no_names(void **state)
{
	/* m was unloaded and n loaded over its upper half. */
	struct smap_symbols *symbols = table_of(CORE
						"ffffffffc0001000 t m1\t[m]\n"
						"ffffffffc0001800 t m2\t[m]\n"
						"ffffffffc0002400 t m3\t[m]\n"
						"ffffffffc0002000 t n1\t[n]\n"
						"ffffffffc0002800 t n2\t[n]\n"
						"ffffffffc0003100 t n3\t[n]\n"
						"ffffffffc0003200 t n4\t[n]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0001004), "m1+0x4/0x800 [m]");
	assert_string_equal(name_at(symbols, 0xffffffffc0001804), "m2+0x4 [m]");
	assert_string_equal(name_at(symbols, 0xffffffffc0002004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0002404), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0002804), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0003104), "n3+0x4/0x100 [n]");
	smap_symbols_free(symbols);
}

static void a_module_within_another_has_no_names(void **state)
{
	struct smap_symbols *symbols = table_of(CORE
						"ffffffffc0001000 t m1\t[m]\n"
						"ffffffffc0009000 t m2\t[m]\n"
						"ffffffffc0009010 t m3\t[m]\n"
						"ffffffffc0003000 t n1\t[n]\n"
						"ffffffffc0003010 t n2\t[n]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0001004), "m1+0x4 [m]");
	assert_string_equal(name_at(symbols, 0xffffffffc0003004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0005004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0009004), "m2+0x4/0x10 [m]");
	smap_symbols_free(symbols);
}

static void one_address_in_two_modules_has_no_name(void **state)
{
	static const char *const lines[] = {
		"ffffffffc0001000 t a\t[m]", "ffffffffc0001000 t a\t[n]",
		"ffffffffc0001010 t b\t[m]", "ffffffffc0001010 t b\t[n]",
		"ffffffff81000000 T f",
	};

	assert_named_in_any_order(lines, 5, 0xffffffffc0001004, "hex");
}

static void three_claims_over_another_leave_nothing_disputed_named(void **state)
{
	struct smap_symbols *symbols = table_of(CORE
						"ffffffffc0001000 t a1\t[a]\n"
						"ffffffffc0008000 t a2\t[a]\n"
						"ffffffffc0002000 t b1\t[b]\n"
						"ffffffffc0003000 t b2\t[b]\n"
						"ffffffffc0005000 t c1\t[c]\n"
						"ffffffffc000a000 t c2\t[c]\n"
						"ffffffffc000a010 t c3\t[c]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0001004), "a1+0x4 [a]");
	assert_string_equal(name_at(symbols, 0xffffffffc0002004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0003004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0005004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0008004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc000a004), "c2+0x4/0x10 [c]");
	smap_symbols_free(symbols);
}

static void a_module_listed_twice_is_still_a_table(void **state)
{
	/* Read in pieces while the module was loaded again at the same place, and at another. */
	assert_named(CORE
		     "ffffffffc0001000 t a\t[m]\nffffffffc0001010 t b\t[m]\n"
		     "ffffffffc0001000 t a\t[m]\nffffffffc0001010 t b\t[m]\n",
		     0xffffffffc0001004, "a+0x4/0x10 [m]");
	assert_named(CORE
		     "ffffffffc0001000 t a\t[m]\nffffffffc0001010 t b\t[m]\n"
		     "ffffffffc0401000 t a\t[m]\nffffffffc0401010 t b\t[m]\n",
		     0xffffffffc0200004, "hex");
}

static void a_module_over_a_kernel_function_has_no_names(void **state)
{
	assert_named("ffffffff81000000 T f\nffffffff81000100 T _etext\n"
		     "ffffffff81000080 t a\t[m]\nffffffff81000090 t b\t[m]\n",
		     0xffffffff81000084, "hex");
	assert_named("ffffffff81000000 T f\nffffffff81000100 T _etext\n"
		     "ffffffff81000080 t a\t[m]\nffffffff81000090 t b\t[m]\n",
		     0xffffffff81000004, "f+0x4");
}

static void programs_between_modules_dispute_nothing(void **state)
{
	struct smap_symbols *symbols = table_of(CORE
						"ffffffffc0001000 t bpf_prog_1\t[bpf]\n"
						"ffffffffc0001100 t bpf_prog_2\t[bpf]\n"
						"ffffffffc0003000 t a\t[m]\n"
						"ffffffffc0003010 t b\t[m]\n"
						"ffffffffc0005000 t bpf_prog_3\t[bpf]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc00010ff), "bpf_prog_1+0xff [bpf]");
	assert_string_equal(name_at(symbols, 0xffffffffc0001fff), "bpf_prog_2+0xeff [bpf]");
	assert_string_equal(name_at(symbols, 0xffffffffc0002000), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0003004), "a+0x4/0x10 [m]");
	assert_string_equal(name_at(symbols, 0xffffffffc0005004), "bpf_prog_3+0x4 [bpf]");
	smap_symbols_free(symbols);
}

/* ---- real tables ---- */

struct line {
	uint64_t	address;
	char		type;
	char		name[256];
	char		module[64];
};

static size_t read_lines(char *text, struct line *lines, size_t max)
{
	char *pos, *next;
	size_t nr = 0;

	for (pos = text; *pos; pos = next + 1) {
		next = strchr(pos, '\n');
		assert_non_null(next);
		assert_true(nr < max);
		*next = '\0';
		lines[nr].module[0] = '\0';
		assert_true(sscanf(pos, "%lx %c %255s", &lines[nr].address, &lines[nr].type,
				   lines[nr].name) == 3);
		if (strchr(pos, '\t'))
			sscanf(strchr(pos, '\t'), "\t[%63[^]]", lines[nr].module);
		*next = '\n';
		nr++;
	}
	return nr;
}

/* Names of the kernel itself come sorted by address, those of a module as in its file. */
static bool is_first_function(const struct line *lines, size_t nr)
{
	const struct line *line = &lines[nr], *before;

	if (!strchr("tTwW", line->type))
		return false;
	for (before = line; before-- > lines;) {
		if (before->address == line->address && strchr("tTwW", before->type))
			return false;
		if (!line->module[0] && before->address != line->address)
			break;
	}
	return true;
}

static bool is_mark(const char *name)
{
	return strstr(name, "text_end") || !strcmp(name, "_etext") || !strcmp(name, "_einittext");
}

/*
 * In the kernel's own table the first of several names is the one that %pS prints. A table that is
 * turned round tells whether ours is chosen by rule or by place.
 */
static void check_real_table(const char *name)
{
	static struct line lines[70000];
	struct smap_symbols *symbols = NULL, *turned = NULL;
	const struct smap_symbol *symbol;
	size_t len, nr, nr_named = 0, i;
	char *text, *reversed, *out;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("SMAP_TEST_BUILD"), name);
	text = read_file(path, &len);
	nr = read_lines(text, lines, sizeof(lines) / sizeof(lines[0]));

	reversed = out = malloc(len + 1);
	for (i = nr; i--;)
		out += sprintf(out, lines[i].module[0] ? "%016lx %c %s\t[%s]\n" : "%016lx %c %s\n",
			       lines[i].address, lines[i].type, lines[i].name, lines[i].module);
	assert_int_equal(smap_symbols_from_kallsyms(text, len, &symbols, NULL), 0);
	assert_int_equal(smap_symbols_from_kallsyms(reversed, (size_t)(out - reversed), &turned,
						    NULL), 0);

	assert_int_equal(smap_symbols_nr(symbols), smap_symbols_nr(turned));
	for (i = 0; i < smap_symbols_nr(symbols); i++)
		assert_string_equal(smap_symbols_get(symbols, i)->name,
				    smap_symbols_get(turned, i)->name);

	for (i = 0; i < nr; i++) {
		if (!is_first_function(lines, i))
			continue;
		symbol = smap_symbols_find(symbols, lines[i].address);
		if (!symbol || is_mark(lines[i].name))
			continue;
		nr_named++;
		assert_string_equal(symbol->name, lines[i].name);
		assert_string_equal(symbol->module ? symbol->module : "", lines[i].module);
	}
	assert_true(nr_named > 20000);
	/* In all three a mark and a start share an address: "__split_text_end" comes first. */
	assert_int_equal(smap_symbols_nr(symbols), nr_named + 1);

	smap_symbols_free(symbols);
	smap_symbols_free(turned);
	free(reversed);
	free(text);
}

static void the_first_name_of_a_real_table_is_chosen(void **state)
{
	if (!getenv("SMAP_TEST_BUILD"))
		skip();
	check_real_table("v7.kallsyms");
	check_real_table("v8.kallsyms");
	check_real_table("dbg.kallsyms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_ends_where_the_next_symbol_begins),
		cmocka_unit_test(a_gap_of_a_gigabyte_is_not_attributed),
		cmocka_unit_test(a_function_of_a_mebibyte_is_one_and_a_larger_one_is_a_gap),
		cmocka_unit_test(data_ends_a_function_but_never_names_one),
		cmocka_unit_test(the_end_of_text_is_found_however_its_mark_is_typed),
		cmocka_unit_test(the_end_of_text_is_found_where_its_mark_is_missing),
		cmocka_unit_test(a_function_on_the_address_of_a_mark_is_named),
		cmocka_unit_test(functions_that_end_in_end_are_no_marks),
		cmocka_unit_test(vectors_high_above_the_text_are_named_and_do_not_stretch_it),
		cmocka_unit_test(a_word_of_ones_is_no_address),
		cmocka_unit_test(one_of_three_aliases_is_named_in_any_order_of_lines),
		cmocka_unit_test(a_weak_name_gives_way),
		cmocka_unit_test(a_name_of_the_linker_script_gives_way),
		cmocka_unit_test(fewer_leading_underscores_come_first),
		cmocka_unit_test(the_order_of_bytes_decides_last),
		cmocka_unit_test(a_module_function_is_not_named_by_its_second_name),
		cmocka_unit_test(the_order_of_lines_changes_nothing),
		cmocka_unit_test(a_module_function_ends_at_the_next_of_its_module),
		cmocka_unit_test(the_last_function_of_a_module_ends_with_its_page_and_has_no_size),
		cmocka_unit_test(data_of_a_module_does_not_tell_the_size_of_its_last_function),
		cmocka_unit_test(an_address_of_a_module_that_has_gone_is_not_named_by_what_is_near),
		cmocka_unit_test(an_area_that_two_modules_claim_has_no_names),
		cmocka_unit_test(a_module_within_another_has_no_names),
		cmocka_unit_test(one_address_in_two_modules_has_no_name),
		cmocka_unit_test(three_claims_over_another_leave_nothing_disputed_named),
		cmocka_unit_test(a_module_listed_twice_is_still_a_table),
		cmocka_unit_test(a_module_over_a_kernel_function_has_no_names),
		cmocka_unit_test(programs_between_modules_dispute_nothing),
		cmocka_unit_test(the_first_name_of_a_real_table_is_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
