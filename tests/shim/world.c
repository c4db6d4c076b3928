// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directory of a world: its lock, its state, its maps, its open files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "world.h"

/* ---- system calls ---- */

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

int shim_sys_open(const char *path, int flags, int mode)
{
	return (int)result(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

static void sys_close(int fd)
{
	syscall(SYS_close, fd);
}

static int sys_flock(int fd, int how)
{
	int ret;

	do {
		ret = (int)result(syscall(SYS_flock, fd, how));
	} while (ret == -EINTR);
	return ret;
}

static int64_t sys_size(int fd)
{
	return syscall(SYS_lseek, fd, 0, SEEK_END);
}

char *shim_sys_load(const char *path, size_t *ret_len)
{
	int fd = shim_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	char *data = NULL;
	int64_t size;
	long nr;

	if (fd < 0)
		return NULL;
	size = sys_size(fd);
	if (size >= 0)
		data = malloc((size_t)size + 1);
	if (data) {
		nr = syscall(SYS_pread64, fd, data, (size_t)size, 0L);
		size = nr < 0 ? 0 : nr;
		data[size] = '\0';
		if (ret_len)
			*ret_len = (size_t)size;
	}
	sys_close(fd);
	return data;
}

int shim_sys_store(const char *path, const char *data, size_t len, bool append)
{
	int fd = shim_sys_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC),
			       0666);
	long nr;

	if (fd < 0)
		return fd;
	nr = result(syscall(SYS_write, fd, data, len));
	sys_close(fd);
	if (nr < 0)
		return (int)nr;
	return (size_t)nr == len ? 0 : -ENOSPC;
}

/* ---- the world ---- */

static struct shim_state *map_state(const char *dir)
{
	char path[PATH_MAX];
	void *state;
	int fd;

