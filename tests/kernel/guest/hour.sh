#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# As many rotations as an hour has minutes, under load: by "watch --every" beside a plain trace-cmd
# record, then by "record --rotate-at". The host resolves every cookie.
#
# boot: cpus=2 mem=1536 timeout=1500 append=ftrace_stackmap.bits=11
# variants: plain
. ./lib.sh
. ./lib-stackmap.sh

rotations=60

# By time.
mkdir /tmp/maps
start_recording -b 49152 -O stackmap -T -e kmem -e sched -e raw_syscalls
start_load
trace-cmd-stackmap watch -d /tmp/maps --every 500ms --rotate-at never >watch.log 2>&1 &
watch=$!
enough() { [ "$(nr_lines 'stacks, [0-9]* bytes$' watch.log)" -ge $rotations ]; }
wait_for 600 enough
stop_load
stop_recording
kill -TERM $watch
wait $watch || fail "watch: $(cat watch.log)"
same 'what else watch says' '' "$(grep -v -e '^generation' -e '^/tmp/maps/' watch.log || :)"
cp /tmp/maps/*.stackmap watched.stackmap
mv trace.dat watched.dat
ok "$(nr_lines 'bytes$' watch.log) rotations by time"

# By fill.
rm -f /tmp/recorded /tmp/stop
start_load
TRACE_CMD_REAL=$(command -v trace-cmd) trace-cmd-stackmap record --rotate-at 10% -b 49152 \
	-o filled.dat -T -e kmem -e sched -e raw_syscalls sleep 60 >record.log 2>&1 ||
	fail "record: $(cat record.log)"
stop_load
trace-cmd-stackmap list filled.dat >list
saves=$(nr_lines '^save ' list)
[ "$saves" -ge 10 ] || fail "only $saves generations: $(cat record.log)"
same 'what record says of losses' '' \
	"$(grep -e missing -e lost -e 'in no save' -e 'full:' record.log || :)"
ok "$saves generations by fill"
