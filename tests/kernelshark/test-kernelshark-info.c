// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What KernelShark shows of a cookie: the text that its library gives for the info column, which
 * the text search looks through as well.
 *
 * What is right is worked out here once more, from the copies of stack_map, and compared for every
 * cookie of a recording. TRACEEVENT_PLUGIN_DIR names the plugin to test.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <libkshark.h>

#define SLOTS	(1 << 15)

/* What the info column should say, by slot; of one generation. */
struct expected {
	char	*text[SLOTS];
};

static char folder[] = "/tmp/stackmap-kernelshark-XXXXXX";

/* ---- files ---- */

static char *in_folder(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

static char *in_data(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/good/%s", getenv("SMAP_TEST_DATA"), name) > 0);
	return path;
}

static void copy(const char *data_name, const char *name)
{
	char *from = in_data(data_name), *to = in_folder(name);
	char buf[1 << 16];
	FILE *in, *out;
	size_t len;

	in = fopen(from, "re");
	out = fopen(to, "we");
	assert_true(in && out);
	while ((len = fread(buf, 1, sizeof(buf), in)))
		assert_int_equal(fwrite(buf, 1, len, out), len);
	fclose(in);
	assert_int_equal(fclose(out), 0);
	free(from);
	free(to);
}

/* A recording with its map inside, and none beside it. */
static int attach(const char *data_name, const char *name)
{
	char *trace = in_folder(name), *from, *map, *command;
	int ret;

	assert_true(asprintf(&from, "%s.dat", data_name) > 0);
	copy(from, name);
	free(from);
	assert_true(asprintf(&from, "%s.stack_map", data_name) > 0);
	map = in_data(from);
	assert_true(asprintf(&command, "'%s' attach '%s' '%s' >/dev/null",
			     getenv("SMAP_TEST_COMMAND"), trace, map) > 0);
	ret = system(command);
	free(command);
	free(map);
	free(from);
	free(trace);
	return ret;
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	copy("v8/sched.dat", "sched.dat");
	copy("v8/sched.stack_map", "sched.dat.stackmap");
	copy("dbg/mod.dat", "mod.dat");
	copy("dbg/mod.stack_map", "mod.dat.stackmap");
	copy("v8/gens.dat", "gens.dat");
	return attach("v8/sched", "sched-attached.dat") || attach("dbg/mod", "mod-attached.dat");
}

static int remove_folder(void **state)
{
	static const char *const names[] = {
		"sched.dat", "sched.dat.stackmap", "mod.dat", "mod.dat.stackmap", "gens.dat",
		"sched-attached.dat", "mod-attached.dat",
	};
	size_t i;
	char *path;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path = in_folder(names[i]);
		unlink(path);
		free(path);
	}
	return rmdir(folder);
}

/* ---- what is right ---- */

static void add_frame(char **text, const char *frame, unsigned int nr)
{
	char *longer;

	assert_true(asprintf(&longer, "%s%s%s", *text, nr ? " <= " : " ", frame) > 0);
	free(*text);
	*text = longer;
}

static struct expected *read_expected(const char *data_name)
{
	struct expected *expected = calloc(1, sizeof(*expected));
	unsigned int slot, generation, nr = 0;
	char **text = NULL, *path = in_data(data_name), *frame;
	char line[4096];
	FILE *fp;

	fp = fopen(path, "re");
	free(path);
	assert_true(expected && fp);
	while (fgets(line, sizeof(line), fp)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "stack_id %u gen %u", &slot, &generation) == 2) {
			assert_true(slot < SLOTS && !expected->text[slot]);
			text = &expected->text[slot];
			assert_true(asprintf(text, "<stack_id %u gen %u>", slot, generation) > 0);
			nr = 0;
		} else {
			frame = strstr(line, "=> ");
			assert_true(frame && text);
			add_frame(text, frame + 3, nr++);
		}
	}
	fclose(fp);
	return expected;
}

