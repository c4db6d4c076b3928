// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel of the series does when something is recorded or written. Series 4 to 8 clear
 * their map in place; ours swaps it for an empty one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "world.h"

#define MAX_PROBES	64

static bool is_ours(const struct shim_world *world)
{
	return world->state->series == SHIM_SERIES_OURS;
}

/* ---- option ---- */

/* Generation 0 is none in ours. */
static int new_map(struct shim_world *world)
{
	uint32_t generation = world->state->generation;
	int ret = shim_map_new(world, generation);

	if (!ret && is_ours(world))
		world->state->generation = generation + 1 ? generation + 1 : 1;
	return ret;
}

int shim_set_option(struct shim_world *world, bool enabled)
{
	int ret = 0;

	if (enabled && !world->state->live)
		ret = new_map(world);
	if (!ret)
		world->state->option = enabled;
	return ret;
}

/* ---- reset ---- */

static void clear_map(struct shim_map *map, uint32_t generation)
{
	memset(map->slots, 0, map->nr_slots * sizeof(map->slots[0]));
	memset(map->causes, 0, sizeof(map->causes));
	map->generation = generation;
	map->entries = 0;
	map->successes = 0;
	map->arena_used = 0;
	map->end = sizeof(*map) + map->nr_slots * sizeof(map->slots[0]);
	map->nr_resets++;
}

/* In the middle of one, with the world unlocked. */
static void during(struct shim_world *world, const char *word)
{
	char dir[sizeof(world->dir)];

	memcpy(dir, world->dir, sizeof(dir));
	shim_world_unlock(world);
	shim_moment(dir, "during", "stack_map", word, NULL);
	shim_world_lock(world, dir);
}

/* A process that was killed as it reset does not do so for ever. */
static bool is_resetting(const struct shim_world *world)
{
	pid_t pid = (pid_t)world->state->is_resetting;

	return pid && !kill(pid, 0);
}

static int reset_in_place(struct shim_world *world)
{
	struct shim_map *map;

	while (is_resetting(world)) {
		if (world->state->series < 8)
			return -EBUSY;
		during(world, "wait");
	}
	map = shim_map_get(world, world->state->live);
	if (!map)
		return 0;
	if (world->state->series == 8)
		world->state->generation++;
	clear_map(map, world->state->generation);
	shim_map_put(map);
	world->state->is_resetting = (uint32_t)getpid();
	during(world, "0");
	world->state->is_resetting = 0;
	return 0;
}

static void close_map(struct shim_world *world, uint64_t sequence)
{
	struct shim_map *map = shim_map_get(world, sequence);

	if (!map)
		return;
	map->is_closed = true;
	shim_map_put(map);
}

/* A file from which nothing was read holds what its own reset swaps out. */
static void move_pin(int fd, uint64_t sequence)
{
	struct shim_file file;

	if (fd < 0 || shim_file_read_state(fd, &file))
		return;
	if (file.is_started || (file.flags & O_ACCMODE) == O_WRONLY)
		return;
	file.map = sequence;
	shim_file_write_state(fd, &file);
}

static int reset_by_swap(struct shim_world *world, int fd)
{
	uint64_t old = world->state->live;
	int ret;

	if (!old)
		return 0;
	if (shim_nr_swapped_out(world) >= SHIM_MAX_SWAPPED_OUT)
		return -EBUSY;
	ret = new_map(world);
	if (ret)
		return ret;
	move_pin(fd, old);
	during(world, "0");
	close_map(world, old);
	shim_drop_maps(world);
	return 0;
}

int shim_reset(struct shim_world *world, int fd)
{
	return is_ours(world) ? reset_by_swap(world, fd) : reset_in_place(world);
}

/* ---- free ---- */

static int set_freeing(int fd, bool is_freeing)
{
	struct shim_file file;

	if (fd < 0 || shim_file_read_state(fd, &file))
		return 0;
	if (file.is_freeing && is_freeing)
		return -EBUSY;
	file.is_freeing = is_freeing;
	shim_file_write_state(fd, &file);
	return 0;
}

int shim_free_begin(struct shim_world *world, int fd, uint64_t *ret_sequence)
{
	int ret = set_freeing(fd, true);

	if (ret)
		return ret;
	if (world->state->option) {
		set_freeing(fd, false);
		return -EBUSY;
	}
	*ret_sequence = world->state->sequence;
	close_map(world, world->state->live);
	if (!is_ours(world) && world->state->live)
		world->state->generation++;
	world->state->live = 0;
	shim_drop_maps(world);
	return 0;
}

