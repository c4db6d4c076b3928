// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mktrace [--layout] FILE < DESCRIPTION: a trace.dat, from text for people.
 *
 *	# a comment; empty lines say nothing either
 *	endian big
 *	uname Linux host 7.2.13 x86_64
 *	kallsyms ffffffff81000000 T schedule
 *	comm 7 "java main"
 *	cpu 0
 *	1000 7 sched_switch prev_comm="java main" prev_pid=7 prev_state=1 next_comm="x" next_pid=8
 *	1010 7 stack_id 42 gen 1
 *	+500 7 kernel_stack 0xffffffff81000048 0xffffffff81000020
 *
 * Of the file, before the first event (the default in brackets):
 *
 *	version TEXT		[7]; 6; also 0 or "" for the first trace-cmds, which is 6
 *	endian little|big	[little]
 *	long 4|8		[8] bytes, of the kernel
 *	initial-long BYTES	what the initial format says of it, where that is something else
 *	page BYTES		[4096]
 *	compression NAME	[none]; zlib, zstd; under any other name nothing is compressed
 *	clock NAME		[local]
 *	uname TEXT		[Linux (none) 7.2.13 x86_64] up to the end of the line
 *	trace-id NUMBER		[0x1234567812345678]
 *	common BYTES		[8] length of the header that all events have
 *	series 8|4		[8] form of stack_id; 4 stands for series 4 to 7
 *	cookie-offset BYTES	where the format of stack_id says that the cookie is
 *	format SYSTEM:NAME ID TYPE:NAME ...
 *				an event; TYPE is u8 u16 u32 u64 s32 s64 or char; NAME[N]: an array
 *	without PART ...	leave out: header_page (size 0), header_info, ftrace, events,
 *				kallsyms, printk, cmdlines, strings, uname, clock, trace_id,
 *				cpu_count, buffers. Version 6 has an empty one where it must
 *	no-format NAME ...	the file has no format of this event, though it may hold such events
 *	kallsyms TEXT		a line of /proc/kallsyms, up to the end of the line
 *	kallsyms-file PATH	all of it
 *	comm PID "BYTES"	a line of saved_cmdlines
 *	option ID "BYTES"	one more option
 *	section ID "BYTES"	one more section (version 7)
 *	hole BYTES		zeros before the event data, which take no room on disk
 *	options-loop		the last list of options leads back to the first (version 7)
 *	append "BYTES"		behind the end
 *	cut BYTES		cut the file off there, when all is written
 *
 * Of the events. They belong to the buffer (at first the top level) and the CPU named last:
 *
 *	buffer "NAME" [BYTES]	an instance, and the size of its pages
 *	cpu NUMBER
 *	context FLAGS [COUNT]	common_flags and common_preempt_count of what follows [0 0]
 *	TIME PID EVENT ARG ...	TIME in ns, or +N after the last event; a page begins where it falls
 *	page			a new page
 *	missed [N]		a new page, before which N (without: some) events were lost
 *	time-stamp TIME		an absolute time stamp: time may jump back in the middle of a page
 *	padding BYTES		an event that was discarded
 *	empty-pages N		before all other pages of the CPU; they take no room on disk
 *	bytes "BYTES"		into the page as they are
 *	commit NUMBER		the length that this page says, whatever it is
 *
 * EVENT is one of the formats: stack_id SLOT [gen GENERATION]; kernel_stack ADDRESS ...; or its
 * name with FIELD=NUMBER or FIELD="BYTES" for each field that is not 0. There are, beside those
 * that "format" adds, sched_switch, value (test:value with the u64 field value), print and
 * kernel_stack. "raw ID "BYTES"" is any event with these bytes behind the common header. @N as the
 * last argument cuts the event to N bytes or fills it up with zeros, the common header counted.
 *
 * Numbers are decimal, 0x hex, with K, M or G behind them if you like. In "BYTES" \n \t \\ \" \xNN
 * are known. With --layout it prints where each part of the file begins: "OFFSET NAME".
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mktrace.h"

struct trace trace = {
	.version = "7",
	.long_size = 8,
	.page_size = 4096,
	.compression = "none",
	.clock = "local",
	.uname = "Linux (none) 7.2.13 x86_64",
	.trace_id = 0x1234567812345678,
	.common_size = 8,
	.series = 8,
};

