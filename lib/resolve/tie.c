// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Is this saved map of this trace? That nothing speaks against it (contradiction.c) is no proof:
 * two boots of one kernel look alike, without KASLR in every address, and where generations
 * count from 1 in every cookie.
 *
 *	proven		who recorded both says so (a tie in the store), or the generation was drawn
 *			at random when the machine booted: no other boot has it
 *	foreign		a cookie of its generation was recorded before the map began to be read, and
 *			is not in it
 *	consistent	neither, but release, symbols and times were compared, and agree
 *	unknown		neither, and not all of these could be compared
 *
 * Before. A save says when it began to be read, by clocks of the recording machine, only where it
 * then holds all that was recorded earlier. The trace's clock must be one of these: CLOCK_BOOTTIME
 * alone would not do, since most trace clocks stand still while the machine sleeps, so that what
 * was recorded after the save can bear an earlier time. sched_clock() (local, global, perf) is no
 * clock that programs can read. It runs like CLOCK_MONOTONIC_RAW, at another rate by a little.
 *
 * The trace is read once for the earliest time of each of its cookies, and only if a map asks that
 * can be compared: what is proven costs nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/cookie.h"
#include "core/export.h"
#include "resolve/cache.h"
#include "resolve/group.h"
#include "resolve/tie.h"

/*
 * A kernel whose generations count from 1 comes so far by resets. One that draws its first
 * from 2^31 is that low once in 30,000 boots, and then proves nothing.
 */
#define COUNTED_GENERATIONS	65536

/* A recorded stack takes less than this from its time stamp to its place in the map. */
#define CLOCK_SLACK_NS		1000000000ULL
/* sched_clock() and the clocks of a save differ in rate by less than one part in so many. */
#define CLOCK_DRIFT		2000
/* Maps of one boot that are asked whether they are foreign, for one of them. */
#define MAX_SIBLINGS		8

/* ---- the earliest time of each cookie ---- */

struct first {
	uint64_t	cookie;
	uint64_t	ts;
};

struct smap_firsts {
	struct first		*firsts;	/* by cookie, once the scan has ended */
	size_t			nr;
	size_t			capacity;
	struct smap_cache	numbers;	/* cookie -> its number + 1, while it runs */
};

static void keep_value(void *value)
{
}

void smap_firsts_free(struct smap_firsts *firsts)
{
	if (!firsts)
		return;
	smap_cache_release(&firsts->numbers, keep_value);
	free(firsts->firsts);
	free(firsts);
}

static int add_first(uint64_t cookie, uint64_t ts, void *data)
{
	struct smap_firsts *firsts = data;
	struct first *first;
	uintptr_t nr;

	nr = (uintptr_t)smap_cache_find(&firsts->numbers, cookie);
	if (nr) {
		first = &firsts->firsts[nr - 1];
		if (ts < first->ts)
			first->ts = ts;
		return 0;
	}
	if (SMAP_ARRAY_GROW(firsts->firsts, firsts->capacity, firsts->nr + 1))
		return smap_errno(-ENOMEM);
	if (smap_cache_add(&firsts->numbers, cookie, (void *)(uintptr_t)(firsts->nr + 1)))
		return -ENOMEM;
	firsts->firsts[firsts->nr++] = (struct first){ cookie, ts };
	return 0;
}

static int compare_firsts(const void *a, const void *b)
{
	uint64_t cookie_a = ((const struct first *)a)->cookie;
	uint64_t cookie_b = ((const struct first *)b)->cookie;

	return (cookie_a > cookie_b) - (cookie_a < cookie_b);
}

/* What a damaged trace gives before the damage is true all the same. 0 or -ENOMEM. */
static int know_firsts(struct stackmap_resolver *resolver)
{
	struct smap_error ignored = { "" };
	struct smap_firsts *firsts;

	if (resolver->firsts)
		return 0;
	firsts = calloc(1, sizeof(*firsts));
	if (!firsts)
		return smap_errno(-ENOMEM);
	if (smap_tracedat_scan_top(resolver->trace, add_first, firsts, &ignored) == -ENOMEM) {
		smap_firsts_free(firsts);
		return smap_errno(-ENOMEM);
	}
	smap_cache_release(&firsts->numbers, keep_value);
	if (firsts->nr)
		qsort(firsts->firsts, firsts->nr, sizeof(*firsts->firsts), compare_firsts);
	resolver->firsts = firsts;
	return 0;
}

