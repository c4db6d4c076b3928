// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-load FILE: open an export as everybody does who resolves cookies from it, and load its
 * maps. For the time and the memory of the process as a whole.
 */
#include <stdio.h>

#include "stackmap.h"

static int fail(const struct stackmap_resolver *resolver)
{
	fprintf(stderr, "bench-load: %s\n", stackmap_resolver_get_error(resolver));
	return 2;
}

int main(int argc, char **argv)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	size_t i, nr, nr_stacks = 0;

	if (argc != 2 || !resolver) {
		fprintf(stderr, "usage: bench-load FILE\n");
		return 2;
	}
	if (stackmap_resolver_add_file(resolver, argv[1]))
		return fail(resolver);
	for (i = 0; i < stackmap_resolver_nr_maps(resolver); i++) {
		nr = stackmap_map_nr_stacks(stackmap_resolver_get_map(resolver, i));
		if (nr == (size_t)-1)
			return fail(resolver);
		nr_stacks += nr;
	}
	printf("%zu\n", nr_stacks);
	stackmap_resolver_free(resolver);
	return 0;
}
