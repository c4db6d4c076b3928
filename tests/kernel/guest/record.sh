#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stock trace-cmd records cookies; the map is copied, and both are looked at outside.
#
# boot: cpus=2
. ./lib.sh
. ./lib-stackmap.sh

cat >/tmp/work <<'EOF'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	sleep 0.02 &
	ls -l /proc /proc/1 >/dev/null
	(read -r line </proc/self/stat; echo "$line" | cat >/dev/null)
	wait
done
EOF
trace-cmd record -q -o /tmp/trace.dat -O stackmap -e sched_switch -T sh /tmp/work \
	>trace-cmd.log 2>&1 || fail "trace-cmd record: $(cat trace-cmd.log)"
same 'the option afterwards' 0 "$(cat "$option")"

cat $map >stack_map
cat $bin >stack_map_bin
cat $stat >stack_map_stat
cat /proc/kallsyms >kallsyms
cp /tmp/trace.dat .
same 'stacks recorded in full' 0 "$(field fallbacks)"

# Here too, from the map itself, where the guest has our programs
! has_ours || trace-cmd-stackmap verify -m $map trace.dat ||
	fail 'the live map does not resolve the trace'
