// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The only file that reads events, through the public functions of libtracecmd. What a record says
 * of itself (type, task, context) is read here at offsets that are asked for once; libtraceevent's
 * own accessors look each up by name again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "comm.h"
#include "crash.h"
#include "events.h"
#include "filter.h"
#include "waiting.h"

/* Of common_type, which the ring buffer gives 16 bits. */
#define NR_TYPES	65536
/* Where a trace has more CPUs than it says. */
#define MAX_CPU		65535
/* Events that are read ahead of one that waits for its stack. */
#define MAX_QUEUE	1024
/* Bytes of records that libtracecmd decompresses before it is made to forget them. */
#define MAX_DECOMPRESSED	(64 << 20)
/* Of the common fields, common_type first: the kernel's struct trace_entry for decades. */
#define USUAL_FLAGS		2
#define USUAL_PREEMPT_COUNT	3
#define USUAL_PID		4
#define USUAL_SIZE		8
/* No place in the queue. */
#define NO_SEQ		UINT64_MAX

/* ---- records ---- */

static uint64_t read_field(const struct events_trace *trace, const unsigned char *at, int size)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return trace->is_native ? two : __builtin_bswap16(two);
	case 4:
		memcpy(&four, at, sizeof(four));
		return trace->is_native ? four : __builtin_bswap32(four);
	default:
		memcpy(&eight, at, sizeof(eight));
		return trace->is_native ? eight : __builtin_bswap64(eight);
	}
}

static bool is_number_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bool events_read_number(const struct events_trace *trace, const struct tep_record *record,
			int offset, int size, uint64_t *ret_number)
{
	if (!is_number_size(size) || offset < 0 || record->size < size ||
	    offset > record->size - size)
		return false;
	*ret_number = read_field(trace, (const unsigned char *)record->data + offset, size);
	return true;
}

bool events_read_cookie(const struct events_trace *trace, const struct tep_record *record,
			uint64_t *ret_cookie)
{
	const struct tep_format_field *field = trace->cookie_field;

	return field && field->size == (trace->has_generation ? 8 : 4) &&
	       events_read_number(trace, record, field->offset, field->size, ret_cookie);
}

/* ---- opening ---- */

static bool find_common(struct tep_event *event, const char *name, struct event_common *ret_common)
{
	struct tep_format_field *field = tep_find_common_field(event, name);

	if (!field || !is_number_size(field->size) || field->offset < 0 || field->offset > 4096)
		return false;
	ret_common->offset = field->offset;
	ret_common->size = field->size;
	return true;
}

static bool is_at(const struct event_common *common, int offset, int size)
{
	return common->offset == offset && common->size == size;
}

static int end_of(const struct event_common *common)
{
	return common->offset + common->size;
}

/* All events of a trace share them: libtraceevent, too, asks the first one. */
static void find_common_fields(struct events_trace *trace)
{
	struct tep_event *event = tep_get_first_event(trace->tep);
	const struct event_common *fields[] = {
		&trace->type_field, &trace->flags_field, &trace->preempt_field, &trace->pid_field
	};
	size_t i;

	trace->min_size = INT32_MAX;
	if (!event || !find_common(event, "common_type", &trace->type_field) ||
	    !find_common(event, "common_flags", &trace->flags_field) ||
	    !find_common(event, "common_preempt_count", &trace->preempt_field) ||
	    !find_common(event, "common_pid", &trace->pid_field))
		return;
	trace->min_size = 0;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (trace->min_size < end_of(fields[i]))
			trace->min_size = end_of(fields[i]);
	}
	trace->is_usual = trace->is_native && trace->min_size == USUAL_SIZE &&
			  is_at(&trace->type_field, 0, 2) &&
			  is_at(&trace->flags_field, USUAL_FLAGS, 1) &&
			  is_at(&trace->preempt_field, USUAL_PREEMPT_COUNT, 1) &&
			  is_at(&trace->pid_field, USUAL_PID, 4);
}

/*
 * Bytes of an address in a full stack: those of the kernel's long, as the header of its pages says,
 * else as the initial format says, which can be that of a 32-bit trace-cmd. 0: the file does not
 * say, or its format of the event says something else. This machine's is never taken for it.
 */
static int find_address_size(const struct events_trace *trace)
{
	const struct tep_format_field *field = trace->caller_field;
	int size = tep_get_header_page_size(trace->tep);

	if (!size)
		size = tep_get_long_size(trace->tep);
	if (size != 4 && size != 8)
		return 0;
	if (field->arraylen && field->size != (long long)field->arraylen * size)
		return 0;
	return size;
}

