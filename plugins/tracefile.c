// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat/magic.h"
#include "tracefile.h"

#define MAGIC_LEN	SMAP_TRACEDAT_MAGIC_LEN
/* "6" or "7"; more digits than any version will have. */
#define VERSION_MAX	16
#define DELETED		" (deleted)"
/* Of a command line; longer ones are not searched to their end. */
#define CMDLINE_MAX	(1UL << 20)

/* How well a descriptor fits: the best wins, two of them that are different files are no answer. */
enum fit {
	FIT_NOT,
	FIT_CLAIMED,		/* in the header, but of a living handle */
	FIT_NEAR,		/* in the header */
	FIT_EXACT,		/* right behind the byte order */
};

struct candidate {
	enum fit	fit;
	bool		is_ambiguous;
	int		fd;
	struct stat	st;
};

static bool read_position(int fd, uint64_t *ret_position)
{
	char path[64];
	bool found;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	fp = fopen(path, "re");
	if (!fp)
		return false;
	found = fscanf(fp, "pos: %" SCNu64, ret_position) == 1;
	fclose(fp);
	return found;
}

/* Where the byte order stands; 0: no trace.dat. */
static uint64_t header_byte_order(int fd)
{
	char head[MAGIC_LEN + VERSION_MAX];
	const char *end;
	ssize_t len;

	len = pread(fd, head, sizeof(head), 0);
	if (len <= (ssize_t)MAGIC_LEN || memcmp(head, SMAP_TRACEDAT_MAGIC, MAGIC_LEN))
		return 0;
	end = memchr(head + MAGIC_LEN, '\0', len - MAGIC_LEN);
	return end ? end + 1 - head : 0;
}

static enum fit fit_position(int fd)
{
	uint64_t byte_order, position;

	byte_order = header_byte_order(fd);
	if (!byte_order || !read_position(fd, &position))
		return FIT_NOT;
	if (position == byte_order + 1)
		return FIT_EXACT;
	/* Long size and page size follow; a file that stands behind them was opened before. */
	if (position >= MAGIC_LEN && position < byte_order + 1 + 1 + 4)
		return FIT_NEAR;
	return FIT_NOT;
}

static void consider(struct candidate *best, int fd, smap_is_claimed_fn is_claimed, void *data)
{
	struct stat st;
	enum fit fit;

	/* Only a regular file has a position to speak of; reading another kind could block. */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	fit = fit_position(fd);
	if (fit == FIT_NOT)
		return;
	if (is_claimed(fd, st.st_dev, st.st_ino, data))
		fit = FIT_CLAIMED;
	if (fit < best->fit)
		return;
	if (fit == best->fit) {
		if (st.st_dev != best->st.st_dev || st.st_ino != best->st.st_ino)
			best->is_ambiguous = true;
		return;
	}
	*best = (struct candidate) { .fit = fit, .fd = fd, .st = st };
}

static bool find_candidate(smap_is_claimed_fn is_claimed, void *data, struct candidate *ret_best)
{
	struct candidate best = { .fit = FIT_NOT };
	struct dirent *entry;
	DIR *dir;
	int fd;

	dir = opendir("/proc/self/fd");
	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "%d", &fd) == 1 && fd != dirfd(dir))
			consider(&best, fd, is_claimed, data);
	}
	closedir(dir);
	*ret_best = best;
	return best.fit != FIT_NOT && !best.is_ambiguous;
}

/* A copy of what a symbolic link says, of any length; NULL: errno. */
static char *read_link(const char *path)
{
	size_t size = 256;
	char *text, *grown;
	ssize_t len;

	text = malloc(size);
	while (text) {
		len = readlink(path, text, size);
		if (len < 0)
			break;
		if ((size_t)len < size) {
			text[len] = '\0';
			return text;
		}
		size *= 2;
		grown = realloc(text, size);
		if (!grown)
			break;
		text = grown;
	}
	free(text);
	return NULL;
}

static bool is_same_file(const char *path, dev_t dev, ino_t ino)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == dev && st.st_ino == ino;
}

