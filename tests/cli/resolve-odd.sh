# SPDX-License-Identifier: GPL-2.0-or-later
# resolve on traces of every shape: contexts, gaps, byte orders, versions, what is missing.
for i in 1 2 3 4 5 6 7 8 9 10; do
	printf 'stack_id %d gen 1 ref 1 depth 1\n => f%d+0x1/0x2\n' $i $i
done > made.map

# What event has which stack: "VALUE FRAME".
joined()
{
	printf '$ %s\n' "$*"
	"$command" resolve -q -f json -m made.map "$@" |
		sed -E 's/.*"missed":([^,]*).*/missed \1/
			s/.*"value":([0-9]+).*"stack":\["([^"]*)".*/\1 \2/
			s/.*"value":([0-9]+).*/\1 -/
			s/.*"event":"([^"]*)".*"stack":\["([^"]*)".*/\1 \2/'
}

note an interrupt between an event and its stack, three deep
"$MKTRACE" made.dat <<'END'
cpu 0
1000 7 value value=1
context 0x10 0x1
1001 7 value value=2
context 0x18 0x2
1002 7 value value=3
context 0x58 0x2
1003 7 value value=4
1004 7 stack_id 4 gen 1
context 0x18 0x2
1005 7 stack_id 3 gen 1
context 0x10 0x1
1006 7 stack_id 2 gen 1
context 0
1007 7 stack_id 1 gen 1
END
joined made.dat
note an interrupt without a stack is over when the task goes on
"$MKTRACE" made.dat <<'END'
cpu 0
1000 7 value value=5
context 8
1001 7 value value=6
context 0
1002 7 stack_id 5 gen 1
context 8
1003 7 stack_id 6 gen 1
END
joined made.dat
note another task, a gap, another CPU
"$MKTRACE" made.dat <<'END'
cpu 0
1000 7 value value=7
1001 8 stack_id 7 gen 1
1002 7 value value=8
missed 3
1003 7 stack_id 8 gen 1
1004 7 value value=9
cpu 1
1005 7 stack_id 9 gen 1
cpu 2
missed
1006 7 value value=10
1007 7 stack_id 10 gen 1
END
joined made.dat
run resolve -m made.map made.dat
note two events of one task, with a preempt count each
"$MKTRACE" made.dat <<'END'
cpu 0
1000 7 value value=1
context 0 1
1001 7 value value=2
1002 7 stack_id 2 gen 1
context 0
1003 7 stack_id 1 gen 1
END
joined made.dat
note an event whose stack is too far away
{
	printf 'cpu 0\n1000 7 value value=1\ncontext 8\n'
	i=0
	while [ $i -lt 1500 ]; do
		printf '+1 7 value value=2\n'
		i=$((i + 1))
	done
	printf 'context 0\n+1 7 stack_id 1 gen 1\n'
} | "$MKTRACE" made.dat
joined made.dat | sort | uniq -c | sed 's/^ *//'

cat > body <<'END'
comm 7 "java main"
cpu 0
1000 7 value value=1
1001 7 stack_id 1 gen 1
1002 7 sched_switch prev_comm="a" prev_pid=7 next_comm="b" next_pid=8
1003 7 kernel_stack 0x81000010 0x7fffffff
missed 2
2000 7 value value=3
cpu 1
1500 7 value value=4
1501 7 stack_id 99 gen 1
END
made()
{
	for line; do
		printf '%s\n' "$line"
	done | cat - body | "$MKTRACE" made.dat
}

note version, byte order and word size make no difference
made 'version 7'
"$command" resolve -q -m made.map made.dat > first
cat first
for version in 6 7; do
	for endian in little big; do
		for compression in none zstd; do
			[ $version = 7 ] || [ $compression = none ] || continue
			made "version $version" "endian $endian" "compression $compression"
			"$command" resolve -q -m made.map made.dat | cmp first - &&
				echo "$version $endian $compression"
		done
	done
done
made 'long 4' 'endian big'
"$command" resolve -q -m made.map made.dat | cmp first - && echo 32 bits
made 'common 12'
"$command" resolve -q -m made.map made.dat | cmp first - && echo a longer common header
note no generation
made 'series 4'
run resolve -m made.map made.dat
printf 'stack_id %d [ref 1, depth 1]\n  [0] f%d+0x1/0x2\n\n' 1 1 99 99 > old.map
run resolve -m old.map made.dat
note a clock that counts something else
made 'clock counter'
run resolve -q --time 1500.. -m made.map made.dat
note parts that are missing
made 'without cmdlines'
run resolve -q -m made.map made.dat | head -n 4
made 'without kallsyms'
run resolve -q -m made.map made.dat | head -n 4
made 'no-format stack_id'
run resolve -m made.map made.dat
run verify -m made.map made.dat
run verify --json -m made.map made.dat | grep -o '"unknown_type":[0-9]*'
made 'no-format value'
run verify -m made.map made.dat
made 'no-format stack_id kernel_stack value sched_switch'
run verify -m made.map made.dat
run resolve -q -f folded -m made.map made.dat
run resolve -q -f json -m made.map made.dat
note a format that points behind the event, an event that is too short
made 'cookie-offset 4000'
run resolve -m made.map made.dat | sed -n '4p;$p'
printf 'cpu 0\n1000 7 value value=1\n1001 7 stack_id 1 gen 1 @8\n1002 7 kernel_stack 0x1 @8\n' |
	"$MKTRACE" made.dat
run resolve -m made.map made.dat
note time that jumps back
printf '%s\n' 'cpu 0' '5000 7 value value=1' '5001 7 stack_id 1 gen 1' 'time-stamp 1000' \
	'1001 7 value value=2' '1002 7 stack_id 2 gen 1' 'cpu 1' '1500 7 value value=3' |
	"$MKTRACE" made.dat
run resolve -q -m made.map made.dat
joined made.dat
note a stack with an all-ones word in the middle
printf '%s\n' 'cpu 0' '1000 7 value value=1' '1001 7 kernel_stack 0x10 0x20 -1 0x30 0x40' |
	sed 's/-1/0xffffffffffffffff/' | "$MKTRACE" made.dat
run resolve -q made.dat
note full stacks beside cookies: why
made
cp made.dat trace.dat
sed '/stack_id 99/,$d' made.map > some.map
printf 'stack_id 99 gen 1 ref 1 depth 1\n => f99+0x1/0x2\n' >> some.map
for fallbacks in 0 26; do
	printf 'generation: 1\nentries: 10\ncapacity: 16384\nsuccesses: 10\n' > some.map_stat
	printf 'fallbacks: %d\n' $fallbacks >> some.map_stat
	rm -f trace.dat.stackmap
	"$command" import -o trace.dat.stackmap some.map some.map_stat > /dev/null
	run resolve | tail -n 1
done
run resolve -m some.map | tail -n 1
note comms of every kind
printf '%s\n' 'comm 1 "java main"' 'comm 2 " lead"' 'comm 3 "trail "' 'comm 4 "[ET_NET 0]"' \
	'comm 5 "x [1"' 'comm 6 "kworker/u8:0-events"' 'comm 7 "\x1b[2J"' 'cpu 0' \
	'1000 1 value' '1001 2 value' '1002 3 value' '1003 4 value' '1004 5 value' '1005 6 value' \
	'1006 7 value' '1007 0 value' '1008 99 value' | "$MKTRACE" made.dat
run resolve made.dat

note events behind 2 GiB, and version words of the first trace-cmds
made
"$command" resolve -q -m made.map made.dat > first
for line in 'hole 2500M' 'version ""' 'version 0'; do
	made "$line"
	"$command" resolve -q -m made.map made.dat | cmp first - && echo "$line"
done
made 'version 6' 'hole 2500M'
"$command" resolve -q -m made.map made.dat | cmp first - && echo 'version 6, hole 2500M'
rm made.dat
note no size of a word
made 'without header_page'
run resolve -m made.map made.dat
note a format that libtraceevent would read past its end
made 'compression none'
LC_ALL=C sed -i 's/prev_comm\[16\]/prev_comm[16)/' made.dat
run resolve -m made.map made.dat
note files with other numbers of CPUs
made
printf 'cpu %d\n%d 7 value value=1\n+1 7 stack_id 2 gen 1\n' 0 1000 63 2000 | "$MKTRACE" wide.dat
run resolve -q -m made.map made.dat wide.dat
run resolve -q -f json -m made.map wide.dat made.dat | grep -c '"stack"'
note a full stack of 90 frames is shown in full
{
	printf 'cpu 0\n1000 7 value value=1\n1001 7 kernel_stack'
	i=0
	while [ $i -lt 90 ]; do
		printf ' 0x%x' $((4096 + i))
		i=$((i + 1))
	done
	echo
} | "$MKTRACE" made.dat
run resolve made.dat | grep -c '=>'
note what is appended to a trace disturbs nothing
made 'append "\x00\x17\x08\x44tracing"'
"$command" resolve -q -m made.map made.dat | cmp first - && echo appended
note a map with a damaged part
printf 'cpu 0\n1000 7 value value=1\n1001 7 stack_id 1 gen 1\n' | "$MKTRACE" made.dat
"$command" import -o parts.stackmap made.map > /dev/null
printf 'something else' >> parts.stackmap
run resolve -m parts.stackmap made.dat
cp parts.stackmap made.dat.stackmap
run resolve -q made.dat
rm made.dat.stackmap
note a host and its guest: each has symbols of its own, and nobody lends them
for origin in host guest; do
	"$MKTRACE" $origin.dat <<-'END'
	without kallsyms
	cpu 0
	1000 7 value value=1
	1001 7 kernel_stack 0xffffffff81000010 0xffffffff81000120
	END
	printf '%s\n' "ffffffff81000000 T ${origin}_a" "ffffffff81000100 T ${origin}_b" \
		'ffffffff81000200 T _etext' > $origin.kallsyms
done
run resolve host.dat guest.dat --kallsyms host.kallsyms --kallsyms guest.kallsyms
run resolve -q host.dat guest.dat --kallsyms '' --kallsyms guest.kallsyms
run resolve host.dat guest.dat --kallsyms guest.kallsyms
run resolve guest.dat --kallsyms guest.kallsyms --kallsyms host.kallsyms
run verify host.dat guest.dat --kallsyms guest.kallsyms
run verify guest.dat --kallsyms guest.kallsyms
note a CPU that has recorded nothing since the reset
printf 'stack_id 1 gen 2 ref 1 depth 1\n => g1+0x1/0x2\n' > second.map
"$MKTRACE" made.dat <<'END'
cpu 0
5000 7 value value=1
5001 7 stack_id 1 gen 2
cpu 1
1000 7 value value=2
1001 7 stack_id 1 gen 1
END
run resolve -m second.map made.dat
run resolve -q -m second.map -m made.map made.dat
note a trace that begins before the map: full stacks first
printf 'stack_id 1 gen 1 ref 1 depth 1\n => f1+0x1/0x2\n' > first.map
"$MKTRACE" made.dat <<'END'
kallsyms ffffffff81000000 T start
kallsyms ffffffff81000080 T f1
kallsyms ffffffff81000082 T _etext
cpu 0
1000 1 value value=1
1001 1 kernel_stack 0xffffffff81000010
2000 1 value value=2
2001 1 stack_id 1 gen 1
END
run resolve -m first.map made.dat
note addresses are hidden in the trace: why, and what would help
"$MKTRACE" made.dat <<'END'
kallsyms 0000000000000000 T start
kallsyms 0000000000000000 T _etext
cpu 0
1000 1 value value=1
1001 1 kernel_stack 0xffffffff81000010
END
run resolve made.dat
run resolve --kallsyms host.kallsyms made.dat
