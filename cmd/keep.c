// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * After the end of a recording: recording.h tells what happens in which order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "interrupt.h"
#include "recording.h"

/* A map so full has no room for some, even where it is not full to the last stack. */
#define FULL_PERCENT	98

#define SAVING_GIVEN_UP		"given up; the map is still in the kernel: trace-cmd stackmap save"
#define ATTACHING_GIVEN_UP	"given up; the maps lie beside the trace"

static int fail_on(struct recording *rec, const char *path, int err)
{
	rec->has_failed = true;
	return cmd_error("%s: %s", path, strerror(-err));
}

/* All of it may have gone elsewhere, which was said. */
static bool has_pending(const struct recording *rec)
{
	return rec->nr_saves && !access(rec->output.pending, F_OK);
}

static void tell_of_pending(const struct recording *rec)
{
	if (has_pending(rec))
		cmd_warn("the maps of %s are in %s", rec->output.path, rec->output.pending);
}

/* An empty map tells what became of the one that we know. */
static void note_reset_by_others(struct recording *rec)
{
	struct map_state now;

	map_state_read(rec->live, &now);
	if (rec->has_generation && now.look.has_generation &&
	    now.look.generation != rec->generation)
		rec->has_gap = true;
}

/* The last chance of what a rotation took out of the kernel and could not write. */
static bool save_pending(struct recording *rec)
{
	if (!recording_save_pending(rec))
		return true;
	rec->has_failed = true;
	cmd_library_error(stackmap_live_get_error(rec->live));
	cmd_warn("that is lost; what came after it is still in the kernel: trace-cmd stackmap "
		 "save -o FILE");
	return false;
}

/* Nobody knows it of a tracefs that was never there. */
static void tell_where_it_is(const struct recording *rec)
{
	struct map_state now;

	map_state_read(rec->live, &now);
	if (now.is_known ? now.is_allocated : rec->before.is_known)
		cmd_warn("the map is still in the kernel: trace-cmd stackmap save -o FILE saves "
			 "it");
}

/* The map as it is now, to the pending file. */
static void save(struct recording *rec)
{
	struct stackmap_saved saved = { .size = sizeof(saved) };
	int err;

	if (!save_pending(rec))
		return;
	err = stackmap_live_save(rec->live, rec->output.pending, &saved);
	if (!err) {
		recording_note_saved(rec, &saved);
		return;
	}
	if (err == -ENODATA) {
		note_reset_by_others(rec);
		return;
	}
	rec->has_failed = true;
	if (interrupt_is_given_up()) {
		cmd_error(SAVING_GIVEN_UP);
		return;
	}
	cmd_library_error(stackmap_live_get_error(rec->live));
	tell_where_it_is(rec);
}

static void set_aside(struct recording *rec)
{
	char *name;
	int err = output_set_aside(&rec->output, &name);

	if (err)
		fail_on(rec, rec->output.saved, err);
	else if (name && !rec->options->is_quiet)
		cmd_warn("%s was of the trace before; it is %s now", rec->output.saved, name);
	free(name);
}

/* Files that are one with the trace now. */
static void remove_files(const struct recording *rec)
{
	size_t i;

	if (rec->is_beside)
		output_remove(rec->output.saved);
	for (i = 0; i < rec->away.nr; i++)
		output_remove(rec->away.paths[i]);
}

static int add_files(const struct recording *rec, struct stackmap_attachment *attachment)
{
	int err = 0;
	size_t i;

	if (rec->is_beside)
		err = stackmap_attachment_add_file(attachment, rec->output.saved);
	for (i = 0; i < rec->away.nr && !err; i++)
		err = stackmap_attachment_add_file(attachment, rec->away.paths[i]);
	return err;
}

/* The library could not put something into a file. */
static void fail_to_write(struct recording *rec, const char *words)
{
	rec->has_failed = true;
	if (interrupt_is_given_up())
		cmd_error(ATTACHING_GIVEN_UP);
	else
		cmd_library_error(words);
}

static bool attach(struct recording *rec)
{
	struct stackmap_attachment *attachment = stackmap_attachment_new();
	int err;

	if (!attachment) {
		rec->has_failed = true;
		cmd_nomem();
		return false;
	}
	stackmap_attachment_set_log(attachment, cmd_log, NULL);
	err = add_files(rec, attachment);
	if (!err)
		err = stackmap_attachment_write(attachment, rec->output.path);
	if (err < 0)
		fail_to_write(rec, stackmap_attachment_get_error(attachment));
	stackmap_attachment_free(attachment);
	if (err < 0)
		return false;
	remove_files(rec);
	return true;
}

static void say_result(const struct recording *rec, const char *place)
{
	if (rec->options->is_quiet)
		return;
	cmd_warn("%zu %s with %llu %s: %s", rec->nr_saves, rec->nr_saves == 1 ? "map" : "maps",
		 (unsigned long long)rec->nr_stacks, rec->nr_stacks == 1 ? "stack" : "stacks",
		 place);
}

