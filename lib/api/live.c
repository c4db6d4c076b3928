// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The map of the running kernel for a resolver.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/export.h"
#include "resolve/resolver.h"
#include "stackmap.h"
#include "tracefs/live.h"

SMAP_PUBLIC int stackmap_resolver_add_live(struct stackmap_resolver *resolver,
					   struct stackmap_live *live)
{
	struct smap_store *store;
	char *path;
	int ret;

	ret = smap_live_read_store(live, &store);
	if (ret == -ENODATA) {
		smap_resolver_log(resolver, "%s", stackmap_live_get_error(live));
		return 0;
	}
	if (ret)
		return smap_error_set(&resolver->err, ret, "%s", stackmap_live_get_error(live));
	if (asprintf(&path, "%s/stack_map", stackmap_live_get_dir(live)) < 0) {
		smap_store_close(store);
		return smap_error_nomem(&resolver->err);
	}
	ret = smap_resolver_add_store(resolver, path, store);
	free(path);
	return ret;
}
