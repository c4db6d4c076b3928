// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The map for who resolves from it while it grows: read again where the statistics say that there
 * is more in it than the last time.
 */
#include <errno.h>
#include <stdlib.h>

#include "live.h"
#include "room.h"

const struct smap_origin *smap_live_get_origin(struct stackmap_live *live)
{
	struct smap_copy *copy;

	if (live->has_origin)
		return &live->origin;
	copy = smap_copy_new(live);
	if (!copy)
		return NULL;
	live->origin = copy->origin;
	live->has_origin = true;
	copy->origin = (struct smap_origin){ 0 };
	smap_copy_free(copy);
	return &live->origin;
}

void smap_live_follow_anew(struct stackmap_live *live)
{
	live->followed.is_read = false;
}

/* Without statistics, it may have changed. */
static bool has_changed(struct stackmap_live *live, struct smap_stat *stat)
{
	const struct smap_stat *last = &live->followed.stat;

	if (smap_live_stat(live, stat) || !live->followed.is_read)
		return true;
	return stat->has != last->has ||
	       stat->value[SMAP_STAT_GENERATION] != last->value[SMAP_STAT_GENERATION] ||
	       stat->value[SMAP_STAT_ENTRIES] != last->value[SMAP_STAT_ENTRIES];
}

/*
 * One that was reset has nothing of before: who follows the ring buffer comes to cookies of then in
 * any number, and reading all of the map for each would leave him behind for good.
 */
static bool may_have(const struct smap_stat *stat, const uint32_t *generation)
{
	return !generation || !(stat->has & 1U << SMAP_STAT_GENERATION) ||
	       stat->value[SMAP_STAT_GENERATION] == *generation;
}

/* A copy that is to be saved has no need of them. */
static int take_stacks(struct smap_shot *shot, struct smap_error *err)
{
	struct smap_export *whole;
	int ret;

	if (!shot->parsed->is_brief)
		return 0;
	ret = smap_parse(shot->bytes.data, shot->bytes.len, &whole, NULL, NULL, err);
	if (ret)
		return ret;
	smap_export_free(shot->parsed);
	shot->parsed = whole;
	return 0;
}

static int take(struct stackmap_live *live, struct smap_copy *copy, struct smap_export **ret_export,
		struct smap_symbols **ret_symbols)
{
	struct smap_shot *shot = copy->text.parsed ? &copy->text : &copy->bin;
	struct smap_symbols *symbols = NULL;
	int ret;

	ret = take_stacks(shot, &live->err);
	if (ret)
		return ret;
	if (shot == &copy->bin && copy->symbols.len) {
		ret = smap_symbols_from_stored(copy->symbols.data, copy->symbols.len, &symbols,
					       &live->err);
		if (ret)
			return ret;
	}
	*ret_export = shot->parsed;
	*ret_symbols = symbols;
	shot->parsed = NULL;
	return 1;
}

static int read_all(struct stackmap_live *live, struct smap_export **ret_export,
		    struct smap_symbols **ret_symbols)
{
	struct smap_copy *copy;
	int ret;

	ret = smap_live_look(live);
	if (ret)
		return ret;
	copy = smap_copy_new(live);
	if (!copy)
		return -ENOMEM;
	ret = smap_copy_read(live, copy);
	if (!ret)
		ret = take(live, copy, ret_export, ret_symbols);
	smap_copy_free(copy);
	return ret;
}

int smap_live_read(struct stackmap_live *live, const uint32_t *generation,
		   struct smap_export **ret_export, struct smap_symbols **ret_symbols)
{
	struct smap_stat stat = { .has = 0 };
	int ret;

	if (!has_changed(live, &stat) || !may_have(&stat, generation))
		return 0;
	ret = read_all(live, ret_export, ret_symbols);
	live->followed.is_read = true;
	/* That of before: what came in between is a change yet to be seen. */
	live->followed.stat = stat;
	return ret;
}
