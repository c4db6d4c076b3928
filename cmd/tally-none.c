// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For a program that reads no events.
 */
#include "cmd.h"
#include "tally.h"

int tally_read(struct tally *tally, const char *path, struct stackmap_resolver *resolver)
{
	stackmap_resolver_free(resolver);
	return cmd_error("%s: this program was built without libtracecmd, which reads its events",
			 path);
}

void tally_release(struct tally *tally)
{
}
