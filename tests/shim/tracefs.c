// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of tracefs that are played: moments around what files.c and kernel.c do.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracefs.h"

bool shim_is_file(int fd)
{
	struct shim_file file;
	struct stat st;
	int saved = errno;
	bool is_file;

	is_file = fd >= 0 && shim_world_dir() && !syscall(SYS_fstat, fd, &st) &&
		  S_ISREG(st.st_mode) && (st.st_mode & 07777) == SHIM_FILE_MODE &&
		  !shim_file_read_state(fd, &file);
	errno = saved;
	return is_file;
}

int shim_path_moment(const struct shim_path *path, const char *moment, const char *arg)
{
	const char *file = path->is_tracefs ? path->name : path->absolute;

	return *path->world ? shim_moment(path->world, moment, *file ? file : ".", arg, NULL) : 0;
}

void shim_play_stat(struct stat *st)
{
	st->st_size = 0;
	st->st_blocks = 0;
	st->st_uid = 0;
	st->st_gid = 0;
}

/* Elsewhere tracefs has the folders that it has. */
int shim_mkdir(const struct shim_path *path, mode_t mode)
{
	if (strncmp(path->name, "instances/", 10))
		return -EPERM;
	return syscall(SYS_mkdirat, AT_FDCWD, path->real, mode) ? -errno : 0;
}

/* ---- open ---- */

const char *shim_access_name(int flags)
{
	static const char *const names[] = { "r", "w", "rw", "rw" };

	return names[flags & O_ACCMODE];
}

static long open_kind(const struct shim_path *path, int flags)
{
	struct shim_file file = {
		.magic = SHIM_FILE_MAGIC,
		.kind = path->kind,
		.flags = (uint32_t)flags,
		.is_instance = !strncmp(path->name, "instances/", 10),
	};
	struct shim_world world;
	long ret;

	snprintf(file.name, sizeof(file.name), "%.63s", path->name);
	ret = shim_world_lock(&world, path->world);
	if (ret)
		return ret;
	if (file.kind <= SHIM_STACK_MAP_STAT)
		shim_file_hold(&world, &file);
	ret = shim_file_new(&world, &file, flags);
	shim_world_unlock(&world);
	/* A write that is not ours must not hit what we keep there. */
	if (ret >= 0)
		syscall(SYS_lseek, ret, 1L << 40, SEEK_SET);
	return ret;
}

static long open_plain(const struct shim_path *path, int flags)
{
	struct stat st;

	if (syscall(SYS_newfstatat, AT_FDCWD, path->real, &st, 0))
		return (flags & O_CREAT) ? -EACCES : -ENOENT;
	return shim_sys_open(path->real, flags & ~(O_CREAT | O_EXCL), 0);
}

long shim_open(const struct shim_path *path, int flags)
{
	long ret = shim_path_moment(path, "open", shim_access_name(flags));

	if (ret)
		return ret;
	ret = path->kind && !(flags & O_PATH) ? open_kind(path, flags) : open_plain(path, flags);
	if (ret >= 0)
		shim_path_moment(path, "opened", shim_access_name(flags));
	return ret;
}

/* ---- read ---- */

static long read_locked(const char *dir, int fd, void *data, size_t count)
{
	struct shim_world world;
	struct shim_file file;
	long ret = shim_world_lock(&world, dir);

	if (ret)
		return ret;
	ret = shim_file_read_state(fd, &file);
	if (!ret) {
		ret = shim_file_fill(&world, fd, &file, data, count);
		shim_file_write_state(fd, &file);
	}
	shim_world_unlock(&world);
	return ret;
}

