// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc-fail.h"
#include "bin2.h"
#include "stackmap.h"

#define BOOT_ID	"6a9f0f63-1d0b-4c0f-8a5e-0123456789ab"

#define GEN1	"stack_id 42 gen 1 ref 1337 depth 1\n => schedule+0x48/0xc0\n"
#define GEN2	"stack_id 42 gen 2 ref 5 depth 1\n => kmem_cache_alloc+0x9a/0x2b0\n"
#define STAT1	"generation: 1\nentries: 1\ncapacity: 16384\nsuccesses: 1337\nfallbacks: 0\n"
#define STAT2	"generation: 2\nentries: 2\ncapacity: 16384\nsuccesses: 5\nfallbacks: 0\n"
#define STAT4	"entries:      7 / 1024\ntable_size:   2048\nsuccesses:    9\ndrops:        0\n" \
		"success_rate: 100%\n"
#define TEXT4	"stack_id 33 [ref 1, depth 1]\n  [0] __schedule+0x61f/0x7a0\n\n"
#define HIDDEN	"0000000000000000 T schedule\n0000000000000000 t kmem_cache_alloc\n"

struct fixture {
	char			folder[64];
	char			log[4096];
	struct stackmap_import	*import;
	struct stackmap_store	*store;
};

static void take_line(const char *line, void *data)
{
	struct fixture *f = data;
	const char *slash;

	/* Without the folder, which has another name each time. */
	slash = strstr(line, f->folder);
	if (slash == line)
		line += strlen(f->folder) + 1;
	assert_null(strchr(line, '\n'));
	snprintf(f->log + strlen(f->log), sizeof(f->log) - strlen(f->log), "%s\n", line);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->folder, "/tmp/stackmap-test.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	f->import = stackmap_import_new();
	assert_non_null(f->import);
	stackmap_import_set_log(f->import, take_line, f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct dirent *entry;
	char path[512];
	DIR *dir;

	stackmap_import_free(f->import);
	stackmap_store_free(f->store);
	dir = opendir(f->folder);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", f->folder, entry->d_name);
		if (unlink(path))
			rmdir(path);
	}
	closedir(dir);
	rmdir(f->folder);
	free(f);
	return 0;
}

static const char *path_of(struct fixture *f, const char *name)
{
	static char paths[4][256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", f->folder, name);
	return path;
}

static void make(struct fixture *f, const char *name, const char *text)
{
	FILE *file = fopen(path_of(f, name), "wb");

	assert_non_null(file);
	fwrite(text, 1, strlen(text), file);
	fclose(file);
}

/* Make the file and take it; the result of taking it. */
static int add(struct fixture *f, const char *name, const char *text)
{
	make(f, name, text);
	return stackmap_import_add_file(f->import, path_of(f, name));
}

static void added(struct fixture *f, const char *name, const char *text, int kind)
{
	if (add(f, name, text) != kind)
		fail_msg("%s: %s", name, stackmap_import_get_error(f->import));
}

static int add_recording(struct fixture *f, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/good/%s", getenv("SMAP_TEST_DATA"), name);
	return stackmap_import_add_file(f->import, path);
}

static void written(struct fixture *f)
{
	if (stackmap_import_write(f->import, path_of(f, "new.stackmap")))
		fail_msg("%s", stackmap_import_get_error(f->import));
	f->store = stackmap_store_new();
	assert_int_equal(stackmap_store_open(f->store, path_of(f, "new.stackmap")), 0);
	assert_int_equal(stackmap_store_verify(f->store), 0);
}

static void not_written(struct fixture *f, int code, const char *words)
{
	assert_int_equal(stackmap_import_write(f->import, path_of(f, "new.stackmap")), code);
	assert_int_equal(errno, -code);
	if (!strstr(stackmap_import_get_error(f->import), words))
		fail_msg("'%s' has no '%s'", stackmap_import_get_error(f->import), words);
	assert_int_equal(access(path_of(f, "new.stackmap"), F_OK), -1);
}

/* "entries" of the stat that save @nr has; 0: it has none. */
static uint64_t entries_of(struct fixture *f, size_t nr)
{
	struct stackmap_stat *stat;
	uint64_t entries = 0;

	stat = stackmap_save_read_stat(stackmap_store_get_save(f->store, nr));
	if (stat)
		assert_int_equal(stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &entries), 0);
	stackmap_stat_free(stat);
	return entries;
}

