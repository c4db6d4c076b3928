// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "interrupt.h"
#include "real.h"
#include "recording.h"

/* To look costs less than one thousandth of the time that passes until we look again. */
#define TIME_PER_COST	1250
/* Until the map is there: before it is used its generation is to be known. */
#define FIRST_LOOK	(20 * ROTATION_NS_PER_MS)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * ROTATION_NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

/* ---- what was saved ---- */

static void note_elsewhere(struct recording *rec, const char *path)
{
	cmd_warn("a map that was reset had to be saved in %s", path);
	away_note(&rec->away, path);
}

void recording_note_saved(struct recording *rec, const struct stackmap_saved *saved)
{
	if (saved->has_generation) {
		if (rec->has_generation && saved->generation != rec->generation)
			rec->has_gap = true;
		rec->has_generation = true;
		rec->generation = saved->generation + saved->is_reset;
	}
	rec->has_losses |= saved->has_losses;
	rec->nr_saves++;
	rec->nr_stacks += saved->nr_stacks;
	if (saved->nr_missing == STACKMAP_MISSING_UNKNOWN ||
	    __builtin_add_overflow(rec->nr_missing, saved->nr_missing, &rec->nr_missing))
		rec->nr_missing = STACKMAP_MISSING_UNKNOWN;
	if (saved->is_elsewhere && stackmap_live_get_path(rec->live))
		note_elsewhere(rec, stackmap_live_get_path(rec->live));
}

int recording_save_pending(struct recording *rec)
{
	struct stackmap_saved saved = { .size = sizeof(saved) };
	int err = stackmap_live_save_pending(rec->live, rec->output.pending, &saved);

	if (!err)
		recording_note_saved(rec, &saved);
	return err == -ENODATA ? 0 : err;
}

/* ---- the kernel ---- */

static int open_tracing_on(const struct recording *rec, int flags)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/tracing_on", stackmap_live_get_dir(rec->live)) < 0)
		return -1;
	fd = open(path, flags | O_CLOEXEC);
	free(path);
	return fd;
}

static int read_tracing_on(const struct recording *rec)
{
	int fd = open_tracing_on(rec, O_RDONLY);
	char state;
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, &state, 1);
	close(fd);
	return len == 1 ? state - '0' : -1;
}

/*
 * trace-cmd leaves it as it was. Where it did so while we paused, the end of the pause has undone
 * that.
 */
static void restore_tracing_on(const struct recording *rec)
{
	int fd;

	if (!rec->rotates || rec->tracing_on < 0 || read_tracing_on(rec) == rec->tracing_on)
		return;
	fd = open_tracing_on(rec, O_WRONLY);
	if (fd < 0)
		return;
	if (write(fd, rec->tracing_on ? "1" : "0", 1) < 0)
		cmd_warn("tracing_on: %s", strerror(errno));
	close(fd);
}

static void note_first_generation(struct recording *rec, const struct map_state *state)
{
	if (rec->has_generation || !state->look.has_generation)
		return;
	rec->has_generation = true;
	rec->generation = state->look.generation;
}

static void tell_of_rotation(const struct recording *rec, unsigned int abilities)
{
	const struct record_options *options = rec->options;

	if (rec->rotates || options->no_rotate || (!options->has_rotate_at && !options->pause))
		return;
	if (abilities & STACKMAP_CAN_GENERATIONS)
		cmd_warn("this kernel loses stacks when the map is rotated while tracing runs: "
			 "--rotate-at needs --pause");
	else
		cmd_warn("cookies of this kernel have no generation: the map is not rotated");
}

static void decide_rotation(struct recording *rec)
{
	const struct rotation_policy policy = { .percent = rec->options->rotate_at };
	unsigned int abilities = stackmap_live_get_abilities(rec->live);

	rec->rotates = !rec->options->no_rotate && (abilities & STACKMAP_CAN_GENERATIONS) &&
		       ((abilities & STACKMAP_CAN_ROTATE) || rec->options->pause);
	tell_of_rotation(rec, abilities);
	rotation_init(&rec->rotation, &policy, now_ns());
}

static void meet_kernel(struct recording *rec)
{
	rec->is_met = true;
	map_state_read(rec->live, &rec->before);
	note_first_generation(rec, &rec->before);
	/* trace-cmd mounts tracefs where that was not done: then a map may be of its making. */
	if (rec->child.pid && rec->before.is_allocated)
		rec->before = (struct map_state){ .is_known = false };
	rec->tracing_on = rec->options->pause ? read_tracing_on(rec) : -1;
	decide_rotation(rec);
}

/* ---- while trace-cmd runs ---- */

static void rotate(struct recording *rec)
{
	struct stackmap_saved saved = { .size = sizeof(saved) };
	unsigned int flags = rec->options->pause ? STACKMAP_ROTATE_PAUSE : 0;
	uint64_t from = now_ns();
	int err;

	err = recording_save_pending(rec);
	if (!err)
		err = stackmap_live_rotate(rec->live, rec->output.pending, flags, &saved);
	if (!err) {
		recording_note_saved(rec, &saved);
		rotation_done(&rec->rotation, from, now_ns());
		rec->failed_with = 0;
		return;
	}
	rotation_failed(&rec->rotation, now_ns());
	if (err != rec->failed_with)
		cmd_library_error(stackmap_live_get_error(rec->live));
	rec->failed_with = err;
}

