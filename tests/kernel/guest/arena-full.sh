#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks of many frames fill the space for frames before the map has as many stacks as it may. Those
# that do not fit are recorded in full and counted exactly; shorter ones are still taken.
#
# boot: append=ftrace_stackmap.bits=10
. ./lib.sh
. ./lib-stackmap.sh

# Of 4 bytes each
words_left() { echo $((($(field arena_size) - $(field arena_used)) / 4)); }
# one_more DEPTH COOKIES FULL - a stack of DEPTH is recorded so.
one_more() {
	deep "$1"
	count_trace
	same "depth $1: cookies" "$2" "$cookies"
	same "depth $1: stacks in full" "$3" "$full"
	same "depth $1: successes" "$2" "$(field successes)"
	same "depth $1: no_space" "$3" "$(field no_space)"
	same "depth $1: fallbacks" "$3" "$(field fallbacks)"
	same "depth $1: entries" "$(nr_lines '^stack_id' $map)" "$(field entries)"
}

echo 1 >$option
trace_leaf $tracing
echo 8192 >$tracing/buffer_size_kb

# What a stack takes: of each kind the head, and frames that do not depend on what is asked for
left=$(words_left)
deep 0
base=$((left - $(words_left)))
left=$(words_left)
stacks 1
words=$((left - $(words_left)))

# Leave room for about 200 words, by deep stacks and others
nr=2
depth=400
while [ $depth -gt 380 ]; do
	deep $depth
	depth=$((depth - 1))
	nr=$((nr + 1))
done
count=$((($(words_left) - 200) / words))
stacks $((count + 1))
left=$(words_left)
nr=$((nr + count))
ok "$nr stacks, $left words left"
[ $left -lt $((200 + words)) ] || fail 'the map did not get full'
[ $nr -lt "$(field capacity)" ] || fail 'the stacks are not deep enough'
same 'entries' $nr "$(field entries)"
same 'fallbacks' 0 "$(field fallbacks)"

# Those that were found once more
uses=$((nr + 1))
fits=$((left - base))
one_more $((fits + 1)) $uses 1
one_more 300 $uses 2
one_more $((fits + 1)) $uses 3
one_more 10 $((uses + 1)) 3
same 'words left' $((fits - 10)) "$(words_left)"
one_more 10 $((uses + 2)) 3
# To the last word
one_more $((fits - 10 - base)) $((uses + 3)) 3
same 'words left' 0 "$(words_left)"
one_more 1 $((uses + 3)) 4
one_more 0 $((uses + 4)) 4
same 'no_capacity' 0 "$(field no_capacity)"
same 'no_slot' 0 "$(field no_slot)"
