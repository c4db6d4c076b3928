// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "said.h"
#include "in-range.h"

#include "watch.h"

#define MS	ROTATION_NS_PER_MS
#define S	ROTATION_NS_PER_S

/*
 * The kernel, the disk and the clock. What is done is written down: "rotate ", "save ", "trim ",
 * "complain:CODE ", and the first word of what is told.
 */
static struct {
	uint64_t		now;
	struct watch_look	look;
	int			look_code;	/* that they return, instead of doing it */
	int			save_code;
	int			rotate_code;
	bool			is_kept_back;	/* reset, and then not written: it is in memory */
	uint64_t		took;		/* by a save or rotation */
	char			done[512];
} world;

static struct watch watch;
static uint64_t sleep_ns;

static void note(const char *fmt, int code)
{
	size_t used = strlen(world.done);

	snprintf(world.done + used, sizeof(world.done) - used, fmt, code);
}

static uint64_t world_now(void *data)
{
	return world.now;
}

static int world_look(void *data, struct watch_look *ret_look)
{
	if (!world.look_code)
		*ret_look = world.look;
	return world.look_code;
}

static int world_save(void *data)
{
	note("save ", 0);
	world.now += world.took;
	return world.save_code;
}

static int world_rotate(void *data)
{
	note("rotate ", 0);
	world.now += world.took;
	if (!world.rotate_code || world.rotate_code == -EXDEV || world.is_kept_back) {
		world.look.map.generation++;
		world.look.map.entries = 0;
		world.look.successes = 0;
	}
	return world.rotate_code;
}

static void world_trim(void *data)
{
	note("trim ", 0);
}

static void world_complain(void *data, int code)
{
	note("complain:%d ", -code);
}

static void world_tell(void *data, const char *line)
{
	note(strstr(line, "waiting") ? "waits " : strstr(line, "again") ? "again " :
	     strstr(line, "empty") ? "empty " : "there ", 0);
}

static void world_missed(void *data, uint32_t first, uint32_t behind)
{
	note("missed:%d", (int)first);
	note("-%d ", (int)behind);
}

static const struct watch_ops ops = {
	world_now, world_look, world_save, world_rotate, world_trim, world_complain, world_missed,
	world_tell
};

static void begin(unsigned int percent, uint64_t every_ns, bool is_kept)
{
	struct rotation_policy policy = { percent, every_ns, is_kept };

	memset(&world, 0, sizeof(world));
	world.now = 1000 * S;
	world.look = (struct watch_look){ { true, 1, 0, 1000, 0, 0 }, 0 };
	watch_init(&watch, &ops, NULL, &policy);
	/* As an earlier one has left it; without that: begin_anew(). */
	watch_expect(&watch, 1);
}

static void begin_anew(bool is_kept)
{
	begin(75, 0, is_kept);
	watch.is_begun = false;
	watch.has_next = false;
}

/* After @ns, with so many stacks in the map. */
static void step(uint64_t ns, uint64_t entries, unsigned int events)
{
	world.now += ns;
	world.look.map.entries = entries;
	world.look.successes = entries;
	assert_int_equal(watch_step(&watch, events, &sleep_ns), 0);
}

static void did(const char *what)
{
	assert_string_equal(world.done, what);
	*world.done = '\0';
}

static void a_map_is_rotated_at_the_mark(void **state)
{
	begin(75, 0, false);
	step(S, 749, 0);
	did("");
	step(S, 750, 0);
	did("rotate trim ");
	step(S, 10, 0);
	did("");
}

static void a_map_is_rotated_when_its_time_has_come(void **state)
{
	begin(75, 10 * S, false);
	step(S, 1, 0);
	step(8 * S, 2, 0);
	did("");
	step(S, 2, 0);
	did("rotate trim ");
}

static void a_map_is_rotated_when_asked(void **state)
{
	begin(75, 0, false);
	step(S, 1, WATCH_ASKED);
	did("rotate trim ");
	step(S, 0, WATCH_ASKED);
	did("empty ");
}

