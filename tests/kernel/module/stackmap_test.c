// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks on demand, from a module that can go again.
 *
 *	echo N > /sys/module/stackmap_test/parameters/depth
 *
 * calls stackmap_test_step() N times into itself and then stackmap_test_leaf(), which allocates and
 * frees memory: the event kmem:kmalloc gets a stack of a little more than N frames. Written by
 * itself the leaf's return value keeps the compiler from turning the recursion into a loop.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

/* 16 bytes a frame and more: beyond this the kernel's stack of 16 KiB would not do. */
#define DEPTH_MAX	600

static unsigned int depth;

static noinline unsigned int stackmap_test_leaf(unsigned int seed)
{
	void *memory = kmalloc(64, GFP_KERNEL);

	kfree(memory);
	return seed + !memory;
}

static noinline unsigned int stackmap_test_step(unsigned int left)
{
	unsigned int sum;

	sum = left ? stackmap_test_step(left - 1) : stackmap_test_leaf(left);
	/* No tail call: the frame has to be there while the leaf runs. */
	barrier();
	return sum + 1;
}

static int depth_set(const char *text, const struct kernel_param *param)
{
	unsigned int wanted;
	int error;

	error = kstrtouint(text, 0, &wanted);
	if (error)
		return error;
	if (wanted > DEPTH_MAX)
		return -EINVAL;
	depth = wanted;
	stackmap_test_step(wanted);
	return 0;
}

static const struct kernel_param_ops depth_ops = {
	.set = depth_set,
	.get = param_get_uint,
};
module_param_cb(depth, &depth_ops, &depth, 0644);
MODULE_PARM_DESC(depth, "writing N makes an allocation below N frames of this module");

MODULE_DESCRIPTION("Deep stacks for the tests of the stack map");
MODULE_LICENSE("GPL");
