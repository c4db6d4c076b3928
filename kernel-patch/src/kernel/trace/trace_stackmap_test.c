// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the stack map, on maps and roots of their own.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <asm/sections.h>

#include "trace_stackmap.h"

#define TEST_BITS	FTRACE_STACKMAP_BITS_MIN
#define TEST_DEPTH	8
#define TEST_STACKS	400

/* A frame out of reach of _stext by what a record stores of it */
#define TEST_FAR_FRAME	((unsigned long)_stext + (BITS_PER_LONG == 64 ? 1UL << 40 : 0))

/* The @nr-th of stacks that are all distinct */
static void make_stack(unsigned long *frames, unsigned int depth, unsigned int nr)
{
	for (unsigned int i = 0; i < depth; i++)
		frames[i] = (unsigned long)_stext + 16 * i + 0x100 * nr;
}

static enum ftrace_stackmap_outcome find_or_insert(struct ftrace_stackmap *map,
						   struct ftrace_stackmap_key *key,
						   const unsigned long *frames,
						   unsigned int depth)
{
	enum ftrace_stackmap_outcome outcome = ftrace_stackmap_find(map, key, frames, depth);

	if (outcome == FTRACE_STACKMAP_ABSENT)
		outcome = ftrace_stackmap_insert(map, key);
	return outcome;
}

static u32 nr_records(const struct ftrace_stackmap *map)
{
	u32 nr = 0;

	for (u32 slot = 0; slot < ftrace_stackmap_nr_slots(map); slot++)
		nr += map->slots[slot] != 0;
	return nr;
}

static void expect_frames(struct kunit *test, const struct ftrace_stackmap *map, u32 slot,
			  const unsigned long *frames, unsigned int depth)
{
	struct ftrace_stackmap_stack stack;

	KUNIT_ASSERT_TRUE(test, ftrace_stackmap_get_stack(map, slot, &stack));
	KUNIT_ASSERT_EQ(test, stack.depth, depth);
	for (unsigned int i = 0; i < depth; i++)
		KUNIT_ASSERT_EQ(test, ftrace_stackmap_get_frame(&stack, i), frames[i]);
}

static void destroy_map(void *map)
{
	ftrace_stackmap_destroy(map);
}

static struct ftrace_stackmap *make_map(struct kunit *test, unsigned int bits)
{
	struct ftrace_stackmap *map = ftrace_stackmap_alloc(bits);

	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, destroy_map, map));
	return map;
}

static void an_inserted_stack_is_found(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct ftrace_stackmap_key inserted, found;
	unsigned long frames[TEST_DEPTH];

	make_stack(frames, TEST_DEPTH, 1);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_find(map, &inserted, frames, TEST_DEPTH),
			FTRACE_STACKMAP_ABSENT);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_insert(map, &inserted), FTRACE_STACKMAP_SUCCESS);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_find(map, &found, frames, TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
	KUNIT_EXPECT_EQ(test, found.slot, inserted.slot);
	expect_frames(test, map, found.slot, frames, TEST_DEPTH);
}

static void a_part_of_a_stack_is_another_stack(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];

	make_stack(frames, TEST_DEPTH, 1);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_find(map, &key, frames, TEST_DEPTH - 1),
			FTRACE_STACKMAP_ABSENT);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_find(map, &key, frames + 1, TEST_DEPTH - 1),
			FTRACE_STACKMAP_ABSENT);
}

/* Frames that a record stores in different ways come back as they were. */
static void every_frame_comes_back(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	const unsigned long odd[] = {
		FTRACE_TRAMPOLINE_MARKER, TEST_FAR_FRAME,
		(unsigned long)_stext + S32_MIN, (unsigned long)_stext + S32_MAX,
		(unsigned long)_stext - 1, 0, 1, ULONG_MAX,
	};
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];

	for (int i = 0; i < ARRAY_SIZE(odd); i++) {
		for (int j = 0; j < ARRAY_SIZE(odd); j++) {
			make_stack(frames, TEST_DEPTH, 1);
			frames[2] = odd[i];
			frames[5] = odd[j];
			KUNIT_ASSERT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
					FTRACE_STACKMAP_SUCCESS);
			expect_frames(test, map, key.slot, frames, TEST_DEPTH);
		}
	}
	KUNIT_EXPECT_EQ(test, nr_records(map), ARRAY_SIZE(odd) * ARRAY_SIZE(odd));
}

