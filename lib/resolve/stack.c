// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One answer: its frames, and its text, which is made once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"
#include "resolve/resolver.h"

struct stackmap_stack *smap_stack_new(uint32_t generation, bool has_generation, uint32_t slot)
{
	struct stackmap_stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->generation = generation;
	stack->has_generation = has_generation;
	stack->slot = slot;
	stack->verdict = STACKMAP_VERDICT_RESOLVED;
	stack->reason = "";
	return stack;
}

void smap_stack_free(struct stackmap_stack *stack)
{
	if (!stack)
		return;
	free(stack->text);
	free(stack->old_text);
	free(stack);
}

static uint32_t frame_number(const struct smap_source *source, const struct smap_stack *stack,
			     uint32_t nr)
{
	return source->export->ids[stack->first + nr];
}

static bool is_bare(const char *name)
{
	return !strncmp(name, "0x", 2);
}

static int compare(struct smap_source *source_a, const struct smap_stack *a,
		   struct smap_source *source_b, const struct smap_stack *b, bool bare_is_same)
{
	const char *name_a, *name_b;
	uint32_t i;

	if (a->depth != b->depth)
		return 0;
	for (i = 0; i < a->depth; i++) {
		name_a = smap_source_name(source_a, frame_number(source_a, a, i));
		name_b = smap_source_name(source_b, frame_number(source_b, b, i));
		if (!name_a || !name_b)
			return smap_errno(-ENOMEM);
		if (strcmp(name_a, name_b) && !(bare_is_same && is_bare(name_a)))
			return 0;
	}
	return 1;
}

int smap_stack_same(struct smap_source *source_a, const struct smap_stack *a,
		    struct smap_source *source_b, const struct smap_stack *b)
{
	return compare(source_a, a, source_b, b, false);
}

int smap_stack_lacks_names(struct smap_source *source_a, const struct smap_stack *a,
			   struct smap_source *source_b, const struct smap_stack *b)
{
	return compare(source_a, a, source_b, b, true);
}

SMAP_PUBLIC enum stackmap_verdict stackmap_stack_get_verdict(const struct stackmap_stack *stack)
{
	return stack->verdict;
}

SMAP_PUBLIC const char *stackmap_stack_get_reason(const struct stackmap_stack *stack)
{
	return stack->reason;
}

SMAP_PUBLIC uint32_t stackmap_stack_get_slot(const struct stackmap_stack *stack)
{
	return stack->slot;
}

SMAP_PUBLIC bool stackmap_stack_has_generation(const struct stackmap_stack *stack)
{
	return stack->has_generation;
}

SMAP_PUBLIC uint32_t stackmap_stack_get_generation(const struct stackmap_stack *stack)
{
	return stack->generation;
}

SMAP_PUBLIC uint32_t stackmap_stack_get_ref(const struct stackmap_stack *stack)
{
	return stack->stack ? stack->stack->ref : 0;
}

SMAP_PUBLIC uint32_t stackmap_stack_get_depth(const struct stackmap_stack *stack)
{
	return stack->stack ? stack->stack->depth : 0;
}

static bool has_frame(const struct stackmap_stack *stack, uint32_t nr)
{
	if (nr < stackmap_stack_get_depth(stack))
		return true;
	errno = ERANGE;
	return false;
}

SMAP_PUBLIC const char *stackmap_stack_get_frame(struct stackmap_stack *stack, uint32_t nr)
{
	if (!has_frame(stack, nr))
		return NULL;
	return smap_source_name(stack->source, frame_number(stack->source, stack->stack, nr));
}

SMAP_PUBLIC const char *stackmap_stack_get_frame_name(struct stackmap_stack *stack, uint32_t nr)
{
	if (!has_frame(stack, nr))
		return NULL;
	return smap_source_short_name(stack->source, frame_number(stack->source, stack->stack, nr));
}

/* The parts of a text that differ between one line and several. */
struct spelling {
	const char	*first;		/* before the first frame */
	const char	*next;		/* before each other one */
};

static const struct spelling lines = { " => ", "\n => " };
static const struct spelling one_line = { "", " <= " };

static const char *styled_frame(struct stackmap_stack *stack, uint32_t nr, unsigned int flags)
{
	if (flags & STACKMAP_STYLE_NAMES_ONLY)
		return stackmap_stack_get_frame_name(stack, nr);
	return stackmap_stack_get_frame(stack, nr);
}

static int spell(struct stackmap_stack *stack, struct smap_buf *buf)
{
	const struct stackmap_style *style = &stack->source->resolver->style;
	const struct spelling *spelling =
		style->flags & STACKMAP_STYLE_ONE_LINE ? &one_line : &lines;
	uint32_t depth = stackmap_stack_get_depth(stack), shown = depth, i;
	const char *frame;

	if (style->max_frames && style->max_frames < depth)
		shown = style->max_frames;
	for (i = 0; i < shown; i++) {
		frame = styled_frame(stack, i, style->flags);
		if (!frame)
			return smap_errno(-ENOMEM);
		smap_buf_add_str(buf, i ? spelling->next : spelling->first);
		smap_buf_add_escaped(buf, frame, strlen(frame));
	}
	if (shown < depth)
		smap_buf_addf(buf, "%s[%u more frame%s]", spelling->next, depth - shown,
			      depth - shown == 1 ? "" : "s");
	return 0;
}

SMAP_PUBLIC const char *stackmap_stack_get_text(struct stackmap_stack *stack, size_t *ret_len)
{
	struct smap_buf buf = SMAP_BUF_INIT;

	if (!stack->text) {
		if (stack->stack && spell(stack, &buf)) {
			smap_buf_free(&buf);
			return NULL;
		}
		stack->text = smap_buf_detach(&buf, &stack->text_len);
		if (!stack->text) {
			errno = ENOMEM;
			return NULL;
		}
	}
	if (ret_len)
		*ret_len = stack->text_len;
	return stack->text;
}

SMAP_PUBLIC void stackmap_stack_set_private(struct stackmap_stack *stack, void *data)
{
	stack->private_data = data;
}

SMAP_PUBLIC void *stackmap_stack_get_private(const struct stackmap_stack *stack)
{
	return stack->private_data;
}
