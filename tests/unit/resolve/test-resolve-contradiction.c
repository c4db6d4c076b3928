// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bin2.h"
#include "fixture.h"

static void set_trace(struct fixture *f, const char *name)
{
	if (stackmap_resolver_set_trace(f->resolver, fixture_data(name)))
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

static void add_data(struct fixture *f, const char *name)
{
	if (stackmap_resolver_add_file(f->resolver, fixture_data(name)))
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

static const char *contradiction(struct fixture *f)
{
	return stackmap_map_get_contradiction(stackmap_resolver_get_map(f->resolver, 0));
}

static void assert_contradicts(struct fixture *f, const char *words)
{
	assert_non_null(contradiction(f));
	assert_string_equal(contradiction(f), words);
}

#define FRAME(text)	"stack_id 42 gen 1 ref 3 depth 1\n => " text "\n"

static void maps_fit_the_traces_that_they_were_saved_from(void **state)
{
	static const char *const pairs[][2] = {
		{ "good/v8/sched.dat", "good/v8/sched.stack_map" },
		{ "good/v8/gens.dat", "good/v8/gens.2.stack_map" },
		{ "good/v8/v6.dat", "good/v8/v6.stack_map" },
		{ "good/v8/raw.dat", "good/v8/raw.stack_map" },
		{ "good/v8/func.dat", "good/v8/func.stack_map" },
		{ "good/v7/sched.dat", "good/v7/sched.stack_map" },
		{ "good/v7/sched.dat", "good/v7/sched.stack_map_bin" },
		{ "good/v7/gens.dat", "good/v7/gens.1.stack_map_bin" },
		{ "good/v7/func.dat", "good/v7/func.stack_map_bin" },
		{ "good/dbg/mod.dat", "good/dbg/mod.stack_map" },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		stackmap_resolver_free(f->resolver);
		f->resolver = stackmap_resolver_new();
		assert_non_null(f->resolver);
		set_trace(f, pairs[i][0]);
		add_data(f, pairs[i][1]);
		if (contradiction(f))
			fail_msg("%s: %s", pairs[i][1], contradiction(f));
	}
}

static void without_a_trace_nothing_contradicts(void **state)
{
	fixture_add_text(*state, FRAME("no_such_symbol+0x1/0x2"));
	assert_null(contradiction(*state));
}

static void another_release_contradicts(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_saved(*state, NULL, "6.1.0-1", STACKMAP_TIME_UNKNOWN, FRAME("x+0x1/0x2 [m]"));
	assert_contradicts(*state, "saved from release 6.1.0-1, not 7.2.13+");
}

static void the_same_release_does_not(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_saved(*state, NULL, "7.2.13+", STACKMAP_TIME_UNKNOWN, FRAME("x+0x1/0x2 [m]"));
	assert_null(contradiction(*state));
}

static void a_map_without_generations_contradicts_a_trace_with_them(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	add_data(*state, "good/v7/sched.stack_map");
	assert_contradicts(*state, "saved from a stack map without generations");
}

static void and_the_other_way_round(void **state)
{
	set_trace(*state, "good/v7/sched.dat");
	add_data(*state, "good/v8/sched.stack_map");
	assert_contradicts(*state, "saved from a stack map with generations");
}

static void an_unknown_symbol_contradicts(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_text(*state, FRAME("no_such_symbol+0x1/0x2"));
	assert_contradicts(*state, "no_such_symbol is no symbol of the trace's kernel");
}

static void another_size_contradicts(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_text(*state, FRAME("do_syscall_64+0x46/0x311"));
	assert_contradicts(*state, "do_syscall_64 has another size in the trace's kernel");
}

static void modules_come_and_go_and_contradict_nothing(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_text(*state, FRAME("no_such_symbol+0x1/0x2 [mod]"));
	assert_null(contradiction(*state));
}

static void bare_addresses_and_markers_contradict_nothing(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_text(*state, "stack_id 42 gen 1 ref 3 depth 2\n => 0xffffffffc0000010\n"
			 " => [FTRACE TRAMPOLINE]\n");
	assert_null(contradiction(*state));
}

/* stack_map_bin with one stack of one address, in the byte order asked for. */
static void add_bin(struct fixture *f, uint64_t address, bool big)
{
	uint32_t words[8] = { 0x46534D42, 1, 1, 0, 42, 1, 1, 0 };
	char path[128];
	FILE *file;
	size_t i;

	for (i = 0; i < 8; i++)
		words[i] = big ? __builtin_bswap32(words[i]) : words[i];
	address = big ? __builtin_bswap64(address) : address;
	strcpy(path, fixture_file(f, ""));
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(words, sizeof(words), 1, file), 1);
	assert_int_equal(fwrite(&address, sizeof(address), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, path), 0);
}

static void the_other_byte_order_contradicts(void **state)
{
	set_trace(*state, "good/v7/sched.dat");
	add_bin(*state, 0xffffffffbe000000, true);
	assert_contradicts(*state, "saved from a big-endian machine");
}

static void an_address_beside_the_kernels_text_contradicts(void **state)
{
	set_trace(*state, "good/v7/sched.dat");
	add_bin(*state, 0xffffffffbebff000, false);
	assert_contradicts(*state, "0xffffffffbebff000 is in no function of the trace's kernel");
}

/* A copy of a binary export with every address moved, as by another boot's KASLR. */
static void add_moved_bin(struct fixture *f, const char *name, uint64_t by)
{
	unsigned char data[8192];
	uint32_t depth, nr, i;
	size_t len, at = 16;
	uint64_t address;
	char path[128];
	FILE *file;

	file = fopen(fixture_data(name), "r");
	assert_non_null(file);
	len = fread(data, 1, sizeof(data), file);
	fclose(file);
	memcpy(&nr, data + 8, sizeof(nr));
	for (; nr; nr--) {
		memcpy(&depth, data + at + 4, sizeof(depth));
		for (at += 16, i = 0; i < depth; i++, at += 8) {
			memcpy(&address, data + at, sizeof(address));
			address += by;
			memcpy(data + at, &address, sizeof(address));
		}
	}
	assert_int_equal(at, len);
	strcpy(path, fixture_file(f, ""));
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, len, 1, file), 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, path), 0);
}

