#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tracing never stops while the map is reset time and again, each time through a file that was
# opened before and is read to its end afterwards. The host looks whether anything got lost.
#
# boot: cpus=2 mem=1280 timeout=600
. ./lib.sh
. ./lib-stackmap.sh

resets=52
has_stacks() { [ "$(field entries)" -ge 10 ]; }

start_recording -b 32768 -O stackmap -T -e kmem -e sched -e raw_syscalls
start_load
wait_for 60 has_stacks

# The other files are opened first too: they hold the same map.
mkdir -p /tmp/maps
turn=0
while [ $turn -lt $resets ]; do
	exec 3<>$map 4<$bin 5<$stat
	echo 0 >&3 || fail "reset $turn"
	cat <&3 >/tmp/maps/$turn.stack_map
	cat <&4 >/tmp/maps/$turn.stack_map_bin
	cat <&5 >/tmp/maps/$turn.stack_map_stat
	exec 3>&- 4>&- 5>&-
	turn=$((turn + 1))
done
ok "$resets resets while tracing"
stop_load
stop_recording
cat $map >/tmp/maps/$turn.stack_map
cat $bin >/tmp/maps/$turn.stack_map_bin
cat $stat >/tmp/maps/$turn.stack_map_stat
same 'maps still held' 0 "$(field swapped_out_maps)"

cat /proc/kallsyms >kallsyms
cp -r /tmp/maps .
