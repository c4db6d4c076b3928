// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap watch: saves the maps of a machine that traces for long, from boot on. What it
 * does next is decided in watch.c; here are the system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "apart.h"
#include "away.h"
#include "cmd.h"
#include "folder.h"
#include "notify.h"
#include "saves.h"
#include "units.h"
#include "watch.h"

#define DEFAULT_FOLDER	"/var/lib/trace-stackmap"
#define DEFAULT_PERCENT	75
#define DEFAULT_EVERY	"10m"
#define DEFAULT_MAX_LEN	(1ULL << 30)
#define LOCK_WAIT_MS	1000

#define BOOT_ID_PATH	"/proc/sys/kernel/random/boot_id"

/* Age is looked at that often only: it costs a look into every file. So is what had to stay. */
#define AGE_PERIOD_NS	(3600 * ROTATION_NS_PER_S)
/* What had to stay is looked at when the folder has grown by such a part of its bound, too. */
#define OVER_PART	8

enum {
	KEY_ROTATE_AT = CMD_KEY_OWN,
	KEY_EVERY,
	KEY_PAUSE,
	KEY_MAX_SIZE,
	KEY_MAX_AGE,
	KEY_DROP_LIVE,
};

struct watcher {
	const char		*folder;
	struct rotation_policy	policy;
	struct folder_bounds	bounds;
	bool			pauses;
	bool			is_quiet;
	struct stackmap_live	*live;
	char			*path;		/* of this boot's file */
	int			lock;		/* the folder, held by one watch at a time */
	uint64_t		aged_ns;	/* when age was looked at; 0: never */
	bool			said_over;	/* that the folder is larger than it should be */
	uint64_t		over_len;	/* bytes of it when all that may go had gone */
	uint64_t		over_ns;	/* when that was */
	uint64_t		seen_len;	/* bytes of it, at the last look */
	uint64_t		unread_len;	/* bytes of it that do not count */
	char			said_stuck[1024];	/* what was said of these; "": nothing */
	struct stackmap_saved	saved;		/* the last one */
	struct away		away;		/* what belongs into path */
};

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * ROTATION_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Those that end us. Who was started with SIGHUP ignored, by nohup, outlives its terminal. */
static void end_signals(sigset_t *ret_set)
{
	struct sigaction action;

	sigemptyset(ret_set);
	sigaddset(ret_set, SIGTERM);
	sigaddset(ret_set, SIGINT);
	if (sigaction(SIGHUP, NULL, &action) || action.sa_handler != SIG_IGN)
		sigaddset(ret_set, SIGHUP);
}

/* ---- struct watch_ops ---- */

static uint64_t op_now(void *data)
{
	return read_clock(CLOCK_BOOTTIME);
}

static uint64_t stat_value(const struct stackmap_stat *stat, enum stackmap_stat_field field)
{
	uint64_t value = 0;

	stackmap_stat_get(stat, field, &value);
	return value;
}

static int op_look(void *data, struct watch_look *ret_look)
{
	struct watcher *watcher = data;
	struct stackmap_stat *stat = stackmap_live_read_stat(watcher->live);
	struct rotation_look *map = &ret_look->map;
	uint64_t value;

	if (!stat)
		return -errno;
	map->has_generation = !stackmap_stat_get(stat, STACKMAP_STAT_GENERATION, &value);
	map->generation = map->has_generation ? (uint32_t)value : 0;
	map->entries = stat_value(stat, STACKMAP_STAT_ENTRIES);
	map->capacity = stat_value(stat, STACKMAP_STAT_CAPACITY);
	if (!stackmap_stat_find(stat, "arena_used", &value))
		map->arena_used = value;
	if (!stackmap_stat_find(stat, "arena_size", &value))
		map->arena_size = value;
	ret_look->successes = stat_value(stat, STACKMAP_STAT_SUCCESSES);
	stackmap_stat_free(stat);
	return 0;
}

static void op_tell(void *data, const char *line)
{
	const struct watcher *watcher = data;

	if (watcher->is_quiet)
		return;
	print_escaped(line);
	putchar('\n');
	cmd_flush();
}

