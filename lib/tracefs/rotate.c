// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Save and reset, in the order that loses nothing.
 *
 * Where a reset gives the old map to who asks for it:
 *
 *	lock the store | open stack_map (read-write), stack_map_bin, stack_map_stat
 *	| write "0" | read to the end | append | close
 *
 *	stack_map shows the map that its own "0" swapped out. stack_map_bin shows the one that it
 *	was opened on: where another tool reset the map in between, that is an older one. Then the
 *	text is what is saved, and the other map, which is whole as well, beside it.
 *
 * Where a reset clears the map (series 8):
 *
 *	lock the store | read | append | is it still the same generation, with as many stacks?
 *	| write "0" | is it the next generation now?
 *
 *	Stacks that come between the copy and the reset are lost, and counted as well as the kernel
 *	lets us; with tracing paused there are none.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/export.h"
#include "store/reader.h"
#include "room.h"

/*
 * EBUSY: eight maps are held by readers, who may be done soon; series 7, which has one map, says so
 * while another reset runs.
 */
#define MAX_RESET_TRIES	20
#define RESET_WAIT_MS	50
/* Another tool resets the map between our steps: it cannot do so for ever. */
#define MAX_TRIES	4

static bool has(const struct smap_stat *stat, enum smap_stat_field field)
{
	return stat->has & 1U << field;
}

/* ---- the reset ---- */

static int reset_words(struct stackmap_live *live, int ret)
{
	if (ret == -EBUSY)
		return smap_error_set(&live->err, ret, "%s/stack_map: not reset: %s", live->dir,
				      live->abilities & STACKMAP_CAN_ROTATE ?
				      "other programs hold too many maps" :
				      "another program is just resetting it");
	if (ret == -ENOMEM)
		return smap_error_set(&live->err, ret,
				      "%s/stack_map: not reset: no memory for another map",
				      live->dir);
	if (ret)
		smap_error_prefix(&live->err, ret, "not reset");
	return ret;
}

int smap_reset_fd(struct stackmap_live *live, int fd)
{
	unsigned int tries = MAX_RESET_TRIES;
	int ret;

	for (;;) {
		ret = smap_tracefs_write_fd(fd, live->dir, "stack_map", "0", &live->err);
		if ((ret != -EBUSY && ret != -ENOMEM && ret != -EINTR && ret != -EAGAIN) ||
		    !--tries)
			return reset_words(live, ret);
		poll(NULL, 0, RESET_WAIT_MS);
	}
}

/* ---- where it loses nothing ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void smap_held_close(struct smap_held *held)
{
	close_fd(&held->map);
	close_fd(&held->bin);
	close_fd(&held->stat);
}

/* Where it may come right in a moment there is time: nothing is reset yet. */
static bool is_short_of(int ret)
{
	return ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE || ret == -EAGAIN;
}

static int hold(struct stackmap_live *live, struct smap_held *held)
{
	*held = (struct smap_held)SMAP_HELD_NONE;
	held->map = smap_tracefs_open(live->dir, "stack_map", O_RDWR, &live->err);
	if (held->map < 0)
		return held->map;
	held->bin = smap_tracefs_open(live->dir, "stack_map_bin", O_RDONLY, &live->err);
	if (is_short_of(held->bin)) {
		close(held->map);
		return held->bin;
	}
	if (held->bin < 0)
		smap_live_log(live, "%s: the text alone is read", live->err.text);
	held->stat = smap_tracefs_open(live->dir, "stack_map_stat", O_RDONLY, NULL);
	return 0;
}

/* What its text told of the map that our reset took out of use. */
enum swapped {
	SWAPPED_READ,
	SWAPPED_EMPTY,
	SWAPPED_UNREAD,
};

/*
 * The first line of the text; what follows stays in the file. *ret_len 0: no stack in it. It alone
 * tells which map it is that was reset, and nobody else has that any more: what goes wrong for a
 * moment must not cost it.
 */
static int read_head(struct stackmap_live *live, int fd, char *head, size_t size, size_t *ret_len)
{
	unsigned int tries = MAX_TRIES;
	ssize_t got;

	while ((got = smap_read_some(fd, head, size)) < 0 && --tries)
		poll(NULL, 0, RESET_WAIT_MS);
	if (got < 0)
		return smap_error_set(&live->err, -errno, "%s/stack_map: read: %m", live->dir);
	*ret_len = (size_t)got;
	return 0;
}

