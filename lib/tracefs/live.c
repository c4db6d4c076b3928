// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The object, and what does not read the map.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/export.h"
#include "live.h"
#include "room.h"
#include "store/durable.h"

/* Series 8 waits in a write of "free" for as long as anybody reads: so long at most. */
#define FREE_WAIT_MS	200
/* So often where the map is still in use, on a machine that is busy. */
#define FREE_TRIES	10

static void log_words(const struct stackmap_live *live, const char *fmt, va_list ap)
{
	char words[SMAP_ERROR_SIZE];
	struct smap_error line;

	if (!live->log)
		return;
	vsnprintf(words, sizeof(words), fmt, ap);
	smap_error_set(&line, 0, "%s", words);
	if (live->queue)
		smap_buf_add(live->queue, line.text, strlen(line.text) + 1);
	else
		live->log(line.text, live->log_data);
}

void smap_live_log(const struct stackmap_live *live, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_words(live, fmt, ap);
	va_end(ap);
}

void smap_live_log_loss(struct stackmap_live *live, const char *fmt, ...)
{
	va_list ap;

	live->has_losses = true;
	va_start(ap, fmt);
	log_words(live, fmt, ap);
	va_end(ap);
}

void smap_live_queue_log(struct stackmap_live *live, struct smap_buf *queue)
{
	*queue = (struct smap_buf)SMAP_BUF_INIT;
	live->queue = queue;
}

void smap_live_give_log(struct stackmap_live *live)
{
	struct smap_buf *queue = live->queue;
	size_t at = 0;

	live->queue = NULL;
	while (at < queue->len) {
		live->log(queue->data + at, live->log_data);
		at += strlen(queue->data + at) + 1;
	}
	if (smap_buf_failed(queue))
		smap_live_log(live, "out of memory: some of what was to be told is lost");
	smap_buf_free(queue);
}

SMAP_PUBLIC struct stackmap_live *stackmap_live_new(struct tracefs_instance *instance)
{
	struct stackmap_live *live = calloc(1, sizeof(*live));

	if (!live)
		return NULL;
	live->instance = instance;
	live->held = (struct smap_held)SMAP_HELD_NONE;
	live->lock_ms = SMAP_LOCK_MS;
	return live;
}

SMAP_PUBLIC void stackmap_live_free(struct stackmap_live *live)
{
	int saved_errno = errno;

	if (!live)
		return;
	smap_copy_free(live->pending);
	smap_held_close(&live->held);
	smap_names_release(&live->names);
	smap_origin_release(&live->origin);
	free(live->path);
	free(live->wanted_path);
	free(live->dir);
	free(live);
	errno = saved_errno;
}

SMAP_PUBLIC const char *stackmap_live_get_error(const struct stackmap_live *live)
{
	return live->err.text;
}

SMAP_PUBLIC void stackmap_live_set_log(struct stackmap_live *live, stackmap_log_fn fn, void *data)
{
	live->log = fn;
	live->log_data = data;
}

SMAP_PUBLIC void stackmap_live_set_lock_wait(struct stackmap_live *live, unsigned int ms)
{
	live->lock_ms = ms;
}

SMAP_PUBLIC void stackmap_live_set_keep_names(struct stackmap_live *live, bool keep)
{
	live->keeps_names = keep;
}

SMAP_PUBLIC unsigned int stackmap_live_get_abilities(const struct stackmap_live *live)
{
	return live->abilities;
}

SMAP_PUBLIC const char *stackmap_live_get_dir(const struct stackmap_live *live)
{
	return live->dir;
}

SMAP_PUBLIC const char *stackmap_live_get_path(const struct stackmap_live *live)
{
	return live->path;
}

/* A kernel can the same for as long as it runs: who asks for the statistics asks often. */
static bool is_known(const struct stackmap_live *live, const char *dir)
{
	return live->has_abilities && !strcmp(live->dir, dir);
}

int smap_live_look(struct stackmap_live *live)
{
	bool known;
	char *dir;
	int ret;

	ret = smap_tracefs_find(live->instance, &dir, &live->err);
	if (ret)
		return ret;
	known = is_known(live, dir);
	free(live->dir);
	live->dir = dir;
	if (known)
		return 0;
	ret = smap_kernel_look(dir, &live->abilities, &live->err);
	live->has_abilities = !ret;
	return ret;
}

SMAP_PUBLIC int stackmap_live_open(struct stackmap_live *live)
{
	int ret;

	live->has_abilities = false;
	ret = smap_live_look(live);
	return ret ? smap_errno(ret) : 0;
}

/* ---- the option ---- */

SMAP_PUBLIC int stackmap_live_is_enabled(struct stackmap_live *live)
{
	char head[8] = "";
	size_t len;
	int ret;

	ret = smap_live_look(live);
	if (!ret)
		ret = smap_tracefs_read_head(live->dir, "options/stackmap", head, sizeof(head) - 1,
					     &len, &live->err);
	if (ret)
		return smap_errno(ret);
	return head[0] == '1';
}

SMAP_PUBLIC int stackmap_live_set_enabled(struct stackmap_live *live, bool enabled)
{
	int ret = smap_live_look(live);

	if (!ret)
		ret = smap_tracefs_write(live->dir, "options/stackmap", enabled ? "1" : "0",
					 &live->err);
	return ret ? smap_errno(ret) : 0;
}

/* ---- statistics ---- */

