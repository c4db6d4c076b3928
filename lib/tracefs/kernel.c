// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a kernel can.
 *
 *	format of the event	u64 stack_cookie: series 8 on; int stack_id: 4 to 7
 *	stack_map_bin		there or not
 *	its first bytes		FSM2: ours, which rotates without loss
 *	README			the same, where stack_map_bin is empty (no map) or fails
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/ftrace_stackmap.h"
#include "room.h"

#define SERIES_8	(STACKMAP_CAN_GENERATIONS | STACKMAP_CAN_FREE)
#define OURS		(STACKMAP_CAN_ROTATE | STACKMAP_CAN_RANDOM_GENERATION)

static bool holds(const struct smap_buf *text, const char *word)
{
	return text->len && memmem(text->data, text->len, word, strlen(word));
}

/* 1: with a generation; 0: without; -ENODATA: nothing tells; or an error. */
static int has_cookies(const char *dir, struct smap_error *err)
{
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	ret = smap_tracefs_read(dir, "events/ftrace/stack_id/format", &text, err);
	if (ret == -ENOENT)
		ret = -ENODATA;
	else if (!ret && holds(&text, "stack_cookie"))
		ret = 1;
	else if (!ret && !holds(&text, "stack_id;"))
		ret = -ENODATA;
	smap_buf_free(&text);
	return ret;
}

/* The format file is missing, which abi.md does not provide for: the map itself may tell. */
static int map_has_generation(const char *dir, struct smap_error *err)
{
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	ret = smap_tracefs_read(dir, "stack_map_stat", &text, err);
	if (!ret)
		ret = holds(&text, "generation:");
	else if (ret == -ENOENT)
		ret = 0;
	smap_buf_free(&text);
	return ret;
}

/* What fails for a moment says nothing: a kernel taken for another one would be for good. */
static bool is_withheld(int ret)
{
	return ret == -ENOENT || ret == -EACCES || ret == -EPERM;
}

static int readme_says_so(const char *dir, struct smap_error *err)
{
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	ret = smap_tracefs_read(dir, "README", &text, err);
	if (!ret)
		ret = holds(&text, "stack_map_bin") &&
		      holds(&text, "go on with an empty map of the next generation");
	else if (is_withheld(ret))
		ret = 0;
	smap_buf_free(&text);
	return ret;
}

/* 1: a reset gives the whole old map to who asks for it. */
static int is_ours(const char *dir, struct smap_error *err)
{
	uint32_t magic = 0;
	char head[256];
	size_t len;
	int ret;

	ret = smap_tracefs_read_head(dir, "stack_map_bin", head, sizeof(head), &len, err);
	if (ret == -ENOMEM)
		return ret;
	/* Where the kernel fails to give it, or not to us, there is still the text to save. */
	if (ret || !len)
		return readme_says_so(dir, err);
	memcpy(&magic, head, len < sizeof(magic) ? len : sizeof(magic));
	return magic == FTRACE_STACKMAP_BIN_MAGIC;
}

int smap_kernel_look(const char *dir, unsigned int *ret_abilities, struct smap_error *err)
{
	unsigned int abilities = 0;
	int fd, ret, has_bin;

	/* Says best what is in the way. */
	fd = smap_tracefs_open(dir, "stack_map", O_RDONLY, err);
	if (fd < 0)
		return fd;
	close(fd);
	ret = has_cookies(dir, err);
	if (ret == -ENODATA)
		ret = map_has_generation(dir, err);
	if (ret < 0)
		return ret;
	if (ret)
		abilities |= SERIES_8;
	has_bin = smap_tracefs_has(dir, "stack_map_bin");
	if (has_bin < 0)
		return smap_error_nomem(err);
	if (has_bin)
		abilities |= STACKMAP_CAN_BINARY;
	if (ret && abilities & STACKMAP_CAN_BINARY) {
		ret = is_ours(dir, err);
		if (ret < 0)
			return ret;
		if (ret)
			abilities |= OURS;
	}
	*ret_abilities = abilities;
	return 0;
}
