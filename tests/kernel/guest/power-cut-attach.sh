#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Maps are put into a trace.dat on a disk with a journalled file system, one after the other, and
# taken out again in between. Each time that the program has said that it is done, a mark is written
# past every cache. The host cuts the power at any write that the disk saw.
#
# boot: disk=32 timeout=900
# variants: none (its cuts take minutes; run it by name)
. ./lib.sh
. ./lib-stackmap.sh
. ./lib-disk.sh

turns=12
trace=/disk/trace.dat

run() { "$@" >/tmp/said 2>&1 || fail "$*: $(cat /tmp/said)"; }

begin_disk $((2 * turns + 1))
run trace-cmd record -q -o /tmp/trace.dat -O stackmap -e sched_switch -T sh -c \
	'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; ls /proc >/dev/null; done'
echo 1 >$option
run trace-cmd-stackmap reset -o /tmp/0.stackmap
cp /tmp/trace.dat $trace
cp /tmp/trace.dat /tmp/0.stackmap .
sync
mark trace

trace_leaf $tracing
turn=0
while [ $turn -lt $turns ]; do
	run trace-cmd-stackmap attach $trace /tmp/$turn.stackmap
	# Before it is taken away: how many generations are there
	mark "attached $((turn % 4 + 1))"
	if [ $((turn % 4)) -eq 3 ]; then
		mark 'detaching'
		run trace-cmd-stackmap detach --discard $trace
		cmp $trace /tmp/trace.dat || fail 'detached, and not as it was'
	fi
	turn=$((turn + 1))
	stacks $((50 + turn * 100))
	run trace-cmd-stackmap reset -o /tmp/$turn.stackmap
done
ok "$turns times attached"
end_disk
