#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The map is the top level's: an instance has none of its files, does not take its option, and
# records stacks in full whatever is set at the top.
. ./lib.sh
. ./lib-stackmap.sh

# none_of_it DIR - an instance without the map.
none_of_it() {
	for file in stack_map stack_map_bin stack_map_stat options/stackmap; do
		[ ! -e "$1/$file" ] || fail "$1 has $file"
	done
	refuses 'Invalid argument' write_to "$1/trace_options" stackmap
	same "${1##*/}: the option" 0 "$(nr_lines '^stackmap$' "$1/trace_options")"
}

[ -e $map ] && [ -e $bin ] && [ -e $stat ] && [ -e $option ] || fail 'no files at the top'
mkdir $tracing/instances/early
none_of_it $tracing/instances/early
echo 1 >$option
same 'the option at the top' 1 "$(nr_lines '^stackmap$' $tracing/trace_options)"
# What is set at the top is not set in what is made then.
mkdir $tracing/instances/late
for name in early late; do
	none_of_it $tracing/instances/$name
	trace_leaf $tracing/instances/$name
done
trace_leaf $tracing

stacks 100
deep 50
for name in early late; do
	count_trace $tracing/instances/$name
	same "$name: events" 101 "$events"
	same "$name: stacks in full" 101 "$full"
	same "$name: cookies" 0 "$cookies"
done
count_trace
same 'top: events' 101 "$events"
same 'top: cookies' 101 "$cookies"
same 'entries' 101 "$(field entries)"

# Without events at the top, the map is left alone; so when an instance goes.
echo 0 >$tracing/events/enable
deep 51
rmdir $tracing/instances/early
rmdir $tracing/instances/late
same 'entries' 101 "$(field entries)"
same 'successes' 101 "$(field successes)"
