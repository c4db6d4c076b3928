#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A kernel with the series on it and the stack map configured out: nothing of it is there, stacks
# are recorded in full, and our commands say in one line what is missing.
#
# boot: cpus=2
# variants: off
. ./lib.sh

! grep -q stackmap "$tracing/trace_options" || fail 'the option stackmap is there'
for name in stack_map stack_map_bin stack_map_stat options/stackmap; do
	[ ! -e "$tracing/$name" ] || fail "$name is there"
done
! grep -q 'ftrace_stackmap' /proc/kallsyms || fail "symbols: $(grep ftrace_stackmap /proc/kallsyms)"
ok 'nothing of it is there'

has_stacks() {
	trace-cmd report "$1" >report 2>/dev/null || fail "trace-cmd report $1"
	grep -q '=> __schedule\|=> schedule' report || fail "no stack in $1"
}

trace-cmd record -q -o /tmp/plain.dat -e sched_switch -T sleep 0.2 >out 2>&1 ||
	fail "trace-cmd record: $(cat out)"
has_stacks /tmp/plain.dat
ok 'stacks in full'

command -v trace-cmd-stackmap >/dev/null || skip 'no program of ours for this architecture'

trace-cmd-stackmap record -q -O stackmap -e sched_switch -T -o /tmp/ours.dat sleep 0.2 >out 2>&1 &&
	said=0 || said=$?
trace-cmd record -q -O stackmap -e sched_switch -T -o /tmp/real.dat sleep 0.2 >real 2>&1 &&
	real=0 || real=$?
cat out real
same 'the status of record' $real $said
same 'lines about the map' 1 "$(grep -c 'has no stack map' out)"
same 'records with the option' "$([ -e /tmp/real.dat ] && echo yes)" \
	"$([ -e /tmp/ours.dat ] && echo yes)"

for command in save reset stat free 'show --live'; do
	# shellcheck disable=SC2086 # words
	trace-cmd-stackmap $command >out 2>&1 && said=0 || said=$?
	cat out
	same "the status of $command" 2 $said
	same "lines of $command" 1 "$(wc -l <out)"
	grep -q 'has no stack map' out || fail "$command: $(cat out)"
done
