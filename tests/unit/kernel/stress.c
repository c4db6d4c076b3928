// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stress-kernel [SECONDS [SEED]] - the kernel's stack map under many threads.
 *
 * Without SECONDS a fixed number of rounds. Built with ThreadSanitizer too, which sees the order
 * that the source asks for and no more: see shims/linux/atomic.h.
 *
 * Rounds of three kinds take turns:
 *
 *  insert	All threads insert the same stacks into one map, in nearly the same order.
 *  rotate	Some threads record; others reset and copy each generation that they swap out,
 *		read maps in use, and free the map and take it into use again. Each cookie that
 *		was recorded resolves in the copy of its generation, to the stack that it was
 *		recorded for; use counts, counters and the number of records are exact.
 *  free	As before, but a free and a reset can meet: a generation may go without a copy.
 *		Those that have one are held to the same.
 *
 * A thread that records or inserts is disturbed at random steps: it yields its processor, or an
 * interrupt records another stack in between.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/rcupdate.h>

#include "stacks.h"
#include "trace_stackmap.h"

#define NR_STACKS	1500
#define MAX_DEPTH	40
#define MAX_COPIES	4096
#define MAX_NESTED	2

/* One CPU each, by number; what is left is that of the main thread and of readers */
#define NR_RECORDERS	4
#define CPU_RESETTER	NR_RECORDERS
#define NR_RESETTERS	2
#define CPU_READER	(CPU_RESETTER + NR_RESETTERS)
#define CPU_FREER	(CPU_READER + 1)
#define NR_THREADS	(CPU_FREER + 1)
#define CPU_MAIN	NR_THREADS

#define RECORDS		1000	/* a recorder and round, beside those of interrupts */
#define NR_ROUNDS	9

#define die(...)					\
	do {						\
		fprintf(stderr, "stress-kernel: ");	\
		fprintf(stderr, __VA_ARGS__);		\
		fprintf(stderr, "\n");			\
		abort();				\
	} while (0)

struct stack {
	unsigned int	depth;
	unsigned long	frames[MAX_DEPTH];
};

/* A generation, as somebody read it after it was closed */
struct copy {
	u32		generation;
	u32		nr_slots;
	u64		sums[FTRACE_STACKMAP_NR_COUNTED];
	u32		*stacks;	/* by slot: number of the stack and 1; 0: none */
	u32		*refs;
	u32		*seen;		/* of its cookies, at the end of the round */
};

struct thread {
	int		cpu;
	u64		random;
	unsigned int	nested;
	struct round	*round;
	/* Of what it recorded */
	u64		nr_cookies;	/* or lost, which the map counts */
	u64		nr_full;
	u32		slots[NR_STACKS];	/* of a round of inserts: slot and 1 */
};

struct round {
	bool			may_miss;	/* generations go without a copy */
	unsigned int		nr_recording;
	struct trace_buffer	*buffer;
	struct ftrace_stackmap	*map;		/* of a round of inserts */
	pthread_rwlock_t	freeing;
	pthread_mutex_t		lock;		/* of the copies */
	unsigned int		nr_copies;
	struct copy		copies[MAX_COPIES];
	struct thread		threads[NR_THREADS];
};

static struct stack stacks[NR_STACKS];
static struct trace_array top;
static __thread struct thread *self;

static u32 next_random(struct thread *thread, u32 below)
{
	thread->random ^= thread->random << 13;
	thread->random ^= thread->random >> 7;
	thread->random ^= thread->random << 17;
	return (u32)(thread->random >> 32) % below;
}

/* Near ones, ones with the marker, and some that are far */
static void make_stacks(void)
{
	unsigned int nr, depth;

	for (nr = 0; nr < NR_STACKS; nr++) {
		depth = 2 + nr * 7 % (MAX_DEPTH - 1);
		stacks[nr].depth = depth;
		stacks_make(stacks[nr].frames, depth, nr);
		if (nr % 5 == 1)
			stacks[nr].frames[depth - 1] = FTRACE_TRAMPOLINE_MARKER;
		if (nr % 17 == 2)
			stacks[nr].frames[depth - 1] ^= 1UL << 40;
	}
}

