#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All that can go on with a map goes on at the same time, for as many seconds as the argument says:
# for kernels that watch themselves, see tests/kernel/long. It fails where one of them complains,
# where a reader does not get whole stacks, and where a task did not get to do its part.
#
# boot: cpus=2 mem=1536 timeout=900 append=ftrace_stackmap.bits=12
# variants: none (takes minutes)
# programs: fdop
. ./lib.sh
. ./lib-stackmap.sh

seconds=${1-60}
instance=$tracing/instances/full

uptime_s() { sed 's/\..*//' /proc/uptime; }
running() { [ ! -e /tmp/stop ]; }
did() { echo "$1" >>/tmp/did; }

# whole_text NAME - on stdin a stack_map: each stack has the frames that its head promises, all are
# of one generation.
whole_text() {
	awk -v name="$1" '
		function end_stack() { if (left) bad = "a stack has " left " frames too few" }
		/^stack_id/ {
			end_stack()
			left = $8
			if (generation && generation != $4)
				bad = "generations " generation " and " $4
			generation = $4
			next
		}
		/^ => / { left--; next }
		{ bad = "line: " $0 }
		END {
			end_stack()
			if (bad) { print "FAIL: " name ": " bad; exit 1 }
		}' || : >/tmp/failed
}

# whole_binary NAME FILE - a stack_map_bin that ends with a trailer, which counts what is before it;
# or nothing.
whole_binary() {
	size=$(stat -c %s "$2")
	[ "$size" -gt 0 ] || return 0
	before=$(od -A n -t u8 -j $((size - 24)) -N 8 "$2" | tr -d ' ')
	[ "$before" = $((size - 40)) ] && return
	echo "FAIL: $1: $size bytes, $before of them before the trailer"
	: >/tmp/failed
}

# Save a generation through files that were opened before, as a tool does. Refused where too many
# maps are held, which they are at times.
rotate() {
	exec 3<>$map 4<$bin 5<$stat
	if said=$({ echo 0 >&3; } 2>&1); then
		did "reset $1"
	else
		case $said in
		*busy*) did 'reset refused' ;;
		*) echo "FAIL: reset: $said"; : >/tmp/failed ;;
		esac
	fi
	whole_text "reader $1" <&3
	cat <&4 >/tmp/bin.$1
	whole_binary "reader $1" /tmp/bin.$1
	cat <&5 >/dev/null
	exec 3>&- 4>&- 5>&-
}

# Hold a map while it is swapped out and others are, then read on.
hold() {
	exec 3<$map 4<$bin
	dd bs=100 count=1 <&3 2>/dev/null >/tmp/held
	sleep 0.3
	cat <&3 >>/tmp/held
	whole_text 'slow reader' </tmp/held
	cat <&4 >/tmp/bin.held
	whole_binary 'slow reader' /tmp/bin.held
	exec 3<&- 4<&-
	did 'slow read'
}

# The option off and on, and in between the map freed in each way: waiting for readers, not waiting,
# killed as it waits.
free_map() {
	echo 0 >$option
	case $((turn % 3)) in
	0) echo free >$map && did 'free' ;;
	1)
		exec 3>$map
		./fdop nonblock <&3
		echo free >&3 && did 'free without waiting'
		exec 3>&-
		;;
	2)
		(echo free >$map) &
		sleep 0.1
		kill -KILL $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		did 'free killed'
		;;
	esac
	echo 1 >$option
	sleep 0.5
}

# Not to the end: what reads makes events too, and so might never get there
read_trace() {
	head -n 300 $tracing/trace >/dev/null
	did 'trace read'
	whole_text 'reader of all' <$map
	head -n 300 $instance/trace >/dev/null
	cat $stat >/dev/null
}

read_pipe() {
	timeout 1 cat $tracing/trace_pipe >/dev/null 2>&1 || :
	did 'trace_pipe read'
	sleep 1
}

# New stacks, deep ones too, until the map has no more room.
make_stacks() {
	stacks $((turn * 100 % 2187))
	deep $((turn * 7 % 150))
	did 'stacks made'
}

# A module that is traced goes and comes; what it had is printed as addresses.
reload() {
	rmmod stackmap_test
	insmod /lib/modules/stackmap_test.ko
	did 'module reloaded'
}

make_and_reload() {
	make_stacks
	[ $((turn % 10)) -ne 9 ] || reload
}

# Refused while somebody reads trace_pipe
set_tracer() {
	until echo $1 2>/dev/null >$tracing/current_tracer; do
		sleep 0.1
	done
}

# The function tracer, where the kernel has it, on functions that are not called all the time.
trace_functions() {
	set_tracer function
	echo 1 >$tracing/options/func_stack_trace
	sleep 1
	set_tracer nop
	sleep 1
	did 'function tracer'
}

# The same few stacks on both CPUs, as fast as they can: what is written for each use meets itself.
hammer() {
	calls=0
	while [ $calls -lt 20 ]; do
		read -r line </proc/self/stat
		calls=$((calls + 1))
	done
	did "hammered $cpu"
	sleep 0.5
}

# task COMMAND... - do it time and again until the end. Nothing in it may fail.
task() {
	trap '[ $? -eq 0 ] || { echo "FAIL: $*"; : >/tmp/failed; }' EXIT
	turn=0
	while running; do
		"$@"
		turn=$((turn + 1))
	done
}

# all_did WHAT... - each of them happened, and more than once
all_did() {
	for what; do
		times=$(nr_lines "^$what\$" /tmp/did)
		echo "$what: $times"
		[ "$times" -ge 3 ] || fail "$what: only $times times"
	done
}

insmod /lib/modules/stackmap_test.ko
mkdir $instance
echo 32 >$tracing/buffer_size_kb
echo 1 >$option
for where in $tracing $instance; do
	echo 1 >$where/options/stacktrace
	echo 1 >$where/events/sched/enable
done
echo 1 >$tracing/events/kmem/enable
echo 1 >$tracing/events/raw_syscalls/enable

wanted='reset a
reset b
slow read
free
free without waiting
free killed
trace read
trace_pipe read
stacks made
module reloaded
hammered 1
hammered 2'
: >/tmp/did
renice -20 -p $$ >/dev/null
start=$(uptime_s)
start_load
for part in 'rotate a' 'rotate b' hold free_map read_trace read_pipe make_and_reload; do
	task $part &
	renice 0 -p $! >/dev/null
	loads="$loads $!"
done
for cpu in 1 2; do
	task hammer &
	taskset -p $cpu $! >/dev/null
	renice 5 -p $! >/dev/null
	loads="$loads $!"
done
if grep -q -w function $tracing/available_tracers; then
	echo 'vfs_*' >$tracing/set_ftrace_filter
	task trace_functions &
	renice 0 -p $! >/dev/null
	loads="$loads $!"
	wanted="$wanted
function tracer"
fi
# By the clock: a second of sleep can be many in such a guest
end=$((start + seconds))
while [ "$(uptime_s)" -lt $end ] && [ ! -e /tmp/failed ]; do
	echo "$(($(uptime_s) - start)) s: $(wc -l </tmp/did)"
	sleep 5
done
for where in $tracing $instance; do
	echo 0 >$where/events/enable
done
stop_load || :
[ ! -e /tmp/failed ] || fail 'see above'

IFS='
'
# shellcheck disable=SC2086 # a line a word
all_did $wanted
unset IFS
rmdir $instance
echo 0 >$option
echo free >$map || fail 'free'
echo 1 >$option
same 'maps held in the end' 0 "$(field swapped_out_maps)"
ok "$seconds seconds"
