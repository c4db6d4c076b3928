#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much the ring buffer keeps of the same work, with the option off and on, for shallow, middle
# and deep stacks; and that a full map costs nothing against the option off.
#
# boot: icount timeout=600 append=ftrace_stackmap.bits=10
. ./lib.sh

cd "$tracing"

# Work of each depth: system calls; files opened; allocations below frames of a module.
shallow() { dd if=/dev/zero of=/dev/null bs=1 count=3000 2>/dev/null; }
middle() {
	turn=0
	while [ $turn -lt 1500 ]; do
		read -r _ </proc/self/stat
		turn=$((turn + 1))
	done
}
deep() {
	turn=0
	while [ $turn -lt 1000 ]; do
		echo 50 >/sys/module/stackmap_test/parameters/depth
		turn=$((turn + 1))
	done
}

use_event() {
	case $1 in
	shallow) event=raw_syscalls/sys_enter ;;
	middle) event=kmem/kmem_cache_alloc ;;
	deep) event=kmem/kmalloc ;;
	esac
}

stat_field() { sed -n "s/^$1: *//p" stack_map_stat; }
of_buffer() { sed -n "s/^$1: *//p" per_cpu/cpu0/stats; }
per_event() { awk -v bytes="$1" -v events="$2" 'BEGIN { printf "%.1f", bytes / events }'; }
at_most() { awk -v most="$1" -v got="$2" 'BEGIN { exit !(got <= most) }'; }

# measure WORK - do it; sets $kept, the events that are in the buffer, and $bytes an event, its
# stack included. The buffer is full with it, so that what an event takes decides.
measure() {
	use_event "$1"
	echo 1 >"events/$event/enable"
	echo >trace
	"$1"
	echo 0 >"events/$event/enable"
	[ "$(of_buffer overrun)" -gt 0 ] || fail "$1 does not fill the buffer"
	kept=$(($(of_buffer entries) / 2))
	bytes=$(per_event "$(of_buffer bytes)" $kept)
}

depth_of_map() {
	awk '/^stack_id/ { refs += $6; frames += $6 * $8 }
		END { printf "%.1f", frames / refs }' stack_map
}

row() { printf '%-10s %8s %8s %8s %12s %12s\n' "$@"; }

# compare WORK - a row of the table, and that the option keeps more.
compare() {
	echo 0 >options/stackmap
	measure "$1"
	full_kept=$kept full_bytes=$bytes
	echo 1 >options/stackmap
	echo 0 >stack_map
	measure "$1"
	[ "$(stat_field fallbacks)" -eq 0 ] || fail "$1: stacks in full beside the cookies"
	row "$1" "$(depth_of_map)" "$full_kept" "$kept" "$full_bytes" "$bytes"
	[ "$kept" -gt "$full_kept" ] || fail "$1: cookies keep $kept events, full stacks $full_kept"
	eval "$1_full=$full_bytes $1_cookies=$bytes"
}

# Stacks of the module until there is no room even for short ones.
fill_map() {
	echo 0 >stack_map
	echo 1 >events/kmem/kmalloc/enable
	echo 2000 >/sys/module/stackmap_test/parameters/stacks
	left=100
	while [ $left -gt 0 ]; do
		left=$((left - 1))
		echo $left >/sys/module/stackmap_test/parameters/depth
	done
	echo 0 >events/kmem/kmalloc/enable
}

insmod /lib/modules/stackmap_test.ko
echo 'call_site.function == stackmap_test_leaf' >events/kmem/kmalloc/filter
echo 64 >buffer_size_kb
echo 1 >options/stacktrace

echo 'events kept in 64 KiB, and bytes an event with its stack'
row work frames kept,full kept,map bytes,full bytes,map
compare shallow
compare middle
compare deep

# What series 8 takes; in full it is 170.
at_most 99.6 "$middle_cookies" || fail "kmem_cache_alloc takes $middle_cookies bytes, not 99.6"
ok "kmem_cache_alloc with its cookie takes $middle_cookies bytes"

fill_map
before=$(stat_field fallbacks)
measure middle
row 'full map' - - "$kept" - "$bytes"
fallbacks=$(($(stat_field fallbacks) - before))
[ $fallbacks -ge "$kept" ] || fail "a full map took stacks: $fallbacks fallbacks, $kept events kept"
# Not 8 bytes more, as where a reservation is given back; but which events are the last is chance.
at_most "$(awk "BEGIN { print $middle_full + 1 }")" "$bytes" ||
	fail "kmem_cache_alloc takes $bytes bytes with a full map, with the option off $middle_full"
ok 'a full map takes no more than the option off'
