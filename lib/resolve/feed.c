// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/addresses.h"
#include "core/array.h"
#include "core/hash.h"
#include "resolve/cache.h"
#include "resolve/feed.h"
#include "resolve/set.h"
#include "store/layout.h"
#include "store/origin.h"

struct smap_fed {
	struct smap_feed	feed;
	struct smap_file	*file;		/* among the resolver's; without a save in it */
	struct stackmap_save	save;		/* that all its sources are of */
	struct smap_addresses	cookies;	/* of all stacks that they have */
	/* Answers point to what these say. */
	struct smap_cache	*old_sets;
	size_t			nr_old_sets;
	size_t			old_sets_capacity;
};

/* ---- what is new ---- */

static int add_frame(struct smap_builder *builder, const struct smap_export *export,
		     const struct smap_frame *frame)
{
	switch (frame->kind) {
	case SMAP_FRAME_TEXT:
		return smap_builder_add_text(builder, smap_frame_text(export, frame), frame->len);
	case SMAP_FRAME_TRAMPOLINE:
		return smap_builder_add_trampoline(builder);
	default:
		return smap_builder_add_address(builder, frame->value);
	}
}

static int add_stack(struct smap_builder *builder, const struct smap_export *export,
		     const struct smap_stack *stack)
{
	uint32_t i;
	int ret;

	ret = smap_builder_begin(builder, stack->generation, stack->slot, stack->ref,
				 stack->stated_depth);
	for (i = 0; !ret && i < stack->depth; i++)
		ret = add_frame(builder, export, smap_export_frame(export, stack, i));
	if (!ret && stack->flags & SMAP_STACK_DAMAGED)
		smap_builder_mark_damaged(builder);
	return ret;
}

/* @export without what there is; it is freed. NULL: no memory. */
static struct smap_export *only_new(const struct smap_fed *fed, struct smap_export *export)
{
	struct smap_builder *builder = smap_builder_new(export->has_generation);
	struct smap_export *new = NULL;
	const struct smap_stack *stack;
	int ret = builder ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !ret && i < export->nr_stacks; i++) {
		stack = &export->stacks[i];
		if (!smap_addresses_has(&fed->cookies, smap_cookie(stack->generation, stack->slot)))
			ret = add_stack(builder, export, stack);
	}
	if (builder && ret)
		smap_builder_free(builder);
	else if (builder && smap_builder_finish(builder, &new))
		new = NULL;
	if (new)
		new->info = export->info;
	smap_export_free(export);
	return new;
}

static int remember(struct smap_fed *fed, const struct smap_export *new)
{
	uint64_t cookie;
	size_t i;

	for (i = 0; i < new->nr_stacks; i++) {
		cookie = smap_cookie(new->stacks[i].generation, new->stacks[i].slot);
		if (smap_addresses_add(&fed->cookies, &cookie, 1))
			return -ENOMEM;
	}
	return 0;
}

/* Those that @new needs, of @symbols. NULL: no memory. */
static struct smap_symbols *find_needed(const struct smap_symbols *symbols,
					const struct smap_export *new)
{
	uint64_t *addresses = calloc(new->nr_frames + 1, sizeof(*addresses));
	struct smap_symbols *needed = NULL;
	struct smap_buf text = SMAP_BUF_INIT;
	size_t i, nr = 0;

	for (i = 0; addresses && i < new->nr_frames; i++)
		if (new->frames[i].kind == SMAP_FRAME_ADDRESS)
			addresses[nr++] = new->frames[i].value;
	if (addresses)
		smap_symbols_write(symbols, addresses, nr, &text);
	if (!addresses || smap_buf_failed(&text) ||
	    smap_symbols_from_stored(text.data, text.len, &needed, NULL))
		needed = NULL;
	smap_buf_free(&text);
	free(addresses);
	return needed;
}

/* All of them tell whether they are of a trace; without one, most would only be there again. */
static int keep_needed(const struct stackmap_resolver *resolver, const struct smap_export *new,
		       struct smap_symbols **symbols)
{
	struct smap_symbols *needed;

	if (!*symbols || resolver->trace)
		return 0;
	needed = find_needed(*symbols, new);
	smap_symbols_free(*symbols);
	*symbols = needed;
	return needed ? 0 : -ENOMEM;
}

/* ---- taking it ---- */

static int add_maps(struct stackmap_resolver *resolver, struct smap_source *source)
{
	size_t i;

	for (i = 0; i < source->export->nr_maps; i++)
		if (smap_resolver_add_map(resolver, source, source->export->maps[i].generation,
					  source->export->has_generation))
			return -ENOMEM;
	return 0;
}

/* Takes both, whatever it returns. */
static int add_source(struct stackmap_resolver *resolver, struct smap_export *export,
		      struct smap_symbols *symbols)
{
	struct smap_source *source = calloc(1, sizeof(*source));

	if (!source || SMAP_ARRAY_GROW(resolver->sources, resolver->sources_capacity,
				       resolver->nr_sources + 1)) {
		free(source);
		smap_export_free(export);
		smap_symbols_free(symbols);
		return -ENOMEM;
	}
	source->resolver = resolver;
	source->file = resolver->fed->file;
	source->save = &resolver->fed->save;
	source->is_quiet = resolver->in_use;
	resolver->sources[resolver->nr_sources++] = source;
	if (smap_source_take(source, export, symbols))
		return -ENOMEM;
	return add_maps(resolver, source);
}

