// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap stat: how full the running kernel's map is, how much it saves, and what was
 * recorded in full, once or time and again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "json.h"
#include "live.h"
#include "saves.h"
#include "units.h"

#define NS_PER_S	1000000000
#define HEADER_EVERY	20	/* lines, as vmstat on a small terminal */

enum {
	KEY_JSON = CMD_KEY_OWN,
	KEY_WATCH,
};

struct stat_args {
	bool		as_json;
	bool		watch;
	uint64_t	interval_ns;
	uint64_t	count;		/* of lines; UINT64_MAX: for ever */
};

/*
 * Why stacks were recorded in full, or not at all, as our kernel counts them. is_fallback: they
 * are what "fallbacks" sums up, and say that the map is too small.
 */
static const struct cause {
	const char	*name;
	bool		is_fallback;
	const char	*text;
} causes[] = {
	{ "no_capacity", true, "the map was full" },
	{ "no_space", true, "the space for frames was used up" },
	{ "no_slot", true, "no slot was free where they could be" },
	{ "bad_depth", false, "too deep" },
	{ "no_event", false, "lost: the ring buffer had no room for their cookie" },
	{ "no_map", false, "no map was allocated, since boot" },
	{ "not_watching", false, "RCU was not watching, since boot" },
	{ "no_full_event", false, "lost, too: no room for them in full, since boot" },
};

#define NR_CAUSES	(sizeof(causes) / sizeof(causes[0]))

/* One reading. What is not known is UINT64_MAX. */
struct reading {
	bool		is_allocated;
	int		enabled;	/* negative: unknown */
	uint64_t	generation, entries, capacity, successes, fallbacks;
	uint64_t	arena_used, arena_size, memory, old_maps, old_memory;
	uint64_t	causes[NR_CAUSES];
};

#define UNKNOWN	UINT64_MAX

static const struct {
	const char	*name;
	size_t		offset;		/* in struct reading */
} fields[] = {
	{ "arena_used", offsetof(struct reading, arena_used) },
	{ "arena_size", offsetof(struct reading, arena_size) },
	{ "memory", offsetof(struct reading, memory) },
	{ "swapped_out_maps", offsetof(struct reading, old_maps) },
	{ "swapped_out_memory", offsetof(struct reading, old_memory) },
};

#define NR_FIELDS	(sizeof(fields) / sizeof(fields[0]))

static const struct {
	enum stackmap_stat_field field;
	const char	*name;
	size_t		offset;
} common_fields[] = {
	{ STACKMAP_STAT_GENERATION, "generation", offsetof(struct reading, generation) },
	{ STACKMAP_STAT_ENTRIES, "entries", offsetof(struct reading, entries) },
	{ STACKMAP_STAT_CAPACITY, "capacity", offsetof(struct reading, capacity) },
	{ STACKMAP_STAT_SUCCESSES, "successes", offsetof(struct reading, successes) },
	{ STACKMAP_STAT_FALLBACKS, "fallbacks", offsetof(struct reading, fallbacks) },
};

#define NR_COMMON	(sizeof(common_fields) / sizeof(common_fields[0]))

static uint64_t *field_at(struct reading *reading, size_t offset)
{
	return (uint64_t *)((char *)reading + offset);
}

static uint64_t find(const struct stackmap_stat *stat, const char *name)
{
	uint64_t value;

	return stackmap_stat_find(stat, name, &value) ? UNKNOWN : value;
}

static void take_fields(struct reading *reading, const struct stackmap_stat *stat)
{
	uint64_t *value;
	size_t i;

	for (i = 0; i < NR_COMMON; i++) {
		value = field_at(reading, common_fields[i].offset);
		if (stackmap_stat_get(stat, common_fields[i].field, value))
			*value = UNKNOWN;
	}
	for (i = 0; i < NR_FIELDS; i++)
		*field_at(reading, fields[i].offset) = find(stat, fields[i].name);
	for (i = 0; i < NR_CAUSES; i++)
		reading->causes[i] = find(stat, causes[i].name);
	reading->is_allocated = reading->entries != UNKNOWN;
}

