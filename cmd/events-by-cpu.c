// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU after CPU, which is the fastest: libtracecmd reads on where it is, and nothing is compared.
 */
#include <string.h>

#include "cmd.h"
#include "crash.h"
#include "events-internal.h"
#include "waiting.h"

/* Bytes of records that libtracecmd decompresses before it is made to forget them. */
#define MAX_DECOMPRESSED	(64 << 20)

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
	waiting.context = events_context_of(trace, record);
	waiting.note = 0;
	waiting.seq = NO_SEQ;
	waiting.level = context_level(event_context_flags(waiting.context));
	waiting.wanted = true;
	waiting_add(cpu, &waiting);
	return true;
}

/* Open the trace anew and go on behind the record at @offset. */
static int read_on_anew(struct events_cpu *cpu, uint64_t offset, struct tep_record **ret_record)
{
	struct events_buffer *buffer = cpu->buffer;
	struct tep_record *record;
	int ret, nr = -1;

	ret = events_reopen(buffer->trace);
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
			ret = events_hand_out(events, cpu, record, fn, data);
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
