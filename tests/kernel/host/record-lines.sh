#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The traces alone, on another machine: every cookie resolves, by our command and in a report.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

for name in lines rotated; do
	"$TRACE_CMD_STACKMAP" verify $name.dat >$name.verify 2>&1 ||
		fail "$name.dat: $(cat $name.verify)"
	trace-cmd report $name.dat >$name.report 2>report.log || fail "report: $(cat report.log)"
	cookies=$(nr_lines ' stack_id: ' $name.report)
	[ "$cookies" -ge 200 ] || fail "$name.dat: only $cookies cookies"
	same "$name.dat: cookies with a stack" "$cookies" \
		"$(awk '/ stack_id: / { cookie = 1; next } cookie && /^ => / { n++ } { cookie = 0 }
			END { print n + 0 }' $name.report)"
done
