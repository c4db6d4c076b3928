#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two tools reset at the same time, each through a file of its own: each generation is read by the
# one whose reset ended it, to its end.
#
# boot: cpus=2 mem=1280 timeout=600
. ./lib.sh
. ./lib-stackmap.sh

resets=30
has_stacks() { [ "$(field entries)" -ge 10 ]; }
tool() {
	turn=0
	while [ $turn -lt $resets ]; do
		exec 3<>$map
		echo 0 >&3 || exit 1
		cat <&3 >/tmp/maps/$1.$turn.stack_map
		exec 3>&-
		turn=$((turn + 1))
	done
}

mkdir /tmp/maps
start_recording -b 32768 -O stackmap -T -e kmem -e sched -e raw_syscalls
start_load
wait_for 60 has_stacks
first=$(field generation)
tool a &
a=$!
tool b &
wait $! || fail 'the second tool'
wait $a || fail 'the first tool'
stop_load
stop_recording
same 'generations' $((2 * resets)) $(($(field generation) - first))
echo "$first" >first
cat $map >/tmp/maps/last.stack_map
cp -r /tmp/maps .