/* Only where it pauses for a reset, or nothing is lost by one: the counters are exact. */
static void tell_missing(const struct watcher *watcher, const char *generation)
{
	uint64_t nr = watcher->saved.nr_missing;

	if (nr == STACKMAP_MISSING_UNKNOWN)
		cmd_warn("%s: stacks may be missing, and nothing tells how many", generation);
	else if (nr)
		cmd_warn("%s: %" PRIu64 " %s missing", generation, nr,
			 nr == 1 ? "stack is" : "stacks are");
}

static void tell_saved(struct watcher *watcher)
{
	const struct stackmap_saved *saved = &watcher->saved;
	char line[200], generation[32] = "the map";

	if (saved->has_generation)
		snprintf(generation, sizeof(generation), "generation %" PRIu32, saved->generation);
	snprintf(line, sizeof(line), "%s: %" PRIu64 " %s, %" PRIu64 " bytes%s", generation,
		 saved->nr_stacks, saved->nr_stacks == 1 ? "stack" : "stacks", saved->len,
		 saved->is_reset ? "" : ", and goes on");
	op_tell(watcher, line);
	tell_missing(watcher, generation);
}

/* Before anything is saved: what was first shall stand first. */
static void begin(struct watcher *watcher)
{
	watcher->saved = (struct stackmap_saved){ .size = sizeof(watcher->saved) };
	away_bring_home(&watcher->away, watcher->path);
}

/* -EXDEV: not where it should be. */
static int finish(struct watcher *watcher, int ret)
{
	const char *path = stackmap_live_get_path(watcher->live);

	if (ret)
		return ret;
	if (!watcher->saved.is_elsewhere) {
		tell_saved(watcher);
		return 0;
	}
	if (path)
		away_note(&watcher->away, path);
	return -EXDEV;
}

static int op_save(void *data)
{
	struct watcher *watcher = data;

	begin(watcher);
	return finish(watcher,
		      stackmap_live_save(watcher->live, watcher->path, &watcher->saved));
}

static int op_rotate(void *data)
{
	struct watcher *watcher = data;
	unsigned int flags = watcher->pauses ? STACKMAP_ROTATE_PAUSE : 0;

	begin(watcher);
	return finish(watcher, stackmap_live_rotate(watcher->live, watcher->path, flags,
						    &watcher->saved));
}

static void op_complain(void *data, int code)
{
	struct watcher *watcher = data;
	const char *path;

	if (code != -EXDEV) {
		cmd_library_error(stackmap_live_get_error(watcher->live));
		return;
	}
	path = stackmap_live_get_path(watcher->live);
	cmd_error("%s: cannot be written to: generation %" PRIu32 " is in %s until it can: as long "
		  "name that file too, to attach or with -m",
		  watcher->path, watcher->saved.generation, path ? path : "another file");
}

/* 0: not known. */
static uint64_t oldest_event(struct watcher *watcher, uint64_t boot_ns)
{
	uint64_t oldest_ns;
	int ret = stackmap_live_get_oldest_ns(watcher->live, &oldest_ns);

	if (ret == -ENODATA)
		return boot_ns;
	return ret ? 0 : oldest_ns;
}

/* Once, until it is another file, or something else about it. */
static void tell_stuck(struct watcher *watcher, const struct folder_trimmed *trimmed)
{
	char line[sizeof(trimmed->stuck) + 128], more[48] = "";

	watcher->unread_len = trimmed->unread_len;
	if (trimmed->nr_stuck > 1)
		snprintf(more, sizeof(more), " (%zu more like it)", trimmed->nr_stuck - 1);
	snprintf(line, sizeof(line), "%s: it stays, and does not count for the bounds%s",
		 trimmed->stuck, more);
	if (trimmed->nr_stuck && strcmp(trimmed->stuck, watcher->said_stuck))
		cmd_library_error(line);
	strcpy(watcher->said_stuck, trimmed->stuck);
}

struct trim {
	const struct watcher	*watcher;
	struct folder_bounds	bounds;
	struct folder_now	now;
	struct folder_trimmed	trimmed;
};

