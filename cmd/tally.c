// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The library gives one and the same object for one and the same cookie, so distinct cookies are
 * counted by a number that is left at it: that of its entry in tally->cookies.
 */
#include <stdlib.h>

#include "cmd.h"
#include "events.h"
#include "tally.h"

static struct tally_cookie *tally_entry(struct tally *tally, struct stackmap_stack *stack)
{
	uintptr_t nr = (uintptr_t)stackmap_stack_get_private(stack);
	struct tally_cookie *grown;
	size_t capacity;

	if (nr)
		return &tally->cookies[nr - 1];
	if (tally->nr == tally->capacity) {
		capacity = tally->capacity ? tally->capacity * 2 : 256;
		grown = reallocarray(tally->cookies, capacity, sizeof(*grown));
		if (!grown)
			return NULL;
		tally->cookies = grown;
		tally->capacity = capacity;
	}
	tally->cookies[tally->nr++] = (struct tally_cookie){ .stack = stack };
	stackmap_stack_set_private(stack, (void *)(uintptr_t)tally->nr);
	return &tally->cookies[tally->nr - 1];
}

static int count_event(struct event *event, void *data)
{
	struct tally_cookie *cookie;
	struct tally *tally = data;

	if (event->type->kind == EVENT_FULL)
		tally->nr_full++;
	if (!event->type->tep) {
		tally->nr_unknown++;
		tally->misses_cookies |= !event->buffer->trace->cookie_field;
	}
	if (event->type->kind != EVENT_COOKIE)
		return CMD_OK;
	tally->nr_events++;
	if (!event->stack) {
		tally->nr_damaged++;
		tally->nr_unresolved++;
		return CMD_OK;
	}
	cookie = tally_entry(tally, event->stack);
	if (!cookie)
		return cmd_nomem();
	cookie->nr_events++;
	tally->nr_unresolved +=
		stackmap_stack_get_verdict(event->stack) != STACKMAP_VERDICT_RESOLVED;
	return CMD_OK;
}

int tally_read(struct tally *tally, const char *path, struct stackmap_resolver *resolver)
{
	int ret;

	tally->events = calloc(1, sizeof(*tally->events));
	if (!tally->events) {
		stackmap_resolver_free(resolver);
		return cmd_nomem();
	}
	ret = events_add(tally->events, path, resolver, 0);
	return ret == CMD_OK ? events_read_by_cpu(tally->events, count_event, tally) : ret;
}

void tally_release(struct tally *tally)
{
	if (tally->events)
		events_release(tally->events);
	free(tally->events);
	free(tally->cookies);
}
