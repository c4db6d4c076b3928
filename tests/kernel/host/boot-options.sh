#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What was recorded from the boot line on resolves. And ftrace_stackmap.bits= as it may be and as it
# may not: which capacity comes of it, with how many warnings on the console. 10 and 14 are what
# other tests boot with.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

all_resolve stack_map trace.dat

# bits CAPACITY WARNINGS ARGUMENT...
bits() {
	capacity=$1 warnings=$2
	shift 2
	mkdir -p bits
	cat >bits/capacity.sh <<-'EOF'
		echo 1 >/sys/kernel/tracing/options/stackmap
		cat /sys/kernel/tracing/stack_map_stat
		dmesg >dmesg
	EOF
	"$KERNEL_TESTS/boot" "$IMAGE/kernel" --share bits --append "$*" -- capacity.sh >/dev/null ||
		fail "'$*' does not boot"
	same "$*: capacity" $capacity "$(sed -n 's/^capacity: //p' bits/output)"
	same "$*: warnings" $warnings "$(grep -c 'ftrace stackmap: bits' bits/dmesg)"
	same "$*: other complaints" 0 "$(grep -c 'Malformed early option' bits/dmesg)"
}

name=ftrace_stackmap.bits
for legal in 11 12 13 15 16 17 18; do
	bits $((1 << legal)) 0 $name=$legal
done
bits 1024 1 $name=9
bits 262144 1 $name=19
bits 1024 1 $name=0
bits 1024 2 $name=99999999999 $name=-1
# What is no number is the default: all of them at once
bits 16384 4 $name=12 $name=abc $name= $name $name=0x