static void log_has(struct fixture *f, const char *words)
{
	if (!strstr(f->log, words))
		fail_msg("the log has no '%s':\n%s", words, f->log);
}

/* ---- what a file is ---- */

static void kinds_are_told_from_contents(void **state)
{
	struct fixture *f = *state;

	added(f, "a", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "b", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "c", STAT1, STACKMAP_FILE_STAT);
	added(f, "d", "ffffffff81000000 T schedule\nffffffff81000100 T _etext\n",
	      STACKMAP_FILE_KALLSYMS);
	added(f, "e", "", STACKMAP_FILE_EMPTY);
	assert_int_equal(add_recording(f, "v7/sched.stack_map_bin"), STACKMAP_FILE_EXPORT);
	assert_int_equal(stackmap_import_nr_exports(f->import), 3);
	log_has(f, "a: text of series 8, generation 1, 1 stack\n");
	log_has(f, "b: text of series 4 to 7, 1 stack\n");
	log_has(f, "c: stack_map_stat\n");
	log_has(f, "d: kallsyms, ");
	log_has(f, "e: empty: no map was allocated, nothing to store\n");
	log_has(f, "v7/sched.stack_map_bin: stack_map_bin version 1, little endian, 47 stacks\n");
}

static void refused(struct fixture *f, const char *text, const char *words)
{
	assert_int_equal(add(f, "file", text), -EINVAL);
	assert_int_equal(errno, EINVAL);
	if (!strstr(stackmap_import_get_error(f->import), words))
		fail_msg("'%s' has no '%s'", stackmap_import_get_error(f->import), words);
	assert_int_equal(stackmap_import_nr_exports(f->import), 0);
}

static void what_people_give_by_mistake_is_named(void **state)
{
	struct fixture *f = *state;

	refused(f, "root:x:0:0\n", "/file: neither stack_map, stack_map_bin, stack_map_stat nor "
		"kallsyms");
	refused(f, "\x89STKMAP\nand so on", "/file: a saved-map file already");
	refused(f, "\x28\xb5\x2f\xfd....", "/file: compressed: unpack it first");
	refused(f, "\xfd" "7zXZ....", "/file: compressed: unpack it first");
	refused(f, "\x1f\x8b\x08....", "/file: compressed: unpack it first");
	assert_int_equal(add_recording(f, "v8/sched.dat"), -EINVAL);
	assert_non_null(strstr(stackmap_import_get_error(f->import), "/sched.dat: a trace.dat"));
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stackmap_import_add_file(f->import, "/nowhere/stack_map"), -ENOENT);
	assert_string_equal(stackmap_import_get_error(f->import),
			    "/nowhere/stack_map: No such file or directory");
	assert_int_equal(stackmap_import_add_file(f->import, NULL), -EINVAL);
	assert_int_equal(stackmap_import_add_file(f->import, "/"), -EISDIR);
}

static void a_garbled_export_is_refused_with_its_place(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add(f, "map", GEN1 "garbage\n" GEN2), -EBADMSG);
	assert_non_null(strstr(stackmap_import_get_error(f->import), "/map: "));
	assert_int_equal(stackmap_import_nr_exports(f->import), 0);
}

static void an_endless_file_of_no_kind_is_not_swallowed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stackmap_import_add_file(f->import, "/dev/zero"), -EINVAL);
}

static void standard_input_is_a_file_too(void **state)
{
	struct fixture *f = *state;
	int saved = dup(STDIN_FILENO), fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], GEN1, strlen(GEN1)), strlen(GEN1));
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	assert_int_equal(stackmap_import_add_file(f->import, "-"), STACKMAP_FILE_EXPORT);
	dup2(saved, STDIN_FILENO);
	close(saved);
	log_has(f, "standard input: text of series 8, generation 1, 1 stack\n");
}

