// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies made by hand become a saved-map file.
 *
 *	add_file:	bytes -> which kind? -> exports[]	each one save of the result
 *					     -> stats[]		looking for its export
 *					     -> symbols		of all of them
 *	write:		stats[] are matched with exports[], symbols reduced to those that cover the
 *			addresses of an export; then all is appended in one go
 *
 * The exports are kept as they were read: the store wants them verbatim.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/buf.h"
#include "core/error.h"
#include "core/export.h"
#include "parse/parse.h"
#include "stackmap.h"
#include "store/layout.h"
#include "store/reader.h"
#include "store/store.h"
#include "symbol/symbol.h"
#include "tracedat/tracedat.h"

/* Generations that a log line names one by one. */
#define NAMED_GENERATIONS	4

struct file {
	char			*path;		/* as messages call it */
	size_t			stem_len;	/* of the path, without its ending */
	struct smap_buf		bytes;
};

struct export_file {
	struct file		file;
	uint32_t		*generations;
	size_t			nr_generations;	/* 0 where the format has none */
	uint64_t		*addresses;	/* each distinct one of a binary export */
	size_t			nr_addresses;
	uint64_t		stext;		/* where _stext was, 0: not known */
	size_t			stat;		/* number of its stat file + 1, 0: none */
	struct smap_buf		symbols;
};

struct stat_file {
	struct file		file;
	uint64_t		generation;
	bool			has_generation;
	bool			matched;
};

struct stackmap_import {
	struct smap_error	err;
	stackmap_log_fn		log;
	void			*log_data;
	struct smap_origin	origin;
	struct export_file	*exports;
	size_t			nr_exports;
	size_t			exports_capacity;
	struct stat_file	*stats;
	size_t			nr_stats;
	size_t			stats_capacity;
	struct smap_symbols	*symbols;	/* NULL: none given that can be used */
	char			*symbols_path;	/* where they came from */
};

static void file_release(struct file *file)
{
	free(file->path);
	smap_buf_free(&file->bytes);
}

static void export_release(struct export_file *export)
{
	file_release(&export->file);
	free(export->generations);
	free(export->addresses);
	smap_buf_free(&export->symbols);
}

SMAP_PUBLIC struct stackmap_import *stackmap_import_new(void)
{
	return calloc(1, sizeof(struct stackmap_import));
}

SMAP_PUBLIC void stackmap_import_free(struct stackmap_import *import)
{
	int saved_errno = errno;
	size_t i;

	if (!import)
		return;
	for (i = 0; i < import->nr_exports; i++)
		export_release(&import->exports[i]);
	for (i = 0; i < import->nr_stats; i++)
		file_release(&import->stats[i].file);
	free(import->exports);
	free(import->stats);
	smap_symbols_free(import->symbols);
	free(import->symbols_path);
	smap_origin_release(&import->origin);
	free(import);
	errno = saved_errno;
}

SMAP_PUBLIC const char *stackmap_import_get_error(const struct stackmap_import *import)
{
	return import->err.text;
}

SMAP_PUBLIC void stackmap_import_set_log(struct stackmap_import *import, stackmap_log_fn fn,
					 void *data)
{
	import->log = fn;
	import->log_data = data;
}

SMAP_PUBLIC size_t stackmap_import_nr_exports(const struct stackmap_import *import)
{
	return import->nr_exports;
}

SMAP_PUBLIC int stackmap_import_set_boot_id(struct stackmap_import *import, const char *boot_id)
{
	if (!boot_id || smap_boot_id_parse(boot_id, import->origin.boot_id))
		return smap_error_set(&import->err, -EINVAL, "%s: no boot id",
				      boot_id ? boot_id : "(null)");
	import->origin.has_boot_id = true;
	return 0;
}

static int set_string(struct stackmap_import *import, char **string, const char *value,
		      const char *name)
{
	char *copy;

	if (!value || !*value || strlen(value) > UINT16_MAX)
		return smap_error_set(&import->err, -EINVAL, "no %s, or one of more than %u bytes",
				      name, UINT16_MAX);
	copy = strdup(value);
	if (!copy)
		return smap_error_nomem(&import->err);
	free(*string);
	*string = copy;
	return 0;
}

SMAP_PUBLIC int stackmap_import_set_release(struct stackmap_import *import, const char *release)
{
	return set_string(import, &import->origin.release, release, "release");
}

