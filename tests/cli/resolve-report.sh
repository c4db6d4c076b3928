#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What resolve prints is what trace-cmd report prints, byte for byte, but for the stacks, and for
# the flags that newer ones have.
#
#	resolve-report.sh COMMAND SOURCE_DIR [BIG_DATA]
#
# Of both, lines of frames are left out, and what stands behind a cookie.
set -u

command=$1
data=$2/tests/data/good
as_debian_12=$2/tests/tools/as-debian-12
big=${3-}
command -v trace-cmd > /dev/null || exit 77
trace_cmd=$(command -v trace-cmd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
unset TRACE_STACKMAP
LC_ALL=C
export LC_ALL

# Task 379 of fsm2/gens.dat has two names: the one that the kernel saved, and an older one in the
# first event of all, a switch from idle to it. libtraceevent knows both before it is asked for
# one, and finds either.
without_stacks()
{
	sed -E '/^ ?=> /d; s/(<stack_id [^>]*>).*$/\1/; s/^ *(sh|sleep)-379 /task-379 /'
}

compare()
{
	name=$1
	shift
	"$trace_cmd" report -q $(printf -- '-i %s ' "$@") 2> /dev/null |
		"$as_debian_12" flags | without_stacks > "$tmp/theirs"
	"$command" resolve -q "$@" 2> /dev/null | without_stacks > "$tmp/ours"
	if [ -s "$tmp/theirs" ] && cmp -s "$tmp/theirs" "$tmp/ours"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		diff "$tmp/theirs" "$tmp/ours" | head -n 10
		failed=1
	fi
}

for trace in "$data"/*/*.dat; do
	compare "${trace#"$data"/}" "$trace"
done
compare 'two at once' "$data/v8/sched.dat" "$data/v8/sched-full.dat"
compare 'three at once' "$data/v8/func.dat" "$data/v7/sched.dat" "$data/dbg/mod.dat"
if [ -n "$big" ]; then
	# Arguments of system calls hold bytes of every kind, which only resolve escapes: those
	# events are left out, and what their newlines made of them.
	without_stacks()
	{
		sed -E '/^ ?=> /d; s/(<stack_id [^>]*>).*$/\1/' | grep -a ' \[[0-9]\{3\}\] ' |
			grep -av '__buf_val='
	}
	compare 'big/map.dat' "$big/map.dat"
fi
exit $failed
