// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Putting saves behind a trace, so that the trace is whole at every moment.
 *
 *	first:	header without a commit | fsync | store | fsync | commit | fsync
 *	later:	cut what was never committed | blocks | fsync | the other commit | fsync
 *	detach:	header without a commit | fsync | cut behind it | fsync | cut it | fsync
 *
 * The header comes first since it is what keeps a reader of traces out of the rest. What stands
 * behind the last commit counts for nobody: blocks go there as they are read, and one that turns
 * out to have changed is a failure as any. On failure the file is cut to where it ended before.
 *
 * Who writes a trace knows of no lock. It is looked at again before each part and before the
 * commit; one that somebody else made longer or shorter is his, and is left as it is.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attached.h"
#include "copy.h"

struct attach {
	int			fd;
	uint64_t		end;		/* of the trace */
	struct smap_attached	attached;	/* what was found */
	struct smap_store	*store;		/* that is attached; NULL: none yet */
	uint64_t		old_end;	/* of what counts in the file */
	uint64_t		store_id;
	const struct smap_attach_input *input;
	bool			is_begun;	/* something may have been written */
};

static int find_place(struct attach *attach, struct smap_error *err)
{
	struct smap_attached *attached = &attach->attached;
	int ret;

	ret = smap_attached_find(attach->fd, attach->end, attached, err);
	if (ret)
		return ret;
	attach->old_end = attach->end;
	if (attached->state == SMAP_ATTACHED_FOREIGN)
		return smap_error_set(err, -EEXIST,
				      "%llu bytes of something else stand behind its last section, at byte %llu",
				      (unsigned long long)(attached->file_size - attach->end),
				      (unsigned long long)attach->end);
	if (attached->state != SMAP_ATTACHED_THERE)
		return 0;
	if (!attached->is_header_whole)
		return smap_error_set(err, -EBADMSG,
				      "what is attached has a damaged header: detach it first");
	attach->old_end = attached->begin + attached->len;
	ret = smap_store_open_attached(attach->fd, attach->end, &attach->store, err);
	if (!ret && attach->store->is_raw)
		ret = smap_error_set(err, -EBADMSG, "no saved maps");
	return ret ? smap_error_prefix(err, ret, "what is attached") : 0;
}

static int cut(int fd, uint64_t size, struct smap_error *err)
{
	if (ftruncate(fd, (off_t)size))
		return smap_error_set(err, -errno, "cut to %llu bytes: %m",
				      (unsigned long long)size);
	return 0;
}

static int put_header(int fd, uint64_t end, struct smap_error *err)
{
	struct smap_attached_header header;
	int ret;

	smap_attached_make_header(&header, end);
	ret = smap_write_all(fd, (const char *)&header, sizeof(header), (off_t)end, err);
	return ret ? ret : smap_sync_file(fd, err);
}

/*
 * All that stands behind the trace. What a file system clears behind a new end can be on disk
 * before that end is: where the header was cleared so, and not all behind it, nobody would know any
 * more whose that is.
 */
static int cut_all(int fd, uint64_t end, struct smap_error *err)
{
	const uint64_t behind = end + sizeof(struct smap_attached_header);
	struct smap_error ignored;
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	/* Where there is no room to write it, it is cut all the same. */
	if ((uint64_t)st.st_size > behind && !put_header(fd, end, &ignored) &&
	    !cut(fd, behind, &ignored))
		smap_sync_fd(fd);
	ret = cut(fd, end, err);
	return ret ? ret : smap_sync_file(fd, err);
}

static off_t commit_at(const struct attach *attach)
{
	return (off_t)(attach->end + offsetof(struct smap_attached_header, commits) +
		       attach->attached.next * sizeof(struct smap_attached_commit));
}

static int put_commit(const struct attach *attach, const struct smap_attached_commit *commit,
		      struct smap_error *err)
{
	return smap_write_all(attach->fd, (const char *)commit, sizeof(*commit), commit_at(attach),
			      err);
}

