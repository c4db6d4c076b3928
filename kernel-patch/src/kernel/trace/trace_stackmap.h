/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack map of the top-level trace array: which maps there are, and the TRACE_STACK_ID
 * event. trace_stackmap_map.h has what is within a map.
 */
#ifndef _TRACE_STACKMAP_H
#define _TRACE_STACKMAP_H

#include <linux/mutex.h>
#include <linux/wait.h>

#include "trace.h"
#include "trace_stackmap_map.h"

#ifdef CONFIG_FTRACE_STACKMAP

/* More swapped-out maps than this are not kept for those who read them */
#define FTRACE_STACKMAP_MAX_SWAPPED_OUT		8

/* A map in use, and those swapped out of that use which somebody still reads */
struct ftrace_stackmap_root {
	struct trace_array		*tr;		/* whose option this is; NULL: nobody's */
	struct mutex			swap_lock;	/* one reset or free at a time */
	struct mutex			lock;		/* of all below, and of maps' lives */
	struct ftrace_stackmap __rcu	*live;
	struct list_head		swapped_out;	/* struct ftrace_stackmap, oldest first */
	unsigned int			nr_swapped_out;
	u64				sequence;	/* of the newest map */
	u32				generation;	/* of the next map; 0: not chosen yet */
	unsigned int			bits;
	wait_queue_head_t		released;	/* a file gave its map back */
};

/* An open file: shows the map that it holds */
struct ftrace_stackmap_reader {
	struct ftrace_stackmap_root	*root;
	struct ftrace_stackmap		*map;	/* NULL: there was none yet */
	bool				started; /* something was read */
	bool				freeing; /* in the midst of a "free" */
};

/* Of what is not a matter of one map */
enum ftrace_stackmap_bypass {
	FTRACE_STACKMAP_NO_MAP,
	FTRACE_STACKMAP_NOT_WATCHING,
	FTRACE_STACKMAP_NO_FULL_EVENT,	/* lost where it was to be recorded in full */
	FTRACE_STACKMAP_NR_BYPASSES,
};

/* What stack_map_stat shows beside the map that it is of */
struct ftrace_stackmap_usage {
	unsigned int	swapped_out;
	size_t		swapped_out_memory;
	u64		bypasses[FTRACE_STACKMAP_NR_BYPASSES];
};

extern struct ftrace_stackmap_root ftrace_stackmap_root;

int ftrace_stackmap_enable(struct ftrace_stackmap_root *root);
int ftrace_stackmap_reset(struct ftrace_stackmap_root *root,
			  struct ftrace_stackmap_reader *reader);
int ftrace_stackmap_free(struct ftrace_stackmap_root *root,
			 struct ftrace_stackmap_reader *reader, bool may_wait);
void ftrace_stackmap_hold(struct ftrace_stackmap_reader *reader);
void ftrace_stackmap_release(struct ftrace_stackmap_reader *reader);
void ftrace_stackmap_get_usage(struct ftrace_stackmap_root *root,
			       struct ftrace_stackmap_usage *usage);

/* Of this CPU and moment. Where not, neither recording nor printing may touch a map. */
bool ftrace_stackmap_is_waited_for(void);

/* Under rcu_read_lock(), as long as the map is used. NULL: it is not in use. */
const struct ftrace_stackmap *
ftrace_stackmap_get_generation(struct ftrace_stackmap_root *root, u32 generation);

/* With preemption off, as long as the map is used. NULL: the stack is none for a map. */
struct ftrace_stackmap *ftrace_stackmap_get_live(struct ftrace_stackmap_root *root,
						 bool is_waited_for);

/* With preemption off. False: the stack is to be recorded in full. */
bool ftrace_stackmap_record(struct trace_buffer *buffer, unsigned int trace_ctx,
			    const unsigned long *frames, unsigned int depth);
void ftrace_stackmap_lost_full(struct trace_array *tr);
int ftrace_stackmap_set_option(struct trace_array *tr, bool enabled);

void ftrace_stackmap_init_tracefs(struct trace_array *tr);
void ftrace_stackmap_create_files(struct trace_array *tr);
void ftrace_stackmap_create_bin_file(struct trace_array *tr);
void ftrace_stackmap_print(struct trace_seq *s, u64 cookie, int flags);

#else /* !CONFIG_FTRACE_STACKMAP */

static inline void ftrace_stackmap_lost_full(struct trace_array *tr) { }

static inline bool ftrace_stackmap_record(struct trace_buffer *buffer, unsigned int trace_ctx,
					  const unsigned long *frames, unsigned int depth)
{
	return false;
}

static inline int ftrace_stackmap_set_option(struct trace_array *tr, bool enabled)
{
	return 0;
}

static inline void ftrace_stackmap_init_tracefs(struct trace_array *tr) { }
static inline void ftrace_stackmap_create_files(struct trace_array *tr) { }
static inline void ftrace_stackmap_create_bin_file(struct trace_array *tr) { }
static inline void ftrace_stackmap_print(struct trace_seq *s, u64 cookie, int flags) { }

#endif /* CONFIG_FTRACE_STACKMAP */

#endif /* _TRACE_STACKMAP_H */
