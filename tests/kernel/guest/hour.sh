#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# As many rotations as an hour has minutes, under load, by "watch --every" beside a plain trace-cmd
# record. The host resolves every cookie. Rotations by fill are in record-lines.
#
# boot: cpus=2 mem=1536 timeout=900
# variants: plain
. ./lib.sh
. ./lib-stackmap.sh

rotations=60

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
