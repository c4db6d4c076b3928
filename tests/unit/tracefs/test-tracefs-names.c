// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "tracefs/room.h"

#define SHIM	"$SMAP_TEST_SHIM/stackmap-shim"

/* How often /proc/kallsyms was opened: each time a line goes to a file. */
static void count_reads(void)
{
	fixture_shim("at -a open /proc/kallsyms - run 'echo >> kallsyms.read'");
}

static size_t nr_reads(void)
{
	return fixture_nr_lines("kallsyms.read");
}

static void write_over(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/over/%s", getenv("STACKMAP_SHIM"), name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Its folder of sysfs, here a file, is another one each time: the one before is still there. */
static void load_module(void)
{
	char path[256], old[300];

	snprintf(path, sizeof(path), "%s/over/sys", getenv("STACKMAP_SHIM"));
	mkdir(path, 0700);
	strcat(path, "/module");
	mkdir(path, 0700);
	strcat(path, "/nfs");
	snprintf(old, sizeof(old), "%s.old", path);
	rename(path, old);
	write_over("sys/module/nfs", "");
}

static void write_modules(const char *text)
{
	char path[256];

	write_over("proc/modules", text);
	snprintf(path, sizeof(path), "%s/over/sys/module/nfs", getenv("STACKMAP_SHIM"));
	if (*text && access(path, F_OK))
		load_module();
}

static void the_table_is_read_once(void **state)
{
	struct fixture *f = *state;
	int i;

	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	count_reads();
	for (i = 0; i < 3; i++) {
		assert_int_equal(fixture_rotate(f, 0), 0);
		fixture_shim("record-many 10");
	}
	assert_int_equal(nr_reads(), 1);
}

static void a_module_that_is_used_more_is_no_other_one(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	count_reads();
	assert_int_equal(fixture_save(f), 0);
	write_modules("nfs 385024 2 lockd,nfsd, Live 0xffffffffc0a1e000\n");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
}

static void a_module_that_came_or_went_has_it_read_again(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	write_modules("");
	count_reads();
	assert_int_equal(fixture_save(f), 0);
	write_modules("nfs 385024 1 lockd, Loading 0xffffffffc0a1e000\n");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 2);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 3);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0b1e000\n");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 4);
}

static void a_module_that_was_built_anew_is_another_one(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	load_module();
	count_reads();
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
	load_module();
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 2);
}

/* Nothing tells one that was built anew. */
static void without_sysfs_the_table_is_read_for_each_save(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	write_over("proc/modules", "no_such_module 385024 1 - Live 0xffffffffc0a1e000\n");
	count_reads();
	stackmap_live_set_keep_names(f->live, true);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_save(f), 0);
	fixture_anew(f);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 3);
}

static void a_kernel_without_modules_has_it_read_once(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	fixture_shim("at -a open /proc/modules - fail ENOENT");
	count_reads();
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(fixture_save(f), 0);
	fixture_anew(f);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
}

static void one_that_comes_while_it_is_read_has_it_read_again(void **state)
{
	struct smap_names names = { 0 };

	fixture_play("ours", "", true);
	write_modules("");
	load_module();
	fixture_shim("at open /proc/kallsyms - run 'echo nfs 1 1 - Live 0x1 > "
		     "$STACKMAP_SHIM/over/proc/modules'");
	count_reads();
	assert_int_equal(smap_names_update(&names, false, NULL), SMAP_NAMES_READ);
	assert_non_null(names.symbols);
	assert_null(names.hidden);
	assert_int_equal(nr_reads(), 2);
	assert_int_equal(smap_names_update(&names, false, NULL), SMAP_NAMES_KEPT);
	smap_names_release(&names);
}

static void hidden_ones_are_none_and_the_words_say_why(void **state)
{
	struct smap_names names = { 0 };

	fixture_play("ours", "kallsyms=hidden", false);
	assert_int_equal(smap_names_update(&names, false, NULL), SMAP_NAMES_READ);
	assert_null(names.symbols);
	assert_non_null(strstr(names.hidden, "/proc/kallsyms: "));
	assert_non_null(strstr(names.hidden, "kptr_restrict"));
	smap_names_release(&names);
}

