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

# The frame of each cookie that was called by the tracer's trampoline, and the one below.
grep -A 2 '<stack_id' report >frames
same 'trampolines below the cookies' "$cookies" "$(grep -c '\[FTRACE TRAMPOLINE\]' frames)"
same 'functions below the trampolines' "$cookies" \
	"$(grep -A 1 '\[FTRACE TRAMPOLINE\]' frames | grep -c ' => vfs_open+0x')"
