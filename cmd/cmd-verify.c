// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd stackmap verify: is every byte of the saved maps whole, and does every cookie of a
 * trace resolve?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "saves.h"
#include "tally.h"

#define DEFAULT_TRACE	"trace.dat"

enum {
	KEY_JSON = CMD_KEY_OWN,
	KEY_COOKIES,
};

struct verify {
	struct cmd_maps	maps;
	bool		as_json;
	bool		show_cookies;
	struct json	json;
	int		status;
};

static void note_status(struct verify *verify, int status)
{
	if (status > verify->status)
		verify->status = status;
}

/* ---- maps ---- */

static int count_faults(struct verify *verify, const char *path, struct saves_faults *faults)
{
	if (!strcmp(path, "-") && cmd_maps_rewind_stdin(&verify->maps) != CMD_OK)
		return CMD_FAILED;
	return saves_count_faults(path, 0, faults);
}

static void print_faults(const struct stackmap_store *store, const char *path,
			 const struct saves_faults *faults)
{
	size_t nr_saves = stackmap_store_nr_saves(store);

	saves_print_damages(store, path);
	print_path(path);
	printf(": ");
	print_count(nr_saves, "save", "saves");
	printf(", ");
	print_count(faults->nr_stacks, "stack", "stacks");
	printf(", ");
	print_count(stackmap_store_get_len(store), "byte", "bytes");
	if (faults->nr_conflicts)
		printf(", %zu in conflict", faults->nr_conflicts);
	if (faults->nr_cut)
		printf(", %zu not whole", faults->nr_cut);
	if (stackmap_store_nr_damages(store))
		printf(": damaged\n");
	else
		puts(faults->nr_conflicts || faults->nr_cut ? "" : ": whole");
}

static void print_faults_json(struct json *json, const struct stackmap_store *store,
			      const char *path, const struct saves_faults *faults)
{
	json_open(json, NULL, '{');
	json_text(json, "path", path);
	json_number(json, "bytes", stackmap_store_get_len(store));
	json_number(json, "saves", stackmap_store_nr_saves(store));
	json_number(json, "stacks", faults->nr_stacks);
	json_number(json, "conflicts", faults->nr_conflicts);
	json_number(json, "not_whole", faults->nr_cut);
	saves_print_damages_json(json, store);
	json_close(json, '}');
}

static int verify_store(struct verify *verify, struct stackmap_store *store, const char *path)
{
	struct saves_faults faults = { 0 };
	int nr;

	if (!strcmp(path, "-") && cmd_maps_rewind_stdin(&verify->maps) != CMD_OK)
		return CMD_FAILED;
	if (stackmap_store_open(store, path))
		return cmd_library_error(stackmap_store_get_error(store));
	nr = stackmap_store_verify(store);
	if (nr < 0)
		return cmd_library_error(stackmap_store_get_error(store));
	if (count_faults(verify, path, &faults) != CMD_OK)
		return CMD_FAILED;
	if (verify->as_json)
		print_faults_json(&verify->json, store, path, &faults);
	else
		print_faults(store, path, &faults);
	return nr || faults.nr_conflicts || faults.nr_cut ? CMD_FOUND : CMD_OK;
}

/* As cmd_maps_each_file() calls it: one bad file does not keep the others from being checked. */
static int verify_file(const char *path, void *data)
{
	struct stackmap_store *store = stackmap_store_new();
	struct verify *verify = data;

	if (!store)
		return cmd_nomem();
	note_status(verify, verify_store(verify, store, path));
	stackmap_store_free(store);
	return CMD_OK;
}

/* ---- cookies ---- */

/*
 * By verdict, its reason (which names the generation), and the cookie: those to be summed up lie
 * together.
 */
