// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How one frame is spelled. Forms that come in:
 *
 *	schedule+0x48/0xc0				the kernel's %pS
 *	nfs_open+0x10/0x40 [nfs]			in a module
 *	nfs_open+0x10/0x40 [nfs 2bd806c97f0e00af]	with the module's build ID (%pSb)
 *	exit_nfs+0x10 [nfs]				ours, where no size is known
 *	0xffffffff81000000				no symbol covers it
 *	[FTRACE TRAMPOLINE]				a marker
 *
 * Names hold anything but white space, demangled ones that too: all is taken from the right.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "frame.h"

/* ---- address -> text ---- */

static void add_number(struct smap_buf *buf, const char *before, uint64_t value)
{
	smap_buf_add_str(buf, before);
	smap_buf_add_hex(buf, value);
}

static void spell_symbol(struct smap_buf *buf, const struct smap_symbol *symbol, uint64_t address)
{
	smap_buf_add_str(buf, symbol->name);
	add_number(buf, "+0x", address - symbol->start);
	if (symbol->has_size)
		add_number(buf, "/0x", symbol->end - symbol->start);
	if (symbol->module) {
		smap_buf_add_str(buf, " [");
		smap_buf_add_str(buf, symbol->module);
		smap_buf_add_char(buf, ']');
	}
}

static void spell_address(struct smap_buf *buf, uint64_t address,
			  const struct smap_symbols *const *tables, size_t nr_tables)
{
	const struct smap_symbol *symbol = NULL;
	size_t i;

	for (i = 0; i < nr_tables && !symbol; i++)
		if (tables[i])
			symbol = smap_symbols_find(tables[i], address);
	if (symbol)
		spell_symbol(buf, symbol, address);
	else
		add_number(buf, "0x", address);
}

void smap_frame_spell(struct smap_buf *buf, const struct smap_export *export,
		      const struct smap_frame *frame,
		      const struct smap_symbols *const *tables, size_t nr_tables)
{
	switch (frame->kind) {
	case SMAP_FRAME_TEXT:
		smap_buf_add(buf, smap_frame_text(export, frame), frame->len);
		return;
	case SMAP_FRAME_TRAMPOLINE:
		smap_buf_add_str(buf, SMAP_TRAMPOLINE_TEXT);
		return;
	case SMAP_FRAME_ADDRESS:
		spell_address(buf, frame->value, tables, nr_tables);
		return;
	}
}

/* ---- text -> parts ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static unsigned int digit_value(char c)
{
	return is_digit(c) ? (unsigned int)(c - '0') : (unsigned int)((c | 0x20) - 'a' + 10);
}

/* Cut "SEPARATOR 0x HEX" off the end of [text, text + *len). False: it does not end so. */
static bool cut_hex(const char *text, size_t *len, char separator, uint64_t *ret_value)
{
	size_t first = *len, i;
	uint64_t value = 0;

	while (first && is_hex(text[first - 1]))
		first--;
	if (first == *len || *len - first > 16 || first < 3)
		return false;
	if (text[first - 3] != separator || text[first - 2] != '0' || text[first - 1] != 'x')
		return false;
	for (i = first; i < *len; i++)
		value = value << 4 | digit_value(text[i]);
	*ret_value = value;
	*len = first - 3;
	return true;
}

/* A word of hex digits: a build ID, and no word of a marker such as [FTRACE TRAMPOLINE]. */
static bool is_build_id(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!is_hex(text[i]))
			return false;
	return len > 0;
}

/* What stands within brackets: "MODULE" or "MODULE BUILDID". Length of the module, 0: neither. */
static size_t module_len(const char *text, size_t len)
{
	size_t end = 0, after;

	while (end < len && !is_space(text[end]) && text[end] != ']')
		end++;
	if (end == len)
		return end;
	for (after = end; after < len && is_space(text[after]); after++)
		;
	return after > end && is_build_id(text + after, len - after) ? end : 0;
}

/* Cut " [MODULE BUILDID]" off the end. */
static void cut_module(const char *text, size_t *len, struct smap_frame_parts *parts)
{
	size_t open, end = *len, name_end;

	if (end < 4 || text[end - 1] != ']')
		return;
	for (open = end - 1; open && text[open] != '['; open--)
		;
	name_end = open;
	while (name_end && is_space(text[name_end - 1]))
		name_end--;
	if (!name_end || name_end == open)
		return;
	parts->module_len = module_len(text + open + 1, end - open - 2);
	if (!parts->module_len)
		return;
	parts->module = text + open + 1;
	*len = name_end;
}

/* Cut "+0xoff/0xsize" off the end, or the "+0xoff" of a symbol whose size is not known. */
static void cut_offset(const char *text, size_t *len, struct smap_frame_parts *parts)
{
	uint64_t offset, size = 0;
	size_t left = *len;

	cut_hex(text, &left, '/', &size);
	if (!cut_hex(text, &left, '+', &offset) || !left)
		return;
	parts->offset = offset;
	parts->size = size;
	parts->has_offset = true;
	*len = left;
}

void smap_frame_split(const char *text, size_t len, struct smap_frame_parts *ret_parts)
{
	struct smap_frame_parts parts = { .name = text };

	while (len && is_space(text[len - 1]))
		len--;
	cut_module(text, &len, &parts);
	cut_offset(text, &len, &parts);
	parts.name_len = len;
	*ret_parts = parts;
}

