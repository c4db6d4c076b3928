// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a saved-map file holds: see saves.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "saves.h"

#define NS_PER_S	UINT64_C(1000000000)

void print_escaped(const char *text)
{
	size_t len = strlen(text), need = stackmap_escape(NULL, 0, text, len);
	char small[512], *out = small;

	if (need >= sizeof(small))
		out = malloc(need + 1);
	if (!out) {
		/* cut, but safe */
		out = small;
		need = sizeof(small) - 1;
	}
	stackmap_escape(out, need + 1, text, len);
	fputs(out, stdout);
	if (out != small)
		free(out);
}

void print_path(const char *path)
{
	print_escaped(strcmp(path, "-") ? path : "standard input");
}

void print_count(uint64_t nr, const char *one, const char *many)
{
	printf("%" PRIu64 " %s", nr, nr == 1 ? one : many);
}

/* ---- for people ---- */

static void print_generations(const struct stackmap_save *save)
{
	size_t nr = stackmap_save_nr_generations(save), i;

	if (!nr)
		printf("no stacks");
	for (i = 0; i < nr; i++) {
		printf("%s", i ? ", " : "");
		if (stackmap_save_has_generation(save))
			printf("generation %" PRIu32 " with ",
			       stackmap_save_get_generation(save, i));
		else
			printf("no generation, ");
		print_count(stackmap_save_nr_stacks(save, i), "stack", "stacks");
	}
	puts(stackmap_save_is_superseded(save) ? "; a later save has all of them" : "");
}

static const char *order_name(enum stackmap_byte_order order)
{
	switch (order) {
	case STACKMAP_ORDER_LITTLE:
		return "little";
	case STACKMAP_ORDER_BIG:
		return "big";
	default:
		return NULL;
	}
}

/* The parts of an origin, commas between those that are known. */
static void print_part(bool *more, const char *before, const char *text, const char *after)
{
	if (!text)
		return;
	printf("%s%s", *more ? ", " : "", before);
	print_escaped(text);
	fputs(after, stdout);
	*more = true;
}

static void print_origin(const struct stackmap_save *save)
{
	unsigned int bits = 8 * stackmap_save_get_word_size(save);
	bool more = false;

	printf("  origin   ");
	print_part(&more, "release ", stackmap_save_get_release(save), "");
	print_part(&more, "", stackmap_save_get_version(save), "");
	print_part(&more, "machine ", stackmap_save_get_machine(save), "");
	if (bits) {
		printf("%s%u-bit", more ? ", " : "", bits);
		more = true;
	}
	print_part(&more, "", order_name(stackmap_save_get_byte_order(save)), " endian");
	print_part(&more, "boot ", stackmap_save_get_boot_id(save), "");
	puts(more ? "" : "unknown");
}