static void find_stack_fields(struct events_trace *trace)
{
	struct tep_event *cookie = tep_find_event_by_name(trace->tep, "ftrace", "stack_id");
	struct tep_event *full = tep_find_event_by_name(trace->tep, "ftrace", "kernel_stack");

	trace->has_stacks = cookie || full;
	if (cookie) {
		trace->cookie_field = tep_find_field(cookie, "stack_cookie");
		trace->has_generation = trace->cookie_field;
		if (!trace->cookie_field)
			trace->cookie_field = tep_find_field(cookie, "stack_id");
	}
	if (full) {
		trace->caller_field = tep_find_field(full, "caller");
		trace->depth_field = tep_find_field(full, "size");
	}
	trace->address_size = trace->caller_field ? find_address_size(trace) : 0;
}

/* As libtracecmd decides it, which keeps it to itself. */
static bool clock_counts_ns(const char *clock)
{
	static const char *const clocks[] = {
		"local", "global", "uptime", "perf", "tai", "tsc2nsec"
	};
	size_t i;

	if (!clock || !strncmp(clock, "mono", 4))
		return true;
	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (!strcmp(clock, clocks[i]))
			return true;
	}
	return false;
}

static int make_cpus(struct events_buffer *buffer, int nr)
{
	struct events_cpu *cpus;
	int i;

	cpus = realloc(buffer->cpus, (nr ? nr : 1) * sizeof(*cpus));
	if (!cpus)
		return cmd_nomem();
	buffer->cpus = cpus;
	for (i = buffer->nr_cpus; i < nr; i++)
		cpus[i] = (struct events_cpu){ .buffer = buffer, .number = i, .nr = i };
	buffer->nr_cpus = nr;
	return CMD_OK;
}

static int make_buffer(struct events_trace *trace, int nr, const char *name,
		       struct tracecmd_input *input)
{
	struct events_buffer *buffer = &trace->buffers[nr];
	int nr_cpus = tep_get_cpus(trace->tep);

	if (!input)
		return cmd_error("%s: the data of instance '%s' cannot be read", trace->path,
				 name ? name : "");
	buffer->trace = trace;
	buffer->name = name;
	buffer->input = input;
	trace->nr_buffers = nr + 1;
	tracecmd_set_private(input, buffer);
	return make_cpus(buffer, nr_cpus < 0 ? 0 : nr_cpus);
}

static int make_buffers(struct events_trace *trace)
{
	int nr = tracecmd_buffer_instances(trace->input), i, ret;

	trace->buffers = calloc(nr + 1, sizeof(*trace->buffers));
	if (!trace->buffers)
		return cmd_nomem();
	ret = make_buffer(trace, 0, NULL, trace->input);
	for (i = 0; ret == CMD_OK && i < nr; i++)
		ret = make_buffer(trace, i + 1, tracecmd_buffer_instance_name(trace->input, i),
				  tracecmd_buffer_instance_handle(trace->input, i));
	return ret;
}

/*
 * The compression that a trace.dat of version 7 names behind magic, version, byte order, size of
 * long and size of a page. "" where it names none, or is of version 6.
 */
static void read_compression(const char *path, char *name, size_t size)
{
	static const size_t magic_len = 10, numbers_len = 6;
	char head[256] = "";
	const char *at = head + magic_len, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, head, sizeof(head) - 1);

	if (fd >= 0)
		close(fd);
	*name = '\0';
	end = head + (len < 0 ? 0 : len);
	if (end <= at || strcmp(at, "7"))
		return;
	at += strlen(at) + 1 + numbers_len;
	if (at < end)
		snprintf(name, size, "%s", at);
}

/* Our own check has passed: there is something that this build of libtracecmd does not know. */
static int cannot_open(const char *path)
{
	char compression[32];

	read_compression(path, compression, sizeof(compression));
	if (*compression && strcmp(compression, "none"))
		return cmd_error("%s: libtracecmd cannot read it; was it built without compression "
				 "\"%s\"?", path, compression);
	return cmd_error("%s: libtracecmd cannot read it", path);
}

static int open_input(struct events_trace *trace)
{
	const char *clock;

	crash_set_file(trace->path);
	/* It takes an old errno for its own where a version is "" or 0. */
	errno = 0;
	trace->input = tracecmd_open(trace->path, trace->flags & EVENTS_WITH_PLUGINS ?
						  0 : TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!trace->input)
		return cannot_open(trace->path);
	trace->nr_read = 0;
	trace->tep = tracecmd_get_tep(trace->input);
	trace->is_native = tep_is_file_bigendian(trace->tep) == tep_is_local_bigendian(trace->tep);
	clock = stackmap_resolver_get_trace_clock(trace->resolver);
	trace->in_ns = clock_counts_ns(clock);
	find_common_fields(trace);
	find_stack_fields(trace);
	return CMD_OK;
}