int smap_live_stat(struct stackmap_live *live, struct smap_stat *ret_stat)
{
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	ret = smap_tracefs_read(live->dir, "stack_map_stat", &text, &live->err);
	if (!ret) {
		ret = smap_stat_parse(text.data, text.len, ret_stat, &live->err);
		if (ret)
			smap_error_prefix(&live->err, ret, "%s/stack_map_stat", live->dir);
	}
	smap_buf_free(&text);
	return ret;
}

int smap_live_read_stat(struct stackmap_live *live, struct smap_buf *text)
{
	int ret = smap_live_look(live);

	return ret ? ret : smap_tracefs_read(live->dir, "stack_map_stat", text, &live->err);
}

int smap_live_fail_stat(struct stackmap_live *live, int code)
{
	return smap_error_set(&live->err, code, "%s/stack_map_stat: %s", live->dir,
			      code == -ENOMEM ? "out of memory" : "cannot be parsed");
}

/* ---- reset and free ---- */

SMAP_PUBLIC int stackmap_live_reset(struct stackmap_live *live)
{
	int ret = smap_live_look(live), fd;

	if (ret)
		return smap_errno(ret);
	fd = smap_tracefs_open(live->dir, "stack_map", O_WRONLY, &live->err);
	if (fd < 0)
		return smap_errno(smap_error_prefix(&live->err, fd, "not reset"));
	ret = smap_reset_fd(live, fd);
	close(fd);
	return ret ? smap_errno(ret) : 0;
}

static int open_to_free(struct stackmap_live *live, unsigned int flags)
{
	const int wait = flags & STACKMAP_FREE_NOWAIT ? O_NONBLOCK : 0;

	if (!(live->abilities & STACKMAP_CAN_FREE))
		return smap_error_set(&live->err, -EOPNOTSUPP,
				      "%s/stack_map: this kernel (series 4 to 7) cannot free it",
				      live->dir);
	return smap_tracefs_open(live->dir, "stack_map", O_WRONLY | wait, &live->err);
}

static int free_through(struct stackmap_live *live, int fd)
{
	int ret = smap_tracefs_write_fd(fd, live->dir, "stack_map", "free", &live->err);

	if (ret == -EBUSY)
		smap_error_set(&live->err, ret,
			       "%s/stack_map: the option stackmap is set, and its map in use",
			       live->dir);
	return ret;
}

static bool is_allocated(struct stackmap_live *live, uint64_t *ret_generation)
{
	struct smap_stat stat;

	if (smap_live_stat(live, &stat) || !(stat.has & 1U << SMAP_STAT_GENERATION))
		return false;
	*ret_generation = stat.value[SMAP_STAT_GENERATION];
	return true;
}

/* The errno of the write comes through @fd; 1: it did not come in this time. */
static int read_result(int fd)
{
	struct pollfd result = { .fd = fd, .events = POLLIN };
	int ret, err;

	do
		ret = poll(&result, 1, FREE_WAIT_MS);
	while (ret < 0 && errno == EINTR);
	if (ret != 1)
		return 1;
	do
		ret = read(fd, &err, sizeof(err));
	while (ret < 0 && errno == EINTR);
	return ret == sizeof(err) ? -err : -EAGAIN;
}

/*
 * Once the map of generation @before is out of use, what is waited for is only its memory. Before
 * that the child has not come to it yet.
 */
static int wait_for_free(struct stackmap_live *live, uint64_t before, int fd)
{
	unsigned int tries = FREE_TRIES;
	uint64_t now;
	int ret;

	do {
		ret = read_result(fd);
		if (ret == 1 && (!is_allocated(live, &now) || now != before))
			return 0;
	} while (ret == 1 && --tries);
	return ret == 1 ? -EAGAIN : ret;
}

static void __attribute__((noreturn)) free_as_child(int fd, int result)
{
	int err = write(fd, "free", 4) == 4 ? 0 : errno;
	ssize_t len __attribute__((unused)) = write(result, &err, sizeof(err));

	_exit(0);
}

static int fail_free(struct stackmap_live *live, int ret)
{
	if (ret == -EBUSY)
		return smap_error_set(&live->err, ret,
				      "%s/stack_map: the option stackmap is set, and its map in use",
				      live->dir);
	errno = -ret;
	return smap_error_set(&live->err, ret, "%s/stack_map: free: %m", live->dir);
}

/* A process can be ended while it waits in that write, a thread cannot. */
static int free_in_child(struct stackmap_live *live, int fd)
{
	uint64_t before;
	int ends[2], ret;
	pid_t child;

	if (!is_allocated(live, &before))
		return free_through(live, fd);
	if (pipe2(ends, O_CLOEXEC))
		return smap_error_set(&live->err, -errno, "pipe: %m");
	child = fork();
	if (!child)
		free_as_child(fd, ends[1]);
	ret = child < 0 ? -errno : 0;
	close(ends[1]);
	if (!ret) {
		ret = wait_for_free(live, before, ends[0]);
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return ret ? fail_free(live, ret) : 0;
}

SMAP_PUBLIC int stackmap_live_free_map(struct stackmap_live *live, unsigned int flags)
{
	int fd, ret;

	if (flags & ~STACKMAP_FREE_NOWAIT)
		return smap_error_set(&live->err, -EINVAL, "a flag of a newer version");
	ret = smap_live_look(live);
	if (ret)
		return smap_errno(ret);
	fd = open_to_free(live, flags);
	if (fd < 0)
		return fd;
	if (flags & STACKMAP_FREE_NOWAIT && !(live->abilities & STACKMAP_CAN_ROTATE))
		ret = free_in_child(live, fd);
	else
		ret = free_through(live, fd);
	close(fd);
	return ret ? smap_errno(ret) : 0;
}