static void what_is_noteworthy_is_logged(void **state)
{
	struct fixture *f = *state;

	added(f, "crlf", "stack_id 1 gen 1 ref 1 depth 1\r\n => f+0x0/0x1\r\n",
	      STACKMAP_FILE_EXPORT);
	log_has(f, "crlf: lines end in CR LF\n");
	added(f, "newline", "stack_id 1 gen 1 ref 1 depth 1\n => f+0x0/0x1",
	      STACKMAP_FILE_EXPORT);
	log_has(f, "newline: no newline at the end\n");
	added(f, "cut", GEN1 "stack_id 7 gen 1 ref 1 depth 2\n => f+0x0/0x1\n",
	      STACKMAP_FILE_EXPORT);
	log_has(f, "cut: the last record (slot 7) is cut, at byte 58\n");
	added(f, "cut-early", GEN1 "stack_id 1", STACKMAP_FILE_EXPORT);
	log_has(f, "cut-early: the last record is cut, at byte 58\n");
	added(f, "depth", "stack_id 7 gen 1 ref 1 depth 2\n => f+0x0/0x1\n" GEN1,
	      STACKMAP_FILE_EXPORT);
	log_has(f, "depth: 1 record with another depth than stated, first at byte 0\n");
	added(f, "repeat", GEN1 GEN1 GEN1, STACKMAP_FILE_EXPORT);
	log_has(f, "repeat: 2 repeated records merged\n");
	added(f, "conflict", GEN1 "stack_id 42 gen 1 ref 1 depth 1\n => other+0x0/0x1\n",
	      STACKMAP_FILE_EXPORT);
	log_has(f, "conflict: 1 cookie with conflicting records\n");
}

static void many_generations_are_not_all_named(void **state)
{
	struct fixture *f = *state;

	added(f, "two", GEN1 GEN2, STACKMAP_FILE_EXPORT);
	log_has(f, "two: text of series 8, generations 1, 2, 2 stacks\n");
	added(f, "six", GEN1 GEN2 "stack_id 1 gen 5 ref 1 depth 1\n => f+0x0/0x1\n"
	      "stack_id 1 gen 6 ref 1 depth 1\n => f+0x0/0x1\n"
	      "stack_id 1 gen 7 ref 1 depth 1\n => f+0x0/0x1\n"
	      "stack_id 1 gen 4294967295 ref 1 depth 1\n => f+0x0/0x1\n", STACKMAP_FILE_EXPORT);
	log_has(f, "six: text of series 8, generations 1, 2, 5, 6 and 2 more, 6 stacks\n");
}

static void names_are_escaped_before_they_are_logged(void **state)
{
	struct fixture *f = *state;

	added(f, "\033[2Jmap", GEN1, STACKMAP_FILE_EXPORT);
	log_has(f, "\\x1b[2Jmap: text of series 8");
}

static void without_a_log_nothing_is_said(void **state)
{
	struct fixture *f = *state;

	stackmap_import_set_log(f->import, NULL, NULL);
	added(f, "map", GEN1 GEN1, STACKMAP_FILE_EXPORT);
	assert_string_equal(f->log, "");
}

/* ---- what is written ---- */

static void the_origin_is_stored(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	assert_int_equal(stackmap_import_set_boot_id(f->import, BOOT_ID "\n"), 0);
	assert_int_equal(stackmap_import_set_release(f->import, "7.1"), 0);
	assert_int_equal(stackmap_import_set_release(f->import, "7.2.13"), 0);
	assert_int_equal(stackmap_import_set_version(f->import, "#1 SMP"), 0);
	assert_int_equal(stackmap_import_set_machine(f->import, "aarch64"), 0);
	added(f, "map", GEN1, STACKMAP_FILE_EXPORT);
	written(f);
	save = stackmap_store_get_save(f->store, 0);
	assert_string_equal(stackmap_save_get_boot_id(save), BOOT_ID);
	assert_string_equal(stackmap_save_get_release(save), "7.2.13");
	assert_string_equal(stackmap_save_get_version(save), "#1 SMP");
	assert_string_equal(stackmap_save_get_machine(save), "aarch64");
	assert_true(stackmap_save_get_wall_ns(save) == STACKMAP_TIME_UNKNOWN);
	assert_true(stackmap_save_get_boot_ns(save) == STACKMAP_TIME_UNKNOWN);
}

static void an_origin_that_is_none_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stackmap_import_set_boot_id(f->import, "today"), -EINVAL);
	assert_string_equal(stackmap_import_get_error(f->import), "today: no boot id");
	assert_int_equal(stackmap_import_set_boot_id(f->import, NULL), -EINVAL);
	assert_int_equal(stackmap_import_set_release(f->import, ""), -EINVAL);
	assert_int_equal(stackmap_import_set_version(f->import, NULL), -EINVAL);
}