/*
 * /proc writes " (deleted)" behind the name of a file that is no longer there. Its map may still
 * lie beside the place where it was, unless another file has taken that place, and the map with it.
 */
static bool settle_name(struct smap_tracefile *file)
{
	size_t len = strlen(file->path), suffix = strlen(DELETED);
	struct stat st;

	if (is_same_file(file->path, file->dev, file->ino))
		return true;
	if (file->path[0] != '/' || len <= suffix || strcmp(file->path + len - suffix, DELETED))
		return false;
	file->is_deleted = true;
	file->path[len - suffix] = '\0';
	return lstat(file->path, &st) && errno == ENOENT;
}

/*
 * A descriptor of our own: opened anew, since a duplicate would share its position with the
 * reader's; the duplicate is for a file that may not be opened again.
 */
static int own_fd(int fd, const char *proc_path, const struct stat *wanted)
{
	struct stat st;
	int own;

	own = open(proc_path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (own >= 0 && !fstat(own, &st) &&
	    st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino)
		return own;
	if (own >= 0)
		close(own);
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int smap_tracefile_find(smap_is_claimed_fn is_claimed, void *data, struct smap_tracefile *ret_file)
{
	struct smap_tracefile file = SMAP_TRACEFILE_NONE;
	struct candidate best;
	char proc_path[64];

	*ret_file = file;
	if (!find_candidate(is_claimed, data, &best))
		return -ENOENT;
	snprintf(proc_path, sizeof(proc_path), "/proc/self/fd/%d", best.fd);
	file.claimed_fd = best.fd;
	file.dev = best.st.st_dev;
	file.ino = best.st.st_ino;
	file.path = read_link(proc_path);
	if (!file.path)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	if (!settle_name(&file)) {
		free(file.path);
		file.path = NULL;
	}
	file.fd = own_fd(best.fd, proc_path, &best.st);
	*ret_file = file;
	return 0;
}

void smap_tracefile_release(struct smap_tracefile *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct smap_tracefile) SMAP_TRACEFILE_NONE;
}

/* The words of the command line, a NUL behind each; to be freed. NULL: not to be had. */
static char *read_cmdline(size_t *ret_len)
{
	char *text, *grown;
	size_t len = 0;
	ssize_t got;
	int fd;

	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = malloc(CMDLINE_MAX + 1);
	while (text && len < CMDLINE_MAX && (got = read(fd, text + len, CMDLINE_MAX - len)) > 0)
		len += got;
	close(fd);
	if (!text)
		return NULL;
	text[len] = '\0';
	grown = realloc(text, len + 1);
	*ret_len = len;
	return grown ? grown : text;
}

struct alias_call {
	const struct smap_tracefile *file;
	int	(*fn)(const char *path, void *data);
	void	*data;
};

static int try_alias(const struct alias_call *call, const char *path)
{
	if (!*path || !is_same_file(path, call->file->dev, call->file->ino))
		return 0;
	if (call->file->path && !strcmp(path, call->file->path))
		return 0;
	return call->fn(path, call->data);
}

/* FILE, -iFILE, --option=FILE */
static int try_word(const struct alias_call *call, const char *word)
{
	const char *value;
	int ret;

	ret = try_alias(call, word);
	if (ret || word[0] != '-')
		return ret;
	if (word[1] == 'i')
		return try_alias(call, word + 2);
	value = strchr(word, '=');
	return value ? try_alias(call, value + 1) : 0;
}

int smap_tracefile_for_each_alias(const struct smap_tracefile *file,
				  int (*fn)(const char *path, void *data), void *data)
{
	const struct alias_call call = { .file = file, .fn = fn, .data = data };
	size_t len, pos;
	char *words;
	int ret = 0;

	if (file->claimed_fd < 0)
		return 0;
	words = read_cmdline(&len);
	for (pos = 0; words && pos < len && !ret; pos += strlen(words + pos) + 1)
		ret = try_word(&call, words + pos);
	free(words);
	return ret ? ret : try_alias(&call, "trace.dat");
}
