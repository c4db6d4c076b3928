// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Putting blocks on disk so that no failure and no kill costs what was there before.
 *
 *	no file yet:	make a temporary file beside its place | lock it | write header and
 *			blocks | fsync | rename it into place, never over anything
 *			| fsync the folder
 *	store there:	lock it | still the file of that name? | write behind its end, at a
 *			multiple of 8 | fsync | fsync the folder
 *			on failure: cut it to its old size
 *
 * A writer that is killed leaves a temporary file that nobody has locked, or a torn tail. The
 * next writer removes the former and continues behind the latter; readers never look at the
 * former.
 */
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

/*
 * Another writer may make or replace the file between two of our steps; it cannot do so for ever.
 */
#define MAX_TRIES	16

#define TEMP_PREFIX	".stackmap-"
#define TEMP_SUFFIX	".tmp"
#define TEMP_SIZE	(sizeof(TEMP_PREFIX) + 16 + sizeof(TEMP_SUFFIX))

struct append {
	int			folder;		/* where the file is, or will be */
	const char		*name;		/* of the file in it */
	const struct smap_save_input *inputs;
	size_t			nr_inputs;
	struct smap_store	*from;		/* its saves, in place of inputs; NULL: those */
	struct smap_buf		blocks;		/* the bytes to write */
};

static int open_folder(const char *path, struct append *append, struct smap_error *err)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	char *folder;

	append->name = slash ? slash + 1 : path;
	if (!*append->name)
		return smap_error_set(err, -EISDIR, "a file name is missing");
	if (!slash)
		folder = strdup(".");
	else
		folder = strndup(path, len ? len : 1);
	if (!folder)
		return smap_error_nomem(err);
	append->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return append->folder < 0 ? smap_error_set(err, -errno, "its folder: %m") : 0;
}

static int encode(struct append *append, uint64_t store_id, struct smap_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < append->nr_inputs; i++)
		ret = smap_store_encode_block(&append->blocks, store_id, &append->inputs[i], err);
	return ret;
}

/* All saves of another store, but for those that stand in the file behind @fd already. */
static int encode_saves(struct append *append, int fd, uint64_t store_id, struct smap_error *err)
{
	size_t nr = smap_store_nr_saves(append->from), nr_copied, i;
	struct smap_save_ref *refs = calloc(nr + 1, sizeof(*refs));
	struct smap_store *there;
	int ret;

	if (!refs)
		return smap_error_nomem(err);
	for (i = 0; i < nr; i++)
		refs[i] = (struct smap_save_ref){ append->from, i };
	ret = smap_store_open_at(fd, 0, &there, err);
	if (!ret) {
		ret = smap_store_copy_saves(&append->blocks, store_id, refs, nr, there, &nr_copied,
					    err);
		smap_store_close(there);
	}
	free(refs);
	return ret;
}

/* All of another store, for a file that is to be a copy of it. */
static int copy_store(struct append *append, struct smap_error *err)
{
	const struct smap_reader *reader = &append->from->reader;
	char *room = smap_buf_reserve(&append->blocks, (size_t)reader->len);
	int ret;

	if (!room)
		return smap_error_nomem(err);
	ret = smap_reader_read(reader, 0, room, (size_t)reader->len, err);
	if (!ret)
		append->blocks.len += (size_t)reader->len;
	return ret;
}

static int sync_folder(const struct append *append, struct smap_error *err)
{
	/* EINVAL: a file system that has nothing to write for a folder. */
	if (smap_sync_fd(append->folder) && errno != EINVAL)
		return smap_error_set(err, -errno, "fsync of its folder: %m");
	return 0;
}

/* The file behind @fd is still the one of that name. */
static bool is_in_place(const struct append *append, int fd)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !fstatat(append->folder, append->name, &there, 0) &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

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

static int write_behind(struct append *append, int fd, struct smap_error *err)
{
	static const char zeros[8];
	struct stat st;
	uint64_t store_id = 0;
	int ret;

	ret = read_store_id(fd, &store_id, err);
	if (ret)
		return ret;
	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	smap_buf_add(&append->blocks, zeros, -(uint64_t)st.st_size % 8);
	ret = append->from ? encode_saves(append, fd, store_id, err) :
			     encode(append, store_id, err);
	/* All of them are there already. */
	if (ret || append->blocks.len == -(uint64_t)st.st_size % 8)
		return ret;

	ret = smap_write_all(fd, append->blocks.data, append->blocks.len, st.st_size, err);
	if (!ret)
		ret = smap_sync_file(fd, err);
	if (!ret)
		ret = sync_folder(append, err);
	/*
	 * Where this fails as well there is a torn tail, which every reader and writer can live
	 * with.
	 */
	if (ret && !ftruncate(fd, st.st_size))
		smap_sync_fd(fd);
	return ret;
}

/* -ESTALE: not the file of that name any more. */
static int append_to(struct append *append, int fd, struct smap_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	if (!S_ISREG(st.st_mode))
		return smap_error_set(err, -EEXIST, "is there and is no regular file");
	if (smap_lock(fd, LOCK_EX))
		return smap_error_set(err, -errno, "lock: %m");
	if (!is_in_place(append, fd))
		return -ESTALE;
	return write_behind(append, fd, err);
}

