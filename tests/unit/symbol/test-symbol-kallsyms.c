// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc-fail.h"
#include "fixture.h"

#define BASE	"ffffffff81000000 T _stext\n"

/* ---- tables that carry no addresses ---- */

static void all_zero_addresses_are_refused_with_the_sysctl_named(void **state)
{
	struct smap_error err = { "" };

	assert_int_equal(table_refused("0000000000000000 T _stext\n"
				       "0000000000000000 t do_one_initcall\n"
				       "0000000000000000 t nfs_open\t[nfs]\n", &err), -ENODATA);
	assert_int_equal(errno, ENODATA);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
}

static void all_zero_addresses_of_a_32_bit_kernel_are_refused_too(void **state)
{
	struct smap_error err = { "" };

	assert_int_equal(table_refused("00000000 T _stext\n00000000 T schedule\n", &err), -ENODATA);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
}

static void absolute_symbols_do_not_hide_that_all_others_are_zero(void **state)
{
	struct smap_error err = { "" };

	assert_int_equal(table_refused("0000000000012345 A _kernel_size\n"
				       "0000000000000000 T schedule\n", &err), -ENODATA);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
}

static void one_address_for_a_whole_table_is_refused(void **state)
{
	struct smap_error err = { "" };
	char text[4096];
	size_t len = 0;
	int i;

	for (i = 0; i < 40; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"ffffffffffffffff T f%d\n", i);
	assert_int_equal(table_refused(text, &err), -ENODATA);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
}

static void an_empty_table_has_no_symbols(void **state)
{
	struct smap_error err = { "" };

	assert_int_equal(table_refused("", &err), -ENODATA);
	assert_string_equal(err.text, "no symbols");
	assert_int_equal(table_refused("\n \n\r\n", &err), -ENODATA);
	assert_string_equal(err.text, "no symbols");
}

static void a_table_of_data_only_has_no_functions(void **state)
{
	struct smap_error err = { "" };

	assert_int_equal(table_refused("ffffffff82000000 D jiffies\n"
				       "ffffffff82000040 b buf\n", &err), -ENODATA);
	assert_string_equal(err.text, "no symbols of functions");
}

/* ---- lines ---- */

