// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The copy of /proc/kallsyms that a trace carries.
 */
#include "internal.h"

int smap_tracedat_kallsyms(const struct smap_tracedat *tracedat, char **ret_text, size_t *ret_len,
			   struct smap_error *err)
{
	return smap_trace_load_text(tracedat, TRACE_KALLSYMS, sizeof(uint32_t), ret_text, ret_len,
				    err);
}
