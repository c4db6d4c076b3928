// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of a table -> ranges of addresses with one name each.
 *
 *	core	 f0      f1 f2          _etext
 *		 |-------|--|-----------|
 *	module a	                        a0   a1  ......page end
 *						|----|---~~~~~~|
 *	module b				              b0    b1 .....
 *						              |-----|--~~~|
 *		---- size as the kernel prints it   ~~~ end not known: covered, has no size
 *
 * Who ends a function: the next symbol of the same owner (the kernel itself, or one module), since
 * that is where kallsyms_lookup() ends it too. Not known is the end of the last function of a
 * module (the kernel takes the end of the module's text, which no line tells), of a function whose
 * next symbol is data or more than SMAP_FUNCTION_MAX away, and of a BPF program or trampoline, each
 * of which has memory of its own. Text lies in pages that hold nothing else: such a one covers the
 * rest of the page that it starts in, and no more.
 *
 * A module claims all from its first function to the end of its last. Where claims of two owners
 * lie over another, a module was loaded into the place of one that was still listed, and nothing
 * tells whose code it was: that area has no names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define PAGE_LEN	4096

/* No machine has modules below: a module that starts there is listed by offsets, not addresses. */
#define MODULE_LOWEST	(1U << 20)

#define NONE		SIZE_MAX

struct owner {
	size_t		open;		/* symbol whose end comes with the next line, NONE */
	uint64_t	end;		/* of its last symbol so far */
	bool		is_scattered;	/* its symbols have nothing to do with one another */
	bool		is_relative;
	bool		has_text;
	bool		is_claimed;
};

/* Addresses that one owner says are its own, [start, end). */
struct area {
	uint64_t	start;
	uint64_t	end;
};

struct build {
	struct smap_symbols	*symbols;
	struct owner		*owners;	/* 0: the kernel itself */
	uint32_t		*owner_of;	/* each symbol's */
	size_t			first_open_core;
};

/* ---- order ---- */

/*
 * Number of lines, from the first, that stand where they belong: the kernel prints its own symbols
 * sorted, and on most machines modules lie above them.
 */
static size_t count_in_place(const struct smap_symbol_line *lines, size_t nr)
{
	uint64_t lowest = UINT64_MAX;
	size_t sorted = nr != 0, i;

	while (sorted < nr && lines[sorted - 1].address <= lines[sorted].address)
		sorted++;
	if (sorted == nr)
		return nr;
	for (i = sorted; i < nr; i++)
		if (lines[i].address < lowest)
			lowest = lines[i].address;
	while (sorted && lines[sorted - 1].address > lowest)
		sorted--;
	return sorted;
}

#define DIGIT_BITS	11
#define NR_DIGITS	(1U << DIGIT_BITS)

static void sort_by_digit(const struct smap_symbol_line *from, struct smap_symbol_line *to,
			  size_t nr, unsigned int shift)
{
	size_t first[NR_DIGITS] = { 0 }, sum = 0, count, i;

	for (i = 0; i < nr; i++)
		first[from[i].address >> shift & (NR_DIGITS - 1)]++;
	for (i = 0; i < NR_DIGITS; i++) {
		count = first[i];
		first[i] = sum;
		sum += count;
	}
	for (i = 0; i < nr; i++)
		to[first[from[i].address >> shift & (NR_DIGITS - 1)]++] = from[i];
}

/* By digits, the lowest first; those in which no address differs are passed over. */
static int sort_lines(struct smap_symbol_line *lines, size_t nr)
{
	struct smap_symbol_line *from = lines, *to, *spare, *swap;
	uint64_t differs = 0;
	unsigned int shift;
	size_t i;

	spare = malloc(nr * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	for (i = 1; i < nr; i++)
		differs |= lines[i].address ^ lines[0].address;
	to = spare;
	for (shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!(differs >> shift & (NR_DIGITS - 1)))
			continue;
		sort_by_digit(from, to, nr, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != lines)
		memcpy(lines, from, nr * sizeof(*lines));
	free(spare);
	return 0;
}

static int sort_by_address(const struct smap_symbol_lines *table)
{
	size_t in_place = count_in_place(table->lines, table->nr);

	if (in_place == table->nr)
		return 0;
	return sort_lines(table->lines + in_place, table->nr - in_place);
}

static int compare_owners(const void *a, const void *b)
{
	const struct smap_symbol_line *line_a = a, *line_b = b;

	return (line_a->owner > line_b->owner) - (line_a->owner < line_b->owner);
}

/* Bring those of one owner together, in the rare case that owners share an address. */
static void sort_by_owner(struct smap_symbol_line *lines, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++) {
		if (lines[i].owner == lines[0].owner)
			continue;
		qsort(lines, nr, sizeof(*lines), compare_owners);
		return;
	}
}

static void group_owners(struct smap_symbol_lines *lines)
{
	size_t first, i;

	for (first = 0; first < lines->nr; first = i) {
		for (i = first + 1; i < lines->nr; i++)
			if (lines->lines[i].address != lines->lines[first].address)
				break;
		sort_by_owner(&lines->lines[first], i - first);
	}
}

/* ---- one name of several on an address ---- */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, const char *with)
{
	size_t len = strlen(name), with_len = strlen(with);

	return len >= with_len && !strcmp(name + len - with_len, with);
}

