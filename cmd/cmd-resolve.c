// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap resolve: the trace with its stacks expanded.
 *
 *	options -> a resolver for each trace -> events.h -> one of the formats of out.h
 *	                                            '-> what is counted for the line at the end
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "filter.h"
#include "heap.h"
#include "out.h"
#include "saves.h"

#define DEFAULT_TRACE	"trace.dat"
#define OUTPUT_BUFFER	(1 << 20)

enum resolve_key {
	KEY_EVENT = CMD_KEY_OWN,
	KEY_PID,
	KEY_COMM,
	KEY_CPU,
	KEY_TIME,
	KEY_FRAME,
	KEY_WEIGHT,
	KEY_PREFIX,
	KEY_OFFSETS,
};

static const struct cmd_option format_options[] = {
	{ 'f', "format", "FORMAT", "text json folded", "text (default), json or folded" },
	{ KEY_WEIGHT, "weight", "FIELD", NULL,
	  "folded: weigh events by a numeric field, not by their number" },
	{ KEY_PREFIX, "prefix", "LIST", "comm pid event",
	  "folded: begin stacks with comm, pid, event: \"comm,event\"" },
	{ KEY_OFFSETS, "offsets", NULL, NULL, "folded: frames with offset, size and module" },
	{ CMD_KEY_ONE_LINE, "one-line", NULL, NULL,
	  "text: the frames of a stack on the line of its event" },
	{ 'q', "quiet", NULL, NULL, "no summary line at the end" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option filter_options[] = {
	{ KEY_EVENT, "event", "GLOB", NULL,
	  "only events of this name, or system:name; may be repeated" },
	{ KEY_PID, "pid", "LIST", NULL, "only these tasks: 17,20-29" },
	{ KEY_COMM, "comm", "GLOB", NULL, "only tasks of this command; may be repeated" },
	{ KEY_CPU, "cpu", "LIST", NULL, "only these CPUs: 0,4-7" },
	{ KEY_TIME, "time", "FROM..TO", NULL,
	  "only from and to these seconds; either may be left out" },
	{ KEY_FRAME, "frame", "GLOB", NULL,
	  "only events in whose stack this function is; may be repeated" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const resolve_options[] = {
	format_options,
	filter_options,
	cmd_maps_options,
	cmd_proof_options,
	cmd_style_options,
	NULL
};

static const struct out_ops *const formats[] = { &out_text, &out_json, &out_folded };

/* What the line at the end says of a trace; of what is shown. */
struct counts {
	uint64_t	cookies;
	uint64_t	full;
	uint64_t	verdicts[STACKMAP_NR_VERDICTS];
	uint64_t	lone;		/* stacks without their event */
	uint64_t	missed;
	bool		missed_unknown;	/* and more, nobody knows how many */
};

struct resolve {
	struct cmd_maps		maps;
	struct event_filter	filter;
	struct out_options	options;
	const struct out_ops	*format;
	bool			is_quiet;
	struct events		events;
	struct out		out;
	struct counts		*counts;	/* of each trace */
};

/* ---- arguments ---- */

static bool set_format(struct resolve *resolve, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i]->name, name)) {
			resolve->format = formats[i];
			return true;
		}
	}
	cmd_error("--format: '%s' is none of text, json, folded", name);
	return false;
}

static bool add_prefix(struct out_options *options, const char *name)
{
	static const char *const names[] = {
		[OUT_PREFIX_COMM] = "comm",
		[OUT_PREFIX_PID] = "pid",
		[OUT_PREFIX_EVENT] = "event",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name) && options->nr_prefix < OUT_MAX_PREFIX) {
			options->prefix[options->nr_prefix++] = i;
			return true;
		}
	}
	cmd_error("--prefix: '%s' is no list of comm, pid, event", name);
	return false;
}

static bool set_prefix(struct out_options *options, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	bool good = true;

	if (!copy) {
		cmd_nomem();
		return false;
	}
	options->nr_prefix = 0;
	while (good && (name = strsep(&rest, ",")))
		good = add_prefix(options, name);
	free(copy);
	return good;
}

