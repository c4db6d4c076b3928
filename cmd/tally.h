/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cookies of a trace, each with how many events have it.
 *
 * A program without libtracecmd has tally-none.c for tally.c, which says so.
 */
#ifndef CMD_TALLY_H
#define CMD_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stackmap.h>

struct events;

struct tally_cookie {
	struct stackmap_stack	*stack;
	uint64_t		nr_events;
};

struct tally {
	struct events		*events;	/* whose stacks they are */
	struct tally_cookie	*cookies;
	size_t			nr;
	size_t			capacity;
	uint64_t		nr_events;
	uint64_t		nr_damaged;	/* events too short to hold a cookie */
	uint64_t		nr_full;	/* stacks recorded in full */
	uint64_t		nr_unresolved;
	uint64_t		nr_unknown;	/* events that are too short, or of no known type */
	bool			misses_cookies;	/* which may be cookies */
};

/*
 * Count those of @path, the trace that @resolver was set to. CMD_OK or, after cmd_error(),
 * CMD_FAILED. @resolver becomes the tally's own, whatever is returned.
 */
int tally_read(struct tally *tally, const char *path, struct stackmap_resolver *resolver);
void tally_release(struct tally *tally);

#endif /* CMD_TALLY_H */
