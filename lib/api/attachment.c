// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Saved maps go into a trace.dat, and out of it again. Where they stand in it is the store's; which
 * file may be written to, and where its trace ends, is settled here:
 *
 *	open to read | lock | still the file of that name? | nobody writes it? | where does it end?
 *	| open to write | to detach: copy out | not written since? | attach or detach
 *	| fsync of its folder
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/error.h"
#include "core/export.h"
#include "resolve/open.h"
#include "stackmap.h"
#include "store/durable.h"
#include "store/store.h"
#include "tracedat/tracedat.h"

struct stackmap_attachment {
	struct smap_error	err;
	stackmap_log_fn		log;
	void			*log_data;
	struct smap_store	**stores;	/* whose saves are taken */
	size_t			nr_stores;
	size_t			stores_capacity;
	struct smap_save_ref	*saves;
	size_t			nr_saves;
	size_t			saves_capacity;
};

/* A trace.dat that is open to be written to, and locked. */
struct target {
	const char		*path;
	int			read_fd;	/* -1: not open, as for fd */
	int			fd;
	struct smap_tracedat	*trace;
	struct stat		st;		/* before its end was looked for */
};

#define BEING_WRITTEN	"is being written right now: try again when its recording has ended"

#define TARGET_INIT { .read_fd = -1, .fd = -1 }

SMAP_PUBLIC struct stackmap_attachment *stackmap_attachment_new(void)
{
	return calloc(1, sizeof(struct stackmap_attachment));
}

SMAP_PUBLIC void stackmap_attachment_free(struct stackmap_attachment *attachment)
{
	int saved_errno = errno;
	size_t i;

	if (!attachment)
		return;
	for (i = 0; i < attachment->nr_stores; i++)
		smap_store_close(attachment->stores[i]);
	free(attachment->stores);
	free(attachment->saves);
	free(attachment);
	errno = saved_errno;
}

SMAP_PUBLIC const char *stackmap_attachment_get_error(const struct stackmap_attachment *attachment)
{
	return attachment->err.text;
}

SMAP_PUBLIC void stackmap_attachment_set_log(struct stackmap_attachment *attachment,
					     stackmap_log_fn fn, void *data)
{
	attachment->log = fn;
	attachment->log_data = data;
}

SMAP_PUBLIC size_t stackmap_attachment_nr_saves(const struct stackmap_attachment *attachment)
{
	return attachment->nr_saves;
}

/* ---- saves ---- */

static void log_damages(const struct stackmap_attachment *attachment, const char *path,
			const struct smap_store *store)
{
	size_t nr = smap_store_nr_damages(store);
	struct smap_error line;

	if (!nr || !attachment->log)
		return;
	smap_error_set(&line, 0, "%zu damaged part%s left out (%s)", nr, nr == 1 ? "" : "s",
		       smap_store_damage(store, 0)->text);
	smap_error_prefix(&line, 0, "%s", path);
	attachment->log(line.text, attachment->log_data);
}

/* A raw export was parsed to see what it is; it is read again when its turn comes. */
static void forget_parsed(struct smap_store *store)
{
	struct smap_export *export;

	if (smap_store_save(store, 0)->is_raw && !smap_store_export(store, 0, &export, NULL, NULL))
		smap_export_free(export);
}

/* Takes @store, if 0 is returned. */
static int take_saves(struct stackmap_attachment *attachment, struct smap_store *store)
{
	size_t nr = smap_store_nr_saves(store), i;

	if (SMAP_ARRAY_GROW(attachment->stores, attachment->stores_capacity,
			    attachment->nr_stores + 1) ||
	    SMAP_ARRAY_GROW(attachment->saves, attachment->saves_capacity,
			    attachment->nr_saves + nr))
		return smap_error_nomem(&attachment->err);
	forget_parsed(store);
	attachment->stores[attachment->nr_stores++] = store;
	for (i = 0; i < nr; i++)
		if (!smap_store_save(store, i)->is_superseded)
			attachment->saves[attachment->nr_saves++] =
				(struct smap_save_ref){ store, i };
	return 0;
}

