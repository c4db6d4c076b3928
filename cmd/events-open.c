// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces: opened, opened anew while they are read, closed; their buffers and CPUs.
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
#include "events-internal.h"

/* Of common_type, which the ring buffer gives 16 bits. */
#define NR_TYPES	65536

/* ---- buffers ---- */

int events_make_cpus(struct events_buffer *buffer, int nr)
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
	return events_make_cpus(buffer, nr_cpus < 0 ? 0 : nr_cpus);
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

/* ---- the file ---- */

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
	events_find_fields(trace);
	return CMD_OK;
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

/* ---- a trace ---- */

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

int events_reopen(struct events_trace *trace)
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

/* ---- all of them ---- */

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

void events_release(struct events *events)
{
	size_t i;

	for (i = 0; i < events->nr_traces; i++)
		close_trace(&events->traces[i]);
	free(events->traces);
	free(events->addresses);
	events_free_notes(events->notes);
	*events = (struct events){ 0 };
}
