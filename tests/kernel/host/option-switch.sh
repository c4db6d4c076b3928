#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each event has its stack, as a cookie or in full.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

nothing_lost trace.dat
all_resolve stack_map trace.dat
[ "$cookies" -gt 1000 ] || fail "only $cookies cookies"
[ "$full" -gt 1000 ] || fail "only $full stacks in full"
trace-cmd report -N -R trace.dat 2>/dev/null | awk -v cookies="$cookies" -v full="$full" '
	/ (stack_id|kernel_stack): / { stacks++; next }
	/ [a-z_]+: / { events++ }
	END {
		print "ok: " events " events, " cookies " cookies, " full " stacks in full"
		exit events != stacks || stacks != cookies + full
	}' || fail 'an event has no stack'