/* A temporary file of our own; -EAGAIN: it was taken for a leftover before it was locked. */
static int make_temp(const struct append *append, char temp[TEMP_SIZE], struct smap_error *err)
{
	struct stat st;
	int fd, ret = 0;

	snprintf(temp, TEMP_SIZE, TEMP_PREFIX "%016" PRIx64 TEMP_SUFFIX, smap_hash_seed());
	fd = openat(append->folder, temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return smap_error_set(err, -errno, "%m");
	if (smap_lock(fd, LOCK_EX))
		ret = smap_error_set(err, -errno, "lock: %m");
	else if (fstat(fd, &st))
		ret = smap_error_set(err, -errno, "%m");
	if (ret)
		unlinkat(append->folder, temp, 0);
	else if (!st.st_nlink)
		ret = -EAGAIN;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* Never over a file that is there: -EEXIST. */
static int put_in_place(const struct append *append, const char *temp, struct smap_error *err)
{
	if (!renameat2(append->folder, temp, append->folder, append->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return smap_error_set(err, -errno, "rename: %m");
	/* A file system that cannot: the name is given, then the temporary one taken away. */
	if (linkat(append->folder, temp, append->folder, append->name, 0))
		return smap_error_set(err, -errno, "link: %m");
	unlinkat(append->folder, temp, 0);
	return 0;
}

static int fill_temp(struct append *append, int fd, const char *temp, struct smap_error *err)
{
	int ret;

	ret = smap_write_all(fd, append->blocks.data, append->blocks.len, 0, err);
	if (!ret)
		ret = smap_sync_file(fd, err);
	if (!ret)
		ret = put_in_place(append, temp, err);
	if (ret) {
		unlinkat(append->folder, temp, 0);
		return ret;
	}
	ret = sync_folder(append, err);
	if (ret && is_in_place(append, fd))
		unlinkat(append->folder, append->name, 0);
	return ret;
}

/* -EEXIST: somebody was faster. */
static int create(struct append *append, struct smap_error *err)
{
	uint64_t store_id = smap_hash_seed();
	char temp[TEMP_SIZE];
	int fd, ret;

	/* 0 stands for none. */
	store_id += !store_id;
	if (append->from) {
		ret = copy_store(append, err);
	} else {
		ret = smap_store_encode_header(&append->blocks, store_id);
		ret = ret ? smap_error_nomem(err) : encode(append, store_id, err);
	}
	if (ret)
		return ret;
	fd = make_temp(append, temp, err);
	if (fd < 0)
		return fd;
	ret = fill_temp(append, fd, temp, err);
	close(fd);
	return ret;
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
static void remove_if_left_over(const struct append *append, const char *temp)
{
	int fd = openat(append->folder, temp, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!smap_lock(fd, LOCK_EX | LOCK_NB) && was_ours(fd))
		unlinkat(append->folder, temp, 0);
	close(fd);
}

/* A favour to the user: where it does not work nothing is lost. */
static void remove_leftovers(const struct append *append)
{
	int fd = openat(append->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
			remove_if_left_over(append, entry->d_name);
	closedir(dir);
}

/* One try; -EAGAIN: look again. */
static int try_append(struct append *append, struct smap_error *err)
{
	int fd, ret;

	smap_buf_reset(&append->blocks);
	fd = openat(append->folder, append->name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT)
		return smap_error_set(err, -errno, "%m");
	if (fd < 0) {
		ret = create(append, err);
		return ret == -EEXIST ? -EAGAIN : ret;
	}
	ret = append_to(append, fd, err);
	close(fd);
	return ret == -ESTALE ? -EAGAIN : ret;
}

static int append_all(struct append *append, const char *path, struct smap_error *err)
{
	unsigned int tries = MAX_TRIES;
	int ret;

	ret = open_folder(path, append, err);
	if (ret)
		return smap_error_prefix(err, ret, "%s", path);
	remove_leftovers(append);
	do
		ret = try_append(append, err);
	while (ret == -EAGAIN && --tries);
	if (ret == -EAGAIN)
		ret = smap_error_set(err, -EEXIST, "cannot be opened nor made");
	close(append->folder);
	smap_buf_free(&append->blocks);
	return ret ? smap_error_prefix(err, ret, "%s", path) : 0;
}

int smap_store_append(const char *path, const struct smap_save_input *inputs, size_t nr_inputs,
		      struct smap_error *err)
{
	struct append append = {
		.inputs = inputs,
		.nr_inputs = nr_inputs,
		.blocks = SMAP_BUF_INIT,
	};

	if (!nr_inputs)
		return smap_error_set(err, -EINVAL, "%s: nothing to write", path);
	return append_all(&append, path, err);
}

int smap_store_append_saves(const char *path, struct smap_store *from, struct smap_error *err)
{
	struct append append = { .from = from, .blocks = SMAP_BUF_INIT };

	return append_all(&append, path, err);
}
