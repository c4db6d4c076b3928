// SPDX-License-Identifier: GPL-2.0
/*
 * The frames below a cookie, in trace, trace_pipe and a dump: of the map in use, as long as
 * the cookie is of its generation.
 */
#include <linux/rcupdate.h>
#include <linux/trace_seq.h>

#include "trace_output.h"
#include "trace_stackmap.h"

/*
 * Bytes that the frames of one event may take. An event that does not fit a trace_seq, of
 * which a good part may be taken by the same event already, is lost to trace_pipe as a whole.
 */
#define STACKMAP_PRINT_MAX	3072

static void stackmap_print_frame(struct trace_seq *s, unsigned long frame, int flags)
{
	trace_seq_puts(s, " => ");
	if (frame == FTRACE_TRAMPOLINE_MARKER)
		trace_seq_puts(s, "[FTRACE TRAMPOLINE]");
	else
		seq_print_ip_sym(s, frame, flags);
	trace_seq_putc(s, '\n');
}

static void stackmap_print_stack(struct trace_seq *s, const struct ftrace_stackmap_stack *stack,
				 int flags)
{
	unsigned int begin = trace_seq_used(s);

	for (unsigned int i = 0; i < stack->depth && !trace_seq_has_overflowed(s); i++) {
		unsigned int end = trace_seq_used(s);

		stackmap_print_frame(s, ftrace_stackmap_get_frame(stack, i), flags);
		if (trace_seq_used(s) - begin <= STACKMAP_PRINT_MAX)
			continue;
		s->seq.len = end;
		trace_seq_printf(s, " => [%u frames left out]\n", stack->depth - i);
		return;
	}
}

/**
 * ftrace_stackmap_print - print the frames of a stack
 * @s: where to
 * @cookie: of the stack
 * @flags: TRACE_ITER_SYM_OFFSET and TRACE_ITER_SYM_ADDR count
 *
 * Prints nothing where the map of that generation is not in use.
 */
void ftrace_stackmap_print(struct trace_seq *s, u64 cookie, int flags)
{
	const struct ftrace_stackmap *map;
	struct ftrace_stackmap_stack stack;

	/* A dump can come from anywhere */
	if (!ftrace_stackmap_is_waited_for())
		return;

	guard(rcu)();

	map = ftrace_stackmap_get_generation(&ftrace_stackmap_root, upper_32_bits(cookie));
	if (map && ftrace_stackmap_get_stack(map, lower_32_bits(cookie), &stack))
		stackmap_print_stack(s, &stack, flags);
}