static void one_waits_for_a_map_and_says_so_once(void **state)
{
	begin(75, 0, false);
	world.look.map.capacity = 0;
	step(S, 0, 0);
	step(S, 0, 0);
	did("waits ");
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MAX);
	world.look.map.capacity = 1000;
	step(S, 0, 0);
	step(S, 1, 0);
	did("there ");
	/* Freed. */
	world.look.map.capacity = 0;
	step(S, 0, 0);
	did("waits ");
	step(S, 0, WATCH_END);
	did("");
}

static void a_map_that_others_reset_is_told_of(void **state)
{
	begin(75, 0, false);
	step(S, 10, 0);
	world.look.map.generation = 4;
	step(S, 10, 0);
	step(S, 20, 0);
	did("missed:1-4 ");
	step(S, 800, 0);
	step(S, 10, 0);
	did("rotate trim ");
	/* Around. */
	world.look.map.generation = UINT32_MAX;
	watch_expect(&watch, UINT32_MAX - 2);
	step(S, 10, 0);
	world.look.map.generation = 1;
	step(S, 10, 0);
	did("missed:-3--1 missed:-1-1 ");
}

static void what_was_lost_in_an_earlier_life_is_told(void **state)
{
	begin(75, 0, false);
	step(S, 10, 0);
	did("");
	begin(75, 0, false);
	world.look.map.generation = 5;
	watch_expect(&watch, 5);
	step(S, 10, 0);
	did("");
	begin(75, 0, false);
	world.look.map.generation = 5;
	watch_expect(&watch, 4);
	step(S, 10, 0);
	did("missed:4-5 ");
}

static void the_first_stacks_are_saved_before_anything_is_reset(void **state)
{
	begin_anew(false);
	step(S, 0, 0);
	did("");
	step(S, 900, 0);
	did("save trim ");
	step(S, 900, 0);
	did("rotate trim ");

	begin_anew(false);
	world.save_code = -ENOSPC;
	step(S, 10, 0);
	did("save complain:28 ");
	step(1, 10, 0);
	did("");
	world.save_code = 0;
	step(S, 10, WATCH_ASKED);
	did("save again trim rotate trim ");
	step(S, 11, WATCH_ASKED);
	did("rotate trim ");

	begin_anew(false);
	step(S, 10, WATCH_ASKED);
	did("save trim rotate trim ");

	begin_anew(true);
	step(S, 10, 0);
	did("");
}

static void a_map_that_cannot_be_read_is_told_of_once(void **state)
{
	begin(75, 0, false);
	world.look_code = -ENOENT;
	step(S, 800, 0);
	step(S, 800, 0);
	did("complain:2 ");
	assert_int_equal(sleep_ns, ROTATION_SLEEP_MAX);
	world.look_code = -EACCES;
	step(S, 800, 0);
	did("complain:13 ");
	world.look_code = 0;
	step(S, 800, 0);
	did("again rotate trim ");
}

static void nothing_is_reset_while_the_disk_is_full(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	world.save_code = -ENOSPC;
	step(S, 800, 0);
	did("rotate complain:28 ");
	step(S - 1, 800, 0);
	did("");
	step(1, 800, 0);
	step(2 * S, 900, 0);
	step(4 * S, 1000, 0);
	did("save save save ");
	world.rotate_code = 0;
	world.save_code = 0;
	step(8 * S, 1000, 0);
	did("save again trim ");
	step(S, 1000, 0);
	did("rotate trim ");
}

/* The map is empty meanwhile, or has little: what was taken out of it does not wait for more. */
static void what_is_kept_in_memory_is_tried_again_until_it_is_written(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	world.save_code = -ENOSPC;
	world.is_kept_back = true;
	step(S, 800, 0);
	did("rotate complain:28 ");
	step(S - 1, 0, 0);
	did("");
	step(1, 0, 0);
	did("save ");
	assert_true(sleep_ns <= ROTATION_SLEEP_MAX);
	step(2 * S, 3, 0);
	did("save ");
	step(1, 0, WATCH_ASKED);
	did("save ");
	/* That there was nothing more than that is what the save says. */
	world.save_code = -ENODATA;
	step(8 * S, 0, 0);
	did("save again trim ");
	step(60 * S, 0, 0);
	did("");
	world.rotate_code = 0;
	step(S, 750, 0);
	did("rotate trim ");
}

