// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the commands share that act on the map of the running kernel: see live.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd.h"
#include "live.h"
#include "saves.h"

struct stackmap_live *live_open(void)
{
	struct stackmap_live *live = stackmap_live_new(NULL);

	if (!live) {
		cmd_nomem();
		return NULL;
	}
	stackmap_live_set_log(live, cmd_log, NULL);
	if (!stackmap_live_open(live))
		return live;
	live_error(live);
	stackmap_live_free(live);
	return NULL;
}

int live_error(const struct stackmap_live *live)
{
	return cmd_library_error(stackmap_live_get_error(live));
}

int live_check_output(const char *path)
{
	if (!strcmp(path, "-"))
		return cmd_error("saved maps cannot be written to standard output; give a file "
				 "with -o FILE");
	return *path ? CMD_OK : cmd_error("-o: a file name is missing");
}

/* ---- interrupts ---- */

static const int guarded_signals[] = { SIGINT, SIGTERM, SIGHUP };

#define NR_GUARDED	(sizeof(guarded_signals) / sizeof(guarded_signals[0]))

/* Seconds to put back what was there before; then it hangs, in a lock or on a disk. */
#define PUT_BACK_S	5

/* A signal handler is told by nothing else. */
static struct {
	char			line[4096];	/* what the first one prints */
	size_t			len;
	char			last[128];	/* what is printed where it hangs all the same */
	volatile sig_atomic_t	nr;		/* that came */
	struct rlimit		limit;		/* on the size of files, as it was */
	struct sigaction	old[NR_GUARDED], old_alarm, old_limit;
} guard;

static void say_doing(void)
{
	ssize_t written = write(STDERR_FILENO, guard.line, guard.len);

	(void)written;
}

static void give_up(void)
{
	struct rlimit none = { .rlim_cur = 0, .rlim_max = guard.limit.rlim_max };

	setrlimit(RLIMIT_FSIZE, &none);
	alarm(PUT_BACK_S);
}

static void on_interrupt(int sig)
{
	int saved = errno;

	guard.nr++;
	if (guard.nr == 1)
		say_doing();
	else if (guard.nr == 2)
		give_up();
	errno = saved;
}

/* A store that ends in the middle of a block stays readable. */
static void on_alarm(int sig)
{
	ssize_t written;

	setrlimit(RLIMIT_FSIZE, &guard.limit);
	written = write(STDERR_FILENO, guard.last, strlen(guard.last));
	(void)written;
	_exit(CMD_FAILED);
}

static void make_line(const char *doing, const char *path)
{
	char text[2048];
	int len;

	len = snprintf(text, sizeof(text), "%s: %s %s; interrupt again to give up", cmd_prefix(),
		       doing, path);
	if (len < 0 || (size_t)len >= sizeof(text))
		len = snprintf(text, sizeof(text), "%s: %s; interrupt again to give up",
			       cmd_prefix(), doing);
	guard.len = stackmap_escape(guard.line, sizeof(guard.line) - 1, text, (size_t)len);
	if (guard.len > sizeof(guard.line) - 2)
		guard.len = strlen(guard.line);
	guard.line[guard.len++] = '\n';
	snprintf(guard.last, sizeof(guard.last), "%s: given up; nothing new is saved\n",
		 cmd_prefix());
}

void live_guard_begin(const char *doing, const char *path)
{
	/* Reading and writing go on where they were. */
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	struct sigaction alarm_action = { .sa_handler = on_alarm };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	size_t i;

	make_line(doing, path);
	guard.nr = 0;
	getrlimit(RLIMIT_FSIZE, &guard.limit);
	sigaction(SIGALRM, &alarm_action, &guard.old_alarm);
	sigaction(SIGXFSZ, &ignore, &guard.old_limit);
	for (i = 0; i < NR_GUARDED; i++) {
		sigaction(guarded_signals[i], NULL, &guard.old[i]);
		/* nohup(1) */
		if (guard.old[i].sa_handler != SIG_IGN)
			sigaction(guarded_signals[i], &action, NULL);
	}
}

bool live_guard_end(void)
{
	size_t i;

	alarm(0);
	for (i = 0; i < NR_GUARDED; i++)
		sigaction(guarded_signals[i], &guard.old[i], NULL);
	sigaction(SIGALRM, &guard.old_alarm, NULL);
	setrlimit(RLIMIT_FSIZE, &guard.limit);
	sigaction(SIGXFSZ, &guard.old_limit, NULL);
	return guard.nr > 1;
}

/* ---- results ---- */

static const char *written_to(const struct stackmap_live *live, const char *path)
{
	const char *real = stackmap_live_get_path(live);

	return real ? real : path;
}

void live_print_saved(const struct stackmap_live *live, const struct stackmap_saved *saved,
		      const char *path)
{
	print_escaped(written_to(live, path));
	printf(": ");
	if (saved->has_generation)
		printf("generation %" PRIu32 " saved, ", saved->generation);
	else
		printf("saved, ");
	print_count(saved->nr_stacks, "stack", "stacks");
	printf(", ");
	print_count(saved->len, "byte", "bytes");
	puts(saved->is_reset ? "; the map is reset" : "");
}

void live_print_saved_json(struct json *json, const struct stackmap_live *live,
			   const struct stackmap_saved *saved, const char *path)
{
	if (!saved) {
		json_null(json, "saved");
		return;
	}
	json_open(json, "saved", '{');
	json_text(json, "path", written_to(live, path));
	json_bool(json, "elsewhere", saved->is_elsewhere);
	if (saved->has_generation)
		json_number(json, "generation", saved->generation);
	else
		json_null(json, "generation");
	json_number(json, "stacks", saved->nr_stacks);
	json_number(json, "bytes", saved->len);
	json_bool(json, "complete", saved->is_complete);
	if (saved->nr_missing == STACKMAP_MISSING_UNKNOWN)
		json_null(json, "missing");
	else
		json_number(json, "missing", saved->nr_missing);
	json_close(json, '}');
}
