/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mktrace: what its files share. The syntax of a description stands in mktrace.c.
 *
 *	mktrace.c        description -> struct trace
 *	mktrace-event.c  events -> pages
 *	mktrace-file.c   struct trace -> file
 */
#ifndef SMAP_TESTS_MKTRACE_H
#define SMAP_TESTS_MKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_FIELDS	32
#define NAME_LEN	64

/* Bytes that grow. */
struct bytes {
	uint8_t		*data;
	size_t		len;
	size_t		capacity;
};

struct field {
	char		name[NAME_LEN];
	char		type[NAME_LEN];		/* as it stands in the format, without the name */
	unsigned int	nr;			/* elements; 0: no array */
	unsigned int	offset;
	unsigned int	size;
	bool		is_signed;
	bool		is_text;
};

struct format {
	char		system[NAME_LEN];
	char		name[NAME_LEN];
	unsigned int	id;
	struct field	fields[MAX_FIELDS];
	unsigned int	nr_fields;
	unsigned int	size;			/* of an event */
	const char	*print;			/* NULL: one is made up */
	bool		left_out;		/* of the file; events can be made */
};

struct cpu {
	unsigned int	number;
	struct bytes	pages;			/* whole ones, then the one that is being filled */
	size_t		page;			/* where that one begins */
	bool		has_page;
	uint64_t	ts;			/* of the last event */
	bool		missed;			/* events were lost before the next page */
	uint64_t	nr_missed;		/* 0: how many is not known */
	bool		has_commit;		/* the page says a wrong length */
	uint64_t	commit;
	uint64_t	empty_pages;		/* before all others; they take no room on disk */
};

struct buffer {
	char		*name;
	unsigned int	page_size;
	struct cpu	*cpus;
	size_t		nr_cpus;
};

struct extra {
	unsigned int	id;
	struct bytes	data;
};

/* What "without" can leave out. */
enum part {
	PART_HEADER_PAGE, PART_HEADER_INFO, PART_FTRACE, PART_EVENTS, PART_KALLSYMS, PART_PRINTK,
	PART_CMDLINES, PART_STRINGS, PART_UNAME, PART_CLOCK, PART_TRACE_ID, PART_CPU_COUNT,
	PART_BUFFERS, NR_PARTS,
};

struct trace {
	char		version[NAME_LEN];
	bool		is_v6;
	bool		big_endian;
	unsigned int	long_size;
	unsigned int	initial_long;	/* 0: the same */
	unsigned int	page_size;
	char		compression[NAME_LEN];
	char		clock[NAME_LEN];
	char		uname[256];
	uint64_t	trace_id;
	unsigned int	common_size;
	unsigned int	series;			/* of the format of stack_id: 4 or 8 */
	unsigned int	cookie_offset;		/* 0: where it belongs */
	bool		without[NR_PARTS];
	bool		options_loop;
	struct bytes	kallsyms;
	struct bytes	cmdlines;
	struct extra	*options;
	size_t		nr_options;
	struct extra	*sections;
	size_t		nr_sections;
	uint64_t	hole;
	struct bytes	appended;
	bool		has_cut;
	uint64_t	cut;
	struct format	*formats;
	size_t		nr_formats;
	struct buffer	*buffers;		/* 0 is the top level */
	size_t		nr_buffers;
};

extern struct trace trace;

void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *grow(void *array, size_t nr, size_t size);	/* room for nr + 1, the last one zero */

/* In the byte order of the trace. */
void put(struct bytes *bytes, const void *data, size_t len);
void put_uint(struct bytes *bytes, uint64_t val, unsigned int size);
void put_text(struct bytes *bytes, const char *text);	/* without its NUL */
void put_string(struct bytes *bytes, const char *text);	/* with it */
void poke_uint(struct bytes *bytes, size_t pos, uint64_t val, unsigned int size);

/* ---- mktrace-event.c ---- */

void add_builtin_formats(void);
struct format *new_format(const char *system, const char *name, unsigned int id);
void add_field(struct format *format, const char *type, const char *name, unsigned int nr,
	       unsigned int size);
struct format *find_format(const char *name);
const struct field *find_field(const struct format *format, const char *name);
void write_format(struct bytes *bytes, const struct format *format);

/* @data: of the event, the common header included. */
void add_event(struct buffer *buffer, struct cpu *cpu, uint64_t ts, const void *data, size_t len);
/* A time stamp of its own, which may lie before the last one without a new page. */
void add_time_stamp(struct buffer *buffer, struct cpu *cpu, uint64_t ts);
void add_padding(struct buffer *buffer, struct cpu *cpu, size_t len);
void add_bytes(struct buffer *buffer, struct cpu *cpu, const void *data, size_t len);
void close_page(struct buffer *buffer, struct cpu *cpu);

/* ---- mktrace-file.c ---- */

/* @layout: print where each part begins, "OFFSET NAME". */
void write_file(const char *path, bool layout);

#endif /* SMAP_TESTS_MKTRACE_H */