static size_t line_number;
static bool is_begun;		/* what events are made of can no longer be changed */
static size_t buffer_nr;
static size_t cpu_nr;
static bool has_cpu;
static uint64_t common_flags;
static uint64_t preempt_count;
/* Formats come when the sizes that they depend on are known. */
static char *format_lines[64];
static size_t nr_format_lines;
static char *left_out[64];
static size_t nr_left_out;

/* ---- helpers ---- */

void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mktrace: line %zu: ", line_number);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

void *grow(void *array, size_t nr, size_t size)
{
	char *grown = realloc(array, (nr + 1) * size);

	if (!grown)
		die("out of memory");
	memset(grown + nr * size, 0, size);
	return grown;
}

void put(struct bytes *bytes, const void *data, size_t len)
{
	if (!len)
		return;
	if (bytes->len + len > bytes->capacity) {
		bytes->capacity = (bytes->len + len) * 2;
		bytes->data = realloc(bytes->data, bytes->capacity);
		if (!bytes->data)
			die("out of memory");
	}
	memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
}

static void encode(uint8_t *data, uint64_t val, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		data[trace.big_endian ? size - 1 - i : i] = (uint8_t)(i < 8 ? val >> 8 * i : 0);
}

void put_uint(struct bytes *bytes, uint64_t val, unsigned int size)
{
	uint8_t data[16];

	encode(data, val, size);
	put(bytes, data, size);
}

void poke_uint(struct bytes *bytes, size_t pos, uint64_t val, unsigned int size)
{
	encode(bytes->data + pos, val, size);
}

void put_text(struct bytes *bytes, const char *text)
{
	put(bytes, text, strlen(text));
}

void put_string(struct bytes *bytes, const char *text)
{
	put(bytes, text, strlen(text) + 1);
}

/* ---- words of a line ---- */

static void skip_space(char **line)
{
	while (isspace((unsigned char)**line))
		(*line)++;
}

/* The next word, cut out of the line; NULL at its end. */
static char *take_word(char **line)
{
	char *word;

	skip_space(line);
	if (!**line)
		return NULL;
	word = *line;
	while (**line && !isspace((unsigned char)**line))
		(*line)++;
	if (**line)
		*(*line)++ = '\0';
	return word;
}

static char *need_word(char **line)
{
	char *word = take_word(line);

	if (!word)
		die("something is missing");
	return word;
}

static uint64_t parse_number(const char *word)
{
	char *end;
	uint64_t val;

	errno = 0;
	val = word[0] == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
	if (end == word || errno)
		die("\"%s\" is no number", word);
	switch (*end) {
	case 'G':
		val *= 1024;
		/* fall through */
	case 'M':
		val *= 1024;
		/* fall through */
	case 'K':
		val *= 1024;
		end++;
	}
	if (*end)
		die("\"%s\" is no number", word);
	return val;
}

static uint64_t need_number(char **line)
{
	return parse_number(need_word(line));
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *digit = strchr(digits, tolower(c));

	if (!c || !digit)
		die("\\x without two hex digits");
	return (int)(digit - digits);
}

static char unescape(char **pos)
{
	char c = *(*pos)++;

	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x':
		c = (char)(hex_digit((*pos)[0]) << 4);
		c = (char)(c | hex_digit((*pos)[1]));
		*pos += 2;
		return c;
	default:
		return c;
	}
}

/* "BYTES" at the beginning of the line. */
static struct bytes take_quoted(char **line)
{
	struct bytes bytes = { 0 };
	char c;

	skip_space(line);
	if (**line != '"')
		die("something in quotes is missing");
	for ((*line)++; **line != '"'; ) {
		c = *(*line)++;
		if (!c)
			die("the quotes do not end");
		if (c == '\\')
			c = unescape(line);
		put(&bytes, &c, 1);
	}
	(*line)++;
	return bytes;
}

static void copy_word(char *to, size_t size, const char *word)
{
	if (strlen(word) >= size)
		die("\"%s\" is too long", word);
	strcpy(to, word);
}

/* ---- the file ---- */

static void set_version(char **line)
{
	char *word = need_word(line);

	copy_word(trace.version, sizeof(trace.version), strcmp(word, "\"\"") ? word : "");
	trace.is_v6 = strcmp(trace.version, "7") && strtol(trace.version, NULL, 10) <= 6;
}

static void set_endian(char **line)
{
	char *word = need_word(line);

	if (strcmp(word, "big") && strcmp(word, "little"))
		die("neither big nor little");
	trace.big_endian = !strcmp(word, "big");
}