SMAP_PUBLIC int stackmap_attachment_add_file(struct stackmap_attachment *attachment,
					     const char *path)
{
	struct smap_store *store;
	int ret;

	ret = smap_maps_open(path, &store, &attachment->err);
	if (ret)
		return ret;
	if (!smap_store_nr_saves(store))
		ret = smap_error_set(&attachment->err, -ENODATA, "%s: no whole save in it", path);
	else
		ret = take_saves(attachment, store);
	if (ret)
		smap_store_close(store);
	else
		log_damages(attachment, path, store);
	return smap_errno(ret);
}

/* ---- the trace ---- */

static void close_target(struct target *target)
{
	int saved_errno = errno;

	smap_tracedat_close(target->trace);
	if (target->fd >= 0)
		close(target->fd);
	/* The lock goes with it. */
	if (target->read_fd >= 0)
		close(target->read_fd);
	errno = saved_errno;
}

/* A FIFO must not make us wait. */
static int open_to_read(struct target *target, struct smap_error *err)
{
	target->read_fd = open(target->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (target->read_fd < 0)
		return smap_error_set(err, -errno, "%m");
	if (fstat(target->read_fd, &target->st))
		return smap_error_set(err, -errno, "%m");
	if (!S_ISREG(target->st.st_mode))
		return smap_error_set(err, -EINVAL, "not a regular file");
	return 0;
}

static bool is_same_file(const struct target *target, const struct stat *st)
{
	return st->st_dev == target->st.st_dev && st->st_ino == target->st.st_ino;
}

static int lock_target(struct target *target, struct smap_error *err)
{
	struct stat st;
	int ret = smap_lock(target->read_fd, SMAP_LOCK_MS, err);

	if (ret)
		return ret;
	if (stat(target->path, &st))
		return smap_error_set(err, -errno, "%m");
	if (!is_same_file(target, &st))
		return smap_error_set(err, -EBUSY, "another file has taken its place");
	return 0;
}

/*
 * A lease is not given while anybody has the file open for writing, such as trace-cmd while it puts
 * a trace together. Who is not the owner, and some file systems, do not get one in any case.
 */
static int check_writers(const struct target *target, struct smap_error *err)
{
	/* Whoever opens it just then would have us sent SIGIO, which ends a process. */
	if (fcntl(target->read_fd, F_SETSIG, SIGURG))
		return 0;
	if (fcntl(target->read_fd, F_SETLEASE, F_RDLCK)) {
		if (errno != EAGAIN)
			return 0;
		return smap_error_set(err, -EBUSY, BEING_WRITTEN);
	}
	fcntl(target->read_fd, F_SETLEASE, F_UNLCK);
	return 0;
}

static int read_trace(struct target *target, struct smap_error *err)
{
	int ret;

	if (fstat(target->read_fd, &target->st))
		return smap_error_set(err, -errno, "%m");
	ret = smap_tracedat_open_fd(target->read_fd, &target->trace, err);
	if (!ret && target->trace->is_text)
		ret = smap_error_set(err, -EINVAL,
				     "a latency trace, which is text without events");
	return ret;
}

/* Opened anew: a lease wants a descriptor that can only read. */
static int open_to_write(struct target *target, struct smap_error *err)
{
	struct stat st;

	target->fd = open(target->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (target->fd < 0)
		return smap_error_set(err, -errno, "cannot be written to: %m");
	if (fstat(target->fd, &st))
		return smap_error_set(err, -errno, "%m");
	if (!is_same_file(target, &st))
		return smap_error_set(err, -EBUSY, "another file has taken its place");
	return 0;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * Who rewrites a trace does not lock it, and some time has passed since it was looked at: its end
 * may not be where it was.
 */
static int check_unchanged(void *data, struct smap_error *err)
{
	const struct target *target = data;
	struct stat st;

	if (fstat(target->fd, &st))
		return smap_error_set(err, -errno, "%m");
	if (st.st_size != target->st.st_size || !is_same_time(&st.st_mtim, &target->st.st_mtim) ||
	    !is_same_time(&st.st_ctim, &target->st.st_ctim))
		return smap_error_set(err, -EBUSY,
				      "was changed meanwhile by somebody else: not written to, try again");
	return 0;
}

static int open_target(struct target *target, struct smap_error *err)
{
	int ret;

	ret = open_to_read(target, err);
	if (!ret)
		ret = lock_target(target, err);
	if (!ret)
		ret = check_writers(target, err);
	if (!ret)
		ret = read_trace(target, err);
	return ret ? ret : open_to_write(target, err);
}

/* The name of the file too: trace-cmd does not see to it. */
static int sync_folder(const char *path, struct smap_error *err)
{
	char *real = realpath(path, NULL);
	int fd, ret = 0;

	if (!real)
		return smap_error_set(err, -errno, "%m");
	fd = open(dirname(real), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A folder that may be passed through and not be read. */
	if (fd < 0 && errno != EACCES)
		ret = smap_error_set(err, -errno, "its folder: %m");
	else if (fd >= 0 && smap_sync_fd(fd) && errno != EINVAL)
		ret = smap_error_set(err, -errno, "fsync of its folder: %m");
	if (fd >= 0)
		close(fd);
	free(real);
	return ret;
}

/* ---- in ---- */

static int attach(struct stackmap_attachment *attachment, struct target *target,
		  size_t *ret_nr_added)
{
	const struct smap_attach_input input = {
		.saves = attachment->saves,
		.nr_saves = attachment->nr_saves,
		.check = check_unchanged,
		.data = target,
	};
	struct smap_error *err = &attachment->err;
	int ret;

	ret = open_target(target, err);
	if (!ret)
		ret = smap_attach(target->fd, target->trace->end, &input, ret_nr_added, err);
	return ret ? ret : sync_folder(target->path, err);
}

SMAP_PUBLIC int stackmap_attachment_write(struct stackmap_attachment *attachment,
					  const char *trace)
{
	struct target target = TARGET_INIT;
	size_t nr_added = 0;
	int ret;

	if (!trace)
		return smap_error_set(&attachment->err, -EINVAL, "no path");
	if (!attachment->nr_saves)
		return smap_error_set(&attachment->err, -ENODATA,
				      "%s: not written: no saved map was given", trace);
	target.path = trace;
	ret = attach(attachment, &target, &nr_added);
	close_target(&target);
	if (ret)
		return smap_errno(smap_error_prefix(&attachment->err, ret, "%s", trace));
	return (int)nr_added;
}

/* ---- out ---- */

/* Owner and mode of the trace for a file that was not there before; as far as we may. */
static void give_to_owner(const char *path, const struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return;
	if (!fchown(fd, st->st_uid, st->st_gid))
		fchmod(fd, st->st_mode & 0666);
	close(fd);
}

static int give_back(struct target *target, struct smap_store *store, const char *path,
		     struct smap_error *err)
{
	bool is_new = access(path, F_OK);
	int ret;

	if (!is_new && smap_store_nr_damages(store))
		return smap_error_set(err, -EBADMSG,
				      "%s: what is attached is damaged, and can only be put into a new file",
				      target->path);
	ret = smap_store_append_saves(path, store, err);
	if (!ret && is_new)
		give_to_owner(path, &target->st);
	return ret;
}

static int detach(struct stackmap_attachment *attachment, struct target *target, const char *path,
		  size_t *ret_nr)
{
	struct smap_error *err = &attachment->err;
	struct smap_store *store = NULL;
	int ret;

	ret = open_target(target, err);
	if (ret)
		return smap_error_prefix(err, ret, "%s", target->path);
	ret = smap_store_open_attached(target->fd, target->trace->end, &store, err);
	if (ret == -ENODATA)
		return smap_error_set(err, ret, "%s: no saved map is attached to it",
				      target->path);
	/* Who throws it away need not be able to read it. */
	if (ret && path)
		return smap_error_prefix(err, ret, "%s: what is attached", target->path);
	*ret_nr = ret ? 0 : smap_store_nr_saves(store);
	ret = path ? give_back(target, store, path, err) : 0;
	smap_store_close(store);
	if (ret)
		return ret;
	ret = check_unchanged(target, err);
	if (!ret)
		ret = smap_detach(target->fd, target->trace->end, err);
	if (!ret)
		ret = sync_folder(target->path, err);
	return ret ? smap_error_prefix(err, ret, "%s", target->path) : 0;
}

SMAP_PUBLIC int stackmap_attachment_detach(struct stackmap_attachment *attachment,
					   const char *trace, const char *path)
{
	struct target target = TARGET_INIT;
	size_t nr = 0;
	int ret;

	if (!trace)
		return smap_error_set(&attachment->err, -EINVAL, "no path");
	target.path = trace;
	ret = detach(attachment, &target, path, &nr);
	close_target(&target);
	return ret ? smap_errno(ret) : (int)nr;
}