static int compare_cookies(const void *a, const void *b)
{
	const struct stackmap_stack *stack_a = ((const struct tally_cookie *)a)->stack;
	const struct stackmap_stack *stack_b = ((const struct tally_cookie *)b)->stack;
	int verdict_a = stackmap_stack_get_verdict(stack_a);
	int verdict_b = stackmap_stack_get_verdict(stack_b);
	uint64_t cookie_a, cookie_b;
	int words;

	if (verdict_a != verdict_b)
		return verdict_a < verdict_b ? -1 : 1;
	words = strcmp(stackmap_stack_get_reason(stack_a), stackmap_stack_get_reason(stack_b));
	if (words)
		return words;
	cookie_a = stackmap_cookie_make(stackmap_stack_get_generation(stack_a),
					stackmap_stack_get_slot(stack_a));
	cookie_b = stackmap_cookie_make(stackmap_stack_get_generation(stack_b),
					stackmap_stack_get_slot(stack_b));
	return (cookie_a > cookie_b) - (cookie_a < cookie_b);
}

static bool same_group(const struct stackmap_stack *a, const struct stackmap_stack *b)
{
	return stackmap_stack_get_verdict(a) == stackmap_stack_get_verdict(b) &&
	       !strcmp(stackmap_stack_get_reason(a), stackmap_stack_get_reason(b));
}

/* Cookies from @first on that have one verdict and reason. */
static size_t group_end(const struct tally *tally, size_t first, uint64_t *ret_nr_events)
{
	size_t end;

	*ret_nr_events = 0;
	for (end = first; end < tally->nr; end++) {
		if (!same_group(tally->cookies[first].stack, tally->cookies[end].stack))
			break;
		*ret_nr_events += tally->cookies[end].nr_events;
	}
	return end;
}

static void print_cookies(const struct tally *tally, size_t first, size_t end)
{
	const struct stackmap_stack *stack;

	for (; first < end; first++) {
		stack = tally->cookies[first].stack;
		printf("    <stack_id %" PRIu32, stackmap_stack_get_slot(stack));
		if (stackmap_stack_has_generation(stack))
			printf(" gen %" PRIu32, stackmap_stack_get_generation(stack));
		printf("> %" PRIu64 "\n", tally->cookies[first].nr_events);
	}
}

static void print_groups(const struct verify *verify, const struct tally *tally)
{
	const struct stackmap_stack *stack;
	uint64_t nr_events;
	size_t first, end;

	for (first = 0; first < tally->nr; first = end) {
		end = group_end(tally, first, &nr_events);
		stack = tally->cookies[first].stack;
		if (stackmap_stack_get_verdict(stack) == STACKMAP_VERDICT_RESOLVED) {
			printf("  resolved: %" PRIu64 ", %zu distinct\n", nr_events, end - first);
			continue;
		}
		printf("  %s: %" PRIu64 ", %zu distinct\n", stackmap_stack_get_reason(stack),
		       nr_events, end - first);
		if (verify->show_cookies)
			print_cookies(tally, first, end);
	}
	if (tally->nr_damaged)
		printf("  %s: %" PRIu64 "\n", stackmap_verdict_get_text(STACKMAP_VERDICT_BAD_EVENT),
		       tally->nr_damaged);
	if (tally->nr_unknown)
		printf("  of unknown type: %" PRIu64 "%s\n", tally->nr_unknown,
		       tally->misses_cookies ?
		       " (the trace has no format of stack_id: they may be cookies)" : "");
}

static void print_full(struct stackmap_resolver *resolver, const struct tally *tally)
{
	uint64_t fallbacks = 0;
	bool known = saves_add_fallbacks(resolver, &fallbacks);

	if (tally->nr_full) {
		printf("  recorded in full: %" PRIu64, tally->nr_full);
		if (known && !fallbacks)
			printf(" (there was room: too deep, before the map, or during a reset)");
		putchar('\n');
	}
	if (known && fallbacks)
		printf("  fallbacks: %" PRIu64
		       " (the map was too small: save and reset it earlier)\n",
		       fallbacks);
}

static void print_trace(const struct verify *verify, const char *path,
			struct stackmap_resolver *resolver, const struct tally *tally)
{
	print_escaped(path);
	printf(": ");
	print_count(tally->nr_events, "cookie", "cookies");
	printf(", %zu distinct\n", tally->nr);
	print_groups(verify, tally);
	print_full(resolver, tally);
	saves_print_contradictions(resolver);
	saves_print_ties(resolver);
}

