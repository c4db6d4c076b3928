#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cookies of the function tracer outside: each resolves, to the frames that the map has.
. "$KERNEL_TESTS/host/lib.sh"

"$TRACE_CMD_STACKMAP" verify trace.dat >verify || fail "verify: $(cat verify)"
grep -q 'cookies' verify || fail "no cookie: $(cat verify)"
trace-cmd report trace.dat >report 2>report.log || fail "report: $(cat report.log)"
cookies=$(grep -c '<stack_id' report)
[ "$cookies" -gt 0 ] || fail 'no cookie in the report'

# The frames below each cookie: on x86 that of the tracer's trampoline, then the function.
grep -A 2 '<stack_id' report >frames
if [ "$(cat "$IMAGE/arch")" = x86_64 ]; then
	same 'trampolines below the cookies' "$cookies" "$(grep -c '\[FTRACE TRAMPOLINE\]' frames)"
	grep -A 1 '\[FTRACE TRAMPOLINE\]' frames >below
else
	grep -A 1 '<stack_id' frames >below
fi
same 'functions below the tracer' "$cookies" "$(grep -c ' => vfs_open+0x' below)"
