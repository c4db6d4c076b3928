// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/hash.h"

static void seeds_differ(void **state)
{
	assert_true(smap_hash_seed() != smap_hash_seed());
}

static void equal_bytes_hash_alike_under_one_seed_only(void **state)
{
	char a[] = "schedule+0x48/0xc0", b[] = "schedule+0x48/0xc0";

	assert_true(smap_hash_bytes(a, sizeof(a), 1) == smap_hash_bytes(b, sizeof(b), 1));
	assert_true(smap_hash_bytes(a, sizeof(a), 1) != smap_hash_bytes(a, sizeof(a), 2));
	assert_true(smap_hash_bytes(a, sizeof(a), 1) != smap_hash_bytes(a, sizeof(a) - 1, 1));
	b[3]++;
	assert_true(smap_hash_bytes(a, sizeof(a), 1) != smap_hash_bytes(b, sizeof(b), 1));
}

static void buckets_lie_within_the_table(void **state)
{
	const uint64_t seed = 0x123456789abcdef1ULL;
	unsigned int bits;
	uint64_t key;

	for (bits = 1; bits < 32; bits++)
		for (key = 1; key; key <<= 1)
			assert_true(smap_hash_bucket(key, seed, bits) < 1ULL << bits);
}

/* Slots one behind the other, in one or in many generations, as maps have them. */
static void neighbouring_cookies_are_spread(void **state)
{
	enum { BITS = 12, NR = 2048 };
	const uint64_t seed = 0x9e3779b97f4a7c15ULL;
	unsigned int i, most, kind;
	static unsigned int fill[1 << BITS];

	for (kind = 0; kind < 2; kind++) {
		memset(fill, 0, sizeof(fill));
		for (i = most = 0; i < NR; i++) {
			uint64_t key = kind ? (uint64_t)i << 32 | 7 : (1ULL << 32 | i);
			size_t at = smap_hash_bucket(key, seed, BITS);

			if (++fill[at] > most)
				most = fill[at];
		}
		/* Random throws would put 5 or 6 into the fullest. */
		assert_true(most < 10);
	}
}

static void a_table_is_at_most_half_full(void **state)
{
	size_t nr;

	for (nr = 0; nr < 100000; nr += 7) {
		unsigned int bits = smap_hash_bits(nr);

		assert_true((size_t)1 << bits >= 2 * nr);
		assert_true(bits == 4 || (size_t)1 << bits < 4 * nr);
	}
	assert_int_equal(smap_hash_bits(SIZE_MAX), 8 * sizeof(size_t) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_differ),
		cmocka_unit_test(equal_bytes_hash_alike_under_one_seed_only),
		cmocka_unit_test(buckets_lie_within_the_table),
		cmocka_unit_test(neighbouring_cookies_are_spread),
		cmocka_unit_test(a_table_is_at_most_half_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
