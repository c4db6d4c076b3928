// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "core/error.h"
#include "parse/parse.h"
#include "resolve/frame.h"

/* ---- spelling ---- */

static struct smap_symbols *table_of(const char *text)
{
	struct smap_symbols *symbols = NULL;
	struct smap_error err = { "" };

	if (smap_symbols_from_kallsyms(text, strlen(text), &symbols, &err))
		fail_msg("refused: %s", err.text);
	return symbols;
}

static void assert_spelled(uint64_t address, const struct smap_symbols *const *tables,
			   size_t nr_tables, const char *expected)
{
	struct smap_frame frame = { .value = address, .kind = SMAP_FRAME_ADDRESS };
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_frame_spell(&buf, NULL, &frame, tables, nr_tables);
	assert_false(smap_buf_failed(&buf));
	assert_string_equal(buf.data, expected);
	smap_buf_free(&buf);
}

static void an_address_is_spelled_as_the_kernel_does(void **state)
{
	struct smap_symbols *symbols = table_of("ffffffff81000000 T schedule\n"
						"ffffffff810000c0 T _etext\n"
						"ffffffffc0001000 t nfs_open\t[nfs]\n"
						"ffffffffc0001040 t exit_nfs\t[nfs]\n");
	const struct smap_symbols *tables[] = { symbols };

	assert_spelled(0xffffffff81000048, tables, 1, "schedule+0x48/0xc0");
	assert_spelled(0xffffffff81000000, tables, 1, "schedule+0x0/0xc0");
	assert_spelled(0xffffffffc0001010, tables, 1, "nfs_open+0x10/0x40 [nfs]");
	assert_spelled(0xffffffffc0001050, tables, 1, "exit_nfs+0x10 [nfs]");
	assert_spelled(0xffffffff810000c0, tables, 1, "0xffffffff810000c0");
	smap_symbols_free(symbols);
}

static void an_address_that_nothing_covers_is_hex(void **state)
{
	assert_spelled(0xffffffffc0401234, NULL, 0, "0xffffffffc0401234");
	assert_spelled(0, NULL, 0, "0x0");
	assert_spelled(UINT64_MAX, NULL, 0, "0xffffffffffffffff");
	assert_spelled(UINT32_MAX, NULL, 0, "0xffffffff");
}

static void tables_are_tried_in_order(void **state)
{
	struct smap_symbols *first = table_of("1000000 T f\n1000010 T _etext\n");
	struct smap_symbols *second = table_of("1000000 T g\n1000020 T h\n1000030 T _etext\n");
	const struct smap_symbols *tables[] = { NULL, first, NULL, second };

	assert_spelled(0x1000004, tables, 4, "f+0x4/0x10");
	assert_spelled(0x1000014, tables, 4, "g+0x14/0x20");
	assert_spelled(0x1000034, tables, 4, "0x1000034");
	smap_symbols_free(first);
	smap_symbols_free(second);
}

static void the_trampoline_is_never_looked_up(void **state)
{
	struct smap_symbols *symbols = table_of("7fffff00 T f\n7fffffff T g\n80000000 T h\n");
	const struct smap_symbols *tables[] = { symbols };
	struct smap_frame frame = { .value = 0x7fffffff, .kind = SMAP_FRAME_TRAMPOLINE };
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_frame_spell(&buf, NULL, &frame, tables, 1);
	assert_string_equal(buf.data, "[FTRACE TRAMPOLINE]");
	smap_buf_free(&buf);
	smap_symbols_free(symbols);
}

static char *read_file(const char *dir, const char *name, size_t *ret_len)
{
	size_t size = 1 << 23;
	char *data = malloc(size + 1);
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", getenv(dir), name);
	file = fopen(path, "rb");
	if (!file || !data)
		fail_msg("%s: cannot be read", path);
	*ret_len = fread(data, 1, size, file);
	fclose(file);
	assert_true(*ret_len > 0 && *ret_len < size);
	data[*ret_len] = '\0';
	return data;
}

