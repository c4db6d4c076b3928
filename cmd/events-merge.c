// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By time, each event together with its stack. A stack comes behind its event, so CPUs are read
 * ahead into a queue each until it is known what becomes of the event at the head; the heads are
 * merged by time.
 */
#include <stdlib.h>

#include "cmd.h"
#include "crash.h"
#include "events-internal.h"
#include "filter.h"
#include "waiting.h"

/* Events that are read ahead of one that waits for its stack. */
#define MAX_QUEUE	1024

/* ---- the queue of a CPU ---- */

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
			queue[seq & (size - 1)] = *events_queue_at(cpu, seq);
		free(cpu->queue);
		cpu->queue = queue;
		cpu->queue_size = size;
	}
	*events_queue_at(cpu, cpu->seq + cpu->queue_len++) = *event;
	return CMD_OK;
}

static void release_head(struct events_cpu *cpu)
{
	tracecmd_free_record(events_queue_at(cpu, cpu->seq)->record);
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
	ret = events_take(events, cpu, record, cpu->seq + cpu->queue_len, &event);
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
	head = events_queue_at(cpu, cpu->seq);
	if (head->type->kind == EVENT_PLAIN && !head->decided && events->filter &&
	    events->filter->frames.nr)
		head->wanted = false;
	return CMD_OK;
}

/* ---- all CPUs ---- */

/* CPUs by the time of their next event; ties by their order in @cpus. A binary heap of indices. */
struct merge {
	struct events_cpu	**cpus;
	size_t			nr_cpus;
	size_t			*heap;
	size_t			nr;
};

static bool comes_first(const struct merge *merge, size_t a, size_t b)
{
	uint64_t ts_a = events_queue_at(merge->cpus[a], merge->cpus[a]->seq)->ts;
	uint64_t ts_b = events_queue_at(merge->cpus[b], merge->cpus[b]->seq)->ts;

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
		ret = fn(events_queue_at(cpu, cpu->seq), data);
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
	size_t nr = events_nr_buffers(events), i;
	struct events_buffer **buffers = calloc(nr + 1, sizeof(*buffers));
	int k;

	if (!buffers)
		return cmd_nomem();
	events_order_buffers(events, buffers);
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
