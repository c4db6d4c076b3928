// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

#define READ_STEP	(256 * 1024)
#define MAX_EAGAIN	1000

const char *smap_path_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static int open_path(const char *path, struct smap_error *err)
{
	int fd;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? smap_error_set(err, -errno, "%m") : fd;
}

int smap_check_len(uint64_t len, uint64_t max, int code, struct smap_error *err)
{
	if (len <= max)
		return 0;
	return smap_error_set(err, code, "longer than %llu bytes", (unsigned long long)max);
}

/*
 * A descriptor that somebody made non-blocking: wait for data. tracefs is always ready for
 * poll() and can say EAGAIN for good, so that there is an end to trying.
 */
static bool try_again(int fd, unsigned int *nr_tries)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN || ++*nr_tries > MAX_EAGAIN)
		return false;
	if (poll(&wait, 1, -1) == 1)
		poll(NULL, 0, 1);
	return true;
}

ssize_t smap_read_some(int fd, void *room, size_t len)
{
	unsigned int nr_tries = 0;
	ssize_t got;

	do
		got = read(fd, room, len);
	while (got < 0 && try_again(fd, &nr_tries));
	return got;
}

static int read_to_end(int fd, smap_wanted_fn wanted, struct smap_buf *buf, struct smap_error *err)
{
	bool asked = !wanted;
	ssize_t got;
	char *room;

	for (;;) {
		room = smap_buf_reserve(buf, READ_STEP);
		if (!room)
			return smap_error_nomem(err);
		got = smap_read_some(fd, room, READ_STEP);
		if (got < 0)
			return smap_error_set(err, -errno, "%m");
		buf->len += (size_t)got;
		buf->data[buf->len] = '\0';
		if (!asked && (!got || buf->len >= SMAP_PROBE_LEN)) {
			if (!wanted(buf->data, buf->len))
				return smap_error_set(err, -EINVAL, "no file of a known kind");
			asked = true;
		}
		if (!got)
			return 0;
		if (smap_check_len(buf->len, SMAP_READ_MAX, -EFBIG, err))
			return -EFBIG;
	}
}

int smap_read_file(const char *path, smap_wanted_fn wanted, struct smap_buf *buf,
		   struct smap_error *err)
{
	int fd = open_path(path, err);
	int ret = fd;

	if (fd >= 0) {
		ret = read_to_end(fd, wanted, buf, err);
		close(fd);
	}
	return ret < 0 ? smap_error_prefix(err, ret, "%s", smap_path_name(path)) : 0;
}

int smap_read_fd(int fd, struct smap_buf *buf, struct smap_error *err)
{
	return read_to_end(fd, NULL, buf, err);
}

static int take_all(struct smap_reader *reader, smap_wanted_fn wanted,
		    struct smap_error *err)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	size_t len;
	int ret;

	ret = read_to_end(reader->fd, wanted, &buf, err);
	if (!ret) {
		reader->owned = smap_buf_detach(&buf, &len);
		if (!reader->owned)
			ret = smap_error_nomem(err);
	}
	smap_buf_free(&buf);
	if (ret)
		return ret;
	close(reader->fd);
	reader->fd = -1;
	reader->data = (const uint8_t *)reader->owned;
	reader->len = len;
	return 0;
}

/* Takes @fd, also where it fails. */
static int take_fd(struct smap_reader *reader, int fd, uint64_t offset,
		   smap_wanted_fn wanted, struct smap_error *err)
{
	struct stat st;
	int ret = 0;

	reader->fd = fd;
	if (fstat(fd, &st))
		ret = smap_error_set(err, -errno, "%m");
	else if (S_ISDIR(st.st_mode))
		ret = smap_error_set(err, -EISDIR, "a folder without a *.stackmap in it");
	else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > offset) {
		reader->base = offset;
		reader->len = (uint64_t)st.st_size - offset;
	} else if (offset)
		ret = smap_error_set(err, -EINVAL, "nothing stands at byte %llu",
				     (unsigned long long)offset);
	else
		ret = take_all(reader, wanted, err);
	if (ret)
		smap_reader_close(reader);
	return ret;
}

int smap_reader_open(struct smap_reader *reader, const char *path, smap_wanted_fn wanted,
		     struct smap_error *err)
{
	int ret = open_path(path, err);

	*reader = (struct smap_reader)SMAP_READER_INIT;
	if (ret < 0)
		return ret;
	if (strcmp(path, "-"))
		return take_fd(reader, ret, 0, wanted, err);
	/* From where it stands, as everybody reads standard input. */
	reader->fd = ret;
	ret = take_all(reader, wanted, err);
	if (ret)
		smap_reader_close(reader);
	return ret;
}

int smap_reader_open_fd(struct smap_reader *reader, int fd, uint64_t offset,
			smap_wanted_fn wanted, struct smap_error *err)
{
	*reader = (struct smap_reader)SMAP_READER_INIT;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return smap_error_set(err, -errno, "%m");
	return take_fd(reader, fd, offset, wanted, err);
}

void smap_reader_open_memory(struct smap_reader *reader, const void *data, size_t len)
{
	*reader = (struct smap_reader)SMAP_READER_INIT;
	reader->data = data;
	reader->len = len;
}

void smap_reader_close(struct smap_reader *reader)
{
	int saved_errno = errno;

	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->owned);
	*reader = (struct smap_reader)SMAP_READER_INIT;
	errno = saved_errno;
}

static int read_fd(const struct smap_reader *reader, uint64_t offset, uint8_t *room, size_t len,
		   struct smap_error *err)
{
	ssize_t got;

	while (len) {
		got = pread(reader->fd, room, len, (off_t)(reader->base + offset));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return smap_error_set(err, -errno, "byte %llu: %m",
					      (unsigned long long)offset);
		if (!got)
			return smap_error_set(err, -EBADMSG, "cut short while it was read");
		room += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

int smap_reader_read(const struct smap_reader *reader, uint64_t offset, void *room, size_t len,
		     struct smap_error *err)
{
	if (offset > reader->len || len > reader->len - offset)
		return smap_error_set(err, -EBADMSG, "ends at byte %llu",
				      (unsigned long long)reader->len);
	if (reader->fd >= 0)
		return read_fd(reader, offset, room, len, err);
	if (len)
		memcpy(room, reader->data + offset, len);
	return 0;
}
