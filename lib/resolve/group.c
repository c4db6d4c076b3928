// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two maps of one generation are copies, apart, or nothing tells. Without KASLR two boots have the
 * same stacks in the same slots: that maps agree where both have something makes them no copies.
 * But of two copies the later one has all that the earlier one has, and counted no less. A map of
 * an unknown boot can be
 * a copy of maps in several groups: then these become one, unless any two of them are apart. In
 * that case it is a copy of one of them and nothing tells which: it stays by itself, and what the
 * groups do not agree on is ambiguous.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "resolve/group.h"

/* No collection of maps needs more; without bounds a made file costs the square of its size. */
#define MAX_GROUPS	4096
#define MAX_UNKNOWN	32

enum relation {
	RELATION_NONE,		/* nothing speaks for or against */
	RELATION_COPIES,
	RELATION_APART,
};

static bool boot_is_known(const struct stackmap_map *map)
{
	return map->source->save->origin.has_boot_id;
}

bool smap_saves_same_boot(const struct stackmap_save *a, const struct stackmap_save *b)
{
	return a->origin.has_boot_id && b->origin.has_boot_id &&
	       !memcmp(a->origin.boot_id, b->origin.boot_id, sizeof(a->origin.boot_id));
}

bool smap_maps_same_boot(const struct stackmap_map *a, const struct stackmap_map *b)
{
	return smap_saves_same_boot(a->source->save, b->source->save);
}

struct agreement {
	size_t	nr_common;
	bool	differ;
	bool	a_has_more;	/* slots that @b does not have */
	bool	a_counts_more;	/* for some slot */
	bool	b_counts_more;
};

/* Compare what stands in the slots that both maps have. 0 or -ENOMEM. */
static int compare_maps(const struct stackmap_map *a, const struct stackmap_map *b,
			struct agreement *agreement)
{
	const struct smap_stack *stack_a, *stack_b;
	size_t i;
	int same;

	*agreement = (struct agreement){ 0 };
	for (i = 0; i < a->map->nr_stacks && !agreement->differ; i++) {
		stack_a = &a->source->export->stacks[a->map->first + i];
		stack_b = smap_map_find(b->map, stack_a->slot);
		agreement->a_has_more |= !stack_b;
		if (!stack_b || (stack_a->flags | stack_b->flags) & SMAP_STACK_DAMAGED)
			continue;
		agreement->a_counts_more |= stack_a->ref > stack_b->ref;
		agreement->b_counts_more |= stack_b->ref > stack_a->ref;
		same = smap_stack_same(a->source, stack_a, b->source, stack_b);
		if (same < 0)
			return same;
		agreement->nr_common++;
		agreement->differ = !same;
	}
	return 0;
}

/* Without a generation, only what holds the same, and all of it, is one map twice. */
static int relate_without_generation(const struct stackmap_map *a, const struct stackmap_map *b,
				     enum relation *ret_relation)
{
	struct agreement agreement;
	int ret;

	*ret_relation = RELATION_APART;
	if (a->map->nr_stacks != b->map->nr_stacks)
		return 0;
	ret = compare_maps(a, b, &agreement);
	if (!ret && !agreement.differ && agreement.nr_common == a->map->nr_stacks)
		*ret_relation = RELATION_COPIES;
	return ret;
}

/* Can the later one of them have grown from the other? @a has no more slots than @b. */
static bool may_have_grown(const struct stackmap_map *a, const struct stackmap_map *b,
			   const struct agreement *agreement)
{
	if (agreement->a_has_more || agreement->a_counts_more)
		return a->map->nr_stacks == b->map->nr_stacks && !agreement->a_has_more &&
		       !agreement->b_counts_more;
	return true;
}

static int relate_unknown_boots(const struct stackmap_map *a, const struct stackmap_map *b,
				enum relation *ret_relation)
{
	struct agreement agreement;
	int ret;

	if (a->map->nr_stacks > b->map->nr_stacks)
		return relate_unknown_boots(b, a, ret_relation);
	ret = compare_maps(a, b, &agreement);
	if (ret)
		return ret;
	if (!agreement.nr_common && !agreement.differ)
		*ret_relation = RELATION_NONE;
	else if (agreement.differ || !may_have_grown(a, b, &agreement))
		*ret_relation = RELATION_APART;
	else
		*ret_relation = RELATION_COPIES;
	return 0;
}

