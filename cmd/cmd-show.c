// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap show: the stacks of saved maps, most used first, or those of some cookies.
 *
 * Every stack of every map that is asked for becomes a row; rows are sorted and printed. Rows of
 * one map lie together before that, slots rising, as the library hands them out.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "json.h"
#include "saves.h"
#include "text.h"

#define DEFAULT_TRACE	"trace.dat"

/* The kernel counts no further. */
#define REF_SATURATED	INT_MAX

enum {
	KEY_JSON = CMD_KEY_OWN,
	KEY_TOP,
	KEY_BY_GENERATION,
};

struct row {
	struct stackmap_map	*map;
	struct stackmap_stack	*stack;
	size_t			map_nr;
};

struct total {
	size_t		nr_stacks;
	uint64_t	ref;
	bool		at_least;	/* one of the refs is saturated */
};

struct show {
	struct cmd_maps	maps;
	bool		as_json;
	bool		by_generation;
	bool		has_top;
	uint64_t	top;
	struct stackmap_resolver *resolver;
	bool		name_files;	/* cookie and generation alone do not tell the map */
	struct row	*rows;
	size_t		nr_rows;
	size_t		capacity;
	struct json	json;
	int		status;
};

static void note_status(struct show *show, int status)
{
	if (status > show->status)
		show->status = status;
}

/* ---- rows ---- */

static bool add_row(struct show *show, struct stackmap_map *map, size_t map_nr,
		    struct stackmap_stack *stack)
{
	struct row *grown;
	size_t capacity;

	if (show->nr_rows == show->capacity) {
		capacity = show->capacity ? show->capacity * 2 : 256;
		grown = reallocarray(show->rows, capacity, sizeof(*grown));
		if (!grown)
			return false;
		show->rows = grown;
		show->capacity = capacity;
	}
	show->rows[show->nr_rows++] = (struct row){ map, stack, map_nr };
	return true;
}

/* Maps without a generation are counted, from 1. */
static bool is_of_generation(const struct stackmap_map *map, size_t map_nr, uint32_t generation)
{
	if (stackmap_map_has_generation(map))
		return stackmap_map_get_generation(map) == generation;
	return map_nr + 1 == generation;
}

static bool is_chosen(const struct show *show, const struct stackmap_map *map, size_t map_nr)
{
	return !show->maps.has_generation || is_of_generation(map, map_nr, show->maps.generation);
}

/* Stacks of @map; 0 where it cannot be decoded, which is said. */
static size_t count_stacks(struct show *show, struct stackmap_map *map)
{
	size_t nr = stackmap_map_nr_stacks(map);

	if (nr != (size_t)-1)
		return nr;
	note_status(show, errno == ENOMEM ? cmd_nomem() : CMD_FOUND);
	if (errno != ENOMEM)
		cmd_warn("%s: the save at offset %" PRIu64 " cannot be decoded",
			 stackmap_map_get_path(map),
			 stackmap_save_get_offset(stackmap_map_get_save(map)));
	return 0;
}

static void note_verdict(struct show *show, const struct stackmap_stack *stack)
{
	if (stackmap_stack_get_verdict(stack) != STACKMAP_VERDICT_RESOLVED)
		note_status(show, CMD_FOUND);
}

static int collect_map(struct show *show, struct stackmap_map *map, size_t map_nr)
{
	size_t nr = count_stacks(show, map), i;
	struct stackmap_stack *stack;

	for (i = 0; i < nr; i++) {
		stack = stackmap_map_get_stack(map, i);
		if (!stack || !add_row(show, map, map_nr, stack))
			return cmd_nomem();
		/* shown or not */
		note_verdict(show, stack);
	}
	return CMD_OK;
}

static int collect_all(struct show *show)
{
	size_t nr = stackmap_resolver_nr_maps(show->resolver), i;
	struct stackmap_map *map;

	for (i = 0; i < nr; i++) {
		map = stackmap_resolver_get_map(show->resolver, i);
		if (is_chosen(show, map, i) && collect_map(show, map, i) != CMD_OK)
			return CMD_FAILED;
	}
	return CMD_OK;
}