/* ---- names ---- */

/* Tails that a compiler gives to parts and clones of a function; with a number or not. */
static const struct name_suffix {
	const char	*text;
	bool		needs_number;
} name_suffixes[] = {
	{ ".llvm",	true },
	{ ".cold",	false },	/* ".cold", ".cold.3" */
	{ ".isra",	true },
	{ ".part",	true },
	{ ".constprop",	true },
	{ ".lto_priv",	true },
};

/* Length of @name without one tail; @len where it has none. */
static size_t cut_suffix(const char *name, size_t len)
{
	const struct name_suffix *suffix;
	size_t end = len, text_len, i;
	bool has_number;

	while (end && is_digit(name[end - 1]))
		end--;
	has_number = end < len && end && name[end - 1] == '.';
	end = has_number ? end - 1 : len;
	for (i = 0; i < sizeof(name_suffixes) / sizeof(name_suffixes[0]); i++) {
		suffix = &name_suffixes[i];
		text_len = strlen(suffix->text);
		if (suffix->needs_number && !has_number)
			continue;
		if (end > text_len && !memcmp(name + end - text_len, suffix->text, text_len))
			return end - text_len;
	}
	return len;
}

static size_t base_len(const char *name, size_t len)
{
	size_t cut;

	for (cut = cut_suffix(name, len); cut != len; cut = cut_suffix(name, len))
		len = cut;
	return len;
}

/* The longest name of a kernel has 511 bytes. */
#define MANGLED_MAX	2048
#define DEMANGLED_MAX	65536

struct demangled {
	struct smap_buf	*buf;
	size_t		first;		/* where it begins in the buffer */
	size_t		len;		/* of what was printed */
	jmp_buf		too_long;
};

/*
 * A reference to what it stands in itself is printed until the demangler has gone too deep, twice
 * at each step, which has no end. Nothing tells it to stop: it is left. Of memory it has at most
 * that of one identifier in Punycode then, which is lost with such a name.
 */
static void add_demangled(const char *text, size_t len, void *data)
{
	struct demangled *demangled = data;

	demangled->len += len;
	if (demangled->len > DEMANGLED_MAX)
		longjmp(demangled->too_long, 1);
	smap_buf_add(demangled->buf, text, len);
}

static int base62_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 36;
	return -1;
}

/* "B NUMBER _" goes back to what begins at *ret_target. False: it is none, or leads nowhere. */
static bool parse_backref(const char *name, size_t len, size_t at, size_t *ret_target)
{
	size_t target = 0, i;

	for (i = at + 1; i < len && name[i] != '_'; i++) {
		if (base62_digit(name[i]) < 0 || target > len)
			return false;
		target = target * 62 + (size_t)base62_digit(name[i]);
	}
	if (i > at + 1)
		target++;
	*ret_target = target;
	return i < len && target < at;
}

/*
 * Names of the v0 scheme hold back references, each of which prints once more what stands before
 * it: a few hundred bytes can ask for more output than there is time, and the demangler has no
 * bound of its own. So count first: sum[i] is no less than the steps that the bytes before i cost,
 * but for a reference to what it stands in, which ends in add_demangled(). @name begins behind the
 * "_R", as the references count.
 */
static bool is_bounded(const char *name, size_t len)
{
	uint32_t sum[MANGLED_MAX + 1];
	size_t target, i;

	sum[0] = 0;
	for (i = 0; i < len; i++) {
		sum[i + 1] = sum[i] + 1;
		if (name[i] == 'B' && parse_backref(name, len, i, &target))
			sum[i + 1] += sum[i] - sum[target];
		if (sum[i + 1] > DEMANGLED_MAX)
			return false;
	}
	return true;
}

static bool is_mangled(const char *name, size_t len)
{
	if (len < 4 || len > MANGLED_MAX || memchr(name, '\0', len))
		return false;
	if (!memcmp(name, "_ZN", 3))
		return true;
	return !memcmp(name, "_R", 2) && is_bounded(name + 2, len - 2);
}

/* False: @buf is as it was. */
static bool add_rust(struct smap_buf *buf, const char *name, size_t len)
{
	struct demangled demangled = { .buf = buf, .first = buf->len };
	char mangled[MANGLED_MAX + 1];

	if (!is_mangled(name, len))
		return false;
	memcpy(mangled, name, len);
	mangled[len] = '\0';
	if (!setjmp(demangled.too_long) &&
	    rust_demangle_callback(mangled, 0, add_demangled, &demangled) &&
	    buf->len > demangled.first)
		return true;
	if (buf->data) {
		buf->len = demangled.first;
		buf->data[buf->len] = '\0';
	}
	return false;
}

void smap_frame_name(struct smap_buf *buf, const char *text, size_t len, unsigned int flags)
{
	struct smap_frame_parts parts;
	size_t base;

	smap_frame_split(text, len, &parts);
	base = base_len(parts.name, parts.name_len);
	if (!(flags & SMAP_NAME_DEMANGLE) || !add_rust(buf, parts.name, base))
		smap_buf_add(buf, parts.name, base);
	if (!(flags & SMAP_NAME_STRIP_SUFFIX))
		smap_buf_add(buf, parts.name + base, parts.name_len - base);
}
