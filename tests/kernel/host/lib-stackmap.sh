# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the host's parts of the tests of the map, behind lib.sh: what a trace holds.

# shellcheck shell=sh
# nr_lines PATTERN FILE - grep -c, which does not fail at 0.
nr_lines() { grep -c -e "$1" "$2" || :; }

# report FILE MAP - stock trace-cmd report with our plugin, its resolved frames from MAP.
report() {
	TRACE_STACKMAP=$2 trace-cmd report "$1" 2>report.log >report.out ||
		fail "trace-cmd report: $(cat report.log)"
	mv report.out "$3"
}

# all_resolve MAP TRACE - every cookie of TRACE resolves from MAP; sets $cookies and $full to the
# number of cookies and of stacks that were recorded in full.
all_resolve() {
	"$TRACE_CMD_STACKMAP" verify -m "$1" "$2" >verified 2>&1 ||
		fail "$1 does not resolve all of $2: $(cat verified)"
	cookies=$(sed -n "s/^$2: \([0-9]*\) cookies.*/\1/p" verified)
	full=$(sed -n 's/^  recorded in full: \([0-9]*\).*/\1/p' verified)
	full=${full:-0}
	same "$1: cookies resolved" "$cookies" \
		"$(sed -n 's/^  resolved: \([0-9]*\),.*/\1/p' verified)"
	[ "$cookies" -gt 0 ] || fail "no cookie in $2"
}

# nothing_lost TRACE - the ring buffers held all that was recorded.
nothing_lost() {
	trace-cmd report --stat "$1" >stats 2>/dev/null
	same "$1: lost events" '' "$(grep -i -e 'overrun: [1-9]' -e 'dropped.*: [1-9]' stats || :)"
}