static void print_saved(const struct stackmap_save *save)
{
	uint64_t wall = stackmap_save_get_wall_ns(save), boot = stackmap_save_get_boot_ns(save);
	time_t seconds = (time_t)(wall / NS_PER_S);
	char text[64];
	struct tm tm;

	if (wall == STACKMAP_TIME_UNKNOWN && boot == STACKMAP_TIME_UNKNOWN)
		return;
	printf("  saved    ");
	if (wall != STACKMAP_TIME_UNKNOWN && gmtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		printf("%s%s", text, boot != STACKMAP_TIME_UNKNOWN ? ", " : "");
	if (boot != STACKMAP_TIME_UNKNOWN)
		printf("%" PRIu64 ".%06" PRIu64 " s after boot", boot / NS_PER_S,
		       boot % NS_PER_S / 1000);
	putchar('\n');
}

static void print_size(const struct stackmap_save *save)
{
	const char *format = stackmap_save_get_format(save);

	printf("  size     ");
	print_count(stackmap_save_get_export_len(save), "byte", "bytes");
	printf(" of %s", format ? format : "what cannot be decoded");
	if (!stackmap_save_is_raw(save))
		printf(", %" PRIu64 " in the file", stackmap_save_get_len(save));
	puts(stackmap_save_has_symbols(save) ? ", with symbols" : "");
}

static void print_stat(const struct stackmap_save *save)
{
	struct stackmap_stat *stat = stackmap_save_read_stat(save);
	uint64_t entries, capacity, number;
	size_t i;

	if (!stat) {
		if (errno != ENOENT)
			printf("  fill     its stack_map_stat cannot be read\n");
		return;
	}
	printf("  fill     ");
	if (stackmap_stat_get(stat, STACKMAP_STAT_ENTRIES, &entries))
		printf("unknown");
	else
		printf("%" PRIu64, entries);
	if (!stackmap_stat_get(stat, STACKMAP_STAT_CAPACITY, &capacity))
		printf(" of %" PRIu64 " stacks", capacity);
	if (!stackmap_stat_get(stat, STACKMAP_STAT_SUCCESSES, &number))
		printf(", %" PRIu64 " successes", number);
	if (!stackmap_stat_get(stat, STACKMAP_STAT_FALLBACKS, &number)) {
		printf(", %" PRIu64 " fallbacks", number);
		if (number)
			printf(" (the map was too small for so many)");
	}
	putchar('\n');
	for (i = 0; i < stackmap_stat_nr_unknown(stat); i++) {
		printf("           ");
		print_escaped(stackmap_stat_get_unknown(stat, i));
		putchar('\n');
	}
	stackmap_stat_free(stat);
}

void saves_print_one(const struct stackmap_save *save, size_t nr)
{
	printf("save %zu: ", nr + 1);
	print_generations(save);
	print_origin(save);
	print_saved(save);
	print_size(save);
	print_stat(save);
}

void saves_print_damages(const struct stackmap_store *store, const char *path)
{
	size_t nr = stackmap_store_nr_damages(store), i;
	uint64_t offset, len;
	const char *text;

	for (i = 0; i < nr; i++) {
		text = stackmap_store_get_damage(store, i, &offset, &len);
		print_path(path);
		printf(": damaged at offset %" PRIu64 ", ", offset);
		print_count(len, "byte", "bytes");
		printf(": %s\n", text);
	}
}

void saves_print_file(const struct stackmap_store *store, const char *path)
{
	size_t nr = stackmap_store_nr_saves(store), i;

	print_path(path);
	printf(": ");
	print_count(nr, "save", "saves");
	printf(", ");
	print_count(stackmap_store_get_len(store), "byte", "bytes");
	putchar('\n');
	for (i = 0; i < nr; i++)
		saves_print_one(stackmap_store_get_save(store, i), i);
	saves_print_damages(store, path);
}

/* ---- for programs ---- */

static void json_known(struct json *json, const char *key, uint64_t number, uint64_t unknown)
{
	if (number == unknown)
		json_null(json, key);
	else
		json_number(json, key, number);
}

static void print_origin_json(struct json *json, const struct stackmap_save *save)
{
	json_open(json, "origin", '{');
	json_text(json, "boot_id", stackmap_save_get_boot_id(save));
	json_text(json, "release", stackmap_save_get_release(save));
	json_text(json, "version", stackmap_save_get_version(save));
	json_text(json, "machine", stackmap_save_get_machine(save));
	json_known(json, "word_size", stackmap_save_get_word_size(save), 0);
	json_text(json, "byte_order", order_name(stackmap_save_get_byte_order(save)));
	json_close(json, '}');
}

static void print_generations_json(struct json *json, const struct stackmap_save *save)
{
	size_t i;

	json_open(json, "generations", '[');
	for (i = 0; i < stackmap_save_nr_generations(save); i++) {
		json_open(json, NULL, '{');
		if (stackmap_save_has_generation(save))
			json_number(json, "generation", stackmap_save_get_generation(save, i));
		else
			json_null(json, "generation");
		json_number(json, "stacks", stackmap_save_nr_stacks(save, i));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_stat_json(struct json *json, const struct stackmap_save *save)
{
	static const struct {
		enum stackmap_stat_field field;
		const char *key;
	} fields[] = {
		{ STACKMAP_STAT_GENERATION, "generation" },
		{ STACKMAP_STAT_ENTRIES, "entries" },
		{ STACKMAP_STAT_CAPACITY, "capacity" },
		{ STACKMAP_STAT_SUCCESSES, "successes" },
		{ STACKMAP_STAT_FALLBACKS, "fallbacks" },
		{ STACKMAP_STAT_TABLE_SIZE, "table_size" },
	};
	struct stackmap_stat *stat = stackmap_save_read_stat(save);
	uint64_t number;
	size_t i;

	if (!stat) {
		json_null(json, "stat");
		return;
	}
	json_open(json, "stat", '{');
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!stackmap_stat_get(stat, fields[i].field, &number))
			json_number(json, fields[i].key, number);
	}
	json_open(json, "unknown", '[');
	for (i = 0; i < stackmap_stat_nr_unknown(stat); i++)
		json_text(json, NULL, stackmap_stat_get_unknown(stat, i));
	json_close(json, ']');
	json_close(json, '}');
	stackmap_stat_free(stat);
}

static void print_save_json(struct json *json, const struct stackmap_save *save, size_t nr)
{
	json_open(json, NULL, '{');
	json_number(json, "save", nr + 1);
	json_text(json, "format", stackmap_save_get_format(save));
	json_bool(json, "raw", stackmap_save_is_raw(save));
	json_bool(json, "superseded", stackmap_save_is_superseded(save));
	json_number(json, "offset", stackmap_save_get_offset(save));
	json_number(json, "bytes", stackmap_save_get_len(save));
	json_number(json, "export_bytes", stackmap_save_get_export_len(save));
	json_bool(json, "symbols", stackmap_save_has_symbols(save));
	print_origin_json(json, save);
	json_known(json, "wall_ns", stackmap_save_get_wall_ns(save), STACKMAP_TIME_UNKNOWN);
	json_known(json, "boot_ns", stackmap_save_get_boot_ns(save), STACKMAP_TIME_UNKNOWN);
	print_generations_json(json, save);
	print_stat_json(json, save);
	json_close(json, '}');
}

void saves_print_damages_json(struct json *json, const struct stackmap_store *store)
{
	uint64_t offset, len;
	const char *text;
	size_t i;

	json_open(json, "damages", '[');
	for (i = 0; i < stackmap_store_nr_damages(store); i++) {
		text = stackmap_store_get_damage(store, i, &offset, &len);
		json_open(json, NULL, '{');
		json_number(json, "offset", offset);
		json_number(json, "bytes", len);
		json_text(json, "text", text);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void saves_print_json(struct json *json, const struct stackmap_store *store, const char *path)
{
	size_t i;

	json_open(json, NULL, '{');
	json_text(json, "path", path);
	json_number(json, "bytes", stackmap_store_get_len(store));
	json_open(json, "saves", '[');
	for (i = 0; i < stackmap_store_nr_saves(store); i++)
		print_save_json(json, stackmap_store_get_save(store, i), i);
	json_close(json, ']');
	saves_print_damages_json(json, store);
	json_close(json, '}');
}

/* ---- faults ---- */

static int count_faults_of_map(struct stackmap_map *map, struct saves_faults *faults)
{
	size_t nr = stackmap_map_nr_stacks(map), i;
	struct stackmap_stack *stack;

	/* What checking the bytes lets pass can still be of no use to a reader. */
	if (nr == (size_t)-1 && errno == ENOMEM)
		return cmd_nomem();
	if (nr == (size_t)-1) {
		faults->nr_cut++;
		return CMD_OK;
	}
	faults->nr_stacks += nr;
	for (i = 0; i < nr; i++) {
		stack = stackmap_map_get_stack(map, i);
		if (!stack)
			return cmd_nomem();
		faults->nr_conflicts +=
			stackmap_stack_get_verdict(stack) == STACKMAP_VERDICT_CONFLICT;
		faults->nr_cut += stackmap_stack_get_verdict(stack) == STACKMAP_VERDICT_DAMAGED;
	}
	return CMD_OK;
}

int saves_count_faults(const char *path, uint64_t from, struct saves_faults *faults)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	struct stackmap_map *map;
	int ret = CMD_OK;
	size_t i;

	if (!resolver)
		return cmd_nomem();
	if (stackmap_resolver_add_file(resolver, path))
		ret = cmd_library_error(stackmap_resolver_get_error(resolver));
	for (i = 0; ret == CMD_OK && i < stackmap_resolver_nr_maps(resolver); i++) {
		map = stackmap_resolver_get_map(resolver, i);
		if (stackmap_save_get_offset(stackmap_map_get_save(map)) >= from)
			ret = count_faults_of_map(map, faults);
	}
	stackmap_resolver_free(resolver);
	return ret;
}

/* A save has one or more maps, side by side. */
bool saves_add_fallbacks(struct stackmap_resolver *resolver, uint64_t *fallbacks)
{
	const struct stackmap_save *save, *last = NULL;
	struct stackmap_stat *stat;
	bool known = false;
	uint64_t number;
	size_t i;

	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		save = stackmap_map_get_save(stackmap_resolver_get_map(resolver, i));
		if (save == last)
			continue;
		last = save;
		stat = stackmap_save_read_stat(save);
		if (stat && !stackmap_stat_get(stat, STACKMAP_STAT_FALLBACKS, &number)) {
			known = true;
			*fallbacks += number;
		}
		stackmap_stat_free(stat);
	}
	return known;
}

/* ---- ties ---- */

void saves_print_contradictions(struct stackmap_resolver *resolver)
{
	struct stackmap_map *map;
	const char *words;
	size_t i;

	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		map = stackmap_resolver_get_map(resolver, i);
		words = stackmap_map_get_contradiction(map);
		if (!words)
			continue;
		printf("  contradicted: ");
		print_escaped(stackmap_map_get_path(map));
		if (stackmap_map_has_generation(map))
			printf(", generation %" PRIu32, stackmap_map_get_generation(map));
		printf(": %s\n", words);
	}
}

