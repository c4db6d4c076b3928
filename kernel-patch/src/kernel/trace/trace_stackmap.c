// SPDX-License-Identifier: GPL-2.0
/*
 * The stack map of the top-level trace array: record a stack as a cookie, and how long a map
 * lives.
 *
 * A reset swaps the map in use for an empty one of the next generation, while tracing runs on:
 *
 *	      live			swapped_out
 *	   generation 7
 *	   generation 8    <-swap->    7, held by a file	until that file is closed
 *
 *  1. The new map is published. What is recorded from now on goes there.
 *  2. A grace period later, nobody can be inserting into the old one. It is closed: complete,
 *     and constant from then on.
 *  3. It goes away with the last file that holds it; where none does, at once.
 *
 * A file holds the map that was in use when it was opened. To save all stacks of a generation
 * is hence: open stack_map, write "0" to it, read it to the end.
 *
 * Locks, in the order in which they are taken:
 *
 *	swap_lock		all of a reset or free, the grace period too: one at a time
 *	trace_types_lock	the option does not change; most opens in tracefs take it
 *	lock			a root, and how long its maps live; never for longer than it takes
 *
 * Recording takes none: it runs with preemption off, which synchronize_rcu() waits for, and so do
 * those who print, under rcu_read_lock().
 */
#define pr_fmt(fmt) "ftrace stackmap: " fmt

#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "trace_stackmap.h"

struct ftrace_stackmap_root ftrace_stackmap_root = {
	.swap_lock	= __MUTEX_INITIALIZER(ftrace_stackmap_root.swap_lock),
	.lock		= __MUTEX_INITIALIZER(ftrace_stackmap_root.lock),
	.swapped_out	= LIST_HEAD_INIT(ftrace_stackmap_root.swapped_out),
	.bits		= FTRACE_STACKMAP_BITS_DEFAULT,
	.released	= __WAIT_QUEUE_HEAD_INITIALIZER(ftrace_stackmap_root.released),
};

struct ftrace_stackmap_bypasses {
	local_t		nr[FTRACE_STACKMAP_NR_BYPASSES];
};

/* Since boot: there is no map that they could be a part of */
static DEFINE_PER_CPU(struct ftrace_stackmap_bypasses, ftrace_stackmap_bypasses);

/* Under trace_types_lock */
static bool ftrace_stackmap_has_tracefs;

static struct ftrace_stackmap *root_live(struct ftrace_stackmap_root *root)
{
	return rcu_dereference_protected(root->live, lockdep_is_held(&root->lock));
}

/* Generation 0 is none, so that a cookie never is 0 */
static u32 root_next_generation(struct ftrace_stackmap_root *root)
{
	u32 generation = root->generation;

	/*
	 * Boots begin at different numbers, so that a cookie of one is not taken for one of
	 * another. Positive as an int, with as many more to come.
	 */
	while (!generation)
		generation = get_random_u32() & INT_MAX;
	return generation;
}

static void root_publish(struct ftrace_stackmap_root *root, struct ftrace_stackmap *map)
{
	map->sequence = ++root->sequence;
	map->generation = root_next_generation(root);
	root->generation = map->generation + 1 ?: 1;
	rcu_assign_pointer(root->live, map);
}

/* Drop a map that is neither in use nor held */
static void root_put(struct ftrace_stackmap_root *root, struct ftrace_stackmap *map)
{
	lockdep_assert_held(&root->lock);

	if (map == root_live(root) || map->nr_files)
		return;
	list_del(&map->swapped_out);
	root->nr_swapped_out--;
	ftrace_stackmap_destroy(map);
}

/*
 * Put @new into use, which may be NULL. Returns the map that was: held like by a file, until
 * root_retire().
 */
static struct ftrace_stackmap *root_swap(struct ftrace_stackmap_root *root,
					 struct ftrace_stackmap *new)
{
	struct ftrace_stackmap *old = root_live(root);

	lockdep_assert_held(&root->lock);

	if (new)
		root_publish(root, new);
	else
		RCU_INIT_POINTER(root->live, NULL);
	if (!old)
		return NULL;
	list_add_tail(&old->swapped_out, &root->swapped_out);
	root->nr_swapped_out++;
	old->nr_files++;
	return old;
}

/* Nobody records into @map any more, nor prints from it, once this returns. */
static void map_close(struct ftrace_stackmap *map)
{
	synchronize_rcu();
	/* Pairs with the acquire of whoever wants to know whether the map is complete */
	smp_store_release(&map->closed, true);
}