static void set_long(char **line)
{
	trace.long_size = (unsigned int)need_number(line);
	if (trace.long_size != 4 && trace.long_size != 8)
		die("long is 4 or 8");
}

static void set_initial_long(char **line)
{
	trace.initial_long = (unsigned int)need_number(line);
}

static void set_page(char **line)
{
	trace.page_size = (unsigned int)need_number(line);
	trace.buffers[0].page_size = trace.page_size;
}

static void set_compression(char **line)
{
	copy_word(trace.compression, sizeof(trace.compression), need_word(line));
}

static void set_clock(char **line)
{
	copy_word(trace.clock, sizeof(trace.clock), need_word(line));
}

static void set_uname(char **line)
{
	skip_space(line);
	copy_word(trace.uname, sizeof(trace.uname), *line);
	*line += strlen(*line);
}

static void set_trace_id(char **line)
{
	trace.trace_id = need_number(line);
}

static void set_common(char **line)
{
	trace.common_size = (unsigned int)need_number(line);
}

static void set_series(char **line)
{
	trace.series = (unsigned int)need_number(line);
}

static void set_cookie_offset(char **line)
{
	trace.cookie_offset = (unsigned int)need_number(line);
}

static void keep_line(char **lines, size_t *nr, char **line)
{
	if (*nr == 64)
		die("too many of them");
	lines[(*nr)++] = strdup(*line);
	*line += strlen(*line);
}

static void take_format(char **line)
{
	keep_line(format_lines, &nr_format_lines, line);
}

static void take_no_format(char **line)
{
	keep_line(left_out, &nr_left_out, line);
}

static const char *const part_names[NR_PARTS] = {
	[PART_HEADER_PAGE] = "header_page",
	[PART_HEADER_INFO] = "header_info",
	[PART_FTRACE] = "ftrace",
	[PART_EVENTS] = "events",
	[PART_KALLSYMS] = "kallsyms",
	[PART_PRINTK] = "printk",
	[PART_CMDLINES] = "cmdlines",
	[PART_STRINGS] = "strings",
	[PART_UNAME] = "uname",
	[PART_CLOCK] = "clock",
	[PART_TRACE_ID] = "trace_id",
	[PART_CPU_COUNT] = "cpu_count",
	[PART_BUFFERS] = "buffers",
};

static void take_without(char **line)
{
	char *word;
	int i;

	while ((word = take_word(line))) {
		for (i = 0; i < NR_PARTS && strcmp(part_names[i], word); i++)
			;
		if (i == NR_PARTS)
			die("there is no part \"%s\"", word);
		trace.without[i] = true;
	}
}

static void take_kallsyms(char **line)
{
	skip_space(line);
	put_text(&trace.kallsyms, *line);
	put_text(&trace.kallsyms, "\n");
	*line += strlen(*line);
}

static void take_kallsyms_file(char **line)
{
	const char *path = need_word(line);
	FILE *file = fopen(path, "r");
	char buf[4096];
	size_t len;

	if (!file)
		die("%s: %s", path, strerror(errno));
	while ((len = fread(buf, 1, sizeof(buf), file)))
		put(&trace.kallsyms, buf, len);
	fclose(file);
}

static void take_comm(char **line)
{
	char pid[32];
	struct bytes comm;

	snprintf(pid, sizeof(pid), "%d ", (int)need_number(line));
	comm = take_quoted(line);
	put_text(&trace.cmdlines, pid);
	put(&trace.cmdlines, comm.data, comm.len);
	put_text(&trace.cmdlines, "\n");
	free(comm.data);
}

static void add_extra(struct extra **extras, size_t *nr, char **line)
{
	*extras = grow(*extras, *nr, sizeof(**extras));
	(*extras)[*nr].id = (unsigned int)need_number(line);
	(*extras)[(*nr)++].data = take_quoted(line);
}

static void take_option(char **line)
{
	add_extra(&trace.options, &trace.nr_options, line);
}

static void take_section(char **line)
{
	add_extra(&trace.sections, &trace.nr_sections, line);
}

static void take_hole(char **line)
{
	trace.hole = need_number(line);
}

static void take_options_loop(char **line)
{
	trace.options_loop = true;
}

static void take_append(char **line)
{
	struct bytes bytes = take_quoted(line);

	put(&trace.appended, bytes.data, bytes.len);
	free(bytes.data);
}

static void take_cut(char **line)
{
	trace.has_cut = true;
	trace.cut = need_number(line);
}

