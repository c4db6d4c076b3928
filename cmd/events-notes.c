// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is noted of a stack, once for all events that have it.
 */
#include <stdlib.h>

#include "cmd.h"
#include "events-internal.h"

struct stack_note *events_stack_note(struct events *events, struct stackmap_stack *stack)
{
	struct stack_note *note = stackmap_stack_get_private(stack);

	if (note)
		return note;
	note = calloc(1, sizeof(*note));
	if (!note) {
		cmd_nomem();
		return NULL;
	}
	note->stack = stack;
	note->next = events->notes;
	events->notes = note;
	stackmap_stack_set_private(stack, note);
	return note;
}

void events_free_notes(struct stack_note *note)
{
	struct stack_note *next;

	for (; note; note = next) {
		next = note->next;
		free(note->data);
		free(note);
	}
}
