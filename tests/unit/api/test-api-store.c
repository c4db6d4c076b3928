// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "bin2.h"
#include "stackmap.h"
#include "store/store.h"

#define BOOT_ID	"6a9f0f63-1d0b-4c0f-8a5e-0123456789ab"

static const char gens[] =
	"stack_id 42 gen 1 ref 1337 depth 2\n"
	" => schedule+0x48/0xc0\n"
	" => schedule_timeout+0x1c/0x30\n"
	"stack_id 42 gen 2 ref 5 depth 1\n"
	" => kmem_cache_alloc+0x9a/0x2b0\n"
	"stack_id 43 gen 2 ref 5 depth 1\n"
	" => kmem_cache_free+0x9a/0x2b0\n";
static const char text4[] =
	"stack_id 33 [ref 1, depth 1]\n"
	"  [0] __schedule+0x61f/0x7a0\n"
	"\n";
static const char stat_text[] = "generation: 2\nentries: 2\ncapacity: 16384\nnovelty: 1\n";
static const char symbols[] = "ffffffff81000000 c0 schedule\n";

struct fixture {
	char			path[64];
	struct stackmap_store	*store;
};

/* Two saves: one of which all is known, one of which nothing is. */
static void write_store(const char *path)
{
	char release[] = "7.2.13", version[] = "#1 SMP", machine[] = "x86_64";
	struct smap_save_input inputs[2] = {
		{ .origin = { .release = release, .version = version, .machine = machine,
			      .word_size = 8, .byte_order = SMAP_ORDER_LITTLE,
			      .has_boot_id = true },
		  .saved_wall_ns = 1790000000123456789, .saved_boot_ns = 987654321,
		  .export = gens, .export_len = strlen(gens),
		  .stat = stat_text, .stat_len = strlen(stat_text),
		  .symbols = symbols, .symbols_len = strlen(symbols) },
		{ .saved_wall_ns = STACKMAP_TIME_UNKNOWN, .saved_boot_ns = STACKMAP_TIME_UNKNOWN,
		  .export = text4, .export_len = strlen(text4) },
	};

	assert_int_equal(smap_boot_id_parse(BOOT_ID, inputs[0].origin.boot_id), 0);
	assert_int_equal(smap_store_append(path, inputs, 2, NULL), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	strcpy(f->path, "/tmp/stackmap-test.XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	unlink(f->path);
	write_store(f->path);
	f->store = stackmap_store_new();
	assert_non_null(f->store);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stackmap_store_free(f->store);
	unlink(f->path);
	free(f);
	return 0;
}

/* Change one bit of the file. */
static void flip(const char *path, long offset)
{
	FILE *file = fopen(path, "r+b");
	int byte;

	assert_non_null(file);
	fseek(file, offset, SEEK_SET);
	byte = fgetc(file);
	fseek(file, offset, SEEK_SET);
	fputc(byte ^ 1, file);
	fclose(file);
}

static void open_it(struct fixture *f)
{
	if (stackmap_store_open(f->store, f->path))
		fail_msg("%s", stackmap_store_get_error(f->store));
}

static void a_save_tells_all_that_is_known_of_it(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	open_it(f);
	assert_int_equal(stackmap_store_nr_saves(f->store), 2);
	save = stackmap_store_get_save(f->store, 0);
	assert_string_equal(stackmap_save_get_boot_id(save), BOOT_ID);
	assert_string_equal(stackmap_save_get_release(save), "7.2.13");
	assert_string_equal(stackmap_save_get_version(save), "#1 SMP");
	assert_string_equal(stackmap_save_get_machine(save), "x86_64");
	assert_int_equal(stackmap_save_get_word_size(save), 8);
	assert_int_equal(stackmap_save_get_byte_order(save), STACKMAP_ORDER_LITTLE);
	assert_int_equal(stackmap_save_get_wall_ns(save), 1790000000123456789);
	assert_int_equal(stackmap_save_get_boot_ns(save), 987654321);
	assert_string_equal(stackmap_save_get_format(save), "text8");
	assert_true(stackmap_save_has_generation(save));
	assert_true(stackmap_save_has_symbols(save));
	assert_false(stackmap_save_is_raw(save));
	assert_int_equal(stackmap_save_nr_generations(save), 2);
	assert_int_equal(stackmap_save_get_generation(save, 0), 1);
	assert_int_equal(stackmap_save_get_generation(save, 1), 2);
	assert_int_equal(stackmap_save_nr_stacks(save, 0), 1);
	assert_int_equal(stackmap_save_nr_stacks(save, 1), 2);
	assert_int_equal(stackmap_save_get_offset(save), 56);
	assert_int_equal(stackmap_save_get_export_len(save), strlen(gens));
}

static void what_is_unknown_is_told_as_such(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	open_it(f);
	save = stackmap_store_get_save(f->store, 1);
	assert_null(stackmap_save_get_boot_id(save));
	assert_null(stackmap_save_get_release(save));
	assert_null(stackmap_save_get_version(save));
	assert_null(stackmap_save_get_machine(save));
	assert_int_equal(stackmap_save_get_word_size(save), 0);
	assert_int_equal(stackmap_save_get_byte_order(save), STACKMAP_ORDER_UNKNOWN);
	assert_true(stackmap_save_get_wall_ns(save) == STACKMAP_TIME_UNKNOWN);
	assert_true(stackmap_save_get_boot_ns(save) == STACKMAP_TIME_UNKNOWN);
	assert_string_equal(stackmap_save_get_format(save), "text4");
	assert_false(stackmap_save_has_generation(save));
	assert_false(stackmap_save_has_symbols(save));
	assert_int_equal(stackmap_save_nr_generations(save), 1);
	assert_int_equal(stackmap_save_get_generation(save, 0), 0);
	assert_int_equal(stackmap_save_nr_stacks(save, 0), 1);
}

static void saves_lie_one_behind_the_other(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *first, *second;

	open_it(f);
	first = stackmap_store_get_save(f->store, 0);
	second = stackmap_store_get_save(f->store, 1);
	assert_int_equal(stackmap_save_get_offset(first) + stackmap_save_get_len(first),
			 stackmap_save_get_offset(second));
	assert_int_equal(stackmap_save_get_offset(second) + stackmap_save_get_len(second),
			 stackmap_store_get_len(f->store));
}

static void past_the_end_there_is_nothing(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	open_it(f);
	errno = 0;
	assert_null(stackmap_store_get_save(f->store, 2));
	assert_int_equal(errno, ERANGE);
	errno = 0;
	assert_null(stackmap_store_get_damage(f->store, 0, NULL, NULL));
	assert_int_equal(errno, ERANGE);
	save = stackmap_store_get_save(f->store, 0);
	assert_int_equal(stackmap_save_get_generation(save, 2), 0);
	assert_int_equal(stackmap_save_nr_stacks(save, 2), 0);
}

static void an_export_is_had_verbatim(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;
	size_t len = 0;
	char *data;

	open_it(f);
	save = stackmap_store_get_save(f->store, 0);
	data = stackmap_save_read_export(save, &len);
	assert_string_equal(data, gens);
	assert_int_equal(len, strlen(gens));
	free(data);
	data = stackmap_save_read_export(save, NULL);
	assert_string_equal(data, gens);
	free(data);
}

static void a_stat_is_had_with_what_nobody_knows(void **state)
{
	struct fixture *f = *state;
	struct stackmap_stat *stat;
	uint64_t value;

	open_it(f);
	stat = stackmap_save_read_stat(stackmap_store_get_save(f->store, 0));
	assert_non_null(stat);
	assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_CAPACITY, &value), 0);
	assert_int_equal(value, 16384);
	assert_string_equal(stackmap_stat_get_unknown(stat, 0), "novelty: 1");
	stackmap_stat_free(stat);
	errno = 0;
	assert_null(stackmap_save_read_stat(stackmap_store_get_save(f->store, 1)));
	assert_int_equal(errno, ENOENT);
}

