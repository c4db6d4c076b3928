// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/buf.h"
#include "fixture.h"
#include "parse-brief.h"

static void spell_frame(struct smap_buf *buf, const struct smap_export *export,
			const struct smap_frame *frame)
{
	if (frame->kind == SMAP_FRAME_TEXT)
		smap_buf_add(buf, smap_frame_text(export, frame), frame->len);
	else if (frame->kind == SMAP_FRAME_ADDRESS)
		smap_buf_addf(buf, "0x%llx", (unsigned long long)frame->value);
	else
		smap_buf_add_str(buf, "TRAMPOLINE");
}

static void spell_stack(struct smap_buf *buf, const struct smap_export *export,
			const struct smap_stack *stack)
{
	uint32_t i;

	if (export->has_generation)
		smap_buf_addf(buf, "%u:", stack->generation);
	smap_buf_addf(buf, "%u ref %u ", stack->slot, stack->ref);
	for (i = 0; i < stack->depth; i++) {
		if (i)
			smap_buf_add_char(buf, '|');
		spell_frame(buf, export, smap_export_frame(export, stack, i));
	}
	if (stack->flags & SMAP_STACK_CONFLICT)
		smap_buf_add_str(buf, " conflict");
	if (stack->flags & SMAP_STACK_DAMAGED)
		smap_buf_add_str(buf, " damaged");
	smap_buf_add_char(buf, '\n');
}

static void check_brief(const void *data, size_t len, const struct parsed *parsed)
{
	const struct smap_parse_ops *ops = smap_parse_probe(data, len);

	if (ops && ops->parse_brief)
		assert_true(brief_is_same(ops, data, len, parsed->ret, parsed->export,
					  &parsed->findings));
}

struct parsed parsed_from(const void *data, size_t len)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct parsed parsed = { 0 };
	void *copy = malloc(len ? len : 1);
	size_t i;

	assert_non_null(copy);
	memcpy(copy, data, len);
	parsed.ret = smap_parse(copy, len, &parsed.export, &parsed.order, &parsed.findings,
				&parsed.err);
	check_brief(copy, len, &parsed);
	/* The export must not need its source any more. */
	memset(copy, 'X', len);
	free(copy);
	if (parsed.ret)
		assert_null(parsed.export);
	for (i = 0; parsed.export && i < parsed.export->nr_stacks; i++)
		spell_stack(&buf, parsed.export, &parsed.export->stacks[i]);
	parsed.stacks = smap_buf_detach(&buf, NULL);
	assert_non_null(parsed.stacks);
	return parsed;
}

struct parsed parsed_from_text(const char *text)
{
	return parsed_from(text, strlen(text));
}

void parsed_free(struct parsed *parsed)
{
	smap_export_free(parsed->export);
	free(parsed->stacks);
}

bool parsed_has_all(const struct smap_parse_ops *ops, const char *data, size_t len,
		    const char *older, size_t older_len)
{
	struct smap_window window, older_window;

	smap_window_over(&window, data, len);
	smap_window_over(&older_window, older, older_len);
	return ops->has_all(&window, &older_window);
}

char *data_file(const char *name, size_t *ret_len)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	const char *folder = getenv("SMAP_TEST_DATA");
	char path[4096], chunk[4096], *data;
	FILE *file;
	size_t n;

	assert_non_null(folder);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (!file)
		fail_msg("%s is not there", path);
	while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		smap_buf_add(&buf, chunk, n);
	fclose(file);
	data = smap_buf_detach(&buf, ret_len);
	assert_non_null(data);
	return data;
}

struct parsed parsed_from_file(const char *name)
{
	struct parsed parsed;
	size_t len;
	char *data;

	data = data_file(name, &len);
	parsed = parsed_from(data, len);
	free(data);
	return parsed;
}

typedef int (*parse_fn)(const void *data, size_t len, struct smap_export **ret_export,
			enum smap_byte_order *ret_order, struct smap_findings *findings,
			struct smap_error *err);

static int parse_with(const struct input *input, parse_fn parse)
{
	struct smap_export *export = NULL;
	struct smap_error err;
	int ret;

	ret = parse(input->data, input->len, &export, NULL, NULL, &err);
	if (!ret)
		smap_export_free(export);
	else
		assert_null(export);
	return ret;
}

int parse_once(void *data)
{
	return parse_with(data, smap_parse);
}

int parse_briefly_once(void *data)
{
	return parse_with(data, smap_parse_brief);
}