static void any_white_space_stands_before_a_module(void **state)
{
	struct smap_symbols *symbols = table_of(
		BASE
		"ffffffffc0001000 t tabbed\t[nfs]\n"
		"ffffffffc0001010 t spaced [nfs]\n"
		"ffffffffc0001020 t many \t  [nfs]\n"
		"ffffffffc0001030 t trailing\t[nfs]  \t\n"
		"ffffffffc0001040 t end [nfs]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0001004), "tabbed+0x4/0x10 [nfs]");
	assert_string_equal(name_at(symbols, 0xffffffffc0001014), "spaced+0x4/0x10 [nfs]");
	assert_string_equal(name_at(symbols, 0xffffffffc0001024), "many+0x4/0x10 [nfs]");
	assert_string_equal(name_at(symbols, 0xffffffffc0001034), "trailing+0x4/0x10 [nfs]");
	smap_symbols_free(symbols);
}

static void trailing_space_is_no_part_of_a_name(void **state)
{
	assert_named("ffffffff81000000 T f  \t \nffffffff81000010 T g\n", 0xffffffff81000000,
		     "f+0x0/0x10");
}

static void lines_that_end_in_cr_lf_are_read_alike(void **state)
{
	assert_named("ffffffff81000000 T f\r\nffffffffc0001010 T g\t[m]\r\n"
		     "ffffffffc0001020 T h\t[m]\r\n", 0xffffffffc0001018, "g+0x8/0x10 [m]");
}

static void pseudo_modules_are_kept_as_module_tags(void **state)
{
	struct smap_symbols *symbols = table_of(
		BASE
		"ffffffffc0200000 t ftrace_trampoline\t[__builtin__ftrace]\n"
		"ffffffffc0300000 t bpf_prog_07df9015606e4140\t[bpf]\n"
		"ffffffffc0300100 t bpf_prog_6deef7357e7b4530_sd_fw_egress\t[bpf]\n"
		"ffffffffc0310000 t bpf_trampoline_6442536467\t[bpf]\n");

	assert_string_equal(name_at(symbols, 0xffffffffc0200010),
			    "ftrace_trampoline+0x10 [__builtin__ftrace]");
	assert_string_equal(name_at(symbols, 0xffffffffc030001c),
			    "bpf_prog_07df9015606e4140+0x1c [bpf]");
	assert_string_equal(name_at(symbols, 0xffffffffc030011c),
			    "bpf_prog_6deef7357e7b4530_sd_fw_egress+0x1c [bpf]");
	assert_string_equal(name_at(symbols, 0xffffffffc0310001),
			    "bpf_trampoline_6442536467+0x1 [bpf]");
	smap_symbols_free(symbols);
}

static void mapping_symbols_are_ignored(void **state)
{
	struct smap_symbols *symbols = table_of(
		"ffff800008000000 T f\n"
		"ffff800008000000 t $x\n"
		"ffff800008000008 t $d.12\n"
		"ffff80000800000c t $x.13\n"
		"ffff800008000020 T g\n"
		"ffff800008000024 t $xrv64i2p1_m2p0\n"
		"ffff800008000028 t .L42\n"
		"ffff800008000040 T _etext\n"
		"ffff800001000000 t $d\t[nfs]\n"
		"ffff800001000000 t nfs_open\t[nfs]\n"
		"ffff800001000000 t $x.7\t[nfs]\n"
		"ffff800001000010 t $d.8\t[nfs]\n"
		"ffff800001000020 t nfs_close\t[nfs]\n");

	assert_string_equal(name_at(symbols, 0xffff800008000010), "f+0x10/0x20");
	assert_string_equal(name_at(symbols, 0xffff80000800002c), "g+0xc/0x20");
	assert_string_equal(name_at(symbols, 0xffff800001000014), "nfs_open+0x14/0x20 [nfs]");
	smap_symbols_free(symbols);
}

static void a_dollar_within_a_name_is_kept(void **state)
{
	assert_named("ffffffff81000000 T lambda$0$x\nffffffff81000010 T g\n", 0xffffffff81000001,
		     "lambda$0$x+0x1/0x10");
}

static void absolute_symbols_are_ignored(void **state)
{
	struct smap_symbols *symbols = table_of(
		"0000000000000000 A fixed_percpu_data\n"
		"000000000001c000 A cpu_tss_rw\n"
		"0000000000030000 a __per_cpu_end\n"
		"ffffffff81000000 T f\n"
		"ffffffff81000010 a a_number\n"
		"ffffffff81000014 A another\n"
		"ffffffff81000020 T g\n");

	assert_string_equal(name_at(symbols, 0x401234), "hex");
	assert_string_equal(name_at(symbols, 0x1c010), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff81000018), "f+0x18/0x20");
	smap_symbols_free(symbols);
}

static void per_cpu_symbols_typed_as_data_name_nothing(void **state)
{
	assert_named("0000000000000000 D __per_cpu_start\n0000000000001000 D cpu_debug_store\n"
		     "000000000002f000 D __per_cpu_end\n"
		     "ffffffff81000000 T f\nffffffff81000020 T g\n", 0x401234, "hex");
}

static void numbers_have_up_to_16_digits(void **state)
{
	struct smap_error err = { "" };

	assert_named("c0008000 T f\nC0008020 T g\n", 0xc0008010, "f+0x10/0x20");
	assert_named("1000 T f\n1020 T g\n", 0x1010, "f+0x10/0x20");
	assert_named("ffffffffffff0000 T f\nffffffffffff0020 T g\n", 0xffffffffffff0010,
		     "f+0x10/0x20");
	assert_int_equal(table_refused("0ffffffffffff0000 T f\n", &err), -EBADMSG);
}

static void names_of_any_length_are_whole_and_so_is_the_next(void **state)
{
	static const size_t lens[] = { 1, 126, 127, 128, 129, 254, 255, 256, 511, 512, 70000 };
	struct smap_symbols *symbols;
	char *text = malloc(200000);
	char *pos = text;
	size_t i;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		pos += sprintf(pos, "%llx T ", 0xffffffff81000000ULL + i * 16);
		memset(pos, 'a' + (int)i, lens[i]);
		pos += lens[i];
		*pos++ = '\n';
	}
	sprintf(pos, "%llx T last\n", 0xffffffff81000000ULL + i * 16);
	symbols = table_of(text);
	assert_int_equal(smap_symbols_nr(symbols), i + 1);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		const struct smap_symbol *symbol = smap_symbols_get(symbols, i);

		assert_int_equal(strlen(symbol->name), lens[i]);
		assert_int_equal(strspn(symbol->name, (char[]){ 'a' + (char)i, '\0' }), lens[i]);
		assert_int_equal(symbol->end - symbol->start, 16);
	}
	assert_string_equal(smap_symbols_get(symbols, i)->name, "last");
	smap_symbols_free(symbols);
	free(text);
}

