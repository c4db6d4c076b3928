// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader that trusts nothing: all that opening checks, from the bytes as they are now, and
 * then what opening leaves alone: every section decoded, the export parsed and held against its
 * summary, every reserved field and every padding zero.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "origin.h"

#define ORIGIN_FLAGS	(SMAP_ORIGIN_HAS_BOOT_ID | SMAP_ORIGIN_RANDOM_GENERATION |	\
			 SMAP_ORIGIN_HAS_READ_TIMES | SMAP_ORIGIN_HAS_MODULES)

/* A store of its own over the same bytes: what is found goes to its damages. */
struct check {
	struct smap_store	found;
	bool			is_lenient;	/* the file has flags that we do not know */
	size_t			nr;		/* save that is looked at */
	const struct smap_block	*block;
	const char		*data;		/* its sections */
};

static int fault(struct check *check, uint64_t offset, uint64_t len, const char *text)
{
	return smap_store_add_damage(&check->found, offset, len, text);
}

static int fault_in(struct check *check, const struct smap_section *section, const char *name,
		    const char *what)
{
	uint64_t offset = check->block->offset + check->block->header_size + section->offset;
	struct smap_error text;

	smap_error_set(&text, 0, "%s: %s", name, what);
	return fault(check, offset, section->coded.stored_size, text.text);
}

static bool is_zero(const void *data, size_t len)
{
	const uint8_t *bytes = data;

	while (len && !*bytes) {
		bytes++;
		len--;
	}
	return !len;
}

/*
 * A flag that we do not know may have given the reserved fields a meaning. Where the header is
 * damaged that is known already, and what it says does not count.
 */
static int check_file_header(struct check *check)
{
	struct smap_store_header disk;
	int ret;

	ret = smap_reader_read(&check->found.reader, 0, &disk, sizeof(disk), NULL);
	if (ret || (check->found.nr_damages && !check->found.damages[0].offset))
		return 0;
	check->is_lenient = disk.compatible;
	if (check->is_lenient)
		return 0;
	if (disk.reserved || !is_zero(disk.reserved2, sizeof(disk.reserved2)))
		return fault(check, 0, sizeof(disk), "file header: a reserved field is not zero");
	return 0;
}

static int check_block_header(struct check *check)
{
	struct smap_block_header disk;

	if (smap_reader_read(&check->found.reader, check->block->offset, &disk, sizeof(disk), NULL))
		return 0;
	if (disk.reserved && !check->is_lenient && !(le32toh(disk.flags) & ~SMAP_MUST_UNDERSTAND))
		return fault(check, check->block->offset, sizeof(disk),
			     "block header: a reserved field is not zero");
	return 0;
}

static int check_paddings(struct check *check)
{
	const struct smap_block *block = check->block;
	uint64_t at = 0, stored, pad;
	struct smap_section_header disk;
	int ret = 0;

	while (!ret && at + sizeof(disk) <= block->size) {
		memcpy(&disk, check->data + at, sizeof(disk));
		stored = le64toh(disk.stored_size);
		pad = -stored % 8;
		at += sizeof(disk) + stored;
		if (!is_zero(check->data + at, (size_t)pad))
			ret = fault(check, block->offset + block->header_size + at, pad,
				    "section: its padding is not zero");
		at += pad;
	}
	return ret;
}

static int check_origin(struct check *check, const struct smap_section *section, const char *data,
			size_t len)
{
	struct smap_store_origin disk;

	memcpy(&disk, data, sizeof(disk));
	if (check->is_lenient || le32toh(disk.flags) & ~ORIGIN_FLAGS)
		return 0;
	if (disk.reserved)
		return fault_in(check, section, "origin", "a reserved field is not zero");
	if (!(le32toh(disk.flags) & SMAP_ORIGIN_HAS_BOOT_ID) &&
	    !is_zero(disk.boot_id, sizeof(disk.boot_id)))
		return fault_in(check, section, "origin", "an unknown boot id is not zero");
	if (disk.word_size && disk.word_size != 4 && disk.word_size != 8)
		return fault_in(check, section, "origin", "bad word size");
	if (disk.byte_order > SMAP_ORDER_BIG)
		return fault_in(check, section, "origin", "bad byte order");
	return 0;
}

static int check_summary(struct check *check, const struct smap_section *section, const char *data,
			 size_t len)
{
	const struct stackmap_save *save = &check->found.saves[check->nr];
	const char *at = data + sizeof(struct smap_store_summary);
	struct smap_store_generation generation;
	struct smap_store_summary disk;
	size_t i;

	memcpy(&disk, data, sizeof(disk));
	if (check->is_lenient || le32toh(disk.flags) & ~SMAP_SUMMARY_HAS_GENERATION)
		return 0;
	for (i = 0; i < save->nr_generations; i++, at += sizeof(generation)) {
		memcpy(&generation, at, sizeof(generation));
		if (generation.reserved)
			return fault_in(check, section, "summary", "a reserved field is not zero");
	}
	return 0;
}

