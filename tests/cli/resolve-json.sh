# SPDX-License-Identifier: GPL-2.0-or-later
# resolve as JSON: every member of an object, strings of any bytes.
v8=data/good/v8

note real ones
run resolve -f json -m $v8/sched.stack_map $v8/sched.dat | head -n 3
run resolve -f json $v8/sched-full.dat | head -n 2
run resolve -f json -m $v8/func.stack_map $v8/func.dat
run resolve -f json $v8/func.dat
run resolve -f json --names-only -m $v8/func.stack_map $v8/func.dat | head -n 2
run resolve --format json -m $v8/func.stack_map $v8/func.dat $v8/sched-full.dat |
	cut -c 1-100 | sed -n '2p;$p'

note strings that could break it
"$MKTRACE" made.dat <<'END'
comm 7 "java main"
comm 8 "\x01\"\x7f\t"
comm 9 "x\\u -x"
comm 10 "caf\xc3\xa9 \xc2\x9b \xff\xed\xa0\x80\xf0\x9f\x90\xa7"
format test:many 200 u8:small s32:negative u64:large s64:lowest char:text[8] u16:array[3]
cpu 0
1000 7 many small=255 negative=0xffffffff large=0xffffffffffffffff lowest=0x8000000000000000 text="a\"b\x80" array=7
1001 7 stack_id 1 gen 1
1010 8 value value=1
1011 8 stack_id 2 gen 1
1020 9 value value=2
1021 9 kernel_stack 0xffffffff81000010 0x7fffffff
1030 10 value value=3
missed 3
1040 10 value value=4 @12
1041 10 stack_id 1 gen 1 @12
missed
1050 10 stack_id 1 gen 1
1060 10 raw 999 "ab"
buffer "inst\x1b[2J"
cpu 0
1070 7 value value=5
END
printf 'stack_id 1 gen 1 ref 1 depth 2\n => a"b\\+0x1/0x2\n' > made.map
printf ' => _RNvC6_123foo3bar.llvm.77+0x1/0x2 [mod]\n' >> made.map
run resolve -f json -m made.map made.dat
note raw names stay, shaped ones stand beside them
run resolve -q -f json --demangle --strip-suffix -m made.map made.dat | head -n 2