static void symbols_of_last_save(const struct fixture *f, char *room, size_t size)
{
	struct smap_store *store = fixture_open(f->store);
	size_t nr = smap_store_nr_saves(store), len;
	char *data;

	assert_true(nr);
	assert_int_equal(smap_store_symbol_bytes(store, nr - 1, &data, &len, NULL), 0);
	snprintf(room, size, "%s", data);
	free(data);
	smap_store_close(store);
}

/* Code that the kernel makes comes and goes without a module. */
static void a_program_at_the_address_of_another_has_its_own_name(void **state)
{
	struct fixture *f = *state;
	char symbols[4096];

	fixture_play("ours", "", true);
	fixture_shim("record -n 1 'bpf_prog_1+0x10/0x100 [bpf]' 'vfs_read+0x10/0x100'");
	count_reads();
	assert_int_equal(fixture_save(f), 0);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_non_null(strstr(symbols, "bpf_prog_1\tbpf\n"));
	fixture_shim("run sed -i s/bpf_prog_1/bpf_prog_2/ $STACKMAP_SHIM/over/proc/kallsyms");
	assert_int_equal(fixture_save(f), 0);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_non_null(strstr(symbols, "bpf_prog_2\tbpf\n"));
	assert_null(strstr(symbols, "bpf_prog_1"));
	assert_int_equal(nr_reads(), 2);
}

/* ---- by another process ---- */

static void save_twice(struct fixture *f)
{
	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	fixture_shim("record -n 1 'vfs_read+0x10/0x100' 'ksys_read+0x10/0x100'");
	assert_int_equal(fixture_save(f), 0);
	count_reads();
	fixture_anew(f);
}

static void names_of_the_last_save_will_do(void **state)
{
	char before[4096], after[4096];
	struct fixture *f = *state;

	save_twice(f);
	symbols_of_last_save(f, before, sizeof(before));
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_int_equal(nr_reads(), 0);
	symbols_of_last_save(f, after, sizeof(after));
	assert_string_equal(after, before);
	/* What this one has is enough for another one too. */
	fixture_shim("record -n 1 'vfs_read+0x20/0x100'");
	fixture_anew(f);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 0);
	symbols_of_last_save(f, after, sizeof(after));
	assert_non_null(strstr(after, " 100 vfs_read\n"));
}

static void one_that_is_missing_has_all_of_them_read(void **state)
{
	struct fixture *f = *state;
	char symbols[4096];

	save_twice(f);
	fixture_shim("record -n 1 'a_new_one+0x10/0x100' 'vfs_read+0x10/0x100'");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_non_null(strstr(symbols, " 100 a_new_one\n"));
	assert_non_null(strstr(symbols, " 100 vfs_read\n"));
}

static void so_has_a_module_that_was_built_anew(void **state)
{
	struct fixture *f = *state;

	save_twice(f);
	load_module();
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
}

static void so_has_another_boot(void **state)
{
	struct fixture *f = *state;

	save_twice(f);
	fixture_shim("set boot_id=01234567-89ab-cdef-0123-456789abcdef");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
}

static void so_has_a_list_of_modules_that_is_hidden(void **state)
{
	struct fixture *f = *state;

	save_twice(f);
	fixture_shim("at -a open /proc/modules - fail EACCES");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
	/* Nor are names of then any use to another one. */
	fixture_anew(f);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 2);
}

static void so_has_a_program_that_the_kernel_made(void **state)
{
	struct fixture *f = *state;

	save_twice(f);
	fixture_shim("record -n 1 'bpf_prog_1+0x10/0x100 [bpf]'");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
	fixture_anew(f);
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 2);
}

/* ---- kept for another process ---- */

/* A file with a save of vfs_read, and names that are kept: a_new_one is among them. */
static void save_and_keep(struct fixture *f)
{
	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	fixture_shim("record -n 1 'a_new_one+0x10/0x100' 'bpf_prog_1+0x10/0x100 [bpf]'");
	assert_int_equal(stackmap_live_reset(f->live), 0);
	fixture_shim("record-many 500");
	stackmap_live_set_keep_names(f->live, true);
	assert_int_equal(fixture_save(f), 0);
	count_reads();
	fixture_anew(f);
}

