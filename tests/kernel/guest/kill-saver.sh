#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 of save, reset and watch at moments all over the time that they take, while stacks are
# recorded, on a disk with a journalled file system. After each one, all that was reported as saved
# is there, and the next save goes through. In the end every cookie of the trace resolves, but for
# those of generations that a line said to be lost; and the kernel has let go of every map.
#
# 30 times, and then for as many seconds as the argument says.
#
# boot: cpus=2 mem=768 disk=64 timeout=1500 append=trace_buf_size=8M
# variants: plain
. ./lib.sh
. ./lib-stackmap.sh
. ./lib-disk.sh

kills=30
seconds=${1-0}
store=/disk/maps.stackmap

# Stacks without end, more of them each time.
record() {
	nr=10
	while [ ! -e /tmp/stop ]; do
		stacks $nr
		nr=$((nr % 400 + 7))
		sleep 0.2
	done
}

note_said() {
	sed -n -e 's/.*generation \([0-9]*\) saved, \([0-9]*\) stack.*/\1 \2/p' \
		-e 's/^generation \([0-9]*\): \([0-9]*\) stack.*/\1 \2/p' /tmp/out >>/tmp/reported
	cat /tmp/err >>/tmp/said
}

# ours COMMAND - in the background; $!
ours() {
	if [ "$1" = watch ]; then
		set -- watch -d /disk/watched
	else
		set -- "$1" -o $store
	fi
	trace-cmd-stackmap "$@" >/tmp/out 2>/tmp/err &
}

# What is reported is there, with so many stacks, and nothing of it is damaged.
look() {
	: >/tmp/listed
	for file in $store /disk/watched/*.stackmap; do
		[ -e "$file" ] || continue
		trace-cmd-stackmap verify -m "$file" >/tmp/verified 2>&1 || [ $? -eq 1 ] ||
			fail "kill $killed: verify $file: $(cat /tmp/verified)"
		trace-cmd-stackmap list -m "$file" >>/tmp/listed 2>/tmp/list.err || [ $? -eq 1 ] ||
			fail "kill $killed: list $file: $(cat /tmp/list.err)"
	done
	sed -n 's/.*: generation \([0-9]*\) with \([0-9]*\) stack.*/\1 \2/p' /tmp/listed >/tmp/there
	awk 'FILENAME == "/tmp/there" { if ($2 > there[$1]) there[$1] = $2; next }
		$2 > there[$1] + 0 { print "generation " $1 ": " $2 " reported, " there[$1] + 0
			bad = 1 }
		END { exit bad }' /tmp/there /tmp/reported >/tmp/missing ||
		fail "kill $killed: $(cat /tmp/missing)"
}

# passes PID WHAT - what it says to be lost shows in its status.
passes() {
	wait "$1" || { [ $? -eq 1 ] && grep -q 'in no save of this file' /tmp/err; } ||
		fail "$2: $(cat /tmp/err)"
}

# Right behind a reset there may be none yet, and nothing to save.
has_stacks() { [ "$(field entries)" -gt 0 ] 2>/dev/null; }

uptime_s() { cut -d . -f 1 /proc/uptime; }

# moment MS - sleep up to so many.
moment() {
	sleep "$(awk -v nr=$RANDOM -v ms="$1" 'BEGIN { printf "%.3f", ms * nr / 32768000 }')"
}

begin_disk 1
echo 1 >$option
trace_leaf $tracing
rm -f /tmp/stop
: >/tmp/reported
: >/tmp/said
record &
recorder=$!
killed=0 ms=100
end=$(($(uptime_s) + seconds))
while [ $killed -lt $kills ] || [ "$(uptime_s)" -lt $end ]; do
	case $((killed % 3)) in
	0) command=save ;;
	1) command=reset ;;
	2) command=watch ;;
	esac
	ours $command
	saver=$!
	moment $((ms * 3 / 2))
	if [ $command = watch ]; then
		kill -USR1 $saver 2>/dev/null || :
		moment $((ms * 2))
	elif ! kill -0 $saver 2>/dev/null; then
		# It was done before
		wait $saver || :
		note_said
		continue
	fi
	kill -KILL $saver 2>/dev/null || :
	wait $saver 2>/dev/null || :
	killed=$((killed + 1))
	note_said
	look
	wait_for 60 has_stacks
	before=$(cut -d ' ' -f 1 /proc/uptime)
	ours save
	passes $! "the next save"
	note_said
	ms=$(awk -v from="$before" '{ printf "%d", ($1 - from) * 1000 }' /proc/uptime)
	[ "$ms" -ge 50 ] || ms=50
done
: >/tmp/stop
wait $recorder
ok "killed $killed times, $(wc -l </tmp/reported) saves reported"

# All that was recorded, against all that was saved.
echo 0 >$tracing/tracing_on
ours reset
passes $! "the last reset"
note_said
look
cat $tracing/trace >/tmp/trace
same 'maps still held' 0 "$(field swapped_out_maps)"
same 'tracing' 1 "$(cat $option)"
set -- -m $store
for file in /disk/watched/*.stackmap; do
	[ ! -e "$file" ] || set -- "$@" -m "$file"
done
trace-cmd-stackmap expand "$@" /tmp/trace >/tmp/expanded 2>/tmp/expand.err || [ $? -eq 1 ] ||
	fail "expand: $(cat /tmp/expand.err)"
cookies=$(nr_lines '<stack_id [0-9]* gen [0-9]*>' /tmp/trace)
[ "$cookies" -ge 1000 ] || fail "only $cookies cookies"
sed -n 's/.*<stack_id [0-9]* gen \([0-9]*\)> *\[unresolved.*/\1/p' /tmp/expanded \
	>/tmp/unresolved
words='is in no save\|was reset\|is lost\|is not saved here'
sed -n -e "s/.*generation \([0-9]*\) \($words\).*/\1 \1/p" \
	-e 's/.*generations \([0-9]*\) to \([0-9]*\) are .*/\1 \2/p' /tmp/said >/tmp/lost
awk 'FILENAME == "/tmp/lost" { for (nr = $1; nr <= $2; nr++) lost[nr] = 1; next }
	!($1 in lost) { print $1; bad = 1 } END { exit bad }' /tmp/lost /tmp/unresolved >/tmp/bad ||
	fail "of generation $(sort -u /tmp/bad | tr '\n' ' '): lost, and no line says so"
ok "$cookies cookies, $(wc -l </tmp/unresolved) of them lost, which was said"
sort /tmp/said | sed 's/[0-9]\{3,\}/N/g' | uniq -c
