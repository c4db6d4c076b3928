#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The frames below a cookie in trace and trace_pipe: with stacks whose text would not fit the buffer
# that these are made in, with each way to spell a frame, and where there is no map to take them
# from.
. ./lib.sh

cd "$tracing"
out=/mnt
times=20

# record DEPTH - record the stack of an allocation so many frames deep, several times.
record() {
	echo 0 >tracing_on
	echo >trace
	echo 1 >tracing_on
	turn=0
	while [ $turn -lt $times ]; do
		echo "$1" >/sys/module/stackmap_test/parameters/depth
		turn=$((turn + 1))
	done
	echo 0 >tracing_on
}

# Not with cat, which may use splice(): that loses what does not fit a page, on any kernel. With
# tracing off, reading ends with the last event.
drain() { dd if=trace_pipe bs=64k 2>/dev/null; }

# judge FILE FRAMES - each event of FILE has its cookie, and below it at most 3 KiB of frames that
# are those of FRAMES from the innermost on; and one line that says how many more there were.
judge() {
	if grep -q 'LINE TOO BIG' "$1"; then
		fail "$1: a line was too big"
	fi
	awk -v name="$1" -v times="$times" -v frames_file="$2" '
	function bad(why) {
		print "FAIL: " name ":" NR ": " why ": " $0
		failed = 1
		exit 1
	}
	function end_event() {
		if (events && frames + left != told)
			bad(frames " frames and " left " left out are not " told)
	}
	BEGIN {
		while ((getline line <frames_file) > 0)
			wanted[++told] = line
		told += 0
	}
	/^#/ || /^$/ { next }
	/ kmalloc: / {
		end_event()
		events++
		in_frames = frames = left = bytes = 0
		next
	}
	/<stack_id [0-9]+ gen [0-9]+>$/ { cookies++; in_frames = 1; next }
	!/^ => / || !in_frames || left { bad("out of place") }
	/^ => \[[0-9]+ frames left out\]$/ { left = substr($2, 2) + 0; cuts++; next }
	{
		bytes += length($0) + 1
		if (bytes > 3072)
			bad("more than 3 KiB of frames")
		if ($0 != wanted[++frames])
			bad("wanted " wanted[frames])
	}
	END {
		if (failed)
			exit 1
		end_event()
		if (events != times || cookies != times)
			bad(events " events and " cookies " cookies of " times)
		print "ok: " name ": " cookies " cookies, " frames " frames below, " \
			left " left out"
		print cuts + 0 >"/tmp/cuts"
	}' "$1" || exit 1
}

# frames_of_map FILTER - the frames of the one stack in the map, as FILTER of sed spells them.
frames_of_map() {
	same 'stacks in the map' 1 "$(grep -c '^stack_id' stack_map)"
	grep '^ =>' stack_map | sed "$1" >/tmp/frames
}

# both_files NAME CUT - what was recorded, read by either file, against /tmp/frames; so many events
# have frames left out.
both_files() {
	cp trace "$out/$1.trace"
	drain >"$out/$1.pipe"
	judge "$out/$1.trace" /tmp/frames
	same "$1: events cut in trace" "$2" "$(cat /tmp/cuts)"
	judge "$out/$1.pipe" /tmp/frames
	same "$1: events cut in trace_pipe" "$2" "$(cat /tmp/cuts)"
}

insmod /lib/modules/stackmap_test.ko
echo 'call_site.function == stackmap_test_leaf' >events/kmem/kmalloc/filter
echo 1 >events/kmem/kmalloc/enable
echo 1 >options/stackmap
echo 1 >options/stacktrace

record 10
frames_of_map 's/+0x.*//'
both_files shallow 0

# The text of 500 frames is above 8 KiB even without offsets.
echo 0 >stack_map
record 500
frames_of_map 's/+0x.*//'
size=$(wc -c </tmp/frames)
[ "$size" -gt 8192 ] || fail "the deep stack is of $size bytes only"
both_files deep $times

echo 1 >options/sym-offset
record 500
frames_of_map ''
both_files sym-offset $times

# Which address a frame has, says the other export: 64 bits each from byte 88, the header and the
# first fields of the only record. Without offsets the text is short enough for 30 frames.
echo 0 >options/sym-offset
echo 1 >options/sym-addr
echo 0 >stack_map
record 20
frames_of_map 's/+0x.*//'
nr=$(wc -l </tmp/frames)
dd if=stack_map_bin bs=64k 2>/dev/null | od -A n -v -t x8 -j 88 -N $((8 * nr)) -w8 |
	sed 's/ *\(.*\)/<\1>/' >/tmp/addresses
same 'addresses' "$nr" "$(wc -l </tmp/addresses)"
paste -d ' ' /tmp/frames /tmp/addresses >/tmp/both && mv /tmp/both /tmp/frames
both_files sym-addr 0
echo 0 >options/sym-addr

# The cookies stay, but no map that is in use has their stacks.
record 20
echo 0 >stack_map
: >/tmp/frames
both_files reset 0
record 20
echo 0 >options/stackmap
echo free >stack_map
both_files free 0
echo 1 >options/stackmap

# An instance has no map; with the option set at the top, it records in full.
mkdir instances/other
echo 1 >instances/other/options/stacktrace
echo 'call_site.function == stackmap_test_leaf' >instances/other/events/kmem/kmalloc/filter
echo 1 >instances/other/events/kmem/kmalloc/enable
record 10
same 'an instance: full stacks' $times "$(grep -c '<stack trace>' instances/other/trace)"
same 'an instance: cookies' 0 "$(grep -c '<stack_id' instances/other/trace || :)"
same 'beside the top: cookies' $times "$(grep -c '<stack_id' trace)"
