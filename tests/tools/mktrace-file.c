// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mktrace: struct trace -> file, laid out as trace-cmd 3.1.6 does it.
 *
 *	6: initial format, header info ... cmdlines, CPU count, options, CPUs, clock, event data;
 *	   then for each instance its CPUs and event data
 *	7: initial format, header info ... cmdlines, extra sections, options; for each buffer its
 *	   event data and options again; strings
 *
 * Everything is written where it belongs, so that holes take no room.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "mktrace.h"

#define PAGES_IN_CHUNK	10

enum {
	ID_DONE = 0, ID_BUFFER = 3, ID_TRACECLOCK = 4, ID_UNAME = 5, ID_CPUCOUNT = 8,
	ID_TRACEID = 11, ID_STRINGS = 15, ID_HEADER_INFO = 16, ID_FTRACE_EVENTS = 17,
	ID_EVENT_FORMATS = 18, ID_KALLSYMS = 19, ID_PRINTK = 20, ID_CMDLINES = 21,
};

static int out_fd;
static const char *out_path;
static uint64_t out_pos;
static bool out_layout;
static struct bytes strings;

/* ---- output ---- */

static void write_at(uint64_t pos, const void *data, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pwrite(out_fd, (const char *)data + done, len - done, (off_t)(pos + done));
		if (n < 0)
			die("%s: %s", out_path, strerror(errno));
		done += (size_t)n;
	}
}

static void write_bytes(const struct bytes *bytes)
{
	write_at(out_pos, bytes->data, bytes->len);
	out_pos += bytes->len;
}

static void write_uint(uint64_t val, unsigned int size)
{
	struct bytes bytes = { 0 };

	put_uint(&bytes, val, size);
	write_bytes(&bytes);
	free(bytes.data);
}

static void write_uint_at(uint64_t pos, uint64_t val, unsigned int size)
{
	uint64_t here = out_pos;

	out_pos = pos;
	write_uint(val, size);
	out_pos = here;
}

static void write_text(const char *text, size_t len)
{
	write_at(out_pos, text, len);
	out_pos += len;
}

static void say(const char *what)
{
	if (out_layout)
		printf("%" PRIu64 " %s\n", out_pos, what);
}

/* ---- compression ---- */

static bool is_compressed(void)
{
	return !strcmp(trace.compression, "zstd") || !strcmp(trace.compression, "zlib");
}

static struct bytes compress_bytes(const void *data, size_t len)
{
	bool is_zstd = !strcmp(trace.compression, "zstd");
	size_t room = is_zstd ? ZSTD_compressBound(len) : compressBound(len);
	struct bytes packed = { .data = malloc(room) };
	uLongf size = room;

	if (!packed.data)
		die("out of memory");
	if (is_zstd) {
		packed.len = ZSTD_compress(packed.data, room, data, len, 3);
		if (ZSTD_isError(packed.len))
			die("zstd: %s", ZSTD_getErrorName(packed.len));
	} else {
		if (compress2(packed.data, &size, data, len, 9) != Z_OK)
			die("zlib failed");
		packed.len = size;
	}
	return packed;
}

/* u32 packed, u32 unpacked, packed bytes. */
static void write_packed(const void *data, size_t len)
{
	struct bytes packed = compress_bytes(data, len);

	write_uint(packed.len, 4);
	write_uint(len, 4);
	write_bytes(&packed);
	free(packed.data);
}

/* ---- what stands in the sections ---- */

static void put_sized_text(struct bytes *bytes, const char *label, const char *text)
{
	put_string(bytes, label);
	put_uint(bytes, strlen(text), 8);
	put_text(bytes, text);
}

static void fill_header_info(struct bytes *bytes)
{
	unsigned int size = trace.long_size;
	char text[512];

	snprintf(text, sizeof(text),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: char overwrite;\toffset:8;\tsize:1;\tsigned:0;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n", size, 8 + size,
		 trace.page_size - 8 - size);
	put_sized_text(bytes, "header_page", trace.without[PART_HEADER_PAGE] ? "" : text);
	put_sized_text(bytes, "header_event",
		       "# compressed entry header\n\ttype_len    :    5 bits\n"
		       "\ttime_delta  :   27 bits\n\tarray       :   32 bits\n");
}

static void put_format(struct bytes *bytes, const struct format *format)
{
	struct bytes text = { 0 };

	write_format(&text, format);
	put_uint(bytes, text.len, 8);
	put(bytes, text.data, text.len);
	free(text.data);
}

