#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the guest left says the same here.
. "$KERNEL_TESTS/host/lib.sh"

case $(cat uname) in
"$BASE".*) ok "kernel $(cat uname)" ;;
*) fail "kernel $(cat uname), not $BASE" ;;
esac
same 'events' "$(grep -c sched_switch: report)" \
	"$(trace-cmd report trace.dat 2>/dev/null | grep -c sched_switch:)"
