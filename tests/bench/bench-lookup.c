// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-lookup MAP [ROUNDS]: looks every cookie of a map up, ROUNDS times after a first one in
 * which the resolver makes its answers. Prints how many lookups that were, and how many bytes the
 * heap has grown by meanwhile.
 *
 * bench_lookups() is a function of its own for callgrind --toggle-collect: what is collected,
 * divided by the number printed, is the instructions of a lookup, with those of the loop.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include <stackmap.h>

static void die(const char *words)
{
	fprintf(stderr, "bench-lookup: %s\n", words);
	exit(2);
}

/* The cookies of all maps, in an order in which neighbours are far apart. */
static uint64_t *read_cookies(struct stackmap_resolver *resolver, size_t *ret_nr)
{
	struct stackmap_map *map = stackmap_resolver_get_map(resolver, 0);
	size_t nr = map ? stackmap_map_nr_stacks(map) : 0, i;
	uint64_t *cookies = calloc(nr + 1, sizeof(*cookies)), kept;
	struct stackmap_stack *stack;

	if (!cookies || nr == (size_t)-1 || !nr)
		die("the map has no stacks");
	for (i = 0; i < nr; i++) {
		stack = stackmap_map_get_stack(map, i);
		cookies[i] = stackmap_cookie_make(stackmap_stack_get_generation(stack),
						  stackmap_stack_get_slot(stack));
	}
	for (i = nr - 1; i > 0; i--) {
		size_t other = (size_t)rand() % (i + 1);

		kept = cookies[i];
		cookies[i] = cookies[other];
		cookies[other] = kept;
	}
	*ret_nr = nr;
	return cookies;
}

__attribute__((noinline)) static size_t bench_lookups(struct stackmap_resolver *resolver,
						      const uint64_t *cookies, size_t nr)
{
	size_t found = 0, i;

	for (i = 0; i < nr; i++)
		found += !!stackmap_resolver_find(resolver, cookies[i], STACKMAP_TS_UNKNOWN);
	return found;
}

static size_t heap_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

int main(int argc, char **argv)
{
	struct stackmap_resolver *resolver = stackmap_resolver_new();
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 10, i;
	size_t nr, found = 0, heap;
	uint64_t *cookies;

	if (argc < 2 || !resolver)
		die("MAP [ROUNDS]");
	if (stackmap_resolver_add_file(resolver, argv[1]))
		die(stackmap_resolver_get_error(resolver));
	cookies = read_cookies(resolver, &nr);
	for (i = 0; i < nr; i++)
		stackmap_resolver_find(resolver, cookies[i], STACKMAP_TS_UNKNOWN);
	heap = heap_in_use();
	for (i = 0; i < rounds; i++)
		found += bench_lookups(resolver, cookies, nr);
	printf("%zu %zu\n", found, heap_in_use() - heap);
	free(cookies);
	stackmap_resolver_free(resolver);
	return found == nr * rounds ? 0 : 1;
}