/* ---- formats ---- */

static const struct {
	const char	*name;
	const char	*type;
	unsigned int	size;
} types[] = {
	{ "u8", "u8", 1 }, { "u16", "u16", 2 }, { "u32", "u32", 4 }, { "u64", "u64", 8 },
	{ "s32", "s32", 4 }, { "s64", "s64", 8 }, { "char", "char", 1 },
};

/* TYPE:NAME or TYPE:NAME[N] */
static void parse_field(struct format *format, char *word)
{
	char *name = strchr(word, ':'), *bracket;
	unsigned int nr = 0;
	size_t i;

	if (!name)
		die("\"%s\" is no TYPE:NAME", word);
	*name++ = '\0';
	bracket = strchr(name, '[');
	if (bracket) {
		*bracket = '\0';
		nr = (unsigned int)strtoul(bracket + 1, NULL, 10);
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].name, word)) {
			add_field(format, types[i].type, name, nr, types[i].size);
			return;
		}
	}
	die("there is no type \"%s\"", word);
}

/* SYSTEM:NAME ID TYPE:NAME ... */
static void parse_format(char *line)
{
	char *system = need_word(&line), *name = strchr(system, ':'), *word;
	struct format *format;

	if (!name)
		die("\"%s\" is no SYSTEM:NAME", system);
	*name++ = '\0';
	format = new_format(system, name, (unsigned int)need_number(&line));
	while ((word = take_word(&line)))
		parse_field(format, word);
}

static void leave_out(char *line)
{
	struct format *format;
	char *word;

	while ((word = take_word(&line))) {
		format = find_format(word);
		if (!format)
			die("there is no event \"%s\"", word);
		format->left_out = true;
	}
}

/* What the events are made of is settled. */
static void begin_events(void)
{
	size_t i;

	if (is_begun)
		return;
	is_begun = true;
	add_builtin_formats();
	for (i = 0; i < nr_format_lines; i++) {
		parse_format(format_lines[i]);
		free(format_lines[i]);
	}
	for (i = 0; i < nr_left_out; i++) {
		leave_out(left_out[i]);
		free(left_out[i]);
	}
}

/* ---- events ---- */

static struct buffer *this_buffer(void)
{
	return &trace.buffers[buffer_nr];
}

static struct cpu *this_cpu(void)
{
	if (!has_cpu)
		die("an event without a CPU");
	return &this_buffer()->cpus[cpu_nr];
}

static void take_buffer(char **line)
{
	struct bytes name = take_quoted(line);
	char *size;

	put_string(&name, "");
	for (buffer_nr = 0; buffer_nr < trace.nr_buffers; buffer_nr++) {
		if (!strcmp(this_buffer()->name, (char *)name.data))
			break;
	}
	has_cpu = false;
	if (buffer_nr < trace.nr_buffers) {
		free(name.data);
		return;
	}
	trace.buffers = grow(trace.buffers, trace.nr_buffers, sizeof(*trace.buffers));
	trace.nr_buffers++;
	size = take_word(line);
	this_buffer()->name = (char *)name.data;
	this_buffer()->page_size = size ? (unsigned int)parse_number(size) : trace.page_size;
}

static void take_cpu(char **line)
{
	unsigned int number = (unsigned int)need_number(line);
	struct buffer *buffer = this_buffer();

	has_cpu = true;
	for (cpu_nr = 0; cpu_nr < buffer->nr_cpus; cpu_nr++) {
		if (buffer->cpus[cpu_nr].number == number)
			return;
	}
	buffer->cpus = grow(buffer->cpus, buffer->nr_cpus, sizeof(*buffer->cpus));
	buffer->cpus[buffer->nr_cpus++].number = number;
}

static void take_page(char **line)
{
	close_page(this_buffer(), this_cpu());
}

static void take_missed(char **line)
{
	char *word = take_word(line);

	close_page(this_buffer(), this_cpu());
	this_cpu()->missed = true;
	this_cpu()->nr_missed = word ? parse_number(word) : 0;
}

static void take_time_stamp(char **line)
{
	add_time_stamp(this_buffer(), this_cpu(), need_number(line));
}

static void take_padding(char **line)
{
	add_padding(this_buffer(), this_cpu(), (size_t)need_number(line));
}

static void take_empty_pages(char **line)
{
	this_cpu()->empty_pages = need_number(line);
}