static bool awaits_map(const struct recording *rec)
{
	return !rec->is_met || (!rec->has_generation && stackmap_live_get_abilities(rec->live) &
						      STACKMAP_CAN_GENERATIONS);
}

/* The map, and for how long to sleep until the next look. True: it is to be rotated. */
static bool look_at_map(struct recording *rec, struct map_state *state, uint64_t *ret_sleep_ns)
{
	enum rotation_due due = ROTATION_NOT_DUE;

	map_state_read(rec->live, state);
	note_first_generation(rec, state);
	if (rec->rotates)
		due = rotation_look(&rec->rotation, &state->look, now_ns(), ret_sleep_ns);
	return due != ROTATION_NOT_DUE;
}

/* How long to sleep until the next look. */
static uint64_t look(struct recording *rec)
{
	uint64_t sleep_ns = FIRST_LOOK, cost;
	struct map_state state;
	bool is_due = false;

	if (!rec->is_met && !stackmap_live_open(rec->live)) {
		meet_kernel(rec);
		rec->cost_from = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	if (rec->is_met)
		is_due = look_at_map(rec, &state, &sleep_ns);
	if (awaits_map(rec))
		sleep_ns = FIRST_LOOK;
	cost = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - rec->cost_from) * TIME_PER_COST;
	/* what was there before is no reason: trace-cmd may not get as far as recording */
	if (is_due && map_state_is_used(&rec->before, &state) &&
	    stackmap_live_is_enabled(rec->live) > 0)
		rotate(rec);
	rec->cost_from = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	return sleep_ns > cost ? sleep_ns : cost;
}

static void wait_for_end(struct recording *rec)
{
	uint64_t sleep_ns = FIRST_LOOK;
	bool looks, has_ended;

	rec->cost_from = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	do {
		looks = rec->rotates || awaits_map(rec);
		has_ended = child_wait(&rec->child, looks ? (long long)sleep_ns : -1);
		if (!has_ended)
			sleep_ns = look(rec);
	} while (!has_ended);
	child_release(&rec->child);
}

bool recording_has_succeeded(const struct recording *rec)
{
	return WIFEXITED(rec->child.status) && !WEXITSTATUS(rec->child.status);
}

/* ---- the whole ---- */

/* False: there is no map to save; said. */
static bool has_map(const struct recording *rec)
{
	int err = stackmap_live_open(rec->live);

	/* trace-cmd mounts tracefs where that was not done */
	if (!err || err == -ENOENT)
		return true;
	cmd_library_error(stackmap_live_get_error(rec->live));
	return false;
}

/* What is recorded is for others to save: said. */
static bool leaves_map(const struct recording *rec)
{
	if (rec->options->is_daemon)
		cmd_warn("--daemonize: when it has ended, save the map: trace-cmd stackmap save");
	else if (output_is_no_file(&rec->output))
		cmd_warn("%s is no file: the map stays in the kernel", rec->output.path);
	else
		return false;
	return true;
}

/* The exit status. */
static int run_child(struct recording *rec, const char *real, char **argv)
{
	int status, err;

	if (stackmap_live_get_dir(rec->live))
		meet_kernel(rec);
	err = child_start(&rec->child, real, argv);
	if (err)
		return cmd_error("%s cannot be run: %s", real, strerror(-err));
	/* who reads our messages may be gone, the map is saved all the same */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	wait_for_end(rec);
	status = recording_has_succeeded(rec) ? CMD_FAILED : WEXITSTATUS(rec->child.status);
	interrupt_begin(status ? status : CMD_FAILED);
	child_unblock(&rec->child);
	restore_tracing_on(rec);
	recording_keep(rec);
	interrupt_end();
	status = child_exit_like(&rec->child);
	return !status && rec->has_failed ? CMD_FAILED : status;
}

static void release(struct recording *rec)
{
	away_release(&rec->away);
	output_release(&rec->output);
	stackmap_live_free(rec->live);
}

int recording_run(const struct record_options *options, const char *real, char **argv,
		  char **plain)
{
	const char *path = options->output ? options->output : RECORD_DEFAULT_OUTPUT;
	struct recording rec = { .options = options };
	char **becomes = NULL;
	int status;

	rec.live = stackmap_live_new(NULL);
	if (!rec.live)
		return cmd_nomem();
	stackmap_live_set_log(rec.live, cmd_log, NULL);
	status = output_init(&rec.output, options->remote ? NULL : path);
	if (status == CMD_OK) {
		if (!has_map(&rec))
			becomes = plain;
		else if (leaves_map(&rec))
			becomes = argv;
		else
			status = run_child(&rec, real, argv);
	}
	release(&rec);
	return becomes ? real_become(real, becomes) : status;
}
