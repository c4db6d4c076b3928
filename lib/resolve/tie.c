// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Is this saved map of this trace? That nothing speaks against it (contradiction.c) is no proof:
 * two boots of one kernel look alike, without KASLR in every address, and where generations
 * count from 1 in every cookie.
 *
 *	proven		who recorded both says so (a tie in the store), or did so of another save
 *			of the same boot, or the generation was drawn at random when the machine
 *			booted: no other boot has it
 *	foreign		a cookie of its generation was recorded before the map began to be read,
 *			and is not in it, or more often than the map counted it; or the map is of
 *			another boot than those that were recorded with the trace; or of that of
 *			a foreign one
 *	late		all cookies of its generation were recorded after it was saved, and nothing
 *			else speaks for its boot: what it lacks they cannot show
 *	consistent	none of these, but release, symbols and times were compared, and agree
 *	unknown		none of these, and not all of them could be compared
 *
 * Where cookies have no generation a map that is foreign can also be of a later generation.
 *
 * Before. A save says when it began to be read, by clocks of the recording machine, only where it
 * then holds all that was recorded earlier. The trace's clock must be one of these: CLOCK_BOOTTIME
 * alone would not do, since most trace clocks stand still while the machine sleeps, so that what
 * was recorded after the save can bear an earlier time. sched_clock() (local, global, perf) is no
 * clock that programs can read. It runs like CLOCK_MONOTONIC_RAW, at another rate by a little.
 *
 * The trace is read once for the times of its cookies, and only if a map asks that can be compared:
 * what is tied to it costs nothing. A generation at random is held against them: a machine that is
 * restored from a copy of its memory draws it once for all its lives.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/cookie.h"
#include "core/export.h"
#include "resolve/cache.h"
#include "resolve/group.h"
#include "resolve/tie.h"
#include "store/layout.h"

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
#define AS_SIBLING		"as a save of the same boot: "

/* ---- the times of each cookie ---- */

struct first {
	uint64_t	cookie;
	uint64_t	ts;		/* earliest */
	uint64_t	last;
	uint64_t	nr;		/* events */
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
		first->nr++;
		if (ts < first->ts)
			first->ts = ts;
		if (ts > first->last)
			first->last = ts;
		return 0;
	}
	if (SMAP_ARRAY_GROW(firsts->firsts, firsts->capacity, firsts->nr + 1))
		return smap_errno(-ENOMEM);
	if (smap_cache_add(&firsts->numbers, cookie, (void *)(uintptr_t)(firsts->nr + 1)))
		return -ENOMEM;
	firsts->firsts[firsts->nr++] = (struct first){ cookie, ts, ts, 1 };
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

/* The save that a boot is known by; NULL: none is tied to the trace, or saves of two boots are. */
static const struct stackmap_save *tied_save(const struct stackmap_resolver *resolver)
{
	const struct stackmap_save *found = NULL, *save;
	const struct smap_store *store;
	size_t i, k;

	for (i = 0; i < resolver->nr_files; i++) {
		store = resolver->files[i]->store;
		for (k = 0; smap_store_nr_ties(store) && k < smap_store_nr_saves(store); k++) {
			save = smap_store_save(store, k);
			if (!save->is_tied || !save->origin.has_boot_id)
				continue;
			if (found && !smap_saves_same_boot(found, save))
				return NULL;
			found = save;
		}
	}
	return found;
}

/* 0 or -ENOMEM */
static int know_tied_boot(struct stackmap_resolver *resolver)
{
	size_t i;
	int ret = 0;

	if (resolver->tied_boot_known)
		return 0;
	for (i = 0; i < resolver->nr_files && !ret; i++)
		ret = know_ties(resolver, resolver->files[i]);
	if (ret)
		return ret;
	resolver->tied_save = tied_save(resolver);
	resolver->tied_boot_known = true;
	return 0;
}

