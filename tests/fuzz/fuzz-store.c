// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A saved-map file: opened as it is, and once more with every checksum made right, since no
 * mutation would get past one. All that a reader can do is done to it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz-store.h"

static void look_at_store(const uint8_t *data, size_t size)
{
	struct smap_store *store;
	struct smap_error err;

	smap_store_probe(data, size);
	if (smap_store_open_memory(data, size, &store, &err))
		return;
	fuzz_use_store(store);
	smap_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	look_at_store(data, size);
	if (size < sizeof(struct smap_store_header))
		return 0;
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	fuzz_seal_store(copy, size);
	look_at_store(copy, size);
	free(copy);
	return 0;
}
