/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections that describe a save, between disk and memory: struct smap_store_origin and
 * struct smap_store_summary with what follows them.
 */
#ifndef SMAP_STORE_ORIGIN_H
#define SMAP_STORE_ORIGIN_H

#include "store.h"

/* Return 0, -EINVAL (a string too long for the format, or with a NUL in it) or -ENOMEM. */
int smap_origin_encode(struct smap_buf *buf, const struct smap_save_input *input,
		       struct smap_error *err);
int smap_summary_encode(struct smap_buf *buf, const struct smap_export *export,
			const struct smap_findings *findings, struct smap_error *err);

/*
 * Fill in what the section says. Return 0, -EBADMSG with words, or -ENOMEM; what was filled in
 * is freed by smap_save_release() in either case.
 */
int smap_origin_decode(struct stackmap_save *save, const void *data, size_t len,
		       struct smap_error *err);
int smap_summary_decode(struct stackmap_save *save, const void *data, size_t len,
			struct smap_error *err);
int smap_superseded_decode(struct stackmap_save *save, const void *data, size_t len,
			   struct smap_error *err);
/* The same as a summary says, from the export itself. Returns 0 or -ENOMEM. */
int smap_summary_from_export(struct stackmap_save *save, const struct smap_export *export,
			     const struct smap_findings *findings, struct smap_error *err);

int smap_tie_encode(struct smap_buf *buf, const struct smap_tie *tie, struct smap_error *err);
/* What was filled in is freed by smap_tie_release() in either case. */
int smap_tie_decode(struct smap_tie *tie, const void *data, size_t len, struct smap_error *err);

/* Nothing is known of it. */
void smap_save_init(struct stackmap_save *save);
void smap_save_release(struct stackmap_save *save);

#endif /* SMAP_STORE_ORIGIN_H */
