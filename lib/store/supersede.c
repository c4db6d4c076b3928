// SPDX-License-Identifier: LGPL-2.1-or-later
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/window.h"
#include "copy.h"
#include "supersede.h"

/* ---- is all of it in there? ---- */

/* Both have their lines in the order of addresses. */
static bool has_all_lines(const char *text, size_t len, const char *older, size_t older_len)
{
	const char *end = text + len, *older_end = older + older_len, *newline;
	size_t line, at;

	while (older < older_end) {
		newline = memchr(older, '\n', (size_t)(older_end - older));
		line = newline ? (size_t)(newline + 1 - older) : (size_t)(older_end - older);
		for (;;) {
			newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
			if (!newline)
				return false;
			at = (size_t)(newline + 1 - text);
			if (at == line && !memcmp(text, older, line))
				break;
			text += at;
		}
		text += at;
		older += line;
	}
	return true;
}

static int check_symbols(struct smap_store *store, size_t nr, const struct smap_save_input *input,
			 bool *ret_all, struct smap_error *err)
{
	char *older;
	size_t len;
	int ret;

	ret = smap_store_symbol_bytes(store, nr, &older, &len, err);
	if (ret)
		return ret;
	*ret_all = has_all_lines(input->symbols, input->symbols_len, older, len);
	free(older);
	return 0;
}

static int read_older(void *data, void *room, size_t *len)
{
	return smap_store_export_read(data, room, len, NULL);
}

/* What is no plain stack stays where it is. */
static bool has_all(const struct smap_save_input *input, struct smap_window *older)
{
	const struct smap_parse_ops *format = smap_parse_probe(input->export, input->export_len);
	struct smap_window export;
	const void *head;
	size_t len;

	smap_window_over(&export, input->export, input->export_len);
	head = smap_window_look(older, &len);
	return format && format->has_all && format == smap_parse_probe(head, len) &&
	       !input->parsed->nr_damaged && !input->parsed->nr_conflicts &&
	       format->has_all(&export, older);
}

static int compare_parts(const struct smap_save_input *input, struct smap_export_stream *older,
			 bool *ret_all, struct smap_error *err)
{
	struct smap_window window;
	int ret;

	ret = smap_window_init(&window, read_older, older);
	if (!ret) {
		*ret_all = has_all(input, &window);
		ret = window.ret == -ENOMEM ? -ENOMEM : 0;
	}
	smap_window_release(&window);
	return ret ? smap_error_nomem(err) : 0;
}

/* Window by window: it may be as long as the new one, and memory is short. */
static int check_parts(struct smap_store *store, size_t nr, const struct smap_save_input *input,
		       bool *ret_all, struct smap_error *err)
{
	struct smap_export_stream stream;
	int ret;

	ret = smap_store_export_begin(store, nr, &stream, err);
	if (ret)
		return ret;
	ret = compare_parts(input, &stream, ret_all, err);
	smap_store_export_end(&stream);
	return ret;
}

static int check_whole(struct smap_store *store, size_t nr, const struct smap_save_input *input,
		       bool *ret_all, struct smap_error *err)
{
	struct smap_window window;
	char *older;
	size_t len;
	int ret;

	ret = smap_store_export_bytes(store, nr, &older, &len, err);
	if (ret)
		return ret;
	smap_window_over(&window, older, len);
	*ret_all = has_all(input, &window);
	free(older);
	return 0;
}

/* Bytes of an older export that is decoded at once: a full map of usual size. It is faster. */
#define WHOLE_MAX	(4U << 20)

static int check_export(struct smap_store *store, size_t nr, const struct smap_save_input *input,
			bool *ret_all, struct smap_error *err)
{
	if (store->saves[nr].export_size <= WHOLE_MAX)
		return check_whole(store, nr, input, ret_all, err);
	return check_parts(store, nr, input, ret_all, err);
}

static int check_save(struct smap_store *store, size_t nr, const struct smap_save_input *input,
		      bool *ret_all, struct smap_error *err)
{
	bool all = false;
	int ret;

	ret = check_export(store, nr, input, &all, err);
	if (!ret && all)
		ret = check_symbols(store, nr, input, &all, err);
	if (!ret)
		*ret_all = all;
	return ret;
}

/* ---- what an input supersedes ---- */

static bool same_boot(const struct smap_origin *a, const struct smap_origin *b)
{
	return a->has_boot_id && b->has_boot_id &&
	       !memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
}

static bool is_candidate(const struct stackmap_save *save, const struct smap_origin *origin,
			 uint32_t generation)
{
	return !save->is_superseded && same_boot(&save->origin, origin) && save->has_generation &&
	       save->nr_generations == 1 && save->generations[0].generation == generation;
}

struct sums {
	uint64_t	*sums;
	size_t		nr;
	size_t		capacity;
};

static int add_sum(struct sums *sums, uint64_t sum, struct smap_error *err)
{
	if (SMAP_ARRAY_GROW(sums->sums, sums->capacity, sums->nr + 1))
		return smap_error_nomem(err);
	sums->sums[sums->nr++] = sum;
	return 0;
}

