#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A kernel that dies with cookies in the ring buffer prints the frames below them. The host looks at
# the console.
#
# boot: expect-oops
. ./lib.sh

cd "$tracing"

# record DEPTH - one event, whose stack is so many frames deep, behind a line that says which.
record() {
	echo "depth $1" >trace_marker
	echo "$1" >/sys/module/stackmap_test/parameters/depth
}

insmod /lib/modules/stackmap_test.ko
echo 'call_site.function == stackmap_test_leaf' >events/kmem/kmalloc/filter
echo 1 >options/stackmap
echo 1 >options/stacktrace
echo >trace
echo 1 >events/kmem/kmalloc/enable

record 1
echo 0 >stack_map
record 2
record 400
echo 0 >tracing_on
# Frames are shown without offsets unless an option says so.
sed 's/+0x.*//' stack_map >/mnt/stack_map
cp trace /mnt/trace
sync

echo 1 >/proc/sys/kernel/ftrace_dump_on_oops
echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
fail 'the kernel is still there'
