/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A map that grows while it is resolved from: that of the running kernel.
 *
 *	cookie is not found -> read the map again -> what is new in it becomes one more source
 *			    -> think again about this cookie
 *
 * Sources that are there stay as they are, since answers point into them; each new one has only
 * the stacks that no other has, and their names, so that all together take no more than the map.
 */
#ifndef SMAP_RESOLVE_FEED_H
#define SMAP_RESOLVE_FEED_H

#include "resolve/resolver.h"

struct smap_feed {
	/*
	 * Read the map, with names for its addresses (NULL: it needs none), for a cookie of this
	 * generation (NULL: for all). 1: both are the caller's now; 0: nothing has changed since
	 * the last time, or it is of another generation now; or negative errno with words,
	 * -ENODATA: nothing is there, which may change.
	 */
	int		(*read)(void *data, const uint32_t *generation,
				struct smap_export **ret_export,
				struct smap_symbols **ret_symbols, struct smap_error *err);
	void		*data;
	struct smap_origin origin;	/* its strings have to live as long as the resolver */
};

/*
 * Resolve from it, too; read for the first time now. @path is what the map is called. Returns 0, or
 * negative errno: -EBUSY (a stack was asked for before, or there is one already), -ENOMEM, or that
 * of reading.
 */
int smap_resolver_set_feed(struct stackmap_resolver *resolver, const char *path,
			   const struct smap_feed *feed);

/*
 * For a cookie of @generation. 1: there are more maps than before, 0, or -ENOMEM. What else fails
 * is logged.
 */
int smap_resolver_feed(struct stackmap_resolver *resolver, uint32_t generation);

void smap_feed_release(struct stackmap_resolver *resolver);

#endif /* SMAP_RESOLVE_FEED_H */
