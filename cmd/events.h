/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of one or more traces, read by libtracecmd, each stack joined with the event that it
 * belongs to.
 *
 *	struct events
 *	  traces[]	a trace.dat each: its handle, its resolver, the types of its events
 *	    buffers[]	the top level, then the instances
 *	      cpus[]	a stream of records each
 *
 * Whose stack. The kernel records a stack right behind its event, on the same CPU, in the same
 * buffer and with the same trace context: common_pid, common_flags and common_preempt_count of the
 * two are equal. An interrupt can come in between, with events and stacks of its own, and then is
 * over before the stack is recorded: contexts nest (task, softirq, hardirq, NMI). So a CPU keeps
 * the events that still wait for their stack on a small stack of its own (struct event_waiting). An
 * event of an outer context says that the inner ones are over; a gap in the data says that nothing
 * is known: both end the wait.
 */
#ifndef CMD_EVENTS_H
#define CMD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <event-parse.h>
#include <trace-cmd.h>

#include <stackmap.h>

struct event_filter;

enum event_kind {
	EVENT_PLAIN,
	EVENT_COOKIE,		/* ftrace:stack_id */
	EVENT_FULL,		/* ftrace:kernel_stack */
};

/* A type of event of one trace, made at the first event of it. */
struct event_type {
	unsigned int		id;
	struct tep_event	*tep;		/* NULL: the trace has no format of it */
	enum event_kind		kind;
	bool			wanted;		/* its name passes the filter */
	/* The consumer's, made once a type. */
	struct tep_format_field	*weight;
	bool			weight_known;
};

/*
 * common_pid, common_flags and common_preempt_count in one number, so that comparing them is one
 * comparison.
 */
typedef uint64_t event_context;

static inline event_context event_context_make(uint32_t pid, uint8_t flags, uint8_t preempt_count)
{
	return (uint64_t)pid << 16 | preempt_count << 8 | flags;
}

static inline int event_context_pid(event_context context)
{
	return (int)(context >> 16);
}

static inline uint8_t event_context_flags(event_context context)
{
	return (uint8_t)context;
}

/* What is kept of an event until its stack comes. */
struct event_waiting {
	const struct event_type	*type;
	event_context		context;
	uint64_t		note;
	uint64_t		seq;		/* of its place in the queue */
	unsigned char		level;		/* of its context */
	bool			wanted;
};

#define EVENTS_MAX_WAITING	8

struct events_buffer;

struct event {
	struct events_buffer	*buffer;
	struct tep_record	*record;	/* the reader's: valid during the call */
	struct event_type	*type;
	uint64_t		ts;		/* in the trace's clock */
	event_context		context;
	int			cpu;
	int			pid;
	bool			wanted;		/* passes the filter; a stack: its event does */
	bool			counts;		/* a stack: it would be wanted with any frames */
	/* Events lost before it; below 0: unknown how many. */
	long long		missed;
	/*
	 * Room for the consumer: what it puts in at an event stands here again at the event's
	 * stack.
	 */
	uint64_t		note;
	/*
	 * A stack: itself. An event: its stack, where the reader was told to look ahead. NULL: it
	 * has none, or it is damaged.
	 */
	struct stackmap_stack	*stack;
	enum event_kind		stack_kind;
	/*
	 * A stack: the type of the event that it belongs to, NULL where that is not in the trace.
	 */
	const struct event_type	*owner;
	/* private */
	bool			decided;
};

struct events_cpu {
	struct events_buffer	*buffer;
	int			number;		/* of the CPU */
	int			nr;		/* as libtracecmd counts them */
	struct event_waiting	waiting[EVENTS_MAX_WAITING];
	unsigned int		nr_waiting;
	/* Read ahead: a ring of events, from the one that comes next. */
	struct event		*queue;
	size_t			queue_size;
	size_t			queue_len;
	uint64_t		seq;		/* of the first in the queue */
	bool			started;
	bool			ended;
};

struct events_buffer {
	struct events_trace	*trace;
	const char		*name;		/* NULL: the top level */
	struct tracecmd_input	*input;
	struct events_cpu	*cpus;
	int			nr_cpus;
};

