// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cmd.h"
#include "comm.h"
#include "events.h"

int comm_read(const struct events_trace *trace)
{
	if (stackmap_resolver_get_trace_comm(trace->resolver, 0) || errno == ENOENT)
		return CMD_OK;
	return cmd_error("%s: %s", trace->path, stackmap_resolver_get_error(trace->resolver));
}

/*
 * libtraceevent takes the saved names apart with scanf(): it loses the blanks that a name begins
 * with, and all names from the first on that is empty. So it is asked only for what is not saved:
 * the idle tasks, and names that its plugins learn from events.
 */
const char *comm_of(const struct events_trace *trace, int pid)
{
	const char *comm = NULL;

	if (pid)
		comm = stackmap_resolver_get_trace_comm(trace->resolver, pid);
	if (!comm)
		comm = tep_data_comm_from_pid(trace->tep, pid);
	return comm ? comm : COMM_UNKNOWN;
}
