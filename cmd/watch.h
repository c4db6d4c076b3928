/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `watch` does next, without the system calls that do it: those stand behind struct watch_ops,
 * so that a test can be the kernel, the disk and the clock.
 *
 *	        no map                  a map                     written
 *	WAITING ------> (look again) -> FILLING -- due, asked --> rotate or save -> FILLING
 *	                                   ^                          | not written
 *	                                   |   a save is written      v
 *	                                   +----------------------- FAILING: save, never reset
 *
 * Whatever goes wrong is said once, and that it goes on again is said too. Nothing is reset while
 * the last thing that was tried could not be written: the map then fills, and what does not fit is
 * recorded in full.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "rotation.h"

struct watch_look {
	struct rotation_look	map;
	uint64_t		successes;	/* stacks recorded as cookies so far */
};

struct watch_ops {
	/* CLOCK_BOOTTIME in ns. */
	uint64_t	(*now)(void *data);
	/* All return 0 or a negative errno. An @ret_look that is all zero: no map is allocated. */
	int		(*look)(void *data, struct watch_look *ret_look);
	/* -ENODATA: there was nothing to save. */
	int		(*save)(void *data);
	/* The same. -EXDEV: saved and reset, but the copy is not in the file where it should be. */
	int		(*rotate)(void *data);
	/* After something was written: keep the folder within its bounds. */
	void		(*trim)(void *data);
	/* Why the last one of these failed, on stderr, in one line. */
	void		(*complain)(void *data, int code);
	/* One line of news. */
	void		(*tell)(void *data, const char *line);
};

/* What came from outside, or'ed. */
#define WATCH_ASKED	(1U << 0)	/* rotate now */
#define WATCH_END	(1U << 1)	/* save and end */

struct watch {
	const struct watch_ops	*ops;
	void			*data;
	struct rotation		rotation;
	bool			can_rotate;
	bool			is_waiting;	/* it was said that there is no map */
	bool			is_failing;	/* the last save or rotation was not written */
	int			look_code;	/* why the last look failed; 0: it did not */
	int			act_code;	/* the same of the last save or rotation */
	bool			has_saved;	/* the map as it was in the next two */
	struct rotation_look	saved;
	uint64_t		saved_successes;
	struct watch_look	look;		/* the last one */
};

void watch_init(struct watch *watch, const struct watch_ops *ops, void *data,
		const struct rotation_policy *policy);

/*
 * Do what is to be done now. Returns 0 with *ret_sleep_ns until the next step; with WATCH_END 0,
 * or the errno of the save that failed.
 */
int watch_step(struct watch *watch, unsigned int events, uint64_t *ret_sleep_ns);

#endif /* CMD_WATCH_H */
