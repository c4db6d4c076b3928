// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Building and looking up: see map.h for how the data hangs together.
 *
 * While building, a hash table finds the number of a frame that was seen before.
 * It keeps 32 bits of the hash beside the number, so that a probe reads the frame
 * itself only where it is nearly certain to be the one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "array.h"
#include "buf.h"
#include "error.h"
#include "hash.h"
#include "map.h"

/* Different stacks of one cookie that are kept to be shown. */
#define MAX_ALTERNATIVES	8

struct intern_entry {
	uint32_t	number;		/* of the frame + 1, 0: empty */
	uint32_t	hash;
};

struct smap_builder {
	struct smap_export	*export;
	struct smap_buf		text;
	struct intern_entry	*intern;
	unsigned int		intern_bits;
	uint64_t		seed;
	uint32_t		*next;		/* see predicted() */
	size_t			next_capacity;
	uint32_t		last;		/* the frame before + 1, 0: a record begins */
	size_t			frames_capacity;
	size_t			ids_capacity;
	size_t			stacks_capacity;
	bool			sorted;		/* every record so far came after the one before */
	/* Of a brief one: its export->stacks has the last one only. */
	bool			is_unfit;
	struct smap_addresses	addresses;
	bool			is_announced;
	uint32_t		announced;	/* generation */
};

/* ---- looking up ---- */

const struct smap_stack *smap_export_find(const struct smap_export *export, uint64_t cookie)
{
	size_t mask = ((size_t)1 << export->index_bits) - 1;
	size_t at = smap_hash_bucket(cookie, export->index_seed, export->index_bits);
	const struct smap_stack *stack;

	for (; export->index[at]; at = (at + 1) & mask) {
		stack = &export->stacks[export->index[at] - 1];
		if (smap_cookie(stack->generation, stack->slot) == cookie)
			return stack;
	}
	return NULL;
}

const struct smap_stack *smap_map_find(const struct smap_map *map, uint32_t slot)
{
	return smap_export_find(map->export, smap_cookie(map->generation, slot));
}

void smap_export_free(struct smap_export *export)
{
	if (!export)
		return;
	free(export->frames);
	free(export->text);
	free(export->ids);
	free(export->stacks);
	free(export->maps);
	free(export->index);
	free(export);
}

/* ---- building ---- */

struct smap_builder *smap_builder_new(bool has_generation)
{
	struct smap_builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	builder->export = calloc(1, sizeof(*builder->export));
	if (!builder->export) {
		free(builder);
		return NULL;
	}
	builder->export->has_generation = has_generation;
	builder->seed = smap_hash_seed();
	builder->sorted = true;
	return builder;
}

struct smap_builder *smap_builder_new_brief(bool has_generation)
{
	struct smap_builder *builder = smap_builder_new(has_generation);

	if (!builder)
		return NULL;
	builder->export->is_brief = true;
	builder->export->stacks = calloc(1, sizeof(*builder->export->stacks));
	if (builder->export->stacks)
		return builder;
	smap_builder_free(builder);
	return NULL;
}

void smap_builder_free(struct smap_builder *builder)
{
	if (!builder)
		return;
	smap_export_free(builder->export);
	smap_buf_free(&builder->text);
	free(builder->intern);
	free(builder->next);
	smap_addresses_release(&builder->addresses);
	free(builder);
}

void smap_builder_announce(struct smap_builder *builder, uint32_t generation)
{
	builder->is_announced = true;
	builder->announced = generation;
}

static int compare_stacks(const struct smap_stack *a, const struct smap_stack *b)
{
	uint64_t cookie_a = smap_cookie(a->generation, a->slot);
	uint64_t cookie_b = smap_cookie(b->generation, b->slot);

	return cookie_a < cookie_b ? -1 : cookie_a > cookie_b;
}

static int put_behind(struct smap_builder *builder, const struct smap_stack *stack)
{
	struct smap_export *export = builder->export;

	if (SMAP_ARRAY_GROW(export->stacks, builder->stacks_capacity, export->nr_stacks + 1))
		return -ENOMEM;
	/* Equal cookies count as sorted: they stand side by side already. */
	if (export->nr_stacks && compare_stacks(&export->stacks[export->nr_stacks - 1], stack) > 0)
		builder->sorted = false;
	export->stacks[export->nr_stacks] = *stack;
	return 0;
}

