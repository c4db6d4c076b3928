#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace that somebody rewrites while maps are put into it, or taken out: it is left to them.
#
#	attach-race.sh SOURCE_DIR COMMAND SHIM
set -u

data=$(realpath "$1")/tests/data/good/v8
command=$(realpath "$2")
shim=$(realpath "$3")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tmp=$(realpath "$tmp")
failed=0
LC_ALL=C STACKMAP_SHIM=$tmp/world ASAN_OPTIONS=verify_asan_link_order=0
export LC_ALL STACKMAP_SHIM ASAN_OPTIONS
"$shim" setup "$STACKMAP_SHIM" ours || exit 1
cd "$tmp" || exit 1
trace=$tmp/trace.dat
change=
busy='was changed meanwhile by somebody else: not written to, try again'

check()
{
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf 'wanted: %s\ngot:    %s\n' "$2" "$3"
		failed=1
	fi
}

# race NAME WORDS MOMENT VERB...: at the moment "changed" comes to stand there; the end is known.
race()
{
	name=$1
	words=$2
	moment=$3
	shift 3
	# shellcheck disable=SC2086 # several words
	"$shim" at $moment run "${change:-cat changed > trace.dat; touch -d 2001-01-01 trace.dat}"
	"$shim" run "$command" "$@" > out 2>&1
	check "$name: status and words" "2 trace-cmd stackmap $1: $trace: $words" "$? $(cat out)"
	check "$name: the change took place" '' "$("$shim" rules)"
	"$shim" rules clear
	check "$name: it is as it was left" '' "$(cmp changed trace.dat 2>&1)"
	rm -f gone.stackmap
	cp "$data/gens.dat" trace.dat
}

opening="open $trace rw"
cp "$data/gens.dat" trace.dat
size=$(stat -c %s trace.dat)
head -c $((size / 2)) trace.dat > changed
race 'attach, shorter' "$busy" "$opening" attach "$trace" "$data/gens.1.stack_map"
cat trace.dat trace.dat > changed
race 'attach, longer' \
	"$size bytes of something else stand behind its last section, at byte $size" "$opening" \
	attach "$trace" "$data/gens.1.stack_map"
tr a b < trace.dat > changed
race 'attach, as long' "$busy" "$opening" attach "$trace" "$data/gens.1.stack_map"

# While it is written to: what was read of the saved maps until then stands behind the old trace.
"$command" import -o two.stackmap "$data/gens.1.stack_map" "$data/gens.2.stack_map" > out 2>&1 ||
	cat out
second=$("$command" list --json two.stackmap | sed 's/.*"offset":\([0-9]*\).*/\1/')
# race_within NAME: "changed" comes once the header was written, before the second map is read.
race_within()
{
	change="'$shim' at read $tmp/two.stackmap $second run 'cat changed > trace.dat'"
	race "$1" 'was changed meanwhile by somebody else: nothing is attached, try again' \
		"write $trace $size" attach "$trace" two.stackmap
	change=
}
tr a b < trace.dat > changed
race_within 'attach, as long, in the middle'
head -c $((size / 2)) trace.dat > changed
race_within 'attach, shorter, in the middle'
cat trace.dat trace.dat > changed
race_within 'attach, longer, in the middle'

# While what is attached is written to a file.
"$command" attach "$trace" "$data/gens.1.stack_map" > out 2>&1 || cat out
cat trace.dat trace.dat > changed
race 'detach' "$busy" "fsync $tmp/.stackmap-*.tmp -" detach -o gone.stackmap "$trace"

"$shim" run "$command" attach "$trace" "$data/gens.1.stack_map" > out 2>&1
check 'and nobody there: status' 0 $?

exit $failed
