// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Saves and the trace that they were recorded with. A save is named by the checksum of its block's
 * data, which stays the same wherever the block is moved to.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/bytes.h"
#include "block.h"
#include "origin.h"

void smap_tie_release(struct smap_tie *tie)
{
	free(tie->saves);
	*tie = (struct smap_tie){ .nr_saves = 0 };
}

int smap_tie_encode(struct smap_buf *buf, const struct smap_tie *tie, struct smap_error *err)
{
	struct smap_store_tie disk = { 0 };
	smap_le64 sum;
	size_t i;

	if (tie->nr_saves > (SMAP_META_MAX - sizeof(disk)) / sizeof(sum))
		return smap_error_set(err, -EINVAL, "%zu saves are more than a tie can name",
				      tie->nr_saves);
	disk.trace_id = htole64(tie->trace.trace_id);
	disk.trace_len = htole64(tie->trace.len);
	disk.head_checksum = htole64(tie->trace.head);
	disk.tail_checksum = htole64(tie->trace.tail);
	disk.nr_saves = htole32((uint32_t)tie->nr_saves);
	smap_buf_add(buf, &disk, sizeof(disk));
	for (i = 0; i < tie->nr_saves; i++) {
		sum = htole64(tie->saves[i]);
		smap_buf_add(buf, &sum, sizeof(sum));
	}
	return smap_buf_failed(buf) ? smap_error_nomem(err) : 0;
}

static int get_saves(struct smap_bytes *bytes, struct smap_tie *tie, uint32_t nr,
		     struct smap_error *err)
{
	const void *sums;
	smap_le64 sum;
	uint32_t i;

	if (nr > smap_bytes_left(bytes) / sizeof(sum) ||
	    !smap_bytes_get(bytes, nr * sizeof(sum), &sums))
		return smap_error_set(err, -EBADMSG, "cut short");
	tie->saves = calloc((size_t)nr + 1, sizeof(*tie->saves));
	if (!tie->saves)
		return smap_error_nomem(err);
	for (i = 0; i < nr; i++) {
		memcpy(&sum, (const char *)sums + i * sizeof(sum), sizeof(sum));
		tie->saves[i] = le64toh(sum);
	}
	tie->nr_saves = nr;
	return 0;
}

int smap_tie_decode(struct smap_tie *tie, const void *data, size_t len, struct smap_error *err)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, false);
	struct smap_store_tie disk;
	const void *fixed;

	if (!smap_bytes_get(&bytes, sizeof(disk), &fixed))
		return smap_error_set(err, -EBADMSG, "cut short");
	memcpy(&disk, fixed, sizeof(disk));
	tie->trace.trace_id = le64toh(disk.trace_id);
	tie->trace.len = le64toh(disk.trace_len);
	tie->trace.head = le64toh(disk.head_checksum);
	tie->trace.tail = le64toh(disk.tail_checksum);
	return get_saves(&bytes, tie, le32toh(disk.nr_saves), err);
}

/* ---- which saves are tied to a trace ---- */

static int compare_sums(const void *a, const void *b)
{
	uint64_t sum_a = *(const uint64_t *)a, sum_b = *(const uint64_t *)b;

	return (sum_a > sum_b) - (sum_a < sum_b);
}

/* The saves that any tie to @trace names, to be freed. 0 or -ENOMEM. */
static int gather_sums(const struct smap_store *store, const struct smap_fingerprint *trace,
		       uint64_t **ret_sums, size_t *ret_nr)
{
	const struct smap_tie *tie;
	size_t i, nr = 0, total = 0;
	uint64_t *sums;

	for (i = 0; i < store->nr_ties; i++)
		total += store->ties[i].nr_saves;
	sums = calloc(total + 1, sizeof(*sums));
	if (!sums)
		return smap_errno(-ENOMEM);
	for (i = 0; i < store->nr_ties; i++) {
		tie = &store->ties[i];
		if (!tie->nr_saves || !smap_fingerprint_same(&tie->trace, trace))
			continue;
		memcpy(sums + nr, tie->saves, tie->nr_saves * sizeof(*sums));
		nr += tie->nr_saves;
	}
	qsort(sums, nr, sizeof(*sums), compare_sums);
	*ret_sums = sums;
	*ret_nr = nr;
	return 0;
}

static bool has_sum(const uint64_t *sums, size_t nr, uint64_t sum)
{
	return bsearch(&sum, sums, nr, sizeof(*sums), compare_sums);
}

/* It is named, or took the place of one that is: then that one need not be there any more. */
static bool is_named(const struct smap_store *store, size_t save, const uint64_t *sums, size_t nr)
{
	size_t i;

	if (has_sum(sums, nr, store->blocks[save].data_checksum))
		return true;
	for (i = 0; i < store->saves[save].nr_superseded; i++)
		if (has_sum(sums, nr, store->saves[save].superseded[i]))
			return true;
	return false;
}

bool smap_store_is_in_tie(const struct smap_store *store, uint64_t data_checksum)
{
	size_t i, k;

	for (i = 0; i < store->nr_ties; i++)
		for (k = 0; k < store->ties[i].nr_saves; k++)
			if (store->ties[i].saves[k] == data_checksum)
				return true;
	return false;
}

size_t smap_store_nr_ties(const struct smap_store *store)
{
	return store->nr_ties;
}

int smap_store_mark_tied(struct smap_store *store, const struct smap_fingerprint *trace)
{
	uint64_t *sums = NULL;
	size_t nr = 0, i;
	int ret;

	if (!store->nr_ties)
		return 0;
	ret = gather_sums(store, trace, &sums, &nr);
	if (ret)
		return ret;
	for (i = 0; i < store->nr_saves; i++)
		store->saves[i].is_tied = is_named(store, i, sums, nr);
	free(sums);
	return 0;
}

/* ---- writing one ---- */

static int tie_saves(const char *path, const struct smap_store *store, struct smap_tie *tie,
		     struct smap_error *err)
{
	const struct smap_save_input input = { .tie = tie };
	size_t i;

	tie->saves = calloc(store->nr_saves, sizeof(*tie->saves));
	if (!tie->saves)
		return smap_error_nomem(err);
	for (i = 0; i < store->nr_saves; i++)
		tie->saves[i] = store->blocks[i].data_checksum;
	tie->nr_saves = store->nr_saves;
	return smap_store_append(path, &input, 1, err);
}

int smap_store_tie(const char *path, const struct smap_fingerprint *trace, struct smap_error *err)
{
	struct smap_tie tie = { .trace = *trace };
	struct smap_store *store;
	int ret;

	ret = smap_store_open(path, &store, err);
	if (ret)
		return ret;
	if (store->is_raw)
		ret = smap_error_set(err, -EINVAL, "%s: a raw export, which can say nothing more",
				     path);
	else if (!store->nr_saves)
		ret = smap_error_set(err, -ENODATA, "%s: no saved map in it", path);
	else
		ret = tie_saves(path, store, &tie, err);
	smap_tie_release(&tie);
	smap_store_close(store);
	return ret;
}