static bool is_whole(const struct smap_stack *stack)
{
	return stack->depth == stack->stated_depth && !(stack->flags & SMAP_STACK_DAMAGED);
}

/* Of the one before it is known now whether it is whole. */
static void put_in_place(struct smap_builder *builder, const struct smap_stack *stack)
{
	struct smap_stack *before = builder->export->stacks;

	if (builder->export->nr_stacks &&
	    (!is_whole(before) || before->generation != stack->generation ||
	     before->slot >= stack->slot))
		builder->is_unfit = true;
	*before = *stack;
}

int smap_builder_begin(struct smap_builder *builder, uint32_t generation, uint32_t slot,
		       uint32_t ref, uint32_t stated_depth)
{
	struct smap_export *export = builder->export;
	const struct smap_stack stack = {
		.generation = generation,
		.slot = slot,
		.ref = ref,
		.stated_depth = stated_depth,
		.first = export->nr_ids,
	};

	if (export->nr_stacks >= UINT32_MAX - 1)
		return smap_errno(-EOVERFLOW);
	if (export->is_brief)
		put_in_place(builder, &stack);
	else if (put_behind(builder, &stack))
		return smap_errno(-ENOMEM);
	export->nr_stacks++;
	builder->last = 0;
	return 0;
}

static struct smap_stack *current_stack(const struct smap_builder *builder)
{
	const struct smap_export *export = builder->export;

	return &export->stacks[export->is_brief ? 0 : export->nr_stacks - 1];
}

uint32_t smap_builder_depth(const struct smap_builder *builder)
{
	return current_stack(builder)->depth;
}

void smap_builder_mark_damaged(struct smap_builder *builder)
{
	current_stack(builder)->flags |= SMAP_STACK_DAMAGED;
}

static int grow_intern(struct smap_builder *builder)
{
	unsigned int bits = smap_hash_bits((builder->export->nr_frames + 1) * 2);
	struct intern_entry *grown, *old = builder->intern;
	size_t i, at, mask = ((size_t)1 << bits) - 1;

	grown = calloc(mask + 1, sizeof(*grown));
	if (!grown)
		return smap_errno(-ENOMEM);
	for (i = 0; old && i < (size_t)1 << builder->intern_bits; i++) {
		if (!old[i].number)
			continue;
		for (at = old[i].hash & mask; grown[at].number; at = (at + 1) & mask)
			;
		grown[at] = old[i];
	}
	free(old);
	builder->intern = grown;
	builder->intern_bits = bits;
	return 0;
}

static int add_id(struct smap_builder *builder, uint32_t id)
{
	struct smap_export *export = builder->export;
	struct smap_stack *stack = current_stack(builder);

	if (stack->depth == UINT32_MAX)
		return smap_errno(-EOVERFLOW);
	if (SMAP_ARRAY_GROW(export->ids, builder->ids_capacity, export->nr_ids + 1))
		return smap_errno(-ENOMEM);
	export->ids[export->nr_ids++] = id;
	stack->depth++;
	builder->next[builder->last] = id + 1;
	builder->last = id + 1;
	return 0;
}

/* What a frame is before it has a number. */
struct frame_key {
	enum smap_frame_kind	kind;
	uint64_t		address;
	const char		*text;
	uint32_t		len;
};

static inline __attribute__((always_inline)) bool
frame_is(const struct smap_builder *builder, uint32_t number, const struct frame_key *key)
{
	const struct smap_frame *frame = &builder->export->frames[number];

	if (frame->kind != key->kind)
		return false;
	if (key->kind != SMAP_FRAME_TEXT)
		return frame->value == key->address;
	return frame->len == key->len &&
	       !memcmp(builder->text.data + frame->value, key->text, key->len);
}

static int add_new_frame(struct smap_builder *builder, const struct frame_key *key)
{
	struct smap_export *export = builder->export;
	struct smap_frame *frame;

	if (export->nr_frames >= UINT32_MAX - 1)
		return smap_errno(-EOVERFLOW);
	if (SMAP_ARRAY_GROW(export->frames, builder->frames_capacity, export->nr_frames + 1))
		return smap_errno(-ENOMEM);
	if (SMAP_ARRAY_GROW(builder->next, builder->next_capacity, export->nr_frames + 2))
		return smap_errno(-ENOMEM);
	if (!export->nr_frames)
		builder->next[0] = 0;
	builder->next[export->nr_frames + 1] = 0;
	frame = &export->frames[export->nr_frames];
	frame->kind = key->kind;
	frame->len = key->len;
	frame->value = key->address;
	if (key->kind == SMAP_FRAME_TEXT) {
		frame->value = builder->text.len;
		smap_buf_add(&builder->text, key->text, key->len);
		smap_buf_add_char(&builder->text, '\0');
		if (smap_buf_failed(&builder->text))
			return smap_errno(-ENOMEM);
	}
	export->nr_frames++;
	return 0;
}