static void take_bytes(char **line)
{
	struct bytes bytes = take_quoted(line);

	add_bytes(this_buffer(), this_cpu(), bytes.data, bytes.len);
	free(bytes.data);
}

static void take_commit(char **line)
{
	this_cpu()->has_commit = true;
	this_cpu()->commit = need_number(line);
}

/* An event as it is filled in. */
struct event {
	struct bytes	data;
	bool		has_len;
	size_t		len;
};

static void set_len(struct event *event, size_t len)
{
	static const uint8_t zero;

	while (event->data.len < len)
		put(&event->data, &zero, 1);
	event->data.len = len;
}

static void set_uint(struct event *event, const struct field *field, uint64_t val)
{
	if (field->offset + field->size > event->data.len)
		die("%s does not fit", field->name);
	poke_uint(&event->data, field->offset, val, field->nr ? field->size / field->nr :
							       field->size);
}

static const struct field *need_field(const struct format *format, const char *name)
{
	const struct field *field = find_field(format, name);

	if (!field)
		die("%s has no field \"%s\"", format->name, name);
	return field;
}

static void start_event(struct event *event, unsigned int id, size_t len, uint64_t pid)
{
	const struct format *any = &trace.formats[0];

	set_len(event, len);
	set_uint(event, need_field(any, "common_type"), id);
	set_uint(event, need_field(any, "common_pid"), pid);
	set_uint(event, need_field(any, "common_flags"), common_flags);
	set_uint(event, need_field(any, "common_preempt_count"), preempt_count);
}

/* @N at the end of the line. */
static bool take_len(struct event *event, char *word)
{
	if (*word != '@')
		return false;
	event->has_len = true;
	event->len = (size_t)parse_number(word + 1);
	return true;
}

/* SLOT [gen GENERATION] */
static void fill_stack_id(struct event *event, const struct format *format, char **line)
{
	const struct field *field = find_field(format, "stack_cookie");
	uint64_t slot = need_number(line), generation = 1;
	char *word;

	while ((word = take_word(line))) {
		if (take_len(event, word))
			continue;
		if (strcmp(word, "gen"))
			die("\"%s\" instead of gen", word);
		generation = need_number(line);
	}
	if (field)
		set_uint(event, field, generation << 32 | slot);
	else
		set_uint(event, need_field(format, "stack_id"), slot);
}

/* ADDRESS ...: as many as there are, whatever the format says. */
static void fill_kernel_stack(struct event *event, const struct format *format, char **line)
{
	const struct field *caller = need_field(format, "caller");
	unsigned int nr = 0;
	char *word;

	set_len(event, caller->offset);
	while ((word = take_word(line))) {
		if (take_len(event, word))
			continue;
		put_uint(&event->data, parse_number(word), trace.long_size);
		nr++;
	}
	set_uint(event, need_field(format, "size"), nr);
}

/* FIELD=NUMBER FIELD="BYTES" ... */
static void fill_fields(struct event *event, const struct format *format, char **line)
{
	const struct field *field;
	struct bytes bytes;
	char *name;

	for (skip_space(line); **line; skip_space(line)) {
		if (**line == '@') {
			take_len(event, need_word(line));
			continue;
		}
		name = *line;
		*line = strchr(name, '=');
		if (!*line)
			die("\"%s\" is no FIELD=VALUE", name);
		*(*line)++ = '\0';
		field = need_field(format, name);
		if (**line != '"') {
			set_uint(event, field, need_number(line));
			continue;
		}
		bytes = take_quoted(line);
		if (bytes.len > field->size)
			die("%s does not fit", field->name);
		if (bytes.len)
			memcpy(event->data.data + field->offset, bytes.data, bytes.len);
		free(bytes.data);
	}
}

/* ID "BYTES" */
static void fill_raw(struct event *event, uint64_t pid, char **line)
{
	unsigned int id = (unsigned int)need_number(line);
	struct bytes bytes = take_quoted(line);
	char *word;

	start_event(event, id, trace.common_size, pid);
	put(&event->data, bytes.data, bytes.len);
	free(bytes.data);
	while ((word = take_word(line))) {
		if (!take_len(event, word))
			die("\"%s\" is too much", word);
	}
}