static void those_that_are_kept_will_do_for_a_new_one(void **state)
{
	struct fixture *f = *state;
	char symbols[4096];

	save_and_keep(f);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_null(strstr(symbols, "a_new_one"));
	fixture_shim("record -n 1 'a_new_one+0x10/0x100'");
	assert_int_equal(fixture_save(f), 0);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_non_null(strstr(symbols, " 100 a_new_one\n"));
	fixture_anew(f);
	assert_int_equal(fixture_rotate(f, 0), 0);
	fixture_shim("record -n 1 'a_new_one+0x10/0x100'");
	fixture_anew(f);
	assert_int_equal(fixture_rotate(f, 0), 0);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_non_null(strstr(symbols, " 100 a_new_one\n"));
	assert_int_equal(nr_reads(), 0);
}

static void but_not_for_a_program_that_the_kernel_made(void **state)
{
	struct fixture *f = *state;
	char symbols[4096];

	save_and_keep(f);
	fixture_shim("record -n 1 'bpf_prog_1+0x10/0x100 [bpf]'");
	fixture_shim("run sed -i s/bpf_prog_1/bpf_prog_2/ $STACKMAP_SHIM/over/proc/kallsyms");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
	symbols_of_last_save(f, symbols, sizeof(symbols));
	assert_non_null(strstr(symbols, "bpf_prog_2\tbpf\n"));
	assert_null(strstr(symbols, "bpf_prog_1"));
}

static void nor_where_a_module_was_built_anew(void **state)
{
	struct fixture *f = *state;

	save_and_keep(f);
	load_module();
	fixture_shim("record -n 1 'a_new_one+0x10/0x100'");
	assert_int_equal(fixture_save(f), 0);
	assert_int_equal(nr_reads(), 1);
}

/* As a writer that is wrong would leave them, of this boot and these modules. */
static void keep_lines(const struct fixture *f, const char *lines)
{
	struct smap_save_input input = { .is_names = true };
	struct smap_store *store = fixture_open(f->store);
	const struct stackmap_save *save = smap_store_save(store, 0);

	input.origin = save->origin;
	input.modules = save->modules;
	input.symbols = lines;
	input.symbols_len = strlen(lines);
	assert_int_equal(smap_store_append(f->store, &input, 1, NULL), 0);
	smap_store_close(store);
}

static void lines_that_are_none_are_as_if_nothing_was_kept(void **state)
{
	static const char *const bad[] = {
		"", "x\n", "0 ffffffffffffffff a b\n", "0 ffffffffffffffff a\n1 fffffffffffffff0\n",
	};
	struct fixture *f = *state;
	char symbols[4096];
	size_t i;

	save_twice(f);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		keep_lines(f, bad[i]);
		fixture_shim("record -n 1 'new_%zu+0x10/0x100' 'vfs_read+0x10/0x100'", i);
		fixture_anew(f);
		assert_int_equal(fixture_save(f), 0);
		assert_int_equal(nr_reads(), i + 1);
		symbols_of_last_save(f, symbols, sizeof(symbols));
		assert_non_null(strstr(symbols, " 100 new_"));
		assert_non_null(strstr(symbols, " 100 vfs_read\n"));
	}
}

static void none_are_kept_unasked_or_where_they_are_the_larger_part(void **state)
{
	struct fixture *f = *state;
	struct smap_store *store;
	const struct stackmap_save *save;

	save_twice(f);
	fixture_shim("record -n 1 'a_new_one+0x10/0x100'");
	/* A thousand functions, and a map of few stacks. */
	fixture_shim("run sh -c 'for i in $(seq 10000 10999); do echo ffffffffa0${i}0 t f$i; "
		     "done >> $STACKMAP_SHIM/over/proc/kallsyms'");
	stackmap_live_set_keep_names(f->live, true);
	assert_int_equal(fixture_save(f), 0);
	store = fixture_open(f->store);
	save = smap_store_save(store, smap_store_nr_saves(store) - 1);
	assert_false(smap_store_has_names(store, save->origin.boot_id, &save->modules));
	smap_store_close(store);
}

