// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding the store that is attached to a trace.dat.
 *
 * Nothing here is trusted: a place and a length come from a header with a right checksum, and are
 * held against the file. Where one commit is damaged the store is read to the end of the
 * file: its blocks have checksums of their own, and had to be on disk before a commit was written.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attached.h"
#include "block.h"
#include "stream.h"

/* The header, and the magic of the store behind it. */
struct head {
	struct smap_attached_header	header;
	uint8_t				store_magic[8];
};

#define HEADER_SIZE	(sizeof(struct smap_attached_header))

void smap_attached_make_header(struct smap_attached_header *header, uint64_t end)
{
	memset(header, 0, sizeof(*header));
	memcpy(header->magic, SMAP_ATTACHED_MAGIC, sizeof(header->magic));
	memset(header->guard, SMAP_ATTACHED_GUARD, sizeof(header->guard));
	header->version = htole16(SMAP_ATTACHED_VERSION);
	header->header_size = htole16(HEADER_SIZE);
	header->begin = htole64(end);
	header->checksum = htole64(smap_checksum(header, offsetof(struct smap_attached_header,
								  checksum)));
}

void smap_attached_make_commit(struct smap_attached_commit *commit, uint64_t sequence,
			       uint64_t len)
{
	*commit = (struct smap_attached_commit){
		.sequence = htole64(sequence),
		.len = htole64(len),
	};
	commit->checksum = htole64(smap_checksum(commit, offsetof(struct smap_attached_commit,
								  checksum)));
}

static int read_head(int fd, uint64_t end, struct head *head, size_t *ret_len,
		     struct smap_error *err)
{
	size_t len = 0;
	ssize_t got;

	memset(head, 0, sizeof(*head));
	while (len < sizeof(*head)) {
		got = pread(fd, (uint8_t *)head + len, sizeof(*head) - len, (off_t)(end + len));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return smap_error_set(err, -errno, "byte %llu: %m",
					      (unsigned long long)(end + len));
		if (!got)
			break;
		len += (size_t)got;
	}
	*ret_len = len;
	return 0;
}

/* What a crash can leave of a header that was being written: each byte as it was to be, or zero. */
static bool is_torn_header(const struct head *head, size_t len, uint64_t end)
{
	struct smap_attached_header wanted;
	const uint8_t *found = (const uint8_t *)head, *made = (const uint8_t *)&wanted;
	size_t i;

	smap_attached_make_header(&wanted, end);
	if (len > HEADER_SIZE)
		return false;
	for (i = 0; i < len; i++)
		if (found[i] && found[i] != made[i])
			return false;
	return true;
}

static bool is_zero(const struct smap_attached_commit *commit)
{
	static const struct smap_attached_commit zero;

	return !memcmp(commit, &zero, sizeof(zero));
}

static bool is_whole(const struct smap_attached_commit *commit)
{
	return le64toh(commit->checksum) ==
	       smap_checksum(commit, offsetof(struct smap_attached_commit, checksum));
}

/* The last commit whose bytes are all there; where there is none, the last one. */
static const struct smap_attached_commit *
choose(const struct smap_attached_commit commits[2], uint64_t room)
{
	const struct smap_attached_commit *chosen = NULL;
	bool fits, chosen_fits = false;
	int i;

	for (i = 0; i < 2; i++) {
		if (!is_whole(&commits[i]))
			continue;
		fits = le64toh(commits[i].len) <= room;
		if (!chosen || fits > chosen_fits ||
		    (fits == chosen_fits &&
		     le64toh(commits[i].sequence) > le64toh(chosen->sequence))) {
			chosen = &commits[i];
			chosen_fits = fits;
		}
	}
	return chosen;
}

static void take_commits(struct smap_attached *attached,
			 const struct smap_attached_commit commits[2])
{
	uint64_t room = attached->file_size - attached->begin, len;
	const struct smap_attached_commit *chosen = choose(commits, room);
	int i;

	if (is_zero(&commits[0]) && is_zero(&commits[1]) && attached->is_header_whole) {
		attached->state = SMAP_ATTACHED_BEGUN;
		return;
	}
	attached->state = SMAP_ATTACHED_THERE;
	for (i = 0; i < 2; i++)
		attached->is_damaged |= !is_zero(&commits[i]) && !is_whole(&commits[i]);
	if (!chosen) {
		attached->is_damaged = true;
		attached->len = room;
		return;
	}
	attached->next = chosen == &commits[0];
	attached->sequence = le64toh(chosen->sequence);
	len = le64toh(chosen->len);
	attached->len = len > room || attached->is_damaged ? room : len;
	attached->missing = len > room ? len - room : 0;
}

static int take_header(struct smap_attached *attached, const struct head *head, uint64_t end,
		       struct smap_error *err)
{
	const struct smap_attached_header *header = &head->header;
	size_t size = le16toh(header->header_size);

	attached->is_header_whole = le64toh(header->checksum) ==
		smap_checksum(header, offsetof(struct smap_attached_header, checksum));
	if (attached->is_header_whole) {
		if (le64toh(header->begin) != end) {
			attached->state = SMAP_ATTACHED_FOREIGN;
			return 0;
		}
		if (le16toh(header->version) != SMAP_ATTACHED_VERSION || header->must_understand ||
		    size < HEADER_SIZE || size > SMAP_HEADER_MAX)
			return smap_error_set(err, -EOPNOTSUPP,
					      "maps attached by a newer version (format %u)",
					      le16toh(header->version));
	} else {
		attached->is_damaged = true;
		size = HEADER_SIZE;
	}
	attached->begin = end + size;
	if (attached->begin >= attached->file_size) {
		attached->state = SMAP_ATTACHED_BEGUN;
		return 0;
	}
	take_commits(attached, header->commits);
	return 0;
}

int smap_attached_find(int fd, uint64_t end, struct smap_attached *ret_attached,
		       struct smap_error *err)
{
	struct smap_attached attached = { .state = SMAP_ATTACHED_NONE };
	struct stat st;
	struct head head;
	size_t len = 0;
	int ret;

	ret = read_head(fd, end, &head, &len, err);
	if (ret)
		return ret;
	if (!len) {
		attached.file_size = end;
		*ret_attached = attached;
		return 0;
	}
	if (fstat(fd, &st))
		return smap_error_set(err, -errno, "%m");
	attached.file_size = (uint64_t)st.st_size < end + len ? end + len : (uint64_t)st.st_size;
	if (is_torn_header(&head, len, end))
		attached.state = SMAP_ATTACHED_BEGUN;
	else if (!memcmp(head.header.magic, SMAP_ATTACHED_MAGIC, sizeof(head.header.magic)) ||
		 !memcmp(head.store_magic, SMAP_STORE_MAGIC, sizeof(head.store_magic)))
		ret = take_header(&attached, &head, end, err);
	else
		attached.state = SMAP_ATTACHED_FOREIGN;
	if (!ret)
		*ret_attached = attached;
	return ret;
}