/* Number of a whole stack. Half a one, or one that nobody recorded, is the end. */
static u32 stack_number(const struct ftrace_stackmap_stack *stack)
{
	unsigned long nr;

	if (!stack->depth)
		die("slot %u has no frame", stack->slot);
	nr = (ftrace_stackmap_get_frame(stack, 0) - shim_stext - 0x1000) / 0x40 - 1;
	if (nr >= NR_STACKS || !stacks_are_equal(stack, stacks[nr].frames, stacks[nr].depth))
		die("slot %u has a stack that was never recorded", stack->slot);
	return (u32)nr;
}

/* What a thread is disturbed by */

static void record_one(struct thread *thread);

static void disturb(void)
{
	struct thread *thread = self;
	u32 what = next_random(thread, 64);

	if (what < 8)
		sched_yield();
	if (what > 8 || thread->nested == MAX_NESTED)
		return;
	thread->nested++;
	record_one(thread);
	thread->nested--;
}

/* Rounds of inserts */

static void insert_one(struct thread *thread, u32 nr)
{
	struct ftrace_stackmap *map = thread->round->map;
	const struct stack *stack = &stacks[nr];
	struct ftrace_stackmap_key key;
	enum ftrace_stackmap_outcome outcome;

	outcome = stacks_put(map, &key, stack->frames, stack->depth);
	if (outcome == FTRACE_STACKMAP_SUCCESS) {
		if (!stacks_slot_has(map, key.slot, stack->frames, stack->depth))
			die("slot %u has not the stack that was put there", key.slot);
		if (thread->slots[nr] && thread->slots[nr] != key.slot + 1)
			die("stack %u is in slot %u and in another", nr, key.slot);
		thread->slots[nr] = key.slot + 1;
		ftrace_stackmap_count_use(map, key.slot);
	} else if (thread->slots[nr]) {
		die("stack %u was in the map, and is not (%d)", nr, outcome);
	}
}

static void *insert_all(void *data)
{
	struct thread *thread = data;
	u32 nr;

	self = thread;
	shim_run_on_cpu(thread->cpu);
	shim_step_hook = disturb;
	for (nr = 0; nr < NR_STACKS; nr++) {
		insert_one(thread, nr);
		/* Another thread may be a little behind, or before */
		if (!next_random(thread, 8))
			insert_one(thread, next_random(thread, nr + 1));
	}
	shim_step_hook = NULL;
	return NULL;
}

static void check_inserted(struct round *round)
{
	const struct ftrace_stackmap *map = round->map;
	static u32 slots[NR_STACKS];
	struct ftrace_stackmap_stack stack;
	u32 slot, nr, nr_records = 0;
	int i;

	memset(slots, 0, sizeof(slots));
	for (slot = 0; slot < ftrace_stackmap_nr_slots(map); slot++) {
		if (!ftrace_stackmap_get_stack(map, slot, &stack))
			continue;
		nr = stack_number(&stack);
		if (slots[nr])
			die("stack %u stands in slots %u and %u", nr, slots[nr] - 1, slot);
		slots[nr] = slot + 1;
		nr_records++;
	}
	if (nr_records != stacks_entries(map))
		die("%u entries, %u records", stacks_entries(map), nr_records);
	if (stacks_cursor(map) > map->arena_words)
		die("the cursor is past the end");
	for (i = 0; i < NR_RECORDERS; i++) {
		for (nr = 0; nr < NR_STACKS; nr++) {
			if (round->threads[i].slots[nr] && round->threads[i].slots[nr] != slots[nr])
				die("stack %u is in another slot for CPU %d", nr, i);
		}
	}
}

/* Rounds of recording */

static void record_one(struct thread *thread)
{
	/* The square of a random number: some stacks are common */
	u32 nr = next_random(thread, NR_STACKS);
	bool done;

	nr = nr * nr / NR_STACKS;
	if (thread->round->map) {
		insert_one(thread, nr);
		return;
	}
	preempt_disable();
	done = ftrace_stackmap_record(thread->round->buffer, nr, stacks[nr].frames,
				      stacks[nr].depth);
	if (done)
		thread->nr_cookies++;
	else
		thread->nr_full++;
	preempt_enable();
}