/* __start_x, __stop_x, __end_x, __x_start, __x_end: made by the linker script, mostly. */
static bool is_linker_name(const char *name)
{
	if (!begins(name, "__") || strlen(name) < 8)
		return false;
	return begins(name, "__start_") || begins(name, "__stop_") || begins(name, "__end_") ||
	       ends(name, "_start") || ends(name, "_end");
}

/* Second names that every module gives to the functions it is entered and left by. */
static bool is_module_entry(const struct smap_symbol_line *line, const char *name)
{
	return line->owner && (!strcmp(name, "init_module") || !strcmp(name, "cleanup_module"));
}

/*
 * THE rule of which name stands for an address that has several:
 *
 *	1. a name that is not weak;
 *	2. one that was not made by the linker script; in a module, not init_module or
 *	   cleanup_module, which stand behind the function's own name in its table;
 *	3. fewer leading underscores;
 *	4. the first in the order of bytes.
 *
 * 1 to 3 are how the kernel's build sorts its own table (compare_symbols() in scripts/kallsyms.c),
 * of which %pS prints the first; it leaves the rest in the order of nm -n, which is 4. The order of
 * the lines has no part in it.
 */
static bool is_preferred(const char *text, const struct smap_symbol_line *a,
			 const struct smap_symbol_line *b)
{
	const char *name_a = text + a->name, *name_b = text + b->name;
	bool last_a, last_b;
	size_t low_a, low_b;

	if (a->type != b->type)
		return a->type == SMAP_LINE_TEXT;
	last_a = is_linker_name(name_a) || is_module_entry(a, name_a);
	last_b = is_linker_name(name_b) || is_module_entry(b, name_b);
	if (last_a != last_b)
		return last_b;
	low_a = strspn(name_a, "_");
	low_b = strspn(name_b, "_");
	if (low_a != low_b)
		return low_a < low_b;
	return strcmp(name_a, name_b) < 0;
}

static bool is_name(const struct smap_symbol_line *line)
{
	return line->type == SMAP_LINE_TEXT || line->type == SMAP_LINE_WEAK;
}

/* NULL: no function among them. */
static const struct smap_symbol_line *choose_line(const char *text,
						  const struct smap_symbol_line *lines, size_t nr)
{
	const struct smap_symbol_line *best = NULL;
	size_t i;

	for (i = 0; i < nr; i++)
		if (is_name(&lines[i]) && (!best || is_preferred(text, &lines[i], best)))
			best = &lines[i];
	return best;
}

/* ---- ends ---- */

static uint64_t page_end(uint64_t address)
{
	uint64_t last = address | (PAGE_LEN - 1);

	return last == UINT64_MAX ? last : last + 1;
}