/* Most used first; else as they came. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *row_a = a, *row_b = b;
	uint32_t ref_a = stackmap_stack_get_ref(row_a->stack);
	uint32_t ref_b = stackmap_stack_get_ref(row_b->stack);
	uint32_t slot_a = stackmap_stack_get_slot(row_a->stack);
	uint32_t slot_b = stackmap_stack_get_slot(row_b->stack);

	if (ref_a != ref_b)
		return ref_a > ref_b ? -1 : 1;
	if (row_a->map_nr != row_b->map_nr)
		return row_a->map_nr < row_b->map_nr ? -1 : 1;
	if (slot_a != slot_b)
		return slot_a < slot_b ? -1 : 1;
	return 0;
}

static struct total sum(const struct row *rows, size_t nr)
{
	struct total total = { .nr_stacks = nr };
	uint32_t ref;
	size_t i;

	for (i = 0; i < nr; i++) {
		ref = stackmap_stack_get_ref(rows[i].stack);
		total.ref += ref;
		total.at_least |= ref >= REF_SATURATED;
	}
	return total;
}

/* ---- one stack ---- */

static void print_cookie(uint32_t slot, bool has_generation, uint32_t generation)
{
	printf("<stack_id %" PRIu32, slot);
	if (has_generation)
		printf(" gen %" PRIu32, generation);
	putchar('>');
}

/* A stack that does not count as resolved has no text: its frames are shown as they are. */
static int print_frames(struct stackmap_stack *stack)
{
	uint32_t depth = stackmap_stack_get_depth(stack), i;
	const char *text;

	if (stackmap_stack_get_verdict(stack) == STACKMAP_VERDICT_RESOLVED) {
		text = stackmap_stack_get_text(stack, NULL);
		if (!text)
			return cmd_nomem();
		if (*text)
			puts(text);
		return CMD_OK;
	}
	for (i = 0; i < depth; i++) {
		text = stackmap_stack_get_frame(stack, i);
		if (!text)
			return cmd_nomem();
		printf(" => ");
		print_escaped(text);
		putchar('\n');
	}
	return CMD_OK;
}

static int print_row(struct show *show, const struct row *row)
{
	struct stackmap_stack *stack = row->stack;
	uint32_t ref = stackmap_stack_get_ref(stack);

	print_cookie(stackmap_stack_get_slot(stack), stackmap_stack_has_generation(stack),
		     stackmap_stack_get_generation(stack));
	printf(" ref %s%" PRIu32 " depth %" PRIu32, ref >= REF_SATURATED ? ">=" : "", ref,
	       stackmap_stack_get_depth(stack));
	if (show->name_files) {
		printf(" in map %zu, ", row->map_nr + 1);
		print_path(stackmap_map_get_path(row->map));
	}
	if (stackmap_stack_get_verdict(stack) != STACKMAP_VERDICT_RESOLVED) {
		printf(" [");
		fputs(stackmap_stack_get_reason(stack), stdout);
		putchar(']');
	}
	putchar('\n');
	return print_frames(stack);
}

static int print_row_json(struct show *show, const struct row *row)
{
	struct stackmap_stack *stack = row->stack;
	uint32_t depth = stackmap_stack_get_depth(stack), ref = stackmap_stack_get_ref(stack), i;
	enum stackmap_verdict verdict = stackmap_stack_get_verdict(stack);
	struct json *json = &show->json;
	const char *frame;

	json_open(json, NULL, '{');
	json_number(json, "slot", stackmap_stack_get_slot(stack));
	if (stackmap_stack_has_generation(stack))
		json_number(json, "generation", stackmap_stack_get_generation(stack));
	else
		json_null(json, "generation");
	json_text(json, "file", stackmap_map_get_path(row->map));
	json_number(json, "map", row->map_nr + 1);
	json_number(json, "ref", ref);
	json_bool(json, "ref_at_least", ref >= REF_SATURATED);
	json_number(json, "depth", depth);
	json_text(json, "verdict", stackmap_verdict_get_name(verdict));
	if (verdict != STACKMAP_VERDICT_RESOLVED)
		json_text(json, "reason", stackmap_stack_get_reason(stack));
	json_open(json, "frames", '[');
	for (i = 0; i < depth; i++) {
		frame = stackmap_stack_get_frame(stack, i);
		if (!frame)
			return cmd_nomem();
		json_text(json, NULL, frame);
	}
	json_close(json, ']');
	json_close(json, '}');
	return CMD_OK;
}

