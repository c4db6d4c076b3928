// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/group.h"
#include "resolve/set.h"
#include "resolve/slots.h"
#include "resolve/tie.h"
#include "store/layout.h"

void smap_set_keep_words(struct smap_set *set)
{
	size_t i;

	for (i = 0; i < set->nr_groups; i++)
		free(set->groups[i].maps);
	free(set->groups);
	free(set->unreadable.maps);
	set->groups = NULL;
	set->nr_groups = set->capacity = 0;
	set->unreadable = (struct smap_group){ 0 };
}

void smap_set_free(struct smap_set *set)
{
	if (!set)
		return;
	smap_set_keep_words(set);
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

/* ---- filling a set ---- */

static const char contradicted[] = "the saved map contradicts the trace: %s";

/* One that cannot be read is a candidate, too, and nothing tells what it would have said. */
static int note_unreadable(struct smap_set *set, struct stackmap_map *map)
{
	const char *why = map->source->load_words;
	int ret = smap_group_add(&set->unreadable, map);

	if (ret || set->reason)
		return ret;
	set->verdict = STACKMAP_VERDICT_DAMAGED;
	return words(&set->reason, "the saved map cannot be read: %s",
		     why ? why : "its summary does not fit it");
}

static int note(struct smap_set *set, enum stackmap_verdict verdict, const char *fmt,
		const char *why)
{
	if (set->reason)
		return 0;
	set->verdict = verdict;
	return words(&set->reason, fmt, why);
}

/* 1 if it may be a candidate, 0 if not, or -ENOMEM. */
static int may_be_meant(struct smap_set *set, struct stackmap_map *map, bool is_proven)
{
	int ret = smap_map_is_foreign(map);

	if (ret < 0)
		return ret;
	if (ret)
		return note(set, STACKMAP_VERDICT_CONTRADICTED, contradicted, map->foreign);
	if (is_proven || !map->source->resolver->require_proof)
		return 1;
	return note(set, STACKMAP_VERDICT_NOT_PROVEN, "%s",
		    stackmap_verdict_get_text(STACKMAP_VERDICT_NOT_PROVEN));
}

/* Take @map as a candidate, or note why it is none; the first note stays. */
static int consider(struct smap_set *set, struct stackmap_map *map, bool is_proven)
{
	int ret = smap_source_contradicts(map->source);

	if (ret < 0)
		return ret;
	if (ret)
		return note(set, STACKMAP_VERDICT_CONTRADICTED, contradicted,
			    map->source->contradiction);
	ret = smap_map_load(map);
	if (ret)
		return ret == -ENOMEM ? ret : note_unreadable(set, map);
	ret = may_be_meant(set, map, is_proven);
	return ret > 0 ? smap_set_add_map(set, map) : ret;
}

/*
 * Where maps are proven to be meant, others are not, unless they are copies: of the same boot. What
 * @map says does not count then, not even that it cannot be read.
 */
static bool is_beside(const struct smap_set *set, const struct stackmap_map *map)
{
	size_t i;

	for (i = 0; i < set->nr_proven && i < set->nr_groups; i++)
		if (smap_maps_same_boot(map, set->groups[i].maps[0]))
			return false;
	return set->nr_proven;
}

/*
 * Maps that are attached to the trace come first: what lies beside it may be of an older one of
 * that name. It counts where nothing that is attached is meant, as another save of the same boot,
 * and where it holds what was recorded before it. 1, 0 or -ENOMEM.
 */
static int is_overruled(const struct smap_set *set, struct stackmap_map *map)
{
	size_t i;

	if (!map->source->file->is_beside || !set->nr_groups)
		return 0;
	for (i = 0; i < set->nr_groups; i++)
		if (smap_maps_same_boot(map, set->groups[i].maps[0]))
			return 0;
	if (smap_map_is_foreign(map) < 0)
		return smap_errno(-ENOMEM);
	return !map->nr_before;
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
	struct stackmap_map **by_generation = resolver->by_generation;
	size_t i;
	int ret;

	for (i = 0; i < resolver->nr_maps && !by_generation[i]->has_generation; i++) {
		ret = smap_source_contradicts(by_generation[i]->source);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		set->verdict = STACKMAP_VERDICT_CONTRADICTED;
		return words(&set->reason, contradicted, by_generation[i]->source->contradiction);
	}
	return 0;
}

/* Copies of the one boot that is left are no loss; another boot's map could have been meant. */
static bool unreadable_matters(const struct smap_set *set)
{
	size_t i;

	if (!set->unreadable.nr_maps || set->nr_groups != 1)
		return set->unreadable.nr_maps;
	for (i = 0; i < set->unreadable.nr_maps; i++)
		if (!smap_maps_same_boot(set->unreadable.maps[i], set->groups[0].maps[0]))
			return true;
	return false;
}

/* What stands against believing any of the candidates. 0 or -ENOMEM. */
static int doubt(struct smap_set *set, bool unreadable)
{
	if (set->overflow)
		return refuse(set, STACKMAP_VERDICT_AMBIGUOUS,
			      "more saved maps than can be told apart");
	if (unreadable)
		return refuse(set, STACKMAP_VERDICT_AMBIGUOUS,
			      "a saved map that cannot be read could be meant");
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
		if (!ret)
			ret = words(&set->ambiguous_reason,
				    "generation %u is saved from more than one boot",
				    set->generation);
		return ret ? ret : doubt(set, unreadable_matters(set));
	}
	if (set->reason)
		return 0;
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

static int compare_generations(const void *a, const void *b)
{
	const struct stackmap_map *map_a = *(struct stackmap_map *const *)a;
	const struct stackmap_map *map_b = *(struct stackmap_map *const *)b;

	if (map_a->has_generation != map_b->has_generation)
		return map_a->has_generation ? 1 : -1;
	if (map_a->generation != map_b->generation)
		return map_a->generation < map_b->generation ? -1 : 1;
	return (map_a->nr > map_b->nr) - (map_a->nr < map_b->nr);
}

/* The maps by generation, those without one first. 0 or -ENOMEM. */
static int know_generations(struct stackmap_resolver *resolver)
{
	struct stackmap_map **maps;

	if (resolver->by_generation)
		return 0;
	maps = calloc(resolver->nr_maps + 1, sizeof(*maps));
	if (!maps)
		return smap_errno(-ENOMEM);
	if (resolver->nr_maps)
		memcpy(maps, resolver->maps, resolver->nr_maps * sizeof(*maps));
	qsort(maps, resolver->nr_maps, sizeof(*maps), compare_generations);
	resolver->by_generation = maps;
	return 0;
}

/* Where the maps of @generation begin in resolver->by_generation. */
static size_t first_of_generation(const struct stackmap_resolver *resolver, uint32_t generation)
{
	size_t low = 0, high = resolver->nr_maps, middle;
	const struct stackmap_map *map;

	while (low < high) {
		middle = low + (high - low) / 2;
		map = resolver->by_generation[middle];
		if (!map->has_generation || map->generation < generation)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Which maps of a generation are looked at. */
struct which {
	bool	boot_is_known;
	bool	is_proven;
	bool	is_beside;
};

/* 1: @map is one of them; 0; -ENOMEM. */
static int is_one(const struct smap_set *set, struct stackmap_map *map, const struct which *which)
{
	int ret = smap_map_is_proven(map);

	if (ret < 0)
		return ret;
	if (map->source->save->origin.has_boot_id != which->boot_is_known ||
	    ret != which->is_proven)
		return 0;
	if (ret)
		return 1;
	if (map->source->file->is_beside != which->is_beside || is_beside(set, map))
		return 0;
	ret = is_overruled(set, map);
	return ret < 0 ? ret : !ret;
}

static int consider_generation(struct stackmap_resolver *resolver, struct smap_set *set,
			       const struct which *which)
{
	size_t i = first_of_generation(resolver, set->generation);
	struct stackmap_map *map;
	int ret;

	for (; i < resolver->nr_maps; i++) {
		map = resolver->by_generation[i];
		if (map->generation != set->generation)
			break;
		ret = is_one(set, map, which);
		if (ret > 0)
			ret = consider(set, map, which->is_proven);
		if (ret)
			return ret;
	}
	return 0;
}

static int fill_generation(struct stackmap_resolver *resolver, struct smap_set *set)
{
	/* A map of an unknown boot is compared with all that are known. */
	static const struct which order[] = {
		{ .is_proven = true, .boot_is_known = true },
		{ .is_proven = true },
		{ .boot_is_known = true },
		{ .boot_is_known = false },
		{ .is_beside = true, .boot_is_known = true },
		{ .is_beside = true },
	};
	int ret = know_generations(resolver);
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]) && !ret; i++) {
		ret = consider_generation(resolver, set, &order[i]);
		if (order[i].is_proven)
			set->nr_proven = set->nr_groups;
	}
	return ret ? ret : finish_generation(resolver, set);
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

/* A save that was lost is a candidate that nobody can ask any more. */
static bool saves_are_lost(const struct stackmap_resolver *resolver)
{
	const struct smap_store *store;
	size_t i;

	for (i = 0; i < resolver->nr_files; i++) {
		store = resolver->files[i]->store;
		if (smap_store_nr_damages(store) &&
		    !(smap_store_nr_saves(store) && smap_store_save(store, 0)->is_raw))
			return true;
	}
	return false;
}

/* 1: any of the maps has @slot; 0; -ENOMEM. */
static int is_in_any(const struct stackmap_resolver *resolver, uint32_t slot)
{
	struct stackmap_map *map;
	size_t i;
	int ret;

	for (i = 0; i < resolver->nr_maps; i++) {
		map = resolver->maps[i];
		ret = map->has_generation ? -EINVAL : smap_map_load(map);
		if (ret == -ENOMEM)
			return ret;
		if (!ret && smap_map_find(map->map, slot))
			return 1;
	}
	return 0;
}

/*
 * The user chose a map for a trace of several generations. What it lacks must be in the others:
 * else a map is missing, and its cookies would get the stacks of the one that was chosen.
 */
static int check_choice(struct stackmap_resolver *resolver, struct smap_set *set)
{
	struct smap_error err = { "" };
	size_t i, nr = 0;
	int ret;

	if (!resolver->trace || !set->nr_groups)
		return 0;
	ret = know_expected(resolver, &err);
	for (i = 0; !ret && i < resolver->expected.nr; i++) {
		ret = is_in_any(resolver, resolver->expected.slots[i]);
		if (ret >= 0) {
			nr += !ret;
			ret = 0;
		}
	}
	if (ret || !nr)
		return ret == -ENOMEM ? ret : 0;
	set->verdict = STACKMAP_VERDICT_AMBIGUOUS;
	return words(&set->reason, "%zu cookies of the trace are in no saved map that was given, "
		     "and any other could be of theirs", nr);
}

/* Unless the user chose one of them. */
static int doubt_slots(struct stackmap_resolver *resolver, struct smap_set *set)
{
	int ret;

	if (resolver->has_generation)
		return check_choice(resolver, set);
	ret = doubt(set, set->unreadable.nr_maps);
	if (ret || set->reason)
		return ret;
	if (saves_are_lost(resolver))
		return refuse(set, STACKMAP_VERDICT_AMBIGUOUS,
			      "no generation in the trace, and a lost saved map could be meant");
	return set->nr_groups == 1 ? check_single_map(resolver, set) : 0;
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
		return ret ? ret : doubt_slots(resolver, set);
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

/* 1: a map is proven to be of the trace, and the user chose no other; 0; -ENOMEM. */
static int any_is_proven(const struct stackmap_resolver *resolver)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < resolver->nr_maps && !ret && !resolver->has_generation; i++)
		ret = smap_map_is_proven(resolver->maps[i]);
	return ret;
}

