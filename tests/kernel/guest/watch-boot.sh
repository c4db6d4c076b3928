#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tracing from the boot line on, and the watch started as its unit does: what the ring buffer has
# from before it, from while it rotates, is asked to, is started again and ends, all resolves. It
# ends within a second and the time of one read.
#
# boot: cpus=2 mem=1024 timeout=900 append=trace_options=stackmap,stacktrace
# boot: append=trace_event=sched:sched_switch append=trace_buf_size=16M
# boot: append=ftrace_stackmap.bits=10
. ./lib.sh
. ./lib-stackmap.sh
has_ours || skip 'no program of ours for this architecture'

folder=/var/lib/trace-stackmap

# Only the time of an event that is sent or noted; in seconds with hundredths.
now() { cut -d ' ' -f 1 /proc/uptime; }
since() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.2f", to - from }'; }

start_watch() {
	# ExecStart= of the unit; the manager has made the folder
	mkdir -p $folder
	chmod 700 $folder
	trace-cmd-stackmap watch >>/tmp/watch.log 2>&1 &
	watch=$!
}
has_said() { [ "$(nr_lines "$1" /tmp/watch.log)" -ge "${2-1}" ]; }
stop_watch() {
	before=$(now)
	kill -TERM $watch
	status=0
	wait $watch || status=$?
	after=$(now)
	same 'status of the watch' 0 $status
	took=$(since "$before" "$after")
	before=$(now)
	cat $bin >/tmp/bin
	read_took=$(since "$before" "$(now)")
	awk -v took="$took" -v read="$read_took" 'BEGIN { exit !(took <= 1 + read) }' ||
		fail "SIGTERM took $took s, a read $read_took s"
	ok "ended $took s after SIGTERM; a read of stack_map_bin takes $read_took s"
}

: >/tmp/watch.log
has_cookies() { [ "$(field successes)" -gt 50 ]; }
wait_for 60 has_cookies
start_watch
wait_for 60 has_said '^generation '
start_load
kill -USR1 $watch
wait_for 60 has_said 'stacks, [0-9]* bytes$' 1
kill -USR1 $watch
wait_for 60 has_said 'stacks, [0-9]* bytes$' 2
stop_watch
# Nobody watches for a while.
sleep 1
start_watch
wait_for 60 has_said /var/lib 2
kill -USR1 $watch
wait_for 60 has_said 'stacks, [0-9]* bytes$' 3
stop_load
echo 0 >$tracing/tracing_on
stop_watch
cat /tmp/watch.log
same 'complaints' '' "$(grep -e 'not saved' -e 'lost' -e 'in no save' /tmp/watch.log || :)"
same 'files of this boot' 1 "$(ls $folder | wc -l)"
cp $folder/*.stackmap watched.stackmap
cat $tracing/trace >trace
cat $stat >stack_map_stat
cp /tmp/watch.log .
same 'lost from the ring buffer' '' \
	"$(cat $tracing/per_cpu/cpu*/stats | grep -e '^overrun: [1-9]' -e '^dropped.*: [1-9]' || :)"
trace-cmd-stackmap expand -m watched.stackmap trace >/tmp/expanded 2>/tmp/expand.err ||
	fail "not all resolves: $(cat /tmp/expand.err; grep -m 3 unresolved /tmp/expanded)"
cookies=$(nr_lines '<stack_id [0-9]* gen [0-9]*>' trace)
[ "$cookies" -ge 200 ] || fail "only $cookies cookies"
same 'unresolved' 0 "$(nr_lines unresolved /tmp/expanded)"
ok "$cookies cookies, from the boot line on"