static void call_trim(void *data)
{
	struct trim *trim = data;

	folder_trim(trim->watcher->folder, trim->watcher->path, &trim->bounds, &trim->now,
		    &trim->trimmed);
}

/*
 * All files are read for that, and one may be written anew: who wants us to end does not wait for
 * it. What it was about to write counts for nothing then, as if it had been killed.
 */
static bool trim_apart(const struct watcher *watcher, struct trim *trim)
{
	sigset_t set;

	end_signals(&set);
	return apart_call(&set, call_trim, trim, sizeof(*trim));
}

static void trim(struct watcher *watcher, const struct folder_bounds *bounds)
{
	struct trim trim = { .watcher = watcher, .bounds = *bounds };
	const struct folder_trimmed *trimmed = &trim.trimmed;
	char line[200];

	trim.now.wall_ns = read_clock(CLOCK_REALTIME);
	trim.now.boot_ns = read_clock(CLOCK_BOOTTIME);
	trim.now.oldest_ns = oldest_event(watcher, trim.now.boot_ns);
	if (!trim_apart(watcher, &trim))
		return;
	tell_stuck(watcher, trimmed);
	if (trimmed->nr_saves) {
		snprintf(line, sizeof(line), "dropped the oldest %zu %s, %" PRIu64 " bytes",
			 trimmed->nr_saves, trimmed->nr_saves == 1 ? "save" : "saves",
			 trimmed->len);
		op_tell(watcher, line);
	}
	if (trimmed->over_len && !watcher->said_over)
		cmd_warn("%s: %" PRIu64 " bytes more than --max-size: the ring buffer may still "
			 "need what is left (see --drop-live)", watcher->folder, trimmed->over_len);
	watcher->said_over = trimmed->over_len != 0;
	watcher->over_len = trimmed->over_len ? bounds->max_len + trimmed->over_len : 0;
	watcher->over_ns = trim.now.boot_ns;
}

/* Bytes of the folder that count, without opening a file of it. */
static int counted_len(struct watcher *watcher, uint64_t *ret_len)
{
	uint64_t len;

	if (folder_len(watcher->folder, &len) != CMD_OK)
		return CMD_FAILED;
	/* What could not be read may be gone. */
	if (len < watcher->seen_len)
		watcher->unread_len = 0;
	watcher->seen_len = len;
	*ret_len = len > watcher->unread_len ? len - watcher->unread_len : 0;
	return CMD_OK;
}

/* More than the bound, and more may go of it than at the last look. */
static bool is_too_long(const struct watcher *watcher, uint64_t len, uint64_t now)
{
	const uint64_t max_len = watcher->bounds.max_len;

	if (!max_len || len <= max_len)
		return false;
	return !watcher->over_len || len >= watcher->over_len + max_len / OVER_PART ||
	       now - watcher->over_ns >= AGE_PERIOD_NS;
}

static void op_trim(void *data)
{
	struct watcher *watcher = data;
	struct folder_bounds bounds = watcher->bounds;
	uint64_t now = op_now(watcher), len;

	if (!bounds.max_age_ns ||
	    (watcher->aged_ns && now - watcher->aged_ns < AGE_PERIOD_NS))
		bounds.max_age_ns = 0;
	else
		watcher->aged_ns = now;
	if (counted_len(watcher, &len) != CMD_OK)
		return;
	if (bounds.max_age_ns || is_too_long(watcher, len, now))
		trim(watcher, &bounds);
}

static void op_missed(void *data, uint32_t first, uint32_t behind)
{
	if (behind - first == 1)
		cmd_warn("generation %" PRIu32 " is not saved here as a whole: somebody else reset "
			 "the map, or this was killed as it did", first);
	else
		cmd_warn("generations %" PRIu32 " to %" PRIu32 " are not saved here as a whole: "
			 "somebody else reset the map, or this was killed as it did", first,
			 behind - 1);
}

static const struct watch_ops ops = {
	.now = op_now,
	.look = op_look,
	.save = op_save,
	.rotate = op_rotate,
	.trim = op_trim,
	.complain = op_complain,
	.missed = op_missed,
	.tell = op_tell,
};

