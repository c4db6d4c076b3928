// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cookie -> answer. The first time: the candidates of its generation (set.c), the slot in each
 * group, a verdict. After that: the cache.
 *
 * Time classes. Without a generation, a map that was saved before an event says nothing about
 * it: the generation may have changed in between. The times of the saves cut time into classes;
 * within one class the candidates are the same, so that the class and the slot make the key of
 * the cache.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"
#include "resolve/cache.h"
#include "resolve/feed.h"
#include "resolve/resolver.h"
#include "resolve/set.h"
#include "resolve/tie.h"
#include "store/layout.h"

/* The trace clock and CLOCK_BOOTTIME drift apart by less than this. */
#define CLOCK_SLACK_NS	1000000000ULL
/* Later than any clock that starts at boot: the time of day (trace-cmd record --date). */
#define TIME_OF_DAY_NS	1000000000000000000ULL

/* ---- one slot in a set ---- */

struct hit {
	struct stackmap_map	*map;
	struct smap_source	*source;
	const struct smap_stack	*stack;
	bool			conflict;
	bool			damaged;
};

/*
 * Where addresses could not be named a save holds the text of the same map, too: one slot, one
 * stack, spelled twice. 1: @hit has the one with names now; 0: they contradict; -ENOMEM.
 */
static int prefer_names(struct hit *hit, struct smap_source *source,
			const struct smap_stack *stack)
{
	int lacks = smap_stack_lacks_names(hit->source, hit->stack, source, stack);

	if (lacks <= 0)
		return lacks ? lacks : smap_stack_lacks_names(source, stack, hit->source,
							      hit->stack);
	hit->source = source;
	hit->stack = stack;
	return 1;
}

/* Put what a copy has into @hit. 0 or -ENOMEM. */
static int merge_hit(struct hit *hit, struct stackmap_map *map, const struct smap_stack *stack)
{
	struct smap_source *source = map->source;
	int same;

	if (stack->flags & SMAP_STACK_CONFLICT) {
		hit->conflict = true;
		return 0;
	}
	if (stack->flags & SMAP_STACK_DAMAGED) {
		hit->damaged = true;
		return 0;
	}
	if (hit->stack) {
		same = smap_stack_same(hit->source, hit->stack, source, stack);
		if (same < 0)
			return same;
		if (!same) {
			same = prefer_names(hit, source, stack);
			hit->conflict |= !same;
			return same < 0 ? same : 0;
		}
		if (hit->stack->ref >= stack->ref)
			return 0;
	}
	hit->map = map;
	hit->source = source;
	hit->stack = stack;
	return 0;
}

static int find_in_group(const struct smap_group *group, uint32_t slot, struct hit *hit)
{
	const struct smap_stack *stack;
	size_t i;
	int ret;

	*hit = (struct hit){ 0 };
	for (i = 0; i < group->nr_maps; i++) {
		stack = smap_map_find(group->maps[i]->map, slot);
		if (!stack)
			continue;
		ret = merge_hit(hit, group->maps[i], stack);
		if (ret)
			return ret;
	}
	return 0;
}

static enum stackmap_verdict hit_verdict(const struct hit *hit)
{
	if (hit->conflict)
		return STACKMAP_VERDICT_CONFLICT;
	if (hit->stack)
		return STACKMAP_VERDICT_RESOLVED;
	return hit->damaged ? STACKMAP_VERDICT_DAMAGED : STACKMAP_VERDICT_SLOT_NOT_SAVED;
}

static const char *verdict_reason(enum stackmap_verdict verdict, const struct smap_set *set)
{
	switch (verdict) {
	case STACKMAP_VERDICT_SLOT_NOT_SAVED:
		return set->missing_reason;
	case STACKMAP_VERDICT_AMBIGUOUS:
		return set->ambiguous_reason;
	case STACKMAP_VERDICT_RESOLVED:
		return "";
	default:
		return stackmap_verdict_get_text(verdict);
	}
}

/* Do both mean the same, be it a stack or the lack of one? 1, 0 or -ENOMEM. */
static int hits_agree(const struct hit *a, const struct hit *b)
{
	enum stackmap_verdict verdict = hit_verdict(a);

	if (verdict != hit_verdict(b))
		return 0;
	if (verdict != STACKMAP_VERDICT_RESOLVED)
		return 1;
	return smap_stack_same(a->source, a->stack, b->source, b->stack);
}

