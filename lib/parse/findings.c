// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The faults of an export in words, the same wherever they are told.
 */
#include <stdio.h>

#include "parse.h"

#define WORDS(words, ...)	snprintf((words)->text, sizeof((words)->text), __VA_ARGS__)

static void word_cut(const struct smap_findings *findings, struct smap_error *words)
{
	unsigned long long offset = findings->cut_offset;

	if (findings->has_cut_slot)
		WORDS(words, "the last record (slot %u) is cut, at byte %llu", findings->cut_slot,
		      offset);
	else
		WORDS(words, "the last record is cut, at byte %llu", offset);
}

static void word_trailer(const struct smap_findings *findings, struct smap_error *words)
{
	WORDS(words,
	      "the trailer tells of %u stack%s and %llu bytes before it, there are %zu and %llu",
	      findings->trailer_records, findings->trailer_records == 1 ? "" : "s",
	      (unsigned long long)findings->trailer_bytes, findings->nr_records,
	      (unsigned long long)findings->trailer_offset);
}

bool smap_findings_get_words(const struct smap_findings *findings, enum smap_finding kind,
			     struct smap_error *ret_words)
{
	size_t nr;

	switch (kind) {
	case SMAP_FINDING_CUT:
		if (findings->cut)
			word_cut(findings, ret_words);
		return findings->cut;
	case SMAP_FINDING_MISSING:
		nr = findings->nr_missing;
		WORDS(ret_words, "%zu announced record%s missing", nr, nr == 1 ? " is" : "s are");
		return nr;
	case SMAP_FINDING_NO_TRAILER:
		WORDS(ret_words, "ends without its trailer, at byte %llu: it is not complete",
		      (unsigned long long)findings->trailer_offset);
		return findings->no_trailer;
	case SMAP_FINDING_TRAILER:
		word_trailer(findings, ret_words);
		return findings->trailer_differs;
	case SMAP_FINDING_DEPTH:
		nr = findings->nr_depth_mismatch;
		WORDS(ret_words, "%zu record%s with another depth than stated, first at byte %llu",
		      nr, nr == 1 ? "" : "s", (unsigned long long)findings->depth_mismatch_offset);
		return nr;
	case SMAP_FINDING_ORDER:
		nr = findings->nr_unordered;
		WORDS(ret_words, "%zu record%s out of the order of slots, first at byte %llu",
		      nr, nr == 1 ? "" : "s", (unsigned long long)findings->unordered_offset);
		return nr;
	case SMAP_FINDING_TRAILING:
		nr = findings->nr_trailing;
		WORDS(ret_words, "%zu byte%s behind the end", nr, nr == 1 ? "" : "s");
		return nr;
	default:
		return false;
	}
}
