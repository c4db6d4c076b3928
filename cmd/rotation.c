// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "rotation.h"

#define NEVER	2.0	/* a mark that no fill reaches */

static uint64_t later(uint64_t ns, uint64_t by_ns)
{
	return ns > UINT64_MAX - by_ns ? UINT64_MAX : ns + by_ns;
}

/* A clock that went backwards is one that stood still. */
static uint64_t since(uint64_t ns, uint64_t now_ns)
{
	return now_ns > ns ? now_ns - ns : 0;
}

static double part(uint64_t used, uint64_t size)
{
	if (used >= size)
		return size ? 1.0 : 0.0;
	return (double)used / (double)size;
}

/* A map is full when its slots are or when its frames are. */
static double fill_of(const struct rotation_look *look)
{
	double entries = part(look->entries, look->capacity);
	double arena = part(look->arena_used, look->arena_size);

	return arena > entries ? arena : entries;
}

static double first_mark(const struct rotation *rotation)
{
	return rotation->policy.percent ? rotation->policy.percent / 100.0 : NEVER;
}

/* The map is an empty one, or another one than it was. */
static void begin(struct rotation *rotation, uint64_t now_ns)
{
	rotation->began_ns = now_ns;
	rotation->mark = first_mark(rotation);
}

void rotation_init(struct rotation *rotation, const struct rotation_policy *policy, uint64_t now_ns)
{
	memset(rotation, 0, sizeof(*rotation));
	rotation->policy = *policy;
	rotation->looked_ns = now_ns;
	begin(rotation, now_ns);
}

static bool is_other_map(const struct rotation *rotation, const struct rotation_look *look)
{
	if (look->has_generation && rotation->look.has_generation)
		return look->generation != rotation->look.generation;
	return look->entries < rotation->look.entries;
}

/*
 * How fast it fills: as fast as since the last look, or half as fast as it did before, whichever is
 * more. A map that has just been reset fills fast and then slowly.
 */
static void learn(struct rotation *rotation, const struct rotation_look *look, uint64_t now_ns)
{
	double fill = fill_of(look), grown = fill - rotation->fill;
	uint64_t took = since(rotation->looked_ns, now_ns);

	if (!look->entries || is_other_map(rotation, look)) {
		begin(rotation, now_ns);
		grown = fill;
	}
	if (took) {
		rotation->rate /= 2;
		if (grown / (double)took > rotation->rate)
			rotation->rate = grown / (double)took;
	}
	rotation->look = *look;
	rotation->fill = fill;
	rotation->looked_ns = now_ns;
}

static bool is_due_by_time(const struct rotation *rotation, uint64_t now_ns)
{
	return rotation->policy.every_ns && rotation->look.entries &&
	       since(rotation->began_ns, now_ns) >= rotation->policy.every_ns;
}

static bool is_due_by_fill(const struct rotation *rotation, uint64_t now_ns)
{
	return rotation->fill >= rotation->mark && now_ns >= rotation->rests_until_ns;
}

/* At most *sleep_ns, until @then. */
static void sleep_until(uint64_t *sleep_ns, uint64_t now_ns, uint64_t then_ns)
{
	if (since(now_ns, then_ns) < *sleep_ns)
		*sleep_ns = since(now_ns, then_ns);
}

static uint64_t sleep_for_fill(const struct rotation *rotation)
{
	double ns, to_go = rotation->mark - rotation->fill;

	if (rotation->mark > 1 || to_go <= 0)
		return ROTATION_SLEEP_MAX;
	ns = rotation->rate > 0 ? to_go / rotation->rate / 2 : (double)ROTATION_SLEEP_MAX;
	if (ns >= (double)ROTATION_SLEEP_MAX)
		return ROTATION_SLEEP_MAX;
	return ns <= (double)ROTATION_SLEEP_MIN ? ROTATION_SLEEP_MIN : (uint64_t)ns;
}

static uint64_t sleep_for(const struct rotation *rotation, uint64_t now_ns)
{
	uint64_t ns = sleep_for_fill(rotation);

	if (now_ns < rotation->retry_ns) {
		sleep_until(&ns, now_ns, rotation->retry_ns);
		return ns;
	}
	if (rotation->policy.every_ns && rotation->look.entries)
		sleep_until(&ns, now_ns, later(rotation->began_ns, rotation->policy.every_ns));
	if (rotation->fill >= rotation->mark)
		sleep_until(&ns, now_ns, rotation->rests_until_ns);
	return ns;
}

enum rotation_due rotation_look(struct rotation *rotation, const struct rotation_look *look,
				uint64_t now_ns, uint64_t *ret_sleep_ns)
{
	learn(rotation, look, now_ns);
	*ret_sleep_ns = sleep_for(rotation, now_ns);
	if (now_ns < rotation->retry_ns)
		return ROTATION_NOT_DUE;
	if (is_due_by_fill(rotation, now_ns))
		return ROTATION_BY_FILL;
	return is_due_by_time(rotation, now_ns) ? ROTATION_BY_TIME : ROTATION_NOT_DUE;
}

/* Saved at this fill: next when half of what is free is used, at last when nothing is. */
static double next_mark(double fill)
{
	if (fill >= 1)
		return NEVER;
	return fill > 63.0 / 64 ? 1 : fill + (1 - fill) / 2;
}

void rotation_done(struct rotation *rotation, uint64_t from_ns, uint64_t now_ns)
{
	uint64_t took = since(from_ns, now_ns);

	rotation->retry_ns = 0;
	rotation->retry_len_ns = 0;
	rotation->began_ns = now_ns;
	if (rotation->policy.is_kept) {
		if (rotation->policy.percent && rotation->fill >= rotation->mark)
			rotation->mark = next_mark(rotation->fill);
		return;
	}
	rotation->rests_until_ns = later(now_ns, took < UINT64_MAX / ROTATION_REST ?
						 took * ROTATION_REST : UINT64_MAX);
	/* What comes next is another map: the next look tells how fast it fills. */
	memset(&rotation->look, 0, sizeof(rotation->look));
	rotation->looked_ns = now_ns;
	rotation->fill = 0;
	rotation->mark = first_mark(rotation);
}

void rotation_failed(struct rotation *rotation, uint64_t now_ns)
{
	if (!rotation->retry_len_ns)
		rotation->retry_len_ns = ROTATION_RETRY_MIN;
	else if (rotation->retry_len_ns < ROTATION_RETRY_MAX / 2)
		rotation->retry_len_ns *= 2;
	else
		rotation->retry_len_ns = ROTATION_RETRY_MAX;
	rotation->retry_ns = later(now_ns, rotation->retry_len_ns);
}

unsigned int rotation_percent(const struct rotation *rotation)
{
	return (unsigned int)(rotation->fill * 100);
}
