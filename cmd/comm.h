/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PID -> name of a task, for all that names or filters tasks.
 */
#ifndef CMD_COMM_H
#define CMD_COMM_H

struct events_trace;

/*
 * Read the names of a trace ahead of its events, while a failure can still be told. CMD_OK or,
 * after cmd_error(), CMD_FAILED.
 */
int comm_read(const struct events_trace *trace);

#define COMM_UNKNOWN	"<...>"

/* All of it, as the kernel saved it; COMM_UNKNOWN: the trace does not say, or not yet. */
const char *comm_of(const struct events_trace *trace, int pid);

#endif /* CMD_COMM_H */