static void put_system(struct bytes *bytes, const char *system)
{
	size_t i, nr = 0;

	for (i = 0; i < trace.nr_formats; i++)
		nr += !strcmp(trace.formats[i].system, system) && !trace.formats[i].left_out;
	put_uint(bytes, nr, 4);
	for (i = 0; i < trace.nr_formats; i++) {
		if (!strcmp(trace.formats[i].system, system) && !trace.formats[i].left_out)
			put_format(bytes, &trace.formats[i]);
	}
}

static void fill_ftrace(struct bytes *bytes)
{
	put_system(bytes, "ftrace");
}

static bool is_first_of_system(size_t nr)
{
	size_t i;

	if (!strcmp(trace.formats[nr].system, "ftrace"))
		return false;
	for (i = 0; i < nr; i++) {
		if (!strcmp(trace.formats[i].system, trace.formats[nr].system))
			return false;
	}
	return true;
}

static void fill_events(struct bytes *bytes)
{
	size_t i, nr = 0;

	for (i = 0; i < trace.nr_formats; i++)
		nr += is_first_of_system(i);
	put_uint(bytes, nr, 4);
	for (i = 0; i < trace.nr_formats; i++) {
		if (!is_first_of_system(i))
			continue;
		put_string(bytes, trace.formats[i].system);
		put_system(bytes, trace.formats[i].system);
	}
}

static void fill_kallsyms(struct bytes *bytes)
{
	put_uint(bytes, trace.kallsyms.len, 4);
	put(bytes, trace.kallsyms.data, trace.kallsyms.len);
}

static void fill_printk(struct bytes *bytes)
{
	put_uint(bytes, 0, 4);
}

static void fill_cmdlines(struct bytes *bytes)
{
	put_uint(bytes, trace.cmdlines.len, 8);
	put(bytes, trace.cmdlines.data, trace.cmdlines.len);
}

static const struct section {
	unsigned int	id;
	const char	*name;
	enum part	part;
	void		(*fill)(struct bytes *bytes);
	unsigned int	empty;	/* bytes of zero in its place in version 6 */
} sections[] = {
	{ ID_HEADER_INFO, "headers", PART_HEADER_INFO, fill_header_info, 0 },
	{ ID_FTRACE_EVENTS, "ftrace events", PART_FTRACE, fill_ftrace, 4 },
	{ ID_EVENT_FORMATS, "events format", PART_EVENTS, fill_events, 4 },
	{ ID_KALLSYMS, "kallsyms", PART_KALLSYMS, fill_kallsyms, 4 },
	{ ID_PRINTK, "printk", PART_PRINTK, fill_printk, 4 },
	{ ID_CMDLINES, "command lines", PART_CMDLINES, fill_cmdlines, 8 },
};

#define NR_SECTIONS	(sizeof(sections) / sizeof(sections[0]))

/* ---- options ---- */

static void put_option(struct bytes *bytes, unsigned int id, const void *data, size_t len)
{
	put_uint(bytes, id, 2);
	put_uint(bytes, len, 4);
	put(bytes, data, len);
}

static void put_option_uint(struct bytes *bytes, unsigned int id, uint64_t val, unsigned int size)
{
	put_uint(bytes, id, 2);
	put_uint(bytes, size, 4);
	put_uint(bytes, val, size);
}

static unsigned int count_cpus(const struct buffer *buffer)
{
	unsigned int nr = 1;
	size_t i;

	for (i = 0; i < buffer->nr_cpus; i++) {
		if (buffer->cpus[i].number >= nr)
			nr = buffer->cpus[i].number + 1;
	}
	return nr;
}

/* Version 6 has one number for all buffers. */
static unsigned int count_all_cpus(void)
{
	unsigned int nr = 1, n;
	size_t i;

	for (i = 0; i < trace.nr_buffers; i++) {
		n = count_cpus(&trace.buffers[i]);
		if (n > nr)
			nr = n;
	}
	return nr;
}

static void put_general_options(struct bytes *bytes)
{
	char text[2 * NAME_LEN + 64];
	size_t i;

	if (!trace.without[PART_CLOCK]) {
		snprintf(text, sizeof(text), "[%s] other counter\n", trace.clock);
		put_option(bytes, ID_TRACECLOCK, text, strlen(text) + 1);
	}
	if (!trace.without[PART_UNAME])
		put_option(bytes, ID_UNAME, trace.uname, strlen(trace.uname) + 1);
	if (!trace.without[PART_TRACE_ID])
		put_option_uint(bytes, ID_TRACEID, trace.trace_id, 8);
	for (i = 0; i < trace.nr_options; i++)
		put_option(bytes, trace.options[i].id, trace.options[i].data.data,
			   trace.options[i].data.len);
}

/* ---- version 6 ---- */

