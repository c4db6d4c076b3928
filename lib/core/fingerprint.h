/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tells one trace from all others: made by tracedat/, kept by store/.
 */
#ifndef SMAP_CORE_FINGERPRINT_H
#define SMAP_CORE_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct smap_fingerprint {
	uint64_t	trace_id;	/* trace-cmd makes one for each recording; 0: none */
	uint64_t	len;		/* bytes up to the end of what trace-cmd reads */
	uint64_t	head;		/* checksum of the first of them */
	uint64_t	tail;		/* and of the last */
};

/*
 * Traces of one recording: the id goes with a trace that was converted or cut out of another. The
 * rest counts where there is no id.
 */
static inline bool smap_fingerprint_same(const struct smap_fingerprint *a,
					 const struct smap_fingerprint *b)
{
	if (a->trace_id != b->trace_id)
		return false;
	return a->trace_id || (a->len == b->len && a->head == b->head && a->tail == b->tail);
}

#endif /* SMAP_CORE_FINGERPRINT_H */