static void *record_all(void *data)
{
	struct thread *thread = data;
	unsigned int i;

	self = thread;
	shim_run_on_cpu(thread->cpu);
	shim_step_hook = disturb;
	for (i = 0; i < RECORDS; i++)
		record_one(thread);
	shim_step_hook = NULL;
	__atomic_fetch_sub(&thread->round->nr_recording, 1, __ATOMIC_RELAXED);
	return NULL;
}

static bool still_recording(struct round *round)
{
	return __atomic_load_n(&round->nr_recording, __ATOMIC_RELAXED);
}

static void *allocate(size_t nr, size_t size)
{
	void *p = calloc(nr, size);

	if (!p)
		die("out of memory");
	return p;
}

static void fill_copy(struct copy *copy, const struct ftrace_stackmap *map)
{
	struct ftrace_stackmap_stack stack;
	unsigned int outcome;
	u32 slot, nr = 0;

	memset(copy, 0, sizeof(*copy));
	copy->generation = map->generation;
	copy->nr_slots = ftrace_stackmap_nr_slots(map);
	copy->stacks = allocate(copy->nr_slots, sizeof(u32));
	copy->refs = allocate(copy->nr_slots, sizeof(u32));
	copy->seen = allocate(copy->nr_slots, sizeof(u32));
	for (slot = ftrace_stackmap_next_slot(map, 0); slot < copy->nr_slots;
	     slot = ftrace_stackmap_next_slot(map, slot + 1)) {
		if (!ftrace_stackmap_get_stack(map, slot, &stack))
			die("slot %u is empty, and was not", slot);
		copy->stacks[slot] = stack_number(&stack) + 1;
		copy->refs[slot] = stack.ref;
		nr++;
	}
	for (outcome = 0; outcome < FTRACE_STACKMAP_NR_COUNTED; outcome++)
		copy->sums[outcome] = ftrace_stackmap_sum(map, outcome);
	if (nr != stacks_entries(map))
		die("generation %u: %u entries, %u records", map->generation,
		    stacks_entries(map), nr);
}

static void drop_copy(struct copy *copy)
{
	free(copy->stacks);
	free(copy->refs);
	free(copy->seen);
}

static struct copy *find_copy(struct round *round, u32 generation)
{
	unsigned int i;

	for (i = 0; i < round->nr_copies; i++) {
		if (round->copies[i].generation == generation)
			return &round->copies[i];
	}
	return NULL;
}

static void expect_same(const struct copy *one, const struct copy *other)
{
	if (memcmp(one->sums, other->sums, sizeof(one->sums)) ||
	    memcmp(one->stacks, other->stacks, one->nr_slots * sizeof(u32)) ||
	    memcmp(one->refs, other->refs, one->nr_slots * sizeof(u32)))
		die("generation %u changed after it was closed", one->generation);
}

/* Of a map that is complete; other ones are left alone. */
static void keep_copy(struct round *round, struct ftrace_stackmap_reader *reader)
{
	struct copy copy, *known;

	if (!reader->map || !smp_load_acquire(&reader->map->closed))
		return;
	fill_copy(&copy, reader->map);
	pthread_mutex_lock(&round->lock);
	known = find_copy(round, copy.generation);
	if (known) {
		expect_same(known, &copy);
		drop_copy(&copy);
	} else if (round->nr_copies == MAX_COPIES) {
		die("more than %d generations", MAX_COPIES);
	} else {
		round->copies[round->nr_copies++] = copy;
	}
	pthread_mutex_unlock(&round->lock);
}

/* Open, write "0", read to the end */
static void reset_once(struct round *round)
{
	struct ftrace_stackmap_reader reader = { .root = &ftrace_stackmap_root };
	int ret;

	ftrace_stackmap_hold(&reader);
	ret = ftrace_stackmap_reset(&ftrace_stackmap_root, &reader);
	if (ret && ret != -EBUSY)
		die("reset: %d", ret);
	reader.started = true;
	if (!ret)
		keep_copy(round, &reader);
	ftrace_stackmap_release(&reader);
}

