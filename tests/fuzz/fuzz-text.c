// SPDX-License-Identifier: GPL-2.0-or-later
/* stack_map, both forms: each is given what is the other one, too. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz-export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_export(&smap_parse_text8, data, size);
	fuzz_export(&smap_parse_text4, data, size);
	return 0;
}
