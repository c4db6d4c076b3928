/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes of a trace, a map or a file name never reach a terminal raw: control
 * characters, DEL and the C1 range of UTF-8 are written as \xNN, and a
 * backslash before x is doubled so that the two cannot be confused.
 */
#ifndef SMAP_CORE_ESCAPE_H
#define SMAP_CORE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing in @data would be changed by smap_escape(). */
bool smap_is_plain(const char *data, size_t len);

/*
 * Write @data escaped into @out, always terminated, cut at a whole character
 * where @size is too small. Returns the length that the whole would have.
 */
size_t smap_escape(char *out, size_t size, const char *data, size_t len);

#endif /* SMAP_CORE_ESCAPE_H */
