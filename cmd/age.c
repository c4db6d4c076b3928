// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "age.h"

/*
 * A time of day before 2020 is that of a device without a battery for its clock: it tells no age.
 */
#define CLOCK_SET_NS	1577836800000000000ULL

/* Generations, sorted; each may be there several times. */
struct gens {
	uint32_t	*items;
	size_t		nr;
	size_t		capacity;
};

struct choosing {
	const struct stackmap_store	*store;
	const struct age_now		*now;
	uint64_t			max_age_ns;
	const struct stackmap_save	*last;		/* that is older than all events */
	struct gens			needed;		/* by the ring buffer, perhaps */
	struct gens			chosen;
	uint64_t			end_wall_ns;	/* of the last save of the file */
	uint64_t			end_boot_ns;
};

static int compare_gens(const void *a, const void *b)
{
	uint32_t gen_a = *(const uint32_t *)a, gen_b = *(const uint32_t *)b;

	return (gen_a > gen_b) - (gen_a < gen_b);
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t offset_a = ((const struct age_key *)a)->offset;
	uint64_t offset_b = ((const struct age_key *)b)->offset;

	return (offset_a > offset_b) - (offset_a < offset_b);
}

static struct age_key key_of(const struct stackmap_save *save)
{
	size_t nr = stackmap_save_nr_generations(save);

	return (struct age_key){
		.offset		= stackmap_save_get_offset(save),
		.len		= stackmap_save_get_len(save),
		.boot_ns	= stackmap_save_get_boot_ns(save),
		.export_len	= stackmap_save_get_export_len(save),
		.nr_generations	= nr,
		.generation	= nr ? stackmap_save_get_generation(save, nr - 1) : 0,
	};
}