static int show_rows(struct show *show, const struct row *rows, size_t nr)
{
	int ret = CMD_OK;
	size_t i;

	for (i = 0; i < nr && ret == CMD_OK && !ferror(stdout); i++) {
		note_verdict(show, rows[i].stack);
		ret = show->as_json ? print_row_json(show, &rows[i]) : print_row(show, &rows[i]);
	}
	return ret;
}

/* ---- all stacks ---- */

static void print_total(const struct total *total, size_t nr_shown)
{
	if (nr_shown < total->nr_stacks)
		printf("%zu of ", nr_shown);
	print_count(total->nr_stacks, "stack", "stacks");
	printf(", recorded %s", total->at_least ? ">=" : "");
	print_count(total->ref, "time\n", "times\n");
}

static void print_total_json(struct json *json, const struct total *total)
{
	json_open(json, "total", '{');
	json_number(json, "stacks", total->nr_stacks);
	json_number(json, "ref", total->ref);
	json_bool(json, "ref_at_least", total->at_least);
	json_close(json, '}');
}

static size_t nr_to_show(const struct show *show, size_t nr)
{
	return show->has_top && show->top < nr ? (size_t)show->top : nr;
}

static int show_sorted(struct show *show, struct row *rows, size_t nr)
{
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_rows);
	return show_rows(show, rows, nr_to_show(show, nr));
}

static void print_map_name(const struct row *row)
{
	if (stackmap_map_has_generation(row->map))
		printf("generation %" PRIu32 ", ", stackmap_map_get_generation(row->map));
	else
		printf("map %zu, ", row->map_nr + 1);
	print_path(stackmap_map_get_path(row->map));
	printf(": ");
}

/* The first row behind those of the map that the one at @first is of. */
static size_t end_of_map(const struct show *show, size_t first)
{
	size_t end = first;

	while (end < show->nr_rows && show->rows[end].map_nr == show->rows[first].map_nr)
		end++;
	return end;
}

static int show_by_generation(struct show *show)
{
	size_t first, end;
	struct total total;

	for (first = 0; first < show->nr_rows; first = end) {
		end = end_of_map(show, first);
		if (!show->as_json) {
			total = sum(show->rows + first, end - first);
			print_map_name(&show->rows[first]);
			print_total(&total, nr_to_show(show, end - first));
		}
		if (show_sorted(show, show->rows + first, end - first) != CMD_OK)
			return CMD_FAILED;
	}
	return CMD_OK;
}

static int show_all(struct show *show)
{
	struct total total;
	int ret;

	if (collect_all(show) != CMD_OK)
		return CMD_FAILED;
	total = sum(show->rows, show->nr_rows);
	if (show->by_generation)
		ret = show_by_generation(show);
	else
		ret = show_sorted(show, show->rows, show->nr_rows);
	if (ret != CMD_OK)
		return ret;
	if (show->as_json)
		json_close(&show->json, ']');
	if (show->as_json)
		print_total_json(&show->json, &total);
	else if (!show->by_generation)
		print_total(&total, nr_to_show(show, total.nr_stacks));
	return CMD_OK;
}

/* ---- some cookies ---- */

