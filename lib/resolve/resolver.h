/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * (origin, generation, slot) -> frames, or a verdict.
 *
 *	struct stackmap_resolver
 *	  files[]	what was added: a store each
 *	  sources[]	one save of a file: its export, decoded when it is first needed, the
 *			tables that name its addresses, and whether it contradicts the trace
 *	  maps[]	one generation of a source
 *	  sets		the candidates for one generation, put together at its first cookie
 *	  cache		cookie -> answer: each distinct cookie is thought about once
 *
 * Candidates. Two maps that say the same generation are either two copies of one map, and then
 * what one of them lacks the other may have, or maps of two boots, and then nothing tells which
 * one the cookie means. Maps of one boot are copies. Where a boot is not known, they are taken
 * for copies if they share slots and agree on every one; otherwise they are apart (a "group"
 * each), and a cookie resolves only where all groups hold the same stack. Maps without a
 * generation are apart unless they hold the same and nothing else: two generations of one boot
 * agree on most slots and are yet not copies. What cannot be read any more could have been meant.
 */
#ifndef SMAP_RESOLVE_RESOLVER_H
#define SMAP_RESOLVE_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/error.h"
#include "core/map.h"
#include "resolve/frame.h"
#include "stackmap.h"
#include "store/store.h"
#include "symbol/symbol.h"
#include "tracedat/tracedat.h"

struct smap_file {
	char			*path;
	char			*shown_path;	/* for messages: escaped */
	struct smap_store	*store;
	bool			ties_known;	/* its saves know whether they are of the trace */
	bool			is_beside;	/* the trace, which has maps attached to it */
};

enum smap_state {		/* of something that is found out once */
	SMAP_STATE_NEW,
	SMAP_STATE_GOOD,
	SMAP_STATE_BAD,
};

/* Own symbols, --kallsyms, those of the trace: in this order. */
#define SMAP_NR_TABLES	3

struct smap_source {
	struct stackmap_resolver *resolver;
	struct smap_file	*file;
	const struct stackmap_save *save;
	enum smap_state		loaded;
	struct smap_export	*export;
	char			*load_words;	/* why it is SMAP_STATE_BAD */
	struct smap_symbols	*symbols;	/* stored beside the export */
	const struct smap_symbols *tables[SMAP_NR_TABLES];
	char			**names;	/* per frame, NULL until asked for */
	char			**short_names;
	bool			is_quiet;	/* what it lacks was logged for an earlier one */
	enum smap_state		checked;	/* against the trace */
	char			*contradiction;
	size_t			nr_symbols_compared;	/* with the trace's, and agreed */
	bool			is_moved;	/* a text, saved where _stext was elsewhere */
};

struct stackmap_map {
	struct smap_source	*source;
	size_t			nr;		/* in resolver->maps */
	uint32_t		generation;
	bool			has_generation;
	const struct smap_map	*map;		/* in the export, once that is loaded */
	struct stackmap_stack	**stacks;	/* made as they are asked for */
	/* tie.c */
	bool			times_known;
	size_t			nr_before;	/* cookies recorded before it, all in it */
	bool			is_late;	/* all of its cookies were recorded after it */
	bool			is_only_late;	/* that is all that is said in @foreign */
	bool			foreign_known;
	char			*foreign;	/* why it is not of the trace; NULL: it may be */
	enum stackmap_tie	tie;
	char			*tie_words;	/* NULL: not thought about yet */
};

struct stackmap_stack {
	enum stackmap_verdict	verdict;
	uint32_t		slot;
	uint32_t		generation;
	bool			has_generation;
	struct smap_source	*source;	/* with @stack: where the frames are */
	const struct smap_stack	*stack;		/* NULL: none */
	const char		*reason;	/* borrowed from what made the verdict */
	char			*text;
	size_t			text_len;
	char			*old_text;	/* handed out before it was resolved */
	void			*private_data;
};

/* Maps that are copies of one another. */
struct smap_group {
	struct stackmap_map	**maps;
	size_t			nr_maps;
	size_t			capacity;
};

/* What a cookie of one generation can mean. */
struct smap_set {
	uint32_t		generation;
	struct smap_group	*groups;
	size_t			nr_groups;
	size_t			capacity;
	size_t			nr_proven;	/* the first of them, proven to be of the trace */
	struct smap_group	unreadable;	/* maps of it that cannot be decoded */
	size_t			nr_unknown;	/* maps of an unknown boot */
	bool			overflow;	/* more maps than can be told apart */
	/* Where this is not RESOLVED, it is the verdict of every cookie of the set. */
	enum stackmap_verdict	verdict;
	char			*reason;
	char			*missing_reason;	/* for a slot that no group has */
	char			*ambiguous_reason;
};

struct smap_cache_entry {
	uint64_t		key;
	void			*value;		/* NULL: empty */
};

/* Open addressing, at most half full. */
struct smap_cache {
	struct smap_cache_entry	*entries;
	unsigned int		bits;
	size_t			nr;
	uint64_t		seed;
};

struct smap_full;
struct smap_firsts;
struct smap_fed;

/* Slots that the trace names, for a map that must hold all of them. */
struct smap_slots {
	uint32_t		*slots;		/* sorted and unique once closed */
	size_t			nr;
	size_t			capacity;
	size_t			compact_at;	/* sort out repeats at this many */
};

