// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The text of /proc/kallsyms.
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0401000 t nfs_open	[nfs]
 *	ffffffffc0201000 t bpf_prog_07df9015606e4140	[bpf]
 *
 * A line is an address, a type as nm(1) has it, a name and, for a module, its name in brackets,
 * with any white space between them. In what order they stand does not matter: a map is named
 * alike by a table that was sorted, shuffled or read in pieces.
 *
 * Here each line is sorted into one of four types, or left out; ranges.c does the rest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/error.h"
#include "core/hash.h"
#include "table.h"

/* So many names on a single address, and no other address: that is no table. */
#define SAME_ADDRESS_MAX	16

/*
 * A table being read. Only names that can be asked for are copied to @text, which has room for all.
 * Those of modules are found again through @slots: number + 1, 0: empty.
 */
struct reader {
	char			*text;
	size_t			text_len;
	struct smap_symbol_lines lines;
	uint32_t		*slots;
	unsigned int		slots_bits;
	uint64_t		seed;
	uint32_t		last_owner;	/* lines of one module stand together */
	/* Of all lines that can carry an address, to recognise a table without. */
	size_t			nr_addresses;
	uint64_t		any_address;	/* bits that are set in one of them */
	uint64_t		first_address;
	bool			has_two;	/* not all are the same */
};

struct kallsyms_line {
	uint64_t	address;
	char		type;
	const char	*name;
	const char	*name_end;
	const char	*module;	/* NULL: none */
	const char	*module_end;
};

static const char *skip_blanks(const char *pos, const char *end)
{
	while (pos < end && smap_is_blank(*pos))
		pos++;
	return pos;
}

/* "[name]" and nothing behind it. */
static bool parse_module(const char *pos, const char *end, struct kallsyms_line *line)
{
	const char *word_end = smap_symbol_skip_word(pos, end);

	if (!word_end || word_end - pos < 3 || pos[0] != '[' || word_end[-1] != ']')
		return false;
	line->module = pos + 1;
	line->module_end = word_end - 1;
	return skip_blanks(word_end, end) == end;
}

static bool parse_line(const char *pos, const char *end, struct kallsyms_line *line)
{
	pos = smap_symbol_parse_hex(skip_blanks(pos, end), end, &line->address);
	if (!pos || pos == end || !smap_is_blank(*pos))
		return false;
	pos = skip_blanks(pos, end);
	if (end - pos < 2 || !*pos || !smap_is_blank(pos[1]))
		return false;
	line->type = *pos;
	line->name = skip_blanks(pos + 1, end);
	line->name_end = smap_symbol_skip_word(line->name, end);
	if (!line->name_end || line->name_end == line->name)
		return false;
	line->module = NULL;
	pos = skip_blanks(line->name_end, end);
	return pos == end || parse_module(pos, end, line);
}

bool smap_kallsyms_probe(const void *data, size_t len)
{
	const char *text = data, *end;
	struct kallsyms_line line;

	if (!len)
		return false;
	end = memchr(text, '\n', len);
	return parse_line(text, end ? end : text + len, &line);
}

/* ---- what a line is ---- */

/*
 * Marks that the assembler leaves for disassemblers ($x, $d.1, $xrv64i2p1, .L0): the kernel's
 * is_mapping_symbol() passes over them too.
 */
static bool is_mapping_symbol(const char *name, size_t len)
{
	if (name[0] == '$')
		return true;
	return len >= 2 && (!memcmp(name, ".L", 2) || !memcmp(name, "L0", 2));
}

/*
 * Names that the linker script puts behind the last function of a section. Their type is that of
 * whatever follows: T, D, R, A.
 */
static bool is_text_end(const char *name, size_t len)
{
	static const char *const names[] = {
		"_etext", "__etext", "_einittext", "__einittext", "_eexittext", "_end", "__end",
		"_edata", "__init_end", "__bss_stop", "__end_rodata", "__end_of_kernel_reserve",
	};
	size_t i;

	/* Nearly every name is none: decide that by its last letters. */
	if (len < 4 || name[0] != '_' || !memchr("tdpae", name[len - 1], 5))
		return false;
	if (len > 5 && !memcmp(name, "__pi_", 5)) {
		name += 5;
		len -= 5;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !memcmp(name, names[i], len))
			return true;
	/* __sched_text_end, __inittext_end; no function has such a name. */
	return len > 10 && !memcmp(name, "__", 2) && !memcmp(name + len - 8, "text_end", 8);
}