static void depth_has_its_limits(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, FTRACE_STACKMAP_BITS_DEFAULT);
	const unsigned int most = FTRACE_STACKMAP_MAX_DEPTH;
	struct ftrace_stackmap_key key;
	unsigned long *frames;

	frames = kunit_kmalloc_array(test, most + 1, sizeof(*frames), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, frames);
	make_stack(frames, most + 1, 0);

	KUNIT_EXPECT_EQ(test, ftrace_stackmap_find(map, &key, frames, 0),
			FTRACE_STACKMAP_BAD_DEPTH);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_find(map, &key, frames, most + 1),
			FTRACE_STACKMAP_BAD_DEPTH);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, most), FTRACE_STACKMAP_SUCCESS);
	expect_frames(test, map, key.slot, frames, most);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, 1), FTRACE_STACKMAP_SUCCESS);
	expect_frames(test, map, key.slot, frames, 1);
}

static void a_map_takes_as_many_stacks_as_it_says(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];

	for (u32 i = 0; i < map->capacity; i++) {
		make_stack(frames, TEST_DEPTH, i);
		KUNIT_ASSERT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
				FTRACE_STACKMAP_SUCCESS);
	}
	make_stack(frames, TEST_DEPTH, map->capacity);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
			FTRACE_STACKMAP_NO_CAPACITY);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_insert(map, &key), FTRACE_STACKMAP_NO_CAPACITY);
	KUNIT_EXPECT_EQ(test, atomic_read(&map->entries), map->capacity);
	KUNIT_EXPECT_EQ(test, nr_records(map), map->capacity);
	/* Those that it has are found still */
	make_stack(frames, TEST_DEPTH, 0);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
}

static void a_shorter_stack_may_fit_a_full_arena(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	enum ftrace_stackmap_outcome outcome;
	struct ftrace_stackmap_key key;
	unsigned long *frames;
	unsigned int nr = 0;
	int entries;

	frames = kunit_kmalloc_array(test, 1000, sizeof(*frames), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, frames);
	do {
		make_stack(frames, 1000, nr++);
		outcome = find_or_insert(map, &key, frames, 1000);
	} while (outcome == FTRACE_STACKMAP_SUCCESS);
	KUNIT_EXPECT_EQ(test, outcome, FTRACE_STACKMAP_NO_SPACE);

	entries = atomic_read(&map->entries);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_insert(map, &key), FTRACE_STACKMAP_NO_SPACE);
	KUNIT_EXPECT_EQ(test, atomic_read(&map->entries), entries);

	make_stack(frames, 1, nr);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, 1), FTRACE_STACKMAP_SUCCESS);
	KUNIT_EXPECT_LE(test, atomic_read(&map->cursor), map->arena_words);
	KUNIT_EXPECT_EQ(test, nr_records(map), atomic_read(&map->entries));
}

static void stacks_that_collide_stay_apart(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct ftrace_stackmap_key first, second;
	unsigned long frames[2][TEST_DEPTH];
	u32 probe;

	make_stack(frames[0], TEST_DEPTH, 0);
	make_stack(frames[1], TEST_DEPTH, 1);
	KUNIT_ASSERT_EQ(test, find_or_insert(map, &first, frames[0], TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_find(map, &second, frames[1], TEST_DEPTH),
			FTRACE_STACKMAP_ABSENT);
	/* As if both had the same hash, tag and all */
	map->slots[second.slot] = (map->slots[first.slot] & ~map->tag_mask) |
				  (second.hash & map->tag_mask);

	probe = second.probe;
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_insert(map, &second), FTRACE_STACKMAP_SUCCESS);
	KUNIT_EXPECT_GT(test, second.probe, probe);
	expect_frames(test, map, second.slot, frames[1], TEST_DEPTH);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &second, frames[1], TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
	expect_frames(test, map, second.slot, frames[1], TEST_DEPTH);
}