void shim_free_end(struct shim_world *world, int fd)
{
	set_freeing(fd, false);
	shim_drop_maps(world);
}

struct waited {
	uint64_t	sequence;
	bool		is_held;
};

static void look_if_held(const struct shim_file *file, void *data)
{
	struct waited *waited = data;

	if (file->map && file->map <= waited->sequence && !file->is_freeing)
		waited->is_held = true;
}

bool shim_free_is_done(struct shim_world *world, uint64_t sequence)
{
	struct waited waited = { .sequence = sequence };

	shim_each_file(world, look_if_held, &waited);
	return !waited.is_held;
}

/* ---- recording ---- */

static struct shim_record *record_of(struct shim_map *map, uint32_t slot)
{
	return map->slots[slot] ? (struct shim_record *)((char *)map + map->slots[slot]) : NULL;
}

static bool is_same(const struct shim_record *record, const uint64_t *frames, uint32_t depth)
{
	return record->depth == depth && !memcmp(record->frames, frames, depth * sizeof(*frames));
}

static uint32_t hash_frames(const uint64_t *frames, uint32_t depth)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t i;

	for (i = 0; i < depth; i++)
		hash = (hash ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

/* The slot that has the stack or can take it; UINT32_MAX: too many others are there. */
static uint32_t find_slot(struct shim_map *map, const uint64_t *frames, uint32_t depth)
{
	uint32_t slot = hash_frames(frames, depth), i;
	struct shim_record *record;

	for (i = 0; i < MAX_PROBES; i++, slot++) {
		slot &= map->nr_slots - 1;
		record = record_of(map, slot);
		if (!record || is_same(record, frames, depth))
			return slot;
	}
	return UINT32_MAX;
}

static uint64_t arena_need(const struct shim_world *world, uint32_t depth)
{
	return is_ours(world) ? 4 * ((uint64_t)depth + 2) : 0;
}

static int insert(struct shim_world *world, struct shim_map *map, uint32_t slot,
		  const uint64_t *frames, uint32_t depth)
{
	struct shim_record *record = (struct shim_record *)((char *)map + map->end);

	if (map->entries == map->capacity)
		return SHIM_NO_CAPACITY;
	if (map->arena_used + arena_need(world, depth) > map->arena_size)
		return SHIM_NO_SPACE;
	record->ref = 0;
	record->depth = depth;
	memcpy(record->frames, frames, depth * sizeof(*frames));
	map->slots[slot] = map->end;
	map->end += sizeof(*record) + depth * sizeof(*frames);
	map->arena_used += arena_need(world, depth);
	map->entries++;
	return -1;
}

/* Into a map that is there. The cause of recording it in full, or -1 and the slot. */
static int record_into(struct shim_world *world, struct shim_map *map, const uint64_t *frames,
		       uint32_t depth, uint32_t times, uint32_t *slot)
{
	uint32_t max_depth = is_ours(world) ? SHIM_MAX_DEPTH : 64;
	struct shim_record *record;
	int cause;

	if (!depth || depth > max_depth)
		return SHIM_BAD_DEPTH;
	if (*slot == UINT32_MAX)
		*slot = find_slot(map, frames, depth);
	if (*slot >= map->nr_slots)
		return SHIM_NO_SLOT;
	record = record_of(map, *slot);
	if (record && !is_same(record, frames, depth))
		return SHIM_NO_SLOT;
	if (!record) {
		cause = insert(world, map, *slot, frames, depth);
		if (cause >= 0)
			return cause;
		record = record_of(map, *slot);
	}
	record->ref = times > INT32_MAX - record->ref ? INT32_MAX : record->ref + times;
	map->successes += times;
	return -1;
}

int shim_record_stack(struct shim_world *world, const uint64_t *frames, uint32_t depth,
		      uint32_t times, uint32_t slot, uint32_t *ret_slot, uint32_t *ret_generation)
{
	struct shim_map *map;
	int cause;

	if (!world->state->tracing_on)
		return 2;
	if (!world->state->option)
		return 1;
	map = shim_map_get(world, world->state->live);
	if (!map) {
		world->state->no_map += times;
		return 1;
	}
	/* Ours has no such window. */
	if (is_resetting(world)) {
		shim_map_put(map);
		return 1;
	}
	cause = record_into(world, map, frames, depth, times, &slot);
	if (cause >= 0)
		map->causes[cause] += times;
	*ret_slot = slot;
	*ret_generation = map->generation;
	shim_map_put(map);
	return cause >= 0;
}
