#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every cookie of the whole trace resolves, from the texts and from the binary exports, which never
# disagree; the generations follow each other; nothing was recorded in full, and nothing got lost.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

nr_maps=$(ls maps | grep -c 'stack_map$')
[ "$nr_maps" -gt 51 ] || fail "only $nr_maps generations"

first=$(sed -n '1s/.* gen \([0-9]*\) .*/\1/p' maps/0.stack_map)
turn=0
while [ $turn -lt "$nr_maps" ]; do
	generation=$(((first + turn) & 0xffffffff))
	found=$(sed -n 's/^stack_id .* gen \([0-9]*\) .*/\1/p' maps/$turn.stack_map | uniq)
	[ "$found" = $generation ] || fail "map $turn: generation $found, not $generation"
	# Complete and constant: the map counts what its text holds, record by record and use by use
	awk -v name="map $turn" '
		/^stack_id/ { records++; refs += $6 }
		/^generation:/ { generation = $2 }
		/^entries:/ { entries = $2 }
		/^successes:/ { successes = $2 }
		/^fallbacks:|^no_/ { full += $2 }
		END {
			if (records == entries && refs == successes && !full)
				exit 0
			print "FAIL: " name ": " records " of " entries " stacks, " refs " of " \
				successes " uses, " full " in full"
			exit 1
		}' maps/$turn.stack_map maps/$turn.stack_map_stat
	# Flag 1: closed. The last one was in use.
	flags=$(od -A n -t u4 -j 12 -N 4 maps/$turn.stack_map_bin)
	[ $((flags & 1)) -eq $((turn < nr_maps - 1)) ] || fail "map $turn: flags $flags"
	turn=$((turn + 1))
done
ok "$nr_maps generations, each complete, nothing in full"

"$TRACE_CMD_STACKMAP" import -o text.stackmap maps/*.stack_map maps/*.stack_map_stat \
	>import.log 2>&1 || fail "texts are not taken: $(cat import.log)"
"$TRACE_CMD_STACKMAP" import -o bin.stackmap kallsyms maps/*.stack_map_bin >import.log 2>&1 ||
	fail "binary exports are not taken: $(cat import.log)"
all_resolve text.stackmap trace.dat
same 'stacks in full' 0 "$full"
all_resolve bin.stackmap trace.dat
"$TRACE_CMD_STACKMAP" verify -m text.stackmap -m bin.stackmap trace.dat >verified 2>&1 ||
	fail "text and binary exports contradict each other: $(cat verified)"
ok 'text and binary exports agree'

nothing_lost trace.dat
uses=$(awk '/^successes:/ { n += $2 } END { print n }' maps/*.stack_map_stat)
same 'uses that all maps have counted' "$cookies" "$uses"
trace-cmd report -N -R trace.dat 2>/dev/null | awk -v cookies="$cookies" '
	/ stack_id: / { next }
	/ [a-z_]+: / { n++ }
	END { print "ok: " n " events, " cookies " with a cookie"; exit n != cookies }' ||
	fail 'an event has no stack'