static void odd_bytes_in_names_are_kept(void **state)
{
	assert_named("ffffffff81000000 T \x01\xff.[x]{}\xc3\xa4\nffffffff81000010 T g\n",
		     0xffffffff81000000, "\x01\xff.[x]{}\xc3\xa4+0x0/0x10");
}

static void a_line_that_is_none_is_refused_with_its_number(void **state)
{
	static const char *const bad[] = {
		"xyz T f", "ffffffff81000000", "ffffffff81000000 T", "ffffffff81000000 Tf",
		"ffffffff81000000 TT f", "ffffffff81000000T f", "ffffffff81000000 T f nfs",
		"ffffffff81000000 T f [nfs", "ffffffff81000000 T f []",
		"ffffffff81000000 T f [nfs] more", "ffffffff81000000 T f [a b]",
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct smap_error err = { "" };

		snprintf(text, sizeof(text), BASE "\n%s\nffffffff81000010 T g\n", bad[i]);
		assert_int_equal(table_refused(text, &err), -EBADMSG);
		assert_int_equal(errno, EBADMSG);
		assert_string_equal(err.text, "line 3: not a line of /proc/kallsyms");
	}
}

static void a_nul_in_a_line_is_refused(void **state)
{
	static const char text[] = "ffffffff81000000 T f\0g\nffffffff81000010 T h\n";
	static const char type[] = "ffffffff81000000 \0 f\nffffffff81000010 T h\n";
	struct smap_symbols *symbols = NULL;
	struct smap_error err;

	assert_int_equal(smap_symbols_from_kallsyms(text, sizeof(text) - 1, &symbols, &err),
			 -EBADMSG);
	assert_int_equal(smap_symbols_from_kallsyms(type, sizeof(type) - 1, &symbols, &err),
			 -EBADMSG);
}

static void a_name_that_may_be_cut_is_not_used_but_bounds_the_one_below(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000000 T schedule\n"
						"ffffffff81000010 T io_sched");

	assert_string_equal(name_at(symbols, 0xffffffff81000008), "schedule+0x8");
	assert_string_equal(name_at(symbols, 0xffffffff81000018), "hex");
	smap_symbols_free(symbols);
}

static void no_function_begins_at_the_last_address(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000000 T f\n"
						"ffffffff81000010 T _etext\n"
						"ffffffffffffffff T g\n");

	assert_int_equal(smap_symbols_nr(symbols), 1);
	smap_symbols_free(symbols);
}

static void a_last_line_cut_in_its_address_is_passed_over(void **state)
{
	struct smap_error err;

	assert_named("ffffffff81000000 T f\nffffffff81000010 T g\nffffff", 0xffffffff81000008,
		     "f+0x8/0x10");
	assert_int_equal(table_refused("ffffff", &err), -EBADMSG);
}

/* ---- modules that are listed by offsets ---- */

static void a_module_listed_by_offsets_is_left_out(void **state)
{
	struct smap_symbols *symbols = table_of(
		"ffffffff81000000 T f\n"
		"ffffffff81000020 T g\n"
		"0000000000000040 t rel_a\t[rel]\n"
		"0000000000000000 t rel_init\t[rel]\n"
		"0000000000400000 t rel_far\t[rel]\n"
		"0000000000400010 t rel_farther\t[rel]\n"
		"ffffffffc0001000 t abs_a\t[abs]\n"
		"ffffffffc0001010 t abs_b\t[abs]\n"
		"000000000002f000 d abs_percpu\t[abs]\n");

	assert_string_equal(name_at(symbols, 0x44), "hex");
	assert_string_equal(name_at(symbols, 0x400004), "hex");
	assert_string_equal(name_at(symbols, 0xffffffffc0000044), "hex");
	assert_string_equal(name_at(symbols, 0xffffffff81000010), "f+0x10/0x20");
	assert_string_equal(name_at(symbols, 0xffffffffc0001004), "abs_a+0x4/0x10 [abs]");
	smap_symbols_free(symbols);
}

