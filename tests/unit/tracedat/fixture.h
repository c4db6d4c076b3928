/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of tracedat: a trace.dat from a description (see tests/tools/mktrace.c), in a file
 * that has no name any more, and what a scan of it hands out.
 */
#ifndef SMAP_TESTS_TRACEDAT_FIXTURE_H
#define SMAP_TESTS_TRACEDAT_FIXTURE_H

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

#include "tracedat/internal.h"

/* Where the parts of a file begin, in their order. */
struct part {
	uint64_t	offset;
	char		name[64];
};

struct layout {
	struct part	parts[64];
	size_t		nr;
};

struct scanned {
	uint64_t	*cookies;
	uint64_t	*times;
	size_t		nr;
	size_t		capacity;
};

/* All cookies of a few lines, for a test that does not care which. */
#define SOME_EVENTS	"cpu 0\n" \
			"1000 7 value value=5\n" \
			"+10 7 stack_id 42 gen 3\n" \
			"+10 7 stack_id 43 gen 3\n"

/* A descriptor of the file; the test closes it. @layout may be NULL. */
int make_trace(const char *description, struct layout *layout);
int make_tracef(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint64_t part_offset(const struct layout *layout, const char *name);

/* Opens the trace, which must work, and closes @fd. */
struct smap_tracedat *open_trace(int fd);
struct smap_tracedat *open_described(const char *description);
/* Opens and checks it, which must fail with this code and words that hold @words; closes @fd. */
void assert_refused(int fd, int code, const char *words);

struct scanned scan_trace(const struct smap_tracedat *tracedat);
int scan_into(const struct smap_tracedat *tracedat, struct scanned *scanned,
	      struct smap_error *err);
size_t count_distinct(struct scanned *scanned);
void free_scanned(struct scanned *scanned);

/* Put a number into the file, little endian. */
void poke(int fd, uint64_t offset, uint64_t val, unsigned int size);
uint64_t peek(int fd, uint64_t offset, unsigned int size);

/* A recording of tests/data/good, to be freed. */
char *good_path(const char *name);

#endif /* SMAP_TESTS_TRACEDAT_FIXTURE_H */
