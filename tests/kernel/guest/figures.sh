#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a stack map costs, beside full stacks in the same guest; a figure that was promised and is
# not held is a failure. Instructions are those of the guest: the clock of its one CPU counts them.
# tests/kernel/figures prints what comes out.
#
# boot: icount mem=1024 timeout=900
# variants: plain
# programs: workload
. ./lib.sh
. ./lib-stackmap.sh
. ./lib-figures.sh

loops=1000
rounds=6

# Events that were put into the ring buffer of the one CPU, whether they are still there or not.
recorded() {
	awk '/^(entries|overrun):/ { sum += $2 } END { print sum }' "$tracing/per_cpu/cpu0/stats"
}

# record_as none|full|cookies EVENT
record_as() {
	quiet
	case $1 in
	full) echo 1 >"$tracing/options/stacktrace" ;;
	cookies)
		echo 1 >"$option"
		echo 0 >"$map"
		echo 1 >"$tracing/options/stacktrace"
		;;
	esac
	[ "$2" = nothing ] || echo 1 >"$tracing/events/$2/enable"
}

# Mean depth of what was recorded as cookies.
mean_depth() {
	awk '/^stack_id/ { refs += $6; frames += $6 * $8 }
		END { printf "%.1f", refs ? frames / refs : 0 }' "$map"
}

# least LOOP - the instructions of the cheapest of several runs. Each run has its own costs, by
# where the memory of its process happens to lie, of thousands of instructions a turn.
least() {
	for _ in $(seq $rounds); do
		./workload "$1" $loops
	done | sort -n | head -n 1
}

# compare EVENT LOOP - one loop without the event, without stacks, with full stacks, with cookies.
compare() {
	record_as none nothing
	bare=$(least "$2")
	record_as none "$1"
	none=$(least "$2")
	events=$(recorded)
	record_as full "$1"
	full=$(least "$2")
	record_as cookies "$1"
	cookies=$(least "$2")
	successes=$(field successes)
	fallbacks=$(field fallbacks)
	depth=$(mean_depth)
	quiet

	# A run begins with a tenth of its turns that is not measured.
	turns=$(((loops + loops / 10 + 1) * rounds))
	[ "$events" -ge "$turns" ] || fail "$events events in $turns turns"
	[ "$successes" -ge "$turns" ] || fail "$successes cookies in $turns turns"
	[ "$fallbacks" -eq 0 ] || fail "$fallbacks stacks in full beside the cookies"
	a_turn=$((events / turns))
	echo "$2 with $1: $a_turn events a turn, stacks of $depth frames; instructions a turn"
	shown 'without the event' "$(quotient "$bare" "$loops" 0)"
	shown 'without stacks' "$(quotient "$none" "$loops" 0)"
	shown 'with full stacks' "$(quotient "$full" "$loops" 0)"
	shown 'with cookies' "$(quotient "$cookies" "$loops" 0)"
	shown 'a stack in full' \
		"$(awk "BEGIN { printf \"%.0f\", ($full - $none) / $loops / $a_turn }")"
	shown 'a stack as a cookie' \
		"$(awk "BEGIN { printf \"%.0f\", ($cookies - $none) / $loops / $a_turn }")"
	shown 'cookies to full stacks, the whole turn' "$(quotient "$cookies" "$full")"
	at_most 'cookies to full stacks, recording alone' 1.04 \
		"$(quotient $((cookies - none)) $((full - none)))"
}

# fixed_work NAME OPTION... - a recording, the copy of its map, and the report; sets NAME_record and
# NAME_report to what each took, and NAME_size.
fixed_work() {
	name=$1
	shift
	quiet
	echo 0 >"$map"
	record="trace-cmd record -q -o /tmp/$name.dat -b 4096 -T $* -e kmem:kmem_cache_alloc
		./workload stat $((5 * loops))"
	[ "$name" = full ] || record="$record && cat $tracing/stack_map >/tmp/$name.dat.stackmap"
	used=$(./workload cpu sh -c "$(echo $record)" 2>"$name.log") ||
		fail "trace-cmd record: $(cat "$name.log")"
	eval "${name}_record=${used%% *}"
	used=$(./workload cpu sh -c "trace-cmd report /tmp/$name.dat >/dev/null" 2>"$name.log") ||
		fail "trace-cmd report: $(cat "$name.log")"
	eval "${name}_report=${used%% *}"
	eval "${name}_size=$(stat -c %s "/tmp/$name.dat")"
	rm "/tmp/$name.dat"
}

whole_workload() {
	fixed_work full
	fixed_work cookies -O stackmap
	echo 'the second loop under trace-cmd record -T, and trace-cmd report: Minstructions'
	for step in record report; do
		for how in full cookies; do
			eval "used=\$${how}_$step"
			shown "$step, $how" "$(quotient "$used" 1000000 1)"
		done
	done
	shown 'KiB of trace.dat, full' $((full_size / 1024))
	shown 'KiB of trace.dat, cookies' $((cookies_size / 1024))
	at_most 'cookies to full stacks, recording' 0.999 \
		"$(quotient "$cookies_record" "$full_record")"
	at_most 'cookies to full stacks, both' 0.999 \
		"$(quotient $((cookies_record + cookies_report)) $((full_record + full_report)))"
}

exports() {
	fill_map
	echo "a full map, $(field entries) stacks: Minstructions to read it"
	# Nobody else's work in between, or as little as there is.
	text=$(./workload read "$map")
	binary=$(./workload read "$bin")
	shown 'stack_map' "$(quotient "${text% *}" 1000000 1)"
	shown 'stack_map_bin' "$(quotient "${binary% *}" 1000000 1)"
	shown 'bytes of stack_map' "${text#* }"
	shown 'bytes of stack_map_bin' "${binary#* }"
	at_most 'stack_map_bin to stack_map' 0.1 "$(quotient "${binary% *}" "${text% *}")"
}

memory() {
	echo 1 >"$option"
	same 'capacity' 16384 "$(field capacity)"
	at_most "MiB of a map for 16384 stacks" 1.8 "$(quotient "$(field memory)" 1048576)"
	quiet
}

memory
compare syscalls/sys_enter_getppid getppid
compare kmem/kmem_cache_alloc stat
whole_workload
exports
all_held
