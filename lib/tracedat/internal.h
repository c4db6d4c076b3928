/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of this room share.
 *
 *	open.c      initial format; v6.c or v7.c finds the parts; then a look at the formats
 *	v6.c        parts stand one behind the other, without a directory
 *	v7.c        options name the sections; sections also form a chain from first to last
 *	section.c   what stands in the sections that both versions have
 *	option.c    one option, the same in both versions
 *	format.c    text of a format file -> where a field lies
 *	input.c     bounded reading of the file
 *	unpack.c    compressed bytes -> bytes
 *	text.c      the text of a section
 *	kallsyms.c  that of the kernel's symbols
 *	comms.c     that of the names of tasks, taken apart
 *	scan.c      pages of events
 *
 * Nothing of the file is trusted, and more is checked than we need ourselves: libtracecmd (3.1.6)
 * maps files and follows what they say, so that our command has a file checked here first.
 */
#ifndef SMAP_TRACEDAT_INTERNAL_H
#define SMAP_TRACEDAT_INTERNAL_H

#include "core/bytes.h"
#include "core/error.h"
#include "tracedat.h"

/* Of an option and of the section that it names alike. */
enum {
	TRACE_DONE		= 0,	/* ends a list of options; as a section: the list itself */
	TRACE_DATE		= 1,
	TRACE_CPUSTAT		= 2,
	TRACE_BUFFER		= 3,
	TRACE_TRACECLOCK	= 4,
	TRACE_UNAME		= 5,
	TRACE_HOOK		= 6,
	TRACE_OFFSET		= 7,
	TRACE_CPUCOUNT		= 8,
	TRACE_VERSION		= 9,
	TRACE_PROCMAPS		= 10,
	TRACE_TRACEID		= 11,
	TRACE_GUEST		= 13,
	TRACE_STRINGS		= 15,
	TRACE_HEADER_INFO	= 16,
	TRACE_FTRACE_EVENTS	= 17,
	TRACE_EVENT_FORMATS	= 18,
	TRACE_KALLSYMS		= 19,
	TRACE_PRINTK		= 20,
	TRACE_CMDLINES		= 21,
	TRACE_BUFFER_TEXT	= 22,
	TRACE_NR,
};

/*
 * Limits on what a file can make us do. Each is far above what the kernel or trace-cmd can produce.
 */
#define TRACE_MAX_CPU		65536		/* libtracecmd has an array of them */
#define TRACE_MIN_PAGE		1024
#define TRACE_MAX_PAGE		(1U << 24)
#define TRACE_MAX_OPTION_LISTS	4096		/* libtracecmd calls itself for each */
#define TRACE_MAX_SECTIONS	65536
#define TRACE_MAX_SECTION	(256U << 20)	/* bytes, unpacked, when read whole */
#define TRACE_MAX_CHUNK		(64U << 20)	/* bytes, unpacked */
#define TRACE_MAX_COMMS		(4U << 20)	/* the kernel's PID_MAX_LIMIT */

/*
 * Bytes of known extent: the file, seen through a window, or a section that was unpacked into
 * memory (then the window is all of it). Positions past size are never read.
 */
struct smap_trace_input {
	int		fd;		/* -1: memory */
	uint64_t	size;
	bool		swap;
	const uint8_t	*window;
	uint64_t	start;		/* of the window */
	size_t		len;		/* bytes in the window */
	uint8_t		buf[4096];	/* the window of a file */
	struct smap_error *err;
};

/* The state while a file is opened. */
struct smap_trace_opening {
	struct smap_tracedat	*tracedat;
	struct smap_trace_input	input;
	struct smap_error	*err;
	size_t			sections_capacity;
	size_t			cpus_capacity;
	uint64_t		*instances;	/* v6: where the CPUs of each stand */
	size_t			nr_instances;
	size_t			instances_capacity;
	uint32_t		nr_cpus;	/* v6: of each buffer */
	unsigned int		nr_buffers;	/* v7: instances so far */
	bool			has_top;
	bool			clock_follows;	/* v6: its text stands behind the CPUs */
	/* To see that parts do not overlap: work and memory stay in proportion to the file. */
	uint64_t		named_bytes;	/* v7: sections that options name */
	uint64_t		cpu_bytes;	/* event data */
	uint64_t		unpacked_bytes;	/* event data, as its chunks claim */
};

/* ---- input.c ---- */

/* Exactly @len bytes or -EBADMSG (they are past the end) or the errno of pread(). */
int smap_trace_pread(int fd, uint64_t offset, void *data, size_t len, struct smap_error *err);

/* [@offset, @offset + @len) lies inside @size bytes, or -EBADMSG. @what goes into the words. */
int smap_trace_check_range(uint64_t size, uint64_t offset, uint64_t len, const char *what,
			   struct smap_error *err);

