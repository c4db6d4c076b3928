// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names of tasks, from the copy of the kernel's saved_cmdlines that a trace carries. The kernel
 * writes "%d %s\n" of each: one blank behind the PID, then the name as the task has set it, which
 * can begin or end with blanks, be empty, hold '[', '-' or even a newline.
 *
 *	text	"7 java main\08  lead\0..."	newlines became NUL
 *	comms	{ 7, > }, { 8, > } ...		sorted by PID
 */
#include <errno.h>
#include <stdlib.h>

#include "core/array.h"
#include "internal.h"

/* The kernel's TASK_COMM_LEN, without the NUL. */
#define MAX_KERNEL_NAME	15

struct comm {
	int		pid;
	const char	*name;		/* in the text */
};

struct smap_comms {
	char		*text;
	struct comm	*comms;
	size_t		nr;
	size_t		capacity;
};

/* "PID ", of which the name is what follows; NULL: the line begins with something else. */
static const char *take_pid(const char *line, int *ret_pid)
{
	int pid = 0;

	if (*line < '0' || *line > '9')
		return NULL;
	for (; *line >= '0' && *line <= '9'; line++) {
		if (__builtin_mul_overflow(pid, 10, &pid) ||
		    __builtin_add_overflow(pid, *line - '0', &pid))
			return NULL;
	}
	*ret_pid = pid;
	return *line == ' ' ? line + 1 : NULL;
}

/* A line without a PID is the rest of a name that has a newline, or nothing that we know. */
static void take_rest(struct smap_comms *comms, char *line, const char *end)
{
	const char *name = comms->nr ? comms->comms[comms->nr - 1].name : NULL;

	/* All lines since the name began are in it: they were nearer. */
	if (name && end - name <= MAX_KERNEL_NAME)
		line[-1] = '\n';
}

static int take_line(struct smap_comms *comms, char *line, const char *end, struct smap_error *err)
{
	const char *name;
	int pid;

	name = take_pid(line, &pid);
	if (!name) {
		take_rest(comms, line, end);
		return 0;
	}
	if (comms->nr == TRACE_MAX_COMMS)
		return smap_error_set(err, -EBADMSG, "%s: more tasks than there can be",
				      smap_trace_section_name(TRACE_CMDLINES));
	if (SMAP_ARRAY_GROW(comms->comms, comms->capacity, comms->nr + 1))
		return smap_error_nomem(err);
	comms->comms[comms->nr++] = (struct comm){ .pid = pid, .name = name };
	return 0;
}

/* As to libtraceevent, a NUL ends the text. */
static int take_lines(struct smap_comms *comms, struct smap_error *err)
{
	char *line, *end, *next;
	int ret = 0;

	for (line = comms->text; !ret && *line; line = next) {
		end = strchr(line, '\n');
		next = end ? end + 1 : line + strlen(line);
		if (end)
			*end = '\0';
		ret = take_line(comms, line, end ? end : next, err);
	}
	return ret;
}

static int compare_comms(const void *a, const void *b)
{
	const struct comm *comm_a = a, *comm_b = b;

	if (comm_a->pid != comm_b->pid)
		return comm_a->pid < comm_b->pid ? -1 : 1;
	return comm_a->name < comm_b->name ? -1 : comm_a->name > comm_b->name;
}

int smap_tracedat_comms(const struct smap_tracedat *tracedat, struct smap_comms **ret_comms,
			struct smap_error *err)
{
	struct smap_comms *comms = calloc(1, sizeof(*comms));
	size_t len;
	int ret;

	if (!comms)
		return smap_error_nomem(err);
	ret = smap_trace_load_text(tracedat, TRACE_CMDLINES, sizeof(uint64_t), &comms->text, &len,
				   err);
	if (!ret)
		ret = take_lines(comms, err);
	if (ret) {
		smap_comms_free(comms);
		return smap_errno(ret);
	}
	if (comms->nr)
		qsort(comms->comms, comms->nr, sizeof(*comms->comms), compare_comms);
	*ret_comms = comms;
	return 0;
}

const char *smap_comms_find(const struct smap_comms *comms, int pid)
{
	size_t from = 0, to = comms->nr, middle;

	/* The first that is not below @pid: of several, the one that came first. */
	while (from < to) {
		middle = from + (to - from) / 2;
		if (comms->comms[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == comms->nr || comms->comms[from].pid != pid)
		return NULL;
	return comms->comms[from].name;
}

void smap_comms_free(struct smap_comms *comms)
{
	if (!comms)
		return;
	free(comms->text);
	free(comms->comms);
	free(comms);
}