/* From its begin, by whatever was read of it. */
static int read_held_text(struct stackmap_live *live, struct smap_copy *copy, int fd)
{
	if (lseek(fd, 0, SEEK_SET))
		return smap_error_set(&live->err, -errno, "%s/stack_map: %m", live->dir);
	return smap_shot_read_fd(live, &copy->text, fd, "stack_map");
}

/* The text through the file that was written to: from its begin, of which @head was read. */
static int read_text(struct stackmap_live *live, struct smap_copy *copy, int fd, const char *head,
		     size_t head_len)
{
	unsigned int tries = MAX_TRIES;
	int ret;

	smap_buf_add(&copy->text.bytes, head, head_len);
	ret = smap_shot_read_fd(live, &copy->text, fd, "stack_map");
	while (ret && ret != -ENODATA && --tries) {
		poll(NULL, 0, RESET_WAIT_MS);
		ret = read_held_text(live, copy, fd);
	}
	return ret;
}

static bool is_of(const char *head, size_t len, const struct smap_export *bin)
{
	struct smap_export *export;
	bool same;

	/* Whole lines or a cut one: the first record is enough. */
	if (!len || smap_parse(head, len, &export, NULL, NULL, NULL))
		return false;
	same = export->nr_maps && export->maps[0].generation == bin->maps[0].generation;
	smap_export_free(export);
	return same;
}

static void read_stat(struct smap_copy *copy, int fd, uint32_t generation)
{
	struct smap_stat stat;

	if (fd < 0)
		return;
	if (smap_tracefs_read_fd(fd, "", "stack_map_stat", &copy->stat, NULL) ||
	    smap_stat_parse(copy->stat.data, copy->stat.len, &stat, NULL) ||
	    !has(&stat, SMAP_STAT_GENERATION) || stat.value[SMAP_STAT_GENERATION] != generation)
		smap_buf_reset(&copy->stat);
}

/*
 * The binary export, with names; 1: that is all; 0: the text is needed, too or alone. What goes
 * wrong here is no reason to give up: the map was reset.
 */
static int read_held_bin(struct stackmap_live *live, struct smap_copy *copy, int fd)
{
	bool named = false;
	int ret;

	if (fd < 0)
		return 0;
	ret = smap_shot_read_fd(live, &copy->bin, fd, "stack_map_bin");
	if (ret) {
		if (ret != -ENODATA)
			smap_live_log(live, "%s: the text is saved in its place",
				      live->err.text);
		return 0;
	}
	if (smap_copy_name(live, copy, &named))
		smap_live_log(live, "%s: the text is saved too", live->err.text);
	return named;
}

/* What stack_map_bin shows is of another tool's reset: it saves that, or has thrown it away. */
static void tell_other(struct stackmap_live *live, const struct smap_export *bin)
{
	smap_live_log(live, "another tool reset the map a moment before: generation "
		      "%" PRIu32 " is saved too", bin->maps[0].generation);
}

static int go_without_text(struct stackmap_live *live, bool has_names)
{
	if (has_names)
		smap_live_log(live, "%s: saved without it", live->err.text);
	else
		smap_log_no_names(live);
	return 0;
}

/* The text is empty: it is not of the map that stack_map_bin showed, if that had one at all. */
static int go_without_names(struct stackmap_live *live, const struct smap_copy *copy,
			    bool has_names)
{
	const struct smap_export *bin = copy->bin.parsed;

	if (bin && bin->nr_stacks && !has_names)
		smap_live_log_loss(live, "%s/stack_map: no stack in it: generation %" PRIu32 " is "
				   "saved without names for some frames", live->dir,
				   bin->maps[0].generation);
	return bin ? 0 : -ENODATA;
}