static void *reset_again_and_again(void *data)
{
	struct thread *thread = data;
	struct round *round = thread->round;
	u32 i;

	shim_run_on_cpu(thread->cpu);
	do {
		if (!round->may_miss)
			pthread_rwlock_rdlock(&round->freeing);
		reset_once(round);
		if (!round->may_miss)
			pthread_rwlock_unlock(&round->freeing);
		for (i = next_random(thread, 300); i && still_recording(round); i--)
			sched_yield();
	} while (still_recording(round));
	return NULL;
}

/* What was seen once in a map is seen again, used no less. */
static void read_twice(const struct ftrace_stackmap *map)
{
	static u32 seen[2U << FTRACE_STACKMAP_BITS_MIN], refs[2U << FTRACE_STACKMAP_BITS_MIN];
	struct ftrace_stackmap_stack stack;
	u32 slot, nr;

	for (slot = 0; slot < ftrace_stackmap_nr_slots(map); slot++) {
		seen[slot] = refs[slot] = 0;
		if (!ftrace_stackmap_get_stack(map, slot, &stack))
			continue;
		seen[slot] = stack_number(&stack) + 1;
		refs[slot] = stack.ref;
	}
	for (slot = 0; slot < ftrace_stackmap_nr_slots(map); slot++) {
		if (!seen[slot])
			continue;
		if (!ftrace_stackmap_get_stack(map, slot, &stack))
			die("slot %u went empty", slot);
		nr = stack_number(&stack) + 1;
		if (nr != seen[slot] || stack.ref < refs[slot])
			die("slot %u changed", slot);
	}
}

/* Whoever prints: the map in use alone, and not longer than its section lasts */
static void print_one(struct thread *thread)
{
	const struct ftrace_stackmap *map;
	struct ftrace_stackmap_stack stack;
	struct ftrace_stackmap *live;
	u32 slot;

	rcu_read_lock();
	live = ftrace_stackmap_get_live(&ftrace_stackmap_root, true);
	if (live) {
		map = ftrace_stackmap_get_generation(&ftrace_stackmap_root, live->generation);
		slot = next_random(thread, ftrace_stackmap_nr_slots(live));
		if (map && map != live && map->generation == live->generation)
			die("two maps of one generation");
		if (map && ftrace_stackmap_get_stack(map, slot, &stack))
			stack_number(&stack);
	}
	rcu_read_unlock();
}

static void *read_again_and_again(void *data)
{
	struct thread *thread = data;
	struct ftrace_stackmap_usage usage;

	shim_run_on_cpu(thread->cpu);
	do {
		struct ftrace_stackmap_reader reader = { .root = &ftrace_stackmap_root };

		ftrace_stackmap_hold(&reader);
		reader.started = true;
		if (reader.map)
			read_twice(reader.map);
		/* Perhaps another file has it closed by now */
		keep_copy(thread->round, &reader);
		ftrace_stackmap_get_usage(&ftrace_stackmap_root, &usage);
		if (usage.swapped_out > FTRACE_STACKMAP_MAX_SWAPPED_OUT + 1)
			die("%u swapped-out maps", usage.swapped_out);
		ftrace_stackmap_release(&reader);
		print_one(thread);
	} while (still_recording(thread->round));
	return NULL;
}

static void set_option(bool enabled)
{
	mutex_lock(&trace_types_lock);
	if (ftrace_stackmap_set_option(&top, enabled))
		die("no memory for a map");
	top.has_stackmap = enabled;
	mutex_unlock(&trace_types_lock);
}

static void free_once(struct round *round, bool may_wait)
{
	struct ftrace_stackmap_reader reader = { .root = &ftrace_stackmap_root };
	int ret;

	if (!round->may_miss)
		pthread_rwlock_wrlock(&round->freeing);
	ftrace_stackmap_hold(&reader);
	set_option(false);
	ret = ftrace_stackmap_free(&ftrace_stackmap_root, &reader, may_wait);
	if (ret)
		die("free: %d", ret);
	keep_copy(round, &reader);
	set_option(true);
	if (!round->may_miss)
		pthread_rwlock_unlock(&round->freeing);
	ftrace_stackmap_release(&reader);
}