static void free_expected(struct expected *expected)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		free(expected->text[i]);
	free(expected);
}

/* ---- KernelShark ---- */

static struct kshark_context *open_kshark(void)
{
	struct kshark_context *kshark = NULL;

	assert_true(kshark_instance(&kshark));
	return kshark;
}

static int open_stream(struct kshark_context *kshark, const char *name)
{
	char *path = in_folder(name);
	int sd;

	sd = kshark_open(kshark, path);
	free(path);
	assert_true(sd >= 0);
	return sd;
}

static bool is_cookie(const struct kshark_entry *entry)
{
	char *name = kshark_get_event_name(entry);
	bool is = name && !strcmp(name, "ftrace/stack_id");

	free(name);
	return is;
}

static void free_rows(struct kshark_entry **rows, ssize_t nr)
{
	while (nr > 0)
		free(rows[--nr]);
	free(rows);
}

/* Compare each cookie of the stream; returns their number. */
static size_t compare_rows(struct kshark_entry **rows, ssize_t nr, int sd,
			   const struct expected *expected)
{
	size_t nr_cookies = 0;
	unsigned int slot;
	char *info;
	ssize_t i;

	for (i = 0; i < nr; i++) {
		if (rows[i]->stream_id != sd || !is_cookie(rows[i]))
			continue;
		info = kshark_get_info(rows[i]);
		assert_non_null(info);
		assert_int_equal(sscanf(info, "<stack_id %u gen ", &slot), 1);
		assert_true(slot < SLOTS && expected->text[slot]);
		assert_string_equal(info, expected->text[slot]);
		free(info);
		nr_cookies++;
	}
	return nr_cookies;
}

static size_t compare_stream(struct kshark_context *kshark, int sd, const struct expected *expected)
{
	struct kshark_entry **rows = NULL;
	size_t nr_cookies;
	ssize_t nr;

	nr = kshark_load_entries(kshark, sd, &rows);
	assert_true(nr > 0);
	nr_cookies = compare_rows(rows, nr, sd, expected);
	free_rows(rows, nr);
	return nr_cookies;
}

/* ---- tests ---- */

static void info_of_a_cookie_is_its_stack_in_one_line(void **state)
{
	struct expected *expected = read_expected("v8/sched.stack_map");
	struct kshark_context *kshark = open_kshark();

	assert_int_equal(compare_stream(kshark, open_stream(kshark, "sched.dat"), expected), 2636);
	kshark_free(kshark);
	free_expected(expected);
}

/* Both have generation 1, of different boots. */
static void two_streams(const char *sched_path, const char *mod_path)
{
	struct expected *sched = read_expected("v8/sched.stack_map");
	struct expected *mod = read_expected("dbg/mod.stack_map");
	struct kshark_context *kshark = open_kshark();
	int sd_sched = open_stream(kshark, sched_path);
	int sd_mod = open_stream(kshark, mod_path);

	assert_int_equal(compare_stream(kshark, sd_mod, mod), 6647);
	assert_int_equal(compare_stream(kshark, sd_sched, sched), 2636);
	kshark_free(kshark);
	free_expected(sched);
	free_expected(mod);
}

static void streams_have_their_own_maps(void **state)
{
	two_streams("sched.dat", "mod.dat");
}

static void maps_that_are_attached_are_found_in_each_stream(void **state)
{
	two_streams("sched-attached.dat", "mod-attached.dat");
}

static ssize_t nr_rows(const char *name)
{
	struct kshark_context *kshark = open_kshark();
	struct kshark_entry **rows = NULL;
	ssize_t nr;

	nr = kshark_load_entries(kshark, open_stream(kshark, name), &rows);
	assert_true(nr > 0);
	free_rows(rows, nr);
	kshark_free(kshark);
	return nr;
}

