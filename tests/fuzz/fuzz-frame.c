// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of one frame: its parts lie within it in their order, and each way to print its name is
 * bounded and ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(condition)			\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

static void check_parts(const char *text, size_t len, const struct smap_frame_parts *parts)
{
	must(parts->name == text && parts->name_len <= len);
	must(parts->has_offset || (!parts->offset && !parts->size));
	must(!parts->module == !parts->module_len);
	if (!parts->module)
		return;
	must(parts->module > text + parts->name_len);
	must(parts->module + parts->module_len < text + len);
	must(parts->module[-1] == '[');
}

static void check_names(const char *text, size_t len, const struct smap_frame_parts *parts)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	unsigned int flags;

	for (flags = 0; flags < 4; flags++) {
		smap_buf_reset(&buf);
		smap_buf_add_char(&buf, '<');
		smap_frame_name(&buf, text, len, flags);
		must(!smap_buf_failed(&buf));
		must(buf.data[0] == '<' && buf.data[buf.len] == '\0');
		must(buf.len <= 1 + parts->name_len + 65536);
		if (!(flags & SMAP_NAME_DEMANGLE))
			must(!memcmp(buf.data + 1, text, buf.len - 1));
		if (!flags)
			must(buf.len == 1 + parts->name_len);
	}
	smap_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct smap_frame_parts parts;

	smap_frame_split(text, size, &parts);
	check_parts(text, size, &parts);
	check_names(text, size, &parts);
	return 0;
}
