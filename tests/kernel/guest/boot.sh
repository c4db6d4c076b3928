#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The guest itself: what the other tests take for granted.
#
# boot: cpus=2
. ./lib.sh

[ -f /proc/self/stat ] || fail 'no /proc'
grep -q " $tracing tracefs " /proc/mounts || fail 'no tracefs'
same 'CPUs' 2 "$(grep -c '^processor' /proc/cpuinfo)"
uname -r >uname

grep -qw function "$tracing/available_tracers" || fail 'no function tracer'
trace-cmd record -q -o /tmp/trace.dat -e sched_switch -T sleep 1 >trace-cmd.log 2>&1 ||
	fail "trace-cmd record: $(cat trace-cmd.log)"
cp /tmp/trace.dat .
trace-cmd report trace.dat >report 2>trace-cmd.log || fail "trace-cmd report: $(cat trace-cmd.log)"
grep -q sched_switch: report || fail 'no event in the trace'
ok 'trace-cmd records and reports'

refuses 'No such file' cat "$tracing/no-such-file"