static int relate(const struct stackmap_map *a, const struct stackmap_map *b,
		  enum relation *ret_relation)
{
	if (!a->has_generation)
		return relate_without_generation(a, b, ret_relation);
	if (boot_is_known(a) && boot_is_known(b)) {
		/* Where copies of one boot differ after all, their slots are conflicts. */
		*ret_relation = smap_maps_same_boot(a, b) ? RELATION_COPIES : RELATION_APART;
		return 0;
	}
	/* A map without stacks, copied too early, is no other boot's. */
	if (!a->map->nr_stacks || !b->map->nr_stacks) {
		*ret_relation = RELATION_COPIES;
		return 0;
	}
	return relate_unknown_boots(a, b, ret_relation);
}

/* To all of a group: apart from one of them is apart, else a copy of one of them is a copy. */
static int relate_to_group(const struct stackmap_map *map, const struct smap_group *group,
			   enum relation *ret_relation)
{
	/* All of them hold the same or are of one boot: the first speaks for them. */
	bool first_only = !map->has_generation ||
			  (boot_is_known(map) && boot_is_known(group->maps[0]));
	enum relation relation, found = RELATION_NONE;
	size_t i;
	int ret;

	for (i = 0; i < group->nr_maps && found != RELATION_APART; i++) {
		ret = relate(map, group->maps[i], &relation);
		if (ret)
			return ret;
		if (relation != RELATION_NONE)
			found = relation;
		if (first_only)
			break;
	}
	*ret_relation = found;
	return 0;
}

static int are_apart(const struct smap_group *a, const struct smap_group *b, bool *ret_apart)
{
	enum relation relation = RELATION_NONE;
	size_t i, k;
	int ret;

	for (i = 0; i < a->nr_maps && relation != RELATION_APART; i++) {
		for (k = 0; k < b->nr_maps && relation != RELATION_APART; k++) {
			ret = relate(a->maps[i], b->maps[k], &relation);
			if (ret)
				return ret;
		}
	}
	*ret_apart = relation == RELATION_APART;
	return 0;
}

int smap_group_add(struct smap_group *group, struct stackmap_map *map)
{
	if (SMAP_ARRAY_GROW(group->maps, group->capacity, group->nr_maps + 1))
		return smap_errno(-ENOMEM);
	group->maps[group->nr_maps++] = map;
	return 0;
}

static int add_group(struct smap_set *set, struct stackmap_map *map)
{
	if (set->nr_groups == MAX_GROUPS) {
		set->overflow = true;
		return 0;
	}
	if (SMAP_ARRAY_GROW(set->groups, set->capacity, set->nr_groups + 1))
		return smap_errno(-ENOMEM);
	set->groups[set->nr_groups] = (struct smap_group){ 0 };
	return smap_group_add(&set->groups[set->nr_groups++], map);
}

/* Group @from goes into group @into, and its place is taken by the last one. */
static int merge_groups(struct smap_set *set, size_t into, size_t from)
{
	size_t i;
	int ret;

	for (i = 0; i < set->groups[from].nr_maps; i++) {
		ret = smap_group_add(&set->groups[into], set->groups[from].maps[i]);
		if (ret)
			return ret;
	}
	free(set->groups[from].maps);
	set->groups[from] = set->groups[--set->nr_groups];
	return 0;
}

/* The groups that @map is a copy of, at the front of the set: *ret_nr of them. */
static int gather_copies(struct smap_set *set, const struct stackmap_map *map, size_t *ret_nr)
{
	enum relation relation;
	struct smap_group group;
	size_t i, nr = 0;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		ret = relate_to_group(map, &set->groups[i], &relation);
		if (ret)
			return ret;
		if (relation != RELATION_COPIES)
			continue;
		group = set->groups[i];
		set->groups[i] = set->groups[nr];
		set->groups[nr++] = group;
	}
	*ret_nr = nr;
	return 0;
}

static int any_are_apart(const struct smap_set *set, size_t nr, bool *ret_apart)
{
	size_t i, k;
	int ret;

	*ret_apart = false;
	for (i = 0; i < nr && !*ret_apart; i++) {
		for (k = 0; k < i && !*ret_apart; k++) {
			ret = are_apart(&set->groups[i], &set->groups[k], ret_apart);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int smap_set_add_map(struct smap_set *set, struct stackmap_map *map)
{
	bool apart;
	size_t nr;
	int ret;

	if (map->has_generation && !boot_is_known(map) && ++set->nr_unknown > MAX_UNKNOWN) {
		set->overflow = true;
		return 0;
	}
	ret = gather_copies(set, map, &nr);
	if (ret)
		return ret;
	ret = any_are_apart(set, nr, &apart);
	if (ret)
		return ret;
	if (!nr || apart)
		return add_group(set, map);
	while (nr-- > 1) {
		ret = merge_groups(set, 0, nr);
		if (ret)
			return ret;
	}
	return smap_group_add(&set->groups[0], map);
}