SMAP_PUBLIC int stackmap_import_set_version(struct stackmap_import *import, const char *version)
{
	return set_string(import, &import->origin.version, version, "version");
}

SMAP_PUBLIC int stackmap_import_set_machine(struct stackmap_import *import, const char *machine)
{
	return set_string(import, &import->origin.machine, machine, "machine");
}

static void __attribute__((format(printf, 3, 4)))
log_file(const struct stackmap_import *import, const char *path, const char *fmt, ...)
{
	char words[SMAP_ERROR_SIZE];
	struct smap_error line;
	va_list ap;

	if (!import->log)
		return;
	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	/* The place for words that need no memory, and are escaped. */
	smap_error_set(&line, 0, "%s", words);
	smap_error_prefix(&line, 0, "%s", path);
	import->log(line.text, import->log_data);
}

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* ---- what was found ---- */

/* At most "generations ", NAMED_GENERATIONS numbers and how many there are beside. */
struct generation_words {
	char	text[128];
};

static void name_generations(struct generation_words *words, const struct smap_export *export)
{
	size_t size = sizeof(words->text), used, i;

	words->text[0] = '\0';
	if (!export->has_generation || !export->nr_maps)
		return;
	used = (size_t)snprintf(words->text, size, ", generation%s", plural(export->nr_maps));
	for (i = 0; i < export->nr_maps && i < NAMED_GENERATIONS; i++)
		used += (size_t)snprintf(words->text + used, size - used, "%s %" PRIu32,
					 i ? "," : "", export->maps[i].generation);
	if (i < export->nr_maps)
		snprintf(words->text + used, size - used, " and %zu more", export->nr_maps - i);
}

static void log_export(const struct stackmap_import *import, const struct file *file,
		       const struct smap_export *export, enum smap_byte_order order)
{
	const struct smap_parse_ops *format = smap_parse_probe(file->bytes.data, file->bytes.len);
	static const char *const orders[] = {
		[SMAP_ORDER_UNKNOWN]	= "",
		[SMAP_ORDER_LITTLE]	= ", little endian",
		[SMAP_ORDER_BIG]	= ", big endian",
	};
	struct generation_words generations;

	name_generations(&generations, export);
	log_file(import, file->path, "%s%s%s, %zu stack%s", format->title, orders[order],
		 generations.text, export->nr_stacks, plural(export->nr_stacks));
}

static void log_findings(const struct stackmap_import *import, const char *path,
			 const struct smap_export *export, const struct smap_findings *findings)
{
	struct smap_error words;
	int kind;

	if (findings->crlf)
		log_file(import, path, "lines end in CR LF");
	if (findings->no_last_newline)
		log_file(import, path, "no newline at the end");
	for (kind = 0; kind < SMAP_NR_FINDINGS; kind++) {
		if (smap_findings_get_words(findings, kind, &words))
			log_file(import, path, "%s", words.text);
	}
	if (export->nr_repeated)
		log_file(import, path, "%zu repeated record%s merged", export->nr_repeated,
			 plural(export->nr_repeated));
	if (export->nr_conflicts)
		log_file(import, path, "%zu cookie%s with conflicting records",
			 export->nr_conflicts, plural(export->nr_conflicts));
}

/* ---- taking files ---- */

static bool has_ending(const char *name, size_t len, const char *ending)
{
	size_t ending_len = strlen(ending);

	return len >= ending_len && !memcmp(name + len - ending_len, ending, ending_len);
}

/*
 * "gens.1.stack_map", "gens.1.stack_map_bin" and "gens.1.stack_map_stat" belong together, and so do
 * the three in one folder that are only called so. Other names: up to the last dot.
 */
static size_t stem_len(const char *path)
{
	static const char *const endings[] = { "stack_map", "stack_map_bin", "stack_map_stat" };
	const char *slash = strrchr(path, '/'), *dot;
	size_t len = strlen(path), i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (has_ending(path, len, endings[i]))
			return len - strlen(endings[i]);
	dot = strrchr(slash ? slash : path, '.');
	return dot ? (size_t)(dot - path) : len;
}

static bool same_stem(const struct file *a, const struct file *b)
{
	return a->stem_len == b->stem_len && !memcmp(a->path, b->path, a->stem_len);
}

