// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "watch.h"

void watch_init(struct watch *watch, const struct watch_ops *ops, void *data,
		const struct rotation_policy *policy)
{
	memset(watch, 0, sizeof(*watch));
	watch->ops = ops;
	watch->data = data;
	watch->can_rotate = !policy->is_kept;
	rotation_init(&watch->rotation, policy, ops->now(data));
}

void watch_expect(struct watch *watch, uint32_t generation)
{
	watch->is_begun = true;
	watch->has_next = true;
	watch->next = generation;
}

static void tell(struct watch *watch, const char *line)
{
	watch->ops->tell(watch->data, line);
}

static bool is_there(const struct watch_look *look)
{
	return look->map.capacity != 0;
}

/* Complain of what is new only. */
static void note_code(struct watch *watch, int *last, int code, const char *again)
{
	if (code && code != *last)
		watch->ops->complain(watch->data, code);
	if (!code && *last)
		tell(watch, again);
	*last = code;
}

/* They count upwards, and around after 2^32. */
static bool is_behind(uint32_t generation, uint32_t other)
{
	return (int32_t)(generation - other) > 0;
}

/* Has somebody else reset the map, or we in an earlier life? */
static void note_generation(struct watch *watch, const struct rotation_look *map)
{
	if (!map->has_generation)
		return;
	if (watch->has_next && watch->may_have_reset && is_behind(map->generation, watch->next))
		watch->next++;
	watch->may_have_reset = false;
	if (watch->has_next && is_behind(map->generation, watch->next))
		watch->ops->missed(watch->data, watch->next, map->generation);
	watch->has_next = true;
	watch->next = map->generation;
}

/* 0, or the errno of it, said. */
static int look(struct watch *watch)
{
	struct watch_look now = { .successes = 0 };
	int ret;

	ret = watch->ops->look(watch->data, &now);
	note_code(watch, &watch->look_code, ret, "the stack map can be read again");
	if (ret)
		return ret;
	watch->look = now;
	if (is_there(&now)) {
		if (watch->is_waiting)
			tell(watch, "the option is set: there is a map now");
		watch->is_waiting = false;
		note_generation(watch, &now.map);
	} else if (!watch->is_waiting) {
		tell(watch, "no map is allocated: waiting for the option stackmap to be set");
		watch->is_waiting = true;
	}
	return 0;
}

/* No cookie was recorded since the last save, so that it has all there is. */
static bool is_saved(const struct watch *watch)
{
	const struct rotation_look *now = &watch->look.map, *then = &watch->saved;

	return watch->has_saved && now->has_generation == then->has_generation &&
	       now->generation == then->generation && now->entries == then->entries &&
	       watch->look.successes == watch->saved_successes;
}

/* The look was before the save: it has at least what that saw. */
static void note_saved(struct watch *watch, bool is_reset)
{
	watch->has_saved = !is_reset;
	/* The rotation itself tells of what others did meanwhile. */
	if (is_reset)
		watch->has_next = false;
	watch->saved = watch->look.map;
	watch->saved_successes = watch->look.successes;
}

/* The kernel did not reset, which says nothing of the disk: it is asked again. */
static bool was_refused(int code)
{
	return code == -EBUSY || code == -EAGAIN || code == -ENOMEM;
}

/* It may have reset the map, and not written it: nobody else needs to have been there. */
static bool may_have_reset(int code)
{
	return code != -EBUSY && code != -EAGAIN;
}

/* Who may read the map and not reset it, as a member of its group. */
static bool has_no_right(int code)
{
	return code == -EACCES || code == -EPERM;
}

/*
 * Where there is no right to rotate, saves take the place of rotations. The next try will not be
 * better: said once, until it is, or somebody asks for a rotation.
 */
static void note_act(struct watch *watch, bool rotates, int code)
{
	if (!rotates || !code || code != watch->no_right)
		note_code(watch, &watch->said_code, code, "maps are saved again");
	if (rotates)
		watch->no_right = has_no_right(code) ? code : 0;
	watch->act_code = code;
}