/* What says nothing of when it was saved was imported, and has the boot that somebody gave it. */
static bool is_of_tied_boot(const struct stackmap_map *map)
{
	const struct stackmap_save *save = map->source->save;
	const struct stackmap_save *tied = map->source->resolver->tied_save;

	return save->is_tied || (tied && save->saved_boot_ns != SMAP_TIME_UNKNOWN &&
				 smap_saves_same_boot(save, tied));
}

int smap_map_is_proven(struct stackmap_map *map)
{
	int ret = know_tied_boot(map->source->resolver);

	if (ret)
		return ret;
	return is_of_tied_boot(map) ? 1 : has_random_generation(map);
}

/* ---- foreign ---- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Moments in the clock of the trace. */
struct moment {
	uint64_t	until;		/* what was recorded before this was so before the save */
	uint64_t	from;		/* and what after this, after it */
};

/* When the save began to be read; false where nothing tells. */
static bool read_moment(const struct stackmap_map *map, struct moment *ret_moment)
{
	const struct smap_tracedat *trace = map->source->resolver->trace;
	const struct smap_read_times *times = &map->source->save->read_times;
	uint64_t began, ended, slack = CLOCK_SLACK_NS;

	if (!times->is_known || !trace || !trace->clock ||
	    map->has_generation != trace->cookie_has_generation)
		return false;
	if (!strcmp(trace->clock, "boot")) {
		began = ended = times->boot_ns;
	} else if (!strcmp(trace->clock, "mono")) {
		began = ended = times->mono_ns;
	} else if (!strcmp(trace->clock, "mono_raw")) {
		began = ended = times->mono_raw_ns;
	} else if (!strcmp(trace->clock, "local") || !strcmp(trace->clock, "global") ||
		   !strcmp(trace->clock, "perf")) {
		began = lesser(times->mono_ns, times->mono_raw_ns);
		ended = greater(times->mono_ns, times->mono_raw_ns);
		slack += ended / CLOCK_DRIFT;
	} else {
		return false;
	}
	if (began < slack || ended > UINT64_MAX - slack)
		return false;
	*ret_moment = (struct moment){ began - slack, ended + slack };
	return true;
}

/*
 * Where cookies have no generation: when the last save before @map began to be read, whose map can
 * have been another one. 0: there is none.
 */
static uint64_t earlier_save(const struct stackmap_map *map, const struct moment *moment)
{
	const struct stackmap_resolver *resolver = map->source->resolver;
	struct moment other;
	uint64_t last = 0;
	size_t i;

	for (i = 0; !map->has_generation && i < resolver->nr_maps; i++)
		if (read_moment(resolver->maps[i], &other) && other.until < moment->until)
			last = greater(last, other.from);
	return last;
}

