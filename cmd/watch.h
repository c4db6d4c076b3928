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
 * The first time that there is a stack it is saved and not reset, so that the file has a generation
 * from the start: whoever is killed between a reset and the end of its writing is found out by the
 * next one, since what the file has last and what the kernel has do not follow on each other.
 *
 * Whatever goes wrong is said once, and that it goes on again is said too. Nothing is reset while
 * the last thing that was tried could not be written: the map then fills, and what does not fit is
 * recorded in full. A map that was reset by then waits in memory, where no disk took it: so it is
 * tried again and again, also while the kernel's map is empty.
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
	/*
	 * The map went from generation @first on to @behind without us: what was in those before
	 * @behind and not saved yet is lost, unless who reset it has saved it.
	 */
	void		(*missed)(void *data, uint32_t first, uint32_t behind);
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
	bool			is_begun;	/* the file has what a later watch has to know */
	bool			has_next;	/* the generation to be seen next is known */
	uint32_t		next;
	bool			may_have_reset;	/* that was told last, by a rotation that failed */
	bool			is_waiting;	/* it was said that there is no map */
	bool			is_failing;	/* what was done last was not written */
	int			look_code;	/* why the last look failed; 0: it did not */
	int			act_code;	/* the same of the last save or rotation */
	int			said_code;	/* what was said of that last */
	int			no_right;	/* to rotate, which was said; 0: it worked since */
	bool			has_saved;	/* the map as it was in the next two */
	struct rotation_look	saved;
	uint64_t		saved_successes;
	struct watch_look	look;		/* the last one */
};

void watch_init(struct watch *watch, const struct watch_ops *ops, void *data,
		const struct rotation_policy *policy);

/*
 * The map was left at @generation by an earlier watch of this boot, as its file says. Before the
 * first step.
 */
void watch_expect(struct watch *watch, uint32_t generation);

/*
 * Do what is to be done now. Returns 0 with *ret_sleep_ns until the next step; with WATCH_END 0,
 * or the errno of the save that failed.
 */
int watch_step(struct watch *watch, unsigned int events, uint64_t *ret_sleep_ns);

#endif /* CMD_WATCH_H */
