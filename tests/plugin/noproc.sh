#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without /proc nobody knows which trace.dat is being read: what is named still works, the rest is
# one hint. Needs the right to hide /proc in a mount namespace of its own.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

# A sanitizer finds its own options in /proc.
[ -z "${PRELOAD-}" ] || skip "built with a sanitizer"
unshare --mount true 2>/dev/null || unshare --map-root-user --mount true 2>/dev/null ||
	skip "no right to make a mount namespace"
space=(unshare --mount)
[ "$(id -u)" -eq 0 ] || space=(unshare --map-root-user --mount)
"${space[@]}" sh -c 'mount -t tmpfs none /proc' 2>/dev/null || skip "no right to mount"

map=$DATA/v8/sched.stack_map
recording v8/sched "$map"
stock sched.dat
expand "$map" <stock >wanted

# without_proc ARGUMENT...: as report
without_proc() {
	# shellcheck disable=SC2016
	"${space[@]}" sh -c 'mount -t tmpfs none /proc && exec trace-cmd report "$@"' \
		sh "$@" >out 2>said || fail "trace-cmd report $*: status $?"
	part_ties
}

without_proc sched.dat
same "bare cookies" stock out
is "one hint, one summary" 2 "$(wc -l <err)"
says "the hint" "no saved map: its file has no name to find one by"

without_proc -O "stackmap:file=$map" sched.dat
same "a map that is named by the option" wanted out
silent "a map that is named by the option"

TRACE_STACKMAP=$map without_proc sched.dat
same "a map that is named by the environment" wanted out

done_testing
