#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recording cookies from the boot line on. The host's part boots once more for each bits=.
#
# boot: cpus=2 append=trace_options=stackmap,stacktrace append=trace_event=sched:sched_switch
. ./lib.sh
. ./lib-stackmap.sh

same 'option stackmap' 1 "$(cat $option)"
same 'option stacktrace' 1 "$(cat $tracing/options/stacktrace)"
same 'capacity' 16384 "$(field capacity)"
has_cookies() { [ "$(field successes)" -gt 10 ]; }
wait_for 30 has_cookies
echo 0 >$tracing/tracing_on
cat $map >stack_map
cat $stat >stack_map_stat
cat $tracing/trace >trace

# Before there was a map, in full; from then on as cookies only.
full=$(nr_lines '<stack trace>' trace)
ok "$full stacks in full, $(nr_lines '<stack_id' trace) cookies"
same 'cookies' "$(field successes)" "$(nr_lines '<stack_id' trace)"
same 'stacks recorded without a map' "$full" "$(field no_map)"
same 'stacks in full behind the first cookie' 0 \
	"$(sed '1,/<stack_id/d' trace | grep -c '<stack trace>' || :)"
generation=$(field generation)
[ "$generation" -ge 1 ] && [ "$generation" -le 2147483647 ] || fail "generation $generation"

trace-cmd extract -o /tmp/trace.dat >trace-cmd.log 2>&1 ||
	fail "trace-cmd extract: $(cat trace-cmd.log)"
cp /tmp/trace.dat .
