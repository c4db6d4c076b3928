#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every file opened before the option was set for the first time: there is no map yet. It shows the
# map from the first read on for which there is one, and what is written acts on the map in use.
. ./lib.sh
. ./lib-stackmap.sh

exec 3<>$map 4<$bin 5<$stat
# Three that are read at once, and others that act
same 'no map: nothing to read' '' "$(cat <&3; cat <&4; cat <&5)"
exec 6<>$map 7<$bin 8<$stat 9>$map

# Without a map there is nothing to do, which is no error.
echo 0 >&9 || fail 'reset without a map'
echo 0 >&6 || fail 'reset without a map, of a file that reads'
echo free >&9 || fail 'free without a map'
same 'still no map' '' "$(cat $map $bin $stat)"

trace_leaf $tracing
echo 1 >$option
generation=$(field generation)
stacks 100

same 'stack_map' 100 "$(nr_lines "^stack_id .* gen $generation " - <&3)"
cat <&7 >/tmp/opened
cat $bin >/tmp/present
cmp /tmp/opened /tmp/present || fail 'stack_map_bin opened early shows something else'
ok 'stack_map_bin'
# At its end, it stays there; from the start it shows the map.
cat <&4 >/tmp/opened
cmp /tmp/opened /tmp/present ||
	fail 'stack_map_bin read before there was a map shows something else'
cat <&8 >/tmp/opened
cat $stat >/tmp/present
cmp /tmp/opened /tmp/present || fail 'stack_map_stat opened early shows something else'
ok 'stack_map_stat'
case $(cat <&5) in
'' | "$(cat /tmp/present)") ok 'stack_map_stat read before there was a map' ;;
*) fail 'stack_map_stat read before there was a map shows something else' ;;
esac

# A reset through a file that was opened early and not read: it holds the old map.
echo 0 >&6 || fail 'reset through a file opened early'
same 'generation' $((generation + 1)) "$(field generation)"
stacks 20
same 'the file that asked for the reset' 100 "$(nr_lines "^stack_id .* gen $generation " - <&6)"
echo 0 >&9 || fail 'reset through a file opened early, for writing'
same 'generation' $((generation + 2)) "$(field generation)"

refuses busy write_fd 6 free
echo 0 >$option
exec 3<&- 4<&- 5<&- 7<&- 8<&-
echo free >&6 || fail 'free through a file opened early'
same 'no map' '' "$(cat $map $bin $stat)"
exec 6<&- 9<&-
echo 1 >$option
same 'maps left' 0 "$(field swapped_out_maps)"
