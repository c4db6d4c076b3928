// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "core/hash.h"
#include "internal.h"

/* As stackmap-store(5) has it. */
#define SAMPLE	65536

int smap_tracedat_fingerprint(const struct smap_tracedat *tracedat,
			      struct smap_fingerprint *ret_fingerprint, struct smap_error *err)
{
	struct smap_fingerprint found = { tracedat->trace_id, tracedat->end, 0, 0 };
	size_t len = tracedat->end < SAMPLE ? (size_t)tracedat->end : SAMPLE;
	char *sample = malloc(SAMPLE);
	int ret;

	if (!sample)
		return smap_error_nomem(err);
	ret = smap_trace_pread(tracedat->fd, 0, sample, len, err);
	if (!ret) {
		found.head = smap_hash_bytes(sample, len, 0);
		ret = smap_trace_pread(tracedat->fd, tracedat->end - len, sample, len, err);
	}
	if (!ret) {
		found.tail = smap_hash_bytes(sample, len, 0);
		*ret_fingerprint = found;
	}
	free(sample);
	return ret;
}
