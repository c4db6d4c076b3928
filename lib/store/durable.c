// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "durable.h"

int smap_write_all(int fd, const char *data, size_t len, off_t offset, struct smap_error *err)
{
	ssize_t done;

	while (len) {
		done = pwrite(fd, data, len, offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return smap_error_set(err, -errno, "write: %m");
		if (!done)
			return smap_error_set(err, -EIO, "write: nothing was taken");
		data += done;
		len -= (size_t)done;
		offset += done;
	}
	return 0;
}

int smap_sink_check_end(const struct smap_sink *sink, struct smap_error *err)
{
	struct stat st;

	if (!sink->is_shared)
		return 0;
	if (fstat(sink->fd, &st))
		return smap_error_set(err, -errno, "%m");
	if ((uint64_t)st.st_size != sink->base + sink->len)
		return smap_error_set(err, -EBUSY,
				      "was changed meanwhile by somebody else: nothing is attached, try again");
	return 0;
}

int smap_sink_add(struct smap_sink *sink, const void *data, size_t len, struct smap_error *err)
{
	int (*begin)(struct smap_sink *sink, struct smap_error *err) = sink->begin;
	int ret = 0;

	sink->begin = NULL;
	if (begin)
		ret = begin(sink, err);
	if (!ret)
		ret = smap_sink_check_end(sink, err);
	if (!ret)
		ret = smap_write_all(sink->fd, data, len, (off_t)(sink->base + sink->len), err);
	if (!ret)
		sink->len += len;
	return ret;
}

int smap_sink_pad(struct smap_sink *sink, struct smap_error *err)
{
	static const char zeros[8];

	return smap_sink_add(sink, zeros, -sink->len % 8, err);
}

int smap_sync_fd(int fd)
{
	int ret;

	do
		ret = fsync(fd);
	while (ret && errno == EINTR);
	return ret;
}

int smap_sync_file(int fd, struct smap_error *err)
{
	int spare;

	if (smap_sync_fd(fd))
		return smap_error_set(err, -errno, "fsync: %m");
	/*
	 * Some network file systems tell of a full disk only when a descriptor is closed: close one
	 * that is to spare.
	 */
	spare = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (spare < 0)
		return smap_error_set(err, -errno, "%m");
	if (close(spare) && errno != EINTR)
		return smap_error_set(err, -errno, "close: %m");
	return 0;
}

static void wait_a_little(void)
{
	struct timespec left = { .tv_nsec = SMAP_LOCK_STEP_MS * 1000000L };

	/* Signals do not make it shorter: some programs take hundreds in a second. */
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

int smap_lock(int fd, unsigned int ms, struct smap_error *err)
{
	unsigned int waited;

	for (waited = 0; ; waited += SMAP_LOCK_STEP_MS) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return smap_error_set(err, -errno, "lock: %m");
		if (waited >= ms)
			break;
		wait_a_little();
	}
	return smap_error_set(err, -ETIMEDOUT, "another process has had it locked for %u s: "
			      "continue or end it, if it is stopped", ms / 1000);
}