static void root_retire(struct ftrace_stackmap_root *root, struct ftrace_stackmap *old)
{
	lockdep_assert_held(&root->lock);

	old->nr_files--;
	root_put(root, old);
	wake_up_all(&root->released);
}

/**
 * ftrace_stackmap_enable - have a map in use
 * @root: where
 *
 * Return: 0, also where there is one already, or -ENOMEM.
 */
int ftrace_stackmap_enable(struct ftrace_stackmap_root *root)
{
	struct ftrace_stackmap *map;

	mutex_lock(&root->lock);
	map = root_live(root);
	mutex_unlock(&root->lock);
	if (map)
		return 0;

	map = ftrace_stackmap_alloc(root->bits);
	if (!map)
		return -ENOMEM;

	mutex_lock(&root->lock);
	if (!root_live(root)) {
		root_swap(root, map);
		map = NULL;
	}
	mutex_unlock(&root->lock);
	/* Another one was faster */
	ftrace_stackmap_destroy(map);
	return 0;
}

static void reader_set_map(struct ftrace_stackmap_reader *reader, struct ftrace_stackmap *map)
{
	struct ftrace_stackmap *old = reader->map;

	if (map) {
		map->nr_files++;
		map->nr_freeing += reader->freeing;
	}
	reader->map = map;
	if (!old)
		return;
	old->nr_files--;
	old->nr_freeing -= reader->freeing;
	root_put(reader->root, old);
	wake_up_all(&reader->root->released);
}

/* Hold the map in use, unless one is held already. */
void ftrace_stackmap_hold(struct ftrace_stackmap_reader *reader)
{
	guard(mutex)(&reader->root->lock);

	if (!reader->map)
		reader_set_map(reader, root_live(reader->root));
}

void ftrace_stackmap_release(struct ftrace_stackmap_reader *reader)
{
	guard(mutex)(&reader->root->lock);

	reader_set_map(reader, NULL);
}

/**
 * ftrace_stackmap_reset - go on with an empty map of the next generation
 * @root: where
 * @reader: a file for which this is done, or NULL; where nothing was read through it, it holds
 *	the old map, complete, from then on
 *
 * Return: 0, also where there is no map, -ENOMEM, or -EBUSY where too many swapped-out maps
 * are held; then nothing has changed.
 */
int ftrace_stackmap_reset(struct ftrace_stackmap_root *root,
			  struct ftrace_stackmap_reader *reader)
{
	struct ftrace_stackmap *old, *new;
	bool is_busy;

	guard(mutex)(&root->swap_lock);

	mutex_lock(&root->lock);
	old = root_live(root);
	is_busy = root->nr_swapped_out >= FTRACE_STACKMAP_MAX_SWAPPED_OUT;
	mutex_unlock(&root->lock);
	if (!old)
		return 0;
	if (is_busy)
		return -EBUSY;
	new = ftrace_stackmap_alloc(root->bits);
	if (!new)
		return -ENOMEM;

	mutex_lock(&root->lock);
	old = root_swap(root, new);
	mutex_unlock(&root->lock);

	map_close(old);

	mutex_lock(&root->lock);
	if (reader && !reader->started)
		reader_set_map(reader, old);
	root_retire(root, old);
	mutex_unlock(&root->lock);
	return 0;
}

/* Does a file hold a map up to @sequence? One that waits for this itself does not count. */
static bool root_is_held(struct ftrace_stackmap_root *root, u64 sequence)
{
	struct ftrace_stackmap *map;

	guard(mutex)(&root->lock);

	list_for_each_entry(map, &root->swapped_out, swapped_out) {
		if (map->sequence <= sequence && map->nr_files > map->nr_freeing)
			return true;
	}
	return false;
}

static int root_wait_released(struct ftrace_stackmap_root *root, u64 sequence)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int ret = 0;

	add_wait_queue(&root->released, &wait);
	while (root_is_held(root, sequence)) {
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		wait_woken(&wait, TASK_KILLABLE, MAX_SCHEDULE_TIMEOUT);
	}
	remove_wait_queue(&root->released, &wait);
	return ret;
}