/* ---- the same for programs ---- */

static void print_verdicts_json(struct json *json, const struct tally *tally)
{
	uint64_t events[STACKMAP_NR_VERDICTS] = { 0 }, distinct[STACKMAP_NR_VERDICTS] = { 0 };
	enum stackmap_verdict verdict;
	size_t i;

	for (i = 0; i < tally->nr; i++) {
		verdict = stackmap_stack_get_verdict(tally->cookies[i].stack);
		events[verdict] += tally->cookies[i].nr_events;
		distinct[verdict]++;
	}
	events[STACKMAP_VERDICT_BAD_EVENT] += tally->nr_damaged;
	json_open(json, "verdicts", '{');
	for (i = 0; i < STACKMAP_NR_VERDICTS; i++) {
		json_open(json, stackmap_verdict_get_name(i), '{');
		json_number(json, "events", events[i]);
		json_number(json, "distinct", distinct[i]);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void print_unresolved_json(struct json *json, const struct tally *tally)
{
	const struct stackmap_stack *stack;
	enum stackmap_verdict verdict;
	size_t i;

	json_open(json, "unresolved", '[');
	for (i = 0; i < tally->nr; i++) {
		stack = tally->cookies[i].stack;
		verdict = stackmap_stack_get_verdict(stack);
		if (verdict == STACKMAP_VERDICT_RESOLVED)
			continue;
		json_open(json, NULL, '{');
		json_number(json, "slot", stackmap_stack_get_slot(stack));
		if (stackmap_stack_has_generation(stack))
			json_number(json, "generation", stackmap_stack_get_generation(stack));
		else
			json_null(json, "generation");
		json_text(json, "verdict", stackmap_verdict_get_name(verdict));
		json_text(json, "reason", stackmap_stack_get_reason(stack));
		json_number(json, "events", tally->cookies[i].nr_events);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_trace_json(struct json *json, const char *path,
			     struct stackmap_resolver *resolver, const struct tally *tally)
{
	uint64_t fallbacks = 0;

	json_open(json, NULL, '{');
	json_text(json, "path", path);
	json_number(json, "events", tally->nr_events);
	json_number(json, "distinct", tally->nr);
	json_number(json, "full_stacks", tally->nr_full);
	json_number(json, "unknown_type", tally->nr_unknown);
	if (saves_add_fallbacks(resolver, &fallbacks))
		json_number(json, "fallbacks", fallbacks);
	else
		json_null(json, "fallbacks");
	print_verdicts_json(json, tally);
	print_unresolved_json(json, tally);
	saves_print_contradictions_json(json, resolver);
	saves_print_ties_json(json, resolver);
	json_close(json, '}');
}

/* ---- traces ---- */

static bool is_contradicted(struct stackmap_resolver *resolver)
{
	size_t i;

	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		if (stackmap_map_get_contradiction(stackmap_resolver_get_map(resolver, i)))
			return true;
	}
	return false;
}

static int verify_trace(struct verify *verify, const char *path)
{
	struct stackmap_resolver *resolver = cmd_maps_resolver(&verify->maps, path);
	struct tally tally = { 0 };
	int ret;

	if (!resolver)
		return CMD_FAILED;
	/* It is shown below: whoever asks is not told beside. */
	if (stackmap_resolver_nr_maps(resolver))
		stackmap_map_get_tie(stackmap_resolver_get_map(resolver, 0));
	ret = tally_read(&tally, path, resolver);
	if (ret == CMD_OK) {
		if (tally.nr)
			qsort(tally.cookies, tally.nr, sizeof(*tally.cookies), compare_cookies);
		if (verify->as_json)
			print_trace_json(&verify->json, path, resolver, &tally);
		else
			print_trace(verify, path, resolver, &tally);
		if (tally.nr_unresolved || tally.misses_cookies || is_contradicted(resolver))
			ret = CMD_FOUND;
	}
	tally_release(&tally);
	return ret;
}

/* ---- the command ---- */

/*
 * Those of @trace (NULL: none), or the maps that were named. False where one of them could not be
 * read, which was said: who uses it would say it again.
 */
static bool verify_maps_of(struct verify *verify, const char *trace, size_t *ret_nr)
{
	int earlier = verify->status;
	bool good;

	verify->status = CMD_OK;
	note_status(verify, cmd_maps_each_file(&verify->maps, trace, verify_file, verify, ret_nr));
	good = verify->status != CMD_FAILED;
	note_status(verify, earlier);
	return good;
}

/*
 * The maps that were named, once; else those of each trace. A trace whose maps cannot be read
 * becomes NULL.
 */
static int verify_maps(struct verify *verify, char **traces, int nr)
{
	const char *default_trace = nr ? NULL : DEFAULT_TRACE;
	size_t nr_named, nr_beside;
	bool good;
	int i;

	good = verify_maps_of(verify, default_trace, &nr_named);
	for (i = 0; i < nr; i++) {
		if (nr_named ? !good : !verify_maps_of(verify, traces[i], &nr_beside))
			traces[i] = NULL;
	}
	if (good && !nr && !nr_named)
		return cmd_error("no saved map beside " DEFAULT_TRACE "; give one with -m FILE");
	return CMD_OK;
}

static int verify_all(struct verify *verify, char **traces, int nr)
{
	struct json *json = &verify->json;
	int i;

	if (nr && cmd_maps_check_kallsyms(&verify->maps, (size_t)nr, "trace") != CMD_OK)
		return CMD_FAILED;
	if (verify->as_json) {
		json_open(json, NULL, '{');
		json_open(json, "files", '[');
	}
	note_status(verify, verify_maps(verify, traces, nr));
	if (verify->as_json) {
		json_close(json, ']');
		json_open(json, "traces", '[');
	}
	for (i = 0; i < nr; i++) {
		verify->maps.trace_nr = (size_t)i;
		verify->maps.trace_name = nr > 1 ? traces[i] : NULL;
		if (traces[i])
			note_status(verify, verify_trace(verify, traces[i]));
	}
	if (verify->as_json) {
		json_close(json, ']');
		json_close(json, '}');
		putchar('\n');
	}
	return verify->status;
}

static int run_verify(const struct command *cmd, int argc, char **argv)
{
	struct verify verify = { .maps = CMD_MAPS_INIT, .json = JSON_INIT, .status = CMD_OK };
	struct cmd_args args;
	int key, status = CMD_FAILED;

	if (cmd_args_init(&args, cmd, argc, argv))
		return CMD_FAILED;
	while ((key = cmd_args_next(&args)) >= 0) {
		if (key == KEY_JSON)
			verify.as_json = true;
		else if (key == KEY_COOKIES)
			verify.show_cookies = true;
		else if (cmd_maps_take(&verify.maps, key, args.value) < 0)
			break;
	}
	if (key == CMD_ARGS_END)
		status = verify_all(&verify, argv + cmd_args_first(&args),
				    argc - cmd_args_first(&args));
	cmd_args_release(&args);
	cmd_maps_release(&verify.maps);
	return status;
}

static const struct cmd_option verify_own_options[] = {
	{ KEY_COOKIES, "cookies", NULL, NULL, "list the cookies that do not resolve" },
	{ KEY_JSON, "json", NULL, NULL, "print one JSON object" },
	{ 0, NULL, NULL, NULL, NULL }
};

static const struct cmd_option *const verify_options[] = {
	verify_own_options,
	cmd_maps_options,
	cmd_proof_options,
	NULL
};

const struct command cmd_verify = {
	.name = "verify",
	.synopsis = "[OPTION...] [TRACE.DAT...]",
	.summary = "Check every byte of the saved maps, and every cookie of a trace",
	.help =
"\n"
"Without TRACE.DAT the maps alone are checked, and without -m those beside trace.dat.\n",
	.options = verify_options,
	.run = run_verify,
};
