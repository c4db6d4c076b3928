/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace that a recording writes, and the names beside it:
 *
 *	trace.dat		written by trace-cmd, at the end
 *	trace.dat.stackmap	where its maps are looked for; before, those of the trace before
 *	trace.dat.stackmap.new	the maps that were saved while it is not there yet
 *	trace.dat.stackmap.old	the maps of the trace before, afterwards; then .old.2 and so on
 *
 * A name is given at once and for good, and never to what stands in the place of something else:
 * whatever stops us, nothing that was saved is gone.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

struct output {
	const char	*path;		/* of the trace; NULL: it is not here */
	char		*saved;
	char		*pending;	/* a name that nobody had */
	bool		existed;
	struct stat	before;		/* where it existed */
};

/* CMD_OK, or CMD_FAILED after cmd_error(). @path must live as long. */
int output_init(struct output *output, const char *path);
void output_release(struct output *output);

/* Is there a trace that was not there when output_init() was called? */
bool output_is_written(const struct output *output);
/* Is there something else than a file, such as /dev/null? */
bool output_is_no_file(const struct output *output);

/* The trace is on disk. Each of these: 0 or negative errno. */
int output_sync(const struct output *output);
/*
 * Move what stands in the place of the maps to a free name, *ret_name, to be freed; NULL:
 * there was nothing.
 */
int output_set_aside(const struct output *output, char **ret_name);
/* The pending maps, with owner and mode of the trace, are those of the trace. */
int output_publish(const struct output *output);
/* They are no trace's: to a name of their own. *ret_name, to be freed. */
int output_keep(const struct output *output, char **ret_name);

/* A file that is not needed any more is gone for good. */
int output_remove(const char *path);

#endif /* CMD_OUTPUT_H */
