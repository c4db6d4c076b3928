/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of trace text, told by their shape: what the kernel prints in trace and trace_pipe, what
 * trace-cmd report makes of a trace.dat, and both of them inside a log that puts something of its
 * own before each line.
 *
 *	[   12.345678] <idle>-0  [001] d..2. 12.345: stack_id:    <stack_id 42 gen 1> [unresolved: ]
 *	|------------| |--------- header ----------|              |---- cookie ----|
 *	    prefix
 *
 * Task names hold what they like (blanks, brackets, dashes), so the header is read from its end,
 * where the time and the CPU are, towards the PID; and every column but the time may be missing.
 */
#ifndef CMD_TEXT_H
#define CMD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_cookie {
	size_t		prefix_len;	/* what a log put before the line; 0: nothing */
	size_t		start;		/* of "<stack_id" */
	size_t		end;		/* behind its ">" */
	size_t		mark_end;	/* behind " [unresolved: ...]" where that is, else @end */
	uint32_t	slot;
	uint32_t	generation;
	bool		has_generation;
};

/* How every cookie begins. */
#define TEXT_COOKIE_MARK	"<stack_id "

/*
 * The cookie of a stack_id event in a line without its newline. False for a cookie that stands in
 * other text, and for one that is followed by something: it is expanded already, on one line.
 */
bool text_find_cookie(const char *line, size_t len, struct text_cookie *ret_cookie);

/*
 * "42", "1:42", "<stack_id 42>", "<stack_id 42 gen 1>" with or without brackets, or the number of a
 * cookie, 0x10000002a: what is above 2^32 - 1 is a whole cookie. Fills the cookie itself only.
 */
bool text_parse_cookie(const char *text, struct text_cookie *ret_cookie);

/*
 * Is it a line of a stack below a line with @prefix: " => FRAME", with the prefix, one of its own,
 * or none?
 */
bool text_is_frame(const char *line, size_t len, const char *prefix, size_t prefix_len);

/* Is it a line of trace text at all? */
bool text_is_trace(const char *line, size_t len);

#endif /* CMD_TEXT_H */