/* False: the line says nothing about where code is. */
static bool classify(const struct kallsyms_line *line, enum smap_line_type *ret_type)
{
	size_t len = (size_t)(line->name_end - line->name);

	if (!line->address || line->address == UINT64_MAX || is_mapping_symbol(line->name, len))
		return false;
	if (!line->module && is_text_end(line->name, len)) {
		*ret_type = SMAP_LINE_TEXT_END;
		return true;
	}
	switch (line->type) {
	case 'T':
	case 't':
		*ret_type = SMAP_LINE_TEXT;
		return true;
	case 'W':
	case 'w':
		*ret_type = SMAP_LINE_WEAK;
		return true;
	case 'A':		/* a number: an offset of per-CPU data, a checksum */
	case 'a':
	case 'U':		/* another file's symbol */
		return false;
	default:
		*ret_type = SMAP_LINE_OTHER;
		return true;
	}
}

static void note_address(struct reader *reader, const struct kallsyms_line *line)
{
	if (line->type == 'A' || line->type == 'a' || line->type == 'U')
		return;
	if (!reader->nr_addresses++)
		reader->first_address = line->address;
	reader->any_address |= line->address;
	reader->has_two |= line->address != reader->first_address;
}

static uint32_t add_text(struct reader *reader, const char *text, size_t len)
{
	size_t offset = reader->text_len;

	memcpy(reader->text + offset, text, len);
	reader->text[offset + len] = '\0';
	reader->text_len += len + 1;
	return (uint32_t)offset;
}

/* ---- modules ---- */

static bool is_module(const struct reader *reader, uint32_t owner, const char *name, size_t len)
{
	const char *known = reader->text + reader->lines.modules[owner - 1];

	return !strncmp(known, name, len) && !known[len];
}

static size_t module_home(const struct reader *reader, const char *name, size_t len)
{
	return smap_hash_bucket(smap_hash_bytes(name, len, reader->seed), reader->seed,
				reader->slots_bits);
}

static int grow_slots(struct reader *reader)
{
	unsigned int bits = smap_hash_bits(reader->lines.nr_modules * 2 + 1);
	size_t mask = ((size_t)1 << bits) - 1, at, i;
	uint32_t *slots = calloc(mask + 1, sizeof(*slots));
	const char *name;

	if (!slots)
		return -ENOMEM;
	free(reader->slots);
	reader->slots = slots;
	reader->slots_bits = bits;
	for (i = 0; i < reader->lines.nr_modules; i++) {
		name = reader->text + reader->lines.modules[i];
		at = module_home(reader, name, strlen(name));
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = (uint32_t)i + 1;
	}
	return 0;
}

static int add_module(struct reader *reader, size_t at, const char *name, size_t len)
{
	struct smap_symbol_lines *lines = &reader->lines;

	if (lines->nr_modules == SMAP_OWNER_MAX)
		return -EBADMSG;
	if (SMAP_ARRAY_GROW(lines->modules, lines->modules_capacity, lines->nr_modules + 1))
		return -ENOMEM;
	lines->modules[lines->nr_modules++] = add_text(reader, name, len);
	reader->slots[at] = (uint32_t)lines->nr_modules;
	reader->last_owner = (uint32_t)lines->nr_modules;
	return 0;
}

/* Number the module of the line; the number is left in last_owner. */
static int find_module(struct reader *reader, const char *name, size_t len)
{
	size_t at;

	if (reader->last_owner && is_module(reader, reader->last_owner, name, len))
		return 0;
	if ((!reader->slots_bits ||
	     reader->lines.nr_modules + 1 > ((size_t)1 << reader->slots_bits) / 2) &&
	    grow_slots(reader))
		return -ENOMEM;
	at = module_home(reader, name, len);
	while (reader->slots[at]) {
		if (is_module(reader, reader->slots[at], name, len)) {
			reader->last_owner = reader->slots[at];
			return 0;
		}
		at = (at + 1) & (((size_t)1 << reader->slots_bits) - 1);
	}
	return add_module(reader, at, name, len);
}

/* ---- reading ---- */