/* The first stack of @map, of @nr, whose slot is not below @slot. */
static int find_slot(struct stackmap_map *map, size_t nr, uint32_t slot, size_t *ret_at)
{
	size_t low = 0, high = nr, middle;
	struct stackmap_stack *stack;

	while (low < high) {
		middle = low + (high - low) / 2;
		stack = stackmap_map_get_stack(map, middle);
		if (!stack)
			return cmd_nomem();
		if (stackmap_stack_get_slot(stack) < slot)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_at = low;
	return CMD_OK;
}

/* All of the map's stacks in the slot: those that conflict stand side by side. */
static int collect_slot(struct show *show, struct stackmap_map *map, size_t map_nr, uint32_t slot)
{
	size_t nr = count_stacks(show, map), i = 0;
	struct stackmap_stack *stack;

	if (find_slot(map, nr, slot, &i) != CMD_OK)
		return CMD_FAILED;
	for (; i < nr; i++) {
		stack = stackmap_map_get_stack(map, i);
		if (stack && stackmap_stack_get_slot(stack) != slot)
			break;
		if (!stack || !add_row(show, map, map_nr, stack))
			return cmd_nomem();
	}
	return CMD_OK;
}

static int collect_cookie(struct show *show, const struct text_cookie *cookie)
{
	size_t nr = stackmap_resolver_nr_maps(show->resolver), i;
	struct stackmap_map *map;

	show->nr_rows = 0;
	for (i = 0; i < nr; i++) {
		map = stackmap_resolver_get_map(show->resolver, i);
		if (cookie->has_generation ? !is_of_generation(map, i, cookie->generation) :
		    !is_chosen(show, map, i))
			continue;
		if (collect_slot(show, map, i, cookie->slot) != CMD_OK)
			return CMD_FAILED;
	}
	return CMD_OK;
}

static int show_missing(struct show *show, const struct text_cookie *cookie)
{
	const char *reason = "not in a saved map";
	enum stackmap_verdict verdict = STACKMAP_VERDICT_SLOT_NOT_SAVED;
	struct stackmap_stack *stack;
	uint64_t number;

	if (cookie->has_generation) {
		number = stackmap_cookie_make(cookie->generation, cookie->slot);
		stack = stackmap_resolver_find(show->resolver, number, STACKMAP_TS_UNKNOWN);
		if (!stack)
			return cmd_nomem();
		verdict = stackmap_stack_get_verdict(stack);
		reason = stackmap_stack_get_reason(stack);
	}
	note_status(show, CMD_FOUND);
	if (!show->as_json) {
		print_cookie(cookie->slot, cookie->has_generation, cookie->generation);
		printf(" [unresolved: %s]\n", reason);
		return CMD_OK;
	}
	json_open(&show->json, NULL, '{');
	json_number(&show->json, "slot", cookie->slot);
	if (cookie->has_generation)
		json_number(&show->json, "generation", cookie->generation);
	else
		json_null(&show->json, "generation");
	json_text(&show->json, "verdict", stackmap_verdict_get_name(verdict));
	json_text(&show->json, "reason", reason);
	json_close(&show->json, '}');
	return CMD_OK;
}

/* Of the stacks beside those of the cookies. A map that cannot be decoded was told of before. */
static int note_faults(struct show *show)
{
	size_t nr_maps = stackmap_resolver_nr_maps(show->resolver), nr, i, k;
	struct stackmap_stack *stack;
	struct stackmap_map *map;

	for (i = 0; i < nr_maps; i++) {
		map = stackmap_resolver_get_map(show->resolver, i);
		nr = is_chosen(show, map, i) ? stackmap_map_nr_stacks(map) : 0;
		for (k = 0; nr != (size_t)-1 && k < nr; k++) {
			stack = stackmap_map_get_stack(map, k);
			if (!stack)
				return cmd_nomem();
			note_verdict(show, stack);
		}
	}
	return CMD_OK;
}

static int show_cookies(struct show *show, const struct text_cookie *cookies, size_t nr)
{
	size_t i;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = collect_cookie(show, &cookies[i]);
		if (ret == CMD_OK)
			ret = show->nr_rows ? show_rows(show, show->rows, show->nr_rows) :
			      show_missing(show, &cookies[i]);
		if (ret != CMD_OK)
			return ret;
	}
	if (show->as_json)
		json_close(&show->json, ']');
	return note_faults(show);
}

/* ---- the command ---- */

/* Two maps of one generation, or of none. */
static bool maps_look_alike(struct stackmap_resolver *resolver)
{
	size_t nr = stackmap_resolver_nr_maps(resolver), i, bare = 0;
	uint32_t generation, last = 0;
	struct stackmap_map *map;
	bool has_last = false;

	/* Generations rise from save to save; where they do not, the files are worth naming. */
	for (i = 0; i < nr; i++) {
		map = stackmap_resolver_get_map(resolver, i);
		generation = stackmap_map_get_generation(map);
		if (!stackmap_map_has_generation(map))
			bare++;
		else if (has_last && generation <= last)
			return true;
		else
			has_last = true;
		last = generation;
	}
	return bare > 1 || (bare && bare < nr);
}

/* Nobody named any: those in or beside the usual trace. Takes @resolver; NULL: said. */
static struct stackmap_resolver *find_maps(struct cmd_maps *maps,
					   struct stackmap_resolver *resolver)
{
	bool has_trace = !access(DEFAULT_TRACE, F_OK);

	if (!has_trace && !cmd_maps_add_beside(maps, resolver, DEFAULT_TRACE))
		return resolver;
	stackmap_resolver_free(resolver);
	return has_trace ? cmd_maps_resolver(maps, DEFAULT_TRACE) : NULL;
}

