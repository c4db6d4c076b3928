// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mktrace: formats of events, and events -> pages as the kernel's ring buffer makes them.
 *
 *	page:   u64 time stamp | long commit | events | unused
 *	event:  u32: 5 bits type or length, 27 bits time since the last | (u32 length) | data
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mktrace.h"

#define TYPE_PADDING		29
#define TYPE_TIME_EXTEND	30
#define TYPE_TIME_STAMP		31
#define MAX_SHORT_LEN		(28 * 4)
#define DELTA_BITS		27

#define MISSED			(1ULL << 31)
#define MISSED_STORED		(1ULL << 30)

/* ---- formats ---- */

static unsigned int align_up(unsigned int val, unsigned int to)
{
	return to ? (val + to - 1) / to * to : val;
}

void add_field(struct format *format, const char *type, const char *name, unsigned int nr,
	       unsigned int size)
{
	struct field *field = &format->fields[format->nr_fields];

	if (format->nr_fields == MAX_FIELDS)
		die("too many fields");
	format->nr_fields++;
	snprintf(field->type, sizeof(field->type), "%s", type);
	snprintf(field->name, sizeof(field->name), "%s", name);
	field->nr = nr;
	field->is_text = !strcmp(type, "char") && nr;
	field->is_signed = !strncmp(type, "int", 3) || !strcmp(type, "pid_t") ||
			   !strcmp(type, "long") || !strncmp(type, "s", 1);
	field->offset = align_up(format->size, size < trace.long_size ? size : trace.long_size);
	field->size = size * (nr ? nr : 1);
	format->size = field->offset + field->size;
}

struct format *new_format(const char *system, const char *name, unsigned int id)
{
	struct format *format;

	trace.formats = grow(trace.formats, trace.nr_formats, sizeof(*trace.formats));
	format = &trace.formats[trace.nr_formats++];
	snprintf(format->system, sizeof(format->system), "%s", system);
	snprintf(format->name, sizeof(format->name), "%s", name);
	format->id = id;
	add_field(format, "unsigned short", "common_type", 0, 2);
	add_field(format, "unsigned char", "common_flags", 0, 1);
	add_field(format, "unsigned char", "common_preempt_count", 0, 1);
	add_field(format, "int", "common_pid", 0, 4);
	if (trace.common_size > format->size)
		add_field(format, "char", "common_more", trace.common_size - format->size, 1);
	return format;
}

static void add_stack_id_format(void)
{
	struct format *format = new_format("ftrace", "stack_id", 21);

	if (trace.cookie_offset)
		format->size = trace.cookie_offset;
	if (trace.series >= 8) {
		add_field(format, "u64", "stack_cookie", 0, 8);
		format->print = "\"<stack_id %u gen %u>\", ((u32)((REC)->stack_cookie)), "
				"((u32)((REC)->stack_cookie >> 32))";
	} else {
		add_field(format, "int", "stack_id", 0, 4);
		format->print = "\"<stack_id %d>\", REC->stack_id";
	}
}

void add_builtin_formats(void)
{
	struct format *format;

	format = new_format("ftrace", "kernel_stack", 4);
	add_field(format, "int", "size", 0, 4);
	add_field(format, "unsigned long", "caller", 8, trace.long_size);
	format->print = "\"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], "
			"(void *)REC->caller[1]";

	format = new_format("ftrace", "print", 5);
	add_field(format, "unsigned long", "ip", 0, trace.long_size);
	add_field(format, "char", "buf", 32, 1);
	format->print = "\"%ps: %s\", (void *)REC->ip, REC->buf";

	add_stack_id_format();

	format = new_format("sched", "sched_switch", 258);
	add_field(format, "char", "prev_comm", 16, 1);
	add_field(format, "pid_t", "prev_pid", 0, 4);
	add_field(format, "int", "prev_prio", 0, 4);
	add_field(format, "long", "prev_state", 0, trace.long_size);
	add_field(format, "char", "next_comm", 16, 1);
	add_field(format, "pid_t", "next_pid", 0, 4);
	add_field(format, "int", "next_prio", 0, 4);
	format->print = "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s "
			"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, "
			"REC->prev_prio, REC->prev_state ? \"S\" : \"R\", REC->next_comm, "
			"REC->next_pid, REC->next_prio";

	format = new_format("test", "value", 400);
	add_field(format, "u64", "value", 0, 8);
	format->print = "\"value=%llu\", REC->value";
}

struct format *find_format(const char *name)
{
	size_t i;

	for (i = 0; i < trace.nr_formats; i++) {
		if (!strcmp(trace.formats[i].name, name))
			return &trace.formats[i];
	}
	return NULL;
}

const struct field *find_field(const struct format *format, const char *name)
{
	unsigned int i;

	for (i = 0; i < format->nr_fields; i++) {
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	}
	return NULL;
}