/* Candidates have to be put together anew; what was said by the old ones stays said. */
static int forget_sets(struct stackmap_resolver *resolver)
{
	struct smap_fed *fed = resolver->fed;
	size_t i;

	free(resolver->by_generation);
	resolver->by_generation = NULL;
	if (SMAP_ARRAY_GROW(fed->old_sets, fed->old_sets_capacity, fed->nr_old_sets + 1))
		return -ENOMEM;
	for (i = 0; resolver->sets.entries && i < (size_t)1 << resolver->sets.bits; i++)
		if (resolver->sets.entries[i].value)
			smap_set_keep_words(resolver->sets.entries[i].value);
	fed->old_sets[fed->nr_old_sets++] = resolver->sets;
	resolver->sets = (struct smap_cache){ 0 };
	return 0;
}

static int take(struct stackmap_resolver *resolver, struct smap_export *export,
		struct smap_symbols *symbols)
{
	struct smap_export *new = only_new(resolver->fed, export);
	int ret = new ? 0 : -ENOMEM;

	if (!ret && new->nr_stacks)
		ret = keep_needed(resolver, new, &symbols);
	if (ret || !new->nr_stacks) {
		smap_export_free(new);
		smap_symbols_free(symbols);
		return ret ? smap_errno(ret) : 0;
	}
	if (add_source(resolver, new, symbols) || remember(resolver->fed, new) ||
	    forget_sets(resolver))
		return smap_errno(-ENOMEM);
	return 1;
}

int smap_resolver_feed(struct stackmap_resolver *resolver, uint32_t generation)
{
	struct smap_symbols *symbols = NULL;
	struct smap_error err = { "" };
	struct smap_export *export;
	int ret;

	ret = resolver->fed->feed.read(resolver->fed->feed.data, &generation, &export, &symbols,
				       &err);
	if (ret == 1)
		return take(resolver, export, symbols);
	if (ret == -ENOMEM)
		return smap_errno(ret);
	if (ret && ret != -ENODATA)
		smap_resolver_log(resolver, "%s", err.text);
	return 0;
}

/* ---- the first time ---- */

/* A boot that nobody knows the id of is one boot all the same. */
static void set_boot(struct smap_origin *origin)
{
	uint64_t halves[2] = { smap_hash_seed(), smap_hash_seed() };

	if (origin->has_boot_id)
		return;
	memcpy(origin->boot_id, halves, sizeof(origin->boot_id));
	origin->has_boot_id = true;
}

static int make_fed(struct stackmap_resolver *resolver, const char *path,
		    const struct smap_feed *feed)
{
	struct smap_buf header = SMAP_BUF_INIT;
	struct smap_store *store;
	struct smap_fed *fed;
	char *data;
	size_t len;

	smap_store_encode_header(&header, smap_store_new_id());
	data = smap_buf_detach(&header, &len);
	if (!data || smap_store_open_owned(data, len, &store, NULL))
		return -ENOMEM;
	if (smap_resolver_add_store(resolver, path, store))
		return -ENOMEM;
	fed = calloc(1, sizeof(*fed));
	if (!fed)
		return -ENOMEM;
	fed->feed = *feed;
	fed->file = resolver->files[resolver->nr_files - 1];
	smap_save_init(&fed->save);
	fed->save.store = store;
	/* None of that store. */
	fed->save.nr = SIZE_MAX;
	fed->save.origin = feed->origin;
	set_boot(&fed->save.origin);
	resolver->fed = fed;
	return 0;
}

int smap_resolver_set_feed(struct stackmap_resolver *resolver, const char *path,
			   const struct smap_feed *feed)
{
	struct smap_symbols *symbols = NULL;
	struct smap_export *export;
	int ret;

	if (resolver->in_use || resolver->fed)
		return smap_error_set(&resolver->err, -EBUSY, "a stack was asked for before");
	if (make_fed(resolver, path, feed))
		return smap_error_nomem(&resolver->err);
	ret = feed->read(feed->data, NULL, &export, &symbols, &resolver->err);
	if (ret == 1) {
		resolver->fed->save.has_generation = export->has_generation;
		ret = take(resolver, export, symbols);
	}
	if (ret == -ENODATA) {
		smap_resolver_log(resolver, "%s", resolver->err.text);
		return 0;
	}
	if (ret == -ENOMEM)
		return smap_error_nomem(&resolver->err);
	return ret < 0 ? ret : 0;
}

static void free_set(void *set)
{
	smap_set_free(set);
}

void smap_feed_release(struct stackmap_resolver *resolver)
{
	struct smap_fed *fed = resolver->fed;
	size_t i;

	if (!fed)
		return;
	for (i = 0; i < fed->nr_old_sets; i++)
		smap_cache_release(&fed->old_sets[i], free_set);
	free(fed->old_sets);
	smap_addresses_release(&fed->cookies);
	free(fed);
	resolver->fed = NULL;
}
