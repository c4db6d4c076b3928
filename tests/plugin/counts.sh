#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every recording, every cookie: the report is stock trace-cmd's with the frames added that the
# copies of stack_map have, byte for byte; the numbers are those of tests/data/README.md.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

# check FOLDER/NAME COOKIES UNRESOLVED MAP...
check() {
	local path=$1 cookies=$2 unresolved=$3 name=${1##*/} files
	shift 3

	cp "$DATA/$path.dat" .
	stock "$name.dat"
	files=$(IFS=:; echo "$*")
	report -O "stackmap:file=$files" "$name.dat"
	expand "$@" <stock >wanted
	without_reasons out >got
	same "$path" wanted got
	is "$path: cookies" "$cookies" "$(count '<stack_id')"
	is "$path: unresolved" "$unresolved" "$(count '\[unresolved: ')"
	if [ "$unresolved" = 0 ]; then
		silent "$path"
	else
		says "$path: summary" "$name.dat: $unresolved of $cookies cookies not resolved ("
		is "$path: lines on standard error" 1 "$(wc -l <err)"
	fi
}

check v8/sched 2636 0 "$DATA/v8/sched.stack_map"
check v8/sched-full 0 0 "$DATA/v8/sched.stack_map"
check v8/func 2 0 "$DATA/v8/func.stack_map"
check v8/raw 683 0 "$DATA/v8/raw.stack_map"
check v8/v6 543 0 "$DATA/v8/v6.stack_map"
check dbg/mod 6647 0 "$DATA/dbg/mod.stack_map"
check v7/sched 1144 0 "$DATA/v7/sched.stack_map"
check v7/func 6 0 "$DATA/v7/func.stack_map"

# The third map was copied before tracing stopped: 69 of its 289 distinct cookies came later.
maps=("$DATA"/v8/gens.[123].stack_map)
cp "$DATA/v8/gens.dat" .
stock gens.dat
missing=$(expand "${maps[@]}" <stock | awk '/^ =>/ { n = 0 } { nr += n; n = /<stack_id .*>$/ }
	END { print nr + n }')
check v8/gens 31638 "$missing" "${maps[@]}"
is "distinct unresolved cookies" 69 \
	"$(grep -o '<stack_id.*\[unresolved' out | sort -u | wc -l)"
is "all of them are of generation 3" 0 "$(count '<stack_id [0-9]* gen [12]> \[unres')"

# Without a generation: both maps are candidates for every cookie, and only what they hold alike is
# certain.
maps=("$DATA"/v7/gens.[12].stack_map)
files=${maps[0]}:${maps[1]}
cp "$DATA/v7/gens.dat" .
stock gens.dat
report -O "stackmap:file=$files" gens.dat
is "v7/gens: cookies" 21705 "$(count '<stack_id [0-9]*>')"
flatten() {
	awk '/^ => / { printf "%s", $0; next }
	     { printf "%s%s", newline, $0; newline = "\n" } END { print "" }'
}
without_reasons out | flatten >got
expand "${maps[0]}" <stock | flatten >wanted.1
expand "${maps[1]}" <stock | flatten >wanted.2
paste -d $'\001' wanted.1 wanted.2 stock |
	awk -F '\001' '{ print $1 == $2 ? $1 : $3 }' >wanted
same "v7/gens: resolved where both maps agree" wanted got
is "v7/gens: some are resolved" 1 "$((21705 > $(count '\[unresolved: ')))"
is "v7/gens: some are not" 1 "$(($(count '\[unresolved: ') > 0))"

for nr in 1 2; do
	expand "${maps[nr - 1]}" <stock >wanted
	report -O "stackmap:file=$files" -O "stackmap:generation=$nr" gens.dat
	without_reasons out >got
	same "v7/gens: map $nr, chosen by hand" wanted got
done

done_testing
