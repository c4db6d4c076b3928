#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without memory for another map a reset fails and changes nothing. No task is killed for it.
#
# boot: mem=160 append=ftrace_stackmap.bits=18
. ./lib.sh
. ./lib-stackmap.sh

available() { sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo; }
# fill_memory KB - leave so many kB.
fill_memory() {
	while [ "$(available)" -gt $(($1 + 1024)) ]; do
		dd if=/dev/zero bs=1k count=$((($(available) - $1) / 2)) 2>/dev/null \
			>>/tmp/full/file ||
			fail 'cannot fill the memory'
	done
}

mkdir /tmp/full
mount -t tmpfs -o size=100% full /tmp/full
trace_leaf $tracing

# Not for the first one either: a map of 2^18 stacks takes 27 MiB.
fill_memory 20480
ok "$(available) kB are available"
refuses memory write_to $option 1
same 'the option' 0 "$(cat $option)"
refuses memory write_to $tracing/trace_options stackmap
same 'no map' '' "$(cat $stat)"
deep 5
count_trace
same 'recorded in full' 1 "$full"

rm /tmp/full/file
echo 1 >$option
same 'capacity' 262144 "$(field capacity)"
size=$(field memory)
[ "$size" -le $((28 << 20)) ] || fail "the map takes $size bytes"
stacks 100

fill_memory 20480
cat $stat >before
cat $map >before.map
refuses memory write_to $map 0
exec 3<>$map
refuses memory write_fd 3 0
exec 3<&-
cat $stat >after
cmp before after || fail "the statistics changed: $(cat after)"
cat $map >after.map
cmp before.map after.map || fail 'the map changed'
ok 'nothing changed'
stacks 110
same 'recording goes on' 110 "$(field entries)"
same 'fallbacks' 0 "$(field fallbacks)"
if dmesg | grep -i -e 'out of memory' -e 'oom' -e 'allocation failure'; then
	fail 'the kernel killed for memory, or complained'
fi

rm /tmp/full/file
generation=$(field generation)
echo 0 >$map
same 'with memory again: generation' $((generation + 1)) "$(field generation)"