static void what_is_not_set_is_unknown(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	assert_int_equal(add_recording(f, "v7/sched.stack_map_bin"), STACKMAP_FILE_EXPORT);
	written(f);
	save = stackmap_store_get_save(f->store, 0);
	assert_null(stackmap_save_get_boot_id(save));
	assert_null(stackmap_save_get_release(save));
	assert_int_equal(stackmap_save_get_word_size(save), 0);
	/* A binary export shows it. */
	assert_int_equal(stackmap_save_get_byte_order(save), STACKMAP_ORDER_LITTLE);
}

static void two_generations_in_one_file_are_one_save(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	added(f, "map", GEN1 GEN2, STACKMAP_FILE_EXPORT);
	written(f);
	assert_int_equal(stackmap_store_nr_saves(f->store), 1);
	save = stackmap_store_get_save(f->store, 0);
	assert_int_equal(stackmap_save_nr_generations(save), 2);
	assert_int_equal(stackmap_save_get_generation(save, 1), 2);
}

static void the_exports_are_stored_verbatim_in_their_order(void **state)
{
	static const char odd[] = "stack_id 1 gen 1 ref 1 depth 1\r\n => f+0x0/0x1";
	struct fixture *f = *state;
	char *data;

	added(f, "b", GEN2, STACKMAP_FILE_EXPORT);
	added(f, "a", odd, STACKMAP_FILE_EXPORT);
	written(f);
	data = stackmap_save_read_export(stackmap_store_get_save(f->store, 0), NULL);
	assert_string_equal(data, GEN2);
	free(data);
	data = stackmap_save_read_export(stackmap_store_get_save(f->store, 1), NULL);
	assert_string_equal(data, odd);
	free(data);
}

static void without_an_export_nothing_is_written(void **state)
{
	struct fixture *f = *state;

	not_written(f, -ENODATA, "/new.stackmap: not written: no stack_map was given");
	added(f, "stat", STAT1, STACKMAP_FILE_STAT);
	added(f, "empty", "", STACKMAP_FILE_EMPTY);
	not_written(f, -ENODATA, "not written");
	assert_int_equal(stackmap_import_write(f->import, NULL), -EINVAL);
}

static void a_file_of_another_kind_is_not_written_to(void **state)
{
	struct fixture *f = *state;

	added(f, "map", GEN1, STACKMAP_FILE_EXPORT);
	assert_int_equal(stackmap_import_write(f->import, path_of(f, "map")), -EEXIST);
	assert_non_null(strstr(stackmap_import_get_error(f->import),
			       "/map: is there and is no saved-map file"));
}

static void what_is_there_already_is_kept(void **state)
{
	struct fixture *f = *state;

	added(f, "map", GEN1, STACKMAP_FILE_EXPORT);
	assert_int_equal(stackmap_import_write(f->import, path_of(f, "new.stackmap")), 0);
	added(f, "map", GEN2, STACKMAP_FILE_EXPORT);
	written(f);
	assert_int_equal(stackmap_store_nr_saves(f->store), 3);
	assert_int_equal(stackmap_save_get_generation(stackmap_store_get_save(f->store, 2), 0), 2);
}

/* ---- stat files ---- */

static void a_stat_goes_with_the_export_of_its_name(void **state)
{
	struct fixture *f = *state;

	/* In any order, and all exports of one name. */
	added(f, "x.2.stack_map_stat", "entries:      8 / 1024\ndrops:        0\n",
	      STACKMAP_FILE_STAT);
	added(f, "x.1.stack_map", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "x.2.stack_map", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "x.1.stack_map_stat", STAT4, STACKMAP_FILE_STAT);
	added(f, "x.1.stack_map_bin", TEXT4, STACKMAP_FILE_EXPORT);
	written(f);
	assert_int_equal(entries_of(f, 0), 7);
	assert_int_equal(entries_of(f, 1), 8);
	assert_int_equal(entries_of(f, 2), 7);
}