/*
 * Stacks share their tails: nearly always a frame has the caller that it had the last time. The
 * number + 1 of that one is next[number + 1 of the frame]. True where it is @key.
 */
static bool predicted(const struct smap_builder *builder, const struct frame_key *key,
		      uint32_t *ret_number)
{
	uint32_t next = builder->next ? builder->next[builder->last] : 0;

	if (!next || !frame_is(builder, next - 1, key))
		return false;
	*ret_number = next - 1;
	return true;
}

/*
 * Its entry, or the empty one where it would be. Inlined, as frame_is() is, so that a caller with
 * addresses only pays for nothing else: a tenth of a save.
 */
static inline __attribute__((always_inline)) struct intern_entry *
find_entry(const struct smap_builder *builder, const struct frame_key *key, uint32_t hash)
{
	size_t mask = ((size_t)1 << builder->intern_bits) - 1, at = hash & mask;
	struct intern_entry *entry = &builder->intern[at];

	while (entry->number && (entry->hash != hash || !frame_is(builder, entry->number - 1, key)))
		entry = &builder->intern[at = (at + 1) & mask];
	return entry;
}

static int add_frame(struct smap_builder *builder, const struct frame_key *key, uint64_t wide_hash)
{
	struct smap_export *export = builder->export;
	uint32_t hash = (uint32_t)wide_hash;
	struct intern_entry *entry;
	int ret;

	if (!builder->intern || export->nr_frames * 2 >= (size_t)1 << builder->intern_bits) {
		ret = grow_intern(builder);
		if (ret)
			return ret;
	}
	entry = find_entry(builder, key, hash);
	if (entry->number)
		return add_id(builder, entry->number - 1);
	ret = add_new_frame(builder, key);
	if (ret)
		return ret;
	*entry = (struct intern_entry){ (uint32_t)export->nr_frames, hash };
	return add_id(builder, (uint32_t)export->nr_frames - 1);
}

int smap_builder_add_text(struct smap_builder *builder, const char *text, size_t len)
{
	struct frame_key key = { .kind = SMAP_FRAME_TEXT, .text = text, .len = (uint32_t)len };
	uint32_t number;

	if (len > UINT32_MAX)
		return smap_errno(-EOVERFLOW);
	if (builder->export->is_brief) {
		builder->is_unfit = true;
		return 0;
	}
	if (predicted(builder, &key, &number))
		return add_id(builder, number);
	return add_frame(builder, &key, smap_hash_bytes(text, len, builder->seed));
}

/*
 * The same for a run of addresses, up to one that is new, and as far as there is room for their
 * numbers: nearly all of a save is that. Returns how many.
 */
static size_t add_known_addresses(struct smap_builder *builder, const uint64_t *addresses,
				  size_t nr)
{
	struct smap_export *export = builder->export;
	struct smap_stack *stack = current_stack(builder);
	struct frame_key key = { .kind = SMAP_FRAME_ADDRESS };
	uint32_t number, hash, last = builder->last;
	uint32_t *ids;
	size_t i;

	if (nr > builder->ids_capacity - export->nr_ids)
		nr = builder->ids_capacity - export->nr_ids;
	if (nr > UINT32_MAX - stack->depth)
		nr = UINT32_MAX - stack->depth;
	if (!builder->next || !nr)
		return 0;
	ids = export->ids + export->nr_ids;
	for (i = 0; i < nr; i++) {
		key.address = addresses[i];
		number = builder->next[last];
		if (!number || !frame_is(builder, number - 1, &key)) {
			hash = (uint32_t)smap_hash_u64(key.address, builder->seed);
			number = find_entry(builder, &key, hash)->number;
			if (!number)
				break;
			builder->next[last] = number;
		}
		ids[i] = number - 1;
		last = number;
	}
	export->nr_ids += i;
	stack->depth += (uint32_t)i;
	builder->last = last;
	return i;
}