static struct smap_export *read_export(const char *name)
{
	struct smap_export *export = NULL;
	struct smap_error err = { "" };
	size_t len;
	char *data = read_file("SMAP_TEST_DATA", name, &len);

	if (smap_parse(data, len, &export, NULL, NULL, &err))
		fail_msg("%s: %s", name, err.text);
	free(data);
	return export;
}

static struct smap_symbols *read_symbols(const char *name)
{
	size_t len;
	char *data = read_file("SMAP_TEST_BUILD", name, &len);
	struct smap_symbols *symbols = table_of(data);

	free(data);
	return symbols;
}

/* The binary export, named through the table, reads as the text that the kernel printed. */
static size_t check_against_text(const char *name, const struct smap_symbols *symbols)
{
	struct smap_buf ours = SMAP_BUF_INIT, theirs = SMAP_BUF_INIT;
	struct smap_export *bin, *text;
	size_t nr = 0, i;
	char path[64];
	uint32_t at;

	snprintf(path, sizeof(path), "good/v7/%s.stack_map", name);
	text = read_export(path);
	snprintf(path, sizeof(path), "good/v7/%s.stack_map_bin", name);
	bin = read_export(path);
	assert_int_equal(bin->nr_stacks, text->nr_stacks);
	for (i = 0; i < bin->nr_stacks; i++) {
		assert_int_equal(bin->stacks[i].slot, text->stacks[i].slot);
		assert_int_equal(bin->stacks[i].depth, text->stacks[i].depth);
		for (at = 0; at < bin->stacks[i].depth; at++, nr++) {
			smap_buf_reset(&ours);
			smap_buf_reset(&theirs);
			smap_frame_spell(&ours, bin, smap_export_frame(bin, &bin->stacks[i], at),
					 &symbols, 1);
			smap_frame_spell(&theirs, text,
					 smap_export_frame(text, &text->stacks[i], at), NULL, 0);
			assert_string_equal(ours.data, theirs.data);
		}
	}
	smap_buf_free(&ours);
	smap_buf_free(&theirs);
	smap_export_free(bin);
	smap_export_free(text);
	return nr;
}

static void every_recorded_address_reads_as_the_kernel_printed_it(void **state)
{
	struct smap_symbols *symbols;

	if (!getenv("SMAP_TEST_BUILD"))
		skip();
	symbols = read_symbols("v7.kallsyms");
	assert_int_equal(check_against_text("sched", symbols), 584);
	assert_int_equal(check_against_text("func", symbols), 5);
	assert_int_equal(check_against_text("gens.1", symbols), 5513);
	assert_int_equal(check_against_text("gens.2", symbols), 2481);
	smap_symbols_free(symbols);
}

/* The start of the function that a frame's text names. */
static uint64_t start_of(const struct smap_symbols *symbols, const struct smap_frame_parts *parts)
{
	const struct smap_symbol *symbol;
	size_t i;

	for (i = 0; i < smap_symbols_nr(symbols); i++) {
		symbol = smap_symbols_get(symbols, i);
		if (strlen(symbol->name) != parts->name_len ||
		    memcmp(symbol->name, parts->name, parts->name_len))
			continue;
		if (!symbol->module && !parts->module)
			return symbol->start;
		if (symbol->module && parts->module &&
		    strlen(symbol->module) == parts->module_len &&
		    !memcmp(symbol->module, parts->module, parts->module_len))
			return symbol->start;
	}
	fail_msg("no symbol %.*s", (int)parts->name_len, parts->name);
	return 0;
}

