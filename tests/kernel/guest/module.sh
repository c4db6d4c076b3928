#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A module is traced and then unloaded: what was saved before keeps its names. The host looks at
# that.
. ./lib.sh

insmod /lib/modules/stackmap_test.ko
trace-cmd record -q -o /tmp/trace.dat -O stackmap -T -e kmem:kmalloc \
	-f 'call_site.function == stackmap_test_leaf' \
	sh -c 'for depth in 0 1 2 3 40; do
		echo $depth >/sys/module/stackmap_test/parameters/depth
	done' >trace-cmd.log 2>&1 || fail "trace-cmd record: $(cat trace-cmd.log)"
cp /tmp/trace.dat .
cp "$tracing/stack_map" "$tracing/stack_map_stat" "$tracing/stack_map_bin" .
cp /proc/kallsyms /proc/modules /proc/sys/kernel/random/boot_id .
uname -r >release

grep -q '^ => stackmap_test_leaf+0x[0-9a-f]*/0x[0-9a-f]* \[stackmap_test\]$' stack_map ||
	fail 'the map does not know the module'
rmmod stackmap_test
# The kernel itself knows them no more, so that the test shows what it says.
if grep -q stackmap_test "$tracing/stack_map"; then
	fail 'the kernel has the names after the module is gone'
fi
same 'stacks in the map after that' "$(grep -c '^stack_id' stack_map)" \
	"$(grep -c '^stack_id' "$tracing/stack_map")"
