#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# More stacks than the map has room for: those that it has are recorded as cookies, all others in
# full, and are counted exactly. The stacks are all of one depth, some 20 frames: it depends on the
# architecture which ends first, the number of stacks or the space for their frames.
#
# boot: append=ftrace_stackmap.bits=10
. ./lib.sh
. ./lib-stackmap.sh

nr=2000
capacity=1024
echo 1 >$option
trace_leaf $tracing
echo 8192 >$tracing/buffer_size_kb
same 'capacity' $capacity "$(field capacity)"

for turn in 1 2 3; do
	stacks $nr
	# Words of 4 bytes: a head and a frame each, and one word that nobody gets
	depth=$(sed -n '1s/.* depth //p' $map)
	fit=$((($(field arena_size) / 4 - 1) / (depth + 1)))
	room=$capacity cause=no_capacity
	[ $fit -ge $room ] || room=$fit cause=no_space
	count_trace
	same "turn $turn: events" $((turn * nr)) "$events"
	same "turn $turn: cookies" $((turn * room)) "$cookies"
	same "turn $turn: stacks in full" $((turn * (nr - room))) "$full"
	same "turn $turn: successes" "$cookies" "$(field successes)"
	same "turn $turn: fallbacks" "$full" "$(field fallbacks)"
	same "turn $turn: $cause" "$full" "$(field $cause)"
	same "turn $turn: entries" $room "$(field entries)"
done
same 'no_slot' 0 "$(field no_slot)"
same 'records' $room "$(nr_lines '^stack_id' $map)"
same 'fallbacks in stack_map_bin' "$(field fallbacks)" \
	"$(cat $bin | tail -c 8 | od -A n -t u8 | tr -d ' ')"

# In the same generation a full map stays full; the next one takes the others.
echo 0 >$map
stacks $nr
same 'after a reset: entries' $room "$(field entries)"
same 'after a reset: fallbacks' $((nr - room)) "$(field fallbacks)"