static int gens_add(struct gens *gens, const struct stackmap_save *save)
{
	size_t nr = stackmap_save_has_generation(save) ? stackmap_save_nr_generations(save) : 0, i;
	uint32_t *grown;

	if (gens->nr + nr > gens->capacity) {
		gens->capacity = 2 * gens->capacity + nr;
		grown = reallocarray(gens->items, gens->capacity, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		gens->items = grown;
	}
	for (i = 0; i < nr; i++)
		gens->items[gens->nr++] = stackmap_save_get_generation(save, i);
	return 0;
}

static void gens_sort(struct gens *gens)
{
	if (gens->nr)
		qsort(gens->items, gens->nr, sizeof(*gens->items), compare_gens);
}

/* One of those that @save is of. */
static bool gens_have(const struct gens *gens, const struct stackmap_save *save)
{
	size_t nr = stackmap_save_has_generation(save) ? stackmap_save_nr_generations(save) : 0, i;
	uint32_t generation;

	for (i = 0; i < nr && gens->nr; i++) {
		generation = stackmap_save_get_generation(save, i);
		if (bsearch(&generation, gens->items, gens->nr, sizeof(generation), compare_gens))
			return true;
	}
	return false;
}

static const struct stackmap_save *save_at(const struct choosing *choosing, size_t nr)
{
	return stackmap_store_get_save(choosing->store, nr);
}

/* It was made before anything that the ring buffer has now. */
static bool is_before_events(const struct choosing *choosing, const struct stackmap_save *save)
{
	uint64_t made = stackmap_save_get_boot_ns(save);

	return made != STACKMAP_TIME_UNKNOWN && made < choosing->now->oldest_ns;
}

/* What the ring buffer may have cookies of: see the head of age.h. */
static int find_needed(struct choosing *choosing)
{
	size_t nr = stackmap_store_nr_saves(choosing->store), i;
	const struct stackmap_save *save, *last = NULL;

	if (!choosing->now->is_this_boot || choosing->now->drops_live)
		return 0;
	for (i = 0; i < nr; i++) {
		save = save_at(choosing, i);
		if (!is_before_events(choosing, save)) {
			if (gens_add(&choosing->needed, save))
				return -ENOMEM;
		} else if (!last ||
			   stackmap_save_get_boot_ns(save) >= stackmap_save_get_boot_ns(last)) {
			last = save;
		}
	}
	choosing->last = last;
	if (last && gens_add(&choosing->needed, last))
		return -ENOMEM;
	gens_sort(&choosing->needed);
	return 0;
}

static bool may_go(const struct choosing *choosing, const struct stackmap_save *save)
{
	if (!choosing->now->is_this_boot || choosing->now->drops_live)
		return true;
	return is_before_events(choosing, save) && save != choosing->last &&
	       !gens_have(&choosing->needed, save);
}

/* The clock may have been set during the boot: what it said at last counts. */
static void find_end(struct choosing *choosing)
{
	size_t nr = stackmap_store_nr_saves(choosing->store), i;
	const struct stackmap_save *save;

	choosing->end_wall_ns = STACKMAP_TIME_UNKNOWN;
	choosing->end_boot_ns = 0;
	for (i = 0; i < nr; i++) {
		save = save_at(choosing, i);
		if (stackmap_save_get_boot_ns(save) == STACKMAP_TIME_UNKNOWN ||
		    stackmap_save_get_boot_ns(save) < choosing->end_boot_ns)
			continue;
		choosing->end_boot_ns = stackmap_save_get_boot_ns(save);
		choosing->end_wall_ns = stackmap_save_get_wall_ns(save);
	}
}

/* In ns; 0 where it is not known. */
static uint64_t age_of(const struct choosing *choosing, const struct stackmap_save *save)
{
	uint64_t made = stackmap_save_get_boot_ns(save), wall = choosing->end_wall_ns, before_end;
	const struct age_now *now = choosing->now;

	if (made == STACKMAP_TIME_UNKNOWN)
		return 0;
	if (now->is_this_boot)
		return now->boot_ns > made ? now->boot_ns - made : 0;
	before_end = choosing->end_boot_ns - made;
	if (wall == STACKMAP_TIME_UNKNOWN || wall < CLOCK_SET_NS || now->wall_ns <= wall)
		return 0;
	return now->wall_ns - wall + before_end;
}

static bool is_too_old(const struct choosing *choosing, const struct stackmap_save *save)
{
	return choosing->max_age_ns && age_of(choosing, save) > choosing->max_age_ns;
}

/* Whose save is chosen, its generation is. Saves without one are chosen for themselves. */
static int choose_gens(struct choosing *choosing, uint64_t need, bool *chosen)
{
	size_t nr = stackmap_store_nr_saves(choosing->store), i;
	const struct stackmap_save *save;
	uint64_t len;

	for (i = 0; i < nr; i++) {
		save = save_at(choosing, i);
		if ((!need && !is_too_old(choosing, save)) || !may_go(choosing, save))
			continue;
		len = stackmap_save_get_len(save);
		need -= len < need ? len : need;
		chosen[i] = true;
		if (gens_add(&choosing->chosen, save))
			return -ENOMEM;
	}
	gens_sort(&choosing->chosen);
	return 0;
}

static int take_chosen(const struct choosing *choosing, const bool *chosen,
		       struct age_choice *choice)
{
	size_t nr = stackmap_store_nr_saves(choosing->store), i;
	const struct stackmap_save *save;

	choice->keys = calloc(nr + 1, sizeof(*choice->keys));
	if (!choice->keys)
		return -ENOMEM;
	choice->nr = 0;
	for (i = 0; i < nr; i++) {
		save = save_at(choosing, i);
		if (chosen[i] || (gens_have(&choosing->chosen, save) && may_go(choosing, save)))
			choice->keys[choice->nr++] = key_of(save);
	}
	return 0;
}

int age_choose(const struct stackmap_store *store, const struct age_now *now, uint64_t need,
	       uint64_t max_age_ns, struct age_choice *ret_choice)
{
	struct choosing choosing = { .store = store, .now = now, .max_age_ns = max_age_ns };
	bool *chosen = calloc(stackmap_store_nr_saves(store) + 1, sizeof(*chosen));
	int ret = -ENOMEM;

	find_end(&choosing);
	if (chosen && !find_needed(&choosing) && !choose_gens(&choosing, need, chosen))
		ret = take_chosen(&choosing, chosen, ret_choice);
	free(chosen);
	free(choosing.needed.items);
	free(choosing.chosen.items);
	return ret;
}

bool age_is_chosen(const struct age_choice *choice, const struct stackmap_save *save)
{
	struct age_key key = key_of(save);
	const struct age_key *found = NULL;

	if (choice->nr)
		found = bsearch(&key, choice->keys, choice->nr, sizeof(key), compare_offsets);
	return found && found->len == key.len && found->boot_ns == key.boot_ns &&
	       found->export_len == key.export_len &&
	       found->nr_generations == key.nr_generations && found->generation == key.generation;
}

void age_choice_release(struct age_choice *choice)
{
	free(choice->keys);
	choice->keys = NULL;
	choice->nr = 0;
}