static void files_that_are_only_called_so_belong_together_by_their_folder(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(path_of(f, "one"), 0700), 0);
	assert_int_equal(mkdir(path_of(f, "two"), 0700), 0);
	added(f, "one/stack_map", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "two/stack_map", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "two/stack_map_stat", STAT4, STACKMAP_FILE_STAT);
	written(f);
	assert_int_equal(entries_of(f, 0), 0);
	assert_int_equal(entries_of(f, 1), 7);
	unlink(path_of(f, "one/stack_map"));
	unlink(path_of(f, "two/stack_map"));
	unlink(path_of(f, "two/stack_map_stat"));
}

static void any_ending_may_tell_them_apart(void **state)
{
	struct fixture *f = *state;

	added(f, "a.map", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "b.map", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "b.stat", STAT4, STACKMAP_FILE_STAT);
	written(f);
	assert_int_equal(entries_of(f, 0), 0);
	assert_int_equal(entries_of(f, 1), 7);
}

static void a_stat_of_another_name_goes_with_its_generation(void **state)
{
	struct fixture *f = *state;

	added(f, "stat-after", STAT2, STACKMAP_FILE_STAT);
	added(f, "map-before", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "map-after", GEN2, STACKMAP_FILE_EXPORT);
	added(f, "stat-before", STAT1, STACKMAP_FILE_STAT);
	written(f);
	assert_int_equal(entries_of(f, 0), 1);
	assert_int_equal(entries_of(f, 1), 2);
}

static void a_stat_goes_with_the_only_export(void **state)
{
	struct fixture *f = *state;

	added(f, "some-stat", STAT4, STACKMAP_FILE_STAT);
	added(f, "some-map", TEXT4, STACKMAP_FILE_EXPORT);
	written(f);
	assert_int_equal(entries_of(f, 0), 7);
}

static void a_stat_of_another_generation_is_refused(void **state)
{
	struct fixture *f = *state;

	added(f, "x.stack_map", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "x.stack_map_stat", STAT2, STACKMAP_FILE_STAT);
	not_written(f, -EINVAL, "of generation 2, which");
}

static void a_stat_of_another_series_is_refused(void **state)
{
	struct fixture *f = *state;

	added(f, "x.stack_map", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "y.stack_map_stat", STAT4, STACKMAP_FILE_STAT);
	not_written(f, -EINVAL, "of another series than");
}

static void a_stat_that_fits_no_export_is_not_guessed(void **state)
{
	struct fixture *f = *state;

	added(f, "a", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "b", TEXT4, STACKMAP_FILE_EXPORT);
	added(f, "c", STAT4, STACKMAP_FILE_STAT);
	not_written(f, -EINVAL, "/c: fits no export");
}

static void a_stat_that_fits_two_exports_is_not_guessed(void **state)
{
	struct fixture *f = *state;

	added(f, "a", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "b", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "c", STAT1, STACKMAP_FILE_STAT);
	not_written(f, -EINVAL, "/c: fits ");
	log_has(f, "c: stack_map_stat");
}

static void two_stats_for_one_export_are_refused(void **state)
{
	struct fixture *f = *state;

	added(f, "a", GEN1, STACKMAP_FILE_EXPORT);
	added(f, "b", STAT1, STACKMAP_FILE_STAT);
	added(f, "c", STAT1, STACKMAP_FILE_STAT);
	not_written(f, -EINVAL, "has a stat file already");
}

/* ---- symbols ---- */

/* The kallsyms of the recordings, which is kept compressed. */
static void add_kallsyms(struct fixture *f)
{
	char command[1024];

	snprintf(command, sizeof(command), "xz -dc '%s/good/v7/kallsyms.xz' > '%s'",
		 getenv("SMAP_TEST_DATA"), path_of(f, "kallsyms"));
	assert_int_equal(system(command), 0);
	assert_int_equal(stackmap_import_add_file(f->import, path_of(f, "kallsyms")),
			 STACKMAP_FILE_KALLSYMS);
}

static void addresses_are_stored_with_the_symbols_that_cover_them(void **state)
{
	struct fixture *f = *state;
	const struct stackmap_save *save;

	assert_int_equal(add_recording(f, "v7/gens.1.stack_map_bin"), STACKMAP_FILE_EXPORT);
	assert_int_equal(add_recording(f, "v7/gens.1.stack_map"), STACKMAP_FILE_EXPORT);
	add_kallsyms(f);
	written(f);
	log_has(f, "kallsyms, ");
	log_has(f, "gens.1.stack_map_bin: 700 of 700 addresses named\n");
	save = stackmap_store_get_save(f->store, 0);
	assert_true(stackmap_save_has_symbols(save));
	/* A few hundred symbols, not the 2.5 MB of the table. */
	assert_true(stackmap_save_get_len(save) < 20000);
	assert_false(stackmap_save_has_symbols(stackmap_store_get_save(f->store, 1)));
}

