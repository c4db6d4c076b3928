// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks on demand, from a module that can go again.
 *
 *	echo N > /sys/module/stackmap_test/parameters/depth
 *
 * calls stackmap_test_step() N times into itself and then stackmap_test_leaf(), which allocates and
 * frees memory: the event kmem:kmalloc gets a stack of a little more than N frames. Written by
 * itself the leaf's return value keeps the compiler from turning the recursion into a loop.
 *
 *	echo N > /sys/module/stackmap_test/parameters/stacks
 *
 * does so by N ways of equal length, through stackmap_test_zero(), _one() and _two() as the digits
 * of 0 to N - 1 to the base of 3 say: N stacks, no two alike, and the same ones the next time.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

/* 16 bytes a frame and more: beyond this the kernel's stack of 16 KiB would not do. */
#define DEPTH_MAX	600

/* Digits of a way, and so frames of it */
#define WAY_DIGITS	7
#define STACKS_MAX	(3 * 3 * 3 * 3 * 3 * 3 * 3)

static unsigned int depth;
static unsigned int stacks;

static noinline __noclone unsigned int stackmap_test_leaf(unsigned int seed)
{
	void *memory = kmalloc(64, GFP_KERNEL);

	kfree(memory);
	return seed + !memory;
}

static noinline __noclone unsigned int stackmap_test_step(unsigned int left)
{
	unsigned int sum;

	sum = left ? stackmap_test_step(left - 1) : stackmap_test_leaf(left);
	/* No tail call: the frame has to be there while the leaf runs. */
	barrier();
	return sum + 1;
}

static unsigned int stackmap_test_zero(unsigned int way, unsigned int left);
static unsigned int stackmap_test_one(unsigned int way, unsigned int left);
static unsigned int stackmap_test_two(unsigned int way, unsigned int left);

static __always_inline unsigned int go_on(unsigned int way, unsigned int left)
{
	if (!left)
		return stackmap_test_leaf(way);
	switch (way % 3) {
	case 0:
		return stackmap_test_zero(way / 3, left - 1);
	case 1:
		return stackmap_test_one(way / 3, left - 1);
	default:
		return stackmap_test_two(way / 3, left - 1);
	}
}

static noinline __noclone unsigned int stackmap_test_zero(unsigned int way, unsigned int left)
{
	unsigned int sum = go_on(way, left);

	barrier();
	return sum + 1;
}

/* What they return differs, or the compiler would make one function of all */
static noinline __noclone unsigned int stackmap_test_one(unsigned int way, unsigned int left)
{
	unsigned int sum = go_on(way, left);

	barrier();
	return sum + 2;
}

static noinline __noclone unsigned int stackmap_test_two(unsigned int way, unsigned int left)
{
	unsigned int sum = go_on(way, left);

	barrier();
	return sum + 3;
}

/* A number of at most @max */
static int read_number(const char *text, unsigned int max, unsigned int *ret_number)
{
	unsigned int number;
	int error;

	error = kstrtouint(text, 0, &number);
	if (error)
		return error;
	if (number > max)
		return -EINVAL;
	*ret_number = number;
	return 0;
}

static int depth_set(const char *text, const struct kernel_param *param)
{
	int error = read_number(text, DEPTH_MAX, &depth);

	if (error)
		return error;
	stackmap_test_step(depth);
	return 0;
}

static const struct kernel_param_ops depth_ops = {
	.set = depth_set,
	.get = param_get_uint,
};
module_param_cb(depth, &depth_ops, &depth, 0644);
MODULE_PARM_DESC(depth, "writing N makes an allocation below N frames of this module");

static int stacks_set(const char *text, const struct kernel_param *param)
{
	int error = read_number(text, STACKS_MAX, &stacks);

	if (error)
		return error;
	for (unsigned int way = 0; way < stacks; way++)
		go_on(way, WAY_DIGITS);
	return 0;
}

static const struct kernel_param_ops stacks_ops = {
	.set = stacks_set,
	.get = param_get_uint,
};
module_param_cb(stacks, &stacks_ops, &stacks, 0644);
MODULE_PARM_DESC(stacks, "writing N makes an allocation by each of N ways");

MODULE_DESCRIPTION("Deep stacks for the tests of the stack map");
MODULE_LICENSE("GPL");
