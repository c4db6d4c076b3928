// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mksave STORE [WORD VALUE]... < EXPORT: one more save in a saved-map file, with what a test says
 * of its origin. Only what is given is known:
 *
 *	boot ID			as /proc/sys/kernel/random/boot_id has it
 *	release TEXT, machine TEXT
 *	began NS		when reading began, by all three clocks of the kernel
 *	boot-clock NS, mono NS, raw NS	by one of them, behind "began"
 *	saved NS		when it was saved, by CLOCK_BOOTTIME
 *	random 1		each boot of the kernel begins with a random generation
 *	symbols PATH		lines of stored symbols
 *	supersede 1		as a saver does: what it holds all of is superseded
 *	tie TRACE		and then all that the file holds was recorded with this trace
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "store/layout.h"
#include "store/reader.h"
#include "store/store.h"
#include "store/writer.h"
#include "tracedat/tracedat.h"

struct wish {
	struct smap_save_input	input;
	struct smap_buf		export;
	struct smap_buf		symbols;
	const char		*trace;
	bool			supersede;
};

static struct smap_error err;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "mksave: %s: %s\n", what, err.text);
	exit(2);
}

static uint64_t get_number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (*end || !*text)
		die("no number");
	return value;
}

static void set_boot_id(struct wish *wish, const char *value)
{
	if (smap_boot_id_parse(value, wish->input.origin.boot_id))
		die("no boot id");
	wish->input.origin.has_boot_id = true;
}

static void set_began(struct wish *wish, const char *value)
{
	const uint64_t ns = get_number(value);

	wish->input.read_times = (struct smap_read_times){ true, ns, ns, ns };
}

static void read_symbols(struct wish *wish, const char *path)
{
	if (smap_read_file(path, NULL, &wish->symbols, &err))
		die(path);
	wish->input.symbols = wish->symbols.data;
	wish->input.symbols_len = wish->symbols.len;
}

static void take(struct wish *wish, const char *word, char *value)
{
	if (!strcmp(word, "boot"))
		set_boot_id(wish, value);
	else if (!strcmp(word, "release"))
		wish->input.origin.release = value;
	else if (!strcmp(word, "machine"))
		wish->input.origin.machine = value;
	else if (!strcmp(word, "began"))
		set_began(wish, value);
	else if (!strcmp(word, "boot-clock"))
		wish->input.read_times.boot_ns = get_number(value);
	else if (!strcmp(word, "mono"))
		wish->input.read_times.mono_ns = get_number(value);
	else if (!strcmp(word, "raw"))
		wish->input.read_times.mono_raw_ns = get_number(value);
	else if (!strcmp(word, "saved"))
		wish->input.saved_boot_ns = get_number(value);
	else if (!strcmp(word, "random"))
		wish->input.origin.random_generation = get_number(value);
	else if (!strcmp(word, "symbols"))
		read_symbols(wish, value);
	else if (!strcmp(word, "supersede"))
		wish->supersede = get_number(value);
	else if (!strcmp(word, "tie"))
		wish->trace = value;
	else
		die(word);
}

/* Superseding is the writer's, and for an export that is parsed. */
static void append_as_saver(const char *path, struct wish *wish)
{
	struct smap_findings findings;
	struct smap_export *export;
	enum smap_byte_order order;
	struct smap_writer *writer;
	uint64_t len;

	if (smap_parse(wish->export.data, wish->export.len, &export, &order, &findings, &err))
		die("standard input");
	wish->input.parsed = export;
	wish->input.findings = &findings;
	wish->input.order = order;
	if (smap_writer_open(path, &writer, &err) ||
	    smap_writer_append(writer, &wish->input, &len, &err))
		die(path);
	smap_writer_close(writer);
	smap_export_free(export);
}

static void append(const char *path, struct wish *wish)
{
	if (smap_read_file("-", NULL, &wish->export, &err))
		die("standard input");
	wish->input.export = wish->export.data;
	wish->input.export_len = wish->export.len;
	if (wish->supersede)
		append_as_saver(path, wish);
	else if (smap_store_append(path, &wish->input, 1, &err))
		die(path);
}

static void tie(const char *path, const char *trace)
{
	struct smap_fingerprint fingerprint;
	struct smap_tracedat *tracedat;

	if (smap_tracedat_open(trace, &tracedat, &err) ||
	    smap_tracedat_fingerprint(tracedat, &fingerprint, &err) ||
	    smap_store_tie(path, &fingerprint, &err))
		die(trace);
	smap_tracedat_close(tracedat);
}

int main(int argc, char **argv)
{
	struct wish wish = {
		.input.saved_wall_ns = SMAP_TIME_UNKNOWN,
		.input.saved_boot_ns = SMAP_TIME_UNKNOWN,
		.export = SMAP_BUF_INIT,
		.symbols = SMAP_BUF_INIT,
	};
	int i;

	if (argc < 2 || argc % 2) {
		fprintf(stderr, "usage: mksave STORE [WORD VALUE]... < EXPORT\n");
		return 2;
	}
	for (i = 2; i < argc; i += 2)
		take(&wish, argv[i], argv[i + 1]);
	append(argv[1], &wish);
	if (wish.trace)
		tie(argv[1], wish.trace);
	smap_buf_free(&wish.export);
	smap_buf_free(&wish.symbols);
	return 0;
}
