#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "free" takes the map out of use and waits until no other file holds it or an older one.
#
# programs: fdop
. ./lib.sh
. ./lib-stackmap.sh

# fill - a map in use with 100 stacks; the option is off afterwards. Sets $generation.
fill() {
	echo 1 >$option
	stacks 100
	echo 0 >$option
	generation=$(field generation)
	[ "$(field entries)" -eq 100 ] || fail 'no map of 100 stacks'
}

# free_behind - "free" by another task, $!, which has none of our files open, until it waits.
free_behind() {
	(exec 3<&- 4<&-; echo free >$map) &
	wait_for 10 is_waiting $!
}
is_waiting() { grep -q stackmap_free "/proc/$1/stack" 2>/dev/null; }
still_waits() {
	sleep 0.3
	is_waiting "$1" || fail "$2: free did not wait"
	ok "$2: free waits"
}
no_map() { same "$1: no map in use" '' "$(cat $stat $map $bin)"; }

trace_leaf $tracing
fill

# While the option is set, nothing changes.
echo 1 >$option
refuses busy write_to $map free
same 'refused: generation' "$generation" "$(field generation)"
same 'refused: stacks' 100 "$(nr_lines '^stack_id' $map)"
echo 0 >$option

# Without readers; a generation is over.
echo free >$map || fail 'free without readers'
no_map 'without readers'
before=$generation
fill
same 'generation afterwards' $((before + 1)) "$generation"

# A reader of the map: it reads the whole of it, while free waits.
exec 3<$map
free_behind
waiting=$!
no_map 'a reader'
still_waits $waiting 'a reader'
same 'a reader: its stacks' 100 "$(cat <&3 | grep -c "^stack_id .* gen $generation ")"
still_waits $waiting 'a reader at the end'
exec 3<&-
wait $waiting || fail "a reader gone: free ended with $?"
ok 'a reader gone: free ends'

# So with the other files that hold a map.
for file in $bin $stat; do
	fill
	exec 3<$file
	free_behind
	waiting=$!
	still_waits $waiting "${file##*/}"
	exec 3<&-
	wait $waiting || fail "${file##*/}: free ended with $?"
done

# An older map counts too; one that comes into use later does not.
fill
exec 3<$map
echo 0 >$map
free_behind
waiting=$!
no_map 'an older reader'
still_waits $waiting 'an older reader'
fill
exec 4<$map
same 'two generations later' 2 "$((generation - $(sed -n '1s/.* gen \([0-9]*\) .*/\1/p' <&3)))"
exec 3<&-
wait $waiting || fail "an older reader gone: free ended with $?"
ok 'a map that came later is not waited for'
same 'nor is it freed' 100 "$(nr_lines '^stack_id' $map)"
exec 4<&-

# Killed as it waits: out of use is what it stays.
exec 3<$map
free_behind
kill -KILL $!
status=0
wait $! || status=$?
same 'killed: status' 137 $status
no_map 'killed'
same 'killed: the reader' 100 "$(nr_lines '^stack_id' - <&3)"
exec 3<&-
echo free >$map || fail 'free with nothing to free'

# A signal that has a handler or is ignored ends nothing.
fill
exec 3<$map
(trap '' TERM; exec 3<&-; echo free >$map) &
wait_for 10 is_waiting $!
kill -TERM $!
still_waits $! 'a signal that is ignored'
exec 3<&-
wait $! || fail "a signal that is ignored: free ended with $?"

# The file that asks for it is not waited for, and holds its map until it is closed.
fill
exec 3<>$map
echo free >&3 || fail 'free through a file that reads'
no_map 'own file'
same 'own file: its stacks' 100 "$(nr_lines '^stack_id' - <&3)"
exec 3<&-

# Nor do two such wait for each other, or both would for ever.
one_of_two() {
	exec 3<>$map
	: >/tmp/open.$1
	wait_for 10 [ -e /tmp/open.$2 ]
	echo free >&3
}
fill
one_of_two a b &
first=$!
one_of_two b a &
wait $! || fail "the second of two ended with $?"
wait $first || fail "the first of two ended with $?"
ok 'two that free at once'

# Opened with O_NONBLOCK: at once, readers or not.
fill
exec 3<$map 4>$map
./fdop nonblock <&4
echo free >&4 || fail 'free without waiting'
no_map 'without waiting'
same 'without waiting: the reader' 100 "$(nr_lines '^stack_id' - <&3)"
free_behind
still_waits $! 'behind one that did not'
exec 3<&- 4<&-
wait $! || fail "behind one that did not wait: free ended with $?"

# As often as one likes.
for again in $(seq 30); do
	fill
	echo free >$map || fail "free, time $again"
done

fill
same 'maps left' 0 "$(field swapped_out_maps)"
same 'their memory' 0 "$(field swapped_out_memory)"
