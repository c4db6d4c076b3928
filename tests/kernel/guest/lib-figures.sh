# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the guest tests that measure, behind lib-stackmap.sh: figures, held or missed.
#
# variants: none (it is not a test)

# shellcheck shell=sh
missed=''

# at_most WHAT MOST GOT - a figure that is to be reached.
at_most() {
	[ -n "$3" ] || fail "no figure for $1"
	verdict=held
	awk -v most="$2" -v got="$3" 'BEGIN { exit !(got <= most) }' || verdict=MISSED
	printf '  %-52s %12s of at most %s: %s\n' "$1" "$3" "$2" "$verdict"
	[ $verdict = held ] || missed="$missed, $1"
}

# shown WHAT VALUE
shown() { printf '  %-52s %12s\n' "$1" "$2"; }

# quotient A B [DIGITS]
quotient() { awk -v a="$1" -v b="$2" "BEGIN { printf \"%.${3-3}f\", a / b }"; }

# Nothing is recorded any more; what was, stays.
quiet_keep() {
	echo 0 >"$tracing/events/enable"
	echo nop >"$tracing/current_tracer"
	echo 0 >"$tracing/options/stacktrace"
	echo 0 >"$option"
}

quiet() {
	quiet_keep
	echo >"$tracing/trace"
}

# Every function with its stack, until the map, which is an empty one, is too small.
refill_map() {
	quiet
	echo 1 >"$option"
	echo function >"$tracing/current_tracer"
	echo 1 >"$tracing/options/func_stack_trace"
	until_full
	quiet
}

# While every function is traced.
until_full() {
	round=0
	while [ "$(field fallbacks)" -eq 0 ]; do
		round=$((round + 1))
		[ $round -le 40 ] || fail "the map is not full: $(cat "$stat")"
		ls -l /proc/self /sys/kernel/tracing/events/sched >/dev/null
		./workload cpu sh -c "echo $round >/tmp/round" >/dev/null 2>&1
	done
}

fill_map() {
	quiet
	echo 1 >"$option"
	echo 0 >"$map"
	refill_map
}

all_held() { [ -z "$missed" ] || fail "figures missed: ${missed#, }"; }