static void a_walk_ends(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];
	u32 value;

	make_stack(frames, TEST_DEPTH, 0);
	KUNIT_ASSERT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
	value = map->slots[key.slot];
	for (u32 slot = 0; slot < ftrace_stackmap_nr_slots(map); slot++)
		map->slots[slot] = value;

	make_stack(frames, TEST_DEPTH, 1);
	KUNIT_EXPECT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
			FTRACE_STACKMAP_NO_SLOT);
}

static void a_use_count_saturates(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct ftrace_stackmap_stack stack;
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];

	make_stack(frames, TEST_DEPTH, 0);
	KUNIT_ASSERT_EQ(test, find_or_insert(map, &key, frames, TEST_DEPTH),
			FTRACE_STACKMAP_SUCCESS);
	atomic_set(&map->refs[key.slot], INT_MAX - 1);
	preempt_disable();
	for (int i = 0; i < 3; i++)
		ftrace_stackmap_count_use(map, key.slot);
	preempt_enable();

	KUNIT_ASSERT_TRUE(test, ftrace_stackmap_get_stack(map, key.slot, &stack));
	KUNIT_EXPECT_EQ(test, stack.ref, INT_MAX);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_sum(map, FTRACE_STACKMAP_SUCCESS), 3);
	/* As far as others that are in the midst of it at the same time may take it */
	atomic_set(&map->refs[key.slot], INT_MIN);
	KUNIT_ASSERT_TRUE(test, ftrace_stackmap_get_stack(map, key.slot, &stack));
	KUNIT_EXPECT_EQ(test, stack.ref, INT_MAX);
}

/* Tests with threads, one a CPU */

struct racer {
	struct ftrace_stackmap		*map;
	struct ftrace_stackmap_root	*root;
	struct completion		go;
	struct completion		done;
	struct task_struct		*task;
	u32				slots[TEST_STACKS];
	u64				nr_uses;
	bool				failed;
};

static void stop_racer(void *data)
{
	struct racer *racer = data;

	if (!racer->task)
		return;
	complete_all(&racer->go);
	kthread_stop(racer->task);
	racer->task = NULL;
}

/* One for each CPU that is online now; at the end of the test none is left, however it ends. */
static struct racer *start_racers(struct kunit *test, int (*run)(void *racer),
				  struct ftrace_stackmap *map, struct ftrace_stackmap_root *root)
{
	struct racer *racers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*racers), GFP_KERNEL);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, racers);
	for_each_online_cpu(cpu) {
		struct racer *racer = &racers[cpu];
		struct task_struct *task;

		racer->map = map;
		racer->root = root;
		init_completion(&racer->go);
		init_completion(&racer->done);
		task = kthread_create_on_cpu(run, racer, cpu, "stackmap/%u");
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
		racer->task = task;
		wake_up_process(task);
		KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_racer, racer));
	}
	return racers;
}

static bool is_racer(const struct racer *racer)
{
	return racer->task;
}

static void racer_wait_for_stop(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
}

static int race_to_insert(void *data)
{
	struct racer *racer = data;
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];

	wait_for_completion(&racer->go);
	for (unsigned int i = 0; i < TEST_STACKS; i++) {
		make_stack(frames, TEST_DEPTH, i);
		if (find_or_insert(racer->map, &key, frames, TEST_DEPTH) !=
		    FTRACE_STACKMAP_SUCCESS)
			racer->failed = true;
		racer->slots[i] = key.slot;
	}
	complete(&racer->done);
	racer_wait_for_stop();
	return 0;
}

