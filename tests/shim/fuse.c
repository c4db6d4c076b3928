// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracefs of a world for the kernel, which asks for it by /dev/fuse. What the calls do stands
 * in tracefs.c.
 *
 *	struct node		a name below root/; a file has a new one each time it is looked up
 *	struct open_file	an open file; fi->fh points to it
 *
 * The kernel lets one writer at a time into what it takes for the same file. But a write of "free"
 * waits for others, and one that a rule makes comes in the middle of another: so each open file is
 * a file of its own. For the same reason each request has a thread of its own, but for the end of
 * an open file: when a request that comes behind it is answered, whatever it asks for, then it is
 * closed.
 */
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuse.h"
#include "tracefs.h"

/* Folders stay; of files a test can take one away. */
#define FOLDER_TIMEOUT	86400.0

struct node {
	char	name[PATH_MAX];		/* "" for root/ itself, else with a slash in front */
};

struct open_file {
	int	fd;
	bool	is_plain;		/* of root/, as it is there */
	bool	is_seekable;
	off_t	shift;			/* from what was read of it to the position of the kernel */
};

static struct node root;

static struct {
	pthread_mutex_t	lock;
	pthread_cond_t	is_less;
	unsigned int	nr;
} opened = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static struct node *node_of(fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? &root : (struct node *)(uintptr_t)ino;
}

static struct open_file *file_of(const struct fuse_file_info *fi)
{
	return (struct open_file *)(uintptr_t)fi->fh;
}

static void find(struct shim_path *path, const char *name)
{
	char given[2 * PATH_MAX];

	snprintf(given, sizeof(given), "%s/root%s", shim_world_dir(), name);
	shim_path_find(path, AT_FDCWD, given);
}

static void find_node(struct shim_path *path, fuse_ino_t ino)
{
	find(path, node_of(ino)->name);
}

static int get_stat(const struct shim_path *path, struct stat *st)
{
	if (fstatat(AT_FDCWD, path->real, st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISREG(st->st_mode))
		shim_play_stat(st);
	return 0;
}

/* ---- names ---- */

static int make_entry(fuse_ino_t parent, const char *name, struct fuse_entry_param *entry)
{
	struct node *node = calloc(1, sizeof(*node));
	struct shim_path path;
	int ret;

	if (!node)
		return -ENOMEM;
	snprintf(node->name, sizeof(node->name), "%s/%s", node_of(parent)->name, name);
	find(&path, node->name);
	*entry = (struct fuse_entry_param){ .ino = (uintptr_t)node };
	ret = get_stat(&path, &entry->attr);
	if (ret) {
		free(node);
		return ret;
	}
	if (S_ISDIR(entry->attr.st_mode))
		entry->entry_timeout = FOLDER_TIMEOUT;
	return 0;
}

static void reply_entry(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry;
	int ret = make_entry(parent, name, &entry);

	if (ret)
		fuse_reply_err(req, -ret);
	else
		fuse_reply_entry(req, &entry);
}

static void do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	reply_entry(req, parent, name);
}

/* It was looked up once. */
static void do_forget(fuse_req_t req, fuse_ino_t ino, uint64_t times)
{
	if (ino != FUSE_ROOT_ID)
		free(node_of(ino));
	fuse_reply_none(req);
}

static void reply_attr(fuse_req_t req, fuse_ino_t ino)
{
	struct shim_path path;
	struct stat st;
	int ret;

	find_node(&path, ino);
	ret = get_stat(&path, &st);
	if (ret)
		fuse_reply_err(req, -ret);
	else
		fuse_reply_attr(req, &st, 0);
}

static void do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	reply_attr(req, ino);
}

/* A file has no length to be set; its mode is that of the file below root/. */
static void do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *st, int which,
		       struct fuse_file_info *fi)
{
	if (which & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else
		reply_attr(req, ino);
}

static void do_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	char given[2 * PATH_MAX];
	struct shim_path path;
	int ret;

