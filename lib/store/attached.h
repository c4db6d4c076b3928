/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What stands behind the last section of a trace.dat, as layout.h has it.
 */
#ifndef SMAP_STORE_ATTACHED_H
#define SMAP_STORE_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "layout.h"

enum smap_attached_state {
	SMAP_ATTACHED_NONE,	/* nothing: the file ends with the trace */
	SMAP_ATTACHED_BEGUN,	/* what was never finished, or not all of a header */
	SMAP_ATTACHED_FOREIGN,	/* something else */
	SMAP_ATTACHED_THERE,
};

struct smap_attached {
	enum smap_attached_state state;
	uint64_t	file_size;
	uint64_t	begin;		/* of the store, in the file */
	uint64_t	len;		/* of the store, in the file and committed */
	uint64_t	missing;	/* bytes that were committed and are not there any more */
	uint64_t	sequence;	/* of the last commit */
	unsigned int	next;		/* the commit to be written next */
	/* A commit or the header is: then the store reaches to the end of the file, as far as
	 * its own checksums are right.
	 */
	bool		is_damaged;
	bool		is_header_whole;
};

/*
 * Look behind @end, where the trace in the file behind @fd ends: one pread(). Returns 0,
 * -EOPNOTSUPP (of a newer version) or the errno of the system call, with words.
 */
int smap_attached_find(int fd, uint64_t end, struct smap_attached *ret_attached,
		       struct smap_error *err);

/* A header for a trace that ends at @end, without a commit. */
void smap_attached_make_header(struct smap_attached_header *header, uint64_t end);
void smap_attached_make_commit(struct smap_attached_commit *commit, uint64_t sequence,
			       uint64_t len);

#endif /* SMAP_STORE_ATTACHED_H */