static const struct cpu *find_cpu(const struct buffer *buffer, unsigned int number)
{
	size_t i;

	for (i = 0; i < buffer->nr_cpus; i++) {
		if (buffer->cpus[i].number == number)
			return &buffer->cpus[i];
	}
	return NULL;
}

static void align_to_page(const struct buffer *buffer)
{
	out_pos = (out_pos + buffer->page_size - 1) / buffer->page_size * buffer->page_size;
}

/* Returns the number of bytes in the file. */
static uint64_t write_pages(const struct buffer *buffer, const struct cpu *cpu)
{
	uint64_t start = out_pos;

	out_pos += cpu->empty_pages * buffer->page_size;
	write_bytes(&cpu->pages);
	return out_pos - start;
}

static void write_buffer_v6(const struct buffer *buffer, unsigned int nr_cpus)
{
	char text[NAME_LEN + 8];
	uint64_t list, size;
	const struct cpu *cpu;
	unsigned int i;

	write_text("flyrecord", 10);
	say("list of CPUs");
	list = out_pos;
	out_pos += 16ULL * nr_cpus;
	for (i = 0; i < nr_cpus; i++) {
		write_uint_at(list + 16ULL * i, 0, 8);
		write_uint_at(list + 16ULL * i + 8, 0, 8);
	}
	snprintf(text, sizeof(text), "[%s]", trace.clock);
	if (!trace.without[PART_CLOCK]) {
		write_uint(strlen(text), 8);
		write_text(text, strlen(text));
	}
	out_pos += trace.hole;
	for (i = 0; i < nr_cpus; i++) {
		cpu = find_cpu(buffer, i);
		if (!cpu)
			continue;
		align_to_page(buffer);
		say("event data");
		write_uint_at(list + 16ULL * i, out_pos, 8);
		size = write_pages(buffer, cpu);
		write_uint_at(list + 16ULL * i + 8, size, 8);
	}
}

static void write_section_v6(const struct section *section)
{
	struct bytes bytes = { 0 };

	say(section->name);
	if (!trace.without[section->part])
		section->fill(&bytes);
	else
		put_uint(&bytes, 0, section->empty);
	write_bytes(&bytes);
	free(bytes.data);
}

static void write_v6(void)
{
	unsigned int nr_cpus = count_all_cpus();
	struct bytes options = { 0 };
	uint64_t start;
	size_t i, *offsets = calloc(trace.nr_buffers, sizeof(*offsets));

	for (i = 0; i < NR_SECTIONS; i++)
		write_section_v6(&sections[i]);
	say("number of CPUs");
	write_uint(nr_cpus, 4);
	say("options");
	write_text("options  ", 10);
	start = out_pos;
	put_general_options(&options);
	for (i = 1; i < trace.nr_buffers; i++) {
		put_uint(&options, ID_BUFFER, 2);
		put_uint(&options, 8 + strlen(trace.buffers[i].name) + 1, 4);
		offsets[i] = options.len;
		put_uint(&options, 0, 8);
		put_string(&options, trace.buffers[i].name);
	}
	put_uint(&options, ID_DONE, 2);
	write_bytes(&options);
	free(options.data);

	for (i = 0; i < trace.nr_buffers; i++) {
		if (i)
			write_uint_at(start + offsets[i], out_pos, 8);
		write_buffer_v6(&trace.buffers[i], nr_cpus);
	}
	free(offsets);
}

/* ---- version 7 ---- */

static uint64_t next_options;	/* where the offset of the next list of options is to be written */
static uint64_t first_options;

static uint64_t begin_section(unsigned int id, bool compressed, const char *name)
{
	say(name);
	write_uint(id, 2);
	write_uint(compressed, 2);
	write_uint(trace.without[PART_STRINGS] ? UINT32_MAX : strings.len, 4);
	put_string(&strings, name);
	write_uint(0, 8);
	return out_pos;
}

static void end_section(uint64_t start)
{
	write_uint_at(start - 8, out_pos - start, 8);
}

static void write_section(unsigned int id, const char *name, const struct bytes *bytes)
{
	bool compressed = is_compressed();
	uint64_t start = begin_section(id, compressed, name);

	if (compressed)
		write_packed(bytes->data, bytes->len);
	else
		write_bytes(bytes);
	end_section(start);
}

static void write_options(struct bytes *options)
{
	uint64_t start;

	write_uint_at(next_options, out_pos, 8);
	if (!first_options)
		first_options = out_pos;
	start = begin_section(ID_DONE, false, "options");
	put_option_uint(options, ID_DONE, 0, 8);
	write_bytes(options);
	next_options = out_pos - 8;
	end_section(start);
	options->len = 0;
}

