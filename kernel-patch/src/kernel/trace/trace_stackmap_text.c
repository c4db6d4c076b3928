// SPDX-License-Identifier: GPL-2.0
/*
 * stack_map and stack_map_stat of tracefs: a map as text, and what can be done to it.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "trace_stackmap.h"

/* stack_map: position is the slot */

static void *stack_map_stack(struct ftrace_stackmap_reader *reader, loff_t *pos)
{
	u32 slot;

	if (*pos < 0 || *pos >= ftrace_stackmap_nr_slots(reader->map))
		return NULL;
	slot = ftrace_stackmap_next_slot(reader->map, *pos);
	*pos = slot;
	return slot < ftrace_stackmap_nr_slots(reader->map) ? reader : NULL;
}

static void *stack_map_start(struct seq_file *m, loff_t *pos)
{
	struct ftrace_stackmap_reader *reader = m->private;

	ftrace_stackmap_hold(reader);
	if (!reader->map)
		return NULL;
	reader->started = true;
	return stack_map_stack(reader, pos);
}

static void *stack_map_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return stack_map_stack(m->private, pos);
}

static void stack_map_stop(struct seq_file *m, void *v)
{
}

static int stack_map_show(struct seq_file *m, void *v)
{
	struct ftrace_stackmap_reader *reader = v;
	struct ftrace_stackmap_stack stack;

	if (!ftrace_stackmap_get_stack(reader->map, m->index, &stack))
		return SEQ_SKIP;

	seq_printf(m, "stack_id %u gen %u ref %u depth %u\n", stack.slot,
		   reader->map->generation, stack.ref, stack.depth);
	for (unsigned int i = 0; i < stack.depth && !seq_has_overflowed(m); i++) {
		unsigned long frame = ftrace_stackmap_get_frame(&stack, i);

		if (frame == FTRACE_TRAMPOLINE_MARKER)
			seq_puts(m, " => [FTRACE TRAMPOLINE]\n");
		else
			seq_printf(m, " => %pS\n", (void *)frame);
	}
	return 0;
}

static const struct seq_operations stack_map_seq_ops = {
	.start	= stack_map_start,
	.next	= stack_map_next,
	.stop	= stack_map_stop,
	.show	= stack_map_show,
};