/* What stands before it is on disk by then; where it fails, it counts for nobody. */
static int commit(const struct attach *attach, uint64_t len, struct smap_error *err)
{
	static const struct smap_attached_commit none;
	struct smap_attached_commit commit;
	struct smap_error ignored;
	int ret;

	smap_attached_make_commit(&commit, attach->attached.sequence + 1, len);
	ret = put_commit(attach, &commit, err);
	if (!ret)
		ret = smap_sync_file(attach->fd, err);
	if (ret && attach->store)
		put_commit(attach, &none, &ignored);
	return ret;
}

/* As well as it can be done: what is left then is a torn tail, or a store that is whole. */
static void undo(const struct attach *attach)
{
	struct smap_error ignored;

	if (!attach->store)
		cut_all(attach->fd, attach->end, &ignored);
	else if (!ftruncate(attach->fd, (off_t)attach->old_end))
		smap_sync_fd(attach->fd);
}

static int begin_first(struct attach *attach, struct smap_sink *sink, struct smap_error *err)
{
	struct smap_buf header = SMAP_BUF_INIT;
	int ret = 0;

	if (smap_store_encode_header(&header, attach->store_id))
		return smap_error_nomem(err);
	if (attach->attached.file_size > attach->end)
		ret = cut_all(attach->fd, attach->end, err);
	if (!ret)
		ret = put_header(attach->fd, attach->end, err);
	if (!ret)
		ret = smap_sink_add(sink, header.data, header.len, err);
	smap_buf_free(&header);
	return ret;
}

static int begin_later(struct attach *attach, struct smap_sink *sink, struct smap_error *err)
{
	int ret = 0;

	if (attach->attached.file_size > attach->old_end)
		ret = cut(attach->fd, attach->old_end, err);
	return ret ? ret : smap_sink_pad(sink, err);
}

static int check(const struct attach *attach, struct smap_error *err)
{
	const struct smap_attach_input *input = attach->input;

	return input->check ? input->check(input->data, err) : 0;
}

static int begin(struct smap_sink *sink, struct smap_error *err)
{
	struct attach *attach = sink->data;
	int ret = check(attach, err);

	if (ret)
		return ret;
	attach->is_begun = true;
	return attach->store ? begin_later(attach, sink, err) : begin_first(attach, sink, err);
}

/* Where there is nothing to write: who wrote them may have been killed before they were on disk. */
static int sync_what_is_there(const struct attach *attach, struct smap_error *err)
{
	int ret = check(attach, err);

	return ret ? ret : smap_sync_file(attach->fd, err);
}

static int write_saves(struct attach *attach, size_t *ret_nr_added, struct smap_error *err)
{
	struct smap_sink sink = { .fd = attach->fd, .is_shared = true, .begin = begin,
				  .data = attach };
	int ret;

	if (attach->store) {
		attach->store_id = attach->store->store_id;
		sink.base = attach->attached.begin;
		sink.len = attach->attached.len;
	} else {
		attach->store_id = smap_store_new_id();
		sink.base = attach->end + sizeof(struct smap_attached_header);
	}
	ret = smap_store_copy_saves(&sink, attach->store_id, attach->input->saves,
				    attach->input->nr_saves, attach->store, ret_nr_added, err);
	if (!ret && !attach->is_begun)
		return sync_what_is_there(attach, err);
	if (!ret)
		ret = smap_sync_file(attach->fd, err);
	if (!ret)
		ret = smap_sink_check_end(&sink, err);
	if (!ret)
		ret = commit(attach, sink.len, err);
	if (ret && ret != -EBUSY && attach->is_begun)
		undo(attach);
	return ret;
}

int smap_attach(int fd, uint64_t end, const struct smap_attach_input *input, size_t *ret_nr_added,
		struct smap_error *err)
{
	struct attach attach = { .fd = fd, .end = end, .input = input };
	size_t nr_added = 0;
	int ret;

	ret = find_place(&attach, err);
	if (!ret)
		ret = write_saves(&attach, &nr_added, err);
	smap_store_close(attach.store);
	if (!ret)
		*ret_nr_added = nr_added;
	return ret;
}

int smap_detach(int fd, uint64_t end, struct smap_error *err)
{
	return cut_all(fd, end, err);
}
