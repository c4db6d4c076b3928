// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "comm.h"
#include "filter.h"

#define NS_DIGITS	9
/* What a time stamp is printed with. */
#define SHOWN_DIGITS	6
#define NS_PER_SHOWN	1000

bool filter_is_empty(const struct event_filter *filter)
{
	return !filter->events.nr && !filter->comms.nr && !filter->frames.nr && !filter->pids.nr &&
	       !filter->cpus.nr && !filter->from.is_set && !filter->to.is_set;
}

void filter_release(struct event_filter *filter)
{
	free(filter->events.items);
	free(filter->comms.items);
	free(filter->frames.items);
	free(filter->pids.items);
	free(filter->cpus.items);
}

bool filter_add_glob(struct filter_list *list, const char *option, const char *glob)
{
	const char **items;

	if (!*glob) {
		cmd_error("%s: '' is no name", option);
		return false;
	}
	items = realloc(list->items, (list->nr + 1) * sizeof(*items));
	if (!items) {
		cmd_nomem();
		return false;
	}
	items[list->nr++] = glob;
	list->items = items;
	return true;
}

static bool add_range(struct filter_ranges *ranges, uint64_t from, uint64_t to)
{
	struct filter_range *items = realloc(ranges->items, (ranges->nr + 1) * sizeof(*items));

	if (!items) {
		cmd_nomem();
		return false;
	}
	items[ranges->nr++] = (struct filter_range){ from, to };
	ranges->items = items;
	return true;
}

static bool parse_range(struct filter_ranges *ranges, const char *option, char *text)
{
	char *dash = strchr(text, '-');
	uint64_t from, to;

	if (dash)
		*dash++ = '\0';
	if (!cmd_parse_number(option, text, INT32_MAX, &from))
		return false;
	to = from;
	if (dash && !cmd_parse_number(option, dash, INT32_MAX, &to))
		return false;
	if (to < from) {
		cmd_error("%s: '%s-%s' ends before it begins", option, text, dash);
		return false;
	}
	return add_range(ranges, from, to);
}

bool filter_add_ranges(struct filter_ranges *ranges, const char *option, const char *text)
{
	char *copy = strdup(text), *rest = copy, *part;
	bool good = true;

	if (!copy) {
		cmd_nomem();
		return false;
	}
	while (good && (part = strsep(&rest, ",")))
		good = parse_range(ranges, option, part);
	free(copy);
	return good;
}

/* Digits behind the point, as nanoseconds; false where there is something else. */
static bool parse_fraction(const char *text, size_t len, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < len || i < NS_DIGITS; i++) {
		if (i < len && (text[i] < '0' || text[i] > '9'))
			return false;
		if (i < NS_DIGITS)
			ns = ns * 10 + (i < len ? text[i] - '0' : 0);
	}
	*ret_ns = ns;
	return true;
}

static bool parse_whole(const char *text, size_t len, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' ||
		    __builtin_mul_overflow(number, (uint64_t)10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(text[i] - '0'), &number))
			return false;
	}
	*ret_number = number;
	return len > 0;
}

static bool parse_time(const char *text, size_t len, struct filter_time *ret_time)
{
	const char *point = memchr(text, '.', len);
	size_t whole_len = point ? (size_t)(point - text) : len;
	size_t fraction_len = point ? len - whole_len - 1 : 0;
	struct filter_time time = { .is_set = true };
	uint64_t ns;

	if (!parse_whole(text, whole_len, &time.whole) ||
	    !parse_fraction(point ? point + 1 : text, fraction_len, &ns))
		return false;
	if (__builtin_mul_overflow(time.whole, (uint64_t)1000000000, &time.value) ||
	    __builtin_add_overflow(time.value, ns, &time.value))
		time.value = UINT64_MAX;
	time.exact = fraction_len > SHOWN_DIGITS;
	*ret_time = time;
	return true;
}

static bool is_reversed(const struct filter_time *from, const struct filter_time *to)
{
	return from->is_set && to->is_set &&
	       (from->value > to->value || from->whole > to->whole);
}

bool filter_set_time(struct event_filter *filter, const char *text)
{
	const char *dots = strstr(text, ".."), *to;
	bool good = dots && strcmp(text, "..");

	if (good) {
		to = dots + 2;
		if (dots != text)
			good = parse_time(text, dots - text, &filter->from);
		if (good && *to)
			good = parse_time(to, strlen(to), &filter->to);
	}
	if (!good)
		cmd_error("--time: '%s' is not FROM..TO in seconds", text);
	else if (is_reversed(&filter->from, &filter->to))
		cmd_error("--time: '%s' ends before it begins", text);
	return good && !is_reversed(&filter->from, &filter->to);
}

