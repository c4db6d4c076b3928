#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A stack deeper than an event of the ring buffer has room for: ftrace loses it, the map keeps it.
. ./lib.sh
. ./lib-stackmap.sh

depth=580
trace_leaf $tracing
deep $depth
count_trace
same 'without the option: events' 1 "$events"
same 'without the option: stacks' 0 "$full"

echo >$tracing/trace
echo 1 >$option
deep 10
less=$(sed -n 's/^stack_id .* depth //p' $map)
echo 0 >$map
deep $depth
deep $depth
count_trace
same 'events' 3 "$events"
same 'cookies' 3 "$cookies"
same 'stacks in full' 0 "$full"
cat $map >stack_map
same 'depth' $((depth - 10 + less)) "$(sed -n 's/^stack_id .* depth //p' stack_map)"
same 'ref' 2 "$(sed -n 's/^stack_id .* ref \([0-9]*\) .*/\1/p' stack_map)"
same 'frames' $((depth - 10 + less)) "$(nr_lines '^ => ' stack_map)"
same 'frames of the recursion' $((depth + 1)) "$(nr_lines '^ => stackmap_test_step+' stack_map)"
same 'frames that are its own' 1 "$(nr_lines '^ => stackmap_test_leaf+' stack_map)"
# Of x86, and of arm64
same 'outermost frame' 1 "$(tail -n 1 stack_map | grep -c -e entry_SYSCALL -e el0t_64_sync)"
# Behind a header of 64 bytes and 16 of the record
same 'frames in stack_map_bin' $((depth - 10 + less)) \
	"$(cat $bin | od -A n -t u4 -j 80 -N 4 | tr -d ' ')"
