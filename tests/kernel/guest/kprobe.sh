#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kprobe events with stacks: the map has the same frames as the full stacks that an instance records
# of the same hits, also where the probe sits in a module.
. ./lib.sh
. ./lib-stackmap.sh

cd "$tracing"
other=instances/other
times=20

work() {
	turn=0
	while [ $turn -lt $times ]; do
		read -r _ </proc/self/stat
		echo 3 >/sys/module/stackmap_test/parameters/depth
		turn=$((turn + 1))
	done
}

# enable EVENT - here and in the instance.
enable() {
	for where in . $other; do
		echo >$where/trace
		echo "common_pid == $$" >"$where/events/kprobes/$1/filter"
		echo 1 >"$where/events/kprobes/$1/enable"
	done
}

# compare EVENT INNERMOST - what is recorded of it while there is work, in both.
compare() {
	echo 0 >stack_map
	enable "$1"
	work
	echo 0 >events/kprobes/enable
	echo 0 >$other/events/kprobes/enable
	stacks_below '<stack trace>$' $other/trace >/tmp/full
	stacks_below '^stack_id ' stack_map >/tmp/map
	[ -s /tmp/full ] || fail "$1: no stack in the instance"
	diff /tmp/full /tmp/map || fail "$1: in full <, in the map >"
	if grep -v "^$2" /tmp/map; then
		fail "$1: a stack that does not begin with $2"
	fi
	cookies=$(grep -c '<stack_id' trace)
	[ "$cookies" -ge $times ] || fail "$1: $cookies cookies"
	ok "$1: $cookies cookies, $(wc -l </tmp/map) distinct, the same frames as in full"
	same "$1: full stacks at the top" 0 "$(grep -c '<stack trace>' trace || :)"
}

insmod /lib/modules/stackmap_test.ko
mkdir $other
echo 1 >$other/options/sym-offset
echo 1 >$other/options/stacktrace
echo 1 >options/stackmap
echo 1 >options/stacktrace
echo 'p:entry do_sys_openat2' >kprobe_events
echo 'p:leaf stackmap_test:stackmap_test_leaf' >>kprobe_events
echo 'r:return do_sys_openat2' >>kprobe_events

compare entry 'do_sys_openat2+0x'
compare return '__[a-z0-9]*_sys_open'
in_module='[^ ]* \[stackmap_test\];'
compare leaf "stackmap_test_leaf+0x${in_module}stackmap_test_step+0x$in_module"
