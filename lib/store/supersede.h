/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Saves that a later one has made needless: it is of the same generation of the same boot, and all
 * that the older one holds is in it too. It names them by the checksums of their data.
 *
 *	block A | block B | block C: supersedes A
 *	^ passed over by readers, and dropped once such blocks are more than half of the file
 */
#ifndef SMAP_STORE_SUPERSEDE_H
#define SMAP_STORE_SUPERSEDE_H

#include "block.h"
#include "place.h"

/*
 * The saves of @store that @input makes needless: their checksums, to be freed, NULL where
 * there are none. 0, or -ENOMEM with words; what cannot be read is not superseded.
 */
int smap_supersede_find(struct smap_store *store, const struct smap_save_input *input,
			uint64_t **ret_sums, size_t *ret_nr, struct smap_error *err);

/* After a scan: mark the saves that others supersede. 0 or -ENOMEM. */
int smap_supersede_mark(struct smap_store *store);

/*
 * Write the store behind @fd, which is locked, anew without its superseded blocks, where these are
 * the larger part. A favour: where it does not work all stays as it is.
 */
void smap_supersede_drop(const struct smap_place *place, int fd);

#endif /* SMAP_STORE_SUPERSEDE_H */