static int keep_generations(struct export_file *file, const struct smap_export *export)
{
	size_t i;

	if (!export->has_generation)
		return 0;
	file->generations = calloc(export->nr_maps + 1, sizeof(*file->generations));
	if (!file->generations)
		return -ENOMEM;
	for (i = 0; i < export->nr_maps; i++)
		file->generations[i] = export->maps[i].generation;
	file->nr_generations = export->nr_maps;
	return 0;
}

static int keep_addresses(struct export_file *file, const struct smap_export *export)
{
	size_t i;

	file->addresses = calloc(export->nr_frames + 1, sizeof(*file->addresses));
	if (!file->addresses)
		return -ENOMEM;
	for (i = 0; i < export->nr_frames; i++)
		if (export->frames[i].kind == SMAP_FRAME_ADDRESS)
			file->addresses[file->nr_addresses++] = export->frames[i].value;
	return 0;
}

/* Take over @file, if 0 is returned. */
static int take_parsed(struct stackmap_import *import, struct file *file,
		       const struct smap_export *export)
{
	struct export_file *taken;

	if (SMAP_ARRAY_GROW(import->exports, import->exports_capacity, import->nr_exports + 1))
		return -ENOMEM;
	taken = &import->exports[import->nr_exports];
	memset(taken, 0, sizeof(*taken));
	if (keep_generations(taken, export) || keep_addresses(taken, export)) {
		export_release(taken);
		return -ENOMEM;
	}
	taken->file = *file;
	taken->stext = export->info.stext;
	import->nr_exports++;
	return 0;
}

static int take_export(struct stackmap_import *import, struct file *file)
{
	struct smap_findings findings;
	enum smap_byte_order order;
	struct smap_export *export;
	int ret;

	ret = smap_parse(file->bytes.data, file->bytes.len, &export, &order, &findings,
			 &import->err);
	if (ret)
		return smap_error_prefix(&import->err, ret, "%s", file->path);
	ret = take_parsed(import, file, export);
	if (ret) {
		smap_error_nomem(&import->err);
	} else {
		log_export(import, file, export, order);
		log_findings(import, file->path, export, &findings);
	}
	smap_export_free(export);
	return ret ? ret : STACKMAP_FILE_EXPORT;
}

static int take_stat(struct stackmap_import *import, struct file *file)
{
	struct stat_file *taken;
	struct smap_stat stat;
	int ret;

	ret = smap_stat_parse(file->bytes.data, file->bytes.len, &stat, &import->err);
	if (ret)
		return smap_error_prefix(&import->err, ret, "%s", file->path);
	if (SMAP_ARRAY_GROW(import->stats, import->stats_capacity, import->nr_stats + 1))
		return smap_error_nomem(&import->err);
	taken = &import->stats[import->nr_stats++];
	memset(taken, 0, sizeof(*taken));
	taken->file = *file;
	taken->has_generation = stat.has & 1U << SMAP_STAT_GENERATION;
	if (taken->has_generation)
		taken->generation = stat.value[SMAP_STAT_GENERATION];
	log_file(import, file->path, "stack_map_stat");
	return STACKMAP_FILE_STAT;
}

static int take_kallsyms(struct stackmap_import *import, struct file *file)
{
	struct smap_error why = { "" };
	int ret;

	if (import->symbols)
		return smap_error_set(&import->err, -EINVAL,
				      "%s: a second kallsyms; all files must be of one boot",
				      file->path);
	ret = smap_symbols_from_kallsyms(file->bytes.data, file->bytes.len, &import->symbols, &why);
	if (ret == -ENODATA) {
		log_file(import, file->path, "not used: %s", why.text);
		file_release(file);
		return STACKMAP_FILE_KALLSYMS;
	}
	if (ret) {
		import->err = why;
		return smap_error_prefix(&import->err, ret, "%s", file->path);
	}
	log_file(import, file->path, "kallsyms, %zu symbols", smap_symbols_nr(import->symbols));
	/* The bytes have done their work. */
	smap_buf_free(&file->bytes);
	import->symbols_path = file->path;
	return STACKMAP_FILE_KALLSYMS;
}

static bool is_wanted(const void *data, size_t len)
{
	return !len || smap_parse_probe(data, len) || smap_stat_probe(data, len) ||
	       smap_kallsyms_probe(data, len);
}