static void frames_in_modules_are_taken_apart_and_spelled_as_recorded(void **state)
{
	const struct smap_symbols *tables[1];
	struct smap_frame_parts parts;
	struct smap_symbols *symbols;
	struct smap_export *export;
	size_t nr_modules = 0, i;
	const char *text;

	if (!getenv("SMAP_TEST_BUILD"))
		skip();
	symbols = read_symbols("dbg.kallsyms");
	tables[0] = symbols;
	export = read_export("good/dbg/mod.stack_map");
	for (i = 0; i < export->nr_frames; i++) {
		text = smap_frame_text(export, &export->frames[i]);
		smap_frame_split(text, export->frames[i].len, &parts);
		assert_true(parts.has_offset);
		nr_modules += parts.module != NULL;
		assert_spelled(start_of(symbols, &parts) + parts.offset, tables, 1, text);
	}
	assert_int_equal(export->nr_frames, 129);
	assert_int_equal(nr_modules, 33);
	smap_export_free(export);
	smap_symbols_free(symbols);
}

/* ---- taking apart ---- */

static void assert_split(const char *text, const char *name, uint64_t offset, uint64_t size,
			 const char *module)
{
	struct smap_frame_parts parts;

	smap_frame_split(text, strlen(text), &parts);
	assert_int_equal(parts.name_len, strlen(name));
	assert_memory_equal(parts.name, name, parts.name_len);
	assert_true(parts.has_offset);
	assert_int_equal(parts.offset, offset);
	assert_int_equal(parts.size, size);
	assert_int_equal(parts.module_len, strlen(module));
	assert_int_equal(!parts.module, !*module);
	if (*module)
		assert_memory_equal(parts.module, module, parts.module_len);
}

/* The whole text is the name. */
static void assert_whole(const char *text)
{
	struct smap_frame_parts parts;

	smap_frame_split(text, strlen(text), &parts);
	assert_ptr_equal(parts.name, text);
	assert_int_equal(parts.name_len, strlen(text));
	assert_false(parts.has_offset);
	assert_null(parts.module);
}

static void a_frame_has_name_offset_size_and_module(void **state)
{
	assert_split("schedule+0x48/0xc0", "schedule", 0x48, 0xc0, "");
	assert_split("nfs_open+0x10/0x40 [nfs]", "nfs_open", 0x10, 0x40, "nfs");
	assert_split("f+0xffffffffffffffff/0x0", "f", UINT64_MAX, 0, "");
}

static void a_build_id_is_not_part_of_the_module(void **state)
{
	assert_split("nfs_open+0x10/0x40 [nfs 2bd806c97f0e00af1a1fc3328fa763a9269723c8]",
		     "nfs_open", 0x10, 0x40, "nfs");
	assert_split("nfs_open+0x10/0x40 [nfs ab]", "nfs_open", 0x10, 0x40, "nfs");
}

static void names_hold_dots_and_dollars(void **state)
{
	assert_split("name.llvm.3433979326929198294+0x20/0x1b0 [btrfs]",
		     "name.llvm.3433979326929198294", 0x20, 0x1b0, "btrfs");
	assert_split("p9_client_zc_rpc.constprop.0+0xe4/0x2c0 [9pnet]",
		     "p9_client_zc_rpc.constprop.0", 0xe4, 0x2c0, "9pnet");
	assert_split("f.part.0.cold+0x1/0x2", "f.part.0.cold", 1, 2, "");
	assert_split("lambda$0+0x1/0x2", "lambda$0", 1, 2, "");
	assert_split("operator+0x1+0x2/0x3", "operator+0x1", 2, 3, "");
	assert_split("<T as a::b<[u8; 4]>>::f + 1+0x2/0x3 [m]", "<T as a::b<[u8; 4]>>::f + 1", 2,
		     3, "m");
}

static void bpf_programs_keep_their_tag(void **state)
{
	assert_split("bpf_prog_07df9015606e4140+0x1c/0x58 [bpf]", "bpf_prog_07df9015606e4140",
		     0x1c, 0x58, "bpf");
	assert_split("bpf_prog_6deef7357e7b4530_sd_fw+0x1c/0x58 [bpf]",
		     "bpf_prog_6deef7357e7b4530_sd_fw", 0x1c, 0x58, "bpf");
	assert_split("bpf_trampoline_6442536467+0x4d/0x1000 [bpf]", "bpf_trampoline_6442536467",
		     0x4d, 0x1000, "bpf");
	assert_split("ftrace_trampoline+0x4/0x1000 [__builtin__ftrace]", "ftrace_trampoline", 4,
		     0x1000, "__builtin__ftrace");
}