static void *free_again_and_again(void *data)
{
	struct thread *thread = data;
	u32 i;

	shim_run_on_cpu(thread->cpu);
	do {
		for (i = next_random(thread, 3000); i && still_recording(thread->round); i--)
			sched_yield();
		free_once(thread->round, next_random(thread, 2));
	} while (still_recording(thread->round));
	return NULL;
}

/* After a round: what was recorded against what was kept */

struct totals {
	u64	committed;
	u64	discarded;
	u64	missed;		/* cookies of generations without a copy */
};

static void resolve(struct round *round, const struct ring_buffer_event *event,
		    struct totals *totals)
{
	u32 generation = event->entry.stack_cookie >> 32, slot = (u32)event->entry.stack_cookie;
	struct copy *copy = find_copy(round, generation);

	totals->committed++;
	if (!copy) {
		if (!round->may_miss)
			die("generation %u was lost", generation);
		totals->missed++;
		return;
	}
	if (slot >= copy->nr_slots || copy->stacks[slot] != event->entry.ent.trace_ctx + 1)
		die("generation %u, slot %u: not stack %u", generation, slot,
		    event->entry.ent.trace_ctx);
	copy->seen[slot]++;
}

static void resolve_all(struct round *round, struct totals *totals)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < SHIM_NR_CPUS; cpu++) {
		for (i = 0; i < round->buffer->cpus[cpu].nr; i++) {
			const struct ring_buffer_event *event = &round->buffer->cpus[cpu].events[i];

			if (event->state == SHIM_COMMITTED)
				resolve(round, event, totals);
			else if (event->state == SHIM_DISCARDED)
				totals->discarded++;
			else
				die("an event was left open");
		}
	}
}

static void check_copy(const struct copy *copy)
{
	u64 sum = 0;
	u32 slot;

	for (slot = 0; slot < copy->nr_slots; slot++) {
		if (copy->seen[slot] != copy->refs[slot])
			die("generation %u, slot %u: ref %u, %u cookies", copy->generation, slot,
			    copy->refs[slot], copy->seen[slot]);
		if (copy->stacks[slot] && !copy->refs[slot])
			die("generation %u, slot %u: never recorded", copy->generation, slot);
		sum += copy->refs[slot];
	}
	if (sum != copy->sums[FTRACE_STACKMAP_SUCCESS])
		die("generation %u: %llu uses, %llu successes", copy->generation,
		    (unsigned long long)sum,
		    (unsigned long long)copy->sums[FTRACE_STACKMAP_SUCCESS]);
}

static u64 nr_bypasses(void)
{
	struct ftrace_stackmap_usage usage;

	ftrace_stackmap_get_usage(&ftrace_stackmap_root, &usage);
	if (usage.bypasses[FTRACE_STACKMAP_NOT_WATCHING])
		die("all CPUs are watched");
	return usage.bypasses[FTRACE_STACKMAP_NO_MAP];
}

/* Each record has become a cookie, or was counted by its cause. */
static void check_totals(struct round *round, const struct totals *totals, u64 no_map)
{
	u64 cookies = 0, full = 0, lost = 0, counted = no_map;
	unsigned int i;

	for (i = 0; i < NR_RECORDERS; i++) {
		cookies += round->threads[i].nr_cookies;
		full += round->threads[i].nr_full;
	}
	for (i = 0; i < round->nr_copies; i++) {
		const struct copy *copy = &round->copies[i];

		check_copy(copy);
		lost += copy->sums[FTRACE_STACKMAP_NO_EVENT];
		counted += copy->sums[FTRACE_STACKMAP_NO_CAPACITY] +
			   copy->sums[FTRACE_STACKMAP_NO_SPACE] +
			   copy->sums[FTRACE_STACKMAP_NO_SLOT];
	}
	printf("%s: %u generations, %llu cookies, %llu in full, ",
	       round->may_miss ? "free" : "rotate", round->nr_copies,
	       (unsigned long long)totals->committed, (unsigned long long)full);
	printf("%llu lost, %llu discarded, %llu missed\n", (unsigned long long)lost,
	       (unsigned long long)totals->discarded, (unsigned long long)totals->missed);
	if (round->may_miss ? cookies < totals->committed + lost :
			      cookies != totals->committed + lost)
		die("%llu were recorded", (unsigned long long)cookies);
	/* Whoever printed without a map counted too: no less than those that were recorded */
	if (!round->may_miss && full > counted)
		die("%llu in full, counted %llu", (unsigned long long)full,
		    (unsigned long long)counted);
	if (!totals->committed)
		die("nothing was recorded");
}

