// SPDX-License-Identifier: GPL-2.0-or-later
/* stack_map_bin, version 1 and format FSM2: each refuses the other's. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz-export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_export(&smap_parse_bin1, data, size);
	fuzz_export(&smap_parse_bin2, data, size);
	return 0;
}
