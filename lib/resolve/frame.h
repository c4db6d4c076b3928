/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How one frame is spelled, for plugin, library and command alike.
 */
#ifndef SMAP_RESOLVE_FRAME_H
#define SMAP_RESOLVE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/map.h"
#include "symbol/symbol.h"

#define SMAP_TRAMPOLINE_TEXT	"[FTRACE TRAMPOLINE]"

/*
 * The text of a frame as the kernel's %pS has it: recorded text unchanged; an address as
 * "symbol+0xoffset/0xsize [module]" where a table of @tables (tried in order, entries
 * may be NULL) covers it, without "/0xsize" where the size is not known, else as "0x" and hex
 * digits.
 */
void smap_frame_spell(struct smap_buf *buf, const struct smap_export *export,
		      const struct smap_frame *frame,
		      const struct smap_symbols *const *tables, size_t nr_tables);

/* The parts of a frame's text. Pointers are into the text; len 0: the part is not there. */
struct smap_frame_parts {
	const char	*name;
	size_t		name_len;	/* whole text where it is a marker or a bare address */
	uint64_t	offset;
	uint64_t	size;
	bool		has_offset;
	const char	*module;	/* without brackets and build ID */
	size_t		module_len;
};

/*
 * Split "name+0xoff/0xsize [module BUILDID]", of which all but the name may be missing: from the
 * right, since names hold dots, '$' and, demangled, nearly anything. A missing size is 0.
 */
void smap_frame_split(const char *text, size_t len, struct smap_frame_parts *ret_parts);

/*
 * STRIP_SUFFIX: without .llvm.NUMBER, .cold, .isra.0, .part.0, .constprop.0, .lto_priv.0, however
 * many. DEMANGLE: Rust, both schemes; a name that is not mangled, or too much to print, stays.
 */
#define SMAP_NAME_STRIP_SUFFIX	(1U << 0)
#define SMAP_NAME_DEMANGLE	(1U << 1)

/* Only the name of the frame, as @flags say. */
void smap_frame_name(struct smap_buf *buf, const char *text, size_t len, unsigned int flags);

#endif /* SMAP_RESOLVE_FRAME_H */