static bool take_filter(struct event_filter *filter, int key, const char *value)
{
	switch (key) {
	case KEY_EVENT:
		return filter_add_glob(&filter->events, "--event", value);
	case KEY_PID:
		return filter_add_ranges(&filter->pids, "--pid", value);
	case KEY_COMM:
		return filter_add_glob(&filter->comms, "--comm", value);
	case KEY_CPU:
		return filter_add_ranges(&filter->cpus, "--cpu", value);
	case KEY_TIME:
		return filter_set_time(filter, value);
	case KEY_FRAME:
		return filter_add_glob(&filter->frames, "--frame", value);
	}
	return false;
}

static bool take_option(struct resolve *resolve, int key, const char *value)
{
	int taken = cmd_maps_take(&resolve->maps, key, value);

	if (taken)
		return taken > 0;
	switch (key) {
	case 'f':
		return set_format(resolve, value);
	case 'q':
		resolve->is_quiet = true;
		return true;
	case KEY_WEIGHT:
		resolve->options.weight = value;
		return true;
	case KEY_PREFIX:
		return set_prefix(&resolve->options, value);
	case KEY_OFFSETS:
		resolve->options.offsets = true;
		return true;
	case CMD_KEY_ONE_LINE:
		resolve->maps.style.flags |= STACKMAP_STYLE_ONE_LINE;
		return true;
	}
	return take_filter(&resolve->filter, key, value);
}

static bool take_options(struct resolve *resolve, struct cmd_args *args)
{
	int key;

	while ((key = cmd_args_next(args)) >= 0) {
		if (!take_option(resolve, key, args->value))
			return false;
	}
	resolve->options.style_flags = resolve->maps.style.flags;
	if (key != CMD_ARGS_END)
		return false;
	if (resolve->format != &out_folded &&
	    (resolve->options.weight || resolve->options.nr_prefix || resolve->options.offsets)) {
		cmd_error("--weight, --prefix and --offsets are for --format folded");
		return false;
	}
	if (resolve->format != &out_text &&
	    resolve->options.style_flags & STACKMAP_STYLE_ONE_LINE) {
		cmd_error("--one-line is for --format text");
		return false;
	}
	return true;
}

/* ---- traces ---- */

static int open_traces(struct resolve *resolve, char **paths, int nr)
{
	static char default_trace[] = DEFAULT_TRACE;
	static char *default_paths[] = { default_trace };
	unsigned int flags = resolve->format->flags & OUT_WITH_PLUGINS ? EVENTS_WITH_PLUGINS : 0;
	struct stackmap_resolver *resolver;
	int i, ret;

	if (!nr) {
		paths = default_paths;
		nr = 1;
	}
	if (cmd_maps_check_kallsyms(&resolve->maps, (size_t)nr, "trace") != CMD_OK)
		return CMD_FAILED;
	for (i = 0; i < nr; i++) {
		resolve->maps.trace_nr = (size_t)i;
		resolve->maps.trace_name = nr > 1 ? paths[i] : NULL;
		resolver = cmd_maps_resolver(&resolve->maps, paths[i]);
		if (!resolver)
			return CMD_FAILED;
		ret = events_add(&resolve->events, paths[i], resolver, flags);
		if (ret != CMD_OK)
			return ret;
	}
	resolve->counts = calloc((size_t)nr, sizeof(*resolve->counts));
	return resolve->counts ? CMD_OK : cmd_nomem();
}

/* ---- events ---- */

static void count_missed(struct counts *counts, long long missed)
{
	if (missed > 0)
		counts->missed += missed;
	else
		counts->missed_unknown = true;
}

static void count_stack(struct counts *counts, const struct event *event)
{
	if (!event->owner)
		counts->lone++;
	if (!event->stack) {
		counts->cookies += event->type->kind == EVENT_COOKIE;
		counts->full += event->type->kind == EVENT_FULL;
		counts->verdicts[STACKMAP_VERDICT_BAD_EVENT]++;
	} else if (event->type->kind == EVENT_FULL) {
		counts->full++;
	} else {
		counts->cookies++;
		counts->verdicts[stackmap_stack_get_verdict(event->stack)]++;
	}
}

