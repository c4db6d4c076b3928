# SPDX-License-Identifier: GPL-2.0-or-later
# resolve as folded stacks: weights, prefixes, what is not resolved.
v8=data/good/v8

note real ones
run resolve -f folded -m $v8/sched.stack_map $v8/sched.dat > out
head -n 3 out
grep -v '^[$]' out | awk '{ n += $NF } END { print n }'
run resolve -f folded $v8/sched-full.dat | awk '{ n += $NF } END { print NR, n }'
run resolve -f folded -m $v8/gens.1.stack_map -m $v8/gens.2.stack_map \
	-m $v8/gens.3.stack_map $v8/gens.dat > out
grep unresolved out
grep -v '^[$!=]' out | awk '{ n += $NF } END { print n }'
run resolve -f folded -m $v8/func.stack_map $v8/func.dat
run resolve -f folded --offsets -m $v8/func.stack_map $v8/func.dat
run resolve -f folded --prefix comm -m $v8/func.stack_map $v8/func.dat
run resolve -f folded --weight bytes_alloc --prefix event \
	-m $v8/gens.1.stack_map -m $v8/gens.2.stack_map \
	-m $v8/gens.3.stack_map $v8/gens.dat |
	awk '/^kmem/ { n += $NF } END { print NR, n }'

note weights and elements
"$MKTRACE" made.dat <<'END'
comm 7 "Thread 1"
comm 8 "[ET_NET 0]"
comm 9 "a;b\x1b"
format test:signed 200 s32:delta u8:wrap[4]
cpu 0
1000 7 value value=0xffffffffffffffff
1001 7 stack_id 1 gen 1
1010 8 value value=5
1011 8 stack_id 1 gen 1
1020 9 value value=0
1021 9 stack_id 2 gen 1
1030 7 signed delta=0xffffffff
1031 7 stack_id 2 gen 1
1040 7 signed delta=3
1041 7 stack_id 3 gen 1
1050 7 value value=6
1051 7 stack_id 4 gen 2
1060 7 value value=7
1061 7 stack_id 1 gen 1 @12
missed 1
1070 7 stack_id 1 gen 1
1080 7 value value=9
1090 8 value value=10
1091 8 kernel_stack 0xffffffff81000010 0x7fffffff
END
cat > made.map <<'END'
stack_id 1 gen 1 ref 1 depth 2
 => inner+0x1/0x2
 => with blank 1+0x1/0x2 [mod]
stack_id 2 gen 1 ref 1 depth 1
 => [FTRACE TRAMPOLINE]
stack_id 3 gen 1 ref 1 depth 2
 => inner+0x5/0x9
 => with blank 1+0x0/0x2
END
run resolve -f folded -m made.map made.dat
run resolve -f folded --weight value -m made.map made.dat
run resolve -f folded --weight delta -m made.map made.dat
run resolve -q -f folded --weight wrap -m made.map made.dat
run resolve -q -f folded --weight nothing -m made.map made.dat
run resolve -q -f folded --prefix comm,pid,event -m made.map made.dat
run resolve -q -f folded --prefix event,comm --event value -m made.map made.dat
run resolve -q -f folded --frame inner -m made.map made.dat
run resolve -q --prefix comm made.dat
run resolve -q -f folded --prefix uid made.dat