/* Their tie to the trace: without it they are believed less, but not lost. */
static void tie_file(struct recording *rec, const char *path)
{
	struct stackmap_store *store = stackmap_store_new();

	if (!store)
		cmd_nomem();
	else if (stackmap_store_open(store, path) || stackmap_store_tie(store, rec->output.path))
		fail_to_write(rec, stackmap_store_get_error(store));
	stackmap_store_free(store);
}

static void tie(struct recording *rec)
{
	size_t i;

	if (rec->is_beside)
		tie_file(rec, rec->output.saved);
	for (i = 0; i < rec->away.nr && !interrupt_is_given_up(); i++)
		tie_file(rec, rec->away.paths[i]);
}

/* The maps become those of the trace. */
static void publish(struct recording *rec)
{
	const char *place = rec->output.saved;
	int err = output_publish(&rec->output);

	/* All of it had to be saved elsewhere. */
	if (err == -ENOENT && rec->away.nr) {
		place = rec->away.paths[0];
	} else if (err) {
		fail_on(rec, place, err);
		tell_of_pending(rec);
		return;
	} else {
		rec->is_beside = true;
	}
	interrupt_stage("putting the maps into the trace", ATTACHING_GIVEN_UP);
	tie(rec);
	if (!rec->options->no_attach && !interrupt_is_given_up() && attach(rec))
		place = rec->output.path;
	say_result(rec, place);
}

/* There is a new trace at the output. */
static void keep_with_trace(struct recording *rec)
{
	int err;

	interrupt_stage("saving the stack map", SAVING_GIVEN_UP);
	save(rec);
	err = output_sync(&rec->output);
	if (err) {
		fail_on(rec, rec->output.path, err);
		tell_of_pending(rec);
		return;
	}
	set_aside(rec);
	if (rec->nr_saves)
		publish(rec);
	else if (!rec->has_failed && !rec->has_gap && !rec->options->is_quiet)
		cmd_warn("no stack was recorded; the option -T records one with each event");
}

/* The trace is where we cannot know. */
static void keep_without_trace(struct recording *rec)
{
	const char *remote = rec->options->remote;
	char *name = NULL;
	int err;

	interrupt_stage("saving the stack map", SAVING_GIVEN_UP);
	save(rec);
	away_bring_home(&rec->away, rec->output.pending);
	if (!has_pending(rec))
		return;
	err = output_keep(&rec->output, &name);
	if (err)
		fail_on(rec, rec->output.pending, err);
	else if (remote)
		cmd_warn("the trace is at %s, its maps are in %s", remote, name);
	else
		cmd_warn("%s is not there; the maps are in %s", rec->output.path, name);
	free(name);
}

/* No trace came of it. What was taken out of the kernel may be of use all the same. */
static void keep_what_is_left(struct recording *rec)
{
	struct map_state state;

	interrupt_stage("saving the stack map", SAVING_GIVEN_UP);
	save_pending(rec);
	away_bring_home(&rec->away, rec->output.pending);
	map_state_read(rec->live, &state);
	if (has_pending(rec))
		cmd_warn("%s was not written; the maps that were rotated are in %s",
			 rec->output.path ? rec->output.path : "the trace", rec->output.pending);
	/* silent where it failed before it recorded */
	if (state.is_known && map_state_is_used(&rec->before, &state))
		cmd_warn("no trace was written; the map has its stacks: "
			 "trace-cmd stackmap save -o FILE");
}

static void tell_what_is_missing(const struct recording *rec, const struct map_state *state)
{
	uint64_t most = state->look.capacity / 100 * FULL_PERCENT;

	if (rec->nr_missing == STACKMAP_MISSING_UNKNOWN)
		cmd_warn("how many stacks are in no saved map is not known");
	else if (rec->nr_missing)
		cmd_warn("%llu stacks are in no saved map",
			 (unsigned long long)rec->nr_missing);
	if (rec->has_gap)
		cmd_warn("another program reset the map meanwhile: what it held then is not saved "
			 "here. trace-cmd stackmap watch keeps it in its folder: attach that");
	if (most && state->look.entries >= most)
		cmd_warn("the map is full: what did not fit was recorded in full");
}

/* Ours alone, and nobody uses it: the option is not set, or this fails. It never waits. */
static void free_map(const struct recording *rec)
{
	if (rec->before.is_known && !rec->before.is_allocated && !rec->has_failed)
		stackmap_live_free_map(rec->live, STACKMAP_FREE_NOWAIT);
}

void recording_keep(struct recording *rec)
{
	struct map_state state;

	if (output_is_written(&rec->output)) {
		keep_with_trace(rec);
	} else if (recording_has_succeeded(rec) &&
		   (rec->options->remote || rec->options->unknown)) {
		keep_without_trace(rec);
	} else {
		keep_what_is_left(rec);
		return;
	}
	map_state_read(rec->live, &state);
	tell_what_is_missing(rec, &state);
	/* The map may still have what is missing: it is not freed. */
	rec->has_failed |= rec->has_gap || rec->has_losses;
	free_map(rec);
}
