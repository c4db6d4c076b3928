#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The function tracer with stacks: the same work gives the same stacks as cookies as in full,
# with the marker of its trampoline in them. The host resolves a recording of trace-cmd.
. ./lib.sh
. ./lib-stackmap.sh

cd "$tracing"
function=vfs_open

work() {
	turn=0
	while [ $turn -lt 50 ]; do
		read -r _ </proc/self/stat
		read -r _ </dev/null || :
		turn=$((turn + 1))
	done
}

echo 1 >options/sym-offset
echo $function >set_ftrace_filter
echo $$ >set_ftrace_pid
echo function >current_tracer
echo 1 >options/func_stack_trace
work
stacks_below '<stack trace>$' trace >/tmp/full

echo 1 >options/stackmap
echo >trace
work
echo 0 >tracing_on
cp stack_map trace stack_map_stat /mnt/
stacks_below '^stack_id ' stack_map >/tmp/map
stacks_below '<stack_id [0-9]+ gen [0-9]+>$' trace >/tmp/trace

[ "$(wc -l </tmp/full)" -ge 1 ] || fail 'no stack in full'
if grep -v "$function+0x" /tmp/full; then
	fail "a stack without $function"
fi
# Not every architecture makes one
[ "$(uname -m)" != x86_64 ] || grep -q '\[FTRACE TRAMPOLINE\]' /tmp/full ||
	fail 'no trampoline, even in a full stack'
diff /tmp/full /tmp/map || fail 'in full <, in the map >'
ok "$(wc -l </tmp/map) distinct stacks, the same in the map as in full"
diff /tmp/map /tmp/trace || fail 'in the map <, below the cookies >'
same 'full stacks beside the cookies' 0 "$(grep -c '<stack trace>' trace || :)"
# Two opens a turn, and that of the file which ended it.
same 'cookies' 101 "$(grep -c '<stack_id' trace)"

trace-cmd reset >/dev/null 2>&1
# Pages of events: of a recording that ends within its first page, trace-cmd at times keeps nothing.
opens='i=0; while [ $i -lt 300 ]; do read -r _ </proc/self/stat; i=$((i + 1)); done'
trace-cmd record -q -o /tmp/trace.dat -p function -l $function --func-stack -O stackmap \
	sh -c "$opens" >/mnt/trace-cmd.log 2>&1 ||
	fail "trace-cmd record: $(cat /mnt/trace-cmd.log)"
cp /tmp/trace.dat /mnt/
cp stack_map /mnt/trace.dat.stackmap
ok 'recorded by trace-cmd'