/* Take the map out of use; @sequence is that of the newest which has to be released then. */
static int root_remove(struct ftrace_stackmap_root *root, u64 *sequence)
{
	struct ftrace_stackmap *old;

	guard(mutex)(&root->swap_lock);

	mutex_lock(&trace_types_lock);
	if (root->tr && trace_array_has_stackmap(root->tr)) {
		mutex_unlock(&trace_types_lock);
		return -EBUSY;
	}
	mutex_lock(&root->lock);
	old = root_swap(root, NULL);
	*sequence = root->sequence;
	mutex_unlock(&root->lock);
	mutex_unlock(&trace_types_lock);
	if (!old)
		return 0;

	map_close(old);

	mutex_lock(&root->lock);
	root_retire(root, old);
	mutex_unlock(&root->lock);
	return 0;
}

static int reader_set_freeing(struct ftrace_stackmap_reader *reader, bool freeing)
{
	guard(mutex)(&reader->root->lock);

	if (reader->freeing == freeing)
		return -EBUSY;
	reader->freeing = freeing;
	if (reader->map)
		reader->map->nr_freeing += freeing ? 1 : -1;
	/* Another one may be waiting for this file */
	wake_up_all(&reader->root->released);
	return 0;
}

/**
 * ftrace_stackmap_free - take the map out of use and wait until it is gone
 * @root: where
 * @reader: the file through which this is asked for, or NULL; it is not waited for
 * @may_wait: else return at once, with the map out of use
 *
 * Waits for older maps too: once this returns, none takes memory but what @reader holds.
 *
 * Return: 0, -EBUSY where the option is set, which changes nothing, or -EINTR where the task
 * was killed as it waited.
 */
int ftrace_stackmap_free(struct ftrace_stackmap_root *root,
			 struct ftrace_stackmap_reader *reader, bool may_wait)
{
	u64 sequence;
	int ret;

	if (reader) {
		ret = reader_set_freeing(reader, true);
		if (ret)
			return ret;
	}
	ret = root_remove(root, &sequence);
	if (!ret && may_wait)
		ret = root_wait_released(root, sequence);
	if (reader)
		reader_set_freeing(reader, false);
	return ret;
}

void ftrace_stackmap_get_usage(struct ftrace_stackmap_root *root,
			       struct ftrace_stackmap_usage *usage)
{
	struct ftrace_stackmap *map;
	int i, cpu;

	memset(usage, 0, sizeof(*usage));
	for (i = 0; i < FTRACE_STACKMAP_NR_BYPASSES; i++) {
		for_each_possible_cpu(cpu)
			usage->bypasses[i] += (unsigned long)
				local_read(&per_cpu(ftrace_stackmap_bypasses, cpu).nr[i]);
	}

	guard(mutex)(&root->lock);

	usage->swapped_out = root->nr_swapped_out;
	list_for_each_entry(map, &root->swapped_out, swapped_out)
		usage->swapped_out_memory += map->memory;
}

static void ftrace_stackmap_count_bypass(enum ftrace_stackmap_bypass bypass)
{
	local_inc(this_cpu_ptr(&ftrace_stackmap_bypasses.nr[bypass]));
}

/*
 * Does synchronize_rcu() wait for this CPU? One that is coming up or going down says that it
 * watches for longer than it is waited for.
 */
bool ftrace_stackmap_is_waited_for(void)
{
	return rcu_is_watching() && cpu_online(raw_smp_processor_id());
}

struct ftrace_stackmap *ftrace_stackmap_get_live(struct ftrace_stackmap_root *root,
						 bool is_waited_for)
{
	struct ftrace_stackmap *map;

	if (unlikely(!is_waited_for)) {
		ftrace_stackmap_count_bypass(FTRACE_STACKMAP_NOT_WATCHING);
		return NULL;
	}
	map = rcu_dereference_sched(root->live);
	if (unlikely(!map))
		ftrace_stackmap_count_bypass(FTRACE_STACKMAP_NO_MAP);
	return map;
}

const struct ftrace_stackmap *
ftrace_stackmap_get_generation(struct ftrace_stackmap_root *root, u32 generation)
{
	const struct ftrace_stackmap *map = rcu_dereference(root->live);

	return map && map->generation == generation ? map : NULL;
}

/* With room in the ring buffer for its cookie, so that each stack in a map was recorded */
static bool ftrace_stackmap_record_absent(struct ftrace_stackmap *map,
					  struct ftrace_stackmap_key *key,
					  struct trace_buffer *buffer,
					  struct ring_buffer_event *event)
{
	enum ftrace_stackmap_outcome outcome = ftrace_stackmap_insert(map, key);

	if (likely(outcome == FTRACE_STACKMAP_SUCCESS))
		return true;
	/* The room went between the lookup and here */
	ring_buffer_discard_commit(buffer, event);
	ftrace_stackmap_count(map, outcome);
	return false;
}

