// SPDX-License-Identifier: GPL-2.0
/*
 * stack_map_bin of tracefs: a map as it is told by include/uapi/linux/ftrace_stackmap.h.
 *
 * The stream is made one record at a time. A read() returns whole records as long as there is
 * room for one: seq_file would make a record anew each time that it finds its buffer too small.
 */
#include <linux/build_bug.h>
#include <linux/buildid.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/ftrace_stackmap.h>
#include <asm/sections.h>

#include "trace_stackmap.h"

static_assert(sizeof(struct ftrace_stackmap_bin_header) == 64);
static_assert(sizeof(struct ftrace_stackmap_bin_stack) == 24);
static_assert(sizeof(struct ftrace_stackmap_bin_trailer) == 40);
static_assert(offsetof(struct ftrace_stackmap_bin_header, stext) == 24);
static_assert(offsetof(struct ftrace_stackmap_bin_header, build_id) == 44);
static_assert(offsetof(struct ftrace_stackmap_bin_stack, frames_offset) == 20);
static_assert(offsetof(struct ftrace_stackmap_bin_trailer, nr_bytes) == 16);

enum bin_state {
	BIN_HEADER,
	BIN_STACKS,
	BIN_TRAILER,
	BIN_END,
};

struct bin_file {
	struct ftrace_stackmap_reader	reader;
	struct mutex			lock;		/* of all below */
	enum bin_state			state;
	u32				slot;		/* of the next stack */
	u32				nr_stacks;
	u64				nr_bytes;	/* made so far */
	void				*record;	/* made last */
	size_t				record_size;	/* allocated */
	size_t				len;		/* of the record */
	size_t				sent;		/* of it */
};

/* Of a record of @len bytes, all zero. NULL: no memory. */
static void *bin_new_record(struct bin_file *bin, size_t len)
{
	if (len > bin->record_size) {
		kvfree(bin->record);
		bin->record_size = 0;
		bin->record = kvmalloc(roundup_pow_of_two(len), GFP_KERNEL);
		if (!bin->record)
			return NULL;
		bin->record_size = roundup_pow_of_two(len);
	}
	bin->len = len;
	bin->sent = 0;
	bin->nr_bytes += len;
	return memset(bin->record, 0, len);
}

static void bin_set_build_id(struct ftrace_stackmap_bin_header *header)
{
#if IS_ENABLED(CONFIG_STACKTRACE_BUILD_ID) || IS_ENABLED(CONFIG_VMCORE_INFO)
	static_assert(sizeof(vmlinux_build_id) == sizeof(header->build_id));

	/* All zero: the linker gave none */
	if (!memchr_inv(vmlinux_build_id, 0, sizeof(vmlinux_build_id)))
		return;
	header->build_id_len = sizeof(header->build_id);
	memcpy(header->build_id, vmlinux_build_id, sizeof(header->build_id));
#endif
}

static int bin_make_header(struct bin_file *bin)
{
	const struct ftrace_stackmap *map = bin->reader.map;
	struct ftrace_stackmap_bin_header *header;

	header = bin_new_record(bin, sizeof(*header));
	if (!header)
		return -ENOMEM;
	header->magic		= FTRACE_STACKMAP_BIN_MAGIC;
	header->version		= FTRACE_STACKMAP_BIN_VERSION;
	header->header_size	= sizeof(*header);
	/* Pairs with the release of whoever closed it: all that was recorded is seen */
	if (smp_load_acquire(&map->closed))
		header->flags |= FTRACE_STACKMAP_BIN_CLOSED;
	if (!IS_ENABLED(CONFIG_64BIT))
		header->flags |= FTRACE_STACKMAP_BIN_ADDR32;
	header->generation	= map->generation;
	header->capacity	= map->capacity;
	header->stext		= (unsigned long)_stext;
	header->trampoline	= FTRACE_TRAMPOLINE_MARKER;
	bin_set_build_id(header);
	bin->state = BIN_STACKS;
	return 0;
}