static void what_is_kept_in_memory_is_written_when_asked(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	world.is_kept_back = true;
	step(S, 800, 0);
	did("rotate complain:28 ");
	world.save_code = -ENODATA;
	step(1, 0, WATCH_ASKED);
	did("save again trim ");
	step(1, 0, WATCH_ASKED);
	did("empty ");
}

/* It is in no file yet, and nobody else has reset it. */
static void what_is_kept_in_memory_is_not_missed(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	world.save_code = -ENOSPC;
	world.is_kept_back = true;
	step(S, 800, 0);
	step(S, 5, 0);
	did("rotate complain:28 save ");
	/* But this is. */
	world.look.map.generation++;
	step(1, 5, 0);
	did("missed:2-3 ");

	/* A reset in the same moment, too. */
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	world.save_code = -ENOSPC;
	world.is_kept_back = true;
	step(S, 800, 0);
	world.look.map.generation++;
	step(1, 5, 0);
	did("rotate complain:28 missed:2-3 ");

	/* And where ours was none. */
	begin(75, 0, false);
	world.rotate_code = -EBUSY;
	step(S, 800, 0);
	world.look.map.generation++;
	step(1, 5, 0);
	did("rotate complain:16 missed:1-2 ");
}

/* Where it went elsewhere it is not lost, but no more is to go there. */
static void a_copy_elsewhere_is_a_failure_of_the_file(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -EXDEV;
	world.save_code = -ENOSPC;
	step(S, 800, 0);
	did("rotate complain:18 ");
	/* An empty map shows nothing of the disk. */
	step(S, 0, 0);
	step(1, 0, WATCH_ASKED);
	did("empty ");
	step(S, 800, 0);
	did("save complain:28 ");
	world.rotate_code = 0;
	world.save_code = 0;
	step(2 * S, 800, 0);
	did("save again trim ");
	step(S, 800, 0);
	did("rotate trim ");
}

static void a_reset_that_is_refused_is_asked_for_again(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -EBUSY;
	step(S, 800, 0);
	step(S, 800, 0);
	step(2 * S, 800, 0);
	did("rotate complain:16 rotate rotate ");
	world.rotate_code = 0;
	step(4 * S, 800, 0);
	did("rotate again trim ");
}

static void to_be_asked_does_not_wait_for_the_next_try(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	step(S, 800, 0);
	step(1, 800, WATCH_ASKED);
	did("rotate complain:28 save again trim rotate complain:28 ");
}

static void who_may_not_reset_the_map_is_told_so_once(void **state)
{
	int i;

	begin(75, 0, false);
	world.rotate_code = -EACCES;
	step(S, 800, 0);
	did("rotate complain:13 ");
	step(S, 801, 0);
	did("save again trim ");
	step(2 * S, 802, 0);
	did("rotate ");
	step(4 * S, 802, 0);
	did("save trim ");
	/* Less and less often, and without a word. */
	for (i = 0; i < 10; i++)
		step(6 * S, 802 + i, 0);
	did("rotate save trim ");
	step(1, 812, WATCH_ASKED);
	did("rotate complain:13 ");
	world.rotate_code = 0;
	step(1, 812, WATCH_ASKED);
	did("save again trim rotate trim ");
}

static void a_map_that_is_kept_is_saved_and_only_where_there_is_news(void **state)
{
	begin(75, 10 * S, true);
	step(S, 10, 0);
	step(10 * S, 10, 0);
	did("save trim ");
	step(10 * S, 10, 0);
	step(10 * S, 10, 0);
	did("");
	step(10 * S, 11, 0);
	did("save trim ");
	step(S, 11, WATCH_ASKED);
	did("");
	step(S, 750, 0);
	did("save trim ");
	step(S, 760, 0);
	did("");
}

