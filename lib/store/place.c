// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "block.h"
#include "durable.h"
#include "place.h"

#define TEMP_PREFIX	".stackmap-"
#define TEMP_SUFFIX	".tmp"
_Static_assert(sizeof(TEMP_PREFIX) + 16 + sizeof(TEMP_SUFFIX) <= SMAP_TEMP_SIZE, "room for it");

int smap_place_open(const char *path, struct smap_place *place, struct smap_error *err)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	char *folder;

	place->name = slash ? slash + 1 : path;
	place->is_private = false;
	place->lock_ms = SMAP_LOCK_MS;
	if (!*place->name)
		return smap_error_set(err, -EISDIR, "a file name is missing");
	if (!slash)
		folder = strdup(".");
	else
		folder = strndup(path, len ? len : 1);
	if (!folder)
		return smap_error_nomem(err);
	place->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return place->folder < 0 ? smap_error_set(err, -errno, "its folder: %m") : 0;
}

void smap_place_close(struct smap_place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	place->folder = -1;
}

static void remove_file(const struct smap_place *place, const char *name)
{
	unlinkat(place->folder, name, 0);
}

static int sync_folder(const struct smap_place *place, struct smap_error *err)
{
	/* EINVAL: a file system that has nothing to write for a folder. */
	if (smap_sync_fd(place->folder) && errno != EINVAL)
		return smap_error_set(err, -errno, "fsync of its folder: %m");
	return 0;
}

static bool is_in_place(const struct smap_place *place, int fd)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !fstatat(place->folder, place->name, &there, 0) &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

static int make_temp(const struct smap_place *place, mode_t mode, char temp[SMAP_TEMP_SIZE],
		     struct smap_error *err)
{
	struct stat st;
	int fd, ret;