static void fill_event(struct event *event, const char *name, uint64_t pid, char **line)
{
	const struct format *format = find_format(name);

	if (!strcmp(name, "raw")) {
		fill_raw(event, pid, line);
		return;
	}
	if (!format)
		die("there is no event \"%s\"", name);
	start_event(event, format->id, format->size, pid);
	if (!strcmp(name, "stack_id"))
		fill_stack_id(event, format, line);
	else if (!strcmp(name, "kernel_stack"))
		fill_kernel_stack(event, format, line);
	else
		fill_fields(event, format, line);
}

static void take_event(const char *time, char **line)
{
	struct event event = { 0 };
	struct cpu *cpu = this_cpu();
	uint64_t ts, pid;

	ts = time[0] == '+' ? cpu->ts + parse_number(time + 1) : parse_number(time);
	pid = need_number(line);
	fill_event(&event, need_word(line), pid, line);
	if (event.has_len)
		set_len(&event, event.len);
	add_event(this_buffer(), cpu, ts, event.data.data, event.data.len);
	free(event.data.data);
}

static void take_context(char **line)
{
	char *word;

	common_flags = need_number(line);
	word = take_word(line);
	preempt_count = word ? parse_number(word) : 0;
}

/* ---- lines ---- */

struct word {
	const char	*name;
	void		(*take)(char **line);
};

static const struct word file_words[] = {
	{ "version", set_version }, { "endian", set_endian }, { "long", set_long },
	{ "initial-long", set_initial_long },
	{ "page", set_page }, { "compression", set_compression }, { "clock", set_clock },
	{ "uname", set_uname }, { "trace-id", set_trace_id }, { "common", set_common },
	{ "series", set_series }, { "cookie-offset", set_cookie_offset },
	{ "format", take_format }, { "no-format", take_no_format }, { "without", take_without },
	{ "kallsyms", take_kallsyms }, { "kallsyms-file", take_kallsyms_file },
	{ "comm", take_comm }, { "option", take_option }, { "section", take_section },
	{ "hole", take_hole }, { "options-loop", take_options_loop },
	{ "append", take_append }, { "cut", take_cut }, { NULL, NULL },
};

static const struct word event_words[] = {
	{ "buffer", take_buffer }, { "cpu", take_cpu }, { "page", take_page },
	{ "missed", take_missed }, { "time-stamp", take_time_stamp },
	{ "padding", take_padding }, { "empty-pages", take_empty_pages },
	{ "bytes", take_bytes }, { "commit", take_commit },
	{ "context", take_context }, { NULL, NULL },
};

static const struct word *find_word(const struct word *words, const char *name)
{
	for (; words->name && strcmp(words->name, name); words++)
		;
	return words->name ? words : NULL;
}

/* "page" is a size before the first event, and after it a new page. */
static bool take_known(const char *name, char **line)
{
	const struct word *word = is_begun ? NULL : find_word(file_words, name);

	if (!word) {
		word = find_word(event_words, name);
		if (!word && find_word(file_words, name))
			die("%s must come before the events", name);
		if (!word)
			return false;
		begin_events();
	}
	word->take(line);
	return true;
}

static void take_line(char *line)
{
	char *word;

	line[strcspn(line, "\n")] = '\0';
	word = take_word(&line);
	if (!word || *word == '#')
		return;
	if (!take_known(word, &line)) {
		if (!isdigit((unsigned char)*word) && *word != '+')
			die("what is \"%s\"?", word);
		begin_events();
		take_event(word, &line);
	}
	if (take_word(&line))
		die("there is more than expected");
}

static void close_all_pages(void)
{
	size_t i, j;

	for (i = 0; i < trace.nr_buffers; i++) {
		for (j = 0; j < trace.buffers[i].nr_cpus; j++)
			close_page(&trace.buffers[i], &trace.buffers[i].cpus[j]);
	}
}

static void start(void)
{
	trace.buffers = grow(NULL, 0, sizeof(*trace.buffers));
	trace.nr_buffers = 1;
	trace.buffers[0].name = strdup("");
	trace.buffers[0].page_size = trace.page_size;
}

int main(int argc, char **argv)
{
	bool layout = argc > 1 && !strcmp(argv[1], "--layout");
	size_t room = 0;
	char *line = NULL;

	if (argc != (layout ? 3 : 2)) {
		fprintf(stderr, "usage: mktrace [--layout] FILE < DESCRIPTION\n");
		return 2;
	}
	start();
	while (getline(&line, &room, stdin) >= 0) {
		line_number++;
		take_line(line);
	}
	free(line);
	begin_events();
	close_all_pages();
	write_file(argv[argc - 1], layout);
	return 0;
}
