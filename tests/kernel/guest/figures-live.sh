#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What saving costs, beside reading the same map as text; a figure that was promised and is not held
# is a failure. Instructions are those of the guest: the clock of its one CPU counts them. While it
# waits for the disk it goes on as the host's does, which is shown and not judged.
# tests/kernel/figures prints what comes out.
#
# boot: icount mem=1024 disk=128 timeout=1500
# variants: plain
# programs: workload
. ./lib.sh
. ./lib-stackmap.sh
. ./lib-figures.sh

# word N WORDS... - the Nth.
word() { shift "$1"; echo "$1"; }

# measure NAME COMMAND... - NAME_cpu, NAME_all: nanoseconds; NAME_kib.
measure() {
	name=$1
	shift
	took=$(./workload cpu "$@" 2>/tmp/measured) || fail "$*: $(cat /tmp/measured)"
	# shellcheck disable=SC2086 # words
	eval "${name}_cpu=$(word 1 $took) ${name}_all=$(word 2 $took) ${name}_kib=$(word 3 $took)"
}

ms() { quotient "$1" 1000000 1; }

saving() {
	fill_map
	entries=$(field entries)
	echo "a map of $entries stacks, that is full; ms until it is read, or saved and on the disk"
	text=$(./workload read "$map")
	binary=$(./workload read "$bin")
	shown 'stack_map, read' "$(ms "${text% *}")"
	shown 'stack_map_bin, read' "$(ms "${binary% *}")"
	text=${text% *} binary=${binary% *}
	at_most 'stack_map_bin to stack_map' 0.1 "$(quotient "$binary" "$text")"

	measure first trace-cmd-stackmap save -o /disk/first.stackmap
	shown 'the first save of a boot, with the disk' "$(ms "$first_all")"
	shown 'CPU time of it' "$(ms "$first_cpu")"
	at_most 'the first save to stack_map' 0.5 "$(quotient "$first_cpu" "$text")"
	at_most 'KiB of memory' 32768 "$first_kib"
	measure second trace-cmd-stackmap save -o /disk/first.stackmap
	shown 'the same map saved again, by another process' "$(ms "$second_all")"
	shown 'CPU time of it' "$(ms "$second_cpu")"
	at_most 'KiB of memory' 32768 "$second_kib"
	at_most 'which replaces the older copy, to stack_map' 0.1 \
		"$(quotient "$second_cpu" "$text")"
	# Text and all: what an older copy takes is not added to that
	echo 2 >/proc/sys/kernel/kptr_restrict
	for turn in 1 2; do
		measure hidden trace-cmd-stackmap save -o /disk/hidden.stackmap
	done
	echo 0 >/proc/sys/kernel/kptr_restrict
	shown 'CPU time of it where names are hidden' "$(ms "$hidden_cpu")"
	at_most 'KiB of memory there' 32768 "$hidden_kib"
	trace-cmd-stackmap reset -o /disk/first.stackmap >/tmp/reset.log 2>&1 ||
		fail "reset: $(cat /tmp/reset.log)"
	refill_map
	text=$(./workload read "$map")
	measure third trace-cmd-stackmap save -o /disk/first.stackmap
	# The last save has not the names of all its functions: those are taken that it kept
	shown 'the next map, by another process' "$(ms "$third_all")"
	shown 'CPU time of it' "$(ms "$third_cpu")"
	at_most 'that one to stack_map' 0.1 "$(quotient "$third_cpu" "${text% *}")"
}

cpu_ns() { cut -d ' ' -f 1 "/proc/$1/schedstat"; }