	snprintf(temp, SMAP_TEMP_SIZE, TEMP_PREFIX "%016" PRIx64 TEMP_SUFFIX, smap_hash_seed());
	fd = openat(place->folder, temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return smap_error_set(err, -errno, "%m");
	ret = smap_lock(fd, place->lock_ms, err);
	if (!ret && fstat(fd, &st))
		ret = smap_error_set(err, -errno, "%m");
	if (ret)
		unlinkat(place->folder, temp, 0);
	else if (!st.st_nlink)
		ret = -EAGAIN;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int put_in_place(const struct smap_place *place, const char *temp, struct smap_error *err)
{
	if (!renameat2(place->folder, temp, place->folder, place->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return smap_error_set(err, -errno, "rename: %m");
	/* A file system that cannot: the name is given, then the temporary one taken away. */
	if (linkat(place->folder, temp, place->folder, place->name, 0))
		return smap_error_set(err, -errno, "link: %m");
	unlinkat(place->folder, temp, 0);
	return 0;
}

static bool is_temp_name(const char *name)
{
	const size_t prefix = strlen(TEMP_PREFIX);

	return !strncmp(name, TEMP_PREFIX, prefix) &&
	       strspn(name + prefix, "0123456789abcdef") == 16 &&
	       !strcmp(name + prefix + 16, TEMP_SUFFIX);
}

static bool was_ours(int fd)
{
	uint8_t head[8];
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	got = pread(fd, head, sizeof(head), 0);
	return got == 0 || (got > 0 && smap_store_looks_like(head, (size_t)got));
}

/* Who could be writing it would have it locked. */
static void remove_if_left_over(const struct smap_place *place, const char *temp)
{
	int fd = openat(place->folder, temp, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB) && was_ours(fd))
		unlinkat(place->folder, temp, 0);
	close(fd);
}

int smap_place_fail_tries(const struct smap_place *place, struct smap_error *err)
{
	struct stat st;

	if (!fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		return smap_error_set(err, -EEXIST,
				      "a symbolic link to a file that is not there; name that");
	return smap_error_set(err, -EEXIST, "others make and remove it all the time");
}

void smap_place_tidy(const struct smap_place *place)
{
	int fd = openat(place->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;

	if (fd < 0)
		return;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (is_temp_name(entry->d_name))
			remove_if_left_over(place, entry->d_name);
	closedir(dir);
}

/* ---- a store in its place ---- */

/* What may be appended to: a store that is whole in its header. */
static int read_store_id(int fd, uint64_t *ret_store_id, struct smap_error *err)
{
	struct smap_store store = { .nr_saves = 0 };
	uint64_t offset;
	uint8_t head[64];
	size_t len;
	int ret;

	ret = smap_reader_open_fd(&store.reader, fd, 0, NULL, err);
	if (ret)
		return ret;
	len = store.reader.len < sizeof(head) ? (size_t)store.reader.len : sizeof(head);
	ret = smap_reader_read(&store.reader, 0, head, len, err);
	if (!ret && len && !smap_store_looks_like(head, len))
		ret = smap_error_set(err, -EEXIST, "is there and is no saved-map file");
	if (!ret)
		ret = smap_store_read_header(&store, &offset, err);
	if (!ret && store.nr_damages)
		ret = smap_error_set(err, -EBADMSG, "%s", store.damages[0].text);
	if (!ret)
		*ret_store_id = store.store_id;
	smap_reader_close(&store.reader);
	smap_store_forget(&store);
	if (ret == -EBADMSG)
		return smap_error_prefix(err, ret, "damaged, not written to");
	return ret;
}

/* -EAGAIN: not the file of that name any more. */
static int lock_store(const struct smap_place *place, int fd, uint64_t *ret_store_id,
		      struct smap_error *err)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	if (!S_ISREG(st.st_mode))
		return smap_error_set(err, -EEXIST, "is there and is no regular file");
	ret = smap_lock(fd, place->lock_ms, err);
	if (ret)
		return ret;
	if (!is_in_place(place, fd))
		return -EAGAIN;
	return read_store_id(fd, ret_store_id, err);
}

int smap_place_open_store(const struct smap_place *place, uint64_t *ret_store_id,
			  struct smap_error *err)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd, ret;

	fd = openat(place->folder, place->name, flags);
	if (fd < 0)
		return smap_error_set(err, -errno, "%m");
	ret = lock_store(place, fd, ret_store_id, err);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int fill_temp(const struct smap_place *place, int fd, const char *temp, smap_fill_fn fill,
		     void *data, struct smap_error *err)
{
	struct smap_sink sink = { .fd = fd };
	int ret;

	ret = fill(&sink, data, err);
	if (!ret)
		ret = smap_sync_file(fd, err);
	if (!ret)
		ret = put_in_place(place, temp, err);
	if (ret) {
		remove_file(place, temp);
		return ret;
	}
	ret = sync_folder(place, err);
	if (ret && is_in_place(place, fd))
		remove_file(place, place->name);
	return ret;
}

int smap_place_create_store(const struct smap_place *place, smap_fill_fn fill, void *data,
			    struct smap_error *err)
{
	char temp[SMAP_TEMP_SIZE];
	int fd, ret;

	/*
	 * It tells kernel addresses. So does the trace that it stands beside, which is readable for
	 * whom the umask says.
	 */
	fd = make_temp(place, place->is_private ? 0600 : 0666, temp, err);
	if (fd < 0)
		return fd;
	ret = fill_temp(place, fd, temp, fill, data, err);
	if (!ret)
		return fd;
	close(fd);
	return ret == -EEXIST ? -EAGAIN : ret;
}

int smap_place_append(const struct smap_place *place, int fd, smap_fill_fn fill, void *data,
		      uint64_t *ret_len, struct smap_error *err)
{
	struct smap_sink sink = { .fd = fd, .begin = smap_sink_pad };
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	sink.len = (uint64_t)st.st_size;
	ret = fill(&sink, data, err);
	if (!ret)
		ret = smap_sync_file(fd, err);
	if (!ret)
		ret = sync_folder(place, err);
	/*
	 * Where this fails as well there is a torn tail, which every reader and writer can live
	 * with.
	 */
	if (ret && !sink.begin && !ftruncate(fd, st.st_size))
		smap_sync_fd(fd);
	if (!ret)
		*ret_len = sink.len - (uint64_t)st.st_size;
	return ret;
}

void smap_place_unmake(const struct smap_place *place, int fd)
{
	if (is_in_place(place, fd))
		remove_file(place, place->name);
}

/* 0: it has one name, which is its own. */
static int check_replaceable(const struct smap_place *place, int fd, struct stat *st)
{
	struct stat there;

	if (fstat(fd, st) || fstatat(place->folder, place->name, &there, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (st->st_nlink != 1 || there.st_dev != st->st_dev || there.st_ino != st->st_ino)
		return -EMLINK;
	return 0;
}

static int take_over(int fd, const struct stat *st)
{
	struct stat ours;

	if (fstat(fd, &ours))
		return -errno;
	if ((ours.st_uid != st->st_uid || ours.st_gid != st->st_gid) &&
	    fchown(fd, st->st_uid, st->st_gid))
		return -errno;
	return fchmod(fd, st->st_mode & 07777) ? -errno : 0;
}

int smap_place_replace(const struct smap_place *place, int fd, smap_fill_fn fill, void *data)
{
	struct smap_sink sink = { .fd = -1 };
	char temp[SMAP_TEMP_SIZE];
	struct stat st;
	int new, ret;

	ret = check_replaceable(place, fd, &st);
	if (ret)
		return ret;
	/* Whoever could open it before it has its mode would read all that comes into it. */
	new = make_temp(place, 0600, temp, NULL);
	if (new < 0)
		return new;
	sink.fd = new;
	ret = take_over(new, &st);
	if (!ret)
		ret = fill(&sink, data, NULL);
	if (!ret)
		ret = smap_sync_file(new, NULL);
	if (!ret && renameat(place->folder, temp, place->folder, place->name))
		ret = -errno;
	if (ret)
		remove_file(place, temp);
	else
		sync_folder(place, NULL);
	close(new);
	return ret;
}
