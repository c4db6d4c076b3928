#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same events at the same time, in the top-level trace array with cookies and in an instance
# with full stacks: the stacks are the same, and each was recorded as often.
#
# boot: cpus=2
. ./lib.sh
. ./lib-stackmap.sh

# Where a stack ends, print it in a line
in_lines() {
	awk '/^ => / { stack = stack ";" substr($0, 5); next }
		stack { print stack; stack = "" }
		END { if (stack) print stack }'
}

# Of tasks with this name alone, which they have only while both record: each ends as another
# program, so that nothing of its end falls between the ends of both.
cat >/tmp/worker <<'EOF'
#!/bin/sh
mkfifo /tmp/fifo
for i in 1 2 3 4 5 6 7 8 9 10; do
	read -r line </proc/self/stat
	(read -r line </proc/meminfo; exec true)
	echo $i >/tmp/file
	: /proc/*/stat "$(exec true)"
	(echo to a fifo >/tmp/fifo; exec true) &
	read -r line </tmp/fifo
	wait
done
exec true
EOF
chmod +x /tmp/worker
events='kmem sched/sched_switch syscalls/sys_enter_read syscalls/sys_enter_openat'

mkdir $tracing/instances/full
for array in $tracing/instances/full $tracing; do
	echo 32768 >$array/buffer_size_kb
	echo 1 >$array/options/sym-offset
	echo 1 >$array/options/stacktrace
	for event in $events; do
		echo 'comm == "worker"' >$array/events/$event/filter
	done
done
echo 1 >$option
for array in $tracing/instances/full $tracing; do
	for event in $events; do
		echo 1 >$array/events/$event/enable
	done
done
/tmp/worker
for array in $tracing/instances/full $tracing; do
	echo 0 >$array/events/enable
	same "${array##*/}: overrun" 0 \
		"$(cat $array/per_cpu/cpu*/stats | awk '/^overrun: / { n += $2 } END { print n }')"
done

cat $tracing/instances/full/trace >full.trace
cat $tracing/trace >cookies.trace
cat $map >stack_map
cat $stat >stack_map_stat
[ "$(nr_lines '<stack trace>' full.trace)" -gt 200 ] || fail 'too few events in the instance'
same 'cookies in the instance' 0 "$(nr_lines '<stack_id' full.trace)"
same 'full stacks beside the cookies' 0 "$(nr_lines '<stack trace>' cookies.trace)"

# "times stack", of each stack
in_lines <full.trace | sort | uniq -c | sed 's/^ *//' | sort >full
awk '/^stack_id/ { print ref, stack; ref = $6; stack = ""; next }
	{ stack = stack ";" substr($0, 5) }
	END { print ref, stack }' stack_map | sed 1d | sort >map
in_lines <cookies.trace | sort | uniq -c | sed 's/^ *//' | sort >cookies
[ "$(wc -l <map)" -gt 50 ] || fail "only $(wc -l <map) stacks"

same 'distinct stacks in the map' "$(wc -l <full)" "$(wc -l <map)"
cmp full map || fail 'the stacks of the map are others than those recorded in full'
ok "$(wc -l <map) stacks are the same and were recorded as often"
cmp full cookies || fail 'the stacks printed below the cookies are others than those in full'
ok 'and so are those that trace prints'

trace-cmd extract -o /tmp/top.dat >trace-cmd.log 2>&1 ||
	fail "trace-cmd extract: $(cat trace-cmd.log)"
trace-cmd extract -B full -o /tmp/full.dat >trace-cmd.log 2>&1 ||
	fail "trace-cmd extract: $(cat trace-cmd.log)"
cp /tmp/top.dat /tmp/full.dat .