	snprintf(given, sizeof(given), "%s/%s", node_of(parent)->name, name);
	find(&path, given);
	ret = shim_mkdir(&path, mode);
	if (ret)
		fuse_reply_err(req, -ret);
	else
		reply_entry(req, parent, name);
}

static void refuse_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
			 dev_t dev)
{
	fuse_reply_err(req, EACCES);
}

static void refuse_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	fuse_reply_err(req, EPERM);
}

static void refuse_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
			  const char *to_name, unsigned int flags)
{
	fuse_reply_err(req, EPERM);
}

/* ---- open files ---- */

static struct open_file *new_file(void)
{
	pthread_mutex_lock(&opened.lock);
	opened.nr++;
	pthread_mutex_unlock(&opened.lock);
	return calloc(1, sizeof(struct open_file));
}

static void free_file(struct open_file *file)
{
	if (file && file->fd >= 0)
		close(file->fd);
	free(file);
	pthread_mutex_lock(&opened.lock);
	opened.nr--;
	pthread_cond_signal(&opened.is_less);
	pthread_mutex_unlock(&opened.lock);
}

void shim_fuse_wait_closed(void)
{
	pthread_mutex_lock(&opened.lock);
	while (opened.nr)
		pthread_cond_wait(&opened.is_less, &opened.lock);
	pthread_mutex_unlock(&opened.lock);
}

static int open_file(struct open_file *file, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct shim_path path;

	if (!file)
		return -ENOMEM;
	find_node(&path, ino);
	/* Commands of rules do not hold it. */
	file->fd = (int)shim_open(&path, fi->flags | O_CLOEXEC);
	if (file->fd < 0)
		return file->fd;
	file->is_plain = !path.kind;
	file->is_seekable = file->is_plain || shim_is_seekable(file->fd);
	fi->fh = (uintptr_t)file;
	fi->direct_io = true;
	fi->noflush = true;
	fi->nonseekable = !file->is_seekable;
	return 0;
}

static void do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct open_file *file = new_file();
	int ret = open_file(file, ino, fi);

	if (ret)
		fuse_reply_err(req, -ret);
	/* The kernel can be in no need of it any more, and releases it not then. */
	if (ret || fuse_reply_open(req, fi))
		free_file(file);
}

static void do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	free_file(file_of(fi));
	fuse_reply_err(req, 0);
}

/* The kernel moves its position by itself; one that is not where we are was set by somebody. */
static int follow(struct open_file *file, off_t offset)
{
	struct shim_file state;

	if (!file->is_seekable || shim_file_read_state(file->fd, &state) ||
	    offset == (off_t)state.nr_read + file->shift)
		return 0;
	file->shift = 0;
	return (int)shim_seek(file->fd, offset, SEEK_SET);
}

static long read_file(struct open_file *file, char *data, size_t count, off_t offset)
{
	long ret;

	if (file->is_plain) {
		ret = pread(file->fd, data, count, offset);
		return ret < 0 ? -errno : ret;
	}
	ret = follow(file, offset);
	return ret < 0 ? ret : shim_read(file->fd, data, count);
}

static void do_read(fuse_req_t req, fuse_ino_t ino, size_t count, off_t offset,
		    struct fuse_file_info *fi)
{
	char *data = malloc(count);
	long ret = data ? read_file(file_of(fi), data, count, offset) : -ENOMEM;

	if (ret < 0)
		fuse_reply_err(req, (int)-ret);
	else
		fuse_reply_buf(req, data, (size_t)ret);
	free(data);
}

static long write_file(struct open_file *file, const char *data, size_t count, off_t offset,
		       int flags)
{
	struct shim_file state;
	long ret;

	if (file->is_plain) {
		ret = pwrite(file->fd, data, count, offset);
		return ret < 0 ? -errno : ret;
	}
	/* It can have been set since the file was opened. */
	fcntl(file->fd, F_SETFL, flags & O_NONBLOCK);
	ret = shim_write(file->fd, data, count);
	if (ret > 0 && !shim_file_read_state(file->fd, &state))
		file->shift = offset + ret - (off_t)state.nr_read;
	return ret;
}