	snprintf(path, sizeof(path), "%s/state", dir);
	fd = shim_sys_open(path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	state = mmap(NULL, sizeof(struct shim_state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sys_close(fd);
	return state == MAP_FAILED ? NULL : state;
}

/* A kernel is not stopped by a signal to who called it, nor by a limit of theirs. */
static void enter(struct shim_world *world)
{
	struct rlimit limit;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &world->signals);
	getrlimit(RLIMIT_FSIZE, &world->limit);
	limit = world->limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void leave(struct shim_world *world)
{
	setrlimit(RLIMIT_FSIZE, &world->limit);
	sigprocmask(SIG_SETMASK, &world->signals, NULL);
}

int shim_world_lock(struct shim_world *world, const char *dir)
{
	char path[PATH_MAX];

	snprintf(world->dir, sizeof(world->dir), "%s", dir);
	snprintf(path, sizeof(path), "%s/lock", dir);
	world->lock = shim_sys_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (world->lock < 0)
		return world->lock;
	enter(world);
	sys_flock(world->lock, LOCK_EX);
	world->state = map_state(dir);
	if (world->state)
		return 0;
	sys_close(world->lock);
	leave(world);
	return -ENOENT;
}

void shim_world_unlock(struct shim_world *world)
{
	munmap(world->state, sizeof(*world->state));
	sys_close(world->lock);
	leave(world);
}

/* In the file: release, version, machine, a line each. */
void shim_play_uname(const char *dir, struct utsname *name)
{
	char path[PATH_MAX], *text;

	snprintf(path, sizeof(path), "%s/uname", dir);
	text = shim_sys_load(path, NULL);
	if (text)
		sscanf(text, "%64[^\n]\n%64[^\n]\n%64[^\n]", name->release, name->version,
		       name->machine);
	free(text);
}

/* ---- maps ---- */

static void map_path(char *path, const char *dir, uint64_t sequence)
{
	snprintf(path, PATH_MAX, "%s/maps/%" PRIu64, dir, sequence);
}

struct shim_map *shim_map_get(struct shim_world *world, uint64_t sequence)
{
	char path[PATH_MAX];
	int64_t size;
	void *map;
	int fd;

	if (!sequence)
		return NULL;
	map_path(path, world->dir, sequence);
	fd = shim_sys_open(path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	size = sys_size(fd);
	map = size > 0 ? mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) :
			 MAP_FAILED;
	sys_close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* How long its file is: told by its capacity, as shim_map_new() made it. */
static size_t map_size(uint32_t capacity)
{
	return sizeof(struct shim_map) + 2 * (size_t)capacity * sizeof(uint64_t) +
	       (size_t)capacity * 8 * 72;
}

void shim_map_put(struct shim_map *map)
{
	if (map)
		munmap(map, map_size(map->capacity));
}

int shim_map_new(struct shim_world *world, uint32_t generation)
{
	struct shim_map head = {
		.sequence = world->state->sequence + 1,
		.generation = generation,
		.capacity = 1U << world->state->bits,
		.nr_slots = 2U << world->state->bits,
	};
	char path[PATH_MAX];
	int fd, ret = 0;

	head.arena_size = 92 * (uint64_t)head.capacity;
	head.end = sizeof(head) + head.nr_slots * sizeof(uint64_t);
	map_path(path, world->dir, head.sequence);
	fd = shim_sys_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return fd;
	if (syscall(SYS_ftruncate, fd, map_size(head.capacity)) ||
	    syscall(SYS_pwrite64, fd, &head, sizeof(head), 0L) != sizeof(head))
		ret = -ENOMEM;
	sys_close(fd);
	if (!ret)
		world->state->sequence = world->state->live = head.sequence;
	return ret;
}

/* ---- open files ---- */

static void file_path(char *path, const char *dir, const char *name)
{
	snprintf(path, PATH_MAX, "%s/files/%s", dir, name);
}

int shim_file_new(struct shim_world *world, const struct shim_file *file, int flags)
{
	char path[PATH_MAX], name[16];
	int fd;

	snprintf(name, sizeof(name), "%" PRIu32, world->state->next_file++);
	file_path(path, world->dir, name);
	fd = shim_sys_open(path, O_RDWR | O_CREAT | O_EXCL | (flags & (O_CLOEXEC | O_NONBLOCK)),
			   SHIM_FILE_MODE);
	if (fd < 0)
		return fd;
	syscall(SYS_fchmod, fd, SHIM_FILE_MODE);
	sys_flock(fd, LOCK_EX | LOCK_NB);
	shim_file_write_state(fd, file);
	return fd;
}

int shim_file_read_state(int fd, struct shim_file *ret_file)
{
	if (syscall(SYS_pread64, fd, ret_file, sizeof(*ret_file), 0L) != sizeof(*ret_file) ||
	    ret_file->magic != SHIM_FILE_MAGIC)
		return -EBADF;
	return 0;
}

void shim_file_write_state(int fd, const struct shim_file *file)
{
	syscall(SYS_pwrite64, fd, file, sizeof(*file), 0L);
}

/* Nobody has it open: the lock that its descriptors share is free. */
static bool is_closed(int fd)
{
	return sys_flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void look_at_file(struct shim_world *world, const char *name,
			 void (*fn)(const struct shim_file *file, void *data), void *data)
{
	struct shim_file file;
	char path[PATH_MAX];
	int fd;

	file_path(path, world->dir, name);
	fd = shim_sys_open(path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (is_closed(fd))
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	else if (fn && !shim_file_read_state(fd, &file))
		fn(&file, data);
	sys_close(fd);
}

/* Names in a folder of the world; opendir() is taken over by the library, getdents64() is not. */
static void each_name(struct shim_world *world, const char *folder,
		      void (*fn)(struct shim_world *world, const char *name, void *data),
		      void *data)
{
	struct entry {
		uint64_t ino;
		int64_t off;
		unsigned short reclen;
		unsigned char type;
		char name[];
	} *entry;
	char path[PATH_MAX], names[32768];
	long len, at;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", world->dir, folder);
	fd = shim_sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	while ((len = syscall(SYS_getdents64, fd, names, sizeof(names))) > 0) {
		for (at = 0; at < len; at += entry->reclen) {
			entry = (struct entry *)(names + at);
			if (entry->name[0] != '.')
				fn(world, entry->name, data);
		}
	}
	sys_close(fd);
}

struct file_visit {
	void	(*fn)(const struct shim_file *file, void *data);
	void	*data;
};

static void visit_file(struct shim_world *world, const char *name, void *data)
{
	struct file_visit *visit = data;

	look_at_file(world, name, visit->fn, visit->data);
}

void shim_each_file(struct shim_world *world,
		    void (*fn)(const struct shim_file *file, void *data), void *data)
{
	struct file_visit visit = { fn, data };

	each_name(world, "files", visit_file, &visit);
}

struct held {
	uint64_t	sequence;
	bool		is_held;
};

static void is_held_by(const struct shim_file *file, void *data)
{
	struct held *held = data;

	held->is_held |= file->map == held->sequence;
}

static void drop_map(struct shim_world *world, const char *name, void *data)
{
	struct held held = { .sequence = strtoull(name, NULL, 10) };
	char path[PATH_MAX];

	if (held.sequence == world->state->live)
		return;
	shim_each_file(world, is_held_by, &held);
	map_path(path, world->dir, held.sequence);
	if (!held.is_held)
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

void shim_drop_maps(struct shim_world *world)
{
	each_name(world, "maps", drop_map, NULL);
}

static void count_map(struct shim_world *world, const char *name, void *data)
{
	*(uint32_t *)data += strtoull(name, NULL, 10) != world->state->live;
}

uint32_t shim_nr_swapped_out(struct shim_world *world)
{
	uint32_t nr = 0;

	shim_drop_maps(world);
	each_name(world, "maps", count_map, &nr);
	return nr;
}