static int add_depth(struct smap_builder *builder, size_t nr)
{
	struct smap_stack *stack = current_stack(builder);

	if (nr > UINT32_MAX - stack->depth)
		return smap_errno(-EOVERFLOW);
	stack->depth += (uint32_t)nr;
	return 0;
}

static int add_briefly(struct smap_builder *builder, const uint64_t *addresses, size_t nr)
{
	int ret = add_depth(builder, nr);

	return ret ? ret : smap_addresses_add(&builder->addresses, addresses, nr);
}

int smap_builder_add_addresses(struct smap_builder *builder, const uint64_t *addresses, size_t nr)
{
	struct frame_key key = { .kind = SMAP_FRAME_ADDRESS };
	size_t at = 0;
	int ret;

	if (builder->export->is_brief)
		return add_briefly(builder, addresses, nr);
	while ((at += add_known_addresses(builder, addresses + at, nr - at)) < nr) {
		key.address = addresses[at];
		ret = add_frame(builder, &key, smap_hash_u64(key.address, builder->seed));
		if (ret)
			return ret;
		at++;
	}
	return 0;
}

int smap_builder_add_address(struct smap_builder *builder, uint64_t address)
{
	return smap_builder_add_addresses(builder, &address, 1);
}

int smap_builder_add_trampoline(struct smap_builder *builder)
{
	struct frame_key key = { .kind = SMAP_FRAME_TRAMPOLINE };

	if (builder->export->is_brief)
		return add_depth(builder, 1);
	return add_frame(builder, &key, builder->seed);
}

/* ---- finishing ---- */

static bool same_frames(const struct smap_export *export, const struct smap_stack *a,
			const struct smap_stack *b)
{
	return a->depth == b->depth &&
	       (!a->depth || !memcmp(export->ids + a->first, export->ids + b->first,
				     a->depth * sizeof(*export->ids)));
}

static int compare_for_sort(const void *a, const void *b)
{
	const struct smap_stack *stack_a = a, *stack_b = b;
	int ret = compare_stacks(stack_a, stack_b);

	/* Equal cookies keep the order of the file: ids were added in that order. */
	return ret ? ret : (stack_a->first > stack_b->first) - (stack_a->first < stack_b->first);
}

/*
 * Fold @stack into the run of records of its cookie, which starts at @first and
 * ends before *end. A whole record beats one that is not; two whole ones that
 * differ both stay.
 */
static void merge_stack(struct smap_export *export, size_t first, size_t *end,
			const struct smap_stack *stack)
{
	struct smap_stack *known;
	bool whole = !(stack->flags & SMAP_STACK_DAMAGED);
	uint32_t ref;
	size_t i;

	for (i = first; i < *end; i++) {
		known = &export->stacks[i];
		if (whole && !(known->flags & SMAP_STACK_DAMAGED) &&
		    !same_frames(export, known, stack))
			continue;
		ref = known->ref > stack->ref ? known->ref : stack->ref;
		if (whole && known->flags & SMAP_STACK_DAMAGED)
			*known = *stack;
		known->ref = ref;
		export->nr_repeated++;
		return;
	}
	/* Which stack is right is lost already; a file must not make this quadratic. */
	if (i - first >= MAX_ALTERNATIVES)
		return;
	export->stacks[(*end)++] = *stack;
	if (i == first)
		return;
	if (i == first + 1)
		export->nr_conflicts++;
	for (i = first; i < *end; i++)
		export->stacks[i].flags |= SMAP_STACK_CONFLICT;
}

static void merge_repeated(struct smap_export *export)
{
	size_t i, first = 0, end = 0;

	for (i = 0; i < export->nr_stacks; i++) {
		struct smap_stack stack = export->stacks[i];

		if (stack.depth != stack.stated_depth)
			stack.flags |= SMAP_STACK_DAMAGED;
		if (end && compare_stacks(&export->stacks[end - 1], &stack))
			first = end;
		merge_stack(export, first, &end, &stack);
	}
	export->nr_stacks = end;
	for (i = 0; i < end; i++)
		export->nr_damaged += !!(export->stacks[i].flags & SMAP_STACK_DAMAGED);
}