/* What people give by mistake, named. */
static const char *other_kind(const void *data, size_t len)
{
	if (smap_store_probe(data, len))
		return "a saved-map file already";
	if (smap_tracedat_probe(data, len))
		return "a trace.dat; its stack_map has to be copied from the kernel";
	if (len >= 4 && (!memcmp(data, "\x28\xb5\x2f\xfd", 4) || !memcmp(data, "\xfd" "7zX", 4) ||
			 !memcmp(data, "\x1f\x8b\x08", 3)))
		return "compressed: unpack it first";
	return "neither stack_map, stack_map_bin, stack_map_stat nor kallsyms";
}

static int take_bytes(struct stackmap_import *import, struct file *file)
{
	const char *data = file->bytes.data;
	size_t len = file->bytes.len;

	if (!len) {
		log_file(import, file->path, "empty: no map was allocated, nothing to store");
		file_release(file);
		return STACKMAP_FILE_EMPTY;
	}
	if (smap_parse_probe(data, len))
		return take_export(import, file);
	if (smap_stat_probe(data, len))
		return take_stat(import, file);
	return take_kallsyms(import, file);
}

SMAP_PUBLIC int stackmap_import_add_file(struct stackmap_import *import, const char *path)
{
	struct file file = { .bytes = SMAP_BUF_INIT };
	int ret;

	if (!path)
		return smap_error_set(&import->err, -EINVAL, "no path");
	file.path = strdup(smap_path_name(path));
	if (!file.path)
		return smap_error_nomem(&import->err);
	file.stem_len = stem_len(file.path);
	ret = smap_read_file(path, is_wanted, &file.bytes, &import->err);
	if (!ret)
		ret = take_bytes(import, &file);
	else if (ret == -EINVAL && file.bytes.len)
		smap_error_set(&import->err, ret, "%s: %s", file.path,
			       other_kind(file.bytes.data, file.bytes.len));
	if (ret < 0) {
		file_release(&file);
		return smap_errno(ret);
	}
	return ret;
}

/* ---- a stat file looks for its export ---- */

static bool has_generation(const struct export_file *export, uint64_t generation)
{
	size_t i;

	for (i = 0; i < export->nr_generations; i++)
		if (export->generations[i] == generation)
			return true;
	return false;
}

/* Its numbers would be shown as the export's: they have to be. */
static int check_fit(struct stackmap_import *import, const struct stat_file *given,
		     const struct export_file *export)
{
	if (given->has_generation != (export->nr_generations != 0))
		return smap_error_set(&import->err, -EINVAL, "%s: of another series than %s",
				      given->file.path, export->file.path);
	if (given->has_generation && !has_generation(export, given->generation))
		return smap_error_set(&import->err, -EINVAL,
				      "%s: of generation %" PRIu64 ", which %s does not hold",
				      given->file.path, given->generation, export->file.path);
	return 0;
}

static int give(struct stackmap_import *import, size_t stat, struct export_file *export)
{
	struct stat_file *given = &import->stats[stat];
	int ret = check_fit(import, given, export);

	if (ret)
		return ret;
	if (export->stat)
		return smap_error_set(&import->err, -EINVAL, "%s: %s has a stat file already",
				      given->file.path, export->file.path);
	export->stat = stat + 1;
	given->matched = true;
	return 0;
}

static int match_by_name(struct stackmap_import *import, size_t stat)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < import->nr_exports; i++)
		if (same_stem(&import->exports[i].file, &import->stats[stat].file))
			ret = give(import, stat, &import->exports[i]);
	return ret;
}

static int match_by_generation(struct stackmap_import *import, size_t stat)
{
	const struct stat_file *looking = &import->stats[stat];
	struct export_file *found = NULL, *export;
	size_t i;

	if (looking->matched || !looking->has_generation)
		return 0;
	for (i = 0; i < import->nr_exports; i++) {
		export = &import->exports[i];
		if (export->stat || !has_generation(export, looking->generation))
			continue;
		if (found)
			return smap_error_set(&import->err, -EINVAL,
					      "%s: fits %s and %s: name it like the one it is of",
					      looking->file.path, found->file.path,
					      export->file.path);
		found = export;
	}
	return found ? give(import, stat, found) : 0;
}

static int match_the_only_one(struct stackmap_import *import, size_t stat)
{
	const struct stat_file *looking = &import->stats[stat];

	if (looking->matched)
		return 0;
	if (import->nr_exports == 1)
		return give(import, stat, &import->exports[0]);
	return smap_error_set(&import->err, -EINVAL,
			      "%s: fits no export: name it like the one it was copied with",
			      looking->file.path);
}