/* @ret_stat: what it was taken from, for lines that are not known here. */
static int read_live(struct stackmap_live *live, struct reading *reading,
		     struct stackmap_stat **ret_stat)
{
	struct stackmap_stat *stat;

	stat = stackmap_live_read_stat(live);
	if (!stat)
		return live_error(live);
	take_fields(reading, stat);
	reading->enabled = stackmap_live_is_enabled(live);
	if (ret_stat)
		*ret_stat = stat;
	else
		stackmap_stat_free(stat);
	return CMD_OK;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static bool is_known_line(const char *line)
{
	size_t len = strcspn(line, ":"), i;

	for (i = 0; i < NR_FIELDS; i++) {
		if (strlen(fields[i].name) == len && !strncmp(fields[i].name, line, len))
			return true;
	}
	for (i = 0; i < NR_CAUSES; i++) {
		if (strlen(causes[i].name) == len && !strncmp(causes[i].name, line, len))
			return true;
	}
	return false;
}

/* ---- for people ---- */

static void print_fill(const struct reading *reading)
{
	printf("entries     %" PRIu64 " of %" PRIu64 " stacks, %.1f %%\n", reading->entries,
	       reading->capacity, percent(reading->entries, reading->capacity));
	if (reading->arena_used != UNKNOWN && reading->arena_size != UNKNOWN)
		printf("frames      %" PRIu64 " of %" PRIu64 " bytes, %.1f %%\n",
		       reading->arena_used, reading->arena_size,
		       percent(reading->arena_used, reading->arena_size));
}

/* How many events a stack of the map stands for. */
static void print_dedup(const struct reading *reading)
{
	printf("successes   %" PRIu64 " stacks recorded as a cookie", reading->successes);
	if (reading->entries)
		printf(", %.1f for each in the map",
		       (double)reading->successes / (double)reading->entries);
	putchar('\n');
}

static void print_causes(const struct reading *reading)
{
	size_t i;

	for (i = 0; i < NR_CAUSES; i++) {
		if (reading->causes[i] && reading->causes[i] != UNKNOWN)
			printf("  %-17s %" PRIu64 ": %s\n", causes[i].name, reading->causes[i],
			       causes[i].text);
	}
}

/* The advice is for what it helps against, and for nothing else. */
static void print_fallbacks(const struct reading *reading)
{
	printf("fallbacks   %" PRIu64, reading->fallbacks);
	if (reading->fallbacks)
		printf(" stacks recorded in full, %.1f %%: the map is too small. \"" CMD_PROGRAM
		       " reset\" saves and empties it%s",
		       percent(reading->fallbacks, reading->fallbacks + reading->successes),
		       reading->arena_size != UNKNOWN ?
		       "; ftrace_stackmap.bits=N at boot makes it larger" : "");
	putchar('\n');
	print_causes(reading);
}

static void print_memory(const struct reading *reading)
{
	if (reading->memory == UNKNOWN)
		return;
	printf("memory      %" PRIu64 " bytes", reading->memory);
	if (reading->old_maps && reading->old_maps != UNKNOWN)
		printf(", and %" PRIu64 " of %" PRIu64 " reset %s that somebody still reads",
		       reading->old_memory, reading->old_maps,
		       reading->old_maps == 1 ? "map" : "maps");
	putchar('\n');
}

static void print_others(const struct stackmap_stat *stat)
{
	size_t i;

	for (i = 0; i < stackmap_stat_nr_unknown(stat); i++) {
		if (is_known_line(stackmap_stat_get_unknown(stat, i)))
			continue;
		print_escaped(stackmap_stat_get_unknown(stat, i));
		putchar('\n');
	}
}

static void print_option(const struct reading *reading)
{
	static const char *const words[] = { "not set: stacks are recorded in full", "set" };

	printf("option      %s\n", reading->enabled < 0 ? "unknown" : words[reading->enabled]);
}

static void print_text(const struct reading *reading, const struct stackmap_stat *stat)
{
	print_option(reading);
	if (!reading->is_allocated) {
		puts("map         none is allocated: setting the option does it");
		return;
	}
	if (reading->generation != UNKNOWN)
		printf("generation  %" PRIu64 "\n", reading->generation);
	print_fill(reading);
	print_dedup(reading);
	print_fallbacks(reading);
	print_memory(reading);
	print_others(stat);
}

/* ---- for programs ---- */

static void json_known(struct json *json, const char *key, uint64_t value)
{
	if (value == UNKNOWN)
		json_null(json, key);
	else
		json_number(json, key, value);
}

static void print_causes_json(struct json *json, const struct reading *reading)
{
	size_t i;

	json_open(json, "causes", '{');
	for (i = 0; i < NR_CAUSES; i++) {
		if (reading->causes[i] != UNKNOWN)
			json_number(json, causes[i].name, reading->causes[i]);
	}
	json_close(json, '}');
}

static void print_json(struct reading *reading, const struct stackmap_stat *stat)
{
	struct json json = JSON_INIT;
	size_t i;

	json_open(&json, NULL, '{');
	if (reading->enabled < 0)
		json_null(&json, "option");
	else
		json_bool(&json, "option", reading->enabled);
	json_bool(&json, "allocated", reading->is_allocated);
	for (i = 0; i < NR_COMMON; i++)
		json_known(&json, common_fields[i].name,
			   *field_at(reading, common_fields[i].offset));
	for (i = 0; i < NR_FIELDS; i++)
		json_known(&json, fields[i].name, *field_at(reading, fields[i].offset));
	print_causes_json(&json, reading);
	json_open(&json, "unknown", '[');
	for (i = 0; i < stackmap_stat_nr_unknown(stat); i++) {
		if (!is_known_line(stackmap_stat_get_unknown(stat, i)))
			json_text(&json, NULL, stackmap_stat_get_unknown(stat, i));
	}
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
}

/* ---- once, or time and again ---- */

static int print_once(const struct stat_args *args, struct stackmap_live *live)
{
	struct stackmap_stat *stat = NULL;
	struct reading reading;

	if (read_live(live, &reading, &stat) != CMD_OK)
		return CMD_FAILED;
	if (args->as_json)
		print_json(&reading, stat);
	else
		print_text(&reading, stat);
	stackmap_stat_free(stat);
	return CMD_OK;
}

/* Counters begin anew with each generation. */
static uint64_t grown(const struct reading *last, const struct reading *now, uint64_t before,
		      uint64_t after)
{
	if (last->generation != now->generation || before == UNKNOWN || after < before)
		return after;
	return after - before;
}

static void print_watch_line(const struct reading *last, const struct reading *now)
{
	if (!now->is_allocated) {
		printf("%10s %8s %6s %10s %10s %6s %6s\n", "-", "-", "-", "-", "-", "-",
		       now->enabled > 0 ? "on" : "off");
		return;
	}
	if (now->generation == UNKNOWN)
		printf("%10s", "-");
	else
		printf("%10" PRIu64, now->generation);
	printf(" %8" PRIu64 " %6.1f %10" PRIu64 " %10" PRIu64 " %6.1f %6s\n", now->entries,
	       percent(now->entries, now->capacity),
	       grown(last, now, last->successes, now->successes),
	       grown(last, now, last->fallbacks, now->fallbacks),
	       now->entries ? (double)now->successes / (double)now->entries : 0.0,
	       now->enabled > 0 ? "on" : "off");
}

static void print_watch_header(void)
{
	printf("%10s %8s %6s %10s %10s %6s %6s\n", "generation", "entries", "fill%", "successes",
	       "fallbacks", "dedup", "option");
}

static void wait_until(struct timespec *next, uint64_t interval_ns)
{
	next->tv_sec += (time_t)(interval_ns / NS_PER_S);
	next->tv_nsec += (long)(interval_ns % NS_PER_S);
	if (next->tv_nsec >= NS_PER_S) {
		next->tv_nsec -= NS_PER_S;
		next->tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
		;
}

/* Of the first line, successes and fallbacks are since the last reset, as those of vmstat. */
static int watch_text(const struct stat_args *args, struct stackmap_live *live)
{
	struct reading last = { .generation = UNKNOWN, .successes = UNKNOWN, .fallbacks = UNKNOWN };
	struct timespec next;
	struct reading now;
	uint64_t i;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (i = 0; i < args->count; i++) {
		if (i)
			wait_until(&next, args->interval_ns);
		if (read_live(live, &now, NULL) != CMD_OK)
			return CMD_FAILED;
		if (i % HEADER_EVERY == 0)
			print_watch_header();
		print_watch_line(&last, &now);
		if (cmd_flush() != CMD_OK)
			return CMD_FAILED;
		last = now;
	}
	return CMD_OK;
}

static int watch_json(const struct stat_args *args, struct stackmap_live *live)
{
	struct timespec next;
	int status = CMD_OK;
	uint64_t i;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (i = 0; i < args->count && status == CMD_OK; i++) {
		if (i)
			wait_until(&next, args->interval_ns);
		status = print_once(args, live);
		if (status == CMD_OK)
			status = cmd_flush();
	}
	return status;
}

static int print_stat(const struct stat_args *args, struct stackmap_live *live)
{
	if (!args->watch)
		return print_once(args, live);
	return args->as_json ? watch_json(args, live) : watch_text(args, live);
}

static int stat_live(const struct stat_args *args)
{
	struct stackmap_live *live = live_open();
	int status;

	if (!live)
		return CMD_FAILED;
	status = print_stat(args, live);
	stackmap_live_free(live);
	return status;
}

/* [INTERVAL [COUNT]], which watch. */
static int take_plain(struct stat_args *args, char **words, int nr)
{
	if (nr > 2)
		return cmd_error("'%s' is too much; see --help", words[2]);
	if (nr > 0 && !units_parse_time("INTERVAL", words[0], &args->interval_ns))
		return CMD_FAILED;
	if (nr > 1 && !cmd_parse_number("COUNT", words[1], UINT64_MAX, &args->count))
		return CMD_FAILED;
	if (!args->count)
		return cmd_error("COUNT is 0: there is nothing to print");
	args->watch |= nr > 0;
	return CMD_OK;
}

static int run_stat(const struct command *cmd, int argc, char **argv)
{
	struct stat_args stat = { .interval_ns = NS_PER_S, .count = UINT64_MAX };
	int key, status = CMD_FAILED;
	struct cmd_args args;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		stat.as_json |= key == KEY_JSON;
		stat.watch |= key == KEY_WATCH;
	}
	if (key == CMD_ARGS_END)
		status = take_plain(&stat, argv + cmd_args_first(&args),
				    argc - cmd_args_first(&args));
	if (key == CMD_ARGS_END && status == CMD_OK)
		status = stat_live(&stat);
	cmd_args_release(&args);
	return status;
}

static const struct cmd_option stat_own_options[] = {
	{ KEY_WATCH, "watch", NULL, NULL, "print a line each interval" },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object, with --watch one each interval" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const stat_options[] = { stat_own_options, NULL };

const struct command cmd_stat = {
	.name = "stat",
	.synopsis = "[OPTION...] [INTERVAL [COUNT]]",
	.summary = "Show how full the map of the running kernel is",
	.help =
"\n"
"With INTERVAL (2, 500ms, 1m; 1 second), or --watch, a line each interval until COUNT\n"
"lines are printed: successes and fallbacks are those since the line before.\n",
	.options = stat_options,
	.run = run_stat,
};