static bool has_names(const char *path)
{
	struct smap_store *store = fixture_open(path);
	size_t nr = smap_store_nr_saves(store);
	const struct stackmap_save *save = smap_store_save(store, nr - 1);
	bool has = smap_store_has_names(store, save->origin.boot_id, &save->modules);

	smap_store_close(store);
	return has;
}

static void none_are_kept_where_the_save_went_elsewhere(void **state)
{
	struct fixture *f = *state;

	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	assert_int_equal(fixture_save(f), 0);
	fixture_shim("at write '/*/maps' - fail ENOSPC");
	stackmap_live_set_keep_names(f->live, true);
	assert_int_equal(fixture_rotate(f, 0), 0);
	assert_true(f->saved.is_elsewhere);
	assert_false(has_names(stackmap_live_get_path(f->live)));
	assert_false(has_names(f->store));
	fixture_shim("record-many 500");
	assert_int_equal(fixture_save(f), 0);
	assert_true(has_names(f->store));
}

/* A full disk, or one that fails, behind the save. */
static void names_that_cannot_be_kept_do_no_harm(void **state)
{
	static const char *const faults[] = { "write '/*/maps' - fail ENOSPC",
					      "fsync '/*/maps' - fail EIO" };
	/* The first write behind the fsync of the save is that of the names. */
	static const char at_names[] = SHIM " at write '/*/maps' - run ./fault";
	struct fixture *f = *state;
	size_t i;

	fixture_play("ours", "", true);
	write_modules("nfs 385024 1 lockd, Live 0xffffffffc0a1e000\n");
	assert_int_equal(fixture_save(f), 0);
	stackmap_live_set_keep_names(f->live, true);
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		assert_int_equal(stackmap_live_reset(f->live), 0);
		fixture_shim("record-many 500");
		fixture_shim("run sh -c \"echo \\\"" SHIM " at %s\\\" > fault; chmod +x fault\"",
			     faults[i]);
		fixture_shim("at fsync '/*/maps' - run \"%s\"", at_names);
		assert_int_equal(fixture_save(f), 0);
		assert_int_equal(fixture_nr_saves(f->store), i + 2);
		assert_int_equal(fixture_nr_stacks(f->store, i + 1), 500);
		assert_false(has_names(f->store));
		fixture_shim("rules clear");
	}
	fixture_shim("record -n 1 'a_new_one+0x10/0x100'");
	assert_int_equal(fixture_save(f), 0);
	assert_true(has_names(f->store));
}

static const struct CMUnitTest tests[] = {
	LIVE_TEST(the_table_is_read_once),
	LIVE_TEST(a_module_that_is_used_more_is_no_other_one),
	LIVE_TEST(a_module_that_came_or_went_has_it_read_again),
	LIVE_TEST(a_module_that_was_built_anew_is_another_one),
	LIVE_TEST(without_sysfs_the_table_is_read_for_each_save),
	LIVE_TEST(a_kernel_without_modules_has_it_read_once),
	LIVE_TEST(one_that_comes_while_it_is_read_has_it_read_again),
	LIVE_TEST(a_program_at_the_address_of_another_has_its_own_name),
	LIVE_TEST(hidden_ones_are_none_and_the_words_say_why),
	LIVE_TEST(names_of_the_last_save_will_do),
	LIVE_TEST(one_that_is_missing_has_all_of_them_read),
	LIVE_TEST(so_has_a_module_that_was_built_anew),
	LIVE_TEST(so_has_another_boot),
	LIVE_TEST(so_has_a_list_of_modules_that_is_hidden),
	LIVE_TEST(so_has_a_program_that_the_kernel_made),
	LIVE_TEST(those_that_are_kept_will_do_for_a_new_one),
	LIVE_TEST(but_not_for_a_program_that_the_kernel_made),
	LIVE_TEST(nor_where_a_module_was_built_anew),
	LIVE_TEST(lines_that_are_none_are_as_if_nothing_was_kept),
	LIVE_TEST(none_are_kept_unasked_or_where_they_are_the_larger_part),
	LIVE_TEST(none_are_kept_where_the_save_went_elsewhere),
	LIVE_TEST(names_that_cannot_be_kept_do_no_harm),
};

FIXTURE_MAIN(tests)