/* What of the maps counts for a set of slots. */
struct slots_filter {
	int		only_proven;
	uint64_t	after_ns;	/* saved after that; 0: whenever */
	bool		late;		/* found: one that was not */
};

/* 0 or -ENOMEM */
static int consider_slots(struct smap_set *set, struct stackmap_map *map,
			  struct slots_filter *filter)
{
	int is_proven = smap_map_is_proven(map), ret;

	if (is_proven < 0)
		return is_proven;
	if (filter->only_proven && !is_proven)
		return 0;
	if (filter->after_ns && map->source->save->saved_boot_ns <= filter->after_ns) {
		filter->late = true;
		return 0;
	}
	ret = is_proven ? 0 : is_overruled(set, map);
	if (ret)
		return ret < 0 ? ret : 0;
	return consider(set, map, is_proven);
}

static int fill_slots(struct stackmap_resolver *resolver, struct smap_set *set, uint64_t after_ns)
{
	struct slots_filter filter = { .after_ns = after_ns };
	size_t i, pass;
	int ret;

	filter.only_proven = any_is_proven(resolver);
	if (filter.only_proven < 0)
		return filter.only_proven;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < resolver->nr_maps; i++) {
			if (!is_chosen(resolver, i) ||
			    resolver->maps[i]->source->file->is_beside != (pass == 1))
				continue;
			ret = consider_slots(set, resolver->maps[i], &filter);
			if (ret)
				return ret;
		}
	}
	return finish_slots(resolver, set, filter.late);
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
