#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The plugin's options, and the order of the places where maps are looked for.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

map=$DATA/v8/sched.stack_map
recording v8/sched "$map"
stock sched.dat
expand "$map" <stock >wanted

# In one line, innermost first.
join_frames() {
	awk '/^ => / { printf "%s%s", first ? " " : " <= ", substr($0, 5); first = 0; next }
	     { if (NR > 1) print ""; printf "%s", $0; first = 1 } END { print "" }'
}
report -O stackmap:oneline sched.dat
join_frames <wanted >wanted.oneline
same "oneline" wanted.oneline out
silent "oneline"

report -O stackmap:oneline=1 sched.dat
same "oneline=1" wanted.oneline out
report -O stackmap:oneline=0 sched.dat
same "oneline=0" wanted out
report -O oneline sched.dat
same "without the plugin's name" wanted.oneline out

# An option without a value flips a switch that libtraceevent keeps once for all files.
report -O stackmap:oneline -i sched.dat -i sched.dat
is "two files: both in one line" 5272 "$(count '<stack_id [0-9]* gen 1> [^ ]*+0x.* <= ')"
report -O stackmap:oneline -i sched.dat -i sched.dat -i sched.dat
is "three files: all in one line" 7908 "$(count '<stack_id [0-9]* gen 1> [^ ]*+0x.* <= ')"

report -O stackmap:names sched.dat
sed '/^ => /s,+0x[0-9a-f]*/0x[0-9a-f]*.*,,' wanted >wanted.names
same "names" wanted.names out

report -O stackmap:names -O stackmap:oneline sched.dat
join_frames <wanted.names >wanted.both
same "names and oneline" wanted.both out

report -O stackmap:raw sched.dat
same "raw" stock out
silent "raw"

report -O stackmap:depth=3 sched.dat
awk '
	function left_out() {
		if (n > 3)
			print " => [" n - 3 " more frame" (n == 4 ? "" : "s") "]"
		n = 0
	}
	/^ => / { if (++n <= 3) print; next }
	{ left_out(); print }
	END { left_out() }
' wanted >wanted.depth
same "depth=3" wanted.depth out
report -O stackmap:depth=1000 sched.dat
same "depth=1000" wanted out
for bad in -1 0x100000000 many 3frames ' 3'; do
	report "-Ostackmap:depth=$bad" sched.dat
	same "depth=$bad is left aside" wanted out
	is "depth=$bad is told in one line" 1 "$(count 'option depth takes a number' err)"
done

# Option before environment before the file beside.
recording v8/gens
cp "$DATA/v8/gens.1.stack_map" gens.dat.stackmap
# The generations whose cookies have stacks.
shown() {
	grep -B1 '^ => ' out | sed -n 's/.*<stack_id [0-9]*\( gen [0-9]*\)>$/\1/p' | sort -u |
		tr -d '\n'
}
report gens.dat
is "beside" " gen 1" "$(shown)"
TRACE_STACKMAP=$DATA/v8/gens.2.stack_map report gens.dat
is "the environment wins over beside" " gen 2" "$(shown)"
TRACE_STACKMAP=$DATA/v8/gens.2.stack_map \
	report -O "stackmap:file=$DATA/v8/gens.3.stack_map" gens.dat
is "the option wins over the environment" " gen 3" "$(shown)"
TRACE_STACKMAP='' report gens.dat
is "an empty environment is none" " gen 1" "$(shown)"
both=$DATA/v8/gens.1.stack_map:$DATA/v8/gens.2.stack_map
TRACE_STACKMAP=$both report gens.dat
is "several in the environment" " gen 1 gen 2" "$(shown)"
cp "$DATA/v8/gens.2.stack_map" with:colon
report -O stackmap:file=with:colon gens.dat
is "a name with a colon" " gen 2" "$(shown)"

# Who names a file wants that one.
stock sched.dat
report -O stackmap:file=nowhere sched.dat
same "a named map that is not there" stock out
says "a named map that is not there" "nowhere: No such file"

done_testing