static void before_it_is_opened_a_store_is_empty(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(stackmap_store_get_error(f->store), "");
	assert_int_equal(stackmap_store_get_len(f->store), 0);
	assert_int_equal(stackmap_store_nr_saves(f->store), 0);
	assert_int_equal(stackmap_store_nr_damages(f->store), 0);
	assert_null(stackmap_store_get_save(f->store, 0));
	assert_null(stackmap_store_get_damage(f->store, 0, NULL, NULL));
	assert_int_equal(stackmap_store_verify(f->store), -EINVAL);
	assert_string_equal(stackmap_store_get_error(f->store), "no file was opened");
}

static void a_store_is_opened_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stackmap_store_open(f->store, NULL), -EINVAL);
	assert_int_equal(stackmap_store_open(f->store, "/nowhere/at/all"), -ENOENT);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(stackmap_store_get_error(f->store),
			    "/nowhere/at/all: No such file or directory");
	open_it(f);
	assert_int_equal(stackmap_store_open(f->store, f->path), -EBUSY);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(stackmap_store_nr_saves(f->store), 2);
}

static void damage_is_told_with_its_place(void **state)
{
	struct fixture *f = *state;
	uint64_t offset = 0, len = 0;
	const char *text;

	flip(f->path, 300);
	open_it(f);
	assert_int_equal(stackmap_store_nr_saves(f->store), 1);
	assert_int_equal(stackmap_store_nr_damages(f->store), 1);
	text = stackmap_store_get_damage(f->store, 0, &offset, &len);
	assert_string_equal(text, "block: the checksum of its data differs");
	assert_int_equal(offset, 56);
	assert_int_equal(offset + len,
			 stackmap_save_get_offset(stackmap_store_get_save(f->store, 0)));
	assert_string_equal(stackmap_store_get_damage(f->store, 0, NULL, NULL), text);
}