static uint64_t write_chunks(const struct buffer *buffer, const struct cpu *cpu)
{
	size_t chunk = (size_t)buffer->page_size * PAGES_IN_CHUNK, pos, len;
	uint64_t start = out_pos;

	if (cpu->empty_pages)
		die("empty pages only without compression");
	write_uint((cpu->pages.len + chunk - 1) / chunk, 4);
	for (pos = 0; pos < cpu->pages.len; pos += len) {
		len = cpu->pages.len - pos < chunk ? cpu->pages.len - pos : chunk;
		write_packed(cpu->pages.data + pos, len);
	}
	/* trace-cmd does not count the number of chunks. */
	return out_pos - start - 4;
}

static void write_buffer(const struct buffer *buffer, struct bytes *options)
{
	struct bytes option = { 0 };
	uint64_t start, header = out_pos, at;
	char name[NAME_LEN + 32];
	size_t i;

	snprintf(name, sizeof(name), "buffer flyrecord %s", buffer->name);
	start = begin_section(ID_BUFFER, is_compressed(), name);
	put_uint(&option, header, 8);
	put_string(&option, buffer->name);
	put_string(&option, trace.clock);
	put_uint(&option, buffer->page_size, 4);
	put_uint(&option, buffer->nr_cpus, 4);
	for (i = 0; i < buffer->nr_cpus; i++) {
		align_to_page(buffer);
		at = out_pos;
		say("event data");
		put_uint(&option, buffer->cpus[i].number, 4);
		put_uint(&option, at, 8);
		put_uint(&option, is_compressed() ? write_chunks(buffer, &buffer->cpus[i]) :
						    write_pages(buffer, &buffer->cpus[i]), 8);
	}
	end_section(start);
	put_option(options, ID_BUFFER, option.data, option.len);
	free(option.data);
}

static void write_known_section(const struct section *section, struct bytes *options)
{
	struct bytes bytes = { 0 };

	if (trace.without[section->part])
		return;
	put_option_uint(options, section->id, out_pos, 8);
	section->fill(&bytes);
	write_section(section->id, section->name, &bytes);
	free(bytes.data);
}

static void write_v7(void)
{
	struct bytes options = { 0 };
	uint64_t start;
	size_t i;

	write_text(trace.compression, strlen(trace.compression) + 1);
	write_text(is_compressed() ? "1" : "", is_compressed() ? 2 : 1);
	next_options = out_pos;
	write_uint(0, 8);
	for (i = 0; i < NR_SECTIONS; i++)
		write_known_section(&sections[i], &options);
	for (i = 0; i < trace.nr_sections; i++) {
		start = begin_section(trace.sections[i].id, false, "extra");
		write_bytes(&trace.sections[i].data);
		end_section(start);
	}
	if (trace.hole) {
		start = begin_section(99, false, "hole");
		out_pos += trace.hole;
		end_section(start);
	}
	put_general_options(&options);
	if (!trace.without[PART_CPU_COUNT])
		put_option_uint(&options, ID_CPUCOUNT, count_all_cpus(), 4);
	write_options(&options);
	for (i = 0; i < trace.nr_buffers && !trace.without[PART_BUFFERS]; i++) {
		write_buffer(&trace.buffers[i], &options);
		write_options(&options);
	}
	if (trace.options_loop)
		write_uint_at(next_options, first_options, 8);
	if (!trace.without[PART_STRINGS]) {
		start = begin_section(ID_STRINGS, is_compressed(), "strings");
		if (is_compressed())
			write_packed(strings.data, strings.len);
		else
			write_bytes(&strings);
		end_section(start);
	}
	free(options.data);
}

void write_file(const char *path, bool layout)
{
	out_path = path;
	out_layout = layout;
	out_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out_fd < 0)
		die("%s: %s", path, strerror(errno));
	say("initial format");
	write_text("\x17\x08\x44tracing", 10);
	write_text(trace.version, strlen(trace.version) + 1);
	write_uint(trace.big_endian, 1);
	write_uint(trace.initial_long ? trace.initial_long : trace.long_size, 1);
	write_uint(trace.page_size, 4);
	if (trace.is_v6)
		write_v6();
	else
		write_v7();
	say("end");
	/* Nothing may have been written behind a hole. */
	if (ftruncate(out_fd, (off_t)out_pos))
		die("%s: %s", path, strerror(errno));
	write_bytes(&trace.appended);
	if (trace.has_cut && ftruncate(out_fd, (off_t)trace.cut))
		die("%s: %s", path, strerror(errno));
	if (close(out_fd))
		die("%s: %s", path, strerror(errno));
	free(strings.data);
}
