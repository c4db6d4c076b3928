// SPDX-License-Identifier: GPL-2.0-or-later
/* stack_map_stat. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "parse/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smap_error err = { "" };
	struct smap_stat stat;
	size_t pos = 0, len, nr = 0;
	const char *line;
	int ret;

	ret = smap_stat_parse(data, size, &stat, &err);
	if (ret) {
		if (ret != -EBADMSG || !err.text[0])
			abort();
		return 0;
	}
	if (size && !smap_stat_probe(data, size))
		abort();
	while (smap_stat_next_unknown(data, size, &pos, &line, &len))
		nr++;
	if (nr != stat.nr_unknown)
		abort();
	return 0;
}
