#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# trace-cmd stream, which reads from a temporary file that is deleted already, prints the stacks
# below the cookies through the plugin.
#
# boot: cpus=2
. ./lib.sh

find /usr/lib -name plugin_stackmap.so | grep -q . || skip 'the guest has no plugin of ours'
# Enough for many pages of the ring buffer: trace-cmd prints whole ones.
work='ls -lR /sys/kernel/tracing/events/[a-s]* >/dev/null'

# The same once before, so that its stacks are in the map that the plugin reads.
trace-cmd record -q -o /tmp/trace.dat -O stackmap -e kmem_cache_alloc -T sh -c "$work" \
	>trace-cmd.log 2>&1 || fail "trace-cmd record: $(cat trace-cmd.log)"
cat $tracing/stack_map >stack_map
[ -s stack_map ] || fail 'no stack in the map'

TRACE_STACKMAP=$PWD/stack_map trace-cmd stream -O stackmap -e kmem_cache_alloc -T \
	sh -c "$work" >stream 2>stream.err || fail "trace-cmd stream: $(cat stream.err)"
cookies=$(grep -c '<stack_id ' stream) || fail 'no cookie in the stream'
# A cookie alone on its line is followed by its frames; a verdict stands on the line itself.
resolved=$(awk '/<stack_id [0-9]+ gen [0-9]+>$/ { cookie = 1; next }
	/^ => / && cookie { resolved++ }
	{ cookie = 0 }
	END { print resolved + 0 }' stream)
verdicts=$(grep -c '<stack_id [0-9]* gen [0-9]*> .*[a-z]' stream) || :
[ "$resolved" -gt 0 ] || fail "none of $cookies cookies was resolved"
same 'cookies with their stack or a verdict' "$cookies" $((resolved + verdicts))
