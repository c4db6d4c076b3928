/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a saved-map file holds, for people and for programs.
 */
#ifndef CMD_SAVES_H
#define CMD_SAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stackmap.h>

#include "json.h"

/*
 * What came from outside, as a terminal can take it. Words of the library (reasons, damages,
 * contradictions) are escaped already.
 */
void print_escaped(const char *text);

/* The same for the name of a file; "-" is standard input. */
void print_path(const char *path);

/* "3 saves" */
void print_count(uint64_t nr, const char *one, const char *many);

/* One save, its number and particulars, as list and import show it. */
void saves_print_one(const struct stackmap_save *save, size_t nr);

/* The file: a line, its saves, its damages. */
void saves_print_file(const struct stackmap_store *store, const char *path);
void saves_print_json(struct json *json, const struct stackmap_store *store, const char *path);

/* The damages alone, "PATH: offset 128, 64 bytes: what" each. */
void saves_print_damages(const struct stackmap_store *store, const char *path);
void saves_print_damages_json(struct json *json, const struct stackmap_store *store);

/* What the bytes do not tell: records that contradict one another, or are not whole. */
struct saves_faults {
	size_t	nr_stacks;
	size_t	nr_conflicts;	/* stacks of cookies that have more than one */
	size_t	nr_cut;		/* whose depth and frames differ, and maps that do not load */
};

/*
 * In the saves that stand at @from or behind it in the file. CMD_OK, or CMD_FAILED after
 * cmd_error().
 */
int saves_count_faults(const char *path, uint64_t from, struct saves_faults *faults);

/*
 * Add what the saves of the resolver's maps say of stacks that did not fit. False where none says
 * it.
 */
bool saves_add_fallbacks(struct stackmap_resolver *resolver, uint64_t *fallbacks);

/* The maps that cannot be of the trace of their resolver, with why; a member "contradictions". */
void saves_print_contradictions(struct stackmap_resolver *resolver);
void saves_print_contradictions_json(struct json *json, struct stackmap_resolver *resolver);

/*
 * What ties the maps to the trace of their resolver, but for those that cannot be of it: a line for
 * all maps of a file of which the same is to be said.
 */
void saves_print_ties(struct stackmap_resolver *resolver);
/* A member "ties". */
void saves_print_ties_json(struct json *json, struct stackmap_resolver *resolver);

#endif /* CMD_SAVES_H */
