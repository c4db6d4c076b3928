// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table of all functions takes ten times as long to read from the kernel as from here. Each
 * save has the few that its own map needs, for who reads it; this is for who saves the next one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

const struct smap_kept_names *smap_store_find_names(const struct smap_store *store,
						    const uint8_t boot_id[16],
						    const struct smap_modules *modules)
{
	size_t i = store->nr_names;

	while (i-- > 0)
		if (modules->is_known && store->names[i].modules.is_known &&
		    store->names[i].modules.sum == modules->sum &&
		    !memcmp(store->names[i].boot_id, boot_id, sizeof(store->names[i].boot_id)))
			return &store->names[i];
	return NULL;
}

bool smap_store_has_names(const struct smap_store *store, const uint8_t boot_id[16],
			  const struct smap_modules *modules)
{
	return smap_store_find_names(store, boot_id, modules);
}

int smap_store_kept_names(struct smap_store *store, const uint8_t boot_id[16],
			  const struct smap_modules *modules, char **ret_data, size_t *ret_len,
			  struct smap_error *err)
{
	const struct smap_kept_names *names = smap_store_find_names(store, boot_id, modules);
	int ret;

	if (!names)
		return smap_errno(-ENODATA);
	ret = smap_block_bytes(store, &names->block, SMAP_SECTION_SYMBOLS, ret_data, ret_len, err);
	return ret ? smap_error_prefix(err, ret, "kept names") : 0;
}