static void a_check_finds_what_changed_and_keeps_what_was_handed_out(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;
	const char *text;

	open_it(f);
	save = stackmap_store_get_save(f->store, 1);
	assert_int_equal(stackmap_store_verify(f->store), 0);
	flip(f->path, 300);
	assert_int_equal(stackmap_store_verify(f->store), 1);
	assert_int_equal(stackmap_store_nr_damages(f->store), 1);
	text = stackmap_store_get_damage(f->store, 0, NULL, NULL);
	flip(f->path, 300);
	assert_int_equal(stackmap_store_verify(f->store), 0);
	assert_int_equal(stackmap_store_nr_damages(f->store), 0);
	assert_string_equal(text, "block: the checksum of its data differs");
	assert_string_equal(stackmap_save_get_format(save), "text4");
}

static void what_cannot_be_read_any_more_is_refused(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	open_it(f);
	save = stackmap_store_get_save(f->store, 0);
	flip(f->path, 300);
	errno = 0;
	assert_null(stackmap_save_read_export(save, NULL));
	assert_int_equal(errno, EBADMSG);
	errno = 0;
	assert_null(stackmap_save_read_stat(save));
	assert_int_equal(errno, EBADMSG);
	errno = 0;
	assert_null(stackmap_save_get_format(save));
	assert_int_equal(errno, EBADMSG);
}

static void a_raw_export_is_a_store_too(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;
	char path[512];

	snprintf(path, sizeof(path), "%s/good/v8/sched.stack_map", getenv("SMAP_TEST_DATA"));
	assert_int_equal(stackmap_store_open(f->store, path), 0);
	assert_int_equal(stackmap_store_nr_saves(f->store), 1);
	save = stackmap_store_get_save(f->store, 0);
	assert_true(stackmap_save_is_raw(save));
	assert_string_equal(stackmap_save_get_format(save), "text8");
	assert_int_equal(stackmap_save_get_generation(save, 0), 1);
	assert_int_equal(stackmap_save_nr_stacks(save, 0), 56);
	assert_int_equal(stackmap_save_get_export_len(save), 24998);
	assert_int_equal(stackmap_store_verify(f->store), 0);
	errno = 0;
	assert_null(stackmap_save_read_stat(save));
	assert_int_equal(errno, ENOENT);
}

/* In place of the saves that setup wrote. */
static const struct stackmap_save *save_of(struct fixture *f, const struct bin2_bytes *bytes)
{
	FILE *file = fopen(f->path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes->data, bytes->len, 1, file), 1);
	fclose(file);
	open_it(f);
	return stackmap_store_get_save(f->store, 0);
}