struct event_common {
	int			offset;
	int			size;
};

struct events_trace {
	const char		*path;
	struct stackmap_resolver *resolver;
	struct tracecmd_input	*input;
	struct tep_handle	*tep;
	bool			is_native;	/* numbers need not be swapped */
	/* The common fields are where they nearly always are. */
	bool			is_usual;
	bool			in_ns;		/* time stamps are nanoseconds */
	bool			has_stacks;	/* a format of one of the two kinds is there */
	int			min_size;	/* of a record that holds the common fields */
	struct event_common	type_field;
	struct event_common	flags_field;
	struct event_common	preempt_field;
	struct event_common	pid_field;
	struct tep_format_field	*cookie_field;
	bool			has_generation;
	struct tep_format_field	*caller_field;
	struct tep_format_field	*depth_field;	/* of kernel_stack; NULL: its end says */
	int			address_size;	/* in kernel_stack: 4 or 8; 0: not known */
	struct event_type	**types;	/* by id */
	size_t			nr_unknown_types;
	struct events_buffer	*buffers;
	int			nr_buffers;
	unsigned int		flags;		/* EVENTS_WITH_PLUGINS */
	bool			is_compressed;
	uint64_t		nr_read;	/* bytes of records since it was opened */
	size_t			nr;		/* among the traces */
	/* The consumer's. */
	uint64_t		nr_negative;	/* weights below 0, taken for 0 */
};

/* What is found out once a stack, kept at its private pointer. */
struct stack_note {
	struct stack_note	*next;
	struct stackmap_stack	*stack;
	bool			is_matched;	/* against the frames of the filter */
	bool			matches;
	/* The consumer's; the data is freed with the note. */
	uint64_t		weight;
	void			*data;
};

struct events {
	struct events_trace	*traces;
	size_t			nr_traces;
	const struct event_filter *filter;	/* NULL: everything is wanted */
	/* Only they, and what follows a gap, are handed out. */
	bool			stacks_only;
	uint64_t		*addresses;	/* room for a full stack */
	size_t			addresses_size;
	struct stack_note	*notes;
};

/* Load the plugins of libtraceevent: for whoever prints events as trace-cmd does. */
#define EVENTS_WITH_PLUGINS	(1U << 0)

/*
 * Open @path, the trace that @resolver was set to: that looked at its header and sections, and not
 * at the pages of the events. CMD_OK or, after cmd_error(), CMD_FAILED. @resolver becomes the
 * events' own, whatever is returned. Add all traces before reading.
 */
int events_add(struct events *events, const char *path, struct stackmap_resolver *resolver,
	       unsigned int flags);
void events_release(struct events *events);

/*
 * Called for each event, wanted or not. @event->note is kept for its stack. Other than 0 ends the
 * reading and is returned by it.
 */
typedef int (*events_fn)(struct event *event, void *data);

/*
 * Three orders. Each returns CMD_OK, what the function returned, or CMD_FAILED after cmd_error().
 */

/* By time, as trace-cmd report has it, without looking ahead. */
int events_read_by_time(struct events *events, events_fn fn, void *data);
/* By time; each event is handed out when its stack is known, if it has one. */
int events_read_with_stacks(struct events *events, events_fn fn, void *data);
/* CPU after CPU, which is the fastest. */
int events_read_by_cpu(struct events *events, events_fn fn, void *data);

/* ---- particulars ---- */

/* NULL after cmd_error(): no memory. */
struct stack_note *events_stack_note(struct events *events, struct stackmap_stack *stack);

/* A number of a record; false where the record does not reach that far. */
bool events_read_number(const struct events_trace *trace, const struct tep_record *record,
			int offset, int size, uint64_t *ret_number);
/* The cookie of a record of kind EVENT_COOKIE; false: the record is too short for it. */
bool events_read_cookie(const struct events_trace *trace, const struct tep_record *record,
			uint64_t *ret_cookie);

#endif /* CMD_EVENTS_H */
