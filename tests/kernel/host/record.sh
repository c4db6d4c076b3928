#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every cookie resolves, by our command and by stock trace-cmd with the plugin, from either export
# to the same stack.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-stackmap.sh"

trace-cmd report -N -R trace.dat >raw 2>/dev/null
switches=$(nr_lines ' sched_switch: ' raw)
same 'the stack of each event' "$switches" "$(nr_lines ' stack_id: ' raw)"
same 'stacks in full' 0 "$(nr_lines ' kernel_stack: ' raw)"
[ "$switches" -ge 100 ] || fail "only $switches events"

for export in stack_map stack_map_bin; do
	all_resolve $export trace.dat
	same "$export: cookies" "$switches" "$cookies"
	report trace.dat $export $export.report
	same "$export: cookies unresolved" 0 "$(nr_lines unresolved $export.report)"
	# One frame at least below each, and every one named
	same "$export: stacks" "$switches" \
		"$(awk '/stack_id:/ { cookie = 1; next } cookie && /^ => / { n++ } { cookie = 0 }
			END { print n + 0 }' $export.report)"
	same "$export: frames without a name" 0 "$(nr_lines '^ => 0x' $export.report)"
	"$TRACE_CMD_STACKMAP" import -o $export.stackmap $export stack_map_stat kallsyms ||
		fail "$export is not taken"
	all_resolve $export.stackmap trace.dat
done
cmp stack_map.report stack_map_bin.report || fail 'the exports do not tell the same stacks'
ok 'both exports tell the same stacks'
"$TRACE_CMD_STACKMAP" verify -m stack_map -m stack_map_bin trace.dat ||
	fail 'the exports contradict each other'

# The map counts what the trace holds
same 'sum of refs' "$switches" "$(awk '/^stack_id/ { n += $6 } END { print n }' stack_map)"
same 'successes' "$switches" "$(sed -n 's/^successes: //p' stack_map_stat)"
