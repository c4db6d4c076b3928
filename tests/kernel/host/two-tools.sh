#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No generation was read by both or by none, both read some, and together they have every stack.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

for file in maps/*.stack_map; do
	sed -n 's/^stack_id .* gen \([0-9]*\) .*/\1/p' "$file" | uniq
done | sort -n >generations
nr=$(ls maps | wc -l)
first=$(cat first)
same 'a generation in each file, each once' "$(seq "$first" $((first + nr - 1)))" \
	"$(cat generations)"

# The tools took turns, else this shows nothing.
turns=$(for file in maps/[ab].*.stack_map; do
	sed -n '1s/^stack_id .* gen \([0-9]*\) .*/\1/p' "$file" | sed "s,\$, $file,"
done | sort -n | sed 's/.*maps.\(.\).*/\1/' | uniq | wc -l)
[ "$turns" -gt 5 ] || fail "the tools ran one behind the other: $turns turns"
ok "$turns turns"

"$TRACE_CMD_STACKMAP" import -o both.stackmap maps/*.stack_map >import.log 2>&1 ||
	fail "texts are not taken: $(cat import.log)"
nothing_lost trace.dat
all_resolve both.stackmap trace.dat
same 'stacks in full' 0 "$full"
same 'uses that all maps have counted' "$cookies" \
	"$(awk '/^stack_id/ { n += $6 } END { print n }' maps/*)"