/* All that the swapped-out map has, and nothing of another one in its name. */
static int read_held(struct stackmap_live *live, struct smap_copy *copy,
		     const struct smap_held *held, enum swapped *ret_swapped)
{
	int ret, has_names = read_held_bin(live, copy, held->bin);
	char head[4096];
	size_t len = 0;
	bool same;

	*ret_swapped = SWAPPED_UNREAD;
	ret = read_head(live, held->map, head, sizeof(head), &len);
	if (ret)
		return copy->bin.parsed ? go_without_text(live, has_names) : ret;
	*ret_swapped = len ? SWAPPED_READ : SWAPPED_EMPTY;
	same = copy->bin.parsed && (!len || is_of(head, len, copy->bin.parsed));
	if (!len)
		return go_without_names(live, copy, has_names);
	if (same && has_names)
		return 0;
	ret = read_text(live, copy, held->map, head, len);
	if (same)
		return ret ? go_without_text(live, has_names) : 0;
	if (copy->bin.parsed && copy->bin.parsed->nr_stacks) {
		if (!ret)
			tell_other(live, copy->bin.parsed);
		/* It is not lost as well. */
		*ret_swapped = ret ? SWAPPED_UNREAD : SWAPPED_READ;
		ret = ret ? go_without_text(live, has_names) : 0;
	}
	copy->text_is_main = copy->text.parsed != NULL;
	return ret;
}

/* The kernel keeps what we have no memory for, or what it would not give. */
static int keep_held(struct stackmap_live *live, struct smap_copy **copy, struct smap_held *held,
		     int ret)
{
	smap_shot_release(&(*copy)->bin);
	smap_shot_release(&(*copy)->text);
	smap_buf_free(&(*copy)->symbols);
	(*copy)->has_losses = live->has_losses;
	live->pending = *copy;
	*copy = NULL;
	close_fd(&held->bin);
	live->held = *held;
	*held = (struct smap_held)SMAP_HELD_NONE;
	return smap_error_prefix(&live->err, ret, "the map was reset and could not be read yet");
}

int smap_held_read_again(struct stackmap_live *live)
{
	struct smap_copy *copy = live->pending;
	int ret;

	if (live->held.map < 0)
		return 0;
	ret = read_held_text(live, copy, live->held.map);
	if (ret)
		return ret;
	if (copy->text.parsed->nr_maps)
		read_stat(copy, live->held.stat, copy->text.parsed->maps[0].generation);
	smap_held_close(&live->held);
	return 0;
}

/* Written where it should be, elsewhere, or kept for the next time. */
static int secure(struct stackmap_live *live, struct smap_copy **copy, const char *path,
		  struct smap_writer *writer, struct stackmap_saved *saved)
{
	int ret;

	ret = smap_copy_append(live, *copy, writer, saved);
	if (!ret)
		return 0;
	if (!smap_copy_append_elsewhere(live, *copy, path, saved))
		return 0;
	smap_error_prefix(&live->err, ret,
			  "the map was reset and %zu stacks of it are not written",
			  smap_copy_export(*copy)->nr_stacks);
	(*copy)->has_losses = live->has_losses;
	live->pending = *copy;
	*copy = NULL;
	return ret;
}

/*
 * The export shows a map that was in use before our reset; another tool may have come between. The
 * map of now tells which one it was that we took out of use, where its text did not.
 */
static void tell_others(struct stackmap_live *live, enum swapped swapped, uint32_t saved)
{
	struct smap_stat now;

	if (swapped == SWAPPED_READ || smap_live_stat(live, &now) ||
	    !has(&now, SMAP_STAT_GENERATION))
		return;
	/* An empty one holds nothing that could be missing. */
	smap_tell_between(live, saved, (uint32_t)now.value[SMAP_STAT_GENERATION] -
				       (swapped == SWAPPED_EMPTY));
}

static int rotate_held(struct stackmap_live *live, struct smap_copy **copy, const char *path,
		       struct smap_held *held, struct smap_writer *writer,
		       struct stackmap_saved *saved)
{
	const struct smap_export *export;
	enum swapped swapped;
	int ret;

	ret = smap_reset_fd(live, held->map);
	if (ret)
		return ret;
	saved->is_reset = true;
	ret = read_held(live, *copy, held, &swapped);
	if (ret == -ENODATA || (!ret && !smap_copy_export(*copy)->nr_stacks))
		return smap_error_set(&live->err, -ENODATA, "%s/stack_map: no stack in it",
				      live->dir);
	if (ret)
		return keep_held(live, copy, held, ret);
	export = smap_copy_export(*copy);
	read_stat(*copy, held->stat, export->maps[0].generation);
	ret = secure(live, copy, path, writer, saved);
	saved->is_complete = true;
	if (!ret)
		tell_others(live, swapped, saved->generation);
	return ret;
}

