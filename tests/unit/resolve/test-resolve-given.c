// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols that were given, and saves of several boots without a trace. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bin2.h"
#include "store/layout.h"
#include "store/store.h"

#include "fixture.h"
#include "../alloc-fail.h"

#define STEXT		UINT64_C(0xffffffff81000000)
#define ADDRESS		UINT64_C(0xffffffff81000048)
#define NAMED		" => schedule+0x8/0xc0"
#define BARE		" => 0xffffffff81000048"
#define NOT_USED	"the symbols given are of one boot and not used"
#define KALLSYMS	"ffffffff81000000 T _stext\nffffffff81000040 T schedule\n"	\
			"ffffffff81000100 T other\nffffffff81000200 T _etext\n"

/* What a save of one stack says; NULL and 0: nothing. */
struct save {
	const char	*boot_id;
	const char	*symbols;
	uint64_t	stext;
	uint32_t	generation;
};

/* Append to the fixture's one file. */
static void add_save(struct fixture *f, const struct save *save)
{
	struct bin2 bin = { save->generation, 0, save->stext, { ADDRESS }, 1 };
	struct bin2_bytes bytes = bin2_make(&bin);
	struct smap_save_input input = {
		.saved_wall_ns = SMAP_TIME_UNKNOWN,
		.saved_boot_ns = SMAP_TIME_UNKNOWN,
		.export = bytes.data,
		.export_len = bytes.len,
		.symbols = save->symbols,
		.symbols_len = save->symbols ? strlen(save->symbols) : 0,
	};
	struct smap_error err = { "" };

	if (save->boot_id) {
		input.origin.has_boot_id = true;
		assert_int_equal(smap_boot_id_parse(save->boot_id, input.origin.boot_id), 0);
	}
	if (smap_store_append(f->path, &input, 1, &err))
		fail_msg("%s", err.text);
}

/* A file of these saves, and the symbols. */
static void add_saves(struct fixture *f, const struct save *saves, size_t nr)
{
	size_t i;

	assert_int_equal(stackmap_resolver_add_kallsyms(f->resolver, fixture_file(f, KALLSYMS)),
			 0);
	fixture_file(f, "");
	assert_int_equal(remove(f->path), 0);
	for (i = 0; i < nr; i++)
		add_save(f, &saves[i]);
	if (nr)
		assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
}

static const char *text_in(struct fixture *f, uint32_t generation, uint32_t slot)
{
	struct stackmap_stack *stack = stackmap_resolver_find(f->resolver,
							      smap_cookie(generation, slot), 0);

	assert_non_null(stack);
	assert_verdict(stack, RESOLVED);
	return fixture_text(stack);
}

static const char *text_of(struct fixture *f, uint32_t generation)
{
	return text_in(f, generation, 42);
}

static void they_name_all_saves_of_one_boot(void **state)
{
	static const struct save saves[] = {
		{ BOOT_A, NULL, 0, 1 }, { BOOT_A, NULL, 0, 2 }, { NULL, NULL, 0, 3 },
	};
	uint32_t i;

	add_saves(*state, saves, 3);
	for (i = 1; i <= 3; i++)
		assert_string_equal(text_of(*state, i), NAMED);
}

static void where_saves_of_two_boots_need_names_they_name_none(void **state)
{
	static const struct save saves[] = {
		{ BOOT_A, NULL, 0, 1 }, { BOOT_A, NULL, 0, 2 }, { BOOT_B, NULL, 0, 3 },
		{ NULL, NULL, 0, 4 },
	};
	struct fixture *f = *state;
	uint32_t i;

	add_saves(f, saves, 4);
	for (i = 1; i <= 4; i++)
		assert_string_equal(text_of(f, i), BARE);
	assert_non_null(strstr(f->log, NOT_USED));
}

static void saves_that_bring_symbols_need_none(void **state)
{
	static const struct save saves[] = {
		{ BOOT_A, NULL, 0, 1 }, { BOOT_B, "ffffffff81000040 c0 another\n", 0, 2 },
	};
	struct fixture *f = *state;

	add_saves(f, saves, 2);
	assert_string_equal(text_of(f, 1), NAMED);
	assert_string_equal(text_of(f, 2), " => another+0x8/0xc0");
	assert_null(strstr(f->log, NOT_USED));
}

#define LATER		UINT64_C(0xffffffff81000148)
#define LATER_BARE	" => 0xffffffff81000148"

/* Two stacks, of which the symbols of the save name that of slot 42. */
static void add_partial(struct fixture *f, const char *boot_id, const char *symbols,
			uint32_t generation)
{
	struct bin2 bin = { generation, 0, 0, { ADDRESS, LATER }, 2 };
	struct bin2_bytes bytes = bin2_make(&bin);
	struct smap_save_input input = {
		.saved_wall_ns = SMAP_TIME_UNKNOWN,
		.saved_boot_ns = SMAP_TIME_UNKNOWN,
		.origin.has_boot_id = true,
		.export = bytes.data,
		.export_len = bytes.len,
		.symbols = symbols,
		.symbols_len = strlen(symbols),
	};

	assert_int_equal(smap_boot_id_parse(boot_id, input.origin.boot_id), 0);
	assert_int_equal(smap_store_append(f->path, &input, 1, NULL), 0);
}

