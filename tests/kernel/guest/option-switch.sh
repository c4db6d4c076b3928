#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The option is switched on and off while both CPUs record at full rate. The host counts.
#
# boot: cpus=2 mem=1280 timeout=600
. ./lib.sh
. ./lib-stackmap.sh

switches=2000
start_recording -b 32768 -T -e kmem -e sched -e raw_syscalls
start_load
turn=0
while [ $turn -lt $switches ]; do
	echo 1 >$option
	echo 0 >$option
	turn=$((turn + 1))
done
ok "switched on and off $switches times"
stop_load
stop_recording
cat $map >stack_map
same 'entries' "$(nr_lines '^stack_id' stack_map)" "$(field entries)"