/* A map that nobody can read stays where it is. */
static int check_readable(struct stackmap_live *live)
{
	char head[256];
	size_t len;

	if (!smap_tracefs_read_head(live->dir, "stack_map_bin", head, sizeof(head), &len, NULL))
		return 0;
	return smap_tracefs_read_head(live->dir, "stack_map", head, sizeof(head), &len, &live->err);
}

static int rotate_lossless(struct stackmap_live *live, const char *path, struct smap_writer *writer,
			   struct stackmap_saved *saved)
{
	struct smap_copy *copy = smap_copy_new(live);
	struct smap_held held;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = check_readable(live);
	if (!ret)
		ret = hold(live, &held);
	if (!ret) {
		ret = rotate_held(live, &copy, path, &held, writer, saved);
		smap_held_close(&held);
	}
	smap_copy_free(copy);
	return ret;
}

/* ---- where it clears the map ---- */

static int stat_generation(struct stackmap_live *live, struct smap_stat *stat)
{
	int ret = smap_live_stat(live, stat);

	if (!ret && (!has(stat, SMAP_STAT_GENERATION) || !has(stat, SMAP_STAT_ENTRIES)))
		ret = smap_error_set(&live->err, -ENODATA,
				     "%s/stack_map_stat: no map is allocated", live->dir);
	return ret;
}

static uint64_t more_than(uint64_t entries, uint64_t saved)
{
	return entries > saved ? entries - saved : 0;
}

/* After the copy of @saved is durable. -EAGAIN: it is not the map of now any more. */
static int reset_cleared(struct stackmap_live *live, int fd, struct stackmap_saved *saved)
{
	struct smap_stat before, after;
	int ret;

	ret = stat_generation(live, &before);
	if (ret)
		return ret;
	if (before.value[SMAP_STAT_GENERATION] != saved->generation) {
		smap_live_log_loss(live, "another tool reset generation %" PRIu32 " after it was "
				   "copied: what came in between is lost", saved->generation);
		return -EAGAIN;
	}
	ret = smap_reset_fd(live, fd);
	if (ret)
		return ret;
	saved->is_reset = true;
	saved->nr_missing = more_than(before.value[SMAP_STAT_ENTRIES], saved->nr_stacks);
	ret = stat_generation(live, &after);
	if (!ret && (uint32_t)after.value[SMAP_STAT_GENERATION] == saved->generation + 1)
		return 0;
	saved->nr_missing = STACKMAP_MISSING_UNKNOWN;
	smap_live_log_loss(live, "another tool reset the map at the same time: generation %" PRIu32
			   " may lack stacks, and what came behind it is lost", saved->generation);
	return 0;
}

static int copy_and_clear(struct stackmap_live *live, int fd, struct smap_writer *writer,
			  struct stackmap_saved *saved)
{
	struct smap_copy *copy = smap_copy_new(live);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = smap_copy_read(live, copy);
	if (!ret)
		ret = smap_copy_append(live, copy, writer, saved);
	smap_copy_free(copy);
	if (ret)
		return ret;
	ret = reset_cleared(live, fd, saved);
	if (ret && ret != -EAGAIN)
		smap_error_prefix(&live->err, ret, "generation %" PRIu32 " is saved",
				  saved->generation);
	return ret;
}

static int rotate_clearing(struct stackmap_live *live, struct smap_writer *writer,
			   struct stackmap_saved *saved)
{
	unsigned int tries = MAX_TRIES;
	bool others = false;
	int fd, ret;

	/* Who may not reset is told before anything is done. */
	fd = smap_tracefs_open(live->dir, "stack_map", O_WRONLY, &live->err);
	if (fd < 0)
		return fd;
	do {
		ret = copy_and_clear(live, fd, writer, saved);
		others |= ret == -EAGAIN;
	} while (ret == -EAGAIN && --tries);
	close(fd);
	/* What was copied is saved; another tool reset it, and nothing was recorded since. */
	if (ret == -ENODATA && others) {
		saved->is_reset = true;
		ret = 0;
	}
	if (!ret && others)
		saved->nr_missing = STACKMAP_MISSING_UNKNOWN;
	if (ret == -EAGAIN)
		return smap_error_set(&live->err, ret,
				      "%s/stack_map: not reset: other tools do so all the time",
				      live->dir);
	return ret;
}

