/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A played kernel (tests/shim) for each test, and the store that it saves to. The test program
 * starts itself anew with the shim preloaded; each test has a world of its own.
 */
#ifndef SMAP_TESTS_TRACEFS_FIXTURE_H
#define SMAP_TESTS_TRACEFS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stackmap.h"
#include "store/store.h"

struct fixture {
	struct stackmap_live	*live;
	struct stackmap_saved	saved;		/* of fixture_save(), fixture_rotate() */
	char			log[4096];	/* all lines, each with its newline */
	char			folder[64];
	char			store[128];	/* a path in it; nothing there at first */
};

/* The whole main(). */
int fixture_main(const struct CMUnitTest *tests, size_t nr, const char *name);
#define FIXTURE_MAIN(tests)								\
int main(void)										\
{											\
	return fixture_main(tests, sizeof(tests) / sizeof((tests)[0]), __FILE__);	\
}

int fixture_setup(void **state);
int fixture_teardown(void **state);
#define LIVE_TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

/* Know nothing, as another process would. */
void fixture_anew(struct fixture *f);

/* Play this kernel: "ours", "8", ... with settings, and 500 stacks if @recorded. */
void fixture_play(const char *series, const char *settings, bool recorded);
/* stackmap-shim ARGS, which has to succeed. */
void fixture_shim(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What it prints. */
void fixture_shim_says(char *room, size_t size, const char *args);

int fixture_save(struct fixture *f);
int fixture_rotate(struct fixture *f, unsigned int flags);

/* Of stack_map_stat; UINT64_MAX: no map is allocated. */
uint64_t fixture_entries(struct fixture *f);

/* The store at @path, which has to be one. */
struct smap_store *fixture_open(const char *path);
/* Stacks of generation @nr-th save in it. */
uint64_t fixture_nr_stacks(const char *path, size_t nr);
size_t fixture_nr_saves(const char *path);
/* Those that are not superseded. */
size_t fixture_nr_good(const char *path);
/* Lines of a file, which a rule of the shim adds to; 0: it is not there. */
size_t fixture_nr_lines(const char *path);
/* Files in the folder. */
size_t fixture_nr_files(const struct fixture *f);

/* The last call failed with this, and said so. */
void fixture_failed(const struct fixture *f, int ret, int code, const char *words);
void fixture_logged(const struct fixture *f, const char *words);

#endif /* SMAP_TESTS_TRACEFS_FIXTURE_H */