# By who has read the names: watch, which rotates when it is asked.
later() {
	: >/tmp/watch.log
	trace-cmd-stackmap watch -d /disk/maps --every never --rotate-at never \
		>/tmp/watch.log 2>&1 &
	watch=$!
	has_saved() { [ "$(nr_lines '^generation' /tmp/watch.log)" -ge 1 ]; }
	wait_for 60 has_saved
	for turn in 1 2 3; do
		[ $turn -eq 1 ] || refill_map
		text=$(./workload read "$map")
		text=${text% *}
		before=$(cpu_ns $watch)
		took=$(./workload answer $watch /tmp/watch.log)
		after=$(cpu_ns $watch)
		tail -n 1 /tmp/watch.log
		shown 'with the disk' "$(ms "$took")"
		took=$((after - before))
		shown 'CPU time of it' "$(ms "$took")"
		# The first one finds an older copy of the same generation, and compares it
		if [ $turn -eq 1 ]; then
			at_most 'where it replaces an older copy, to stack_map' 0.1 \
				"$(quotient "$took" "$text")"
		else
			at_most 'a later save to stack_map' 0.1 "$(quotient "$took" "$text")"
		fi
	done
	at_most 'KiB of memory' 32768 \
		"$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$watch/status)"
	kill -TERM $watch
	wait $watch || fail "watch: $(cat /tmp/watch.log)"
}

# With a map that is full already. record looks at it once or twice, saves it and attaches it.
at_the_end() {
	fill_map
	echo "a recording that ends at once, with a map of $(field entries) stacks: ms of CPU time"
	TRACE_CMD_REAL=$(command -v trace-cmd)
	export TRACE_CMD_REAL
	set -- -q -b 1024 -O stackmap -e sched_switch -T true
	measure plain trace-cmd record -o /disk/plain.dat "$@"
	measure ours trace-cmd-stackmap record --no-rotate -o /disk/ours.dat "$@"
	text=$(./workload read "$map")
	binary=$(./workload read "$bin")
	shown 'trace-cmd record' "$(ms "$plain_cpu")"
	shown 'trace-cmd-stackmap record' "$(ms "$ours_cpu")"
	shown 'cat of stack_map' "$(ms "${text% *}")"
	shown 'cat of stack_map_bin' "$(ms "${binary% *}")"
	more=$((ours_cpu - plain_cpu))
	at_most 'what it takes more, to cat of stack_map' 2 "$(quotient $more "${text% *}")"
	shown 'what it takes more, to cat of stack_map_bin' "$(quotient $more "${binary% *}" 1)"
}

# A fixed count of marks, in a buffer large enough, without rotations and with one asked for time
# and again.
marks=20000
count_marks() {
	quiet
	echo 1 >"$option"
	echo 0 >"$map"
	echo 1 >"$tracing/options/stacktrace"
	echo 1 >"$tracing/events/sched/sched_switch/enable"
	nr=0
	while [ $nr -lt $marks ]; do
		echo "mark $nr" >"$tracing/trace_marker"
		nr=$((nr + 1))
		[ $((nr % 500)) -ne 0 ] || [ -z "$watch" ] || kill -USR1 $watch
	done
	quiet_keep
	sed -n 's/.*tracing_mark_write: mark //p' "$tracing/trace" >/tmp/marks
	seq 0 $((marks - 1)) | cmp -s - /tmp/marks ||
		fail "$(wc -l </tmp/marks) of $marks marks arrived, or not in their order"
}

nothing_lost() {
	watch=''
	echo 65536 >"$tracing/buffer_size_kb"
	count_marks
	shown 'marks of 20000 that arrive without a rotation' "$(wc -l </tmp/marks)"
	trace-cmd-stackmap watch -d /disk/marked >/tmp/watch.log 2>&1 &
	watch=$!
	# It takes signals from then on
	has_begun() { [ -s /tmp/watch.log ]; }
	wait_for 60 has_begun
	count_marks
	kill -TERM $watch
	wait $watch || fail "watch: $(cat /tmp/watch.log)"
	rotations=$(nr_lines 'bytes$' /tmp/watch.log)
	[ "$rotations" -ge 10 ] || fail "only $rotations rotations"
	shown "the same with $rotations rotations" "$(wc -l </tmp/marks)"
	watch=''
}

mkdir -p /disk
mount -t ext4 /dev/vda /disk || fail 'no disk'
echo 1 >"$option"
same 'capacity' 16384 "$(field capacity)"
saving
later
at_the_end
nothing_lost
all_held
