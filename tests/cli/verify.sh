# SPDX-License-Identifier: GPL-2.0-or-later
# verify: bytes of maps, cookies of traces.
v8=data/good/v8
v7=data/good/v7

sized()
{
	sed -E 's/, [0-9]+ bytes/, N bytes/; s/"bytes":[0-9]+/"bytes":N/g
		s/of [0-9]+ bytes of data [0-9]+/of N bytes of data N/
		s/offset [0-9]{4},/offset N,/'
}

note generation 3 was copied before tracing stopped
all="-m $v8/gens.1.stack_map -m $v8/gens.2.stack_map -m $v8/gens.3.stack_map"
run verify $all $v8/gens.dat
run verify $all $v8/gens.dat --json > json
sed -n 's/.*\("verdicts":{.*}\),"unresolved".*/\1/p' json
grep -o '"slot":[0-9]*,"generation":3,"verdict":"slot-not-saved"' json | sort -u | wc -l
run verify --cookies $all $v8/gens.dat | tail -n 4
note all resolve
run verify -m $v8/sched.stack_map $v8/sched.dat
run verify -m $v7/sched.stack_map $v7/sched.dat
run verify -m $v7/sched.stack_map_bin $v7/sched.dat
note another generation, full stacks, another kernel, none
run verify -m $v8/gens.2.stack_map $v8/sched.dat
run verify -m $v8/sched.stack_map $v8/sched-full.dat
run verify -m $v7/sched.stack_map $v8/sched.dat
run verify $v8/raw.dat
run verify --json $v8/raw.dat | sed 's/"unresolved":\[.*\],"contra/"unresolved":[...],"contra/'
note no generation and two maps
run verify -m $v7/gens.1.stack_map -m $v7/gens.2.stack_map $v7/gens.dat
note the map beside the trace, and a map on standard input
cp $v8/raw.dat trace.dat
cp $v8/raw.stack_map trace.dat.stackmap
run verify
run verify trace.dat
run verify -m - trace.dat < trace.dat.stackmap
cat trace.dat.stackmap | run verify -m - trace.dat
note fallbacks
printf '%s\n' 'generation: 4' 'entries: 16384' 'capacity: 16384' 'successes: 5' 'fallbacks: 17' \
	> raw.stack_map_stat
cp $v8/raw.stack_map raw.stack_map
"$command" import -o raw.stackmap raw.stack_map raw.stack_map_stat > /dev/null
run verify -m raw.stackmap trace.dat | sized
run verify -m raw.stackmap $v8/sched-full.dat | sized
sed -i s/17/0/ raw.stack_map_stat
"$command" import -o room.stackmap raw.stack_map raw.stack_map_stat > /dev/null
run verify -m room.stackmap $v8/sched-full.dat | sized
note damaged
printf X | dd of=raw.stackmap bs=1 seek=900 conv=notrunc 2> /dev/null
run verify -m raw.stackmap | sized
run verify --json -m raw.stackmap | sized
head -c 1000 room.stackmap > cut.stackmap
run verify -m cut.stackmap trace.dat | sized
cp room.stackmap two.stackmap
head -c 700 room.stackmap >> two.stackmap
run verify -m two.stackmap | sized
{
	cat data/text/map.stack_map
	printf 'stack_id 7 gen 1 ref 1 depth 1\n => other+0x0/0x1\n'
	printf 'stack_id 8 gen 1 ref 1 depth 3\n => f+0x0/0x1\n'
} > odd
run verify -m odd
note a trace that is none, or is cut
run verify -m odd odd
run verify -m odd missing
run verify missing
: > empty
run verify -m empty
run verify -m trace.dat.stackmap empty
head -c 3000 trace.dat > cut.dat
run verify -m trace.dat.stackmap cut.dat
rm trace.dat.stackmap
run verify
note usage
run verify --bad
run verify --top 3
"$command" verify -m $v8/sched.stack_map > /dev/full
echo "= $?"
note a map that cannot be read is said once, and its trace is not read
cp $v8/raw.dat one.dat
cp $v8/raw.dat two.dat
cp $v8/raw.stack_map two.dat.stackmap
mkdir one.dat.stackmap
run verify -m missing one.dat two.dat
mkdir none some
run verify -m none one.dat
cp $v8/raw.stack_map some/b.stackmap
cp some/b.stackmap some/a.stackmap
run verify -m some two.dat
TRACE_STACKMAP=some run verify two.dat
run list some
unset TRACE_STACKMAP
run verify -m missing:also two.dat
run verify one.dat two.dat
run verify --json -m missing one.dat
TRACE_STACKMAP=missing run verify one.dat
unset TRACE_STACKMAP
rm -r one.dat*
note words of the library are escaped once
cp $v8/raw.stack_map raw.stack_map
"$command" import -o steer.stackmap --release "$(printf '6.1\033[31m')" raw.stack_map > /dev/null
run verify -m steer.stackmap $v8/raw.dat | sized
run show -m steer.stackmap --top 0
printf 'a-1 [000] d..2. 1.000001: stack_id: <stack_id 7 gen 9>\n' | run expand -m steer.stackmap
note the map of a trace that is a link is beside what it points to
mkdir there
cp $v8/raw.dat $v8/raw.stack_map there
mv there/raw.stack_map there/raw.dat.stackmap
ln -s there/raw.dat link.dat
run verify link.dat 2>&1 | sed "s:$(pwd -P):HERE:"
run list link.dat | sed "s:$(pwd -P):HERE:" | head -n 2
echo > there/raw.dat.stackmap
run verify link.dat 2>&1 | sed "s:$(pwd -P):HERE:"