static int stack_map_open(struct inode *inode, struct file *file)
{
	struct ftrace_stackmap_reader *reader;
	int ret;

	ret = tracing_check_open_get_tr(NULL);
	if (ret || !(file->f_mode & FMODE_READ))
		return ret;

	reader = __seq_open_private(file, &stack_map_seq_ops, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->root = &ftrace_stackmap_root;
	ftrace_stackmap_hold(reader);
	return 0;
}

/* NULL: the file was opened for writing only */
static struct ftrace_stackmap_reader *stack_map_reader(struct file *file)
{
	struct seq_file *m = file->private_data;

	return file->f_mode & FMODE_READ ? m->private : NULL;
}

static int stack_map_release(struct inode *inode, struct file *file)
{
	struct ftrace_stackmap_reader *reader = stack_map_reader(file);

	if (!reader)
		return 0;
	ftrace_stackmap_release(reader);
	return seq_release_private(inode, file);
}

static int stack_map_reset(struct file *file)
{
	struct ftrace_stackmap_reader *reader = stack_map_reader(file);
	struct seq_file *m = file->private_data;
	int ret;

	if (!reader)
		return ftrace_stackmap_reset(&ftrace_stackmap_root, NULL);
	/* Not while a read goes through the map that this swaps under it */
	mutex_lock(&m->lock);
	ret = ftrace_stackmap_reset(reader->root, reader);
	mutex_unlock(&m->lock);
	return ret;
}

static int stack_map_free(struct file *file)
{
	return ftrace_stackmap_free(&ftrace_stackmap_root, stack_map_reader(file),
				    !(file->f_flags & O_NONBLOCK));
}

static const struct {
	const char	*word;
	int		(*run)(struct file *file);
} stack_map_commands[] = {
	{ "0",		stack_map_reset },
	{ "free",	stack_map_free },
};

static ssize_t stack_map_write(struct file *file, const char __user *ubuf, size_t len,
			       loff_t *pos)
{
	char buf[8], *word;
	int ret;

	if (len >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = '\0';
	if (strlen(buf) != len)
		return -EINVAL;
	word = strstrip(buf);

	for (int i = 0; i < ARRAY_SIZE(stack_map_commands); i++) {
		if (strcmp(word, stack_map_commands[i].word))
			continue;
		ret = stack_map_commands[i].run(file);
		return ret ?: len;
	}
	return -EINVAL;
}

static const struct file_operations stack_map_fops = {
	.open		= stack_map_open,
	.read		= seq_read,
	.write		= stack_map_write,
	.llseek		= tracing_lseek,
	.release	= stack_map_release,
};

/* stack_map_stat */

static const struct {
	const char			*name;
	enum ftrace_stackmap_outcome	outcome;
} stack_map_causes[] = {
	{ "no_capacity",	FTRACE_STACKMAP_NO_CAPACITY },
	{ "no_space",		FTRACE_STACKMAP_NO_SPACE },
	{ "no_slot",		FTRACE_STACKMAP_NO_SLOT },
	{ "bad_depth",		FTRACE_STACKMAP_BAD_DEPTH },
	{ "no_event",		FTRACE_STACKMAP_NO_EVENT },
};

static int stack_map_stat_show(struct seq_file *m, void *v)
{
	struct ftrace_stackmap_reader *reader = m->private;
	struct ftrace_stackmap_usage usage;
	const struct ftrace_stackmap *map;

	ftrace_stackmap_hold(reader);
	map = reader->map;
	if (!map)
		return 0;
	ftrace_stackmap_get_usage(reader->root, &usage);

	seq_printf(m, "generation: %u\n", map->generation);
	seq_printf(m, "entries: %d\n", atomic_read(&map->entries));
	seq_printf(m, "capacity: %u\n", map->capacity);
	seq_printf(m, "successes: %llu\n", ftrace_stackmap_sum(map, FTRACE_STACKMAP_SUCCESS));
	seq_printf(m, "fallbacks: %llu\n", ftrace_stackmap_fallbacks(map));

	seq_printf(m, "arena_used: %zu\n", atomic_read(&map->cursor) * sizeof(*map->arena));
	seq_printf(m, "arena_size: %zu\n", map->arena_words * sizeof(*map->arena));
	seq_printf(m, "memory: %zu\n", map->memory);
	seq_printf(m, "swapped_out_maps: %u\n", usage.swapped_out);
	seq_printf(m, "swapped_out_memory: %zu\n", usage.swapped_out_memory);
	for (int i = 0; i < ARRAY_SIZE(stack_map_causes); i++)
		seq_printf(m, "%s: %llu\n", stack_map_causes[i].name,
			   ftrace_stackmap_sum(map, stack_map_causes[i].outcome));
	seq_printf(m, "no_map: %llu\n", usage.bypasses[FTRACE_STACKMAP_NO_MAP]);
	seq_printf(m, "not_watching: %llu\n", usage.bypasses[FTRACE_STACKMAP_NOT_WATCHING]);
	seq_printf(m, "no_full_event: %llu\n", usage.bypasses[FTRACE_STACKMAP_NO_FULL_EVENT]);
	return 0;
}

static int stack_map_stat_open(struct inode *inode, struct file *file)
{
	struct ftrace_stackmap_reader *reader __free(kfree) = kzalloc(sizeof(*reader), GFP_KERNEL);
	int ret;

	ret = tracing_check_open_get_tr(NULL);
	if (ret)
		return ret;
	if (!reader)
		return -ENOMEM;

	ret = single_open(file, stack_map_stat_show, reader);
	if (ret)
		return ret;
	reader->root = &ftrace_stackmap_root;
	ftrace_stackmap_hold(no_free_ptr(reader));
	return 0;
}

static int stack_map_stat_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct ftrace_stackmap_reader *reader = m->private;

	ftrace_stackmap_release(reader);
	kfree(reader);
	return single_release(inode, file);
}

static const struct file_operations stack_map_stat_fops = {
	.open		= stack_map_stat_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= stack_map_stat_release,
};

void ftrace_stackmap_create_files(struct trace_array *tr)
{
	trace_create_file("stack_map", TRACE_MODE_WRITE, NULL, tr, &stack_map_fops);
	trace_create_file("stack_map_stat", TRACE_MODE_READ, NULL, tr, &stack_map_stat_fops);
}