static void addresses_of_another_boot_contradict(void **state)
{
	static const int64_t slides[] = { 0x200000, -0x200000, 0x600000, -0x1000000 };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(slides) / sizeof(slides[0]); i++) {
		stackmap_resolver_free(f->resolver);
		f->resolver = stackmap_resolver_new();
		assert_non_null(f->resolver);
		set_trace(f, "good/v7/sched.dat");
		add_moved_bin(f, "good/v7/sched.stack_map_bin", (uint64_t)slides[i]);
		if (!contradiction(f))
			fail_msg("moved by %lld and taken for the trace's", (long long)slides[i]);
	}
}

/* Where v8/kallsyms has it. */
#define V8_STEXT	0xffffffff9b800000ULL

/* Generation 1 with an address in a module, which says nothing of the boot. */
static void add_bin2(struct fixture *f, uint64_t stext, uint32_t flags)
{
	const struct bin2 bin = { 1, flags, stext, { 0xc7654321 }, 1 };

	fixture_file(f, "");
	assert_int_equal(bin2_write(&bin, f->path), 0);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
}

static void a_kernel_that_began_elsewhere_contradicts(void **state)
{
	struct stackmap_stack *stack;
	struct fixture *f = *state;

	set_trace(f, "good/v8/sched.dat");
	add_bin2(f, V8_STEXT + 0x200000, 0);
	assert_contradicts(f, "_stext stands at another address in the trace's kernel");
	stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
	assert_non_null(stack);
	assert_verdict(stack, CONTRADICTED);
}

static void one_that_began_there_or_does_not_say_does_not(void **state)
{
	static const uint64_t stexts[] = { V8_STEXT, 0 };
	struct fixture *f = *state;
	struct stackmap_stack *stack;
	int i;

	for (i = 0; i < 2; i++) {
		stackmap_resolver_free(f->resolver);
		f->resolver = stackmap_resolver_new();
		assert_non_null(f->resolver);
		set_trace(f, "good/v8/sched.dat");
		add_bin2(f, stexts[i], 0);
		assert_null(contradiction(f));
		stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
		assert_non_null(stack);
		assert_verdict(stack, RESOLVED);
	}
}

static void another_word_size_contradicts(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	add_bin2(*state, V8_STEXT & UINT32_MAX, FTRACE_STACKMAP_BIN_ADDR32);
	assert_contradicts(*state, "saved from a 32-bit kernel");
}

static void an_export_with_its_generation_contradicts_a_trace_without(void **state)
{
	set_trace(*state, "good/v7/sched.dat");
	add_bin2(*state, 0, 0);
	assert_contradicts(*state, "saved from a stack map with generations");
}

/* Without a trace, too: the export itself says where its kernel began. */
static void symbols_of_another_boot_name_nothing_of_an_export(void **state)
{
	static const char kallsyms[] =
		"ffffffff81000000 T _stext\nffffffff81000040 T schedule\n"
		"ffffffff81000100 T other\nffffffff81000200 T _etext\n";
	struct bin2 bin = { 1, 0, 0xffffffff81000000, { 0xffffffff81000048 }, 1 };
	struct fixture *f = *state;
	struct stackmap_stack *stack;
	int moved;

	for (moved = 0; moved < 2; moved++) {
		stackmap_resolver_free(f->resolver);
		f->resolver = stackmap_resolver_new();
		assert_non_null(f->resolver);
		stackmap_resolver_set_log(f->resolver, fixture_log, f);
		bin.stext += moved ? 0x200000 : 0;
		fixture_file(f, "");
		assert_int_equal(bin2_write(&bin, f->path), 0);
		assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
		fixture_file(f, kallsyms);
		assert_int_equal(stackmap_resolver_add_kallsyms(f->resolver, f->path), 0);
		stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
		assert_non_null(stack);
		assert_verdict(stack, RESOLVED);
		assert_string_equal(fixture_text(stack),
				    moved ? " => 0xffffffff81000048" : " => schedule+0x8/0xc0");
	}
	assert_non_null(strstr(f->log, "the symbols given are of another boot and not used"));
}