static int judge(const struct smap_set *set, struct stackmap_stack *answer)
{
	enum stackmap_verdict verdict;
	struct hit first, other;
	size_t i;
	int ret;

	ret = find_in_group(&set->groups[0], answer->slot, &first);
	if (ret)
		return ret;
	verdict = hit_verdict(&first);
	for (i = 1; i < set->nr_groups && verdict != STACKMAP_VERDICT_AMBIGUOUS; i++) {
		ret = find_in_group(&set->groups[i], answer->slot, &other);
		if (ret)
			return ret;
		ret = hits_agree(&first, &other);
		if (ret < 0)
			return ret;
		if (!ret)
			verdict = STACKMAP_VERDICT_AMBIGUOUS;
	}
	answer->verdict = verdict;
	answer->reason = verdict_reason(verdict, set);
	if (verdict != STACKMAP_VERDICT_RESOLVED)
		return 0;
	answer->source = first.source;
	answer->stack = first.stack;
	return smap_tie_tell(first.map);
}

/* 0 or -ENOMEM */
static int decide(const struct smap_set *set, struct stackmap_stack *stack)
{
	if (set->verdict == STACKMAP_VERDICT_RESOLVED)
		return judge(set, stack);
	stack->verdict = set->verdict;
	stack->reason = set->reason;
	return 0;
}

/* The answer, put into @cache under @key; NULL: no memory. */
static struct stackmap_stack *answer(const struct smap_set *set, bool has_generation, uint32_t slot,
				     struct smap_cache *cache, uint64_t key)
{
	struct stackmap_stack *stack;

	stack = smap_stack_new(has_generation ? set->generation : 0, has_generation, slot);
	if (!stack)
		return NULL;
	if (decide(set, stack))
		goto no_memory;
	if (smap_cache_add(cache, key, stack))
		goto no_memory;
	return stack;

no_memory:
	smap_stack_free(stack);
	errno = ENOMEM;
	return NULL;
}

/* ---- cookies with a generation ---- */

static const struct smap_set *get_set(struct stackmap_resolver *resolver, uint32_t generation)
{
	struct smap_set *set = smap_cache_find(&resolver->sets, generation);

	if (set)
		return set;
	set = smap_set_of_generation(resolver, generation);
	if (!set)
		return NULL;
	if (!smap_cache_add(&resolver->sets, generation, set))
		return set;
	smap_set_free(set);
	return NULL;
}

static struct stackmap_stack *first_answer(struct stackmap_resolver *resolver, uint64_t cookie)
{
	const struct smap_set *set;

	resolver->in_use = true;
	set = get_set(resolver, smap_cookie_generation(cookie));
	if (set)
		return answer(set, true, smap_cookie_slot(cookie), &resolver->cache, cookie);
	errno = ENOMEM;
	return NULL;
}

/* A map that grows may have it by now. */
static bool is_missing(const struct stackmap_stack *stack)
{
	return stack->verdict == STACKMAP_VERDICT_SLOT_NOT_SAVED ||
	       stack->verdict == STACKMAP_VERDICT_GENERATION_NOT_SAVED ||
	       stack->verdict == STACKMAP_VERDICT_NO_MAP;
}

/* Look whether there is more of it, and think again. 0 or -ENOMEM; @stack is good either way. */
static int feed(struct stackmap_resolver *resolver, struct stackmap_stack *stack)
{
	const struct smap_set *set;
	int ret = smap_resolver_feed(resolver, stack->generation);

	if (ret <= 0)
		return ret;
	set = get_set(resolver, stack->generation);
	if (!set)
		return smap_errno(-ENOMEM);
	ret = decide(set, stack);
	if (ret || is_missing(stack) || !stack->text)
		return ret;
	/* Who was given "" may keep it. */
	stack->old_text = stack->text;
	stack->text = NULL;
	return 0;
}