/* ---- asking ---- */

static bool list_matches(const struct filter_list *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (!fnmatch(list->items[i], text, 0))
			return true;
	}
	return false;
}

static bool ranges_match(const struct filter_ranges *ranges, uint64_t number)
{
	size_t i;

	for (i = 0; i < ranges->nr; i++) {
		if (number >= ranges->items[i].from && number <= ranges->items[i].to)
			return true;
	}
	return false;
}

static bool type_matches(const char *glob, const struct tep_event *tep)
{
	const char *colon = strchr(glob, ':');
	char *system;
	bool matches;

	if (!colon)
		return !fnmatch(glob, tep->name, 0);
	if (!tep->system || fnmatch(colon + 1, tep->name, 0))
		return false;
	system = strndup(glob, colon - glob);
	/* Without memory, more is shown than was asked for. */
	matches = !system || !fnmatch(system, tep->system, 0);
	free(system);
	return matches;
}

static bool trace_has_type(const struct events_trace *trace, const char *glob)
{
	int nr = tep_get_events_count(trace->tep), i;

	for (i = 0; i < nr; i++) {
		if (type_matches(glob, tep_get_event(trace->tep, i)))
			return true;
	}
	return false;
}

void filter_warn_of_missing(const struct event_filter *filter, const struct events *events)
{
	size_t i, k;

	for (i = 0; i < filter->events.nr; i++) {
		for (k = 0; k < events->nr_traces; k++) {
			if (trace_has_type(&events->traces[k], filter->events.items[i]))
				break;
		}
		if (k == events->nr_traces)
			cmd_warn("--event: no event of the trace%s is named '%s'",
				 events->nr_traces > 1 ? "s" : "", filter->events.items[i]);
	}
}

bool filter_wants_type(const struct event_filter *filter, const struct tep_event *tep)
{
	size_t i;

	if (!filter->events.nr)
		return true;
	for (i = 0; tep && i < filter->events.nr; i++) {
		if (type_matches(filter->events.items[i], tep))
			return true;
	}
	return false;
}

/* What was given with no more digits than are printed is compared with what is printed. */
static uint64_t comparable(const struct filter_time *time, uint64_t ns)
{
	if (time->exact || ns > UINT64_MAX - NS_PER_SHOWN)
		return ns;
	return (ns + NS_PER_SHOWN / 2) / NS_PER_SHOWN * NS_PER_SHOWN;
}

static bool time_matches(const struct event_filter *filter, const struct event *event)
{
	const struct filter_time *from = &filter->from, *to = &filter->to;

	if (!event->buffer->trace->in_ns)
		return (!from->is_set || event->ts >= from->whole) &&
		       (!to->is_set || event->ts <= to->whole);
	return (!from->is_set || comparable(from, event->ts) >= from->value) &&
	       (!to->is_set || comparable(to, event->ts) <= to->value);
}

static bool comm_matches(const struct event_filter *filter, const struct event *event)
{
	return list_matches(&filter->comms, comm_of(event->buffer->trace, event->pid));
}

bool filter_wants_gap(const struct event_filter *filter, const struct event *event)
{
	if (filter->cpus.nr && (event->cpu < 0 || !ranges_match(&filter->cpus, event->cpu)))
		return false;
	return (!filter->from.is_set && !filter->to.is_set) || time_matches(filter, event);
}

bool filter_wants_event(const struct event_filter *filter, const struct event *event)
{
	if (!filter_wants_gap(filter, event))
		return false;
	if (filter->pids.nr && (event->pid < 0 || !ranges_match(&filter->pids, event->pid)))
		return false;
	return !filter->comms.nr || comm_matches(filter, event);
}

bool filter_wants_stack(const struct event_filter *filter, struct stackmap_stack *stack)
{
	uint32_t depth = stack ? stackmap_stack_get_depth(stack) : 0, i;
	const char *name;

	for (i = 0; i < depth; i++) {
		name = stackmap_stack_get_frame_name(stack, i);
		if (name && list_matches(&filter->frames, name))
			return true;
	}
	return false;
}
