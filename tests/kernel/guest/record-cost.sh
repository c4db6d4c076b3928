#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What looking at the fill of the map costs: at most one thousandth of a CPU while trace-cmd records
# for a minute.
#
# boot: cpus=2 mem=1024 timeout=900
# variants: none (its clock is the host's; tests/kernel/figures runs it)
. ./lib.sh
. ./lib-stackmap.sh

# cpu_us PID - user and system time so far; in /proc/PID/schedstat it is exact.
cpu_us() { awk '{ printf "%d\n", $1 / 1000 }' "/proc/$1/schedstat"; }

[ -e /proc/self/schedstat ] || skip 'no schedstat in this kernel'
cd /tmp
start_load
TRACE_CMD_REAL=$(command -v trace-cmd) \
	trace-cmd-stackmap record -q -b 16384 -e sched_switch -T sleep 75 >cost.log 2>&1 &
recorder=$!
has_stacks() { [ "$(field successes)" -ge 10 ] 2>/dev/null; }
wait_for 60 has_stacks
sleep 2
before=$(cpu_us $recorder)
sleep 60
after=$(cpu_us $recorder)
stop_load
wait $recorder || fail "record: $(cat cost.log)"
us=$((after - before))
echo "  CPU time of looking, us in 60 s: $us of at most 60000"
[ $us -le 60000 ] || fail "looking at the map took $us us of 60 s"
ok 'at most one thousandth of a CPU'