static int add_map(struct smap_export *export, uint32_t generation, size_t first, size_t *capacity)
{
	if (SMAP_ARRAY_GROW(export->maps, *capacity, export->nr_maps + 1))
		return smap_errno(-ENOMEM);
	export->maps[export->nr_maps++] = (struct smap_map){
		.export = export,
		.generation = generation,
		.has_generation = export->has_generation,
		.first = first,
	};
	return 0;
}

static int list_maps(const struct smap_builder *builder)
{
	struct smap_export *export = builder->export;
	size_t i, capacity = 0;
	uint32_t generation;
	int ret;

	if (builder->is_announced && !export->nr_stacks)
		return add_map(export, builder->announced, 0, &capacity);
	for (i = 0; i < export->nr_stacks; i++) {
		generation = export->stacks[i].generation;
		if (!i || export->stacks[i - 1].generation != generation) {
			ret = add_map(export, generation, i, &capacity);
			if (ret)
				return ret;
		}
		export->maps[export->nr_maps - 1].nr_stacks++;
	}
	return 0;
}

static int alloc_index(struct smap_export *export, size_t nr_stacks)
{
	export->index_bits = smap_hash_bits(nr_stacks);
	export->index_seed = smap_hash_seed();
	export->index = calloc((size_t)1 << export->index_bits, sizeof(*export->index));
	return export->index ? 0 : smap_errno(-ENOMEM);
}

static int build_index(struct smap_export *export)
{
	const struct smap_stack *stack, *before = NULL;
	size_t i, at, mask;

	if (alloc_index(export, export->nr_stacks))
		return -ENOMEM;
	mask = ((size_t)1 << export->index_bits) - 1;
	for (i = 0; i < export->nr_stacks; i++, before = stack) {
		stack = &export->stacks[i];
		if (before && !compare_stacks(before, stack))
			continue;
		at = smap_hash_bucket(smap_cookie(stack->generation, stack->slot),
				      export->index_seed, export->index_bits);
		while (export->index[at])
			at = (at + 1) & mask;
		export->index[at] = (uint32_t)i + 1;
	}
	return 0;
}

static int finish_whole(struct smap_builder *builder)
{
	struct smap_export *export = builder->export;
	int ret;

	if (!builder->sorted)
		qsort(export->stacks, export->nr_stacks, sizeof(*export->stacks), compare_for_sort);
	merge_repeated(export);
	ret = list_maps(builder);
	return ret ? ret : build_index(export);
}

static int list_addresses(const struct smap_builder *builder)
{
	struct smap_export *export = builder->export;
	size_t i, nr = smap_addresses_nr(&builder->addresses);
	uint64_t *addresses = malloc((nr + 1) * sizeof(*addresses));

	export->frames = malloc((nr + 1) * sizeof(*export->frames));
	if (!addresses || !export->frames) {
		free(addresses);
		return smap_errno(-ENOMEM);
	}
	smap_addresses_list(&builder->addresses, addresses);
	for (i = 0; i < nr; i++)
		export->frames[i] = (struct smap_frame){ addresses[i], 0, SMAP_FRAME_ADDRESS };
	export->nr_frames = nr;
	free(addresses);
	return 0;
}

static int finish_brief(struct smap_builder *builder)
{
	struct smap_export *export = builder->export;
	uint32_t generation = builder->announced;
	size_t capacity = 0;

	if (export->nr_stacks) {
		generation = export->stacks[0].generation;
		builder->is_unfit |= !is_whole(&export->stacks[0]);
	}
	if (builder->is_unfit)
		return -ENOTUNIQ;
	/* Whoever takes it for a whole one shall find nothing. */
	free(export->stacks);
	export->stacks = NULL;
	if ((export->nr_stacks || builder->is_announced) &&
	    add_map(export, generation, 0, &capacity))
		return -ENOMEM;
	if (export->nr_maps)
		export->maps[0].nr_stacks = export->nr_stacks;
	return list_addresses(builder) || alloc_index(export, 0) ? -ENOMEM : 0;
}

int smap_builder_finish(struct smap_builder *builder, struct smap_export **ret_export)
{
	struct smap_export *export = builder->export;
	int ret = 0;

	export->text = smap_buf_detach(&builder->text, NULL);
	if (!export->text)
		ret = smap_errno(-ENOMEM);
	if (!ret)
		ret = export->is_brief ? finish_brief(builder) : finish_whole(builder);
	if (!ret) {
		*ret_export = export;
		builder->export = NULL;
	}
	smap_builder_free(builder);
	return ret;
}
