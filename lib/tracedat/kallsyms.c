// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The copy of /proc/kallsyms that a trace carries: u32 size, text.
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

int smap_tracedat_kallsyms(const struct smap_tracedat *tracedat, char **ret_text, size_t *ret_len,
			   struct smap_error *err)
{
	const struct smap_tracedat_section *section;
	struct smap_bytes bytes;
	uint32_t size;
	size_t len;
	char *data;
	int ret;

	section = smap_trace_find_section(tracedat, TRACE_KALLSYMS);
	if (!section)
		return no_text(ret_text, ret_len, err);
	ret = smap_trace_load_section(tracedat, section, &data, &len, err);
	if (ret)
		return ret;
	bytes = smap_bytes_init(data, len, tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN);
	if (!smap_bytes_get_u32(&bytes, &size) || size > smap_bytes_left(&bytes)) {
		free(data);
		return smap_error_set(err, -EBADMSG, "offset %" PRIu64 ": kallsyms is cut off",
				      section->offset);
	}
	memmove(data, bytes.pos, size);
	data[size] = '\0';
	*ret_text = data;
	*ret_len = size;
	return 0;
}
