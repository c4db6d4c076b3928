// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static void every_address_is_found_or_not_by_its_bounds(void **state)
{
	struct smap_symbols *symbols = table_of("1000000 T a\n1000002 T b\n1000003 T _etext\n"
						"1000006 T c\n1000008 T _einittext\n");
	static const char *const expected[] = {
		"hex", "a+0x0/0x2", "a+0x1/0x2", "b+0x0/0x1", "hex", "hex", "hex",
		"c+0x0/0x2", "c+0x1/0x2", "hex",
	};
	size_t i;

	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(name_at(symbols, 0xffffff + i), expected[i]);
	assert_string_equal(name_at(symbols, 0), "hex");
	assert_int_equal(smap_symbols_nr(symbols), 3);
	assert_null(smap_symbols_get(symbols, 3));
	smap_symbols_free(symbols);
}

static void nothing_can_be_freed(void **state)
{
	smap_symbols_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_address_is_found_or_not_by_its_bounds),
		cmocka_unit_test(nothing_can_be_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