long shim_read(int fd, void *data, size_t count)
{
	const char *dir = shim_world_dir();
	uint64_t limit = UINT64_MAX, next;
	struct shim_file file;
	char byte[24];
	long ret;

	if (shim_file_read_state(fd, &file) || (file.flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	snprintf(byte, sizeof(byte), "%" PRIu64, file.nr_read);
	ret = shim_moment(dir, "read", file.name, byte, &limit);
	if (ret || !count)
		return ret;
	next = shim_rule_next_byte(dir, "read", file.name, file.nr_read) - file.nr_read;
	limit = next < limit ? next : limit;
	ret = read_locked(dir, fd, data, count < limit ? count : limit);
	return ret ? ret : shim_moment(dir, "end", file.name, NULL, NULL);
}

/* ---- write ---- */

static void get_word(char *word, size_t size, const char *data, size_t count)
{
	while (count && isspace((unsigned char)*data)) {
		data++;
		count--;
	}
	while (count && isspace((unsigned char)data[count - 1]))
		count--;
	snprintf(word, size, "%.*s", (int)count, data);
}

static int write_switch(const char *word, uint32_t *value)
{
	if (strcmp(word, "0") && strcmp(word, "1"))
		return -EINVAL;
	*value = *word - '0';
	return 0;
}

static int write_option(struct shim_world *world, const char *word)
{
	uint32_t value;
	int ret = write_switch(word, &value);

	return ret ? ret : shim_set_option(world, value);
}

/* The line of the list that has the option, on or off, becomes @word. */
static int toggle(const char *path, const char *word)
{
	const char *name = strncmp(word, "no", 2) ? word : word + 2;
	char *list = shim_sys_load(path, NULL), *line, *out = NULL;
	size_t len = 0;
	int found = 0;
	FILE *file = open_memstream(&out, &len);

	for (line = list ? strtok(list, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		if (!strcmp(line, name) || (!strncmp(line, "no", 2) && !strcmp(line + 2, name))) {
			fprintf(file, "%s\n", word);
			found++;
		} else {
			fprintf(file, "%s\n", line);
		}
	}
	fclose(file);
	if (found)
		shim_sys_store(path, out, len, false);
	free(list);
	free(out);
	return found ? 0 : -EINVAL;
}

static int write_options(struct shim_world *world, const struct shim_file *file, const char *word)
{
	bool enabled = !strcmp(word, "stackmap");
	char path[PATH_MAX + 128];

	if (enabled || !strcmp(word, "nostackmap")) {
		if (file->is_instance || !world->state->series)
			return -EINVAL;
		return shim_set_option(world, enabled);
	}
	snprintf(path, sizeof(path), "%s/root/%s", world->dir, file->name);
	return toggle(path, word);
}

/* Killable, as the kernel's: a signal that is caught does not end it. */
static int wait_for_readers(struct shim_world *world, uint64_t sequence)
{
	static const struct timespec pause = { .tv_nsec = 2000000 };
	char dir[sizeof(world->dir)];

	memcpy(dir, world->dir, sizeof(dir));
	while (!shim_free_is_done(world, sequence)) {
		if (shim_caller_is_killed())
			return -EINTR;
		shim_world_unlock(world);
		nanosleep(&pause, NULL);
		shim_world_lock(world, dir);
	}
	return 0;
}

static int write_free(struct shim_world *world, int fd)
{
	bool is_nonblock = syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
	uint64_t sequence;
	int ret = shim_free_begin(world, fd, &sequence);

	if (ret)
		return ret;
	if (!is_nonblock || world->state->series == 8)
		ret = wait_for_readers(world, sequence);
	shim_free_end(world, fd);
	return ret;
}

static int write_stack_map(struct shim_world *world, int fd, const char *word)
{
	uint32_t series = world->state->series;

	if (!strcmp(word, "0") || (!strcmp(word, "reset") && series == 7))
		return shim_reset(world, fd);
	if (!strcmp(word, "free") && series >= 8)
		return write_free(world, fd);
	return -EINVAL;
}

static int write_kind(struct shim_world *world, int fd, const struct shim_file *file,
		      const char *word)
{
	switch (file->kind) {
	case SHIM_STACK_MAP:
		return write_stack_map(world, fd, word);
	case SHIM_OPTION:
		return write_option(world, word);
	case SHIM_TRACING_ON:
		return write_switch(word, &world->state->tracing_on);
	case SHIM_TRACE_OPTIONS:
		return write_options(world, file, word);
	default:
		return -EINVAL;
	}
}

long shim_write(int fd, const void *data, size_t count)
{
	const char *dir = shim_world_dir();
	struct shim_world world;
	struct shim_file file;
	char word[64];
	int ret;

	if (shim_file_read_state(fd, &file) || (file.flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	get_word(word, sizeof(word), data, count);
	ret = shim_moment(dir, "before", file.name, *word ? word : "-", NULL);
	if (ret)
		return ret;
	ret = shim_world_lock(&world, dir);
	if (ret)
		return ret;
	ret = write_kind(&world, fd, &file, word);
	shim_world_unlock(&world);
	if (!ret)
		ret = shim_moment(dir, "after", file.name, *word ? word : "-", NULL);
	return ret ? ret : (long)count;
}

/* ---- seek ---- */

static long seek_locked(int fd, struct shim_file *file, off_t offset, int whence)
{
	if (whence == SEEK_CUR && !offset)
		return (long)file->nr_read;
	if (whence != SEEK_SET || offset)
		return -EINVAL;
	file->slot = 0;
	file->part = 0;
	file->nr_stacks = 0;
	file->nr_made = 0;
	file->nr_read = 0;
	file->buf_len = 0;
	file->buf_from = 0;
	shim_file_write_state(fd, file);
	return 0;
}

/* stack_map_bin of ours is made as it is read. */
static bool is_seekable(const struct shim_world *world, const struct shim_file *file)
{
	return file->kind != SHIM_STACK_MAP_BIN || world->state->series != SHIM_SERIES_OURS;
}

long shim_seek(int fd, off_t offset, int whence)
{
	struct shim_world world;
	struct shim_file file;
	long ret = shim_world_lock(&world, shim_world_dir());

	if (ret)
		return ret;
	ret = shim_file_read_state(fd, &file);
	if (!ret && !is_seekable(&world, &file))
		ret = -ESPIPE;
	if (!ret)
		ret = seek_locked(fd, &file, offset, whence);
	shim_world_unlock(&world);
	return ret;
}

bool shim_is_seekable(int fd)
{
	return shim_seek(fd, 0, SEEK_CUR) != -ESPIPE;
}