static int open_trace(struct events_trace *trace)
{
	char compression[32];
	int ret;

	/* What they have to say is said by us, in one line. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	read_compression(trace->path, compression, sizeof(compression));
	trace->is_compressed = *compression && strcmp(compression, "none");
	trace->types = calloc(NR_TYPES, sizeof(*trace->types));
	if (!trace->types)
		return cmd_nomem();
	ret = comm_read(trace);
	if (ret == CMD_OK)
		ret = open_input(trace);
	if (ret == CMD_OK && trace->caller_field && !trace->address_size)
		cmd_warn("%s: the size of an address is not known: full stacks are not shown",
			 trace->path);
	return ret == CMD_OK ? make_buffers(trace) : ret;
}

static void close_input(struct events_trace *trace)
{
	int i;

	crash_set_file(trace->path);
	for (i = trace->nr_buffers; i-- > 1; ) {
		tracecmd_close(trace->buffers[i].input);
		trace->buffers[i].input = NULL;
	}
	tracecmd_close(trace->input);
	crash_set_file(NULL);
	trace->input = NULL;
}

/*
 * Open it anew: libtracecmd keeps whatever it has decompressed until it is closed. What is known
 * of the types and of the CPUs stays.
 */
static int reopen_trace(struct events_trace *trace)
{
	struct event_type *type;
	int ret, i;

	close_input(trace);
	ret = open_input(trace);
	if (ret != CMD_OK)
		return ret;
	for (i = 0; i < NR_TYPES; i++) {
		type = trace->types[i];
		if (!type)
			continue;
		type->tep = tep_find_event(trace->tep, type->id);
		type->weight_known = false;
		type->weight = NULL;
	}
	for (i = 0; i < trace->nr_buffers; i++) {
		trace->buffers[i].input = i ? tracecmd_buffer_instance_handle(trace->input, i - 1) :
					      trace->input;
		if (!trace->buffers[i].input)
			return cmd_error("%s: changed while it was read", trace->path);
		trace->buffers[i].name = i ? tracecmd_buffer_instance_name(trace->input, i - 1) :
					     NULL;
	}
	return CMD_OK;
}

static void close_trace(struct events_trace *trace)
{
	int i;

	if (trace->input)
		close_input(trace);
	for (i = 0; i < trace->nr_buffers; i++)
		free(trace->buffers[i].cpus);
	free(trace->buffers);
	for (i = 0; trace->types && i < NR_TYPES; i++)
		free(trace->types[i]);
	free(trace->types);
	stackmap_resolver_free(trace->resolver);
}

/* The traces can still move: buffers point to theirs. */
static void tie_buffers(struct events *events)
{
	size_t i;
	int k;

	for (i = 0; i < events->nr_traces; i++) {
		for (k = 0; k < events->traces[i].nr_buffers; k++)
			events->traces[i].buffers[k].trace = &events->traces[i];
	}
}

int events_add(struct events *events, const char *path, struct stackmap_resolver *resolver,
	       unsigned int flags)
{
	struct events_trace *traces;
	int ret;

	traces = realloc(events->traces, (events->nr_traces + 1) * sizeof(*traces));
	if (!traces) {
		stackmap_resolver_free(resolver);
		return cmd_nomem();
	}
	events->traces = traces;
	traces[events->nr_traces] = (struct events_trace){
		.path = path,
		.resolver = resolver,
		.flags = flags,
		.nr = events->nr_traces,
	};
	ret = open_trace(&traces[events->nr_traces]);
	events->nr_traces++;
	tie_buffers(events);
	return ret;
}

struct stack_note *events_stack_note(struct events *events, struct stackmap_stack *stack)
{
	struct stack_note *note = stackmap_stack_get_private(stack);

	if (note)
		return note;
	note = calloc(1, sizeof(*note));
	if (!note) {
		cmd_nomem();
		return NULL;
	}
	note->stack = stack;
	note->next = events->notes;
	events->notes = note;
	stackmap_stack_set_private(stack, note);
	return note;
}

static void free_notes(struct stack_note *note)
{
	struct stack_note *next;

	for (; note; note = next) {
		next = note->next;
		free(note->data);
		free(note);
	}
}

void events_release(struct events *events)
{
	size_t i;

	for (i = 0; i < events->nr_traces; i++)
		close_trace(&events->traces[i]);
	free(events->traces);
	free(events->addresses);
	free_notes(events->notes);
	*events = (struct events){ 0 };
}

/* ---- from record to event ---- */

static enum event_kind kind_of(const struct tep_event *tep)
{
	if (!tep || !tep->system || strcmp(tep->system, "ftrace"))
		return EVENT_PLAIN;
	if (!strcmp(tep->name, "stack_id"))
		return EVENT_COOKIE;
	return strcmp(tep->name, "kernel_stack") ? EVENT_PLAIN : EVENT_FULL;
}

/* NULL: no memory */
static struct event_type *make_type(struct events *events, struct events_trace *trace,
				    unsigned int id)
{
	struct event_type *type = calloc(1, sizeof(*type));

	if (!type) {
		cmd_nomem();
		return NULL;
	}
	type->id = id;
	type->tep = tep_find_event(trace->tep, id);
	type->kind = kind_of(type->tep);
	type->wanted = !events->filter || filter_wants_type(events->filter, type->tep);
	if (!type->tep)
		trace->nr_unknown_types++;
	trace->types[id] = type;
	return type;
}

static inline struct event_type *type_of(struct events *events, struct events_trace *trace,
					 const struct tep_record *record)
{
	uint16_t id;

	if (trace->is_usual)
		memcpy(&id, record->data, sizeof(id));
	else
		id = read_field(trace, (const unsigned char *)record->data +
				trace->type_field.offset, trace->type_field.size);
	return trace->types[id] ? trace->types[id] : make_type(events, trace, id);
}

static inline event_context context_of(const struct events_trace *trace,
				       const struct tep_record *record)
{
	const unsigned char *data = record->data;
	uint32_t pid;

	if (trace->is_usual) {
		memcpy(&pid, data + USUAL_PID, sizeof(pid));
		return event_context_make(pid, data[USUAL_FLAGS], data[USUAL_PREEMPT_COUNT]);
	}
	pid = read_field(trace, data + trace->pid_field.offset, trace->pid_field.size);
	return event_context_make(pid, read_field(trace, data + trace->flags_field.offset,
						  trace->flags_field.size),
				  read_field(trace, data + trace->preempt_field.offset,
					     trace->preempt_field.size));
}

static bool room_for_addresses(struct events *events, size_t nr)
{
	uint64_t *addresses;

	if (nr <= events->addresses_size)
		return true;
	addresses = realloc(events->addresses, nr * sizeof(*addresses));
	if (!addresses)
		return false;
	events->addresses = addresses;
	events->addresses_size = nr;
	return true;
}

/* The word behind the last frame, where a kernel does not say how many there are. */
static bool is_terminator(uint64_t address, int size)
{
	return address == (size == 4 ? UINT32_MAX : UINT64_MAX);
}

/*
 * How many addresses of @room the stack has. A stated depth rules: then an odd word in the middle
 * is a frame like others.
 */
static size_t stated_depth(const struct events_trace *trace, const struct tep_record *record,
			   size_t room, bool *ret_stated)
{
	const struct tep_format_field *field = trace->depth_field;
	uint64_t depth;

	*ret_stated = field && field->size == 4 &&
		      events_read_number(trace, record, field->offset, field->size, &depth) &&
		      depth && depth <= room;
	return *ret_stated ? depth : room;
}

/* -1: the record is too short for its format, or that is not known; -2: no memory */
static long read_addresses(struct events *events, const struct events_trace *trace,
			   const struct tep_record *record)
{
	const struct tep_format_field *field = trace->caller_field;
	int size = trace->address_size;
	size_t depth, i;
	bool stated;

	if (!size || field->offset < 0 || field->offset > record->size)
		return -1;
	depth = stated_depth(trace, record, (record->size - field->offset) / size, &stated);
	if (!room_for_addresses(events, depth))
		return -2;
	for (i = 0; i < depth; i++) {
		events->addresses[i] = read_field(trace, (const unsigned char *)record->data +
						  field->offset + i * size, size);
		if (!stated && is_terminator(events->addresses[i], size))
			break;
	}
	return i;
}

static struct stackmap_stack *find_cookie(const struct events_trace *trace, uint64_t cookie,
					  uint64_t ts)
{
	if (trace->has_generation)
		return stackmap_resolver_find(trace->resolver, cookie, ts);
	return stackmap_resolver_find_slot(trace->resolver, (uint32_t)cookie, ts);
}

/* event->stack stays NULL where the record is damaged. */
static int resolve(struct events *events, struct event *event)
{
	const struct events_trace *trace = event->buffer->trace;
	uint64_t cookie;
	long nr;

	if (event->type->kind == EVENT_COOKIE) {
		if (!events_read_cookie(trace, event->record, &cookie))
			return CMD_OK;
		event->stack = find_cookie(trace, cookie, event->ts);
	} else {
		nr = read_addresses(events, trace, event->record);
		if (nr == -1)
			return CMD_OK;
		event->stack = NULL;
		if (nr >= 0)
			event->stack = stackmap_resolver_find_addresses(trace->resolver,
									events->addresses, nr);
	}
	return event->stack ? CMD_OK : cmd_nomem();
}

/* ---- reading ahead ---- */

static struct event *queue_at(const struct events_cpu *cpu, uint64_t seq)
{
	return &cpu->queue[seq & (cpu->queue_size - 1)];
}

/* The event that waits as @waiting gets its stack, if it still stands in the queue. */
static void give_stack(struct events_cpu *cpu, const struct event_waiting *waiting,
		       const struct event *stack)
{
	struct event *event;

	if (waiting->seq == NO_SEQ || waiting->seq < cpu->seq ||
	    waiting->seq - cpu->seq >= cpu->queue_len)
		return;
	event = queue_at(cpu, waiting->seq);
	event->stack = stack->stack;
	event->stack_kind = stack->type->kind;
	event->wanted = stack->wanted;
	event->decided = true;
}

static int queue_add(struct events_cpu *cpu, const struct event *event)
{
	size_t size = cpu->queue_size ? cpu->queue_size * 2 : 16;
	struct event *queue;
	uint64_t seq;

	if (cpu->queue_len == cpu->queue_size) {
		queue = malloc(size * sizeof(*queue));
		if (!queue)
			return cmd_nomem();
		for (seq = cpu->seq; seq < cpu->seq + cpu->queue_len; seq++)
			queue[seq & (size - 1)] = *queue_at(cpu, seq);
		free(cpu->queue);
		cpu->queue = queue;
		cpu->queue_size = size;
	}
	*queue_at(cpu, cpu->seq + cpu->queue_len++) = *event;
	return CMD_OK;
}

/* ---- joining ---- */

/* The filter's word about the frames of a stack, asked once a stack. */
static int match_frames(struct events *events, struct event *event)
{
	struct stack_note *note;

	if (!event->wanted || !events->filter || !events->filter->frames.nr)
		return CMD_OK;
	event->wanted = false;
	if (!event->stack)
		return CMD_OK;
	note = events_stack_note(events, event->stack);
	if (!note)
		return CMD_FAILED;
	if (!note->is_matched)
		note->matches = filter_wants_stack(events->filter, event->stack);
	note->is_matched = true;
	event->wanted = note->matches;
	return CMD_OK;
}

/* A stack whose event is not in the trace stands for itself, as far as it can. */
static bool lone_stack_is_wanted(const struct events *events, const struct event *event)
{
	const struct event_filter *filter = events->filter;

	return !filter || (!filter->events.nr && filter_wants_event(filter, event));
}

static int take_stack(struct events *events, struct events_cpu *cpu, struct event *event)
{
	const struct event_waiting *waiting = waiting_take(cpu, event->context);
	int ret = CMD_OK;

	event->stack_kind = event->type->kind;
	if (waiting) {
		event->owner = waiting->type;
		event->note = waiting->note;
	}
	event->wanted = waiting ? waiting->wanted : lone_stack_is_wanted(events, event);
	event->counts = event->wanted;
	if (event->wanted)
		ret = resolve(events, event);
	if (ret == CMD_OK)
		ret = match_frames(events, event);
	if (ret == CMD_OK && waiting && cpu->queue)
		give_stack(cpu, waiting, event);
	return ret;
}

/* The event waits for its stack from now on; @seq is its place. */
static inline void await_stack(struct events_cpu *cpu, const struct event *event, uint64_t seq)
{
	struct event_waiting waiting = {
		.type = event->type,
		.context = event->context,
		.seq = seq,
		.level = context_level(event_context_flags(event->context)),
		.wanted = event->wanted,
	};

	waiting_add(cpu, &waiting);
}

/* A record that does not reach to the end of the common fields. */
static int take_short(struct events *events, struct event *event)
{
	static struct event_type too_short = { .wanted = true };

	event->type = &too_short;
	event->context = 0;
	event->pid = 0;
	event->wanted = !events->filter || !events->filter->events.nr;
	return CMD_OK;
}

static inline int take(struct events *events, struct events_cpu *cpu, struct tep_record *record,
		       uint64_t seq, struct event *event)
{
	const struct events_trace *trace = cpu->buffer->trace;

	event->buffer = cpu->buffer;
	event->record = record;
	event->ts = record->ts;
	event->cpu = record->cpu;
	event->missed = record->missed_events;
	event->note = 0;
	event->stack = NULL;
	event->stack_kind = EVENT_PLAIN;
	event->owner = NULL;
	event->counts = false;
	event->decided = false;
	if (event->missed)
		cpu->nr_waiting = 0;
	if (record->size < trace->min_size)
		return take_short(events, event);
	event->type = type_of(events, cpu->buffer->trace, record);
	if (!event->type)
		return CMD_FAILED;
	event->context = context_of(trace, record);
	event->pid = event_context_pid(event->context);
	if (event->type->kind != EVENT_PLAIN)
		return take_stack(events, cpu, event);
	event->wanted = event->type->wanted &&
			(!events->filter || filter_wants_event(events->filter, event));
	if (trace->has_stacks)
		await_stack(cpu, event, seq);
	return CMD_OK;
}

/*
 * Where stacks alone are wanted, of nearly all events it is enough to know that they wait for one.
 * False: this event needs more.
 */
static inline bool is_passed_over(const struct events *events, struct events_cpu *cpu,
				  const struct tep_record *record)
{
	const struct events_trace *trace = cpu->buffer->trace;
	const struct event_type *type;
	struct event_waiting waiting;
	uint16_t id;

	if (!events->stacks_only || events->filter || !trace->is_usual || record->missed_events ||
	    record->size < USUAL_SIZE)
		return false;
	memcpy(&id, record->data, sizeof(id));
	type = trace->types[id];
	if (!type || type->kind != EVENT_PLAIN)
		return false;
	waiting.type = type;
	waiting.context = context_of(trace, record);
	waiting.note = 0;
	waiting.seq = NO_SEQ;
	waiting.level = context_level(event_context_flags(waiting.context));
	waiting.wanted = true;
	waiting_add(cpu, &waiting);
	return true;
}

/* What the consumer noted at an event waits with it: it was the last to be added. */
static void keep_note(struct events_cpu *cpu, const struct event *event)
{
	if (event->type->kind == EVENT_PLAIN && event->note && cpu->nr_waiting)
		cpu->waiting[cpu->nr_waiting - 1].note = event->note;
}

static int hand_out(struct events *events, struct events_cpu *cpu, struct tep_record *record,
		    events_fn fn, void *data)
{
	struct event event;
	int ret;

	ret = take(events, cpu, record, NO_SEQ, &event);
	if (ret != CMD_OK)
		return ret;
	if (events->stacks_only && event.type->kind == EVENT_PLAIN && !event.missed)
		return CMD_OK;
	ret = fn(&event, data);
	if (ret == CMD_OK)
		keep_note(cpu, &event);
	return ret;
}

/* ---- CPU after CPU ---- */

/* Open the trace anew and go on behind the record at @offset. */
static int read_on_anew(struct events_cpu *cpu, uint64_t offset, struct tep_record **ret_record)
{
	struct events_buffer *buffer = cpu->buffer;
	struct tep_record *record;
	int ret, nr = -1;

	ret = reopen_trace(buffer->trace);
	if (ret != CMD_OK)
		return ret;
	crash_set_file(buffer->trace->path);
	record = tracecmd_read_at(buffer->input, offset, &nr);
	tracecmd_free_record(record);
	if (!record || nr != cpu->nr)
		return cmd_error("%s: changed while it was read", buffer->trace->path);
	*ret_record = tracecmd_read_data(buffer->input, cpu->nr);
	return CMD_OK;
}

static int read_next(struct events_cpu *cpu, uint64_t offset, struct tep_record **ret_record)
{
	struct events_trace *trace = cpu->buffer->trace;

	if (trace->is_compressed && trace->nr_read > MAX_DECOMPRESSED)
		return read_on_anew(cpu, offset, ret_record);
	*ret_record = tracecmd_read_data(cpu->buffer->input, cpu->nr);
	return CMD_OK;
}

static int read_cpu(struct events *events, struct events_cpu *cpu, events_fn fn, void *data)
{
	struct events_trace *trace = cpu->buffer->trace;
	struct tep_record *record;
	uint64_t offset;
	int ret = CMD_OK;

	record = tracecmd_read_cpu_first(cpu->buffer->input, cpu->nr);
	while (record && ret == CMD_OK) {
		if (!is_passed_over(events, cpu, record))
			ret = hand_out(events, cpu, record, fn, data);
		trace->nr_read += record->record_size;
		offset = record->offset;
		tracecmd_free_record(record);
		if (ret == CMD_OK)
			ret = read_next(cpu, offset, &record);
	}
	return ret;
}

int events_read_by_cpu(struct events *events, events_fn fn, void *data)
{
	struct events_trace *trace;
	int buffer, cpu, ret = CMD_OK;
	size_t i;

	for (i = 0; i < events->nr_traces; i++) {
		trace = &events->traces[i];
		crash_set_file(trace->path);
		for (buffer = 0; buffer < trace->nr_buffers; buffer++) {
			for (cpu = 0; cpu < trace->buffers[buffer].nr_cpus && ret == CMD_OK; cpu++)
				ret = read_cpu(events, &trace->buffers[buffer].cpus[cpu], fn, data);
		}
	}
	crash_set_file(NULL);
	return ret;
}

/* ---- by time ---- */

/*
 * libtracecmd's own iteration, though it looks at every CPU for each event: the handler of function
 * graph events peeks at what comes next, and only there it finds what it finds in trace-cmd report.
 */
struct by_time {
	struct events	*events;
	events_fn	fn;
	void		*data;
	int		ret;
};

/* NULL: the trace names a CPU that cannot be, after cmd_error(). */
static struct events_cpu *cpu_of(struct events_buffer *buffer, const struct tep_record *record)
{
	if (record->cpu < 0 || record->cpu > MAX_CPU) {
		cmd_error("%s: damaged: it has events of CPU %d", buffer->trace->path, record->cpu);
		return NULL;
	}
	if (record->cpu >= buffer->nr_cpus && make_cpus(buffer, record->cpu + 1))
		return NULL;
	return &buffer->cpus[record->cpu];
}

static int on_record(struct tracecmd_input *input, struct tep_record *record, int nr, void *data)
{
	struct events_buffer *buffer = tracecmd_get_private(input);
	struct by_time *by_time = data;
	struct events_cpu *cpu;

	crash_set_file(buffer->trace->path);
	cpu = cpu_of(buffer, record);
	by_time->ret = cpu ? hand_out(by_time->events, cpu, record, by_time->fn, by_time->data) :
			     CMD_FAILED;
	return by_time->ret == CMD_OK ? 0 : -1;
}

static size_t nr_buffers(const struct events *events)
{
	size_t nr = 0, i;

	for (i = 0; i < events->nr_traces; i++)
		nr += events->traces[i].nr_buffers;
	return nr;
}

/*
 * The top levels of all traces, then their instances: where time stamps are equal, this is the
 * order.
 */
static void order_buffers(const struct events *events, struct events_buffer **buffers)
{
	size_t i, nr = 0;
	int k;

	for (i = 0; i < events->nr_traces; i++)
		buffers[nr++] = &events->traces[i].buffers[0];
	for (i = 0; i < events->nr_traces; i++) {
		for (k = 1; k < events->traces[i].nr_buffers; k++)
			buffers[nr++] = &events->traces[i].buffers[k];
	}
}

int events_read_by_time(struct events *events, events_fn fn, void *data)
{
	struct by_time by_time = { .events = events, .fn = fn, .data = data };
	size_t nr = nr_buffers(events), i;
	struct events_buffer **buffers = calloc(nr + 1, sizeof(*buffers));
	struct tracecmd_input **inputs = calloc(nr + 1, sizeof(*inputs));
	int ret = CMD_FAILED;

	if (!buffers || !inputs) {
		cmd_nomem();
		goto out;
	}
	order_buffers(events, buffers);
	for (i = 0; i < nr; i++)
		inputs[i] = buffers[i]->input;
	if (nr)
		crash_set_file(buffers[0]->trace->path);
	if (tracecmd_iterate_events_multi(inputs, nr, on_record, &by_time) < 0 && !by_time.ret)
		cmd_nomem();
	else
		ret = by_time.ret;
	crash_set_file(NULL);
out:
	free(buffers);
	free(inputs);
	return ret;
}

/* ---- by time, each event with its stack ---- */

/* CPUs by the time of their next event; ties by their order in @cpus. A binary heap of indices. */
struct merge {
	struct events_cpu	**cpus;
	size_t			nr_cpus;
	size_t			*heap;
	size_t			nr;
};

static void release_head(struct events_cpu *cpu)
{
	tracecmd_free_record(queue_at(cpu, cpu->seq)->record);
	cpu->seq++;
	cpu->queue_len--;
}

static int read_ahead(struct events *events, struct events_cpu *cpu)
{
	struct tep_record *record;
	struct event event;
	int ret;

	crash_set_file(cpu->buffer->trace->path);
	record = cpu->started ? tracecmd_read_data(cpu->buffer->input, cpu->nr) :
				tracecmd_read_cpu_first(cpu->buffer->input, cpu->nr);
	cpu->started = true;
	if (!record) {
		cpu->ended = true;
		cpu->nr_waiting = 0;
		return CMD_OK;
	}
	ret = take(events, cpu, record, cpu->seq + cpu->queue_len, &event);
	if (ret == CMD_OK)
		ret = queue_add(cpu, &event);
	if (ret != CMD_OK)
		tracecmd_free_record(record);
	return ret;
}

/* Read until it is known what becomes of the next event. */
static int settle_head(struct events *events, struct events_cpu *cpu)
{
	struct event *head;
	int ret;

	while (!cpu->ended && (!cpu->queue_len || waiting_has(cpu, cpu->seq))) {
		if (cpu->queue_len >= MAX_QUEUE) {
			waiting_forget(cpu, cpu->seq);
			break;
		}
		ret = read_ahead(events, cpu);
		if (ret != CMD_OK)
			return ret;
	}
	if (!cpu->queue_len)
		return CMD_OK;
	head = queue_at(cpu, cpu->seq);
	if (head->type->kind == EVENT_PLAIN && !head->decided && events->filter &&
	    events->filter->frames.nr)
		head->wanted = false;
	return CMD_OK;
}

static bool comes_first(const struct merge *merge, size_t a, size_t b)
{
	uint64_t ts_a = queue_at(merge->cpus[a], merge->cpus[a]->seq)->ts;
	uint64_t ts_b = queue_at(merge->cpus[b], merge->cpus[b]->seq)->ts;

	return ts_a != ts_b ? ts_a < ts_b : a < b;
}

static void sink(struct merge *merge, size_t at)
{
	size_t child, moved = merge->heap[at];

	while ((child = 2 * at + 1) < merge->nr) {
		if (child + 1 < merge->nr &&
		    comes_first(merge, merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!comes_first(merge, merge->heap[child], moved))
			break;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	merge->heap[at] = moved;
}

static int merge_start(struct events *events, struct merge *merge)
{
	size_t i;
	int ret;

	for (i = 0; i < merge->nr_cpus; i++) {
		ret = settle_head(events, merge->cpus[i]);
		if (ret != CMD_OK)
			return ret;
		if (merge->cpus[i]->queue_len)
			merge->heap[merge->nr++] = i;
	}
	for (i = merge->nr / 2; i-- > 0; )
		sink(merge, i);
	return CMD_OK;
}

static int merge_run(struct events *events, struct merge *merge, events_fn fn, void *data)
{
	struct events_cpu *cpu;
	int ret;

	while (merge->nr) {
		cpu = merge->cpus[merge->heap[0]];
		crash_set_file(cpu->buffer->trace->path);
		ret = fn(queue_at(cpu, cpu->seq), data);
		if (ret != CMD_OK)
			return ret;
		release_head(cpu);
		ret = settle_head(events, cpu);
		if (ret != CMD_OK)
			return ret;
		if (!cpu->queue_len)
			merge->heap[0] = merge->heap[--merge->nr];
		if (merge->nr)
			sink(merge, 0);
	}
	return CMD_OK;
}

static int merge_cpus(struct events *events, struct merge *merge)
{
	size_t nr = nr_buffers(events), i;
	struct events_buffer **buffers = calloc(nr + 1, sizeof(*buffers));
	int k;

	if (!buffers)
		return cmd_nomem();
	order_buffers(events, buffers);
	for (i = 0; i < nr; i++)
		merge->nr_cpus += buffers[i]->nr_cpus;
	merge->cpus = calloc(merge->nr_cpus + 1, sizeof(*merge->cpus));
	merge->heap = calloc(merge->nr_cpus + 1, sizeof(*merge->heap));
	if (!merge->cpus || !merge->heap) {
		free(buffers);
		return cmd_nomem();
	}
	merge->nr_cpus = 0;
	for (i = 0; i < nr; i++) {
		for (k = 0; k < buffers[i]->nr_cpus; k++)
			merge->cpus[merge->nr_cpus++] = &buffers[i]->cpus[k];
	}
	free(buffers);
	return CMD_OK;
}

static void merge_release(struct merge *merge)
{
	size_t i;

	for (i = 0; i < merge->nr_cpus; i++) {
		while (merge->cpus[i]->queue_len)
			release_head(merge->cpus[i]);
		free(merge->cpus[i]->queue);
		merge->cpus[i]->queue = NULL;
	}
	free(merge->cpus);
	free(merge->heap);
}

/*
 * The handlers of function graph events peek at the next record, and take it where it is the
 * return: what was read ahead would be lost to them, and more lost to us.
 */
static void switch_off_peeking(struct events *events)
{
	static const char *const names[] = { "funcgraph_entry", "funcgraph_exit" };
	struct tep_event *event;
	size_t i, k;

	for (i = 0; i < events->nr_traces; i++) {
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			event = tep_find_event_by_name(events->traces[i].tep, "ftrace", names[k]);
			if (event)
				event->flags |= TEP_EVENT_FL_NOHANDLE;
		}
	}
}

int events_read_with_stacks(struct events *events, events_fn fn, void *data)
{
	struct merge merge = { 0 };
	int ret;

	switch_off_peeking(events);
	ret = merge_cpus(events, &merge);
	if (ret == CMD_OK)
		ret = merge_start(events, &merge);
	if (ret == CMD_OK)
		ret = merge_run(events, &merge, fn, data);
	merge_release(&merge);
	crash_set_file(NULL);
	return ret;
}
