#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every cookie of the trace resolves, nothing was recorded in full, and nothing got lost.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

all_resolve watched.stackmap watched.dat
same 'stacks in full' 0 "$full"
nothing_lost watched.dat
"$TRACE_CMD_STACKMAP" verify -m watched.stackmap >whole || fail "not whole: $(cat whole)"