static void a_symbol_without_a_size_has_an_offset(void **state)
{
	assert_split("exit_nfs+0x10 [nfs]", "exit_nfs", 0x10, 0, "nfs");
	assert_split("last+0x10", "last", 0x10, 0, "");
}

static void white_space_of_any_kind_stands_before_a_module(void **state)
{
	assert_split("f+0x1/0x2\t[nfs]", "f", 1, 2, "nfs");
	assert_split("f+0x1/0x2 \t [nfs] \t", "f", 1, 2, "nfs");
}

static void a_trampoline_marker_is_one_name(void **state)
{
	assert_whole("[FTRACE TRAMPOLINE]");
	assert_whole("[bracketed]");
}

static void a_bare_address_is_one_name(void **state)
{
	assert_whole("0xffffffffc0401234");
	assert_whole("0x0");
}

static void what_is_no_frame_is_one_name(void **state)
{
	static const char *const texts[] = {
		"", "f", "+0x1/0x2", "f+0x/0x2", "f+1/0x2", "f+0x1/0x", "f/0x2", "f 0x1",
		"f+0x11111111111111111/0x2", "]", "[]", " []", "f []", "f+0x1/0x2]", "f [ ]",
		"f [a b c]", "f+0x1/0x2 [nfs", "f [nfs xyz]", "f [nfs ]", "x", "0x", "/0x1", "+0x1",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_whole(texts[i]);
}

static void a_name_alone_can_have_a_module(void **state)
{
	struct smap_frame_parts parts;

	smap_frame_split("nfs_open [nfs]", 14, &parts);
	assert_int_equal(parts.name_len, 8);
	assert_false(parts.has_offset);
	assert_int_equal(parts.module_len, 3);
}

static void what_stands_behind_the_length_is_not_read(void **state)
{
	struct smap_frame_parts parts;

	smap_frame_split("f+0x1/0x23 [nfs]", 9, &parts);
	assert_int_equal(parts.size, 2);
	assert_null(parts.module);
}

/* ---- names ---- */

static void assert_name(const char *text, unsigned int flags, const char *expected)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	smap_buf_add_str(&buf, "before ");
	smap_frame_name(&buf, text, strlen(text), flags);
	assert_false(smap_buf_failed(&buf));
	assert_memory_equal(buf.data, "before ", 7);
	assert_string_equal(buf.data + 7, expected);
	assert_int_equal(buf.len, strlen(buf.data));
	smap_buf_free(&buf);
}

static void a_name_stays_as_recorded_where_nothing_else_is_asked_for(void **state)
{
	assert_name("name.llvm.343+0x20/0x1b0 [btrfs]", 0, "name.llvm.343");
	assert_name("f.isra.0.cold+0x1/0x2", 0, "f.isra.0.cold");
	assert_name("[FTRACE TRAMPOLINE]", 0, "[FTRACE TRAMPOLINE]");
	assert_name("0xffffffffc0401234", 0, "0xffffffffc0401234");
	assert_name("", 0, "");
}