static void an_address_that_no_module_covers_is_told(void **state)
{
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	set_trace(f, "good/v7/sched.dat");
	add_bin(f, 0xffffffffc7654321, false);
	assert_null(contradiction(f));
	stack = stackmap_map_get_stack(stackmap_resolver_get_map(f->resolver, 0), 0);
	assert_string_equal(fixture_text(stack), " => 0xffffffffc7654321");
	assert_non_null(strstr(f->log, "1 address is in no function"));
}

static void bpf_programs_come_and_go_too(void **state)
{
	set_trace(*state, "good/v8/sched.dat");
	fixture_add_text(*state, FRAME("bpf_prog_6deef7357e7b4530_sd_fw_ingress+0x10/0x20"));
	assert_null(contradiction(*state));
}

static void a_contradiction_cannot_be_taken_back(void **state)
{
	struct fixture *f = *state;

	set_trace(f, "good/v8/sched.dat");
	add_data(f, "good/v8/sched.stack_map");
	assert_null(contradiction(f));
	assert_int_equal(stackmap_resolver_add_kallsyms(f->resolver, "x"), -EBUSY);
}

/* The kallsyms of the trace's kernel with its functions elsewhere. */
static void symbols_of_another_boot_are_not_used(void **state)
{
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	set_trace(f, "good/v7/sched.dat");
	add_data(f, "good/v7/sched.stack_map_bin");
	fixture_file(f, "ffffffff81000000 T _stext\nffffffff81000000 T schedule\n"
		     "ffffffff81000100 T do_syscall_64\nffffffffc1000000 T _etext\n");
	assert_int_equal(stackmap_resolver_add_kallsyms(f->resolver, f->path), 0);
	stack = stackmap_resolver_find_slot(f->resolver, 33, 0);
	assert_non_null(stack);
	assert_verdict(stack, RESOLVED);
	assert_non_null(strstr(fixture_text(stack), "raw_event_sched_switch+0x120/0x160"));
	assert_non_null(strstr(f->log, "symbols given are of another boot"));
}

static void a_contradicted_map_resolves_nothing(void **state)
{
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	set_trace(f, "good/v8/sched.dat");
	fixture_add_saved(f, NULL, "6.1.0-1", STACKMAP_TIME_UNKNOWN, FRAME("x+0x1/0x2 [m]"));
	stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
	assert_non_null(stack);
	assert_verdict(stack, CONTRADICTED);
	assert_string_equal(stackmap_stack_get_reason(stack),
			    "the saved map contradicts the trace: saved from release 6.1.0-1, not 7.2.13+");
}

static void a_map_that_fits_is_used_beside_one_that_does_not(void **state)
{
	struct fixture *f = *state;
	struct stackmap_stack *stack;

	set_trace(f, "good/v8/sched.dat");
	fixture_add_saved(f, BOOT_A, "6.1.0-1", STACKMAP_TIME_UNKNOWN, FRAME("x+0x1/0x2 [m]"));
	fixture_add_saved(f, BOOT_B, "7.2.13+", STACKMAP_TIME_UNKNOWN, FRAME("y+0x1/0x2 [m]"));
	stack = stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
	assert_non_null(stack);
	assert_verdict(stack, RESOLVED);
	assert_string_equal(fixture_text(stack), " => y+0x1/0x2 [m]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(maps_fit_the_traces_that_they_were_saved_from),
		RESOLVE_TEST(without_a_trace_nothing_contradicts),
		RESOLVE_TEST(another_release_contradicts),
		RESOLVE_TEST(the_same_release_does_not),
		RESOLVE_TEST(a_map_without_generations_contradicts_a_trace_with_them),
		RESOLVE_TEST(and_the_other_way_round),
		RESOLVE_TEST(an_unknown_symbol_contradicts),
		RESOLVE_TEST(another_size_contradicts),
		RESOLVE_TEST(modules_come_and_go_and_contradict_nothing),
		RESOLVE_TEST(bare_addresses_and_markers_contradict_nothing),
		RESOLVE_TEST(the_other_byte_order_contradicts),
		RESOLVE_TEST(an_address_beside_the_kernels_text_contradicts),
		RESOLVE_TEST(addresses_of_another_boot_contradict),
		RESOLVE_TEST(a_kernel_that_began_elsewhere_contradicts),
		RESOLVE_TEST(one_that_began_there_or_does_not_say_does_not),
		RESOLVE_TEST(another_word_size_contradicts),
		RESOLVE_TEST(an_export_with_its_generation_contradicts_a_trace_without),
		RESOLVE_TEST(symbols_of_another_boot_name_nothing_of_an_export),
		RESOLVE_TEST(an_address_that_no_module_covers_is_told),
		RESOLVE_TEST(bpf_programs_come_and_go_too),
		RESOLVE_TEST(a_contradiction_cannot_be_taken_back),
		RESOLVE_TEST(symbols_of_another_boot_are_not_used),
		RESOLVE_TEST(a_contradicted_map_resolves_nothing),
		RESOLVE_TEST(a_map_that_fits_is_used_beside_one_that_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
