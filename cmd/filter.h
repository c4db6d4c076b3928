/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events to show. A stack follows its event: it is asked itself only where the event is not
 * in the trace.
 */
#ifndef CMD_FILTER_H
#define CMD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <event-parse.h>

#include "events.h"

struct filter_list {
	const char	**items;
	size_t		nr;
};

struct filter_range {
	uint64_t	from;
	uint64_t	to;
};

struct filter_ranges {
	struct filter_range *items;
	size_t		nr;
};

struct filter_time {
	uint64_t	value;
	bool		is_set;
	bool		exact;		/* more digits than a printed time stamp has */
	uint64_t	whole;		/* as written, for clocks that do not count nanoseconds */
};

struct event_filter {
	struct filter_list	events;		/* globs of "name" or "system:name" */
	struct filter_list	comms;		/* globs */
	struct filter_list	frames;		/* globs of a name */
	struct filter_ranges	pids;
	struct filter_ranges	cpus;
	struct filter_time	from;
	struct filter_time	to;
};

/* It lets everything pass. */
bool filter_is_empty(const struct event_filter *filter);
void filter_release(struct event_filter *filter);

/* Take the argument of an option. False after cmd_error(). */
bool filter_add_glob(struct filter_list *list, const char *option, const char *glob);
/* "1,4-7" */
bool filter_add_ranges(struct filter_ranges *ranges, const char *option, const char *text);
/* "FROM..TO"; either may be left out. */
bool filter_set_time(struct event_filter *filter, const char *text);

/* Say it of a name that no trace has a format for: it is misspelled, or was not recorded. */
void filter_warn_of_missing(const struct event_filter *filter, const struct events *events);

/* The type's name passes. */
bool filter_wants_type(const struct event_filter *filter, const struct tep_event *tep);
/* Everything but the frames passes. */
bool filter_wants_event(const struct event_filter *filter, const struct event *event);
/* A gap in the data of the event's CPU before it is of interest. */
bool filter_wants_gap(const struct event_filter *filter, const struct event *event);
/* One of the stack's frames is wanted. NULL has none. */
bool filter_wants_stack(const struct event_filter *filter, struct stackmap_stack *stack);

#endif /* CMD_FILTER_H */
