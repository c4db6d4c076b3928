#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The dump on the console, event by event. Of each the kernel prints the first 1,000 bytes.
. "$KERNEL_TESTS/host/lib.sh"

# Of the console the dump, without the time that stands before each line.
sed 's/\r$//; s/^\[ *[0-9.]*\] \{0,1\}//' console.log |
	sed -n '/^Dumping ftrace buffer:/,$p' >dump
[ -s dump ] || fail 'no dump on the console'

# event DEPTH - what the dump has of the event behind the line "depth DEPTH": its cookie's line and
# all below.
event() {
	awk -v marker="depth $1" '
		index($0, marker) { wanted = 1; next }
		/tracing_mark_write|^---------/ { wanted = 0 }
		wanted && /<stack_id / { found = 1 }
		found && wanted { print }' dump
}

# frames_of DEPTH - of the cookie that the event has, as the map spells them.
frames_of() {
	slot=$(event "$1" | sed -n 's/.*<stack_id \([0-9]*\) gen .*/\1/p')
	generation=$(event "$1" | sed -n 's/.*<stack_id [0-9]* gen \([0-9]*\)>.*/\1/p')
	awk -v head="stack_id $slot gen $generation ref" '
		/^stack_id/ { wanted = !index($0, head) ? 0 : 1; next }
		wanted { print }' stack_map
}

# The map in use when the kernel died has not this one: the cookie, and nothing below.
same 'lines of a cookie of an older generation' 1 "$(event 1 | wc -l)"
same 'its frames in the map' 0 "$(frames_of 1 | wc -l)"

# All frames of a stack that fits.
frames_of 2 >frames.2
[ "$(wc -l <frames.2)" -gt 5 ] || fail "no stack in the map: $(event 2 | head -n 1)"
event 2 | sed 1d | diff frames.2 - || fail 'wanted <, dumped >'
ok "a dumped cookie has its $(wc -l <frames.2) frames"

# What was cut of a deep one is cut at its end, and no byte too early. Where that is the end of a
# line the console begins no other one.
event 400 >event.400
{
	head -n 1 event.400
	frames_of 400
} >whole.400
[ "$(wc -c <whole.400)" -gt 1000 ] || fail 'the deep stack was not cut'
same 'a deep stack' "$(head -c 1000 whole.400)" "$(cat event.400)"