static void a_race_inserts_each_stack_once(struct kunit *test)
{
	struct ftrace_stackmap *map = make_map(test, TEST_BITS);
	struct racer *racers = start_racers(test, race_to_insert, map, NULL);
	const u32 *slots = NULL;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (is_racer(&racers[cpu]))
			complete(&racers[cpu].go);
	}
	for_each_possible_cpu(cpu) {
		if (!is_racer(&racers[cpu]))
			continue;
		wait_for_completion(&racers[cpu].done);
		slots = slots ?: racers[cpu].slots;
		KUNIT_EXPECT_FALSE(test, racers[cpu].failed);
		KUNIT_EXPECT_MEMEQ(test, racers[cpu].slots, slots, sizeof(racers[cpu].slots));
	}
	KUNIT_EXPECT_EQ(test, nr_records(map), TEST_STACKS);
	KUNIT_EXPECT_EQ(test, atomic_read(&map->entries), TEST_STACKS);
}

/* Tests of how long a map lives */

static struct ftrace_stackmap_root test_root = {
	.swap_lock	= __MUTEX_INITIALIZER(test_root.swap_lock),
	.lock		= __MUTEX_INITIALIZER(test_root.lock),
	.swapped_out	= LIST_HEAD_INIT(test_root.swapped_out),
	.released	= __WAIT_QUEUE_HEAD_INITIALIZER(test_root.released),
};

static void release_reader(void *reader)
{
	ftrace_stackmap_release(reader);
}

static struct ftrace_stackmap_reader *make_reader(struct kunit *test)
{
	struct ftrace_stackmap_reader *reader = kunit_kzalloc(test, sizeof(*reader), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, reader);
	reader->root = &test_root;
	ftrace_stackmap_hold(reader);
	/* A second time does nothing */
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, release_reader, reader));
	return reader;
}

static int root_test_init(struct kunit *test)
{
	test_root.bits = TEST_BITS;
	test_root.generation = 0;
	return ftrace_stackmap_enable(&test_root);
}

static void root_test_exit(struct kunit *test)
{
	ftrace_stackmap_free(&test_root, NULL, false);
	KUNIT_EXPECT_EQ(test, test_root.nr_swapped_out, 0);
}

static u32 live_generation(void)
{
	guard(preempt_notrace)();

	return ftrace_stackmap_get_live(&test_root, true)->generation;
}

/* Insert a stack and count its use, as ftrace_stackmap_record() does. */
static bool use_stack(struct ftrace_stackmap_root *root, unsigned int nr)
{
	struct ftrace_stackmap *map;
	struct ftrace_stackmap_key key;
	unsigned long frames[TEST_DEPTH];

	guard(preempt_notrace)();

	make_stack(frames, TEST_DEPTH, nr);
	map = ftrace_stackmap_get_live(root, true);
	if (!map || find_or_insert(map, &key, frames, TEST_DEPTH) != FTRACE_STACKMAP_SUCCESS)
		return false;
	ftrace_stackmap_count_use(map, key.slot);
	return true;
}

static void a_first_generation_is_positive(struct kunit *test)
{
	KUNIT_EXPECT_GE(test, live_generation(), 1);
	KUNIT_EXPECT_LE(test, live_generation(), INT_MAX);
}

static void no_generation_is_0(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_free(&test_root, NULL, true), 0);
	test_root.generation = U32_MAX;
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_enable(&test_root), 0);
	KUNIT_EXPECT_EQ(test, live_generation(), U32_MAX);
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	KUNIT_EXPECT_EQ(test, live_generation(), 1);
}

static void a_free_counts_as_a_generation(struct kunit *test)
{
	u32 generation = live_generation();

	KUNIT_ASSERT_EQ(test, ftrace_stackmap_free(&test_root, NULL, true), 0);
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_enable(&test_root), 0);
	KUNIT_EXPECT_EQ(test, live_generation(), generation + 1);
}

static void a_reader_keeps_the_map_that_was_reset(struct kunit *test)
{
	struct ftrace_stackmap_reader *reader;

	KUNIT_ASSERT_TRUE(test, use_stack(&test_root, 1));
	reader = make_reader(test);
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	KUNIT_ASSERT_TRUE(test, use_stack(&test_root, 2));
	KUNIT_EXPECT_TRUE(test, reader->map->closed);
	KUNIT_EXPECT_EQ(test, nr_records(reader->map), 1);
	KUNIT_EXPECT_EQ(test, reader->map->generation + 1, live_generation());
	ftrace_stackmap_release(reader);
}