static int match_stats(struct stackmap_import *import)
{
	static int (*const rules[])(struct stackmap_import *import, size_t stat) = {
		match_by_name, match_by_generation, match_the_only_one,
	};
	size_t rule, i;
	int ret = 0;

	for (i = 0; i < import->nr_exports; i++)
		import->exports[i].stat = 0;
	for (i = 0; i < import->nr_stats; i++)
		import->stats[i].matched = false;
	for (rule = 0; rule < sizeof(rules) / sizeof(rules[0]); rule++)
		for (i = 0; !ret && i < import->nr_stats; i++)
			ret = rules[rule](import, i);
	return ret;
}

/* ---- writing ---- */

/* Names of another boot would be wrong for ever. */
static int check_symbols(struct stackmap_import *import, const struct export_file *export)
{
	uint64_t stext = smap_symbols_address(import->symbols, "_stext");

	if (!stext || !export->stext || stext == export->stext)
		return 0;
	return smap_error_set(&import->err, -EINVAL,
			      "%s: of another boot than %s: _stext stands at another address",
			      import->symbols_path, export->file.path);
}

static int make_symbols(struct stackmap_import *import, struct export_file *export)
{
	size_t named = 0, i;
	int ret;

	if (!export->nr_addresses)
		return 0;
	if (!import->symbols) {
		log_file(import, export->file.path,
			 "%zu address%s without names: add the kallsyms of the same boot",
			 export->nr_addresses, export->nr_addresses == 1 ? "" : "es");
		return 0;
	}
	ret = check_symbols(import, export);
	if (ret)
		return ret;
	smap_buf_reset(&export->symbols);
	smap_symbols_write(import->symbols, export->addresses, export->nr_addresses,
			   &export->symbols);
	if (smap_buf_failed(&export->symbols))
		return smap_error_nomem(&import->err);
	for (i = 0; i < export->nr_addresses; i++)
		named += smap_symbols_find(import->symbols, export->addresses[i]) != NULL;
	log_file(import, export->file.path, "%zu of %zu addresses named", named,
		 export->nr_addresses);
	return 0;
}

static int make_all_symbols(struct stackmap_import *import)
{
	size_t nr_addresses = 0, i;
	int ret = 0;

	for (i = 0; !ret && i < import->nr_exports; i++) {
		ret = make_symbols(import, &import->exports[i]);
		nr_addresses += import->exports[i].nr_addresses;
	}
	if (!ret && import->symbols && !nr_addresses)
		log_file(import, import->symbols_path,
			 "not needed: all frames carry their names");
	return ret;
}

static void make_input(const struct stackmap_import *import, const struct export_file *export,
		       struct smap_save_input *input)
{
	*input = (struct smap_save_input){
		.origin		= import->origin,
		.saved_wall_ns	= SMAP_TIME_UNKNOWN,
		.saved_boot_ns	= SMAP_TIME_UNKNOWN,
		.export		= export->file.bytes.data,
		.export_len	= export->file.bytes.len,
		.symbols	= export->symbols.data,
		.symbols_len	= export->symbols.len,
	};
	if (export->stat) {
		input->stat = import->stats[export->stat - 1].file.bytes.data;
		input->stat_len = import->stats[export->stat - 1].file.bytes.len;
	}
}

static int write_saves(struct stackmap_import *import, const char *path)
{
	struct smap_save_input *inputs = calloc(import->nr_exports, sizeof(*inputs));
	size_t i;
	int ret;

	if (!inputs)
		return smap_error_nomem(&import->err);
	for (i = 0; i < import->nr_exports; i++)
		make_input(import, &import->exports[i], &inputs[i]);
	ret = smap_store_append(path, inputs, import->nr_exports, &import->err);
	free(inputs);
	return ret;
}

SMAP_PUBLIC int stackmap_import_write(struct stackmap_import *import, const char *path)
{
	int ret;

	if (!path)
		return smap_error_set(&import->err, -EINVAL, "no path");
	if (!import->nr_exports)
		return smap_error_set(&import->err, -ENODATA,
				      "%s: not written: no stack_map was given", path);
	ret = match_stats(import);
	if (!ret)
		ret = make_all_symbols(import);
	if (!ret)
		ret = write_saves(import, path);
	return ret ? smap_errno(ret) : 0;
}