static struct counts *counts_of(const struct resolve *resolve, const struct event *event)
{
	return &resolve->counts[event->buffer->trace->nr];
}

static int on_event(struct event *event, void *data)
{
	struct resolve *resolve = data;

	if (event->missed && !filter_wants_gap(&resolve->filter, event))
		event->missed = 0;
	if (event->missed)
		count_missed(counts_of(resolve, event), event->missed);
	if (event->type->kind != EVENT_PLAIN && event->counts)
		count_stack(counts_of(resolve, event), event);
	if (!event->wanted && !event->missed)
		return CMD_OK;
	/* main says why */
	if (ferror_unlocked(stdout))
		return CMD_FAILED;
	return resolve->format->event(&resolve->out, event);
}

static int read_events(struct resolve *resolve)
{
	if (resolve->format->flags & OUT_STACKS_ONLY)
		return events_read_by_cpu(&resolve->events, on_event, resolve);
	if (resolve->format->flags & OUT_WITH_STACKS || resolve->filter.frames.nr)
		return events_read_with_stacks(&resolve->events, on_event, resolve);
	return events_read_by_time(&resolve->events, on_event, resolve);
}

static int show(struct resolve *resolve)
{
	int ret;

	resolve->out = (struct out){
		.ops = resolve->format,
		.options = &resolve->options,
		.events = &resolve->events,
	};
	filter_warn_of_missing(&resolve->filter, &resolve->events);
	if (!filter_is_empty(&resolve->filter))
		resolve->events.filter = &resolve->filter;
	resolve->events.stacks_only = resolve->format->flags & OUT_STACKS_ONLY &&
				      !resolve->options.weight;
	ret = resolve->format->begin(&resolve->out);
	if (ret == CMD_OK)
		ret = read_events(resolve);
	if (ret == CMD_OK)
		ret = resolve->format->end(&resolve->out);
	if (ret == CMD_OK)
		ret = cmd_flush();
	resolve->format->release(&resolve->out);
	return ret;
}

/* ---- the line at the end, of each trace ---- */

static uint64_t nr_unresolved(const struct counts *counts)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < STACKMAP_NR_VERDICTS; i++) {
		if (i != STACKMAP_VERDICT_RESOLVED)
			nr += counts->verdicts[i];
	}
	return nr;
}

static void write_reasons(FILE *file, const struct counts *counts)
{
	const char *separator = " (";
	size_t i;

	for (i = 0; i < STACKMAP_NR_VERDICTS; i++) {
		if (i == STACKMAP_VERDICT_RESOLVED || !counts->verdicts[i])
			continue;
		fprintf(file, "%s%s: %" PRIu64, separator, stackmap_verdict_get_text(i),
			counts->verdicts[i]);
		separator = ", ";
	}
	if (!strcmp(separator, ", "))
		putc(')', file);
}

/* Full stacks beside cookies: why the kernel did not store them. */
static void write_full(FILE *file, const struct events_trace *trace, const struct counts *counts)
{
	uint64_t fallbacks = 0;

	if (!counts->cookies || !counts->full)
		return;
	if (!saves_add_fallbacks(trace->resolver, &fallbacks))
		fprintf(file, "; no stack_map_stat tells why stacks were recorded in full");
	else if (fallbacks)
		fprintf(file, "; %" PRIu64 " fallbacks: the map was too small, a larger one or "
			"resets in between would have held more", fallbacks);
	else
		fprintf(file, "; no fallbacks: full stacks are deeper than the map takes, or from "
			"before it was there or a reset");
}

/* "1 cookie", "2 cookies" */
static void write_number(FILE *file, const char *before, uint64_t nr, const char *noun)
{
	fprintf(file, "%s%" PRIu64 " %s%s", before, nr, noun, nr == 1 ? "" : "s");
}