static int set_foreign(struct stackmap_map *map, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int set_foreign(struct stackmap_map *map, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vasprintf(&map->foreign, fmt, ap);
	va_end(ap);
	if (ret >= 0)
		return 0;
	map->foreign = NULL;
	return smap_errno(-ENOMEM);
}

static int set_missing(struct stackmap_map *map, const struct first *first, uint64_t until)
{
	uint64_t before = until - first->ts;
	char generation[32] = "";

	if (map->has_generation)
		snprintf(generation, sizeof(generation), " gen %" PRIu32, map->generation);
	return set_foreign(map, "another boot's%s: <stack_id %" PRIu32 "%s> is not in it, and was "
			   "recorded %" PRIu64 ".%06" PRIu64 " s or more before it was saved",
			   map->has_generation ? "" : ", or reset since",
			   smap_cookie_slot(first->cookie), generation,
			   before / 1000000000, before % 1000000000 / 1000);
}

static int set_counted(struct stackmap_map *map, const struct first *first, uint32_t ref)
{
	char generation[32] = "";

	if (map->has_generation)
		snprintf(generation, sizeof(generation), " gen %" PRIu32, map->generation);
	return set_foreign(map, "another boot's%s: <stack_id %" PRIu32 "%s> was recorded %" PRIu64
			   " times before it was saved, and it says %" PRIu32,
			   map->has_generation ? "" : ", or reset since",
			   smap_cookie_slot(first->cookie), generation, first->nr, ref);
}

/* What the trace has of a cookie, all of which was recorded before the save, is counted in it. */
static bool is_counted(const struct smap_stack *stack, const struct first *first)
{
	return stack->flags || stack->ref >= INT32_MAX || first->nr <= stack->ref;
}

/* Hold the map against the cookies of its generation. 0 or -ENOMEM. */
static int compare_cookies(struct stackmap_map *map, const struct moment *moment)
{
	const struct smap_firsts *firsts = map->source->resolver->firsts;
	uint64_t earlier = earlier_save(map, moment);
	const struct smap_stack *stack;
	const struct first *first;
	size_t i;

	for (i = first_of(firsts, map->generation); is_of(firsts, i, map->generation); i++) {
		first = &firsts->firsts[i];
		if (first->ts >= moment->until || first->ts < earlier)
			continue;
		stack = smap_map_find(map->map, smap_cookie_slot(first->cookie));
		if (!stack)
			return set_missing(map, first, moment->until);
		if (first->last < moment->until && !is_counted(stack, first))
			return set_counted(map, first, stack->ref);
		map->nr_before++;
	}
	return 0;
}

/* Was all of its generation recorded after it was read? */
static bool is_late(const struct stackmap_map *map, const struct moment *moment)
{
	const struct smap_firsts *firsts = map->source->resolver->firsts;
	size_t first = first_of(firsts, map->generation), i;

	for (i = first; is_of(firsts, i, map->generation); i++)
		if (firsts->firsts[i].ts <= moment->from)
			return false;
	return i > first;
}

/* 0 or -ENOMEM; then map->foreign, map->nr_before and map->is_late tell. */
static int look_at_times(struct stackmap_map *map)
{
	struct moment moment;
	int ret;

	if (map->times_known || !read_moment(map, &moment))
		return 0;
	ret = know_firsts(map->source->resolver);
	if (ret)
		return ret;
	ret = smap_map_load(map);
	if (ret == -ENOMEM)
		return ret;
	/* One that cannot be read resolves nothing anyway. */
	map->nr_before = 0;
	if (!ret && compare_cookies(map, &moment))
		return -ENOMEM;
	map->is_late = is_late(map, &moment);
	map->times_known = true;
	return 0;
}

/* KASLR has it at another address in each boot. */
static const char moved[] = "_stext stands at another address in the trace's kernel";

/* What is known of its boot when this one is asked. */
struct sibling {
	const char	*against;	/* why it is not that of the trace; NULL: nothing says so */
	const char	*prefix;	/* of these words */
	bool		is_for;		/* it held what was recorded before it */
};

/* 0 or -ENOMEM */
static int ask_sibling(struct stackmap_map *other, struct sibling *sibling)
{
	int ret = smap_source_contradicts(other->source);

	if (ret < 0 || (!ret && look_at_times(other)))
		return -ENOMEM;
	sibling->prefix = AS_SIBLING;
	if (ret) {
		sibling->against = other->source->contradiction;
	} else if (other->source->is_moved && !other->nr_before) {
		sibling->against = moved;
	} else if (other->foreign && !other->is_only_late) {
		sibling->against = other->foreign;
		if (!strncmp(other->foreign, AS_SIBLING, strlen(AS_SIBLING)))
			sibling->prefix = "";
	}
	sibling->is_for |= other->nr_before != 0;
	return 0;
}

/* Has it anything to say beside what other saves of its boot say? 1, 0 or -ENOMEM. */
static int is_worth_asking(const struct stackmap_map *other)
{
	struct stackmap_resolver *resolver = other->source->resolver;
	struct moment moment;

	if (other->source->checked != SMAP_STATE_GOOD || other->source->is_moved || other->foreign)
		return 1;
	if (!read_moment(other, &moment))
		return 0;
	if (know_firsts(resolver))
		return -ENOMEM;
	return is_of(resolver->firsts, first_of(resolver->firsts, other->generation),
		     other->generation);
}

/*
 * A save of the same boot that is foreign makes this one foreign; one that is of the trace's boot
 * makes up for what this one lacks. Generations that nobody counts are left out: there one that is
 * foreign may be of the boot all the same. 0 or -ENOMEM.
 */
static int ask_siblings(struct stackmap_map *map)
{
	struct stackmap_resolver *resolver = map->source->resolver;
	struct sibling sibling = { .against = NULL };
	struct stackmap_map *other;
	size_t i, asked = 0;
	int ret;

	if (!resolver->trace || !map->has_generation)
		return 0;
	for (i = 0; i < resolver->nr_maps && asked < MAX_SIBLINGS && !sibling.against; i++) {
		other = resolver->maps[i];
		if (other == map || !smap_maps_same_boot(map, other))
			continue;
		ret = is_worth_asking(other);
		if (ret > 0) {
			asked++;
			ret = ask_sibling(other, &sibling);
		}
		if (ret < 0)
			return ret;
	}
	map->is_late &= !sibling.is_for;
	return sibling.against ? set_foreign(map, "%s%s", sibling.prefix, sibling.against) : 0;
}

static int set_late(struct stackmap_map *map)
{
	map->is_only_late = true;
	return set_foreign(map, "it was saved before any event of generation %" PRIu32,
			   map->generation);
}

/* The boot that recorded the trace is known, and it is not that of the map. */
static bool is_of_other_boot(const struct stackmap_map *map)
{
	const struct stackmap_save *tied = map->source->resolver->tied_save;

	return tied && map->source->save->origin.has_boot_id &&
	       !smap_saves_same_boot(tied, map->source->save);
}

/* 0 or -ENOMEM */
static int find_foreign(struct stackmap_map *map)
{
	int is_random;

	if (is_of_tied_boot(map))
		return 0;
	if (is_of_other_boot(map))
		return set_foreign(map, "saved in another boot than the maps recorded with it");
	is_random = has_random_generation(map);
	if (is_random < 0 || look_at_times(map) || smap_source_contradicts(map->source) < 0)
		return -ENOMEM;
	if (!map->foreign && map->source->is_moved && !map->nr_before)
		return set_foreign(map, "%s", moved);
	if (is_random || map->foreign)
		return 0;
	if (ask_siblings(map))
		return -ENOMEM;
	return map->is_late && map->has_generation && !map->foreign ? set_late(map) : 0;
}

int smap_map_is_foreign(struct stackmap_map *map)
{
	if (map->foreign_known)
		return map->foreign != NULL;
	if (know_tied_boot(map->source->resolver) || find_foreign(map))
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
	struct moment moment;

	if (!source->resolver->trace) {
		add_missing(words, "no trace.dat to compare it with");
		return;
	}
	if (!source->save->origin.release || !source->resolver->trace->release)
		add_missing(words, "no release to compare");
	if (!source->nr_symbols_compared)
		add_missing(words, "no symbols to compare");
	if (!read_moment(map, &moment))
		add_missing(words, "no times to compare");
	else if (!map->nr_before)
		add_missing(words, "no cookie recorded before it");
}

static const char *proof(const struct stackmap_map *map)
{
	if (map->source->save->is_tied)
		return "recorded with this trace";
	if (is_of_tied_boot(map))
		return "saved in the boot that recorded this trace";
	return "no other boot has its generation";
}

static enum stackmap_tie think(struct stackmap_map *map, struct smap_buf *words)
{
	int ret = smap_map_is_proven(map);

	if (ret < 0)
		return STACKMAP_TIE_UNKNOWN;
	if (ret) {
		smap_buf_add_str(words, proof(map));
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
