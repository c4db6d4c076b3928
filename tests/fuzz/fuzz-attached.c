// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace.dat with something behind it: what is attached is read, more is attached, and all of it
 * comes out again. As it is, and once more with every checksum behind the trace made right.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz-store.h"
#include "store/attached.h"
#include "tracedat/tracedat.h"

static const char more[] = "stack_id 9 gen 9 ref 1 depth 1\n => nine+0x0/0x10\n";

static uint64_t size_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		abort();
	return (uint64_t)st.st_size;
}

static int make_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz-attached", MFD_CLOEXEC);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	return fd;
}

/* The number of saves that are attached. */
static size_t look(int fd, uint64_t end)
{
	struct smap_error err = { "" };
	struct smap_store *store;
	size_t nr;
	int ret;

	ret = smap_store_open_attached(fd, end, &store, &err);
	if (ret) {
		if (ret != -ENODATA && !strlen(err.text))
			abort();
		return 0;
	}
	fuzz_use_store(store);
	nr = smap_store_nr_saves(store);
	smap_store_close(store);
	return nr;
}

/* Nothing is lost by attaching more, nor the trace by anything. */
static void attach(int fd, uint64_t end, const uint8_t *data)
{
	struct smap_error err = { "" };
	struct smap_store *store;
	struct smap_save_ref ref;
	const struct smap_attach_input input = { .saves = &ref, .nr_saves = 1 };
	size_t before = look(fd, end), nr_added;
	uint8_t *trace = malloc(end + 1);
	int ret;

	if (!trace || smap_store_open_memory(more, strlen(more), &store, &err))
		abort();
	ref = (struct smap_save_ref){ store, 0 };
	ret = smap_attach(fd, end, &input, &nr_added, &err);
	smap_store_close(store);
	if (ret && !strlen(err.text))
		abort();
	if (!ret && look(fd, end) != before + nr_added)
		abort();
	if (pread(fd, trace, end, 0) != (ssize_t)end || memcmp(trace, data, end))
		abort();
	free(trace);
	if (smap_detach(fd, end, &err) || size_of(fd) != end)
		abort();
}

static void use(const uint8_t *data, size_t size)
{
	struct smap_tracedat *tracedat;
	struct smap_error err;
	int fd = make_file(data, size);

	if (!smap_tracedat_open_fd(fd, &tracedat, &err)) {
		attach(fd, tracedat->end, data);
		smap_tracedat_close(tracedat);
	}
	close(fd);
}

static void seal_commit(struct smap_attached_commit *commit)
{
	commit->checksum = htole64(smap_checksum(commit, offsetof(struct smap_attached_commit,
								  checksum)));
}

static void seal_tail(uint8_t *data, size_t size)
{
	struct smap_attached_header header;

	if (size < sizeof(header))
		return;
	memcpy(&header, data, sizeof(header));
	header.checksum = htole64(smap_checksum(&header, offsetof(struct smap_attached_header,
								  checksum)));
	seal_commit(&header.commits[0]);
	/* One that is not written is all zero. */
	if (header.commits[1].sequence)
		seal_commit(&header.commits[1]);
	memcpy(data, &header, sizeof(header));
	fuzz_seal_store(data + sizeof(header), size - sizeof(header));
}

/* Where the trace ends is what the trace says. */
static uint64_t end_of(const uint8_t *data, size_t size)
{
	struct smap_tracedat *tracedat;
	struct smap_error err;
	int fd = make_file(data, size);
	uint64_t end = size;

	if (!smap_tracedat_open_fd(fd, &tracedat, &err)) {
		end = tracedat->end;
		smap_tracedat_close(tracedat);
	}
	close(fd);
	return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t end = end_of(data, size);
	uint8_t *copy;

	use(data, size);
	if (end >= size)
		return 0;
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	seal_tail(copy + end, size - (size_t)end);
	use(copy, size);
	free(copy);
	return 0;
}
