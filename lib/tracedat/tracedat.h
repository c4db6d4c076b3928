/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a trace.dat (version 6 or 7) says of its origin, and where its parts lie.
 *
 *	initial format | sections or v6 records: headers, formats, kallsyms ...
 *	               | options | CPU data | ... | <end> | bytes that trace-cmd ignores
 *
 * Read with pread() through a descriptor of our own, so that a plugin can look at a
 * file whose position somebody else is using. Every offset and size is checked
 * against the file before it is followed: no part of a file that passes here lies
 * past its end. What stands in them is for smap_tracedat_check_sections(). Events are
 * not decoded; the pages that hold them are handed out for smap_tracedat_scan() only.
 */
#ifndef SMAP_TRACEDAT_TRACEDAT_H
#define SMAP_TRACEDAT_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/fingerprint.h"

/* Where a field stands, in bytes from the beginning of its event or page. */
struct smap_tracedat_field {
	unsigned int	offset;
	unsigned int	size;
};

struct smap_tracedat {
	int		fd;		/* our own */
	uint64_t	size;		/* of the file when it was opened */
	unsigned int	version;	/* 6 or 7 */
	bool		big_endian;
	unsigned int	long_size;	/* bytes: 4 or 8 */
	unsigned int	page_size;
	char		*compression;	/* "none", "zstd", "zlib", ...; "none" for version 6 */
	char		*release;	/* of uname, NULL: the trace does not say */
	char		*machine;	/* likewise */
	char		*clock;		/* the selected trace clock: "local", ...; NULL: not said */
	uint64_t	trace_id;	/* 0: none */
	/* First byte behind the last section that trace-cmd reads. */
	uint64_t	end;
	/*
	 * The top level is text, as a latency tracer leaves it, and has no events. libtracecmd
	 * opens such a file but must not be asked for its events: it would follow a NULL pointer.
	 */
	bool		is_text;
	bool		has_stack_id;	/* a format of ftrace:stack_id is there */
	bool		cookie_has_generation;	/* it has the field stack_cookie (series 8 on) */
	/* How events of ftrace:stack_id are told and read; size 0: the format lacks it. */
	uint32_t	stack_id_type;		/* the "ID" of the format */
	struct smap_tracedat_field type_field;	/* common_type */
	struct smap_tracedat_field cookie_field;	/* stack_cookie, or stack_id */
	/* Sections, as they lie in the file. */
	struct smap_tracedat_section *sections;
	size_t		nr_sections;
	struct smap_tracedat_cpu *cpus;	/* of all buffers, one after another */
	size_t		nr_cpus;
};

struct smap_tracedat_section {
	/* As trace-cmd numbers them (v7); v6 parts get the same numbers. */
	unsigned int	id;
	bool		compressed;
	uint64_t	offset;		/* of the contents, behind the section's header */
	uint64_t	len;		/* as stored */
};

struct smap_tracedat_cpu {
	unsigned int	buffer;		/* 0 is the top level */
	unsigned int	cpu;
	unsigned int	page_size;	/* instances can have their own */
	uint64_t	offset;
	uint64_t	len;		/* as stored, never 0: a CPU without data is left out */
	bool		compressed;	/* v7: in chunks of pages */
};

/* The first bytes are those of a trace.dat of any version. */
bool smap_tracedat_probe(const void *data, size_t len);

/*
 * Read the headers of the file behind @fd, which is duplicated. Returns 0, -ENOMEM,
 * -EINVAL (no trace.dat), -EOPNOTSUPP (a version or compression that we do not know,
 * named in the words), -EBADMSG (cut or damaged; the words say at which offset), or
 * the errno of a failed read. @ret_tracedat is to be given to smap_tracedat_close().
 */
int smap_tracedat_open_fd(int fd, struct smap_tracedat **ret_tracedat, struct smap_error *err);
int smap_tracedat_open(const char *path, struct smap_tracedat **ret_tracedat,
		       struct smap_error *err);
void smap_tracedat_close(struct smap_tracedat *tracedat);

/*
 * Look into the sections of headers, formats, kallsyms ...: what they say of the sizes of their
 * parts, and the text of formats. After it a reader that believes both (libtracecmd, libtraceevent)
 * stays within them. It unpacks all of them, which costs more than opening; we do not need it for
 * ourselves. Returns 0 or as above.
 */
int smap_tracedat_check_sections(const struct smap_tracedat *tracedat, struct smap_error *err);

/*
 * The text of /proc/kallsyms that the trace carries, to be freed; *ret_len 0 where it has
 * none (the pointer is then still valid). Returns 0 or as above.
 */
int smap_tracedat_kallsyms(const struct smap_tracedat *tracedat, char **ret_text, size_t *ret_len,
			   struct smap_error *err);

/* PID -> name of a task. */
struct smap_comms;

/*
 * The names of tasks that the trace carries (saved_cmdlines); none is no error. Each as the kernel
 * has it, blanks at its ends included: libtraceevent (1.7.1) drops those in front. Returns 0 or
 * as above. @ret_comms is to be given to smap_comms_free() and does not need @tracedat any more.
 */
int smap_tracedat_comms(const struct smap_tracedat *tracedat, struct smap_comms **ret_comms,
			struct smap_error *err);
/* NULL: the trace does not say. */
const char *smap_comms_find(const struct smap_comms *comms, int pid);
void smap_comms_free(struct smap_comms *comms);

/*
 * Go once over all events of type ftrace:stack_id and hand each cookie (or slot, where the trace
 * has no generations) to @fn with its time stamp; a non-zero result of @fn ends it and is
 * returned. For what must be known of the whole trace before its first cookie can be resolved.
 * Memory: one chunk of pages. CPU by CPU, in the order of the file; the time stamp is as recorded,
 * in the clock of the trace, without the shifts that trace-cmd may apply to show it. An event that
 * is too small to hold its cookie is passed over. Nothing is handed out where has_stack_id is
 * false. -EBADMSG with the offset: a page is damaged; what came before was handed out.
 */
int smap_tracedat_scan(const struct smap_tracedat *tracedat,
		       int (*fn)(uint64_t cookie, uint64_t ts, void *data), void *data,
		       struct smap_error *err);

/* The same of the top level alone: an instance has no map, and may have a clock of its own. */
int smap_tracedat_scan_top(const struct smap_tracedat *tracedat,
			   int (*fn)(uint64_t cookie, uint64_t ts, void *data), void *data,
			   struct smap_error *err);

/* What tells it from other traces; nothing behind its end counts. 0, -ENOMEM or as above. */
int smap_tracedat_fingerprint(const struct smap_tracedat *tracedat,
			      struct smap_fingerprint *ret_fingerprint, struct smap_error *err);

#endif /* SMAP_TRACEDAT_TRACEDAT_H */
