// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "tracefs/room.h"

/* ---- the program ---- */

static void preload(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	char text[512];

	snprintf(text, sizeof(text), "%s%sverify_asan_link_order=0", options ? options : "",
		 options ? ":" : "");
	setenv("ASAN_OPTIONS", text, 1);
	snprintf(text, sizeof(text), "%s/libstackmap-shim.so", getenv("SMAP_TEST_SHIM"));
	setenv("LD_PRELOAD", text, 1);
}

int fixture_main(const struct CMUnitTest *tests, size_t nr, const char *name)
{
	if (!getenv("SMAP_TEST_SHIM")) {
		fprintf(stderr, "SMAP_TEST_SHIM: where stackmap-shim is\n");
		return 2;
	}
	if (!getenv("LD_PRELOAD")) {
		preload();
		execl("/proc/self/exe", name, NULL);
		return 2;
	}
	return _cmocka_run_group_tests(name, tests, nr, NULL, NULL);
}

/* ---- a world ---- */

static void run(const char *command)
{
	if (system(command))
		fail_msg("%s", command);
}

void fixture_shim(const char *fmt, ...)
{
	char args[1024], command[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(args, sizeof(args), fmt, ap);
	va_end(ap);
	/* It plays the kernel, and is not played with itself. */
	snprintf(command, sizeof(command), "env -u LD_PRELOAD %s/stackmap-shim %s >/dev/null",
		 getenv("SMAP_TEST_SHIM"), args);
	run(command);
}

void fixture_shim_says(char *room, size_t size, const char *args)
{
	char command[1024];
	size_t len;
	FILE *out;

	snprintf(command, sizeof(command), "env -u LD_PRELOAD %s/stackmap-shim %s",
		 getenv("SMAP_TEST_SHIM"), args);
	out = popen(command, "r");
	assert_non_null(out);
	len = fread(room, 1, size - 1, out);
	room[len] = '\0';
	assert_int_equal(pclose(out), 0);
}

void fixture_play(const char *series, const char *settings, bool recorded)
{
	static unsigned int nr;
	char world[128];

	snprintf(world, sizeof(world), "%s.world/%u", getenv("SMAP_TEST_FOLDER"), nr++);
	setenv("STACKMAP_SHIM", world, 1);
	fixture_shim("setup \"$STACKMAP_SHIM\" %s %s", series, settings);
	if (!recorded)
		return;
	fixture_shim("set option=1");
	fixture_shim("record-many 500");
}

static void take_line(const char *line, void *data)
{
	struct fixture *f = data;
	size_t len = strlen(f->log);

	assert_null(strchr(line, '\n'));
	snprintf(f->log + len, sizeof(f->log) - len, "%s\n", line);
}

void fixture_anew(struct fixture *f)
{
	stackmap_live_free(f->live);
	f->live = stackmap_live_new(NULL);
	assert_non_null(f->live);
	stackmap_live_set_log(f->live, take_line, f);
}

int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char world[128];

	assert_non_null(f);
	strcpy(f->folder, "/tmp/smap-live-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	setenv("SMAP_TEST_FOLDER", f->folder, 1);
	snprintf(world, sizeof(world), "%s.world", f->folder);
	assert_int_equal(mkdir(world, 0700), 0);
	/* What can be written to no other place goes there, and goes with it. */
	setenv("TMPDIR", world, 1);
	snprintf(f->store, sizeof(f->store), "%s/maps", f->folder);
	assert_int_equal(chdir(f->folder), 0);
	fixture_anew(f);
	*state = f;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char command[512];

	stackmap_live_free(f->live);
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "env -u LD_PRELOAD rm -rf %s %s.world", f->folder,
		 f->folder);
	run(command);
	free(f);
	return 0;
}

/* ---- what is done, and what came of it ---- */

int fixture_save(struct fixture *f)
{
	f->saved = (struct stackmap_saved){ .size = sizeof(f->saved) };
	return stackmap_live_save(f->live, f->store, &f->saved);
}

int fixture_rotate(struct fixture *f, unsigned int flags)
{
	f->saved = (struct stackmap_saved){ .size = sizeof(f->saved) };
	return stackmap_live_rotate(f->live, f->store, flags, &f->saved);
}

uint64_t fixture_entries(struct fixture *f)
{
	struct smap_stat stat;

	assert_int_equal(smap_live_look(f->live), 0);
	assert_int_equal(smap_live_stat(f->live, &stat), 0);
	return stat.has & 1U << SMAP_STAT_ENTRIES ? stat.value[SMAP_STAT_ENTRIES] : UINT64_MAX;
}

struct smap_store *fixture_open(const char *path)
{
	struct smap_error err = { "" };
	struct smap_store *store;

	if (smap_store_open(path, &store, &err))
		fail_msg("%s", err.text);
	assert_int_equal(smap_store_nr_damages(store), 0);
	return store;
}

uint64_t fixture_nr_stacks(const char *path, size_t nr)
{
	struct smap_store *store = fixture_open(path);
	const struct stackmap_save *save = smap_store_save(store, nr);
	uint64_t nr_stacks;

	assert_non_null(save);
	assert_int_equal(save->nr_generations, 1);
	nr_stacks = save->generations[0].nr_stacks;
	smap_store_close(store);
	return nr_stacks;
}

size_t fixture_nr_saves(const char *path)
{
	struct smap_store *store = fixture_open(path);
	size_t nr = smap_store_nr_saves(store);

	smap_store_close(store);
	return nr;
}

size_t fixture_nr_good(const char *path)
{
	struct smap_store *store = fixture_open(path);
	size_t nr = 0, i;

	for (i = 0; i < smap_store_nr_saves(store); i++)
		nr += !smap_store_save(store, i)->is_superseded;
	smap_store_close(store);
	return nr;
}

size_t fixture_nr_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t nr = 0;
	int c;

	if (!file)
		return 0;
	while ((c = getc(file)) != EOF)
		nr += c == '\n';
	fclose(file);
	return nr;
}

size_t fixture_nr_files(const struct fixture *f)
{
	DIR *dir = opendir(f->folder);
	struct dirent *entry;
	size_t nr = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return nr;
}

void fixture_failed(const struct fixture *f, int ret, int code, const char *words)
{
	const char *text = stackmap_live_get_error(f->live);

	if (ret != code)
		fail_msg("%d is not %d: %s", ret, code, text);
	assert_int_equal(errno, -code);
	assert_null(strchr(text, '\n'));
	if (!strstr(text, words))
		fail_msg("\"%s\" does not say \"%s\"", text, words);
}

void fixture_logged(const struct fixture *f, const char *words)
{
	if (!strstr(f->log, words))
		fail_msg("\"%s\" is not logged: \"%s\"", words, f->log);
}