static void many_modules_keep_their_names_apart(void **state)
{
	struct smap_symbols *symbols;
	char expected[64];
	char *text = malloc(1 << 20);
	char *pos = text;
	unsigned int round, i;

	for (round = 0; round < 2; round++)
		for (i = 0; i < 3000; i++)
			pos += sprintf(pos, "%llx t f%u\t[mod%u]\n",
				       0xffffffffc0000000ULL + i * 4096ULL + round * 16, round, i);
	symbols = table_of(text);
	for (i = 0; i < 3000; i++) {
		snprintf(expected, sizeof(expected), "f0+0x8/0x10 [mod%u]", i);
		assert_string_equal(name_at(symbols, 0xffffffffc0000008ULL + i * 4096ULL),
				    expected);
	}
	smap_symbols_free(symbols);
	free(text);
}

/* ---- the rest ---- */

static void the_first_line_tells_a_table(void **state)
{
	static const char *const yes[] = {
		"ffffffff81000000 T _stext\n", "0 A x\n", "c0008000 t f\t[m]\nwhat comes next",
		"ffffffff81000000 T _stext",
	};
	static const char *const no[] = {
		"", "\n", "stack_id 42 gen 1 ref 1337 depth 3\n", "generation: 1\n",
		"entries:      2500 / 16384\n", "BMSF\x01", "42 bottles of beer\n",
		"deadbeef\n", "\x17\x08\x44tracing6",
	};
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(smap_kallsyms_probe(yes[i], strlen(yes[i])));
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(smap_kallsyms_probe(no[i], strlen(no[i])));
}

static void the_table_keeps_nothing_of_the_text(void **state)
{
	char text[] = BASE "ffffffffc0001000 t f\t[m]\nffffffffc0001010 t g\t[m]\n";
	struct smap_symbols *symbols = table_of(text);

	memset(text, 'x', sizeof(text));
	assert_string_equal(name_at(symbols, 0xffffffffc0001000), "f+0x0/0x10 [m]");
	smap_symbols_free(symbols);
}

static int load_once(void *data)
{
	struct smap_symbols *symbols;
	struct smap_error err;
	int ret = smap_symbols_from_kallsyms(data, strlen(data), &symbols, &err);

	if (!ret)
		smap_symbols_free(symbols);
	return ret;
}

static void no_memory_is_told_and_leaks_nothing(void **state)
{
	char text[8192];
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < 100; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%llx t f%u\t[m%u]\n",
					0xffffffffc0000000ULL - 4096ULL * i, i, i / 3);
	assert_true(alloc_fail_each_tolerant(load_once, text) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_zero_addresses_are_refused_with_the_sysctl_named),
		cmocka_unit_test(all_zero_addresses_of_a_32_bit_kernel_are_refused_too),
		cmocka_unit_test(absolute_symbols_do_not_hide_that_all_others_are_zero),
		cmocka_unit_test(one_address_for_a_whole_table_is_refused),
		cmocka_unit_test(an_empty_table_has_no_symbols),
		cmocka_unit_test(a_table_of_data_only_has_no_functions),
		cmocka_unit_test(any_white_space_stands_before_a_module),
		cmocka_unit_test(trailing_space_is_no_part_of_a_name),
		cmocka_unit_test(lines_that_end_in_cr_lf_are_read_alike),
		cmocka_unit_test(pseudo_modules_are_kept_as_module_tags),
		cmocka_unit_test(mapping_symbols_are_ignored),
		cmocka_unit_test(a_dollar_within_a_name_is_kept),
		cmocka_unit_test(absolute_symbols_are_ignored),
		cmocka_unit_test(per_cpu_symbols_typed_as_data_name_nothing),
		cmocka_unit_test(numbers_have_up_to_16_digits),
		cmocka_unit_test(names_of_any_length_are_whole_and_so_is_the_next),
		cmocka_unit_test(odd_bytes_in_names_are_kept),
		cmocka_unit_test(a_line_that_is_none_is_refused_with_its_number),
		cmocka_unit_test(a_nul_in_a_line_is_refused),
		cmocka_unit_test(a_name_that_may_be_cut_is_not_used_but_bounds_the_one_below),
		cmocka_unit_test(no_function_begins_at_the_last_address),
		cmocka_unit_test(a_last_line_cut_in_its_address_is_passed_over),
		cmocka_unit_test(a_module_listed_by_offsets_is_left_out),
		cmocka_unit_test(many_modules_keep_their_names_apart),
		cmocka_unit_test(the_first_line_tells_a_table),
		cmocka_unit_test(the_table_keeps_nothing_of_the_text),
		cmocka_unit_test(no_memory_is_told_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
