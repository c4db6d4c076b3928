// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The maps of a resolver, one by one, for who shows what is saved.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/export.h"
#include "resolve/resolver.h"
#include "resolve/tie.h"

static const struct smap_map *find_generation(const struct smap_export *export,
					      const struct stackmap_map *map)
{
	size_t low = 0, high = export->nr_maps, middle;

	if (!map->has_generation)
		return export->nr_maps ? &export->maps[0] : NULL;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (export->maps[middle].generation < map->generation)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == export->nr_maps || export->maps[low].generation != map->generation)
		return NULL;
	return &export->maps[low];
}

int smap_map_load(struct stackmap_map *map)
{
	int ret = smap_source_load(map->source);

	if (ret)
		return ret;
	if (!map->map)
		map->map = find_generation(map->source->export, map);
	/* The summary promised a generation that the export does not have. */
	return map->map ? 0 : smap_errno(-EBADMSG);
}

void smap_map_free(struct stackmap_map *map)
{
	size_t i;

	for (i = 0; map->stacks && i < map->map->nr_stacks; i++)
		smap_stack_free(map->stacks[i]);
	free(map->stacks);
	free(map->foreign);
	free(map->tie_words);
	free(map);
}

SMAP_PUBLIC size_t stackmap_resolver_nr_maps(const struct stackmap_resolver *resolver)
{
	return resolver->nr_maps;
}

SMAP_PUBLIC struct stackmap_map *stackmap_resolver_get_map(struct stackmap_resolver *resolver,
							   size_t nr)
{
	if (nr >= resolver->nr_maps) {
		errno = ERANGE;
		return NULL;
	}
	return resolver->maps[nr];
}

SMAP_PUBLIC const char *stackmap_map_get_path(const struct stackmap_map *map)
{
	return map->source->file->path;
}

SMAP_PUBLIC const struct stackmap_save *stackmap_map_get_save(const struct stackmap_map *map)
{
	return map->source->save;
}

SMAP_PUBLIC bool stackmap_map_has_generation(const struct stackmap_map *map)
{
	return map->has_generation;
}

SMAP_PUBLIC uint32_t stackmap_map_get_generation(const struct stackmap_map *map)
{
	return map->generation;
}

SMAP_PUBLIC const char *stackmap_map_get_contradiction(struct stackmap_map *map)
{
	map->source->resolver->in_use = true;
	if (smap_source_contradicts(map->source) > 0)
		return map->source->contradiction;
	return smap_map_is_foreign(map) > 0 ? map->foreign : NULL;
}

SMAP_PUBLIC size_t stackmap_map_nr_stacks(struct stackmap_map *map)
{
	map->source->resolver->in_use = true;
	return smap_map_load(map) ? (size_t)-1 : map->map->nr_stacks;
}

SMAP_PUBLIC struct stackmap_stack *stackmap_map_get_stack(struct stackmap_map *map, size_t nr)
{
	const struct smap_stack *known;
	struct stackmap_stack *stack;

	map->source->resolver->in_use = true;
	if (smap_map_load(map))
		return NULL;
	if (nr >= map->map->nr_stacks) {
		errno = ERANGE;
		return NULL;
	}
	if (!map->stacks) {
		map->stacks = calloc(map->map->nr_stacks, sizeof(*map->stacks));
		if (!map->stacks)
			return NULL;
	}
	if (map->stacks[nr])
		return map->stacks[nr];
	known = &map->source->export->stacks[map->map->first + nr];
	stack = smap_stack_new(map->generation, map->has_generation, known->slot);
	if (!stack)
		return NULL;
	stack->source = map->source;
	stack->stack = known;
	if (known->flags & SMAP_STACK_CONFLICT)
		stack->verdict = STACKMAP_VERDICT_CONFLICT;
	else if (known->flags & SMAP_STACK_DAMAGED)
		stack->verdict = STACKMAP_VERDICT_DAMAGED;
	if (stack->verdict != STACKMAP_VERDICT_RESOLVED)
		stack->reason = stackmap_verdict_get_text(stack->verdict);
	map->stacks[nr] = stack;
	return stack;
}
