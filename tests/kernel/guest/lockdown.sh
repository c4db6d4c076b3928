#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lockdown raised after boot: none of the files can be opened any more; those that are open go on,
# as the other files of tracefs do.
. ./lib.sh
. ./lib-stackmap.sh

read_file() { cat "$1"; }
files="stack_map stack_map_bin stack_map_stat"

trace_leaf $tracing
echo 1 >$option
stacks 100
generation=$(field generation)
exec 3<>$map 4<$bin 5<$stat 6<>$option 7<>$tracing/tracing_on
for file in $files options/stackmap options/stacktrace trace; do
	cat $tracing/$file >/dev/null || fail "$file cannot be read"
done

echo confidentiality >/sys/kernel/security/lockdown
# The measure of what is to be expected
refuses 'not permitted' read_file $tracing/trace
refuses 'not permitted' write_to $tracing/tracing_on 1
for file in $files; do
	refuses 'not permitted' read_file $tracing/$file
done
refuses 'not permitted' write_to $map 0
# The files of options call it another name.
refuses 'No such device' read_file $tracing/options/stacktrace
refuses 'No such device' read_file $option
refuses 'No such device' write_to $option 0

echo 0 >&7 || fail 'tracing_on, open, cannot be written'
same 'generation, from an open file' "$generation" "$(sed -n 's/^generation: //p' <&5)"
same 'stack_map_bin, open: bytes' yes "$([ "$(wc -c <&4)" -gt 10000 ] && echo yes)"
echo 0 >&3 || fail 'stack_map, open, cannot be written'
same 'stack_map, open: stacks' 100 "$(nr_lines "^stack_id .* gen $generation " - <&3)"
same 'options/stackmap, open' 1 "$(cat <&6)"
echo 0 >&6 || fail 'options/stackmap, open, cannot be written'
exec 3<&- 4<&- 5<&- 6<&- 7<&-