/* ---- signals ---- */

/* They are taken between two steps: none of them interrupts a save. */
static void take_signals(sigset_t *ret_set)
{
	end_signals(ret_set);
	sigaddset(ret_set, SIGUSR1);
	sigprocmask(SIG_BLOCK, ret_set, NULL);
	/* Whoever reads our news may go; we stay. */
	signal(SIGPIPE, SIG_IGN);
}

/* At most @sleep_ns; 0: take what is there. */
static unsigned int wait_for_signals(const sigset_t *set, uint64_t sleep_ns)
{
	static const struct timespec at_once;
	struct timespec timeout = { (time_t)(sleep_ns / ROTATION_NS_PER_S),
				    (long)(sleep_ns % ROTATION_NS_PER_S) };
	unsigned int events = 0;
	int nr;

	for (nr = sigtimedwait(set, NULL, &timeout); nr > 0;
	     nr = sigtimedwait(set, NULL, &at_once))
		events |= nr == SIGUSR1 ? WATCH_ASKED : WATCH_END;
	return events;
}

/* The latest generation, which need not be that of the last save. False: none. */
static bool find_latest(const struct stackmap_store *store, uint32_t *ret_generation)
{
	size_t nr = stackmap_store_nr_saves(store), nr_generations, i;
	const struct stackmap_save *save;
	uint32_t generation;
	bool found = false;

	for (i = 0; i < nr; i++) {
		save = stackmap_store_get_save(store, i);
		nr_generations = stackmap_save_nr_generations(save);
		if (!stackmap_save_has_generation(save) || !nr_generations)
			continue;
		generation = stackmap_save_get_generation(save, nr_generations - 1);
		if (!found || stackmap_generation_is_later(generation, *ret_generation))
			*ret_generation = generation;
		found = true;
	}
	return found;
}

/* One save of it was made when it was out of use; a text of the same map does not tell. */
static bool is_closed(const struct stackmap_store *store, uint32_t generation)
{
	size_t nr = stackmap_store_nr_saves(store), nr_generations;
	const struct stackmap_save *save;

	while (nr-- > 0) {
		save = stackmap_store_get_save(store, nr);
		nr_generations = stackmap_save_nr_generations(save);
		if (nr_generations && stackmap_save_has_generation(save) &&
		    stackmap_save_get_generation(save, nr_generations - 1) == generation &&
		    stackmap_save_is_closed(save))
			return true;
	}
	return false;
}

struct left_off {
	const char	*path;
	bool		is_known;
	uint32_t	generation;	/* the next one */
};

static void find_left_off(void *data)
{
	struct stackmap_store *store = stackmap_store_new();
	struct left_off *left_off = data;

	/* No file yet, or one that the first save will tell of. */
	if (store && !stackmap_store_open(store, left_off->path))
		left_off->is_known = find_latest(store, &left_off->generation);
	if (left_off->is_known)
		left_off->generation += is_closed(store, left_off->generation);
	stackmap_store_free(store);
}

/* Where an earlier watch of this boot has left off. All of the file is read for that. */
static void expect_next(struct watch *watch, const char *path)
{
	struct left_off left_off = { .path = path };
	sigset_t set;

	end_signals(&set);
	if (apart_call(&set, find_left_off, &left_off, sizeof(left_off)) && left_off.is_known)
		watch_expect(watch, left_off.generation);
}

/* What waits in memory needs no kernel, which may be out of reach by now. */
static bool save_pending(struct watcher *watcher)
{
	int ret;

	begin(watcher);
	ret = finish(watcher, stackmap_live_save_pending(watcher->live, watcher->path,
							 &watcher->saved));
	if (!ret || ret == -ENODATA)
		return true;
	op_complain(watcher, ret);
	return ret == -EXDEV;
}