/* @next: where the owner goes on, with @bounds_text a symbol that a function is known to end at. */
static void end_symbol(struct smap_symbol *symbol, const struct owner *owner, uint64_t next,
		       bool bounds_text)
{
	symbol->has_size = bounds_text && !owner->is_scattered &&
			   next - symbol->start <= SMAP_FUNCTION_MAX;
	symbol->end = page_end(symbol->start);
	if (symbol->has_size || symbol->end > next)
		symbol->end = next;
}

static void close_symbol(struct build *build, struct owner *owner, uint64_t next, bool bounds_text)
{
	struct smap_symbol *symbol;

	if (owner->open == NONE)
		return;
	symbol = &build->symbols->symbols[owner->open];
	end_symbol(symbol, owner, next, bounds_text);
	owner->end = symbol->end;
	owner->open = NONE;
}

static void close_cores(struct build *build, uint64_t next, bool bounds_text)
{
	struct smap_symbols *symbols = build->symbols;
	struct smap_core_symbol *core;
	size_t i;

	for (i = build->first_open_core; i < symbols->nr_cores; i++) {
		core = &symbols->cores[i];
		core->size = SMAP_CORE_NO_SIZE;
		if (bounds_text && next - core->address <= SMAP_FUNCTION_MAX)
			core->size = (uint32_t)(next - core->address);
	}
	build->first_open_core = symbols->nr_cores;
}

/* ---- from lines to symbols ---- */

static bool has_text(const struct smap_symbol_line *lines, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (lines[i].type != SMAP_LINE_OTHER)
			return true;
	return false;
}

static void add_cores(struct build *build, const struct smap_symbol_line *lines, size_t nr)
{
	struct smap_symbols *symbols = build->symbols;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (lines[i].type == SMAP_LINE_OTHER)
			continue;
		symbols->cores[symbols->nr_cores++] = (struct smap_core_symbol){
			.address = lines[i].address,
			.name = lines[i].name,
		};
	}
}

static void open_symbol(struct build *build, const struct smap_symbol_line *line,
			const uint32_t *modules)
{
	struct smap_symbols *symbols = build->symbols;

	symbols->symbols[symbols->nr_symbols] = (struct smap_symbol){
		.start = line->address,
		.name = symbols->text + line->name,
		.module = line->owner ? symbols->text + modules[line->owner - 1] : NULL,
	};
	build->owner_of[symbols->nr_symbols] = line->owner;
	build->owners[line->owner].open = symbols->nr_symbols++;
}

/* All lines of one owner on one address. */
static void add_group(struct build *build, const struct smap_symbol_line *lines, size_t nr,
		      const uint32_t *modules)
{
	struct owner *owner = &build->owners[lines->owner];
	const struct smap_symbol_line *line;
	bool is_text = has_text(lines, nr);

	if (is_text && lines->owner && !owner->has_text)
		owner->is_relative = lines->address < MODULE_LOWEST;
	owner->has_text |= is_text;
	if (owner->is_relative)
		return;

	close_symbol(build, owner, lines->address, is_text);
	if (!lines->owner) {
		close_cores(build, lines->address, is_text);
		add_cores(build, lines, nr);
	}
	line = choose_line(build->symbols->text, lines, nr);
	if (line)
		open_symbol(build, line, modules);
}

static void add_groups(struct build *build, const struct smap_symbol_lines *table)
{
	const struct smap_symbol_line *lines = table->lines;
	size_t first, i;

	for (first = 0; first < table->nr; first = i) {
		for (i = first + 1; i < table->nr; i++)
			if (lines[i].address != lines[first].address ||
			    lines[i].owner != lines[first].owner)
				break;
		add_group(build, &lines[first], i - first, table->modules);
	}
	for (i = 0; i <= table->nr_modules; i++)
		close_symbol(build, &build->owners[i], UINT64_MAX, false);
	close_cores(build, UINT64_MAX, false);
}

/* ---- areas that two owners claim ---- */