static void write_missed(FILE *file, const struct counts *counts)
{
	if (counts->missed)
		write_number(file, "; ", counts->missed, "event");
	if (counts->missed_unknown)
		fprintf(file, counts->missed ? " and more" : "; nobody knows how many events");
	if (counts->missed || counts->missed_unknown)
		fprintf(file, " dropped");
}

static void write_summary(FILE *file, const struct events_trace *trace,
			  const struct counts *counts)
{
	write_number(file, "", counts->cookies, "cookie");
	write_number(file, ", ", counts->full, "full stack");
	fprintf(file, ", %" PRIu64 " unresolved", nr_unresolved(counts));
	write_reasons(file, counts);
	if (counts->lone)
		fprintf(file, ", %" PRIu64 " without their event", counts->lone);
	write_missed(file, counts);
	if (trace->nr_unknown_types)
		fprintf(file, "; types of events without a format in the trace: %zu",
			trace->nr_unknown_types);
	if (trace->nr_negative)
		fprintf(file, "; weights below 0 taken for 0: %" PRIu64, trace->nr_negative);
	write_full(file, trace, counts);
	if (counts->verdicts[STACKMAP_VERDICT_NO_MAP])
		fprintf(file, "; give the saved map, or a copy of stack_map, with -m FILE");
}

static bool is_remarkable(const struct events_trace *trace, const struct counts *counts)
{
	return nr_unresolved(counts) || counts->lone || counts->missed ||
	       counts->missed_unknown || trace->nr_negative || trace->nr_unknown_types ||
	       (counts->cookies && counts->full);
}

static void summarize(const struct events_trace *trace, const struct counts *counts, bool is_only)
{
	char *text = NULL;
	size_t len;
	FILE *file;

	if (!is_remarkable(trace, counts))
		return;
	file = open_memstream(&text, &len);
	if (file) {
		if (!is_only)
			fprintf(file, "%s: ", trace->path);
		write_summary(file, trace, counts);
		if (fclose(file) == 0)
			cmd_warn("%s", text);
	}
	free(text);
}

/* CMD_FOUND where anything is not resolved. */
static int end_traces(const struct resolve *resolve)
{
	const struct events *events = &resolve->events;
	int ret = CMD_OK;
	size_t i;

	for (i = 0; i < events->nr_traces; i++) {
		if (!resolve->is_quiet)
			summarize(&events->traces[i], &resolve->counts[i], events->nr_traces == 1);
		if (nr_unresolved(&resolve->counts[i]))
			ret = CMD_FOUND;
	}
	return ret;
}

static int resolve_traces(struct resolve *resolve, char **paths, int nr)
{
	int ret;

	heap_expect_much();
	setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
	ret = open_traces(resolve, paths, nr);
	if (ret == CMD_OK)
		ret = show(resolve);
	if (ret == CMD_OK)
		ret = end_traces(resolve);
	if (ret == CMD_OK && resolve->maps.is_damaged)
		ret = CMD_FOUND;
	events_release(&resolve->events);
	free(resolve->counts);
	return ret;
}

static int run_resolve(const struct command *cmd, int argc, char **argv)
{
	struct resolve resolve = { .maps = CMD_MAPS_INIT, .format = &out_text };
	struct cmd_args args;
	int ret = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv) == CMD_OK) {
		if (take_options(&resolve, &args))
			ret = resolve_traces(&resolve, argv + cmd_args_first(&args),
					     argc - cmd_args_first(&args));
		cmd_args_release(&args);
	}
	filter_release(&resolve.filter);
	cmd_maps_release(&resolve.maps);
	return ret;
}

const struct command cmd_resolve = {
	.name = "resolve",
	.synopsis = "[OPTION...] [TRACE.DAT...]",
	.summary = "Show a trace with its stacks expanded",
	.help = "Without TRACE.DAT it is " DEFAULT_TRACE ". "
		"A stack follows its event through every filter.\n",
	.options = resolve_options,
	.run = run_resolve,
};
