/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A resolver with saved maps written out in the test: files in a folder of its own, which is
 * removed with what was put into it.
 */
#ifndef SMAP_TESTS_RESOLVE_FIXTURE_H
#define SMAP_TESTS_RESOLVE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/cookie.h"
#include "stackmap.h"

#define BOOT_A	"11111111-1111-1111-1111-111111111111"
#define BOOT_B	"22222222-2222-2222-2222-222222222222"

struct fixture {
	char			folder[64];
	unsigned int		nr_files;
	char			path[128];	/* of the file that was made last */
	char			log[2048];	/* lines of the resolver, each with its newline */
	struct stackmap_resolver *resolver;
};

int fixture_setup(void **state);
int fixture_teardown(void **state);
#define RESOLVE_TEST(fn)	cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

/* What setup gives the resolver; @data is the fixture. */
void fixture_log(const char *line, void *data);

/* A file with this text; returns its path, valid until the next one. */
const char *fixture_file(struct fixture *f, const char *text);

/* Add a raw export with this text. */
void fixture_add_text(struct fixture *f, const char *text);

/* Add a saved-map file with this text; NULL and STACKMAP_TIME_UNKNOWN: unknown. */
void fixture_add_saved(struct fixture *f, const char *boot_id, const char *release,
		       uint64_t boot_ns, const char *text);

/* The same text behind what a saved-map file holds already; nothing is added to the resolver. */
void fixture_append_saved(const char *path, const char *boot_id, const char *text);

/* "good/v8/sched.dat" -> its path; valid until the next call. */
const char *fixture_data(const char *name);

/* The answer to a cookie, checked for its verdict; its text. */
const char *fixture_text(struct stackmap_stack *stack);
#define assert_verdict(stack, symbol)							\
	assert_int_equal(stackmap_stack_get_verdict(stack), STACKMAP_VERDICT_##symbol)

#endif /* SMAP_TESTS_RESOLVE_FIXTURE_H */
