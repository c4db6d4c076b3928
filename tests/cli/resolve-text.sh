# SPDX-License-Identifier: GPL-2.0-or-later
# resolve as text: where the maps come from, what a stack looks like, the line at the end.
v8=data/good/v8
v7=data/good/v7

lines()
{
	wc -l | sed 's/ //g'
}

note cookies
run resolve -m $v8/sched.stack_map $v8/sched.dat > out
head -n 24 out
tail -n 2 out
note full stacks look alike
run resolve $v8/sched-full.dat | head -n 13
note without a generation, from text and from a binary export
run resolve -m $v7/func.stack_map $v7/func.dat | head -n 9
run resolve -m $v7/func.stack_map_bin $v7/func.dat | head -n 9
xz -dc $v7/kallsyms.xz > kallsyms
run resolve -m $v7/func.stack_map_bin --kallsyms kallsyms $v7/func.dat | head -n 9
note one of 69 that were recorded after the copy, and events that were dropped
run resolve -m $v8/gens.1.stack_map -m $v8/gens.2.stack_map \
	-m $v8/gens.3.stack_map $v8/gens.dat > out
grep -m 1 unresolved out
grep -c unresolved out
grep -B 1 -A 2 DROPPED out | head -n 6
tail -n 2 out
note two maps could be meant, and one is chosen
run resolve -m $v7/gens.1.stack_map -m $v7/gens.2.stack_map $v7/gens.dat | grep -v '^ =>' > out
grep -m 1 unresolved out
tail -n 2 out
run resolve --generation 1 -m $v7/gens.1.stack_map -m $v7/gens.2.stack_map $v7/gens.dat | tail -n 2

note no map
cp $v8/func.dat trace.dat
run resolve
run resolve -q
note the map beside the trace
cp $v8/func.stack_map trace.dat.stackmap
run resolve
note the environment comes before it, -m before both
export TRACE_STACKMAP
TRACE_STACKMAP=$v8/sched.stack_map
run resolve
TRACE_STACKMAP=$v8/sched.stack_map:$v8/func.stack_map
run resolve trace.dat | lines
TRACE_STACKMAP=missing
run resolve -m $v8/func.stack_map | lines
run resolve
unset TRACE_STACKMAP
note standard input, for two traces
run resolve -m - $v8/func.dat < $v8/func.stack_map | lines
cat $v8/func.stack_map | run resolve -m - trace.dat $v8/func.dat

note styles
run resolve --one-line
run resolve --names-only | tail -n 5
run resolve --max-frames 1 | tail -n 3
run resolve --max-frames 0 --names-only --one-line | tail -n 1
note a text of several traces and instances
run resolve -q $v8/func.dat $v7/func.dat | head -n 6
"$MKTRACE" inst.dat <<END
cpu 0
1000 7 value value=1
1001 7 stack_id 1 gen 1
3000 7 value value=3
buffer "one"
cpu 0
2000 7 value value=2
2001 7 kernel_stack 0xffffffff81000010
buffer "another"
cpu 0
2500 7 value value=4
END
printf 'stack_id 1 gen 1 ref 1 depth 1\n => top+0x1/0x2\n' > inst.map
run resolve -m inst.map inst.dat
cp inst.dat other.dat
run resolve -m inst.map other.dat inst.dat | head -n 9