static void a_reset_hands_the_old_map_to_its_file(struct kunit *test)
{
	struct ftrace_stackmap_reader *reader;
	u32 generation;

	reader = make_reader(test);
	/* Another tool came first */
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	generation = live_generation();
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_reset(&test_root, reader), 0);
	KUNIT_EXPECT_EQ(test, reader->map->generation, generation);
	KUNIT_EXPECT_EQ(test, test_root.nr_swapped_out, 1);
	/* In the midst of reading, it stays with what it reads */
	reader->started = true;
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_reset(&test_root, reader), 0);
	KUNIT_EXPECT_EQ(test, reader->map->generation, generation);
	ftrace_stackmap_release(reader);
}

static void a_reset_is_refused_with_too_many_maps_held(struct kunit *test)
{
	struct ftrace_stackmap_reader *readers[FTRACE_STACKMAP_MAX_SWAPPED_OUT];
	u32 generation;
	int i;

	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		readers[i] = make_reader(test);
		KUNIT_ASSERT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	}
	generation = live_generation();
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, live_generation(), generation);

	ftrace_stackmap_release(readers[3]);
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		ftrace_stackmap_release(readers[i]);
}

static int free_and_wait(void *data)
{
	struct racer *racer = data;

	wait_for_completion(&racer->go);
	ftrace_stackmap_free(racer->root, NULL, true);
	complete(&racer->done);
	racer_wait_for_stop();
	return 0;
}

static void a_free_waits_for_readers_of_older_maps(struct kunit *test)
{
	struct racer *racers = start_racers(test, free_and_wait, NULL, &test_root);
	struct ftrace_stackmap_reader *reader = make_reader(test);
	int cpu;

	KUNIT_EXPECT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	/* That of the asking file does not count */
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_free(&test_root, reader, true), 0);

	KUNIT_EXPECT_EQ(test, ftrace_stackmap_enable(&test_root), 0);
	for_each_possible_cpu(cpu) {
		if (!is_racer(&racers[cpu]))
			continue;
		complete(&racers[cpu].go);
		/* It may not have begun: what it must not do is to end */
		KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&racers[cpu].done, HZ / 10), 0);
	}
	ftrace_stackmap_release(reader);
	for_each_possible_cpu(cpu) {
		if (is_racer(&racers[cpu]))
			wait_for_completion(&racers[cpu].done);
	}
	KUNIT_EXPECT_EQ(test, test_root.nr_swapped_out, 0);
}

static void a_cpu_that_rcu_ignores_gets_no_map(struct kunit *test)
{
	struct ftrace_stackmap_usage before, after;
	struct ftrace_stackmap *map;

	ftrace_stackmap_get_usage(&test_root, &before);
	preempt_disable();
	map = ftrace_stackmap_get_live(&test_root, false);
	preempt_enable();
	ftrace_stackmap_get_usage(&test_root, &after);
	KUNIT_EXPECT_NULL(test, map);
	/* Of all roots, and what traces this machine may count as well */
	KUNIT_EXPECT_GT(test, after.bypasses[FTRACE_STACKMAP_NOT_WATCHING],
			before.bypasses[FTRACE_STACKMAP_NOT_WATCHING]);
}

static void a_cpu_that_runs_tests_is_waited_for(struct kunit *test)
{
	bool is_waited_for;

	preempt_disable();
	is_waited_for = ftrace_stackmap_is_waited_for();
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, is_waited_for);
}

static void without_a_map_there_is_none_to_use(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ftrace_stackmap_free(&test_root, NULL, true), 0);
	KUNIT_EXPECT_FALSE(test, use_stack(&test_root, 1));
	KUNIT_EXPECT_EQ(test, ftrace_stackmap_reset(&test_root, NULL), 0);
	KUNIT_EXPECT_FALSE(test, use_stack(&test_root, 1));
}