struct stackmap_resolver {
	struct smap_error	err;
	stackmap_log_fn		log_fn;
	void			*log_data;
	struct stackmap_style	style;
	bool			in_use;		/* a stack was asked for: add nothing */

	struct smap_file	**files;
	size_t			nr_files;
	size_t			files_capacity;
	struct smap_source	**sources;
	size_t			nr_sources;
	size_t			sources_capacity;
	struct stackmap_map	**maps;
	size_t			nr_maps;
	size_t			maps_capacity;
	struct stackmap_map	**by_generation; /* the same, sorted: set.c; NULL: not yet */

	struct smap_tracedat	*trace;
	struct smap_comms	*comms;		/* of the trace; NULL: not read yet */
	enum smap_state		trace_symbols_state;
	struct smap_symbols	*trace_symbols;
	enum smap_state		given_symbols_state;	/* BAD: contradict the trace's */
	struct smap_symbols	*given_symbols;
	enum smap_state		given_boot_state; /* BAD: they would name maps of two boots */

	bool			has_generation;	/* stackmap_resolver_set_generation() */
	uint32_t		generation;
	struct smap_slots	expected;
	bool			has_expected;

	struct smap_cache	sets;		/* generation -> struct smap_set */
	struct smap_set		**slot_sets;	/* by time class: find.c */
	uint64_t		*save_times;	/* that bound the classes, rising */
	size_t			nr_save_times;
	bool			save_times_known;
	struct smap_cache	cache;		/* cookie -> struct stackmap_stack */
	struct smap_cache	slot_cache;	/* time class and slot -> the same */
	bool			require_proof;
	bool			has_told_tie;
	bool			tied_boot_known;
	/* Of the boot that recorded the trace; NULL: none. */
	const struct stackmap_save *tied_save;
	enum smap_state		fingerprint_state;
	struct smap_fingerprint	fingerprint;	/* of the trace */
	struct smap_firsts	*firsts;	/* tie.c; NULL: not scanned yet */
	struct smap_fed		*fed;		/* a map that grows: feed.h; NULL: none */
	struct smap_full	*full;		/* stacks recorded in full; NULL: none yet */
};

/* resolver.c */
void smap_resolver_log(struct stackmap_resolver *resolver, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Add the saves of @store, which it takes, whatever it returns. As stackmap_resolver_add_file(). */
int smap_resolver_add_store(struct stackmap_resolver *resolver, const char *path,
			    struct smap_store *store);
/* One generation of @source. 0 or -ENOMEM. */
int smap_resolver_add_map(struct stackmap_resolver *resolver, struct smap_source *source,
			  uint32_t generation, bool has_generation);
/* The trace's own symbols; NULL: it has none that can be used, or no memory (errno ENOMEM). */
const struct smap_symbols *smap_resolver_trace_symbols(struct stackmap_resolver *resolver);

/* Those of --kallsyms; NULL: none, or they contradict the trace's, or no memory (errno ENOMEM). */
const struct smap_symbols *smap_resolver_given_symbols(struct stackmap_resolver *resolver);

/* source.c */
/* Decode the export. 0; -ENOMEM; another errno once and for all: load_words say why. */
int smap_source_load(struct smap_source *source);
/* Have this in place of what its save holds; takes both, whatever it returns. 0 or -ENOMEM. */
int smap_source_take(struct smap_source *source, struct smap_export *export,
		     struct smap_symbols *symbols);
/* The frame's text, as %pS has it; NULL: no memory. */
const char *smap_source_name(struct smap_source *source, uint32_t frame);
const char *smap_source_short_name(struct smap_source *source, uint32_t frame);
void smap_source_free(struct smap_source *source);

/* contradiction.c */
/* Adds to @words why @own and @symbols, the trace's, cannot be of one boot; nothing if they can. */
void smap_symbols_contradict(const struct smap_symbols *own, const struct smap_symbols *symbols,
			     struct smap_buf *words);
/*
 * 1: @source cannot be of the trace, source->contradiction says why; 0: nothing speaks against
 * it; -ENOMEM.
 */
int smap_source_contradicts(struct smap_source *source);
/*
 * Let the symbols that were given name the addresses of the export, which is loaded, where nothing
 * speaks against it; else that is logged. 0 or -ENOMEM.
 */
int smap_source_load_given(struct smap_source *source);
/* Does the export, which is loaded, say nothing against being of the boot of @symbols? */
bool smap_source_is_of(const struct smap_source *source, const struct smap_symbols *symbols);

/* maps.c */
/* Load the source and find the map in it. As smap_source_load(). */
int smap_map_load(struct stackmap_map *map);
void smap_map_free(struct stackmap_map *map);

/* stack.c */
struct stackmap_stack *smap_stack_new(uint32_t generation, bool has_generation, uint32_t slot);
void smap_stack_free(struct stackmap_stack *stack);
/* 1: both spell the same frames; 0: they do not; -ENOMEM. */
int smap_stack_same(struct smap_source *source_a, const struct smap_stack *a,
		    struct smap_source *source_b, const struct smap_stack *b);
/*
 * 1: the same, but that @a has a bare address for each frame that they spell differently; 0: not
 * so; -ENOMEM.
 */
int smap_stack_lacks_names(struct smap_source *source_a, const struct smap_stack *a,
			   struct smap_source *source_b, const struct smap_stack *b);

/* find.c */
void smap_find_release(struct stackmap_resolver *resolver);

#endif /* SMAP_RESOLVE_RESOLVER_H */
