// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Version 6: one part behind the other, each of the size that it says.
 *
 *	header info | ftrace events | event formats | kallsyms | printk | cmdlines
 *	u32 CPUs | "options  \0" | { u16 id, u32 size, data } ... u16 0
 *	"flyrecord\0" | { u64 offset, u64 size } for each CPU | u64 size, clock
 *
 * A BUFFER option (u64 offset, name\0) says where another "flyrecord\0" with its CPUs stands: one
 * for each instance. "latency  \0" in its place means text instead of events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "internal.h"

#define LABEL_SIZE	10

static int walk_sections(struct smap_trace_opening *opening, uint64_t *pos)
{
	unsigned int id;
	uint64_t start;
	int ret = 0;

	for (id = TRACE_HEADER_INFO; !ret && id <= TRACE_CMDLINES; id++) {
		start = *pos;
		ret = smap_trace_walk_section(id, &opening->input, pos);
		if (!ret)
			ret = smap_trace_add_section(opening, id, false, start, *pos - start);
	}
	return ret;
}

static int add_instance(struct smap_trace_opening *opening, const void *data, size_t len,
			uint64_t where)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, opening->input.swap);
	uint64_t offset;
	const char *name;

	if (!smap_bytes_get_u64(&bytes, &offset) || !smap_bytes_get_string(&bytes, &name))
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": option BUFFER: too short", where);
	if (!name[0])
		return 0;
	if (SMAP_ARRAY_GROW(opening->instances, opening->instances_capacity,
			    opening->nr_instances + 1))
		return smap_error_nomem(opening->err);
	opening->instances[opening->nr_instances++] = offset;
	return 0;
}

static int read_option(struct smap_trace_opening *opening, uint64_t *pos, unsigned int id)
{
	uint64_t where;
	uint32_t size;
	char *data;
	int ret;

	ret = smap_trace_read_u32(&opening->input, pos, &size, "an option");
	where = *pos;
	if (!ret)
		ret = smap_trace_skip(&opening->input, pos, size, "an option");
	if (ret)
		return ret;
	data = malloc((size_t)size + 1);
	if (!data)
		return smap_error_nomem(opening->err);
	ret = smap_trace_pread(opening->input.fd, where, data, size, opening->err);
	if (!ret && id == TRACE_BUFFER)
		ret = add_instance(opening, data, size, where);
	else if (!ret)
		ret = smap_trace_take_option(opening, id, data, size, where);
	free(data);
	return ret;
}

static int read_options(struct smap_trace_opening *opening, uint64_t *pos)
{
	uint64_t start = *pos;
	uint16_t id;
	int ret;

	do {
		ret = smap_trace_read_u16(&opening->input, pos, &id, "the list of options");
		if (!ret && id != TRACE_DONE)
			ret = read_option(opening, pos, id);
	} while (!ret && id != TRACE_DONE);
	if (ret)
		return ret;
	return smap_trace_add_section(opening, TRACE_DONE, false, start, *pos - start);
}

static int read_cpus(struct smap_trace_opening *opening, uint64_t *pos, unsigned int buffer)
{
	struct smap_tracedat_cpu cpu = {
		.buffer = buffer,
		.page_size = opening->tracedat->page_size,
	};
	int ret = 0;

	for (cpu.cpu = 0; !ret && cpu.cpu < opening->nr_cpus; cpu.cpu++) {
		ret = smap_trace_read_u64(&opening->input, pos, &cpu.offset, "the list of CPUs");
		if (!ret)
			ret = smap_trace_read_u64(&opening->input, pos, &cpu.len,
						  "the list of CPUs");
		if (!ret)
			ret = smap_trace_add_cpu(opening, &cpu);
	}
	smap_trace_extend(opening, *pos);
	return ret;
}

/* trace-cmd goes on without it where it is not there. */
static int read_clock(struct smap_trace_opening *opening, uint64_t pos)
{
	char text[256];
	uint64_t size;
	size_t len;
	int ret;

	ret = smap_trace_read_u64(&opening->input, &pos, &size, "the trace clock");
	if (!ret)
		ret = smap_trace_check_range(opening->input.size, pos, size, "the trace clock",
					     opening->err);
	if (ret)
		return ret;
	smap_trace_extend(opening, pos + size);
	len = size < sizeof(text) ? (size_t)size : sizeof(text);
	ret = smap_trace_pread(opening->input.fd, pos, text, len, opening->err);
	return ret ? ret : smap_trace_take_clock(opening, text, len, pos);
}

static int bad_label(struct smap_trace_opening *opening, uint64_t offset)
{
	return smap_error_set(opening->err, -EBADMSG,
			      "offset %" PRIu64 ": neither flyrecord nor latency data", offset);
}

static int read_top_level(struct smap_trace_opening *opening, uint64_t *pos)
{
	char label[LABEL_SIZE];
	int ret;

	ret = smap_trace_read(&opening->input, pos, label, sizeof(label), "the kind of data");
	if (!ret && !strncmp(label, "options", 7)) {
		ret = read_options(opening, pos);
		if (!ret)
			ret = smap_trace_read(&opening->input, pos, label, sizeof(label),
					      "the kind of data");
	}
	if (ret)
		return ret;
	if (!strncmp(label, "latency", 7)) {
		opening->tracedat->is_text = true;
		smap_trace_extend(opening, opening->input.size);
		return 0;
	}
	if (strncmp(label, "flyrecord", 9))
		return bad_label(opening, *pos - sizeof(label));
	ret = read_cpus(opening, pos, 0);
	if (!ret && opening->clock_follows)
		ret = read_clock(opening, *pos);
	return ret;
}

static int read_instance(struct smap_trace_opening *opening, uint64_t pos, unsigned int buffer)
{
	char label[LABEL_SIZE];
	uint64_t start = pos;
	int ret;

	ret = smap_trace_read(&opening->input, &pos, label, sizeof(label), "the data of a buffer");
	if (ret)
		return ret;
	/* Not even text: libtracecmd would take it for events all the same. */
	if (strncmp(label, "flyrecord", 9))
		return bad_label(opening, start);
	/* Many options that name the same list would make us read it as often. */
	opening->cpu_bytes += LABEL_SIZE + (uint64_t)opening->nr_cpus * 16;
	if (opening->cpu_bytes > opening->input.size)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": lists of CPUs overlap", start);
	return read_cpus(opening, &pos, buffer);
}

int smap_trace_open_v6(struct smap_trace_opening *opening, uint64_t pos)
{
	size_t i;
	int ret;

	ret = walk_sections(opening, &pos);
	if (!ret)
		ret = smap_trace_read_u32(&opening->input, &pos, &opening->nr_cpus,
					  "the number of CPUs");
	if (!ret && opening->nr_cpus > TRACE_MAX_CPU)
		ret = smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64 ": %u CPUs",
				     pos - 4, opening->nr_cpus);
	if (!ret)
		ret = read_top_level(opening, &pos);
	for (i = 0; !ret && i < opening->nr_instances; i++)
		ret = read_instance(opening, opening->instances[i], (unsigned int)i + 1);
	return ret;
}