static void tails_of_the_compiler_are_stripped_in_any_number(void **state)
{
	static const char *const texts[][2] = {
		{ "f.llvm.3433979326929198294+0x20/0x1b0 [btrfs]", "f" },
		{ "f.cold+0x1/0x2", "f" },
		{ "f.cold.3+0x1/0x2", "f" },
		{ "f.isra.0+0x1/0x2", "f" },
		{ "f.part.12+0x1/0x2", "f" },
		{ "f.constprop.0+0x1/0x2", "f" },
		{ "f.lto_priv.0+0x1/0x2", "f" },
		{ "f.constprop.0.isra.0.part.3.cold+0x1/0x2", "f" },
		{ "a.b.cold", "a.b" },
		{ "f.0", "f.0" },
		{ "f.part", "f.part" },
		{ "f.isra.", "f.isra." },
		{ "f.llvm.x", "f.llvm.x" },
		{ ".cold", ".cold" },
		{ ".cold.0", ".cold.0" },
		{ ".cold.cold", ".cold" },
		{ "f.cold.x", "f.cold.x" },
		{ "fcold", "fcold" },
		{ "123", "123" },
		{ "[FTRACE TRAMPOLINE]", "[FTRACE TRAMPOLINE]" },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_name(texts[i][0], SMAP_NAME_STRIP_SUFFIX, texts[i][1]);
}

#define LEGACY	"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"
#define V0	"_RNvMs_NtCs8kGtmzkLpTN_6kernel4taskNtB4_4Task3pid"

static void rust_names_of_both_schemes_are_demangled(void **state)
{
	assert_name(LEGACY "+0x1/0x2", SMAP_NAME_DEMANGLE, "core::fmt::Formatter::pad");
	assert_name(V0 "+0x1/0x2 [m]", SMAP_NAME_DEMANGLE, "<kernel::task::Task>::pid");
	assert_name("_RNvC6kernel4init", SMAP_NAME_DEMANGLE, "kernel::init");
	assert_name(LEGACY "+0x1/0x2", 0, LEGACY);
	assert_name(V0 "+0x1/0x2", 0, V0);
}

static void a_tail_behind_a_rust_name_is_kept_or_stripped(void **state)
{
	assert_name(LEGACY ".llvm.77+0x1/0x2", SMAP_NAME_DEMANGLE,
		    "core::fmt::Formatter::pad.llvm.77");
	assert_name(LEGACY ".llvm.77+0x1/0x2", SMAP_NAME_DEMANGLE | SMAP_NAME_STRIP_SUFFIX,
		    "core::fmt::Formatter::pad");
	assert_name("_RNvC6kernel4init.cold", SMAP_NAME_DEMANGLE, "kernel::init.cold");
	assert_name("f.cold", SMAP_NAME_DEMANGLE, "f.cold");
}

static void a_name_that_does_not_demangle_stays(void **state)
{
	static const char *const names[] = {
		"schedule", "_RNvC6kernel4ini", "_R", "_RN", "_ZN", "_ZN4core", "_Z3foov",
		"_ZN3foo3barEv", "_ZN4core3fmt9Formatter3pad17h0123456789abcdeE", "_RNvC6kernel9",
		"_RINvC1a1fBa_E", "_RB_", "_RNvB_3abc", "__R", "RNvC6kernel4init",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_name(names[i], SMAP_NAME_DEMANGLE, names[i]);
}

/* References to the types that they stand in, twice at each step. */
static void a_name_without_end_ends(void **state)
{
	static const char name[] = "_RINvC1a1fTllETFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFGFFFFFFFFFFFFFF"
				   "FFFFB7_Bj_EE";

	assert_name(name, SMAP_NAME_DEMANGLE, name);
}

/* Base 62 as a back reference has it. */
static int put_backref(char *out, size_t target)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (!target)
		return sprintf(out, "B_");
	target--;
	if (target < 62)
		return sprintf(out, "B%c_", digits[target]);
	return sprintf(out, "B%c%c_", digits[target / 62], digits[target % 62]);
}

/* A generic function of tuples, each of which is a pair of the one before. */
static void put_doubling_name(char *out, int levels)
{
	char *pos = out + 2;
	size_t before, here;

	memcpy(out, "_RINvC1a1f", 11);
	pos = out + 10;
	before = (size_t)(pos - out) - 2;
	pos += sprintf(pos, "TllE");
	while (levels--) {
		here = (size_t)(pos - out) - 2;
		*pos++ = 'T';
		pos += put_backref(pos, before);
		pos += put_backref(pos, before);
		*pos++ = 'E';
		before = here;
	}
	strcpy(pos, "E");
}

static void back_references_are_followed(void **state)
{
	char name[64];

	put_doubling_name(name, 2);
	assert_name(name, SMAP_NAME_DEMANGLE,
		    "a::f::<(i32, i32), ((i32, i32), (i32, i32)), "
		    "(((i32, i32), (i32, i32)), ((i32, i32), (i32, i32)))>");
}

static void a_short_name_that_would_print_gigabytes_stays(void **state)
{
	clock_t start = clock();
	char name[1024];

	put_doubling_name(name, 60);
	assert_true(strlen(name) < 700);
	assert_name(name, SMAP_NAME_DEMANGLE, name);
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

static void a_name_of_great_length_or_depth_stays(void **state)
{
	char *name = malloc(1 << 20);

	memset(name, 'R', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	name[0] = '_';
	assert_name(name, SMAP_NAME_DEMANGLE, name);
	name[2047] = '\0';
	assert_name(name, SMAP_NAME_DEMANGLE, name);
	memset(name + 2, 'N', 2045);
	assert_name(name, SMAP_NAME_DEMANGLE, name);
	free(name);
}

static int name_once(void *data)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	int ret = 0;

	smap_frame_name(&buf, data, strlen(data), SMAP_NAME_DEMANGLE);
	if (smap_buf_failed(&buf))
		ret = smap_errno(-ENOMEM);
	smap_buf_free(&buf);
	return ret;
}

static void no_memory_for_a_name_is_told_and_leaks_nothing(void **state)
{
	char name[64];

	alloc_fail_each_tolerant(name_once, (void *)LEGACY);
	put_doubling_name(name, 3);
	alloc_fail_each_tolerant(name_once, name);
	/* Punycode, for which the demangler takes memory of its own. */
	alloc_fail_each_tolerant(name_once, (void *)"_RNqCs4fqI2P2rA04_11utf8_idents"
				 "u30____7hkackfecea1cbdathfdh9hlq6y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_spelled_as_the_kernel_does),
		cmocka_unit_test(an_address_that_nothing_covers_is_hex),
		cmocka_unit_test(tables_are_tried_in_order),
		cmocka_unit_test(the_trampoline_is_never_looked_up),
		cmocka_unit_test(every_recorded_address_reads_as_the_kernel_printed_it),
		cmocka_unit_test(frames_in_modules_are_taken_apart_and_spelled_as_recorded),
		cmocka_unit_test(a_frame_has_name_offset_size_and_module),
		cmocka_unit_test(a_build_id_is_not_part_of_the_module),
		cmocka_unit_test(names_hold_dots_and_dollars),
		cmocka_unit_test(bpf_programs_keep_their_tag),
		cmocka_unit_test(a_symbol_without_a_size_has_an_offset),
		cmocka_unit_test(white_space_of_any_kind_stands_before_a_module),
		cmocka_unit_test(a_trampoline_marker_is_one_name),
		cmocka_unit_test(a_bare_address_is_one_name),
		cmocka_unit_test(what_is_no_frame_is_one_name),
		cmocka_unit_test(a_name_alone_can_have_a_module),
		cmocka_unit_test(what_stands_behind_the_length_is_not_read),
		cmocka_unit_test(a_name_stays_as_recorded_where_nothing_else_is_asked_for),
		cmocka_unit_test(tails_of_the_compiler_are_stripped_in_any_number),
		cmocka_unit_test(rust_names_of_both_schemes_are_demangled),
		cmocka_unit_test(a_tail_behind_a_rust_name_is_kept_or_stripped),
		cmocka_unit_test(a_name_that_does_not_demangle_stays),
		cmocka_unit_test(a_name_without_end_ends),
		cmocka_unit_test(back_references_are_followed),
		cmocka_unit_test(a_short_name_that_would_print_gigabytes_stays),
		cmocka_unit_test(a_name_of_great_length_or_depth_stays),
		cmocka_unit_test(no_memory_for_a_name_is_told_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
