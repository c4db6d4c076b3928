#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# On the laptop: what was pulled from the device has all its stacks.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

"$TRACE_CMD_STACKMAP" expand -m maps.stackmap trace.txt >expanded.txt || fail 'trace.txt'
same 'trace.txt: unresolved' 0 "$(nr_lines unresolved expanded.txt)"
"$TRACE_CMD_STACKMAP" verify trace.dat >verify 2>&1 || fail "trace.dat: $(cat verify)"
trace-cmd report trace.dat >report 2>report.log || fail "report: $(cat report.log)"
cookies=$(nr_lines ' stack_id: ' report)
[ "$cookies" -ge 5 ] || fail "only $cookies cookies"
same 'trace.dat: cookies with a stack' "$cookies" \
	"$(awk '/ stack_id: / { cookie = 1; next } cookie && /^ => / { n++ } { cookie = 0 }
		END { print n + 0 }' report)"
