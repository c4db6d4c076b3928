// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "resolve/set.h"
#include "resolve/slots.h"
#include "store/layout.h"

/* So many boots in one place is no collection of maps any more but somebody's joke. */
#define MAX_GROUPS	64

void smap_set_free(struct smap_set *set)
{
	size_t i;

	if (!set)
		return;
	for (i = 0; i < set->nr_groups; i++)
		free(set->groups[i].maps);
	free(set->groups);
	free(set->reason);
	free(set->missing_reason);
	free(set->ambiguous_reason);
	free(set);
}

static int __attribute__((format(printf, 2, 3))) words(char **ret_text, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int ret;

	va_start(ap, fmt);
	ret = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (ret < 0)
		return smap_errno(-ENOMEM);
	free(*ret_text);
	*ret_text = text;
	return 0;
}

/* ---- which maps are copies ---- */

struct agreement {
	size_t	nr_common;
	bool	differ;
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
		if (!stack_b || (stack_a->flags | stack_b->flags) & SMAP_STACK_DAMAGED)
			continue;
		same = smap_stack_same(a->source, stack_a, b->source, stack_b);
		if (same < 0)
			return same;
		agreement->nr_common++;
		agreement->differ = !same;
	}
	return 0;
}

static bool same_boot_id(const struct stackmap_map *a, const struct stackmap_map *b,
			 bool *ret_known)
{
	const struct smap_origin *origin_a = &a->source->save->origin;
	const struct smap_origin *origin_b = &b->source->save->origin;

	*ret_known = origin_a->has_boot_id && origin_b->has_boot_id;
	return *ret_known &&
	       !memcmp(origin_a->boot_id, origin_b->boot_id, sizeof(origin_a->boot_id));
}

/* 1: copies of one map; 0: nothing says so; -ENOMEM. */
static int are_copies(const struct stackmap_map *a, const struct stackmap_map *b)
{
	struct agreement agreement;
	bool known, same;
	int ret;

	same = same_boot_id(a, b, &known);
	/* Without a generation, one boot is not one map: they must hold the same, and all of it. */
	if (known && (!same || a->has_generation))
		return same;
	ret = compare_maps(a, b, &agreement);
	if (ret)
		return ret;
	if (!a->has_generation)
		return !agreement.differ && agreement.nr_common == a->map->nr_stacks &&
		       agreement.nr_common == b->map->nr_stacks;
	return agreement.nr_common && !agreement.differ;
}

static int add_to_group(struct smap_group *group, struct stackmap_map *map)
{
	if (SMAP_ARRAY_GROW(group->maps, group->capacity, group->nr_maps + 1))
		return smap_errno(-ENOMEM);
	group->maps[group->nr_maps++] = map;
	return 0;
}

static int add_to_set(struct smap_set *set, struct stackmap_map *map)
{
	size_t i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		/* Where a later copy should differ after all, its slots come out as conflicts. */
		ret = are_copies(map, set->groups[i].maps[0]);
		if (ret < 0)
			return ret;
		if (ret)
			return add_to_group(&set->groups[i], map);
	}
	if (set->nr_groups > MAX_GROUPS)
		return 0;
	if (SMAP_ARRAY_GROW(set->groups, set->capacity, set->nr_groups + 1))
		return smap_errno(-ENOMEM);
	set->groups[set->nr_groups] = (struct smap_group){ 0 };
	return add_to_group(&set->groups[set->nr_groups++], map);
}

/* ---- filling a set ---- */

/* Take @map as a candidate, or note why it is none; the first note stays. */
static int consider(struct smap_set *set, struct stackmap_map *map)
{
	int ret = smap_source_contradicts(map->source);

	if (ret < 0)
		return ret;
	if (!ret) {
		ret = smap_map_load(map);
		if (!ret)
			return add_to_set(set, map);
		if (ret == -ENOMEM)
			return ret;
		ret = 0;
		if (set->reason)
			return 0;
		set->verdict = STACKMAP_VERDICT_DAMAGED;
		return words(&set->reason, "the saved map cannot be read: %s",
			     map->source->load_words ? map->source->load_words :
			     "its summary does not fit it");
	}
	if (set->reason)
		return 0;
	set->verdict = STACKMAP_VERDICT_CONTRADICTED;
	return words(&set->reason, "the saved map contradicts the trace: %s",
		     map->source->contradiction);
}

static void believe(struct smap_set *set)
{
	set->verdict = STACKMAP_VERDICT_RESOLVED;
	free(set->reason);
	set->reason = NULL;
}

static int refuse(struct smap_set *set, enum stackmap_verdict verdict, const char *reason)
{
	set->verdict = verdict;
	return words(&set->reason, "%s", reason);
}

/* A trace with generations and maps that have none: they say so by contradicting it. */
static int consider_maps_without_generation(struct stackmap_resolver *resolver,
					    struct smap_set *set)
{
	size_t i;
	int ret;

	for (i = 0; i < resolver->nr_maps && !set->reason; i++) {
		if (resolver->maps[i]->has_generation)
			continue;
		ret = smap_source_contradicts(resolver->maps[i]->source);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		set->verdict = STACKMAP_VERDICT_CONTRADICTED;
		ret = words(&set->reason, "the saved map contradicts the trace: %s",
			    resolver->maps[i]->source->contradiction);
		if (ret)
			return ret;
	}
	return 0;
}

