# SPDX-License-Identifier: GPL-2.0-or-later
# show: stacks by use, by generation, by cookie.
m=data/text/map.stack_map
old=data/text/map4.stack_map

run show -m $m
run show -m $m --top 1
run show -m $m --top 0
run show -m $m --by-generation
run show -m $m --by-generation --top 1
run show -m $m --generation 2
run show -m $m --generation 9
run show -m $m --names-only --max-frames 1 --top 1
run show -m $m --json
run show -m $m --json --top 1
note cookies, in every form
run show -m $m 7
run show -m $m 42
run show -m $m 1:42 2:42
run show -m $m '<stack_id 42 gen 2>' 'stack_id 7 gen 1' '<stack_id 7>'
run show -m $m 0x20000002a 8589934634 0x2a
run show -m $m --generation 2 42 7
run show -m $m 8 1:8 9:42
run show -m $m --json 1:42 9:42 8
note no generation: maps are counted
run show -m $old
run show -m $old -m $old --by-generation
run show -m $old -m $old --generation 2 7
run show -m $old 1:7 2:7
note what is no cookie
for cookie in '' x 1: :1 1:2:3 -1 '<stack_id 42' '<stack_id 42 gen>' 4294967296:1 \
	1:4294967296 0x 0x10000000000000000 \
	18446744073709551616 stack_id '42 '; do
	run show -m $m "$cookie"
done

note counts that are saturated
for gen in 1 2 3; do
	printf 'stack_id 1 gen %d ref 2147483647 depth 1\n => f+0x0/0x1\n' $gen
done > saturated
printf 'stack_id 2 gen 3 ref 0 depth 1\n => g+0x0/0x1\n' >> saturated
run show -m saturated
run show -m saturated --by-generation --top 1
run show -m saturated --json --top 1
note records that contradict one another, or are not whole
{
	cat $m
	printf 'stack_id 7 gen 1 ref 1 depth 1\n => e\033[2Jvil+0x0/0x1\n'
	printf 'stack_id 8 gen 1 ref 1 depth 3\n => f+0x0/0x1\n'
} > odd
run show -m odd 7 8
run show -m odd --json 8
note as the plugin finds them
run show
cp $m trace.dat.stackmap
run show 7
cp data/good/v8/raw.dat trace.dat
run show 7
TRACE_STACKMAP=saturated run show --top 1
unset TRACE_STACKMAP
run show -m - --top 1 < $m
note nothing there
run show -m missing
run show -m data/text/prose.txt
: > empty
run show -m empty
run show --top x
run show -m $m --top
"$command" show -m data/good/v8/sched.stack_map > /dev/full
echo "= $?"
"$command" show -m data/good/v8/gens.1.stack_map | head -n 1
note damage beside what is shown
head -c 150 /dev/zero | tr '\0' x > garbage
"$command" import -o beside.stackmap $m > /dev/null
cat garbage >> beside.stackmap
run show -m beside.stackmap 42
run show -m beside.stackmap --top 1
run show -m odd 42
run show -m odd --top 1
run show -m odd --generation 2 42
run show --kallsyms a --kallsyms b -m data/text/map.stack_map
note a map that the environment names and that holds nothing: no other is asked
"$command" import -o none.stackmap data/text/map.stack_map > /dev/null
printf XXXX | dd of=none.stackmap bs=1 seek=70 conv=notrunc 2> /dev/null
cp data/text/map.stack_map trace.dat.stackmap
TRACE_STACKMAP=none.stackmap run show 42
