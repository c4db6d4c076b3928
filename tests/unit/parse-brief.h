/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of each export that a test parses: is what is told briefly the same?
 */
#ifndef SMAP_TESTS_PARSE_BRIEF_H
#define SMAP_TESTS_PARSE_BRIEF_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parse/parse.h"

static inline int brief_compare_addresses(const void *a, const void *b)
{
	const uint64_t *address_a = a, *address_b = b;

	return (*address_a > *address_b) - (*address_a < *address_b);
}

/* In their order, to be freed. */
static inline uint64_t *brief_addresses(const struct smap_export *export, size_t *ret_nr)
{
	uint64_t *addresses = malloc((export->nr_frames + 1) * sizeof(*addresses));
	size_t i, nr = 0;

	for (i = 0; addresses && i < export->nr_frames; i++)
		if (export->frames[i].kind == SMAP_FRAME_ADDRESS)
			addresses[nr++] = export->frames[i].value;
	if (addresses)
		qsort(addresses, nr, sizeof(*addresses), brief_compare_addresses);
	*ret_nr = nr;
	return addresses;
}

static inline bool brief_has_same_addresses(const struct smap_export *whole,
					    const struct smap_export *brief)
{
	size_t nr_whole, nr_brief;
	uint64_t *in_whole = brief_addresses(whole, &nr_whole);
	uint64_t *in_brief = brief_addresses(brief, &nr_brief);
	bool same;

	same = in_whole && in_brief && nr_whole == nr_brief &&
	       !memcmp(in_whole, in_brief, nr_whole * sizeof(*in_whole));
	free(in_whole);
	free(in_brief);
	return same;
}

static inline bool brief_has_same_map(const struct smap_export *whole,
				      const struct smap_export *brief)
{
	if (whole->nr_maps != brief->nr_maps || brief->nr_maps > 1 ||
	    whole->has_generation != brief->has_generation ||
	    whole->nr_stacks != brief->nr_stacks || whole->nr_damaged != brief->nr_damaged ||
	    memcmp(&whole->info, &brief->info, sizeof(whole->info)))
		return false;
	if (!brief->nr_maps)
		return true;
	return whole->maps[0].generation == brief->maps[0].generation &&
	       whole->maps[0].nr_stacks == brief->maps[0].nr_stacks &&
	       !smap_map_find(&brief->maps[0], whole->nr_stacks ? whole->stacks[0].slot : 0);
}

/* The same for who does not care how it is told. */
static inline bool brief_is_told(const void *data, size_t len, int ret,
				 const struct smap_findings *findings)
{
	struct smap_export *export = NULL;
	struct smap_findings found;
	struct smap_error err;
	int got = smap_parse_brief(data, len, &export, NULL, &found, &err);

	smap_export_free(export);
	return got == ret && (ret || !memcmp(&found, findings, sizeof(found)));
}

/* @ret and @whole: what ->parse() of @ops made of these bytes. */
static inline bool brief_is_same(const struct smap_parse_ops *ops, const void *data, size_t len,
				 int ret, const struct smap_export *whole,
				 const struct smap_findings *findings)
{
	struct smap_findings found = { 0 };
	struct smap_export *brief = NULL;
	struct smap_error err;
	bool same;
	int got = ops->parse_brief(data, len, &brief, &found, &err);

	if (smap_parse_probe(data, len) == ops && !brief_is_told(data, len, ret, findings))
		return false;
	/* There is nothing brief to be told of what has faults in its stacks, and of no other. */
	if (got == -ENOTUNIQ)
		return !ret && (whole->nr_damaged || whole->nr_repeated || whole->nr_conflicts ||
				findings->nr_unordered || !whole->has_generation);
	if (got || ret)
		return got == ret;
	same = brief->is_brief && brief_has_same_map(whole, brief) &&
	       brief_has_same_addresses(whole, brief) &&
	       !memcmp(&found, findings, sizeof(found));
	smap_export_free(brief);
	return same;
}

#endif /* SMAP_TESTS_PARSE_BRIEF_H */
