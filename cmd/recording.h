/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording by trace-cmd whose maps are saved. What happens when:
 *
 *	before		look what the kernel can, and whether a map is there already
 *	trace-cmd runs	find the map that it makes; look at its fill; past the mark, rotate into
 *			TRACE.stackmap.new
 *	it has ended	was the trace written? If not, nothing is saved, moved or freed
 *	save		the map into TRACE.stackmap.new, and wait until it and the trace are on disk
 *	set aside	TRACE.stackmap, of the trace that was there before, becomes .old
 *	publish		TRACE.stackmap.new becomes TRACE.stackmap: reports have their stacks
 *	attach		into the trace; then TRACE.stackmap is not needed any more
 *	free		the map, if nobody had one before
 *
 * recording.c runs it, keep.c is what comes after its end.
 */
#ifndef CMD_RECORDING_H
#define CMD_RECORDING_H

#include <stackmap.h>

#include "away.h"
#include "child.h"
#include "map-state.h"
#include "output.h"
#include "record-options.h"
#include "rotation.h"

struct recording {
	const struct record_options *options;
	struct stackmap_live	*live;
	struct child		child;
	struct output		output;
	bool			is_met;		/* tracefs is there, and what follows is known */
	struct map_state	before;		/* how the map was */
	int			tracing_on;	/* before, where we pause; -1: not known */
	/* Rotating */
	bool			rotates;
	struct rotation		rotation;
	uint64_t		cost_from;	/* CPU time at which the last look was done */
	int			failed_with;	/* the last errno of a rotation, said already */
	/* What was saved */
	size_t			nr_saves;
	uint64_t		nr_stacks;
	uint64_t		nr_missing;	/* at most; or STACKMAP_MISSING_UNKNOWN */
	bool			has_generation;
	uint32_t		generation;	/* the next one that is to be saved */
	bool			has_gap;	/* others reset the map, too */
	bool			has_losses;	/* said by the library */
	bool			is_beside;	/* TRACE.stackmap has saves of it */
	struct away		away;
	bool			has_failed;
};

/*
 * Run @argv (of the real trace-cmd at @real) as @options say; @plain is what it would be without
 * us, and is what we become where there is no map to save. Our exit status.
 */
int recording_run(const struct record_options *options, const char *real, char **argv,
		  char **plain);

/* What a rotation could not write: 0 where there is none, or negative errno with words. */
int recording_save_pending(struct recording *recording);
/* A save or a rotation succeeded. */
void recording_note_saved(struct recording *recording, const struct stackmap_saved *saved);
/* trace-cmd has ended, with status 0. */
bool recording_has_succeeded(const struct recording *recording);

/* All that comes after the end, said where something is to be said. */
void recording_keep(struct recording *recording);

#endif /* CMD_RECORDING_H */
