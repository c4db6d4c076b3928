// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expand, the line of a cookie: the stack that it has, and how both are written.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "expand.h"

/* Escaped at once; the escaped form of a byte has up to four. */
#define PIECE		256

/* ---- writing ---- */

static void put(const char *data, size_t len)
{
	fwrite_unlocked(data, 1, len, stdout);
}

/* Newlines, tabs and the CR of a line's end are the text's own. */
static bool is_own_control(const char *c, const char *end)
{
	return *c == '\n' || *c == '\t' || (*c == '\r' && c + 1 < end && c[1] == '\n');
}

/* The rest is escaped where it could steer the terminal. */
static void put_to_terminal(const char *data, size_t len)
{
	const char *end = data + len, *stop;
	char escaped[4 * PIECE + 1];
	size_t piece;

	while (data < end) {
		for (stop = data; stop < end && stop - data < PIECE && !is_own_control(stop, end); )
			stop++;
		/* not in the middle of a character */
		while (stop < end && stop - data > PIECE - 4 && (*stop & 0xc0) == 0x80)
			stop--;
		piece = (size_t)(stop - data);
		stackmap_escape(escaped, sizeof(escaped), data, piece);
		fputs(escaped, stdout);
		data = stop;
		if (data < end && is_own_control(data, end))
			put(data++, 1);
	}
}

void expand_put_text(const struct expand *expand, const char *data, size_t len)
{
	if (expand->collecting)
		return;
	if (expand->tty)
		put_to_terminal(data, len);
	else
		put(data, len);
}

/* " => FRAME" lines, each with the line's prefix and the line's end. */
static void put_frames(const struct expand *expand, const struct line *line, const char *frames)
{
	const char *eol = *line->eol ? line->eol : "\n", *end;

	for (; *frames; frames = *end ? end + 1 : end) {
		end = strchrnul(frames, '\n');
		fputs_unlocked(eol, stdout);
		expand_put_text(expand, line->text, line->cookie.prefix_len);
		put(frames, (size_t)(end - frames));
	}
}

/* The line as it was but for what our plugin said about it when it had no map. */
static void put_resolved(const struct expand *expand, const struct line *line,
			 struct stackmap_stack *stack, const char *text)
{
	const struct text_cookie *cookie = &line->cookie;

	expand_put_text(expand, line->text, cookie->end);
	if (expand->one_line) {
		put(" ", 1);
		fputs_unlocked(text, stdout);
	}
	expand_put_text(expand, line->text + cookie->mark_end, line->len - cookie->mark_end);
	if (!expand->one_line)
		put_frames(expand, line, text);
	fputs_unlocked(line->eol, stdout);
}

static void put_unresolved(const struct expand *expand, const struct line *line,
			   struct stackmap_stack *stack)
{
	const struct text_cookie *cookie = &line->cookie;

	expand_put_text(expand, line->text, cookie->mark_end);
	/* What the text says already may know more than we do. */
	if (cookie->mark_end == cookie->end && stackmap_resolver_nr_maps(expand->resolver))
		printf(" [unresolved: %s]", stackmap_stack_get_reason(stack));
	expand_put_text(expand, line->text + cookie->mark_end, line->len - cookie->mark_end);
	fputs_unlocked(line->eol, stdout);
}

/* ---- cookies ---- */

static struct stackmap_stack *find_stack(const struct expand *expand,
					 const struct text_cookie *cookie)
{
	if (!cookie->has_generation)
		return stackmap_resolver_find_slot(expand->resolver, cookie->slot,
						   STACKMAP_TS_UNKNOWN);
	return stackmap_resolver_find(expand->resolver,
				      stackmap_cookie_make(cookie->generation, cookie->slot),
				      STACKMAP_TS_UNKNOWN);
}

static void count_unresolved(struct expand *expand, struct stackmap_stack *stack)
{
	expand->nr_unresolved++;
	if (stackmap_stack_get_private(stack))
		return;
	stackmap_stack_set_private(stack, expand);
	expand->nr_distinct++;
}

int expand_line(struct expand *expand, const struct line *line)
{
	struct stackmap_stack *stack;
	const char *text;

	if (expand->collecting) {
		if (!line->cookie.has_generation &&
		    stackmap_resolver_expect_slot(expand->resolver, line->cookie.slot))
			return cmd_nomem();
		return CMD_OK;
	}
	stack = find_stack(expand, &line->cookie);
	if (!stack)
		return cmd_nomem();
	expand->nr_cookies++;
	expand->has_bare = true;
	if (stackmap_stack_get_verdict(stack) != STACKMAP_VERDICT_RESOLVED) {
		count_unresolved(expand, stack);
		put_unresolved(expand, line, stack);
		return CMD_OK;
	}
	text = stackmap_stack_get_text(stack, NULL);
	if (!text)
		return cmd_nomem();
	put_resolved(expand, line, stack, text);
	return CMD_OK;
}
