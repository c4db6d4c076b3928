/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmocka 2 has assert_in_range() by sign, and warns of the one without, which is all that those
 * before have. To be included after it.
 */
#ifndef SMAP_TESTS_IN_RANGE_H
#define SMAP_TESTS_IN_RANGE_H

#ifndef assert_uint_in_range
#define assert_uint_in_range	assert_in_range
#endif

#endif /* SMAP_TESTS_IN_RANGE_H */
