/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which saves of a file are old enough, and which of these may go.
 *
 * Cookies of a generation can be in the ring buffer as long as that has an event from before the
 * generation ended. When it ended is not written down, but it was over when a save of another
 * generation had been read:
 *
 *	saves of one boot	gen 5     gen 6     gen 7     gen 8
 *	------------------------|---------|---------|---------|---------> CLOCK_BOOTTIME
 *	events of the ring buffer                        |############|
 *	                                                 ^ oldest event
 *	                        may go    may go    stays     stays
 *
 * Gen 6 ended before the save of gen 7, and that is older than the oldest event. Of gen 7 nobody
 * knows whether it ended before the oldest event: it stays.
 */
#ifndef CMD_AGE_H
#define CMD_AGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stackmap.h>

struct age_now {
	uint64_t	wall_ns;	/* since 1970 */
	uint64_t	boot_ns;	/* CLOCK_BOOTTIME */
	uint64_t	oldest_ns;	/* of the events in the ring buffer; 0: who knows */
	bool		is_this_boot;	/* the saves are of the boot that these are times of */
	bool		drops_live;	/* never mind the ring buffer */
};

/*
 * A save as it was seen: its file may be written anew at any time, and others may stand there then.
 */
struct age_key {
	uint64_t	offset;
	uint64_t	len;
	uint64_t	boot_ns;	/* when it was made */
	uint64_t	export_len;
	size_t		nr_generations;
	uint32_t	generation;	/* the last of these */
};

/* The saves that are to go, in their order in the file. */
struct age_choice {
	struct age_key	*keys;
	size_t		nr;
};

/*
 * Choose the oldest saves until @need bytes are chosen, and all that are older than @max_age_ns (0:
 * any age); always all of a generation or none. Returns 0 or -ENOMEM.
 */
int age_choose(const struct stackmap_store *store, const struct age_now *now, uint64_t need,
	       uint64_t max_age_ns, struct age_choice *ret_choice);
/* @save, of the same file as it is now, is one of them. */
bool age_is_chosen(const struct age_choice *choice, const struct stackmap_save *save);
void age_choice_release(struct age_choice *choice);

#endif /* CMD_AGE_H */