SMAP_PUBLIC struct stackmap_stack *stackmap_resolver_find(struct stackmap_resolver *resolver,
							  uint64_t cookie, uint64_t ts_ns)
{
	struct stackmap_stack *stack = smap_cache_find(&resolver->cache, cookie);

	if (!stack)
		stack = first_answer(resolver, cookie);
	if (stack && resolver->fed && is_missing(stack) && feed(resolver, stack))
		return NULL;
	return stack;
}

/* ---- cookies without ---- */

static bool clock_is_comparable(const struct smap_tracedat *trace)
{
	/* Nanoseconds that start at boot or later, and never run ahead of CLOCK_BOOTTIME. */
	static const char *const clocks[] = {
		"local", "global", "perf", "mono", "mono_raw", "boot"
	};
	size_t i;

	for (i = 0; trace && trace->clock && i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(trace->clock, clocks[i]))
			return true;
	return false;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t time_a = *(const uint64_t *)a, time_b = *(const uint64_t *)b;

	return (time_a > time_b) - (time_a < time_b);
}

/* 0 or -ENOMEM */
static int know_save_times(struct stackmap_resolver *resolver)
{
	size_t i, nr = 0;

	if (resolver->save_times_known)
		return 0;
	resolver->save_times = calloc(resolver->nr_sources + 1, sizeof(*resolver->save_times));
	resolver->slot_sets = calloc(resolver->nr_sources + 1, sizeof(*resolver->slot_sets));
	if (!resolver->save_times || !resolver->slot_sets) {
		free(resolver->save_times);
		free(resolver->slot_sets);
		resolver->save_times = NULL;
		resolver->slot_sets = NULL;
		return smap_errno(-ENOMEM);
	}
	for (i = 0; i < resolver->nr_sources && clock_is_comparable(resolver->trace); i++)
		if (resolver->sources[i]->save->saved_boot_ns != SMAP_TIME_UNKNOWN)
			resolver->save_times[nr++] = resolver->sources[i]->save->saved_boot_ns;
	qsort(resolver->save_times, nr, sizeof(*resolver->save_times), compare_times);
	resolver->nr_save_times = nr;
	resolver->save_times_known = true;
	return 0;
}

/* How many saves were made before @ts_ns for sure. */
static size_t time_class(const struct stackmap_resolver *resolver, uint64_t ts_ns)
{
	size_t low = 0, high = resolver->nr_save_times, middle;

	if (ts_ns >= TIME_OF_DAY_NS || ts_ns < CLOCK_SLACK_NS)
		return 0;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (resolver->save_times[middle] < ts_ns - CLOCK_SLACK_NS)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct smap_set *get_slot_set(struct stackmap_resolver *resolver, size_t class)
{
	if (!resolver->slot_sets[class])
		resolver->slot_sets[class] =
			smap_set_of_slots(resolver, class ? resolver->save_times[class - 1] : 0);
	return resolver->slot_sets[class];
}

SMAP_PUBLIC struct stackmap_stack *stackmap_resolver_find_slot(struct stackmap_resolver *resolver,
							       uint32_t slot, uint64_t ts_ns)
{
	struct stackmap_stack *stack;
	const struct smap_set *set;
	uint64_t key;
	size_t class;

	resolver->in_use = true;
	if (know_save_times(resolver))
		return NULL;
	class = time_class(resolver, ts_ns);
	key = (uint64_t)class << 32 | slot;
	stack = smap_cache_find(&resolver->slot_cache, key);
	if (stack)
		return stack;
	set = get_slot_set(resolver, class);
	if (!set) {
		errno = ENOMEM;
		return NULL;
	}
	return answer(set, false, slot, &resolver->slot_cache, key);
}

static void free_stack(void *stack)
{
	smap_stack_free(stack);
}

static void free_set(void *set)
{
	smap_set_free(set);
}

void smap_find_release(struct stackmap_resolver *resolver)
{
	size_t i;

	smap_cache_release(&resolver->cache, free_stack);
	smap_cache_release(&resolver->slot_cache, free_stack);
	smap_cache_release(&resolver->sets, free_set);
	for (i = 0; resolver->slot_sets && i <= resolver->nr_sources; i++)
		smap_set_free(resolver->slot_sets[i]);
	free(resolver->slot_sets);
	free(resolver->save_times);
	free(resolver->by_generation);
}