/* Tracing is on again afterwards, whatever happens. */
static int rotate_paused(struct stackmap_live *live, struct smap_writer *writer,
			 struct stackmap_saved *saved)
{
	struct smap_pause pause;
	struct smap_error words;
	char state[8] = "";
	size_t len;
	int ret, resumed;

	ret = smap_tracefs_read_head(live->dir, "tracing_on", state, sizeof(state) - 1, &len,
				     &live->err);
	if (ret)
		return ret;
	if (state[0] != '1')
		return rotate_clearing(live, writer, saved);
	ret = smap_pause_begin(live, &pause);
	if (ret)
		return ret;
	ret = rotate_clearing(live, writer, saved);
	words = live->err;
	resumed = smap_pause_end(live, &pause);
	if (resumed)
		return smap_error_prefix(&live->err, resumed, "tracing stays switched off");
	live->err = words;
	return ret;
}

/* ---- both ---- */

/* An empty map is left as it is: its generation would be saved for nothing. */
static int check_entries(struct stackmap_live *live)
{
	struct smap_stat stat;
	int ret = smap_live_stat(live, &stat);

	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	if (!has(&stat, SMAP_STAT_ENTRIES) || !stat.value[SMAP_STAT_ENTRIES])
		return smap_error_set(&live->err, -ENODATA,
				      "%s/stack_map: no stack in it: nothing to save, not reset",
				      live->dir);
	live->has_seen = has(&stat, SMAP_STAT_GENERATION);
	live->seen = (uint32_t)stat.value[SMAP_STAT_GENERATION];
	return 0;
}

static int check_rotate(struct stackmap_live *live, unsigned int flags)
{
	int ret;

	if (flags & ~STACKMAP_ROTATE_PAUSE)
		return smap_error_set(&live->err, -EINVAL, "a flag of a newer version");
	ret = smap_live_look(live);
	if (ret)
		return ret;
	if (!(live->abilities & STACKMAP_CAN_GENERATIONS))
		return smap_error_set(&live->err, -EOPNOTSUPP,
				      "%s/stack_map: not reset: this kernel (series 4 to 7) has no "
				      "generations, its trace could not be resolved any more",
				      live->dir);
	return check_entries(live);
}

static int rotate(struct stackmap_live *live, const char *path, unsigned int flags,
		  struct stackmap_saved *saved)
{
	struct smap_writer *writer;
	int ret;

	ret = smap_save_begin(live, path, &writer);
	if (ret)
		return ret;
	if (live->abilities & STACKMAP_CAN_ROTATE)
		ret = rotate_lossless(live, path, writer, saved);
	else if (flags & STACKMAP_ROTATE_PAUSE)
		ret = rotate_paused(live, writer, saved);
	else
		ret = rotate_clearing(live, writer, saved);
	smap_save_end(live, writer);
	return ret;
}

/* What there is to tell comes when all is done. */
static int rotate_silently(struct stackmap_live *live, const char *path, unsigned int flags,
			   struct stackmap_saved *saved)
{
	struct smap_buf queue;
	int ret;

	smap_live_queue_log(live, &queue);
	ret = rotate(live, path, flags, saved);
	smap_live_give_log(live);
	return ret;
}

SMAP_PUBLIC int stackmap_live_rotate(struct stackmap_live *live, const char *path,
				     unsigned int flags, struct stackmap_saved *ret_saved)
{
	struct stackmap_saved saved;
	int ret;

	smap_saved_init(&saved);
	ret = smap_check_saved(live, path, ret_saved);
	if (!ret)
		ret = check_rotate(live, flags);
	if (!ret)
		ret = rotate_silently(live, path, flags, &saved);
	live->has_seen = false;
	if (ret)
		return smap_errno(ret);
	smap_keep_path(live);
	smap_saved_give(live, &saved, ret_saved);
	return 0;
}