static void the_end_saves_what_is_not_saved_yet(void **state)
{
	begin(75, 0, false);
	step(S, 10, 0);
	step(S, 10, WATCH_END);
	did("save ");

	begin(75, 0, true);
	step(S, 10, WATCH_ASKED);
	step(S, 10, WATCH_END);
	did("save trim ");

	begin(75, 0, false);
	step(S, 10, WATCH_ASKED);
	did("rotate trim ");
	step(0, 1, WATCH_END);
	did("save ");
}

static void the_end_writes_what_could_not_be_written(void **state)
{
	begin(75, 0, false);
	world.rotate_code = -ENOSPC;
	step(S, 800, 0);
	did("rotate complain:28 ");
	world.look.map.capacity = 0;
	step(1, 0, WATCH_END);
	did("waits save ");
}

static void an_end_that_fails_is_an_error(void **state)
{
	begin(75, 0, false);
	step(S, 10, 0);
	world.save_code = -ENOSPC;
	assert_int_equal(watch_step(&watch, WATCH_END, &sleep_ns), -ENOSPC);
	did("save complain:28 ");
	world.save_code = -ENODATA;
	assert_int_equal(watch_step(&watch, WATCH_END, &sleep_ns), 0);
	did("save ");
	world.look_code = -ENOENT;
	world.save_code = -ENOENT;
	assert_int_equal(watch_step(&watch, WATCH_END, &sleep_ns), -ENOENT);
	did("complain:2 save ");
}

static void the_end_comes_before_all_else(void **state)
{
	begin(75, 5 * S, false);
	step(S, 10, 0);
	step(10 * S, 900, WATCH_END | WATCH_ASKED);
	did("save ");
}

/* A day, looked at whenever it asks for it: the looks are few, and every minute is rotated. */
static void a_day_of_rotations_every_minute_needs_few_looks(void **state)
{
	unsigned int nr_looks = 0, nr_rotations = 0;
	uint64_t end;

	begin(75, 60 * S, false);
	world.look.map.capacity = 16384;
	world.took = 100 * MS;
	sleep_ns = 0;
	for (end = world.now + 86400 * S; world.now < end; nr_looks++) {
		step(sleep_ns, world.look.map.entries < 2000 ? 2000 : 2001, 0);
		nr_rotations += strstr(world.done, "rotate") != NULL;
		*world.done = '\0';
	}
	assert_uint_in_range(nr_rotations, 1430, 1440);
	assert_true(nr_looks < 86400 + 20 * 1440);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_is_rotated_at_the_mark),
		cmocka_unit_test(a_map_is_rotated_when_its_time_has_come),
		cmocka_unit_test(a_map_is_rotated_when_asked),
		cmocka_unit_test(one_waits_for_a_map_and_says_so_once),
		cmocka_unit_test(a_map_that_others_reset_is_told_of),
		cmocka_unit_test(what_was_lost_in_an_earlier_life_is_told),
		cmocka_unit_test(the_first_stacks_are_saved_before_anything_is_reset),
		cmocka_unit_test(a_map_that_cannot_be_read_is_told_of_once),
		cmocka_unit_test(nothing_is_reset_while_the_disk_is_full),
		cmocka_unit_test(what_is_kept_in_memory_is_tried_again_until_it_is_written),
		cmocka_unit_test(what_is_kept_in_memory_is_written_when_asked),
		cmocka_unit_test(what_is_kept_in_memory_is_not_missed),
		cmocka_unit_test(a_copy_elsewhere_is_a_failure_of_the_file),
		cmocka_unit_test(a_reset_that_is_refused_is_asked_for_again),
		cmocka_unit_test(to_be_asked_does_not_wait_for_the_next_try),
		cmocka_unit_test(who_may_not_reset_the_map_is_told_so_once),
		cmocka_unit_test(a_map_that_is_kept_is_saved_and_only_where_there_is_news),
		cmocka_unit_test(the_end_saves_what_is_not_saved_yet),
		cmocka_unit_test(the_end_writes_what_could_not_be_written),
		cmocka_unit_test(an_end_that_fails_is_an_error),
		cmocka_unit_test(the_end_comes_before_all_else),
		cmocka_unit_test(a_day_of_rotations_every_minute_needs_few_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