static struct stackmap_resolver *open_maps(struct cmd_maps *maps)
{
	struct stackmap_resolver *resolver = cmd_maps_resolver(maps, NULL);

	if (!resolver || stackmap_resolver_nr_maps(resolver))
		return resolver;
	/* That it has no stack was said. */
	if (maps->use_live) {
		stackmap_resolver_free(resolver);
		return NULL;
	}
	if (!cmd_maps_are_named(maps))
		resolver = find_maps(maps, resolver);
	if (!resolver || stackmap_resolver_nr_maps(resolver))
		return resolver;
	cmd_error("no saved map with a stack in it; give one with -m FILE");
	stackmap_resolver_free(resolver);
	return NULL;
}

static int show_open(struct show *show, const struct text_cookie *cookies, size_t nr)
{
	int ret;

	show->name_files = maps_look_alike(show->resolver);
	if (show->as_json) {
		json_open(&show->json, NULL, '{');
		json_open(&show->json, "stacks", '[');
	}
	ret = nr ? show_cookies(show, cookies, nr) : show_all(show);
	if (show->as_json && ret == CMD_OK) {
		json_close(&show->json, '}');
		putchar('\n');
	}
	note_status(show, ret);
	if (show->maps.is_damaged)
		note_status(show, CMD_FOUND);
	free(show->rows);
	return show->status;
}

static int show_arguments(struct show *show, char **words, int nr)
{
	struct text_cookie *cookies = calloc((size_t)nr + 1, sizeof(*cookies));
	int status = CMD_OK, i;

	if (!cookies)
		return cmd_nomem();
	for (i = 0; i < nr && status == CMD_OK; i++) {
		if (!text_parse_cookie(words[i], &cookies[i]))
			status = cmd_error("'%s' is no cookie: SLOT, GENERATION:SLOT, "
					   "'<stack_id SLOT gen GENERATION>' or the number of one",
					   words[i]);
	}
	if (status == CMD_OK) {
		show->resolver = open_maps(&show->maps);
		status = show->resolver ? show_open(show, cookies, (size_t)nr) : CMD_FAILED;
		stackmap_resolver_free(show->resolver);
	}
	free(cookies);
	return status;
}

/* 1: it was an option of ours; 0: it was not; -1: bad. */
static int take_option(struct show *show, int key, const char *value)
{
	switch (key) {
	case KEY_JSON:
		show->as_json = true;
		return 1;
	case KEY_BY_GENERATION:
		show->by_generation = true;
		return 1;
	case KEY_TOP:
		show->has_top = true;
		return cmd_parse_number("--top", value, SIZE_MAX, &show->top) ? 1 : -1;
	}
	return cmd_maps_take(&show->maps, key, value);
}

static int run_show(const struct command *cmd, int argc, char **argv)
{
	struct show show = { .maps = CMD_MAPS_INIT, .json = JSON_INIT, .status = CMD_OK };
	struct cmd_args args;
	int key, status = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (take_option(&show, key, args.value) < 0)
			break;
	}
	if (key == CMD_ARGS_END && cmd_maps_check_one_kallsyms(&show.maps) == CMD_OK)
		status = show_arguments(&show, argv + cmd_args_first(&args),
					argc - cmd_args_first(&args));
	cmd_args_release(&args);
	cmd_maps_release(&show.maps);
	return status;
}

static const struct cmd_option show_own_options[] = {
	{ KEY_TOP, "top", "N", NULL, "only the N most used stacks" },
	{ KEY_BY_GENERATION, "by-generation", NULL, NULL, "one generation after the other" },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const show_options[] = {
	show_own_options,
	cmd_maps_options,
	cmd_live_options,
	cmd_style_options,
	NULL
};

const struct command cmd_show = {
	.name = "show",
	.synopsis = "[OPTION...] [COOKIE...]",
	.summary = "Show the stacks of saved maps, most used first",
	.help =
"\n"
"COOKIE is SLOT, GENERATION:SLOT, '<stack_id SLOT gen GENERATION>' as it is printed, or\n"
"the number of a cookie, such as 0x10000002a. --generation N shows generation N only;\n"
"maps that have none are counted from 1.\n",
	.options = show_options,
	.run = run_show,
};
