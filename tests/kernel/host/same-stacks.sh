#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same from the traces: cookies with the copy of the map, and full stacks, make the same lines.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

all_resolve stack_map top.dat
folded() { "$TRACE_CMD_STACKMAP" resolve -q --format folded --offsets --prefix event "$@"; }
folded -m stack_map top.dat | sort >top.folded
folded full.dat | sort >full.folded
[ "$(wc -l <top.folded)" -gt 50 ] || fail "only $(wc -l <top.folded) stacks"
cmp top.folded full.folded || fail 'the traces do not hold the same stacks'
ok "$(wc -l <top.folded) stacks are the same"