void smap_trace_input_memory(struct smap_trace_input *input, const void *data, size_t len,
			     bool swap, struct smap_error *err);
void smap_trace_input_file(struct smap_trace_input *input, int fd, uint64_t size, bool swap,
			   struct smap_error *err);

/* Small pieces (up to the size of the window); *@pos moves on behind them. */
int smap_trace_read(struct smap_trace_input *input, uint64_t *pos, void *data, size_t len,
		    const char *what);
int smap_trace_read_u16(struct smap_trace_input *input, uint64_t *pos, uint16_t *ret_val,
			const char *what);
int smap_trace_read_u32(struct smap_trace_input *input, uint64_t *pos, uint32_t *ret_val,
			const char *what);
int smap_trace_read_u64(struct smap_trace_input *input, uint64_t *pos, uint64_t *ret_val,
			const char *what);
int smap_trace_skip(struct smap_trace_input *input, uint64_t *pos, uint64_t len, const char *what);
/* A NUL terminated string of less than @size bytes. */
int smap_trace_read_string(struct smap_trace_input *input, uint64_t *pos, char *text, size_t size,
			   const char *what);

/* ---- section.c ---- */

const char *smap_trace_section_name(unsigned int id);

/*
 * Check what stands in a section of headers, formats, kallsyms ... against its own sizes, and move
 * *@pos behind it. A section that has no such form is passed over up to the end of @input.
 */
int smap_trace_walk_section(unsigned int id, struct smap_trace_input *input, uint64_t *pos);

/* ---- open.c ---- */

int smap_trace_add_section(struct smap_trace_opening *opening, unsigned int id, bool compressed,
			   uint64_t offset, uint64_t len);
/* The last one of that kind, NULL if there is none. */
const struct smap_tracedat_section *smap_trace_find_section(const struct smap_tracedat *tracedat,
							    unsigned int id);
int smap_trace_add_cpu(struct smap_trace_opening *opening, const struct smap_tracedat_cpu *cpu);
/* trace-cmd reads up to here. */
void smap_trace_extend(struct smap_trace_opening *opening, uint64_t end);

/* The contents of a section, unpacked, to be freed; NUL behind them. */
int smap_trace_load_section(const struct smap_tracedat *tracedat,
			    const struct smap_tracedat_section *section, char **ret_data,
			    size_t *ret_len, struct smap_error *err);

/* ---- text.c ---- */

/*
 * The text of section @id, behind its size of @width (4 or 8) bytes, to be freed; NUL behind it.
 * *ret_len is 0 where there is no such section.
 */
int smap_trace_load_text(const struct smap_tracedat *tracedat, unsigned int id, size_t width,
			 char **ret_text, size_t *ret_len, struct smap_error *err);

/* ---- v6.c, v7.c ---- */

int smap_trace_open_v6(struct smap_trace_opening *opening, uint64_t pos);
int smap_trace_open_v7(struct smap_trace_opening *opening, uint64_t pos);

/* ---- option.c ---- */

/* What both versions do with an option. @offset: of its data in the file, for the words. */
int smap_trace_take_option(struct smap_trace_opening *opening, unsigned int id, const void *data,
			   size_t len, uint64_t offset);
/* "[local] global counter ..." */
int smap_trace_take_clock(struct smap_trace_opening *opening, const char *text, size_t len,
			  uint64_t offset);

/* ---- format.c ---- */

/* A line "field:TYPE NAME; offset:N; size:N;" of a format file. */
bool smap_trace_find_field(const char *text, size_t len, const char *name,
			   struct smap_tracedat_field *ret_field);
/* header_page: fills in long_size. */
int smap_trace_take_header(struct smap_tracedat *tracedat, const void *data, size_t len,
			   struct smap_error *err);
/* The ftrace events: looks for stack_id. */
void smap_trace_take_formats(struct smap_tracedat *tracedat, const void *data, size_t len);

/* ---- unpack.c ---- */

struct smap_trace_codec;

/* NULL: not known. */
const struct smap_trace_codec *smap_trace_find_codec(const char *name);
/* There is nothing to unpack ("none"). */
bool smap_trace_codec_is_none(const struct smap_trace_codec *codec);

struct smap_trace_unpacker {
	const struct smap_trace_codec	*codec;
	void				*context;
};

int smap_trace_unpacker_init(struct smap_trace_unpacker *unpacker, const char *compression);
void smap_trace_unpacker_free(struct smap_trace_unpacker *unpacker);
/* Fills exactly @len bytes, or -EBADMSG or -ENOMEM, without words. */
int smap_trace_unpack(struct smap_trace_unpacker *unpacker, const void *packed, size_t packed_len,
		      void *data, size_t len);

#endif /* SMAP_TRACEDAT_INTERNAL_H */