static void do_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t count, off_t offset,
		     struct fuse_file_info *fi)
{
	long ret = write_file(file_of(fi), data, count, offset, fi->flags);

	if (ret < 0)
		fuse_reply_err(req, (int)-ret);
	else
		fuse_reply_write(req, (size_t)ret);
}

/* ---- folders ---- */

static void do_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct shim_path path;
	DIR *folder;
	int ret;

	find_node(&path, ino);
	ret = shim_path_moment(&path, "open", "r");
	if (ret) {
		fuse_reply_err(req, -ret);
		return;
	}
	folder = opendir(path.real);
	if (!folder) {
		fuse_reply_err(req, errno);
		return;
	}
	fi->fh = (uintptr_t)folder;
	if (fuse_reply_open(req, fi))
		closedir(folder);
}

/* As many names as there is room for. */
static size_t fill_names(fuse_req_t req, DIR *folder, char *data, size_t size)
{
	long at = telldir(folder);
	struct dirent *entry;
	size_t len = 0, need;
	struct stat st;

	while ((entry = readdir(folder))) {
		st.st_ino = entry->d_ino;
		st.st_mode = (mode_t)DTTOIF(entry->d_type);
		need = fuse_add_direntry(req, data + len, size - len, entry->d_name, &st,
					 telldir(folder));
		if (need > size - len) {
			seekdir(folder, at);
			break;
		}
		len += need;
		at = telldir(folder);
	}
	return len;
}

static void do_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		       struct fuse_file_info *fi)
{
	DIR *folder = (DIR *)(uintptr_t)fi->fh;
	char *data = malloc(size);

	if (!data) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	if (offset)
		seekdir(folder, offset);
	else
		rewinddir(folder);
	fuse_reply_buf(req, data, fill_names(req, folder, data, size));
	free(data);
}

static void do_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	closedir((DIR *)(uintptr_t)fi->fh);
	fuse_reply_err(req, 0);
}

/* ---- the session ---- */

static const struct fuse_lowlevel_ops operations = {
	.lookup = do_lookup,
	.forget = do_forget,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.mkdir = do_mkdir,
	.mknod = refuse_mknod,
	.unlink = refuse_unlink,
	.rmdir = refuse_unlink,
	.rename = refuse_rename,
	.open = do_open,
	.release = do_release,
	.read = do_read,
	.write = do_write,
	.opendir = do_opendir,
	.readdir = do_readdir,
	.releasedir = do_releasedir,
};

struct fuse_session *shim_fuse_mount(const char *mount)
{
	char *argv[] = {
		(char *)"stackmap-shim-fuse",
		(char *)"-oallow_other,default_permissions,fsname=stackmap-shim",
		NULL
	};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct fuse_session *session;

	session = fuse_session_new(&args, &operations, sizeof(operations), NULL);
	fuse_opt_free_args(&args);
	if (session && fuse_session_mount(session, mount)) {
		fuse_session_destroy(session);
		return NULL;
	}
	return session;
}

struct request {
	struct fuse_session	*session;
	struct fuse_buf		buf;
};

static const struct fuse_in_header *header_of(const struct request *request)
{
	return request->buf.mem;
}

static void *serve_request(void *data)
{
	struct request *request = data;

	shim_caller = (pid_t)header_of(request)->pid;
	fuse_session_process_buf(request->session, &request->buf);
	free(request->buf.mem);
	free(request);
	return NULL;
}

static void begin(struct request *request)
{
	pthread_t thread;

	if (header_of(request)->opcode == FUSE_RELEASE ||
	    pthread_create(&thread, NULL, serve_request, request))
		serve_request(request);
	else
		pthread_detach(thread);
}

void shim_fuse_serve(struct fuse_session *session)
{
	struct request *request;
	int ret;

	while (!fuse_session_exited(session)) {
		request = calloc(1, sizeof(*request));
		if (!request)
			break;
		request->session = session;
		ret = fuse_session_receive_buf(session, &request->buf);
		if (ret > 0) {
			begin(request);
			continue;
		}
		free(request->buf.mem);
		free(request);
		if (ret != -EINTR)
			break;
	}
}