static bool same_generations(const struct stackmap_save *save, const struct smap_export *export)
{
	size_t i;

	if (save->nr_generations != export->nr_maps)
		return false;
	for (i = 0; i < export->nr_maps; i++)
		if (save->generations[i].generation != export->maps[i].generation ||
		    save->generations[i].nr_stacks != export->maps[i].nr_stacks)
			return false;
	return true;
}

static int compare(struct check *check, const struct smap_section *section,
		   const struct smap_export *export, const struct smap_findings *findings,
		   enum smap_byte_order order)
{
	const struct stackmap_save *save = &check->found.saves[check->nr];
	uint64_t offset = check->block->offset + check->block->header_size + section->offset;

	if (save->has_generation != export->has_generation ||
	    save->nr_records != findings->nr_records || !same_generations(save, export))
		return fault_in(check, section, "export", "the summary tells of another");
	if (order != SMAP_ORDER_UNKNOWN && order != save->origin.byte_order)
		return fault_in(check, section, "export", "the origin has another byte order");
	if (export->info.word_size && export->info.word_size != save->origin.word_size)
		return fault_in(check, section, "export", "the origin has another word size");
	return smap_store_add_findings(&check->found, offset, section->coded.stored_size, findings);
}

static int check_export(struct check *check, const struct smap_section *section, const char *data,
			size_t len)
{
	struct smap_findings findings;
	enum smap_byte_order order;
	struct smap_export *export;
	struct smap_error why;
	int ret;

	ret = smap_parse(data, len, &export, &order, &findings, &why);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return fault_in(check, section, "export", why.text);
	ret = compare(check, section, export, &findings, order);
	smap_export_free(export);
	return ret;
}

static int check_stat(struct check *check, const struct smap_section *section, const char *data,
		      size_t len)
{
	struct smap_stat stat;
	struct smap_error why;

	if (smap_stat_parse(data, len, &stat, &why))
		return fault_in(check, section, "stat", why.text);
	return 0;
}

/* ---- symbols, by the rules of the room that reads them ---- */

/* Bytes of a hex number of 64 bits; 0: none, or one that is longer. */
static size_t hex_number(const char *pos, const char *end, uint64_t *ret_value)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *start = pos, *digit;
	uint64_t value = 0;

	for (; pos < end && *pos && (digit = strchr(digits, *pos)); pos++)
		value = value << 4 | (uint64_t)((digit - digits) % 16);
	*ret_value = value;
	return pos - start <= 16 ? (size_t)(pos - start) : 0;
}

/* Bytes up to a blank or a NUL. */
static size_t word_len(const char *pos, const char *end)
{
	const char *start = pos;

	while (pos < end && *pos && *pos != ' ' && (*pos < '\t' || *pos > '\r'))
		pos++;
	return (size_t)(pos - start);
}

/* "NAME[\tMODULE]" */
static bool are_names(const char *pos, const char *end)
{
	size_t len = word_len(pos, end);

	if (!len)
		return false;
	pos += len;
	if (pos == end)
		return true;
	return *pos++ == '\t' && pos < end && word_len(pos, end) == (size_t)(end - pos);
}

/* "START LEN[?] NAME[\tMODULE]" */
static bool is_symbol_line(const char *pos, const char *end, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t symbol_len;
	size_t len;

	len = hex_number(pos, end, ret_start);
	pos += len;
	if (!len || pos == end || *pos++ != ' ')
		return false;
	len = hex_number(pos, end, &symbol_len);
	pos += len;
	if (!len || !symbol_len || __builtin_add_overflow(*ret_start, symbol_len, ret_end))
		return false;
	if (pos < end && *pos == '?')
		pos++;
	return pos < end && *pos == ' ' && are_names(pos + 1, end);
}

static int check_symbols(struct check *check, const struct smap_section *section, const char *data,
			 size_t len)
{
	uint64_t symbol_start, symbol_end = 0, before;
	const char *end = data + len, *newline;

	for (; data < end; data = newline + 1) {
		before = symbol_end;
		newline = memchr(data, '\n', (size_t)(end - data));
		if (!newline || !is_symbol_line(data, newline, &symbol_start, &symbol_end))
			return fault_in(check, section, "symbols", "a line is no symbol");
		if (symbol_start < before)
			return fault_in(check, section, "symbols", "a line lies in the one before");
	}
	return 0;
}