/* Where the cookies of @generation begin. */
static size_t first_of(const struct smap_firsts *firsts, uint32_t generation)
{
	size_t low = 0, high = firsts->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (smap_cookie_generation(firsts->firsts[middle].cookie) < generation)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of(const struct smap_firsts *firsts, size_t nr, uint32_t generation)
{
	return nr < firsts->nr && smap_cookie_generation(firsts->firsts[nr].cookie) == generation;
}

/* ---- proven ---- */

static int know_fingerprint(struct stackmap_resolver *resolver)
{
	struct smap_error err = { "" };
	int ret;

	if (resolver->fingerprint_state != SMAP_STATE_NEW)
		return 0;
	ret = smap_tracedat_fingerprint(resolver->trace, &resolver->fingerprint, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		smap_resolver_log(resolver, "the trace cannot be told from others: %s", err.text);
	resolver->fingerprint_state = ret ? SMAP_STATE_BAD : SMAP_STATE_GOOD;
	return 0;
}

static int know_ties(struct stackmap_resolver *resolver, struct smap_file *file)
{
	int ret;

	if (file->ties_known || !resolver->trace || !smap_store_nr_ties(file->store))
		return 0;
	ret = know_fingerprint(resolver);
	if (!ret && resolver->fingerprint_state == SMAP_STATE_GOOD)
		ret = smap_store_mark_tied(file->store, &resolver->fingerprint);
	file->ties_known = !ret;
	return ret;
}

/* 1, 0 or -ENOMEM */
static int has_random_generation(struct stackmap_map *map)
{
	int ret;

	if (!map->has_generation || map->generation < COUNTED_GENERATIONS)
		return 0;
	if (map->source->save->origin.random_generation)
		return 1;
	ret = smap_map_load(map);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	return map->source->export->info.random_generation;
}

int smap_map_is_proven(struct stackmap_map *map)
{
	int ret = know_ties(map->source->resolver, map->source->file);

	if (ret)
		return ret;
	return map->source->save->is_tied ? 1 : has_random_generation(map);
}

/* ---- foreign ---- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The time, in the clock of the trace, before which all that was recorded is in the save for sure;
 * false where nothing tells.
 */
static bool complete_until(const struct stackmap_map *map, uint64_t *ret_ts)
{
	const struct smap_tracedat *trace = map->source->resolver->trace;
	const struct smap_read_times *times = &map->source->save->read_times;
	uint64_t began, slack = CLOCK_SLACK_NS;

	if (!times->is_known || !map->has_generation || !trace || !trace->clock ||
	    !trace->cookie_has_generation)
		return false;
	if (!strcmp(trace->clock, "boot")) {
		began = times->boot_ns;
	} else if (!strcmp(trace->clock, "mono")) {
		began = times->mono_ns;
	} else if (!strcmp(trace->clock, "mono_raw")) {
		began = times->mono_raw_ns;
	} else if (!strcmp(trace->clock, "local") || !strcmp(trace->clock, "global") ||
		   !strcmp(trace->clock, "perf")) {
		began = lesser(times->mono_ns, times->mono_raw_ns);
		slack += began / CLOCK_DRIFT;
	} else {
		return false;
	}
	if (began < slack)
		return false;
	*ret_ts = began - slack;
	return true;
}

static int set_foreign(struct stackmap_map *map, const struct first *first, uint64_t until)
{
	static const char words[] =
		"another boot's: <stack_id %" PRIu32 " gen %" PRIu32 "> is not in it, and was "
		"recorded %" PRIu64 ".%06" PRIu64 " s or more before it was saved";
	uint64_t before = until - first->ts;

	if (asprintf(&map->foreign, words, smap_cookie_slot(first->cookie), map->generation,
		     before / 1000000000, before % 1000000000 / 1000) < 0) {
		map->foreign = NULL;
		return smap_errno(-ENOMEM);
	}
	return 0;
}

/* Hold the map against the cookies of its generation. 0 or -ENOMEM. */
static int compare_cookies(struct stackmap_map *map, uint64_t until)
{
	const struct smap_firsts *firsts = map->source->resolver->firsts;
	const struct first *first;
	size_t i;

	for (i = first_of(firsts, map->generation); is_of(firsts, i, map->generation); i++) {
		first = &firsts->firsts[i];
		if (first->ts >= until)
			continue;
		if (!smap_map_find(map->map, smap_cookie_slot(first->cookie)))
			return set_foreign(map, first, until);
		map->nr_before++;
	}
	return 0;
}

/* 0 or -ENOMEM; then map->foreign and map->nr_before tell. */
static int look_at_times(struct stackmap_map *map)
{
	uint64_t until;
	int ret;

	if (map->times_known || !complete_until(map, &until))
		return 0;
	ret = know_firsts(map->source->resolver);
	if (ret)
		return ret;
	ret = smap_map_load(map);
	if (ret == -ENOMEM)
		return ret;
	/* One that cannot be read resolves nothing anyway. */
	if (!ret && compare_cookies(map, until))
		return -ENOMEM;
	map->times_known = true;
	return 0;
}

/* A save of the same boot that is foreign makes this one foreign. 0 or -ENOMEM. */
static int ask_siblings(struct stackmap_map *map)
{
	struct stackmap_resolver *resolver = map->source->resolver;
	struct stackmap_map *other;
	uint64_t until;
	size_t i, asked = 0;

	for (i = 0; i < resolver->nr_maps && asked < MAX_SIBLINGS && !map->foreign; i++) {
		other = resolver->maps[i];
		if (other == map || other->source->save->is_tied ||
		    !smap_maps_same_boot(map, other) || !complete_until(other, &until))
			continue;
		if (know_firsts(resolver))
			return -ENOMEM;
		if (!is_of(resolver->firsts, first_of(resolver->firsts, other->generation),
			   other->generation))
			continue;
		asked++;
		if (look_at_times(other))
			return -ENOMEM;
		if (other->foreign &&
		    asprintf(&map->foreign, "as a save of the same boot: %s", other->foreign) < 0) {
			map->foreign = NULL;
			return smap_errno(-ENOMEM);
		}
	}
	return 0;
}

int smap_map_is_foreign(struct stackmap_map *map)
{
	int ret;

	if (map->foreign_known)
		return map->foreign != NULL;
	ret = smap_map_is_proven(map);
	if (ret < 0)
		return ret;
	if (!ret && (look_at_times(map) || (!map->foreign && ask_siblings(map))))
		return smap_errno(-ENOMEM);
	map->foreign_known = true;
	return map->foreign != NULL;
}

/* ---- in words ---- */

static void add_missing(struct smap_buf *words, const char *what)
{
	if (words->len)
		smap_buf_add_str(words, ", ");
	smap_buf_add_str(words, what);
}

/* What could not be compared; nothing where all was. The map was checked before. */
static void what_is_missing(const struct stackmap_map *map, struct smap_buf *words)
{
	const struct smap_source *source = map->source;
	uint64_t until;

	if (!source->resolver->trace) {
		add_missing(words, "no trace.dat to compare it with");
		return;
	}
	if (!source->save->origin.release || !source->resolver->trace->release)
		add_missing(words, "no release to compare");
	if (!source->nr_symbols_compared)
		add_missing(words, "no symbols to compare");
	if (!complete_until(map, &until))
		add_missing(words, "no times to compare");
	else if (!map->nr_before)
		add_missing(words, "no cookie recorded before it");
}

static enum stackmap_tie think(struct stackmap_map *map, struct smap_buf *words)
{
	int ret = smap_map_is_proven(map);

	if (ret < 0)
		return STACKMAP_TIE_UNKNOWN;
	if (ret) {
		smap_buf_add_str(words, map->source->save->is_tied ?
				 "recorded with this trace" : "no other boot has its generation");
		return STACKMAP_TIE_PROVEN;
	}
	/* The comparisons. What they find against the map is told elsewhere. */
	if (smap_source_contradicts(map->source) < 0 || smap_map_is_foreign(map) < 0)
		return STACKMAP_TIE_UNKNOWN;
	what_is_missing(map, words);
	if (words->len)
		return STACKMAP_TIE_UNKNOWN;
	smap_buf_add_str(words, "release, symbols and times agree, as they can in two boots");
	return STACKMAP_TIE_CONSISTENT;
}

/* 0 or -ENOMEM */
static int know_tie(struct stackmap_map *map)
{
	struct smap_buf words = SMAP_BUF_INIT;

	if (map->tie_words)
		return 0;
	map->tie = think(map, &words);
	if (words.len)
		map->tie_words = smap_buf_detach(&words, NULL);
	smap_buf_free(&words);
	return map->tie_words ? 0 : smap_errno(-ENOMEM);
}

int smap_tie_tell(struct stackmap_map *map)
{
	struct stackmap_resolver *resolver = map->source->resolver;
	int ret;

	if (resolver->has_told_tie)
		return 0;
	ret = smap_map_is_proven(map);
	if (ret)
		return ret < 0 ? ret : 0;
	if (know_tie(map))
		return -ENOMEM;
	resolver->has_told_tie = true;
	smap_resolver_log(resolver, "%s: nothing proves that it is of this trace (%s: %s)",
			  map->source->file->shown_path, stackmap_tie_get_name(map->tie),
			  map->tie_words);
	return 0;
}

SMAP_PUBLIC const char *stackmap_tie_get_name(enum stackmap_tie tie)
{
	switch (tie) {
	case STACKMAP_TIE_CONSISTENT:
		return "consistent";
	case STACKMAP_TIE_PROVEN:
		return "proven";
	default:
		return "unknown";
	}
}

SMAP_PUBLIC enum stackmap_tie stackmap_map_get_tie(struct stackmap_map *map)
{
	map->source->resolver->in_use = true;
	/* Who asks need not be told. */
	map->source->resolver->has_told_tie = true;
	return know_tie(map) ? STACKMAP_TIE_UNKNOWN : map->tie;
}

SMAP_PUBLIC const char *stackmap_map_get_tie_reason(struct stackmap_map *map)
{
	map->source->resolver->in_use = true;
	return know_tie(map) ? NULL : map->tie_words;
}
