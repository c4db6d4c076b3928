// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "parse.h"

static const struct smap_parse_ops *const formats[] = {
	&smap_parse_text8,
	&smap_parse_text4,
	&smap_parse_bin1,
	&smap_parse_bin2,
};

const struct smap_parse_ops *smap_parse_probe(const void *data, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (formats[i]->probe(data, len))
			return formats[i];
	return NULL;
}

static int parse(const void *data, size_t len, bool brief, struct smap_export **ret_export,
		 enum smap_byte_order *ret_order, struct smap_findings *findings,
		 struct smap_error *err)
{
	const struct smap_parse_ops *ops = smap_parse_probe(data, len);
	struct smap_findings found = { 0 };
	int ret = -ENOTUNIQ;

	if (!ops)
		return smap_error_set(err, -EINVAL, len ? "neither stack_map nor stack_map_bin"
							: "empty: no map was allocated");
	if (brief && ops->parse_brief)
		ret = ops->parse_brief(data, len, ret_export, &found, err);
	if (ret == -ENOTUNIQ) {
		found = (struct smap_findings){ 0 };
		ret = ops->parse(data, len, ret_export, &found, err);
	}
	if (ret)
		return ret;
	if (findings)
		*findings = found;
	if (ret_order)
		*ret_order = ops->order ? ops->order(data, len) : SMAP_ORDER_UNKNOWN;
	return 0;
}

int smap_parse(const void *data, size_t len, struct smap_export **ret_export,
	       enum smap_byte_order *ret_order, struct smap_findings *findings,
	       struct smap_error *err)
{
	return parse(data, len, false, ret_export, ret_order, findings, err);
}

int smap_parse_brief(const void *data, size_t len, struct smap_export **ret_export,
		     enum smap_byte_order *ret_order, struct smap_findings *findings,
		     struct smap_error *err)
{
	return parse(data, len, true, ret_export, ret_order, findings, err);
}