static int bin_make_stack(struct bin_file *bin)
{
	struct ftrace_stackmap_bin_stack *record;
	struct ftrace_stackmap_stack stack;
	u64 *frames;

	bin->slot = ftrace_stackmap_next_slot(bin->reader.map, bin->slot);
	if (!ftrace_stackmap_get_stack(bin->reader.map, bin->slot, &stack)) {
		bin->state = BIN_TRAILER;
		return 0;
	}

	record = bin_new_record(bin, sizeof(*record) + stack.depth * sizeof(*frames));
	if (!record)
		return -ENOMEM;
	record->kind		= FTRACE_STACKMAP_BIN_STACK;
	record->size		= bin->len;
	record->slot		= stack.slot;
	record->ref		= stack.ref;
	record->frames		= stack.depth;
	record->frames_offset	= sizeof(*record);
	frames = (u64 *)(record + 1);
	for (unsigned int i = 0; i < stack.depth; i++)
		frames[i] = ftrace_stackmap_get_frame(&stack, i);
	bin->slot++;
	bin->nr_stacks++;
	return 0;
}

static int bin_make_trailer(struct bin_file *bin)
{
	const struct ftrace_stackmap *map = bin->reader.map;
	struct ftrace_stackmap_bin_trailer *trailer;
	u64 nr_bytes = bin->nr_bytes;

	trailer = bin_new_record(bin, sizeof(*trailer));
	if (!trailer)
		return -ENOMEM;
	trailer->kind		= FTRACE_STACKMAP_BIN_TRAILER;
	trailer->size		= bin->len;
	trailer->nr_stacks	= bin->nr_stacks;
	trailer->nr_bytes	= nr_bytes;
	trailer->successes	= ftrace_stackmap_sum(map, FTRACE_STACKMAP_SUCCESS);
	trailer->fallbacks	= ftrace_stackmap_fallbacks(map);
	bin->state = BIN_END;
	return 0;
}

static int (* const bin_make[])(struct bin_file *bin) = {
	[BIN_HEADER]	= bin_make_header,
	[BIN_STACKS]	= bin_make_stack,
	[BIN_TRAILER]	= bin_make_trailer,
};

/* Have something to send, or be at the end. */
static int bin_fill(struct bin_file *bin)
{
	while (bin->sent == bin->len && bin->state != BIN_END) {
		int ret = bin_make[bin->state](bin);

		if (ret)
			return ret;
	}
	return 0;
}

static ssize_t stack_map_bin_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	struct bin_file *bin = file->private_data;
	size_t done = 0;
	int ret;

	guard(mutex)(&bin->lock);

	ftrace_stackmap_hold(&bin->reader);
	if (!bin->reader.map)
		return 0;
	while (done < count) {
		size_t len;

		ret = bin_fill(bin);
		if (ret)
			return done ?: ret;
		len = min(bin->len - bin->sent, count - done);
		/* In parts only where not even one record has room */
		if (!len || (done && len < bin->len - bin->sent))
			break;
		if (copy_to_user(ubuf + done, bin->record + bin->sent, len))
			return done ?: -EFAULT;
		bin->sent += len;
		done += len;
		cond_resched();
	}
	return done;
}

static int stack_map_bin_open(struct inode *inode, struct file *file)
{
	struct bin_file *bin __free(kfree) = kzalloc(sizeof(*bin), GFP_KERNEL);
	int ret;

	ret = tracing_check_open_get_tr(NULL);
	if (ret)
		return ret;
	if (!bin)
		return -ENOMEM;

	mutex_init(&bin->lock);
	bin->reader.root = &ftrace_stackmap_root;
	ftrace_stackmap_hold(&bin->reader);
	file->private_data = no_free_ptr(bin);
	return nonseekable_open(inode, file);
}

static int stack_map_bin_release(struct inode *inode, struct file *file)
{
	struct bin_file *bin = file->private_data;

	ftrace_stackmap_release(&bin->reader);
	mutex_destroy(&bin->lock);
	kvfree(bin->record);
	kfree(bin);
	return 0;
}

static const struct file_operations stack_map_bin_fops = {
	.open		= stack_map_bin_open,
	.read		= stack_map_bin_read,
	.release	= stack_map_bin_release,
};

void ftrace_stackmap_create_bin_file(struct trace_array *tr)
{
	trace_create_file("stack_map_bin", TRACE_MODE_READ, NULL, tr, &stack_map_bin_fops);
}
