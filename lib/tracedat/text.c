// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A section that is a text with its size in front: u32 for kallsyms, u64 for the command lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

static int no_text(char **ret_text, size_t *ret_len, struct smap_error *err)
{
	char *text = calloc(1, 1);

	if (!text)
		return smap_error_nomem(err);
	*ret_text = text;
	*ret_len = 0;
	return 0;
}

static bool get_size(struct smap_bytes *bytes, size_t width, uint64_t *ret_size)
{
	uint32_t size;

	if (width == sizeof(uint64_t))
		return smap_bytes_get_u64(bytes, ret_size);
	if (!smap_bytes_get_u32(bytes, &size))
		return false;
	*ret_size = size;
	return true;
}

int smap_trace_load_text(const struct smap_tracedat *tracedat, unsigned int id, size_t width,
			 char **ret_text, size_t *ret_len, struct smap_error *err)
{
	const struct smap_tracedat_section *section;
	struct smap_bytes bytes;
	uint64_t size;
	size_t len;
	char *data;
	int ret;

	section = smap_trace_find_section(tracedat, id);
	if (!section)
		return no_text(ret_text, ret_len, err);
	ret = smap_trace_load_section(tracedat, section, &data, &len, err);
	if (ret)
		return ret;
	bytes = smap_bytes_init(data, len, tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN);
	if (!get_size(&bytes, width, &size) || size > smap_bytes_left(&bytes)) {
		free(data);
		return smap_error_set(err, -EBADMSG, "offset %" PRIu64 ": %s is cut off",
				      section->offset, smap_trace_section_name(id));
	}
	memmove(data, bytes.pos, (size_t)size);
	data[size] = '\0';
	*ret_text = data;
	*ret_len = (size_t)size;
	return 0;
}
