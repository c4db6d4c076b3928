#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Wherever the power is cut: the trace is there to the byte, stock trace-cmd reads it as it read it
# before, and as many maps are in it as were reported, whole.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-disk.sh"

# What the guest put on the disk, before the files on the disk take these names.
keep_whole() {
	trace-cmd report -N -R trace.dat >wanted.report 2>/dev/null
	[ "$(grep -c . wanted.report)" -ge 50 ] || fail 'a trace without events'
	cp trace.dat whole.dat
}

if [ "${1-}" != --look ]; then
	keep_whole
	cut_power
	exit
fi
# While it is copied there, and is not on the disk yet, nobody promises anything.
grep -q '^trace' "$3" || exit 0
[ -e whole.dat ] || keep_whole
bring_back "$2" trace.dat
[ -e trace.dat ] || fail 'no trace'
cmp -n "$(stat -c %s whole.dat)" trace.dat whole.dat || fail 'the trace has changed'
trace-cmd report -N -R trace.dat >report 2>report.log || fail "report: $(cat report.log)"
cmp report wanted.report || fail 'trace-cmd reads something else'

# As many as the last word on it says; while it is being detached there may be none.
last=$(tail -n 1 "$3")
nr=$("$TRACE_CMD_STACKMAP" list trace.dat 2>list.log | grep -c '^save ' || :)
case $last in
'attached '*) [ "$nr" -ge "${last#attached }" ] || fail "$nr maps, but $last: $(cat list.log)" ;;
esac
if [ "$nr" -gt 0 ]; then
	"$TRACE_CMD_STACKMAP" verify trace.dat >verified 2>&1 || [ $? -eq 1 ] ||
		fail "verify: $(cat verified)"
	! grep -e damaged -e 'not whole' verified || fail 'what is attached is not whole'
fi
# It can be gone on with.
"$TRACE_CMD_STACKMAP" attach trace.dat 0.stackmap >attached 2>&1 || fail "attach: $(cat attached)"
"$TRACE_CMD_STACKMAP" detach --discard trace.dat >detached 2>&1 || fail "detach: $(cat detached)"
cmp trace.dat whole.dat || fail 'detached, it is another one'
