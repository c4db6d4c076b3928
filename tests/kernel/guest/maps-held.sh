#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# As many swapped-out maps as there may be are held by readers: a reset is refused, until one of
# them is closed.
#
# programs: fdop
. ./lib.sh
. ./lib-stackmap.sh

max=8
# hold - a task that has the map in use open, for good
hold() {
	sleep 10000 <$map &
	holders="$holders $!"
	wait_for 10 [ "/proc/$!/fd/0" -ef $map ]
}

trace_leaf $tracing
echo 1 >$option
size=$(field memory)
holders=''
turn=0
while [ $turn -lt $max ]; do
	stacks $((turn + 1))
	hold
	echo 0 >$map || fail "reset $turn"
	turn=$((turn + 1))
	same 'swapped-out maps' $turn "$(field swapped_out_maps)"
	same 'their memory' $((turn * size)) "$(field swapped_out_memory)"
done

stacks 20
cat $stat >before
refuses busy write_to $map 0
exec 3<>$map
refuses busy write_fd 3 0
same 'the file shows the map in use' 20 "$(nr_lines '^stack_id' - <&3)"
exec 3<&-
cat $stat >after
cmp before after || fail "the statistics changed: $(cat after)"
ok 'nothing changed'

# Any of them, not only the oldest
one=$(echo "$holders" | cut -d ' ' -f 4)
kill $one
wait $one || :
same 'one closed: swapped-out maps' $((max - 1)) "$(field swapped_out_maps)"
generation=$(field generation)
echo 0 >$map || fail 'reset with one closed'
same 'one closed: generation' $((generation + 1)) "$(field generation)"
same 'one closed: swapped-out maps' $((max - 1)) "$(field swapped_out_maps)"

# With the last place taken, "free" still goes through: it needs no memory.
hold
echo 0 >$map
hold
refuses busy write_to $map 0
echo 0 >$option
exec 4>$map
./fdop nonblock <&4
echo free >&4 || fail 'free with all maps held'
same 'no map in use' '' "$(cat $stat)"
# shellcheck disable=SC2086 # a list
kill $holders 2>/dev/null || :
echo free >$map
echo 1 >$option
same 'none held: swapped-out maps' 0 "$(field swapped_out_maps)"