static void an_export_that_counts_serves_as_its_stat(void **state)
{
	static const uint64_t numbers[] = { 7, 2, 16384, 1338, 5 };
	const struct bin2 bin = { 7, 0, 0, { 0xffffffff81000048, 0xffffffff81000050 }, 2 };
	struct bin2_bytes bytes = bin2_make(&bin);
	const struct stackmap_save *save = save_of(*state, &bytes);
	struct stackmap_stat *stat;
	uint64_t number;
	int field;

	assert_string_equal(stackmap_save_get_format(save), "bin2");
	stat = stackmap_save_read_stat(save);
	assert_non_null(stat);
	for (field = STACKMAP_STAT_GENERATION; field <= STACKMAP_STAT_FALLBACKS; field++) {
		assert_int_equal(stackmap_stat_get(stat, field, &number), 0);
		assert_int_equal(number, numbers[field]);
	}
	assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_TABLE_SIZE, &number), -ENOENT);
	assert_int_equal(stackmap_stat_nr_unknown(stat), 0);
	stackmap_stat_free(stat);
}

static void one_that_ends_before_it_counts_does_not(void **state)
{
	const struct bin2 bin = { 7, 0, 0, { 0xffffffff81000048 }, 1 };
	struct bin2_bytes bytes = bin2_make(&bin);
	const struct stackmap_save *save;

	bytes.len -= 8;
	save = save_of(*state, &bytes);
	assert_non_null(save);
	errno = 0;
	assert_null(stackmap_save_read_stat(save));
	assert_int_equal(errno, ENOENT);
}

static void nothing_is_freed(void **state)
{
	stackmap_store_free(NULL);
}

static int use(void *data)
{
	struct stackmap_store *store = stackmap_store_new();
	const struct stackmap_save *save;
	struct stackmap_stat *stat;
	char *export;
	int ret;

	if (!store)
		return -errno;
	ret = stackmap_store_open(store, data);
	if (!ret)
		ret = stackmap_store_verify(store);
	if (ret > 0)
		ret = 0;
	save = ret ? NULL : stackmap_store_get_save(store, 0);
	if (save && !stackmap_save_get_format(save))
		ret = -errno;
	if (save && !ret) {
		export = stackmap_save_read_export(save, NULL);
		ret = export ? 0 : -errno;
		free(export);
	}
	if (save && !ret) {
		stat = stackmap_save_read_stat(save);
		if (!stat && errno != ENOENT)
			ret = -errno;
		stackmap_stat_free(stat);
	}
	stackmap_store_free(store);
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	const struct bin2 bin = { 7, 0, 0, { 0xffffffff81000048 }, 1 };
	struct fixture *f = *state;

	alloc_fail_each(use, f->path);
	flip(f->path, 700);
	alloc_fail_each(use, f->path);
	assert_int_equal(bin2_write(&bin, f->path), 0);
	alloc_fail_each(use, f->path);
}

static void saves_are_appended_once(void **state)
{
	struct fixture *f = *state;
	struct stackmap_store *copy = stackmap_store_new();
	char path[128];
	size_t nr;

	snprintf(path, sizeof(path), "%s.copy", f->path);
	assert_int_equal(stackmap_store_append(f->store, path), -EINVAL);
	assert_int_equal(access(path, F_OK), -1);
	open_it(f);
	nr = stackmap_store_nr_saves(f->store);
	assert_int_equal(stackmap_store_append(f->store, NULL), -EINVAL);
	assert_int_equal(stackmap_store_append(f->store, path), 0);
	assert_int_equal(stackmap_store_append(f->store, path), 0);
	assert_int_equal(stackmap_store_open(copy, path), 0);
	assert_int_equal(stackmap_store_nr_saves(copy), nr);
	stackmap_store_free(copy);
	unlink(path);
}

#define STORE_TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_save_tells_all_that_is_known_of_it),
		STORE_TEST(what_is_unknown_is_told_as_such),
		STORE_TEST(saves_lie_one_behind_the_other),
		STORE_TEST(past_the_end_there_is_nothing),
		STORE_TEST(an_export_is_had_verbatim),
		STORE_TEST(a_stat_is_had_with_what_nobody_knows),
		STORE_TEST(before_it_is_opened_a_store_is_empty),
		STORE_TEST(a_store_is_opened_once),
		STORE_TEST(damage_is_told_with_its_place),
		STORE_TEST(a_check_finds_what_changed_and_keeps_what_was_handed_out),
		STORE_TEST(what_cannot_be_read_any_more_is_refused),
		STORE_TEST(a_raw_export_is_a_store_too),
		STORE_TEST(an_export_that_counts_serves_as_its_stat),
		STORE_TEST(one_that_ends_before_it_counts_does_not),
		STORE_TEST(saves_are_appended_once),
		cmocka_unit_test(nothing_is_freed),
		STORE_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