static void add_bin2(struct fixture *f, uint64_t stext)
{
	const struct bin2 bin = { 7, 0, stext, { 0xffffffff81000048 }, 1 };

	assert_int_equal(bin2_write(&bin, path_of(f, "bin2")), 0);
	assert_int_equal(stackmap_import_add_file(f->import, path_of(f, "bin2")),
			 STACKMAP_FILE_EXPORT);
}

#define KALLSYMS	"ffffffff81000000 T _stext\nffffffff81000040 T schedule\n"	\
			"ffffffff81000100 T _etext\n"

static void symbols_name_an_export_of_their_boot(void **state)
{
	struct fixture *f = *state;

	add_bin2(f, 0xffffffff81000000);
	added(f, "kallsyms", KALLSYMS, STACKMAP_FILE_KALLSYMS);
	written(f);
	log_has(f, "bin2: stack_map_bin, format FSM2, little endian, generation 7, 1 stack\n");
	log_has(f, "bin2: 1 of 1 addresses named\n");
}

static void symbols_of_another_boot_are_refused(void **state)
{
	struct fixture *f = *state;

	add_bin2(f, 0xffffffff80000000);
	added(f, "kallsyms", KALLSYMS, STACKMAP_FILE_KALLSYMS);
	not_written(f, -EINVAL, "bin2: _stext stands at another address");
}

static void a_stat_goes_with_a_map_that_has_no_stacks(void **state)
{
	const struct bin2 bin = { .generation = 2 };
	struct fixture *f = *state;

	assert_int_equal(bin2_write(&bin, path_of(f, "bin2")), 0);
	assert_int_equal(stackmap_import_add_file(f->import, path_of(f, "bin2")),
			 STACKMAP_FILE_EXPORT);
	added(f, "stat", STAT2, STACKMAP_FILE_STAT);
	written(f);
	assert_int_equal(entries_of(f, 0), 2);
}

static void addresses_without_symbols_are_told(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(add_recording(f, "v7/func.stack_map_bin"), STACKMAP_FILE_EXPORT);
	written(f);
	log_has(f, "addresses without names: add the kallsyms of the same boot\n");
	assert_false(stackmap_save_has_symbols(stackmap_store_get_save(f->store, 0)));
}

static void hidden_symbols_are_told_and_not_used(void **state)
{
	struct fixture *f = *state;

	added(f, "kallsyms", HIDDEN, STACKMAP_FILE_KALLSYMS);
	log_has(f, "kallsyms: not used: ");
	log_has(f, "kernel.kptr_restrict");
	assert_int_equal(add_recording(f, "v7/func.stack_map_bin"), STACKMAP_FILE_EXPORT);
	written(f);
	assert_false(stackmap_save_has_symbols(stackmap_store_get_save(f->store, 0)));
}

static void symbols_are_not_needed_where_frames_carry_names(void **state)
{
	struct fixture *f = *state;

	added(f, "map", GEN1, STACKMAP_FILE_EXPORT);
	add_kallsyms(f);
	written(f);
	log_has(f, "kallsyms: not needed: all frames carry their names\n");
	assert_false(stackmap_save_has_symbols(stackmap_store_get_save(f->store, 0)));
}

static void hidden_symbols_may_be_followed_by_better_ones(void **state)
{
	struct fixture *f = *state;

	added(f, "hidden", HIDDEN, STACKMAP_FILE_KALLSYMS);
	add_kallsyms(f);
	assert_int_equal(stackmap_import_add_file(f->import, path_of(f, "kallsyms")), -EINVAL);
	assert_non_null(strstr(stackmap_import_get_error(f->import), "a second kallsyms"));
}

/* ---- resources ---- */

static void nothing_is_freed(void **state)
{
	stackmap_import_free(NULL);
}

static void ignore_line(const char *line, void *data)
{
}

