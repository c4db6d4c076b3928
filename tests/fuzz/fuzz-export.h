/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parse an export, and hold the result against what core/map.h and parse/parse.h promise.
 */
#ifndef SMAP_TESTS_FUZZ_EXPORT_H
#define SMAP_TESTS_FUZZ_EXPORT_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/parse.h"
#include "parse-brief.h"

/* assert() that no build leaves out. */
#define FUZZ_ASSERT(condition)	do { if (!(condition)) abort(); } while (0)

static void fuzz_check_frame(const struct smap_export *export, const struct smap_frame *frame)
{
	if (frame->kind == SMAP_FRAME_TEXT) {
		FUZZ_ASSERT(frame->len > 0);
		FUZZ_ASSERT(strlen(smap_frame_text(export, frame)) == frame->len);
	}
}

static void fuzz_check_stack(const struct smap_export *export, const struct smap_stack *stack)
{
	const struct smap_stack *found;
	uint32_t i;

	FUZZ_ASSERT(stack->first + stack->depth <= export->nr_ids);
	FUZZ_ASSERT(stack->flags & SMAP_STACK_DAMAGED || stack->depth == stack->stated_depth);
	for (i = 0; i < stack->depth; i++) {
		FUZZ_ASSERT(export->ids[stack->first + i] < export->nr_frames);
		fuzz_check_frame(export, smap_export_frame(export, stack, i));
	}
	found = smap_export_find(export, smap_cookie(stack->generation, stack->slot));
	FUZZ_ASSERT(found && found->slot == stack->slot);
	FUZZ_ASSERT(found == stack || stack->flags & SMAP_STACK_CONFLICT);
}

static void fuzz_check_export(const struct smap_export *export,
			      const struct smap_findings *findings, size_t size)
{
	size_t i, nr = 0;

	for (i = 0; i < export->nr_stacks; i++)
		fuzz_check_stack(export, &export->stacks[i]);
	for (i = 0; i < export->nr_maps; i++) {
		FUZZ_ASSERT(export->maps[i].first == nr);
		nr += export->maps[i].nr_stacks;
		FUZZ_ASSERT(!i || export->maps[i].generation > export->maps[i - 1].generation);
	}
	FUZZ_ASSERT(nr == export->nr_stacks);
	FUZZ_ASSERT(export->nr_stacks + export->nr_repeated <= findings->nr_records);
	FUZZ_ASSERT(!findings->cut || findings->cut_offset <= size);
	FUZZ_ASSERT(!findings->has_cut_slot || findings->cut);
	FUZZ_ASSERT(!findings->no_trailer || findings->trailer_offset <= size);
	FUZZ_ASSERT(!findings->nr_unordered || findings->unordered_offset < size);
	FUZZ_ASSERT(export->info.build_id_len <= SMAP_BUILD_ID_SIZE);
	/* What the bytes can hold at most: a frame of one letter takes six. */
	FUZZ_ASSERT(export->nr_ids <= size / 6);
}

static void fuzz_export(const struct smap_parse_ops *ops, const uint8_t *data, size_t size)
{
	struct smap_findings findings = { 0 };
	struct smap_export *export = NULL;
	struct smap_error err = { "" };
	int ret;

	ops->probe(data, size);
	ret = ops->parse(data, size, &export, &findings, &err);
	FUZZ_ASSERT(!ops->parse_brief || brief_is_same(ops, data, size, ret, export, &findings));
	if (!ret) {
		fuzz_check_export(export, &findings, size);
		smap_export_free(export);
		return;
	}
	FUZZ_ASSERT(ret == -EBADMSG || ret == -EOPNOTSUPP);
	FUZZ_ASSERT(errno == -ret && !export && err.text[0]);
}

#endif /* SMAP_TESTS_FUZZ_EXPORT_H */
