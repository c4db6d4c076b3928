#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What Documentation/android.txt tells to do on a device: our program and a shell, and no trace-cmd
# but for the last part. For the static program of cross/ on arm64:
#
#	tests/kernel/run --build BUILD --guest-build STATIC_BUILD 6.12 arm64 phone
#
# boot: cpus=1 mem=1024 timeout=1800 append=ftrace_stackmap.bits=10
# variants: plain arm64
. ./lib.sh
. ./lib-stackmap.sh

has_ours || skip 'no program of ours for this architecture'
here=$PWD
mkdir /tmp/phone
cd /tmp/phone

# some_stacks N - records until the map has N of them.
has_some() { [ "$(field entries)" -ge "$wanted" ] 2>/dev/null; }
some_stacks() {
	wanted=$1
	echo 1 >$tracing/tracing_on
	start_load
	wait_for 120 has_some
	stop_load
	echo 0 >$tracing/tracing_on
}

echo 8192 >$tracing/buffer_size_kb
echo 0 >$tracing/tracing_on
echo 1 >$tracing/options/stacktrace
echo 1 >$option
echo 1 >$tracing/events/sched/sched_switch/enable

# Save, then a reset whose stacks go into the same file.
some_stacks 20
trace-cmd-stackmap stat || fail 'stat'
trace-cmd-stackmap expand --live <$tracing/trace >live.txt || fail 'expand --live'
same 'live: unresolved' 0 "$(nr_lines unresolved live.txt)"
trace-cmd-stackmap save -o maps.stackmap || fail 'save'
some_stacks 25
trace-cmd-stackmap reset -o maps.stackmap || fail 'reset'
some_stacks 20
trace-cmd-stackmap reset -o maps.stackmap || fail 'reset again'
cat $tracing/trace >trace.txt
trace-cmd-stackmap expand -m maps.stackmap trace.txt >expanded.txt || fail 'expand'
cookies=$(nr_lines ' <stack_id ' trace.txt)
[ "$cookies" -ge 40 ] || fail "only $cookies cookies"
same 'cookies with a stack' "$cookies" \
	"$(awk '/ <stack_id / { cookie = 1; next } cookie && /^ => / { n++ } { cookie = 0 }
		END { print n + 0 }' expanded.txt)"

# watch: a rotation when it is asked for, and an end that saves.
trace-cmd-stackmap watch -d /tmp/phone/watched >watch.log 2>&1 &
watch=$!
is_watching() { grep -q stackmap watch.log 2>/dev/null; }
wait_for 60 is_watching
some_stacks 20
before=$(field generation)
kill -USR1 $watch
is_rotated() { [ "$(field generation)" != "$before" ]; }
wait_for 60 is_rotated
some_stacks 20
kill -TERM $watch
status=0
wait $watch || status=$?
cat watch.log
same 'watch: status' 0 $status
cat $tracing/trace >watched.txt
trace-cmd-stackmap expand -m maps.stackmap -m watched watched.txt >/dev/null || fail 'watched'
ok 'watched'
echo 0 >$option
trace-cmd-stackmap free --no-save || fail 'free'

# With a trace-cmd on the device: one file.
echo 1 >$tracing/tracing_on
trace-cmd-stackmap record -e sched_switch -T -o trace.dat sleep 2 || fail 'record'
same 'one file' trace.dat "$(ls -d trace.dat*)"
cp trace.dat trace.txt maps.stackmap "$here/"