static int import_it(void *data)
{
	struct stackmap_import *import = stackmap_import_new();
	struct fixture *f = data;
	char bin[512];
	int ret;

	if (!import)
		return -errno;
	snprintf(bin, sizeof(bin), "%s/good/v7/func.stack_map_bin", getenv("SMAP_TEST_DATA"));
	stackmap_import_set_log(import, ignore_line, NULL);
	ret = stackmap_import_set_release(import, "7.2.13");
	if (!ret)
		ret = stackmap_import_add_file(import, path_of(f, "map"));
	if (ret >= 0)
		ret = stackmap_import_add_file(import, bin);
	if (ret >= 0)
		ret = stackmap_import_add_file(import, path_of(f, "stat"));
	if (ret >= 0 && !access(path_of(f, "symbols"), F_OK))
		ret = stackmap_import_add_file(import, path_of(f, "symbols"));
	if (ret >= 0)
		ret = stackmap_import_write(import, path_of(f, "new.stackmap"));
	stackmap_import_free(import);
	if (!ret)
		unlink(path_of(f, "new.stackmap"));
	return ret;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct fixture *f = *state;

	make(f, "map", GEN1 GEN2);
	make(f, "stat", STAT1);
	alloc_fail_each(import_it, f);
	/* Reading symbols can do without memory where it only gives some back. */
	make(f, "symbols", "ffffffff81000000 T _stext\nffffffff81000010 T schedule\n"
	     "ffffffff82000000 T _etext\n");
	alloc_fail_each_tolerant(import_it, f);
}

#define IMPORT_TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IMPORT_TEST(kinds_are_told_from_contents),
		IMPORT_TEST(what_people_give_by_mistake_is_named),
		IMPORT_TEST(a_file_that_is_not_there_is_named),
		IMPORT_TEST(a_garbled_export_is_refused_with_its_place),
		IMPORT_TEST(an_endless_file_of_no_kind_is_not_swallowed),
		IMPORT_TEST(standard_input_is_a_file_too),
		IMPORT_TEST(what_is_noteworthy_is_logged),
		IMPORT_TEST(many_generations_are_not_all_named),
		IMPORT_TEST(names_are_escaped_before_they_are_logged),
		IMPORT_TEST(without_a_log_nothing_is_said),
		IMPORT_TEST(the_origin_is_stored),
		IMPORT_TEST(an_origin_that_is_none_is_refused),
		IMPORT_TEST(what_is_not_set_is_unknown),
		IMPORT_TEST(two_generations_in_one_file_are_one_save),
		IMPORT_TEST(the_exports_are_stored_verbatim_in_their_order),
		IMPORT_TEST(without_an_export_nothing_is_written),
		IMPORT_TEST(a_file_of_another_kind_is_not_written_to),
		IMPORT_TEST(what_is_there_already_is_kept),
		IMPORT_TEST(a_stat_goes_with_the_export_of_its_name),
		IMPORT_TEST(files_that_are_only_called_so_belong_together_by_their_folder),
		IMPORT_TEST(any_ending_may_tell_them_apart),
		IMPORT_TEST(a_stat_of_another_name_goes_with_its_generation),
		IMPORT_TEST(a_stat_goes_with_the_only_export),
		IMPORT_TEST(a_stat_of_another_generation_is_refused),
		IMPORT_TEST(a_stat_of_another_series_is_refused),
		IMPORT_TEST(a_stat_that_fits_no_export_is_not_guessed),
		IMPORT_TEST(a_stat_that_fits_two_exports_is_not_guessed),
		IMPORT_TEST(two_stats_for_one_export_are_refused),
		IMPORT_TEST(addresses_are_stored_with_the_symbols_that_cover_them),
		IMPORT_TEST(symbols_name_an_export_of_their_boot),
		IMPORT_TEST(symbols_of_another_boot_are_refused),
		IMPORT_TEST(a_stat_goes_with_a_map_that_has_no_stacks),
		IMPORT_TEST(addresses_without_symbols_are_told),
		IMPORT_TEST(hidden_symbols_are_told_and_not_used),
		IMPORT_TEST(symbols_are_not_needed_where_frames_carry_names),
		IMPORT_TEST(hidden_symbols_may_be_followed_by_better_ones),
		cmocka_unit_test(nothing_is_freed),
		IMPORT_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