static void add_claim(struct build *build, size_t nr, struct area *claims, size_t *nr_claims)
{
	const struct smap_symbol *symbol = &build->symbols->symbols[nr];
	uint32_t number = build->owner_of[nr];
	struct owner *owner = &build->owners[number];
	uint64_t end = symbol->end;

	if (number && !owner->is_scattered) {
		if (owner->is_claimed)
			return;
		owner->is_claimed = true;
		end = owner->end;
	}
	claims[(*nr_claims)++] = (struct area){ symbol->start, end };
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Reduce claims, sorted by their start, to the areas that lie in two of them or more. Written over
 * the claims already looked at: each adds one area at most.
 */
static size_t keep_disputed(struct area *claims, size_t nr_claims)
{
	uint64_t covered = 0;		/* end of what the claims so far reach over */
	size_t nr = 0, i;

	for (i = 0; i < nr_claims; i++) {
		struct area claim = claims[i];
		struct area twice = { claim.start, min_u64(claim.end, covered) };

		if (covered < claim.end)
			covered = claim.end;
		if (twice.start >= twice.end)
			continue;
		if (nr && twice.start <= claims[nr - 1].end) {
			if (claims[nr - 1].end < twice.end)
				claims[nr - 1].end = twice.end;
		} else {
			claims[nr++] = twice;
		}
	}
	return nr;
}

/* Cut each symbol where a disputed area begins; leave out those that begin in one. */
static void cut_symbols(struct smap_symbols *symbols, const struct area *areas, size_t nr_areas)
{
	struct smap_symbol *symbol;
	size_t kept = 0, area = 0, i;

	for (i = 0; i < symbols->nr_symbols; i++) {
		symbol = &symbols->symbols[i];
		while (area < nr_areas && areas[area].end <= symbol->start)
			area++;
		if (area < nr_areas && areas[area].start <= symbol->start)
			continue;
		if (area < nr_areas && areas[area].start < symbol->end) {
			symbol->end = areas[area].start;
			symbol->has_size = false;
		}
		symbols->symbols[kept++] = *symbol;
	}
	symbols->nr_symbols = kept;
}

static int drop_disputed(struct build *build)
{
	struct smap_symbols *symbols = build->symbols;
	size_t nr = 0, i;
	struct area *areas;

	areas = malloc((symbols->nr_symbols + 1) * sizeof(*areas));
	if (!areas)
		return -ENOMEM;
	for (i = 0; i < symbols->nr_symbols; i++)
		add_claim(build, i, areas, &nr);
	cut_symbols(symbols, areas, keep_disputed(areas, nr));
	free(areas);
	return 0;
}

/* ---- all of it ---- */

static int alloc_build(struct build *build, const struct smap_symbol_lines *lines)
{
	struct smap_symbols *symbols = build->symbols;
	size_t nr_text = 0, nr_core = 0, i;

	for (i = 0; i < lines->nr; i++) {
		nr_text += is_name(&lines->lines[i]);
		nr_core += lines->lines[i].type != SMAP_LINE_OTHER && !lines->lines[i].owner;
	}
	symbols->symbols = malloc((nr_text + 1) * sizeof(*symbols->symbols));
	symbols->cores = malloc((nr_core + 1) * sizeof(*symbols->cores));
	build->owner_of = malloc((nr_text + 1) * sizeof(*build->owner_of));
	build->owners = calloc(lines->nr_modules + 1, sizeof(*build->owners));
	if (!symbols->symbols || !symbols->cores || !build->owner_of || !build->owners)
		return -ENOMEM;
	for (i = 0; i <= lines->nr_modules; i++)
		build->owners[i].open = NONE;
	for (i = 0; i < lines->nr_modules; i++)
		build->owners[i + 1].is_scattered =
			smap_module_is_made(symbols->text + lines->modules[i]);
	return 0;
}

int smap_symbols_build(struct smap_symbols *symbols, struct smap_symbol_lines *lines)
{
	struct build build = { .symbols = symbols };
	int ret;

	ret = alloc_build(&build, lines);
	if (!ret)
		ret = sort_by_address(lines);
	if (!ret) {
		if (lines->nr_modules)
			group_owners(lines);
		add_groups(&build, lines);
		if (lines->nr_modules)
			ret = drop_disputed(&build);
	}
	free(build.owner_of);
	free(build.owners);
	return ret;
}
