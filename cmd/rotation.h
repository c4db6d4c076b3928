/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a map that is filling is to be rotated (or saved, where it cannot be rotated), and how long
 * one may sleep until it is to be looked at again. It only decides: who asks reads stack_map_stat
 * and the clock, and does what is to be done.
 *
 *	fill  ^                  _____ look again: half the way to the mark, at the rate that the
 *	mark  |- - - - - - - - -/- - - map fills, but neither too soon nor too late
 *	      |      look   _.-'
 *	      |  look   _.-'
 *	      | look_.-'
 *	      +----------------------> time
 *
 * Times are nanoseconds of a clock that never jumps: CLOCK_BOOTTIME, so that an hour on a laptop
 * that sleeps is an hour.
 */
#ifndef CMD_ROTATION_H
#define CMD_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#define ROTATION_NS_PER_MS	UINT64_C(1000000)
#define ROTATION_NS_PER_S	UINT64_C(1000000000)

/* Between two looks. What comes in a shorter burst is recorded in full where the map is full. */
#define ROTATION_SLEEP_MIN	(50 * ROTATION_NS_PER_MS)
#define ROTATION_SLEEP_MAX	ROTATION_NS_PER_S
/* Where a rotation failed: doubled with each that fails. */
#define ROTATION_RETRY_MIN	ROTATION_NS_PER_S
#define ROTATION_RETRY_MAX	(60 * ROTATION_NS_PER_S)
/*
 * A map whose everyday stacks pass the mark would be rotated without end: by fill it is not done
 * again before so many times of what the last one took have passed.
 */
#define ROTATION_REST		16

struct rotation_policy {
	unsigned int	percent;	/* of its capacity, at which it is due; 0: not by fill */
	uint64_t	every_ns;	/* since the last one, when it is due; 0: not by time */
	/* It is saved and not reset: the mark moves half the way to the brim each time. */
	bool		is_kept;
};

/* What stack_map_stat said. All zero: no map is allocated. */
struct rotation_look {
	bool		has_generation;
	uint32_t	generation;
	uint64_t	entries;
	uint64_t	capacity;
	uint64_t	arena_used;	/* bytes, of kernels that say it; else 0 */
	uint64_t	arena_size;
};

enum rotation_due {
	ROTATION_NOT_DUE,
	ROTATION_BY_FILL,
	ROTATION_BY_TIME,
};

struct rotation {
	struct rotation_policy	policy;
	struct rotation_look	look;		/* the last one */
	uint64_t		looked_ns;
	uint64_t		began_ns;	/* of what the map holds, as far as we know */
	uint64_t		rests_until_ns;	/* not by fill before */
	uint64_t		retry_ns;	/* not at all before; 0: it did not fail */
	uint64_t		retry_len_ns;	/* how long we wait then */
	double			fill;		/* of 1; at the last look */
	double			mark;		/* of 1; above 1: never */
	double			rate;		/* of fill, a nanosecond */
};

void rotation_init(struct rotation *rotation, const struct rotation_policy *policy,
		   uint64_t now_ns);

/*
 * Take a look into account. Is it due now? If not, *ret_sleep_ns is how long to sleep until the
 * next look; it is set in either case.
 */
enum rotation_due rotation_look(struct rotation *rotation, const struct rotation_look *look,
				uint64_t now_ns, uint64_t *ret_sleep_ns);

/* It was done, by whatever cause, from @from_ns on. */
void rotation_done(struct rotation *rotation, uint64_t from_ns, uint64_t now_ns);
/* It was tried and failed: rotation_look() says that it is not due until it is worth a try. */
void rotation_failed(struct rotation *rotation, uint64_t now_ns);

/* In percent, rounded down, for messages. */
unsigned int rotation_percent(const struct rotation *rotation);

#endif /* CMD_ROTATION_H */