static void attached_maps_add_no_event_and_take_none(void **state)
{
	assert_int_equal(nr_rows("sched-attached.dat"), nr_rows("sched.dat"));
	assert_int_equal(nr_rows("mod-attached.dat"), nr_rows("mod.dat"));
}

static void an_appended_file_leaves_the_first_as_it_was(void **state)
{
	struct expected *sched = read_expected("v8/sched.stack_map");
	struct expected *mod = read_expected("dbg/mod.stack_map");
	struct kshark_context *kshark = open_kshark();
	struct kshark_entry **rows = NULL, **merged = NULL;
	int sd_sched, sd_mod;
	ssize_t nr;

	sd_sched = open_stream(kshark, "sched.dat");
	nr = kshark_load_entries(kshark, sd_sched, &rows);
	assert_true(nr > 0);
	assert_int_equal(compare_rows(rows, nr, sd_sched, sched), 2636);
	sd_mod = open_stream(kshark, "mod.dat");
	nr = kshark_append_all_entries(kshark, rows, nr, sd_mod, &merged);
	assert_true(nr > 0);
	assert_int_equal(compare_rows(merged, nr, sd_mod, mod), 6647);
	assert_int_equal(compare_rows(merged, nr, sd_sched, sched), 2636);
	free_rows(merged, nr);
	kshark_free(kshark);
	free_expected(sched);
	free_expected(mod);
}

static void a_stream_goes_on_when_another_is_closed(void **state)
{
	struct expected *mod = read_expected("dbg/mod.stack_map");
	struct kshark_context *kshark = open_kshark();
	int sd_sched = open_stream(kshark, "sched.dat");
	int sd_mod = open_stream(kshark, "mod.dat");

	kshark_close(kshark, sd_sched);
	assert_int_equal(compare_stream(kshark, sd_mod, mod), 6647);
	kshark_free(kshark);
	free_expected(mod);
}

static void a_file_can_be_opened_again(void **state)
{
	struct expected *expected = read_expected("v8/sched.stack_map");
	struct kshark_context *kshark = open_kshark();
	int sd;

	sd = open_stream(kshark, "sched.dat");
	assert_int_equal(compare_stream(kshark, sd, expected), 2636);
	kshark_close(kshark, sd);
	sd = open_stream(kshark, "sched.dat");
	assert_int_equal(compare_stream(kshark, sd, expected), 2636);
	kshark_free(kshark);
	free_expected(expected);
}

/* KernelShark puts an entry of its own where events were lost; no handler has to do with it. */
static void markers_of_missed_events_stay(void **state)
{
	struct kshark_context *kshark = open_kshark();
	struct kshark_entry **rows = NULL;
	size_t nr_missed = 0, nr_cookies = 0;
	ssize_t nr, i;
	char *info;

	nr = kshark_load_entries(kshark, open_stream(kshark, "gens.dat"), &rows);
	assert_true(nr > 0);
	for (i = 0; i < nr; i++) {
		if (rows[i]->event_id >= 0) {
			nr_cookies += is_cookie(rows[i]);
			continue;
		}
		info = kshark_get_info(rows[i]);
		assert_string_equal(info, "missed_events=3141");
		free(info);
		nr_missed++;
	}
	assert_int_equal(nr_missed, 1);
	assert_int_equal(nr_cookies, 31638);
	free_rows(rows, nr);
	kshark_free(kshark);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_of_a_cookie_is_its_stack_in_one_line),
		cmocka_unit_test(streams_have_their_own_maps),
		cmocka_unit_test(maps_that_are_attached_are_found_in_each_stream),
		cmocka_unit_test(attached_maps_add_no_event_and_take_none),
		cmocka_unit_test(an_appended_file_leaves_the_first_as_it_was),
		cmocka_unit_test(a_stream_goes_on_when_another_is_closed),
		cmocka_unit_test(a_file_can_be_opened_again),
		cmocka_unit_test(markers_of_missed_events_stay),
	};

	unsetenv("TRACE_STACKMAP");
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
