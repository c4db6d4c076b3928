// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The map of the running kernel, for a resolver and as an object of another room.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/export.h"
#include "resolve/feed.h"
#include "stackmap.h"
#include "tracefs/live.h"

static int read_live(void *data, const uint32_t *generation, struct smap_export **ret_export,
		     struct smap_symbols **ret_symbols, struct smap_error *err)
{
	struct stackmap_live *live = data;
	int ret = smap_live_read(live, generation, ret_export, ret_symbols);

	return ret < 0 ? smap_error_set(err, ret, "%s", stackmap_live_get_error(live)) : ret;
}

static int set_feed(struct stackmap_resolver *resolver, struct stackmap_live *live)
{
	const struct smap_origin *origin = smap_live_get_origin(live);
	struct smap_feed feed = { .read = read_live, .data = live };
	char *path;
	int ret;

	if (!origin || asprintf(&path, "%s/stack_map", stackmap_live_get_dir(live)) < 0)
		return smap_error_nomem(&resolver->err);
	feed.origin = *origin;
	smap_live_follow_anew(live);
	ret = smap_resolver_set_feed(resolver, path, &feed);
	free(path);
	return ret;
}

SMAP_PUBLIC int stackmap_resolver_add_live(struct stackmap_resolver *resolver,
					   struct stackmap_live *live)
{
	int ret = stackmap_live_open(live);

	if (ret)
		return smap_error_set(&resolver->err, ret, "%s", stackmap_live_get_error(live));
	ret = set_feed(resolver, live);
	return ret ? smap_errno(ret) : 0;
}

SMAP_PUBLIC struct stackmap_stat *stackmap_live_read_stat(struct stackmap_live *live)
{
	struct stackmap_stat *stat = NULL;
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	ret = smap_live_read_stat(live, &text);
	if (!ret) {
		stat = stackmap_stat_new(text.data, text.len);
		ret = stat ? 0 : smap_live_fail_stat(live, -errno);
	}
	smap_buf_free(&text);
	if (ret)
		smap_errno(ret);
	return stat;
}