static void put_line(struct bytes *bytes, const struct field *field)
{
	char line[512], array[32] = "";

	if (field->nr)
		snprintf(array, sizeof(array), "[%u]", field->nr);
	snprintf(line, sizeof(line), "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		 field->type, field->name, array, field->offset, field->size, field->is_signed);
	put_text(bytes, line);
}

/* "value=%llu name=%s" over all fields that are not common. */
static void put_print(struct bytes *bytes, const struct format *format)
{
	struct bytes args = { 0 };
	unsigned int i;

	put_text(bytes, "\"");
	for (i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (!strncmp(field->name, "common_", 7))
			continue;
		if (args.len)
			put_text(bytes, " ");
		put_text(bytes, field->name);
		put_text(bytes, field->is_text ? "=%s" : field->is_signed ? "=%lld" : "=%llu");
		put_text(&args, ", REC->");
		put_text(&args, field->name);
	}
	put_text(bytes, "\"");
	put(bytes, args.data, args.len);
	free(args.data);
}

void write_format(struct bytes *bytes, const struct format *format)
{
	char text[256];
	unsigned int i;

	snprintf(text, sizeof(text), "name: %s\nID: %u\nformat:\n", format->name, format->id);
	put_text(bytes, text);
	for (i = 0; i < format->nr_fields; i++) {
		put_line(bytes, &format->fields[i]);
		if (i + 1 < format->nr_fields &&
		    !strncmp(format->fields[i].name, "common_", 7) &&
		    strncmp(format->fields[i + 1].name, "common_", 7))
			put_text(bytes, "\n");
	}
	put_text(bytes, "\nprint fmt: ");
	if (format->print)
		put_text(bytes, format->print);
	else
		put_print(bytes, format);
	put_text(bytes, "\n");
}

/* ---- pages ---- */

static size_t header_size(void)
{
	return 8 + trace.long_size;
}

static size_t used(const struct cpu *cpu)
{
	return cpu->pages.len - cpu->page;
}

static void open_page(struct cpu *cpu, uint64_t ts)
{
	cpu->page = cpu->pages.len;
	cpu->has_page = true;
	cpu->ts = ts;
	put_uint(&cpu->pages, ts, 8);
	put_uint(&cpu->pages, 0, trace.long_size);
}

/* Fill it up and write its length, and behind the events how many were lost before them. */
void close_page(struct buffer *buffer, struct cpu *cpu)
{
	uint64_t commit = used(cpu) - header_size();
	static const uint8_t zero;

	if (!cpu->has_page)
		return;
	if (cpu->has_commit)
		commit = cpu->commit;
	if (cpu->missed) {
		commit |= MISSED;
		if (cpu->nr_missed && used(cpu) + trace.long_size <= buffer->page_size) {
			commit |= MISSED_STORED;
			put_uint(&cpu->pages, cpu->nr_missed, trace.long_size);
		}
	}
	poke_uint(&cpu->pages, cpu->page + 8, commit, trace.long_size);
	while (used(cpu) < buffer->page_size)
		put(&cpu->pages, &zero, 1);
	cpu->has_page = false;
	cpu->has_commit = false;
	cpu->missed = false;
	cpu->nr_missed = 0;
}

/* Room for @len bytes at time @ts, in this page or the next. */
static void make_room(struct buffer *buffer, struct cpu *cpu, uint64_t ts, size_t len)
{
	if (header_size() + len > buffer->page_size)
		die("an event does not fit into a page");
	if (cpu->has_page && (used(cpu) + len > buffer->page_size || ts < cpu->ts))
		close_page(buffer, cpu);
	if (!cpu->has_page)
		open_page(cpu, ts);
}

static void put_word(struct cpu *cpu, unsigned int type_len, uint64_t delta)
{
	uint32_t low = (uint32_t)(delta & ((1U << DELTA_BITS) - 1));

	put_uint(&cpu->pages, trace.big_endian ? type_len << DELTA_BITS | low : low << 5 | type_len,
		 4);
}

void add_time_stamp(struct buffer *buffer, struct cpu *cpu, uint64_t ts)
{
	make_room(buffer, cpu, cpu->has_page ? cpu->ts : ts, 8);
	put_word(cpu, TYPE_TIME_STAMP, ts);
	put_uint(&cpu->pages, (ts & ((1ULL << 59) - 1)) >> DELTA_BITS, 4);
	cpu->ts = ts;
}

/* Brings the time to @ts, up to what fits beside an event's length. Returns the rest. */
static uint64_t extend_time(struct cpu *cpu, uint64_t ts)
{
	uint64_t delta = ts - cpu->ts;

	cpu->ts = ts;
	if (delta < 1ULL << DELTA_BITS)
		return delta;
	put_word(cpu, TYPE_TIME_EXTEND, delta);
	put_uint(&cpu->pages, delta >> DELTA_BITS, 4);
	return 0;
}

void add_event(struct buffer *buffer, struct cpu *cpu, uint64_t ts, const void *data, size_t len)
{
	static const uint8_t zero[4];
	size_t padded = (len + 3) / 4 * 4, header;
	bool is_short = padded && padded <= MAX_SHORT_LEN;
	uint64_t delta;

	header = is_short ? 4 : 8;
	if (cpu->has_page && ts >= cpu->ts && ts - cpu->ts >= 1ULL << DELTA_BITS)
		header += 8;
	make_room(buffer, cpu, ts, header + padded);
	delta = extend_time(cpu, ts);
	if (is_short) {
		put_word(cpu, (unsigned int)(padded / 4), delta);
	} else {
		put_word(cpu, 0, delta);
		put_uint(&cpu->pages, padded + 4, 4);
	}
	put(&cpu->pages, data, len);
	put(&cpu->pages, zero, padded - len);
}

/* An event that was thrown away after it had its place. */
void add_padding(struct buffer *buffer, struct cpu *cpu, size_t len)
{
	static const uint8_t zero[4];

	len = len < 4 ? 4 : (len + 3) / 4 * 4;
	make_room(buffer, cpu, cpu->ts, 4 + len);
	put_word(cpu, TYPE_PADDING, 1);
	put_uint(&cpu->pages, len, 4);
	for (; len > 4; len -= 4)
		put(&cpu->pages, zero, 4);
	cpu->ts++;
}

void add_bytes(struct buffer *buffer, struct cpu *cpu, const void *data, size_t len)
{
	make_room(buffer, cpu, cpu->ts, len);
	put(&cpu->pages, data, len);
}
