#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Both exports are whole, and hold the same.
. "$KERNEL_TESTS/host/lib.sh"

for export in stack_map stack_map_bin; do
	"$TRACE_CMD_STACKMAP" verify -m $export >verified || fail "$export: $(cat verified)"
	grep -q ': 1 save, 302 stacks, .*: whole$' verified || fail "$export: $(cat verified)"
	"$TRACE_CMD_STACKMAP" show -m $export --kallsyms kallsyms >$export.show ||
		fail "show $export"
done
# How long the last function of a module is, kallsyms does not tell.
sed -i 's,/0x[0-9a-f]* \[, [,' stack_map.show stack_map_bin.show
cmp stack_map.show stack_map_bin.show || fail 'the exports differ'
ok 'both exports tell the same stacks'
# The last 16 bytes of the trailer
same 'successes and fallbacks in stack_map_bin' '303 0' \
	"$(tail -c 16 stack_map_bin | od -A n -t u8 | sed 's/^ *//; s/  */ /g')"