/* Does a tie name it, or may one that stands before what was looked at? */
static bool may_be_tied(const struct smap_store *store, uint64_t sum)
{
	size_t i;

	if (smap_store_is_in_tie(store, sum))
		return true;
	if (!store->is_end_only)
		return false;
	/* A tie stands behind its saves. */
	for (i = 0; i < store->nr_saves; i++)
		if (store->blocks[i].data_checksum == sum)
			return false;
	return true;
}

/* Save @nr, and what it superseded itself and a tie names: what is proven of that stays so. */
static int add_save(struct sums *sums, const struct smap_store *store, size_t nr,
		    struct smap_error *err)
{
	const struct stackmap_save *save = &store->saves[nr];
	int ret = add_sum(sums, store->blocks[nr].data_checksum, err);
	size_t i;

	for (i = 0; !ret && i < save->nr_superseded; i++)
		if (may_be_tied(store, save->superseded[i]))
			ret = add_sum(sums, save->superseded[i], err);
	return ret;
}

static int find(struct smap_store *store, const struct smap_save_input *input,
		const struct smap_export *export, struct sums *sums, struct smap_error *err)
{
	bool all;
	size_t i;
	int ret;

	for (i = 0; i < store->nr_saves; i++) {
		if (!is_candidate(&store->saves[i], &input->origin, export->maps[0].generation))
			continue;
		all = false;
		ret = check_save(store, i, input, &all, err);
		if (ret == -ENOMEM)
			return ret;
		if (!all)
			continue;
		ret = add_save(sums, store, i, err);
		if (ret)
			return ret;
	}
	return 0;
}

int smap_supersede_find(struct smap_store *store, const struct smap_save_input *input,
			uint64_t **ret_sums, size_t *ret_nr, struct smap_error *err)
{
	const struct smap_export *export = input->parsed;
	struct sums sums = { NULL, 0, 0 };
	int ret = 0;

	if (export && export->has_generation && export->nr_maps == 1 && input->origin.has_boot_id)
		ret = find(store, input, export, &sums, err);
	if (ret) {
		free(sums.sums);
		return ret;
	}
	*ret_sums = sums.sums;
	*ret_nr = sums.nr;
	return 0;
}

/* ---- what is superseded in a store ---- */

struct by_sum {
	uint64_t	sum;
	size_t		nr;		/* of the save */
};

static int compare_sums(const void *a, const void *b)
{
	const struct by_sum *sum_a = a, *sum_b = b;

	if (sum_a->sum != sum_b->sum)
		return sum_a->sum < sum_b->sum ? -1 : 1;
	return (sum_a->nr > sum_b->nr) - (sum_a->nr < sum_b->nr);
}

static struct by_sum *sort_by_sum(const struct smap_store *store)
{
	struct by_sum *sorted = calloc(store->nr_saves, sizeof(*sorted));
	size_t i;

	if (!sorted)
		return NULL;
	for (i = 0; i < store->nr_saves; i++)
		sorted[i] = (struct by_sum){ store->blocks[i].data_checksum, i };
	qsort(sorted, store->nr_saves, sizeof(*sorted), compare_sums);
	return sorted;
}

static void mark(struct smap_store *store, const struct by_sum *sorted, uint64_t sum,
		 const struct stackmap_save *by)
{
	size_t low = 0, high = store->nr_saves, middle;
	struct stackmap_save *save;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sorted[middle].sum < sum)
			low = middle + 1;
		else
			high = middle;
	}
	/* One that stands behind it, or is of another map, is not its to supersede. */
	if (low == store->nr_saves || sorted[low].sum != sum || sorted[low].nr >= by->nr)
		return;
	save = &store->saves[sorted[low].nr];
	if (is_candidate(save, &by->origin, by->generations[0].generation))
		save->is_superseded = true;
}

int smap_supersede_mark(struct smap_store *store)
{
	struct by_sum *sorted = NULL;
	struct stackmap_save *save;
	size_t i, k;

	for (i = 0; i < store->nr_saves; i++) {
		save = &store->saves[i];
		if (!save->nr_superseded || !save->has_generation || save->nr_generations != 1)
			continue;
		if (!sorted)
			sorted = sort_by_sum(store);
		if (!sorted)
			return -ENOMEM;
		for (k = 0; k < save->nr_superseded; k++)
			mark(store, sorted, save->superseded[k], save);
	}
	free(sorted);
	return 0;
}

/* ---- without them ---- */

static bool is_superseded(const struct stackmap_save *save, void *data)
{
	return save->is_superseded;
}

static bool is_worth_it(const struct smap_store *store)
{
	uint64_t superseded = 0;
	size_t i;

	/* What is damaged may be worth a closer look one day. */
	if (store->nr_damages)
		return false;
	for (i = 0; i < store->nr_saves; i++)
		if (store->saves[i].is_superseded)
			superseded += store->saves[i].stored_size;
	return superseded > store->reader.len - superseded;
}

void smap_supersede_drop(const struct smap_place *place, int fd)
{
	struct smap_store *store;
	size_t nr;

	if (smap_store_open_at(fd, 0, &store, NULL))
		return;
	if (is_worth_it(store))
		smap_store_replace_without(place, fd, store, is_superseded, NULL, &nr);
	smap_store_close(store);
}
