// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-stackmap DEPTH: looks stacks of a depth up in the kernel's stack map, half full, and does
 * parts of that alone. Prints how many stacks.
 *
 * bench_find(), bench_hash() and bench_compare() are functions of their own for callgrind
 * --toggle-collect: what is collected, divided by the number printed, is the instructions of each,
 * with those of the loop; bench_loop() has these alone. What is left of bench_find() is the probe.
 *
 * The source is included, since the parts are not to be called from elsewhere; _stext is a constant
 * as in the kernel.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace_stackmap_map.c"

#define BITS		14
#define NR_STACKS	(1U << (BITS - 1))
#define MAX_DEPTH	64

static struct ftrace_stackmap_key keys[NR_STACKS];
static unsigned long frames[NR_STACKS][MAX_DEPTH];

#if __has_attribute(noipa)
#define bench	__attribute__((__noinline__, noipa)) static
#else
#define bench	__attribute__((__noinline__)) static
#endif

bench void bench_loop(const struct ftrace_stackmap *map, unsigned int depth)
{
	struct ftrace_stackmap_key key;
	unsigned int i;

	for (i = 0; i < NR_STACKS; i++)
		__asm__ volatile("" : : "r"(&key), "r"(frames[i]), "r"(depth), "r"(map) : "memory");
}

bench void bench_hash(const struct ftrace_stackmap *map, unsigned int depth)
{
	struct ftrace_stackmap_key key;
	unsigned int i;

	for (i = 0; i < NR_STACKS; i++) {
		stackmap_make_key(&key, frames[i], depth);
		__asm__ volatile("" : : "r"(&key), "r"(map) : "memory");
	}
}

bench void bench_compare(const struct ftrace_stackmap *map, unsigned int depth)
{
	unsigned int i;

	for (i = 0; i < NR_STACKS; i++) {
		u32 value = map->slots[keys[i].slot];

		if (!stackmap_equals(map->arena + stackmap_place(map, value), &keys[i]))
			abort();
	}
}

bench void bench_find(const struct ftrace_stackmap *map, unsigned int depth)
{
	struct ftrace_stackmap_key key;
	unsigned int i;

	for (i = 0; i < NR_STACKS; i++) {
		if (ftrace_stackmap_find(map, &key, frames[i], depth) != FTRACE_STACKMAP_SUCCESS)
			abort();
	}
}

/* As addresses of code lie: within some MiB, at no round distance */
static void make_stack(unsigned long *to, unsigned int depth, uint64_t *random)
{
	unsigned int i;

	for (i = 0; i < depth; i++) {
		*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
		to[i] = (unsigned long)_stext + (*random >> 40);
	}
}

int main(int argc, char **argv)
{
	unsigned int depth = argc > 1 ? (unsigned int)atoi(argv[1]) : 0, i;
	struct ftrace_stackmap *map = ftrace_stackmap_alloc(BITS);
	uint64_t random = depth;

	if (!map || !depth || depth > MAX_DEPTH) {
		fprintf(stderr, "bench-stackmap: DEPTH, from 1 to %d\n", MAX_DEPTH);
		return 2;
	}
	for (i = 0; i < NR_STACKS; i++) {
		make_stack(frames[i], depth, &random);
		if (ftrace_stackmap_find(map, &keys[i], frames[i], depth) == FTRACE_STACKMAP_ABSENT)
			ftrace_stackmap_insert(map, &keys[i]);
	}
	bench_loop(map, depth);
	bench_hash(map, depth);
	bench_compare(map, depth);
	bench_find(map, depth);
	printf("%u\n", NR_STACKS);
	ftrace_stackmap_destroy(map);
	return 0;
}