static int finish_generation(struct stackmap_resolver *resolver, struct smap_set *set)
{
	char *not_saved = NULL;
	int ret;

	if (set->nr_groups) {
		believe(set);
		ret = words(&set->missing_reason, "not in the saved map of generation %u",
			    set->generation);
		return ret ? ret : words(&set->ambiguous_reason,
					 "generation %u is saved from more than one boot",
					 set->generation);
	}
	if (!resolver->nr_maps)
		return refuse(set, STACKMAP_VERDICT_NO_MAP, "no saved map");
	ret = consider_maps_without_generation(resolver, set);
	if (ret || set->reason)
		return ret;
	ret = words(&not_saved, "generation %u not saved", set->generation);
	if (!ret)
		ret = refuse(set, STACKMAP_VERDICT_GENERATION_NOT_SAVED, not_saved);
	free(not_saved);
	return ret;
}

static int fill_generation(struct stackmap_resolver *resolver, struct smap_set *set)
{
	size_t i;
	int ret;

	for (i = 0; i < resolver->nr_maps; i++) {
		if (!resolver->maps[i]->has_generation ||
		    resolver->maps[i]->generation != set->generation)
			continue;
		ret = consider(set, resolver->maps[i]);
		if (ret)
			return ret;
	}
	return finish_generation(resolver, set);
}

struct smap_set *smap_set_of_generation(struct stackmap_resolver *resolver, uint32_t generation)
{
	struct smap_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->generation = generation;
	if (!fill_generation(resolver, set))
		return set;
	smap_set_free(set);
	return NULL;
}

/* ---- cookies without generation ---- */

static int add_scanned_slot(uint64_t cookie, uint64_t ts, void *data)
{
	return smap_slots_add(data, smap_cookie_slot(cookie));
}

/*
 * All slots of the trace, in resolver->expected. 0; -ENOMEM; -ENODATA where they cannot be
 * known, with words.
 */
static int know_expected(struct stackmap_resolver *resolver, struct smap_error *err)
{
	int ret;

	if (resolver->has_expected) {
		smap_slots_close(&resolver->expected);
		return 0;
	}
	if (!resolver->trace)
		return smap_error_set(err, -ENODATA, "cookies without generation");
	ret = smap_tracedat_scan(resolver->trace, add_scanned_slot, &resolver->expected, err);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return smap_error_prefix(err, -ENODATA, "the trace cannot be read ahead");
	resolver->has_expected = true;
	smap_slots_close(&resolver->expected);
	return 0;
}

static size_t nr_slots_missing(const struct stackmap_resolver *resolver, const struct smap_map *map)
{
	size_t i, nr = 0;

	for (i = 0; i < resolver->expected.nr; i++)
		nr += !smap_map_find(map, resolver->expected.slots[i]);
	return nr;
}

/*
 * One map, and nothing in the trace says that its cookies mean this one: believe it if it
 * has every cookie of the trace. One that it lacks was recorded in another generation, and
 * then any of the others may have been.
 */
static int check_single_map(struct stackmap_resolver *resolver, struct smap_set *set)
{
	struct smap_error err = { "" };
	size_t missing;
	int ret;

	ret = know_expected(resolver, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		set->verdict = STACKMAP_VERDICT_AMBIGUOUS;
		return words(&set->reason, "%s: choose the map with --generation", err.text);
	}
	missing = nr_slots_missing(resolver, set->groups[0].maps[0]->map);
	if (!missing)
		return 0;
	set->verdict = STACKMAP_VERDICT_AMBIGUOUS;
	return words(&set->reason,
		     "no generation in the trace, and the only saved map lacks %zu of its cookies",
		     missing);
}

static int finish_slots(struct stackmap_resolver *resolver, struct smap_set *set, bool late)
{
	int ret;

	if (set->nr_groups) {
		believe(set);
		ret = words(&set->missing_reason, "not in the saved map");
		if (!ret)
			ret = words(&set->ambiguous_reason,
				    "no generation in the trace, and %zu saved maps could be meant",
				    set->nr_groups);
		if (!ret && set->nr_groups == 1 && !resolver->has_generation)
			ret = check_single_map(resolver, set);
		return ret;
	}
	if (!resolver->nr_maps)
		return refuse(set, STACKMAP_VERDICT_NO_MAP, "no saved map");
	if (set->reason)
		return 0;
	if (late)
		return refuse(set, STACKMAP_VERDICT_CONTRADICTED,
			      "the saved map contradicts the trace: it was saved before the event");
	return refuse(set, STACKMAP_VERDICT_GENERATION_NOT_SAVED,
		      "the chosen generation is not saved");
}

/* Is map @nr meant by --generation? */
static bool is_chosen(const struct stackmap_resolver *resolver, size_t nr)
{
	const struct stackmap_map *map = resolver->maps[nr];

	if (!resolver->has_generation)
		return true;
	if (map->has_generation)
		return map->generation == resolver->generation;
	return nr + 1 == resolver->generation;
}

static int fill_slots(struct stackmap_resolver *resolver, struct smap_set *set, uint64_t after_ns)
{
	const struct stackmap_save *save;
	bool late = false;
	size_t i;
	int ret;

	for (i = 0; i < resolver->nr_maps; i++) {
		save = resolver->maps[i]->source->save;
		if (!is_chosen(resolver, i))
			continue;
		if (after_ns && save->saved_boot_ns <= after_ns) {
			late = true;
			continue;
		}
		ret = consider(set, resolver->maps[i]);
		if (ret)
			return ret;
	}
	return finish_slots(resolver, set, late);
}

struct smap_set *smap_set_of_slots(struct stackmap_resolver *resolver, uint64_t after_ns)
{
	struct smap_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	if (!fill_slots(resolver, set, after_ns))
		return set;
	smap_set_free(set);
	return NULL;
}
