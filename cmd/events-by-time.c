// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By time, as trace-cmd report has it.
 *
 * It is libtracecmd's own iteration, though that looks at every CPU for each event: the handler of
 * function graph events peeks at what comes next, and only there it finds what it finds in
 * trace-cmd report.
 */
#include <stdlib.h>

#include "cmd.h"
#include "crash.h"
#include "events-internal.h"

/* Where a trace has more CPUs than it says. */
#define MAX_CPU		65535

size_t events_nr_buffers(const struct events *events)
{
	size_t nr = 0, i;

	for (i = 0; i < events->nr_traces; i++)
		nr += events->traces[i].nr_buffers;
	return nr;
}

void events_order_buffers(const struct events *events, struct events_buffer **buffers)
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
	if (record->cpu >= buffer->nr_cpus && events_make_cpus(buffer, record->cpu + 1))
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
	by_time->ret = cpu ? events_hand_out(by_time->events, cpu, record, by_time->fn,
					     by_time->data) : CMD_FAILED;
	return by_time->ret == CMD_OK ? 0 : -1;
}

int events_read_by_time(struct events *events, events_fn fn, void *data)
{
	struct by_time by_time = { .events = events, .fn = fn, .data = data };
	size_t nr = events_nr_buffers(events), i;
	struct events_buffer **buffers = calloc(nr + 1, sizeof(*buffers));
	struct tracecmd_input **inputs = calloc(nr + 1, sizeof(*inputs));
	int ret = CMD_FAILED;

	if (!buffers || !inputs) {
		cmd_nomem();
		goto out;
	}
	events_order_buffers(events, buffers);
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