/* All of a round */

static void run_threads(struct round *round, unsigned int nr, void *(*const runs[])(void *))
{
	pthread_t threads[NR_THREADS];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], NULL, runs[i], &round->threads[i]))
			die("no thread");
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static struct round *new_round(u64 seed)
{
	struct round *round = allocate(1, sizeof(*round));
	int i;

	round->nr_recording = NR_RECORDERS;
	pthread_rwlock_init(&round->freeing, NULL);
	pthread_mutex_init(&round->lock, NULL);
	for (i = 0; i < NR_THREADS; i++) {
		round->threads[i].cpu = i;
		round->threads[i].round = round;
		round->threads[i].random = (seed + 1) * 0x9e3779b97f4a7c15ULL + (u64)i;
		next_random(&round->threads[i], 2);
	}
	return round;
}

static void end_round(struct round *round)
{
	unsigned int i;

	for (i = 0; i < round->nr_copies; i++)
		drop_copy(&round->copies[i]);
	pthread_rwlock_destroy(&round->freeing);
	pthread_mutex_destroy(&round->lock);
	free(round);
	if (shim_nr_allocated())
		die("%ld allocations were left", shim_nr_allocated());
}

static void insert_round(u64 seed)
{
	void *(*const runs[])(void *) = { insert_all, insert_all, insert_all, insert_all };
	struct round *round = new_round(seed);

	/* With room for all, or for few */
	round->map = ftrace_stackmap_alloc(seed % 2 ? 11 : 7);
	if (!round->map)
		die("no map");
	run_threads(round, NR_RECORDERS, runs);
	check_inserted(round);
	printf("insert: %u stacks\n", stacks_entries(round->map));
	ftrace_stackmap_destroy(round->map);
	end_round(round);
}

static void record_round(u64 seed, bool may_miss)
{
	void *(*const runs[])(void *) = {
		record_all, record_all, record_all, record_all,
		reset_again_and_again, reset_again_and_again,
		read_again_and_again, free_again_and_again,
	};
	struct round *round = new_round(seed);
	struct totals totals = { 0 };
	u64 bypasses = nr_bypasses();

	round->may_miss = may_miss;
	/* Now and then too small for what is recorded */
	round->buffer = shim_buffer_new(seed % 3 == 1 ? RECORDS : 16 * RECORDS);
	ftrace_stackmap_root.bits = seed % 3 ? FTRACE_STACKMAP_BITS_MIN : 5;
	set_option(true);
	run_threads(round, NR_THREADS, runs);
	reset_once(round);
	resolve_all(round, &totals);
	check_totals(round, &totals, nr_bypasses() - bypasses);
	set_option(false);
	if (ftrace_stackmap_free(&ftrace_stackmap_root, NULL, true))
		die("free at the end");
	shim_buffer_free(round->buffer);
	end_round(round);
}

static void one_round(u64 seed)
{
	printf("%llu ", (unsigned long long)seed);
	if (seed % 3 == 0)
		insert_round(seed / 3);
	else
		record_round(seed / 3, seed % 3 == 2);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 0) : 0;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	time_t end = time(NULL) + seconds;
	u64 round;

	shim_run_on_cpu(CPU_MAIN);
	make_stacks();
	ftrace_stackmap_init_tracefs(&top);
	for (round = 0; round < NR_ROUNDS || (seconds && time(NULL) < end); round++)
		one_round(seed + round);
	return 0;
}