static int add_line(struct reader *reader, const struct kallsyms_line *line)
{
	struct smap_symbol_lines *lines = &reader->lines;
	struct smap_symbol_line *out;
	enum smap_line_type type;
	int ret;

	note_address(reader, line);
	if (!classify(line, &type))
		return 0;
	if (line->module) {
		ret = find_module(reader, line->module, (size_t)(line->module_end - line->module));
		if (ret)
			return ret;
	}
	if (SMAP_ARRAY_GROW(lines->lines, lines->capacity, lines->nr + 1))
		return -ENOMEM;
	out = &lines->lines[lines->nr++];
	*out = (struct smap_symbol_line){
		.address = line->address,
		.owner = line->module ? reader->last_owner : 0,
		.type = type,
	};
	if (type != SMAP_LINE_OTHER)
		out->name = add_text(reader, line->name, (size_t)(line->name_end - line->name));
	return 0;
}

/*
 * The last line where its newline is missing: the name can be cut. Its address still bounds the
 * symbol below.
 */
static int add_cut_line(struct reader *reader, const char *pos, const char *end)
{
	struct kallsyms_line line;

	if (!parse_line(pos, end, &line))
		return reader->nr_addresses ? 0 : -EBADMSG;
	if (line.type != 'A' && line.type != 'a')
		line.type = 'D';
	return add_line(reader, &line);
}

static int read_lines(struct reader *reader, const char *text, size_t len, struct smap_error *err)
{
	const char *pos = text, *end = pos + len, *line_end;
	struct kallsyms_line line;
	size_t nr = 0;
	int ret = 0;

	for (; pos < end && !ret; pos = line_end + 1) {
		nr++;
		line_end = memchr(pos, '\n', (size_t)(end - pos));
		if (!line_end) {
			ret = add_cut_line(reader, pos, end);
			break;
		}
		if (parse_line(pos, line_end, &line))
			ret = add_line(reader, &line);
		else if (skip_blanks(pos, line_end) != line_end)
			ret = -EBADMSG;
	}
	if (ret == -EBADMSG)
		return smap_error_set(err, ret, "line %zu: not a line of /proc/kallsyms", nr);
	return ret ? smap_error_nomem(err) : 0;
}

/* A table can be whole and yet carry no addresses: kptr_restrict prints a zero for each. */
static int check_addresses(const struct reader *reader, struct smap_error *err)
{
	if (!reader->nr_addresses)
		return smap_error_set(err, -ENODATA, "no symbols");
	if (!reader->any_address)
		return smap_error_set(err, -ENODATA,
				      "all addresses are zero, hidden by kernel.kptr_restrict");
	if (!reader->has_two && reader->nr_addresses > SAME_ADDRESS_MAX)
		return smap_error_set(err, -ENODATA,
				      "all addresses are equal, hidden by kernel.kptr_restrict");
	return 0;
}

/* Memory that is not written to costs nothing: take as much as a table of this length can need. */
static int alloc_reader(struct reader *reader, size_t len)
{
	size_t usual = len / 32;

	reader->seed = smap_hash_seed();
	reader->text = malloc(len + 1);
	if (!reader->text)
		return -ENOMEM;
	return SMAP_ARRAY_GROW(reader->lines.lines, reader->lines.capacity, usual);
}

static void free_reader(struct reader *reader)
{
	free(reader->text);
	free(reader->lines.lines);
	free(reader->lines.modules);
	free(reader->slots);
}

static int build_symbols(struct reader *reader, struct smap_symbols **ret_symbols,
			 struct smap_error *err)
{
	struct smap_symbols *symbols = smap_symbols_new();
	char *text;

	if (!symbols)
		return smap_error_nomem(err);
	text = realloc(reader->text, reader->text_len + 1);
	symbols->text = text ? text : reader->text;
	reader->text = NULL;
	if (smap_symbols_build(symbols, &reader->lines)) {
		smap_symbols_free(symbols);
		return smap_error_nomem(err);
	}
	if (!symbols->nr_symbols) {
		smap_symbols_free(symbols);
		return smap_error_set(err, -ENODATA, "no symbols of functions");
	}
	*ret_symbols = symbols;
	return 0;
}

int smap_symbols_from_kallsyms(const void *data, size_t len, struct smap_symbols **ret_symbols,
			       struct smap_error *err)
{
	struct reader reader = { 0 };
	int ret;

	if (len > SMAP_SYMBOL_TEXT_MAX)
		return smap_error_set(err, -EBADMSG, "too long for a symbol table");
	if (alloc_reader(&reader, len))
		ret = smap_error_nomem(err);
	else
		ret = read_lines(&reader, data, len, err);
	if (!ret)
		ret = check_addresses(&reader, err);
	if (!ret)
		ret = build_symbols(&reader, ret_symbols, err);
	free_reader(&reader);
	return ret ? smap_errno(ret) : 0;
}