static int check_tie(struct check *check, const struct smap_section *section, const char *data,
		     size_t len)
{
	struct smap_store_tie disk;

	memcpy(&disk, data, sizeof(disk));
	if (disk.reserved && !check->is_lenient)
		return fault_in(check, section, "tie", "a reserved field is not zero");
	return 0;
}

/* The scan has read it. */
static int check_superseded(struct check *check, const struct smap_section *section,
			    const char *data, size_t len)
{
	if (!len)
		return fault_in(check, section, "superseded", "names none");
	return 0;
}

/* What is there was found whole by the scan: decoding it again cannot come out shorter. */
static const struct {
	const char	*name;
	int		(*check)(struct check *check, const struct smap_section *section,
				 const char *data, size_t len);
} checks[SMAP_NR_SECTIONS] = {
	[SMAP_SECTION_ORIGIN]	= { "origin",	check_origin },
	[SMAP_SECTION_SUMMARY]	= { "summary",	check_summary },
	[SMAP_SECTION_EXPORT]	= { "export",	check_export },
	[SMAP_SECTION_STAT]	= { "stat",	check_stat },
	[SMAP_SECTION_SYMBOLS]	= { "symbols",	check_symbols },
	[SMAP_SECTION_SUPERSEDED] = { "superseded", check_superseded },
	[SMAP_SECTION_TIE]	= { "tie",	check_tie },
};

static int check_section(struct check *check, unsigned int kind)
{
	const struct smap_section *section = &check->block->sections[kind];
	struct smap_error why;
	char *data;
	size_t len;
	int ret;

	if (!section->is_there)
		return 0;
	ret = smap_decode(&section->coded, check->data + section->offset, &data, &len, &why);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return fault_in(check, section, checks[kind].name, why.text);
	ret = checks[kind].check(check, section, data, len);
	free(data);
	return ret;
}

/* What else a block of this kind holds is passed over. */
static bool is_read(const struct check *check, unsigned int kind)
{
	if (check->block->kind == SMAP_BLOCK_NAMES)
		return kind == SMAP_SECTION_ORIGIN || kind == SMAP_SECTION_SYMBOLS;
	return (check->block->kind == SMAP_BLOCK_TIE) == (kind == SMAP_SECTION_TIE);
}

static int check_block(struct check *check, const struct smap_block *block, struct smap_error *err)
{
	struct smap_error why;
	unsigned int kind;
	char *room;
	int ret;

	check->block = block;
	ret = smap_block_load(&check->found.reader, check->block, &room, &why);
	if (ret == -EBADMSG) {
		smap_error_prefix(&why, ret, "block");
		return fault(check, check->block->offset, smap_block_len(check->block), why.text);
	}
	if (ret)
		return smap_error_set(err, ret, "%s", why.text);
	check->data = room;
	ret = check_block_header(check);
	if (!ret)
		ret = check_paddings(check);
	for (kind = 1; !ret && kind < SMAP_NR_SECTIONS; kind++)
		if (is_read(check, kind))
			ret = check_section(check, kind);
	free(room);
	return ret ? smap_error_nomem(err) : 0;
}

static int check_store(struct check *check, struct smap_error *err)
{
	size_t i;
	int ret;

	ret = smap_store_scan(&check->found, err);
	if (ret)
		return ret;
	if (check_file_header(check))
		return smap_error_nomem(err);
	for (i = 0; !ret && i < check->found.nr_saves; i++) {
		check->nr = i;
		ret = check_block(check, &check->found.blocks[i], err);
	}
	for (i = 0; !ret && i < check->found.nr_ties; i++)
		ret = check_block(check, &check->found.tie_blocks[i], err);
	for (i = 0; !ret && i < check->found.nr_names; i++)
		ret = check_block(check, &check->found.names[i].block, err);
	return ret;
}

static int by_offset(const void *a, const void *b)
{
	const struct smap_damage *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return 0;
}

int smap_store_verify(struct smap_store *store,
		      void (*fn)(const struct smap_damage *damage, void *data), void *data,
		      struct smap_error *err)
{
	struct check check = { .found = { .reader = store->reader } };
	size_t i, nr;
	int ret;

	if (store->is_raw)
		ret = smap_store_take_raw(&check.found, err);
	else
		ret = check_store(&check, err);
	nr = check.found.nr_damages;
	if (!ret && nr)
		qsort(check.found.damages, nr, sizeof(*check.found.damages), by_offset);
	for (i = 0; !ret && i < nr; i++)
		fn(&check.found.damages[i], data);
	smap_store_forget(&check.found);
	return ret ? smap_errno(ret) : (int)nr;
}
