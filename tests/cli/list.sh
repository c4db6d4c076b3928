# SPDX-License-Identifier: GPL-2.0-or-later
# list: the maps that are named or found, for people and for programs.
v8=data/good/v8

sized()
{
	sed -E 's/[0-9]+ in the file/N in the file/; s/saves?, [0-9]+ bytes$/saves, N bytes/
		s/"bytes":[0-9]+,("export|"saves)/"bytes":N,\1/g; s/"offset":[0-9]+/"offset":N/g
		s/of [0-9]+ bytes of data [0-9]+/of N bytes of data N/'
}

run list $v8/gens.1.stack_map data/good/v7/sched.stack_map_bin data/good/v7/sched.stack_map
run list --json data/good/v7/sched.stack_map_bin
"$command" import -o a.stackmap $v8/gens.1.* \
	data/good/v7/sched.stack_map data/good/v7/sched.stack_map_stat \
	--release 'r"\' > out 2>&1 || cat out
run list a.stackmap | sized
run list -m a.stackmap | sized
run list --json a.stackmap | sized
run list - < a.stackmap | sized
cat a.stackmap | run list -m - | sized
note statistics of a map that was too small, with a line of a later series
printf '%s\n' 'generation: 1' 'entries: 16384' 'capacity: 16384' 'successes: 5' 'fallbacks: 17' \
	'future: x' > map.stack_map_stat
cp data/text/map.stack_map map.stack_map
"$command" import -o small.stackmap map.stack_map map.stack_map_stat > out 2>&1 || cat out
run list small.stackmap | sized
run list --json small.stackmap | sized

note as the plugin finds them
cp $v8/raw.dat trace.dat
run list
cp a.stackmap trace.dat.stackmap
run list | sized
run list trace.dat | sized
TRACE_STACKMAP=data/text/map.stack_map run list trace.dat
unset TRACE_STACKMAP
run list -m data/text/map.stack_map trace.dat
note one of them is bad
run list missing data/text/prose.txt data/text/map.stack_map
run list --json missing
: > empty
run list empty
head -c 100 a.stackmap > head
run list head
note names that are no text
odd=$(printf 'b\377\001\177\302\205\303\244"\\u')
cp data/text/map.stack_map "$odd"
run list "$odd" | head -n 3
run list --json "$odd"
note folders
mkdir none some
cp data/text/map.stack_map some/a.stackmap
run list none
run list -m none
run list some
note damaged
head -c 4000 a.stackmap > cut.stackmap
run list cut.stackmap | sized | sed -E 's/, [0-9]+ bytes: /, N bytes: /'
note usage
run list --top 3
"$command" list $(for i in 1 2 3; do echo data/text/map.stack_map; done) > /dev/full
echo "= $?"
