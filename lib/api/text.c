// SPDX-License-Identifier: LGPL-2.1-or-later
#include "core/escape.h"
#include "core/export.h"
#include "stackmap.h"

SMAP_PUBLIC size_t stackmap_escape(char *out, size_t size, const char *data, size_t len)
{
	return smap_escape(out, size, data, len);
}