static void what_a_save_leaves_unnamed(void **state)
{
	struct fixture *f = *state;

	add_saves(f, NULL, 0);
	add_partial(f, BOOT_A, "ffffffff81000040 c0 schedule\n", 1);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
	assert_string_equal(text_of(f, 1), NAMED);
	assert_string_equal(text_in(f, 1, 43), " => other+0x48/0x100");
}

static void no_save_whose_symbols_are_others_is_given_more(void **state)
{
	struct fixture *f = *state;

	add_saves(f, NULL, 0);
	add_partial(f, BOOT_A, "ffffffff81000040 c0 absent\n", 1);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
	assert_string_equal(text_of(f, 1), " => absent+0x8/0xc0");
	assert_string_equal(text_in(f, 1, 43), LATER_BARE);
	assert_non_null(strstr(f->log, "those that it has are others"));
}

static void no_save_is_given_what_is_for_another_boot(void **state)
{
	static const struct save bare = { BOOT_B, NULL, 0, 2 };
	struct fixture *f = *state;

	add_saves(f, NULL, 0);
	add_save(f, &bare);
	add_partial(f, BOOT_A, "ffffffff81000040 c0 schedule\n", 1);
	assert_int_equal(stackmap_resolver_add_file(f->resolver, f->path), 0);
	assert_string_equal(text_of(f, 1), NAMED);
	assert_string_equal(text_in(f, 1, 43), LATER_BARE);
	assert_string_equal(text_of(f, 2), NAMED);
	assert_non_null(strstr(f->log, "not used for what it does not name"));
}

static void saves_of_a_text_need_none(void **state)
{
	static const struct save save = { BOOT_A, NULL, 0, 1 };
	struct fixture *f = *state;

	add_saves(f, &save, 1);
	fixture_add_saved(f, BOOT_B, NULL, STACKMAP_TIME_UNKNOWN,
			  "stack_id 42 gen 2 ref 1 depth 1\n => text+0x8/0xc0\n");
	assert_string_equal(text_of(f, 1), NAMED);
	assert_string_equal(text_of(f, 2), " => text+0x8/0xc0");
}

static void an_export_that_says_where_its_kernel_was_is_known(void **state)
{
	static const struct save saves[] = {
		{ BOOT_A, NULL, STEXT, 1 }, { BOOT_B, NULL, STEXT + 0x200000, 2 },
		{ BOOT_B, NULL, 0, 3 },
	};
	struct fixture *f = *state;

	add_saves(f, saves, 3);
	assert_string_equal(text_of(f, 1), NAMED);
	assert_string_equal(text_of(f, 2), BARE);
	assert_string_equal(text_of(f, 3), BARE);
}

static void with_a_trace_they_are_of_its_boot(void **state)
{
	static const struct save saves[] = { { BOOT_A, NULL, 0, 1 }, { BOOT_B, NULL, 0, 2 } };
	struct fixture *f = *state;

	assert_int_equal(stackmap_resolver_set_trace(f->resolver,
						     fixture_data("good/fsm2/gens.dat")), 0);
	add_saves(f, saves, 2);
	stackmap_resolver_find(f->resolver, smap_cookie(1, 42), 0);
	assert_null(strstr(f->log, NOT_USED));
}

struct paths {
	char	kallsyms[128];
	char	maps[128];
};

static int whole_flow(void *data)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	const struct paths *paths = data;
	struct stackmap_stack *stack;
	int ret = resolver ? 0 : -ENOMEM;

	if (!ret)
		ret = stackmap_resolver_add_kallsyms(resolver, paths->kallsyms);
	if (!ret)
		ret = stackmap_resolver_add_file(resolver, paths->maps);
	if (!ret) {
		stack = stackmap_resolver_find(resolver, smap_cookie(1, 42), 0);
		if (!stack || !stackmap_stack_get_text(stack, NULL))
			ret = -ENOMEM;
		else
			assert_string_equal(stackmap_stack_get_text(stack, NULL), BARE);
	}
	stackmap_resolver_free(resolver);
	errno = -ret;
	return ret;
}

static void every_allocation_may_fail(void **state)
{
	static const struct save saves[] = { { BOOT_A, NULL, 0, 1 }, { BOOT_B, NULL, 0, 2 } };
	struct fixture *f = *state;
	struct paths paths;

	add_saves(f, saves, 2);
	strcpy(paths.maps, f->path);
	strcpy(paths.kallsyms, fixture_file(f, KALLSYMS));
	alloc_fail_each_tolerant(whole_flow, &paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(they_name_all_saves_of_one_boot),
		RESOLVE_TEST(where_saves_of_two_boots_need_names_they_name_none),
		RESOLVE_TEST(saves_that_bring_symbols_need_none),
		RESOLVE_TEST(what_a_save_leaves_unnamed),
		RESOLVE_TEST(no_save_whose_symbols_are_others_is_given_more),
		RESOLVE_TEST(no_save_is_given_what_is_for_another_boot),
		RESOLVE_TEST(saves_of_a_text_need_none),
		RESOLVE_TEST(an_export_that_says_where_its_kernel_was_is_known),
		RESOLVE_TEST(with_a_trace_they_are_of_its_boot),
		RESOLVE_TEST(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