static int race_to_use(void *data)
{
	struct racer *racer = data;
	unsigned int i;

	for (i = 0; !kthread_should_stop(); i++) {
		if (use_stack(racer->root, i % TEST_STACKS))
			racer->nr_uses++;
		else
			racer->failed = true;
		cond_resched();
	}
	return 0;
}

/* Uses that a map which is closed has counted, in two ways */
static u64 sum_refs(struct kunit *test, const struct ftrace_stackmap *map)
{
	struct ftrace_stackmap_stack stack;
	u64 sum = 0;
	u32 slot = 0;

	while (ftrace_stackmap_get_stack(map, ftrace_stackmap_next_slot(map, slot), &stack)) {
		sum += stack.ref;
		slot = stack.slot + 1;
	}
	KUNIT_EXPECT_EQ(test, sum, ftrace_stackmap_sum(map, FTRACE_STACKMAP_SUCCESS));
	KUNIT_EXPECT_EQ(test, nr_records(map), atomic_read(&map->entries));
	return sum;
}

static void no_use_is_lost_by_resets(struct kunit *test)
{
	struct racer *racers = start_racers(test, race_to_use, NULL, &test_root);
	struct ftrace_stackmap_reader *reader;
	u64 recorded = 0, saved = 0;
	int cpu;

	/* The last is made with nobody left who records */
	for (int i = 0; i <= 50; i++) {
		for (cpu = 0; i == 50 && cpu < nr_cpu_ids; cpu++)
			stop_racer(&racers[cpu]);
		reader = make_reader(test);
		KUNIT_EXPECT_EQ(test, ftrace_stackmap_reset(&test_root, reader), 0);
		saved += sum_refs(test, reader->map);
		ftrace_stackmap_release(reader);
	}
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		KUNIT_EXPECT_FALSE(test, racers[cpu].failed);
		recorded += racers[cpu].nr_uses;
	}
	KUNIT_EXPECT_EQ(test, saved, recorded);
	KUNIT_EXPECT_GT(test, recorded, 0);
}

static struct kunit_case map_cases[] = {
	KUNIT_CASE(an_inserted_stack_is_found),
	KUNIT_CASE(a_part_of_a_stack_is_another_stack),
	KUNIT_CASE(every_frame_comes_back),
	KUNIT_CASE(depth_has_its_limits),
	KUNIT_CASE(a_map_takes_as_many_stacks_as_it_says),
	KUNIT_CASE(a_shorter_stack_may_fit_a_full_arena),
	KUNIT_CASE(stacks_that_collide_stay_apart),
	KUNIT_CASE(a_walk_ends),
	KUNIT_CASE(a_use_count_saturates),
	KUNIT_CASE(a_race_inserts_each_stack_once),
	{}
};

static struct kunit_suite map_suite = {
	.name		= "ftrace_stackmap_map",
	.test_cases	= map_cases,
};

static struct kunit_case root_cases[] = {
	KUNIT_CASE(a_first_generation_is_positive),
	KUNIT_CASE(no_generation_is_0),
	KUNIT_CASE(a_free_counts_as_a_generation),
	KUNIT_CASE(a_reader_keeps_the_map_that_was_reset),
	KUNIT_CASE(a_reset_hands_the_old_map_to_its_file),
	KUNIT_CASE(a_reset_is_refused_with_too_many_maps_held),
	KUNIT_CASE(a_free_waits_for_readers_of_older_maps),
	KUNIT_CASE(a_cpu_that_rcu_ignores_gets_no_map),
	KUNIT_CASE(a_cpu_that_runs_tests_is_waited_for),
	KUNIT_CASE(without_a_map_there_is_none_to_use),
	KUNIT_CASE_SLOW(no_use_is_lost_by_resets),
	{}
};

static struct kunit_suite root_suite = {
	.name		= "ftrace_stackmap_root",
	.init		= root_test_init,
	.exit		= root_test_exit,
	.test_cases	= root_cases,
};

kunit_test_suites(&map_suite, &root_suite);
