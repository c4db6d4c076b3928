#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every cookie of both traces resolves, nothing was recorded in full, and nothing got lost.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

all_resolve watched.stackmap watched.dat
same 'watched: stacks in full' 0 "$full"
nothing_lost watched.dat
"$TRACE_CMD_STACKMAP" verify -m watched.stackmap >whole || fail "not whole: $(cat whole)"
"$TRACE_CMD_STACKMAP" verify filled.dat >verified 2>&1 || fail "filled: $(cat verified)"
cat verified
same 'filled: stacks in full' 0 "$(nr_lines 'recorded in full' verified)"
nothing_lost filled.dat
