// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Can this saved map be of this trace? Whatever both of them know must agree: release, machine,
 * byte order, word size, whether cookies have a generation, and the symbols.
 *
 * Symbols: an export that says where _stext was is of the boot that has it there; KASLR moves it.
 * A frame of a text export names its symbol's size, which changes with nearly every
 * build. An export of addresses is of another boot where its own symbols stand elsewhere than the
 * trace's, or, without own symbols, where an address lies in or next to the kernel's text and yet
 * in no symbol of it: with KASLR the text has moved.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/resolver.h"

/*
 * KASLR moves the image by multiples of 2 MiB or more. Modules and BPF programs live farther
 * away from it than this, or in symbols that the table has.
 */
#define TEXT_MARGIN	(4ULL << 20)

static void differ(struct smap_buf *words, const char *what, const char *map, const char *trace)
{
	smap_buf_addf(words, "%s ", what);
	smap_buf_add_escaped(words, map, strlen(map));
	smap_buf_add_str(words, ", not ");
	smap_buf_add_escaped(words, trace, strlen(trace));
}

static void check_strings(const struct stackmap_save *save, const struct smap_tracedat *trace,
			  struct smap_buf *words)
{
	const struct smap_origin *origin = &save->origin;

	if (origin->release && trace->release && strcmp(origin->release, trace->release))
		differ(words, "saved from release", origin->release, trace->release);
	else if (origin->machine && trace->machine && strcmp(origin->machine, trace->machine))
		differ(words, "saved from machine", origin->machine, trace->machine);
}

static void check_sizes(const struct stackmap_save *save, const struct smap_tracedat *trace,
			struct smap_buf *words)
{
	const struct smap_origin *origin = &save->origin;
	enum smap_byte_order order = trace->big_endian ? SMAP_ORDER_BIG : SMAP_ORDER_LITTLE;

	if (origin->byte_order != SMAP_ORDER_UNKNOWN && origin->byte_order != order)
		smap_buf_addf(words, "saved from a %s-endian machine",
			      trace->big_endian ? "little" : "big");
	else if (origin->word_size && trace->long_size && origin->word_size != trace->long_size)
		smap_buf_addf(words, "saved from a %u-bit kernel", origin->word_size * 8);
	else if (trace->has_stack_id && save->has_generation != trace->cookie_has_generation)
		smap_buf_addf(words, "saved from a stack map %s generations",
			      save->has_generation ? "with" : "without");
}

/* %pS prints no module behind them; they come and go, and kallsyms need not list them. */
static bool is_bpf_name(const char *name, size_t len)
{
	static const char *const starts[] = { "bpf_prog_", "bpf_trampoline_", "bpf_dispatcher_" };
	size_t i, start;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		start = strlen(starts[i]);
		if (len >= start && !memcmp(name, starts[i], start))
			return true;
	}
	return false;
}

/* True if the frame tells something, and agrees. */
static bool check_text_frame(const char *text, const struct smap_symbols *symbols,
			     struct smap_buf *words)
{
	struct smap_frame_parts parts;
	enum smap_symbol_match match;

	smap_frame_split(text, strlen(text), &parts);
	if (!parts.has_offset || parts.module_len || is_bpf_name(parts.name, parts.name_len))
		return false;
	match = smap_symbols_match(symbols, parts.name, parts.name_len, parts.size);
	if (match == SMAP_SYMBOL_MATCHES)
		return true;
	smap_buf_add_escaped(words, parts.name, parts.name_len);
	smap_buf_addf(words, match == SMAP_SYMBOL_ABSENT ?
		      " is no symbol of the trace's kernel" :
		      " has another size in the trace's kernel");
	return false;
}

static void check_texts(struct smap_source *source, const struct smap_symbols *symbols,
			struct smap_buf *words)
{
	const struct smap_export *export = source->export;
	size_t i;

	for (i = 0; i < export->nr_frames && !words->len; i++)
		if (export->frames[i].kind == SMAP_FRAME_TEXT)
			source->nr_symbols_compared +=
				check_text_frame(smap_frame_text(export, &export->frames[i]),
						 symbols, words);
}

void smap_symbols_contradict(const struct smap_symbols *own, const struct smap_symbols *symbols,
			     struct smap_buf *words)
{
	const struct smap_symbol *symbol;
	uint64_t address;
	size_t i;

	for (i = 0; i < smap_symbols_nr(own) && !words->len; i++) {
		symbol = smap_symbols_get(own, i);
		if (symbol->module)
			continue;
		if (smap_symbols_match(symbols, symbol->name, strlen(symbol->name), 0) ==
		    SMAP_SYMBOL_ABSENT) {
			smap_buf_add_escaped(words, symbol->name, strlen(symbol->name));
			smap_buf_add_str(words, " is no symbol of the trace's kernel");
			return;
		}
		address = smap_symbols_address(symbols, symbol->name);
		if (!address || address == symbol->start)
			continue;
		smap_buf_add_escaped(words, symbol->name, strlen(symbol->name));
		smap_buf_add_str(words, " stands at another address in the trace's kernel");
	}
}