/* Rotate or save, and learn from what comes of it. */
static void act(struct watch *watch, bool rotates)
{
	uint64_t from = watch->ops->now(watch->data);
	int ret;

	ret = rotates ? watch->ops->rotate(watch->data) : watch->ops->save(watch->data);
	if (ret == -ENODATA)
		ret = 0;
	else if (!ret || ret == -EXDEV)
		note_saved(watch, rotates);
	watch->may_have_reset = rotates && may_have_reset(ret);
	note_act(watch, rotates, ret);
	watch->is_failing = ret && !was_refused(ret);
	watch->is_begun |= !ret;
	/* A save takes the place of a rotation, but frees no room in the map: it is due at once. */
	if (ret || (watch->no_right && !rotates))
		rotation_failed(&watch->rotation, watch->ops->now(watch->data));
	else
		rotation_done(&watch->rotation, from, watch->ops->now(watch->data));
	if (!ret)
		watch->ops->trim(watch->data);
}

/* Not before a save has shown that the file can be written to. */
static bool may_rotate(const struct watch *watch)
{
	return watch->can_rotate && watch->is_begun && !watch->is_failing;
}

/*
 * What is due by now: nothing, where all of it is saved and stays as it is. An empty map is not
 * rotated, but a save writes what waits in memory.
 */
static void act_when_due(struct watch *watch)
{
	bool rotates = may_rotate(watch) && watch->look.map.entries;
	uint64_t now = watch->ops->now(watch->data);

	if (!rotates && watch->no_right && is_saved(watch))
		rotation_failed(&watch->rotation, now);
	else if (!rotates && !watch->act_code && is_saved(watch))
		rotation_done(&watch->rotation, now, now);
	else
		act(watch, rotates);
}

/* Who asks for a rotation gets one, also where a save has to come first. */
static void act_when_asked(struct watch *watch)
{
	bool rotates = may_rotate(watch);

	watch->no_right = 0;
	act_when_due(watch);
	if (!rotates && may_rotate(watch) && watch->look.map.entries)
		act(watch, true);
}

static int end(struct watch *watch)
{
	int ret;

	/* What cannot be read now may be kept from an earlier rotation: the save writes that. */
	if (look(watch) || watch->act_code || (is_there(&watch->look) && !is_saved(watch))) {
		ret = watch->ops->save(watch->data);
		if (ret == -ENODATA)
			ret = 0;
		if (ret && ret != watch->look_code)
			watch->ops->complain(watch->data, ret);
		return ret;
	}
	return 0;
}

static bool is_to_begin(const struct watch *watch)
{
	return watch->can_rotate && !watch->is_begun && watch->look.map.entries &&
	       !watch->is_failing;
}

/* A map may wait in memory. Where it went elsewhere, an empty one shows nothing of the disk. */
static bool may_retry(const struct watch *watch)
{
	return watch->act_code && (watch->look.map.entries || watch->act_code != -EXDEV);
}

static bool is_due(struct watch *watch, uint64_t *ret_sleep_ns)
{
	uint64_t now = watch->ops->now(watch->data);

	if (rotation_look(&watch->rotation, &watch->look.map, now, ret_sleep_ns) !=
	    ROTATION_NOT_DUE)
		return true;
	return is_to_begin(watch) || (may_retry(watch) && now >= watch->rotation.retry_ns);
}

int watch_step(struct watch *watch, unsigned int events, uint64_t *ret_sleep_ns)
{
	bool is_asked = events & WATCH_ASKED, due;

	*ret_sleep_ns = ROTATION_SLEEP_MAX;
	if (events & WATCH_END)
		return end(watch);
	if (look(watch))
		return 0;
	due = is_due(watch, ret_sleep_ns);
	if (is_asked && !watch->look.map.entries && !may_retry(watch)) {
		tell(watch, "the map is empty: nothing to save");
	} else if (due || is_asked) {
		if (is_asked)
			act_when_asked(watch);
		else
			act_when_due(watch);
		*ret_sleep_ns = ROTATION_SLEEP_MIN;
	}
	return 0;
}