void saves_print_contradictions_json(struct json *json, struct stackmap_resolver *resolver)
{
	struct stackmap_map *map;
	const char *words;
	size_t i;

	json_open(json, "contradictions", '[');
	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		map = stackmap_resolver_get_map(resolver, i);
		words = stackmap_map_get_contradiction(map);
		if (!words)
			continue;
		json_open(json, NULL, '{');
		json_text(json, "file", stackmap_map_get_path(map));
		if (stackmap_map_has_generation(map))
			json_number(json, "generation", stackmap_map_get_generation(map));
		else
			json_null(json, "generation");
		json_text(json, "reason", words);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_tie(struct stackmap_map *map, const char *tie, const char *reason)
{
	printf("  tie %s: ", tie);
	print_path(stackmap_map_get_path(map));
	printf(": %s\n", reason);
}

void saves_print_ties(struct stackmap_resolver *resolver)
{
	const char *tie, *reason, *last_tie = NULL, *last_reason = NULL, *last_path = NULL;
	struct stackmap_map *map;
	size_t i;

	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		map = stackmap_resolver_get_map(resolver, i);
		reason = stackmap_map_get_tie_reason(map);
		if (!reason || stackmap_map_get_contradiction(map))
			continue;
		tie = stackmap_tie_get_name(stackmap_map_get_tie(map));
		if (!last_path || last_path != stackmap_map_get_path(map) ||
		    strcmp(tie, last_tie) || strcmp(reason, last_reason))
			print_tie(map, tie, reason);
		last_path = stackmap_map_get_path(map);
		last_tie = tie;
		last_reason = reason;
	}
}

void saves_print_ties_json(struct json *json, struct stackmap_resolver *resolver)
{
	struct stackmap_map *map;
	const char *reason;
	size_t i;

	json_open(json, "ties", '[');
	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		map = stackmap_resolver_get_map(resolver, i);
		reason = stackmap_map_get_tie_reason(map);
		if (!reason || stackmap_map_get_contradiction(map))
			continue;
		json_open(json, NULL, '{');
		json_text(json, "file", stackmap_map_get_path(map));
		if (stackmap_map_has_generation(map))
			json_number(json, "generation", stackmap_map_get_generation(map));
		else
			json_null(json, "generation");
		json_text(json, "tie", stackmap_tie_get_name(stackmap_map_get_tie(map)));
		json_text(json, "reason", reason);
		json_close(json, '}');
	}
	json_close(json, ']');
}
