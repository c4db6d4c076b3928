/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From one store into another, a window of bytes at a time: how long a store is costs no memory.
 * What was whole when the store was opened is checked again on its way, for its file may have
 * changed since: on failure the caller takes back what was written.
 */
#ifndef SMAP_STORE_COPY_H
#define SMAP_STORE_COPY_H

#include "block.h"
#include "durable.h"
#include "place.h"

/*
 * Write blocks with these saves and their ties into a store of @store_id. Those that stand in
 * @there (NULL: nothing does) are left out; nothing is written where that is all of them. Returns
 * 0, or -EBADMSG (one has changed since it was opened), -ENOMEM, or errno of reading and writing.
 */
int smap_store_copy_saves(struct smap_sink *sink, uint64_t store_id,
			  const struct smap_save_ref *refs, size_t nr_refs,
			  const struct smap_store *there, size_t *ret_nr_copied,
			  struct smap_error *err);

/* drop.c */

/*
 * Write a store, byte for byte, without the saves for which @is_dropped (NULL: for none, it is a
 * copy) has true, and without kept names that have no use, into a new file. Returns as above.
 */
int smap_store_copy_without(struct smap_sink *sink, const struct smap_store *store,
			    const bool *is_dropped, struct smap_error *err);

/*
 * Put @store, which stands behind @fd and is locked there, anew into its place without the saves
 * for which @fn gives true. 0 and *ret_nr of them, or negative errno: then all is as it was.
 */
int smap_store_replace_without(const struct smap_place *place, int fd,
			       const struct smap_store *store, smap_drop_fn fn, void *data,
			       size_t *ret_nr);

#endif /* SMAP_STORE_COPY_H */