/**
 * ftrace_stackmap_record - record a stack as a cookie
 * @buffer: ring buffer of the top-level trace array
 * @trace_ctx: of the event that the stack belongs to
 * @frames: of the stack, innermost first
 * @depth: number of frames
 *
 * Context: any, with preemption off.
 * Return: false where the stack is to be recorded in full.
 */
bool ftrace_stackmap_record(struct trace_buffer *buffer, unsigned int trace_ctx,
			    const unsigned long *frames, unsigned int depth)
{
	enum ftrace_stackmap_outcome outcome;
	/* ftrace_stackmap_find() makes it: not worth to be cleared for each event */
	struct ftrace_stackmap_key key __uninitialized;
	struct ring_buffer_event *event;
	struct ftrace_stackmap *map;
	struct stack_id_entry *entry;

	map = ftrace_stackmap_get_live(&ftrace_stackmap_root, ftrace_stackmap_is_waited_for());
	if (unlikely(!map))
		return false;

	outcome = ftrace_stackmap_find(map, &key, frames, depth);
	if (unlikely(outcome != FTRACE_STACKMAP_SUCCESS && outcome != FTRACE_STACKMAP_ABSENT)) {
		ftrace_stackmap_count(map, outcome);
		return false;
	}

	event = ring_buffer_lock_reserve(buffer, sizeof(*entry));
	if (unlikely(!event)) {
		/* The stack in full takes no less */
		ftrace_stackmap_count(map, FTRACE_STACKMAP_NO_EVENT);
		return true;
	}
	if (unlikely(outcome == FTRACE_STACKMAP_ABSENT) &&
	    !ftrace_stackmap_record_absent(map, &key, buffer, event))
		return false;

	entry = ring_buffer_event_data(event);
	tracing_generic_entry_update(&entry->ent, TRACE_STACK_ID, trace_ctx);
	entry->stack_cookie = ftrace_stackmap_cookie(map, key.slot);
	ftrace_stackmap_count_use(map, key.slot);
	/* As trace.c does for an event: the name of the task is worth to be kept */
	__this_cpu_write(trace_taskinfo_save, true);
	ring_buffer_unlock_commit(buffer);
	return true;
}

/* With preemption off: the ring buffer had no room for a stack in full. */
void ftrace_stackmap_lost_full(struct trace_array *tr)
{
	if (trace_array_has_stackmap(tr))
		ftrace_stackmap_count_bypass(FTRACE_STACKMAP_NO_FULL_EVENT);
}

/*
 * The option is about to be set, or was cleared; under trace_types_lock. Clearing it keeps the
 * map: the cookies that are in the ring buffer need it.
 */
int ftrace_stackmap_set_option(struct trace_array *tr, bool enabled)
{
	/* Set by a boot parameter: ftrace_stackmap_init_tracefs() will see it */
	if (!enabled || !ftrace_stackmap_has_tracefs)
		return 0;
	return ftrace_stackmap_enable(&ftrace_stackmap_root);
}

void ftrace_stackmap_init_tracefs(struct trace_array *tr)
{
	guard(mutex)(&trace_types_lock);

	ftrace_stackmap_root.tr = tr;
	ftrace_stackmap_has_tracefs = true;
	if (trace_array_has_stackmap(tr) && ftrace_stackmap_enable(&ftrace_stackmap_root))
		pr_warn("no memory for a map: clear and set the option to try again\n");
}

/* On the command line, with its dot: a module parameter would need a module of that name */
static int __init ftrace_stackmap_set_bits(char *str)
{
	int bits, ret;

	ret = str ? kstrtoint(str, 0, &bits) : -EINVAL;
	if (ret == -ERANGE) {
		bits = *str == '-' ? INT_MIN : INT_MAX;
	} else if (ret) {
		pr_warn("bits is not a number: using %u\n", FTRACE_STACKMAP_BITS_DEFAULT);
		bits = FTRACE_STACKMAP_BITS_DEFAULT;
	}
	ftrace_stackmap_root.bits = clamp(bits, FTRACE_STACKMAP_BITS_MIN, FTRACE_STACKMAP_BITS_MAX);
	if (ftrace_stackmap_root.bits != bits)
		pr_warn("bits=%d is out of range: using %u\n", bits, ftrace_stackmap_root.bits);
	return 0;
}
early_param("ftrace_stackmap.bits", ftrace_stackmap_set_bits);