static int run(struct watcher *watcher, const sigset_t *set)
{
	uint64_t sleep_ns = 0;
	unsigned int events;
	struct watch watch;

	watch_init(&watch, &ops, watcher, &watcher->policy);
	expect_next(&watch, watcher->path);
	op_tell(watcher, watcher->path);
	/* The first step is done before others hear of us. */
	watch_step(&watch, 0, &sleep_ns);
	notify_manager("READY=1");
	do {
		events = wait_for_signals(set, sleep_ns);
		if (events & WATCH_END)
			break;
		watch_step(&watch, events, &sleep_ns);
	} while (true);
	notify_manager("STOPPING=1");
	/* A second signal ends us at once: nothing of what is on disk suffers. */
	sigprocmask(SIG_UNBLOCK, set, NULL);
	if (!save_pending(watcher))
		return CMD_FAILED;
	return watch_step(&watch, WATCH_END, &sleep_ns) ? CMD_FAILED : CMD_OK;
}

/* ---- setting up ---- */

static int read_boot_id(char boot_id[FOLDER_BOOT_ID_LEN + 1])
{
	int fd = open(BOOT_ID_PATH, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return cmd_error(BOOT_ID_PATH ": %s: which boot this is cannot be told",
				 strerror(errno));
	got = read(fd, boot_id, FOLDER_BOOT_ID_LEN);
	close(fd);
	boot_id[FOLDER_BOOT_ID_LEN] = '\0';
	if (got != FOLDER_BOOT_ID_LEN ||
	    strspn(boot_id, "0123456789abcdef-") != FOLDER_BOOT_ID_LEN)
		return cmd_error(BOOT_ID_PATH ": holds no boot id");
	return CMD_OK;
}

/* Two in one folder would do no harm to the maps, but rotate twice as often. */
static int lock_folder(struct watcher *watcher)
{
	watcher->lock = open(watcher->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (watcher->lock < 0)
		return cmd_error("%s: %s", watcher->folder, strerror(errno));
	if (flock(watcher->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return cmd_error("%s: another watch keeps its maps in this folder",
				 watcher->folder);
	if (access(watcher->folder, W_OK | X_OK))
		return cmd_error("%s: %s", watcher->folder, strerror(errno));
	return CMD_OK;
}

static int open_folder(struct watcher *watcher)
{
	uint64_t wall = read_clock(CLOCK_REALTIME), boot = read_clock(CLOCK_BOOTTIME);
	char boot_id[FOLDER_BOOT_ID_LEN + 1];

	if (read_boot_id(boot_id) != CMD_OK || folder_make(watcher->folder) != CMD_OK ||
	    lock_folder(watcher) != CMD_OK)
		return CMD_FAILED;
	watcher->path = folder_find(watcher->folder, boot_id, wall > boot ? wall - boot : 0);
	return watcher->path ? CMD_OK : CMD_FAILED;
}

/* What is not lossless is not done unless asked for. */
static void choose_way(struct watcher *watcher)
{
	unsigned int abilities = stackmap_live_get_abilities(watcher->live);

	if (abilities & STACKMAP_CAN_ROTATE)
		return;
	if (!(abilities & STACKMAP_CAN_GENERATIONS)) {
		watcher->policy.is_kept = true;
		cmd_warn("cookies of this kernel tell no generation: the map is saved, and never "
			 "reset");
	} else if (!watcher->pauses) {
		watcher->policy.is_kept = true;
		cmd_warn("a reset loses stacks on this kernel: the map is saved, and not reset "
			 "(but see --pause)");
	}
}

static int open_live(struct watcher *watcher)
{
	watcher->live = stackmap_live_new(NULL);
	if (!watcher->live)
		return cmd_nomem();
	stackmap_live_set_log(watcher->live, cmd_log, NULL);
	/* The map is still there the next time, and who ends us does not wait. */
	stackmap_live_set_lock_wait(watcher->live, LOCK_WAIT_MS);
	if (stackmap_live_open(watcher->live))
		return cmd_library_error(stackmap_live_get_error(watcher->live));
	choose_way(watcher);
	return CMD_OK;
}

static int watch_maps(struct watcher *watcher)
{
	int status = CMD_FAILED;
	sigset_t set;

	watcher->lock = -1;
	if (open_live(watcher) != CMD_OK || open_folder(watcher) != CMD_OK)
		goto out;
	take_signals(&set);
	status = run(watcher, &set);
out:
	if (watcher->lock >= 0)
		close(watcher->lock);
	away_release(&watcher->away);
	free(watcher->path);
	stackmap_live_free(watcher->live);
	return status;
}

/* ---- arguments ---- */

/* A time, or "never". */
static bool take_time(const char *option, const char *value, uint64_t *ret_ns)
{
	if (strcmp(value, "never"))
		return units_parse_time(option, value, ret_ns);
	*ret_ns = 0;
	return true;
}

static bool take_percent(const char *option, const char *value, unsigned int *ret_percent)
{
	if (strcmp(value, "never"))
		return units_parse_percent(option, value, ret_percent);
	*ret_percent = 0;
	return true;
}

static bool take_size(const char *option, const char *value, uint64_t *ret_len)
{
	if (strcmp(value, "never"))
		return units_parse_size(option, value, ret_len);
	*ret_len = 0;
	return true;
}

static bool take_option(struct watcher *watcher, int key, const char *value)
{
	switch (key) {
	case 'd':
		watcher->folder = value;
		return true;
	case 'q':
		watcher->is_quiet = true;
		return true;
	case KEY_ROTATE_AT:
		return take_percent("--rotate-at", value, &watcher->policy.percent);
	case KEY_EVERY:
		return take_time("--every", value, &watcher->policy.every_ns);
	case KEY_PAUSE:
		watcher->pauses = true;
		return true;
	case KEY_MAX_SIZE:
		return take_size("--max-size", value, &watcher->bounds.max_len);
	case KEY_MAX_AGE:
		return take_time("--max-age", value, &watcher->bounds.max_age_ns);
	case KEY_DROP_LIVE:
		watcher->bounds.drops_live = true;
		return true;
	}
	return false;
}

static int run_watch(const struct command *cmd, int argc, char **argv)
{
	struct watcher watcher = { .folder = DEFAULT_FOLDER,
				   .policy.percent = DEFAULT_PERCENT,
				   .bounds.max_len = DEFAULT_MAX_LEN };
	struct cmd_args args;
	int key, status = CMD_FAILED;

	take_time("--every", DEFAULT_EVERY, &watcher.policy.every_ns);
	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (!take_option(&watcher, key, args.value))
			break;
	}
	if (key == CMD_ARGS_END && cmd_args_first(&args) < argc)
		cmd_error("'%s' is no option; see --help", argv[cmd_args_first(&args)]);
	else if (key == CMD_ARGS_END)
		status = watch_maps(&watcher);
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option watch_own_options[] = {
	{ 'd', "directory", "DIR", NULL, "folder of the saved maps; default " DEFAULT_FOLDER },
	{ KEY_ROTATE_AT, "rotate-at", "PART", NULL,
	  "rotate when so much of the map is full; default 75%; or never" },
	{ KEY_EVERY, "every", "TIME", NULL,
	  "rotate that long after the last time; default " DEFAULT_EVERY "; or never" },
	{ KEY_PAUSE, "pause", NULL, NULL,
	  "pause tracing to rotate where stacks would be lost without" },
	{ KEY_MAX_SIZE, "max-size", "SIZE", NULL,
	  "drop the oldest maps beyond it; default 1G; or never" },
	{ KEY_MAX_AGE, "max-age", "TIME", NULL, "drop maps that are older; default never" },
	{ KEY_DROP_LIVE, "drop-live", NULL, NULL,
	  "drop also maps that the ring buffer may still need" },
	{ 'q', "quiet", NULL, NULL, "tell of failures only" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const watch_options[] = { watch_own_options, NULL };

const struct command cmd_watch = {
	.name = "watch",
	.synopsis = "[OPTION...]",
	.summary = "Save the maps of a machine that traces from boot on",
	.help =
"\n"
"Runs until SIGTERM or SIGINT, which save what there is and end it; SIGUSR1 rotates. Each\n"
"boot has a saved-map file of its own in DIR. PART is 75%, TIME is 90s, 10m, 12h or 7d,\n"
"SIZE is 64M or 2G.\n",
	.options = watch_options,
	.run = run_watch,
};