/* The kernel's text with a margin; false where the trace's symbols do not say where it is. */
static bool kernel_text(const struct smap_symbols *symbols, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start = smap_symbols_address(symbols, "_stext");
	uint64_t end = smap_symbols_address(symbols, "_etext");

	if (start < TEXT_MARGIN || end < start || end > UINT64_MAX - TEXT_MARGIN)
		return false;
	*ret_start = start - TEXT_MARGIN;
	*ret_end = end + TEXT_MARGIN;
	return true;
}

static void check_addresses(struct smap_source *source, const struct smap_symbols *symbols,
			    struct smap_buf *words)
{
	const struct smap_export *export = source->export;
	const struct smap_frame *frame;
	uint64_t start, end;
	size_t i;

	if (!kernel_text(symbols, &start, &end))
		return;
	for (i = 0; i < export->nr_frames && !words->len; i++) {
		frame = &export->frames[i];
		if (frame->kind != SMAP_FRAME_ADDRESS || frame->value < start ||
		    frame->value >= end)
			continue;
		if (smap_symbols_find(symbols, frame->value)) {
			source->nr_symbols_compared++;
			continue;
		}
		smap_buf_addf(words, "0x%" PRIx64 " is in no function of the trace's kernel",
			      frame->value);
	}
}

bool smap_source_is_of(const struct smap_source *source, const struct smap_symbols *symbols)
{
	uint64_t stext = smap_symbols_address(symbols, "_stext");

	return !stext || !source->export->info.stext || stext == source->export->info.stext;
}

static bool is_text(const struct smap_export *export)
{
	size_t i;

	for (i = 0; i < export->nr_frames; i++)
		if (export->frames[i].kind == SMAP_FRAME_ADDRESS)
			return false;
	return true;
}

/*
 * What is stored beside a text is no part of it: it came from where the saver ran. What the trace
 * itself says of the map weighs more: tie.c.
 */
static void check_place(struct smap_source *source, const struct smap_symbols *symbols)
{
	uint64_t own = smap_symbols_address(source->symbols, "_stext");
	uint64_t address = smap_symbols_address(symbols, "_stext");

	source->is_moved = own && address && own != address;
	source->nr_symbols_compared += own && own == address;
}

/* Adds to @words what contradicts; 0 or -ENOMEM. */
static int check_symbols(struct smap_source *source, struct smap_buf *words)
{
	const struct smap_symbols *symbols;

	errno = 0;
	symbols = smap_resolver_trace_symbols(source->resolver);
	if (!symbols)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (!smap_source_is_of(source, symbols)) {
		smap_buf_add_str(words, "_stext stands at another address in the trace's kernel");
		return 0;
	}
	source->nr_symbols_compared += source->export->info.stext &&
				       smap_symbols_address(symbols, "_stext");
	check_texts(source, symbols, words);
	if (words->len)
		return 0;
	if (source->symbols && is_text(source->export)) {
		check_place(source, symbols);
	} else if (source->symbols) {
		smap_symbols_contradict(source->symbols, symbols, words);
		source->nr_symbols_compared += smap_symbols_nr(source->symbols);
	} else if (!source->tables[1]) {
		check_addresses(source, symbols, words);
	}
	return 0;
}

static int check(struct smap_source *source, struct smap_buf *words)
{
	const struct smap_tracedat *trace = source->resolver->trace;
	int ret;

	check_strings(source->save, trace, words);
	if (!words->len)
		check_sizes(source->save, trace, words);
	if (words->len)
		return 0;
	ret = smap_source_load(source);
	/* A map that cannot be read contradicts nothing; who wants its stacks learns why. */
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	return check_symbols(source, words);
}

int smap_source_contradicts(struct smap_source *source)
{
	struct smap_buf words = SMAP_BUF_INIT;
	int ret;

	if (!source->resolver->trace)
		return 0;
	if (source->checked != SMAP_STATE_NEW)
		return source->checked == SMAP_STATE_BAD;
	ret = check(source, &words);
	if (ret || smap_buf_failed(&words)) {
		smap_buf_free(&words);
		return smap_errno(-ENOMEM);
	}
	if (!words.len) {
		smap_buf_free(&words);
		source->checked = SMAP_STATE_GOOD;
		return 0;
	}
	source->contradiction = smap_buf_detach(&words, NULL);
	if (!source->contradiction)
		return smap_errno(-ENOMEM);
	source->checked = SMAP_STATE_BAD;
	return 1;
}
