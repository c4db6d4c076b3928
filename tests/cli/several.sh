# SPDX-License-Identifier: GPL-2.0-or-later
# resolve, verify and expand of several traces or texts: what is said of one of them names it.
v8=data/good/v8

# A trace.dat each, of a boot that has its kernel elsewhere: NAME _STEXT [LINE-OF-IT...]
boot()
{
	boot_name=$1
	boot_start=$2
	shift 2
	for line; do
		printf '%s\n' "$line"
	done > head
	sed "s/START/$boot_start/" > body <<-'END'
	kallsyms START00000 T _stext
	kallsyms START00010 T work
	kallsyms START00110 T more_work
	kallsyms START00210 T _etext
	cpu 0
	1000 7 value value=1
	1001 7 stack_id 1 gen 1
	1002 7 value value=2
	1003 7 stack_id 2 gen 1
	END
	cat head body | "$MKTRACE" $boot_name.dat
	sed -n 's/^kallsyms //p' body > $boot_name.kallsyms
}

boot first ffffffff810
boot second ffffffff820
printf 'stack_id 1 gen 1 ref 1 depth 1\n => work+0x1/0x100\n' > text.map
printf 'stack 1 gen 1\n\t0xffffffff81000011 work+0x1/0x100\n' > description
"$MKMAP" bin2-le < description > bare.bin
sed '1i map gen 1 stext 0xffffffff81000000' description | "$MKMAP" bin2-le > first.bin

note one map for traces of two boots: what is not known of it is told of each
run resolve -m text.map first.dat second.dat
run resolve -m text.map first.dat
run resolve -q --require-proof -m text.map first.dat second.dat
note what is known of it resolves nothing of the other boot
run resolve -f folded -m first.bin first.dat second.dat
run verify -m first.bin second.dat first.dat
"$command" import -o names.stackmap bare.bin first.kallsyms > /dev/null
run resolve -q -f folded -m names.stackmap first.dat second.dat
run resolve -q -f folded -m bare.bin first.dat second.dat
run resolve -f folded -m $v8/sched.stack_map $v8/sched.dat data/good/dbg/mod.dat | tail -n 3
note each has the map beside it
cp text.map first.dat.stackmap
sed 's,work,other_work,' text.map > second.dat.stackmap
run resolve -f folded first.dat second.dat
run verify first.dat second.dat
note or attached, which has its name already
cp first.dat attached.dat
"$command" attach attached.dat first.dat.stackmap > /dev/null
rm first.dat.stackmap second.dat.stackmap
run resolve -f folded attached.dat second.dat

note symbols: hidden in one trace, given for the other from another boot
sed -E 's/^kallsyms [^ ]*/kallsyms 0000000000000000/
	s/stack_id 1.*/kernel_stack 0xffffffff81000012/' body | "$MKTRACE" hidden.dat
run resolve hidden.dat second.dat --kallsyms '' --kallsyms first.kallsyms -m first.bin
run verify hidden.dat second.dat --kallsyms '' --kallsyms first.kallsyms -m first.bin
note a map with a damaged part
cp text.map damaged.map
"$command" import -o damaged.stackmap damaged.map > /dev/null
printf 'something else' >> damaged.stackmap
run resolve -q -f folded -m damaged.stackmap first.dat second.dat
note a sum of each, and of one only where there is something to tell
printf 'stack_id 2 gen 1 ref 1 depth 1\n => more_work+0x1/0x100\n' | cat text.map - > both.map
printf 'cpu 0\nmissed 3\n1000 7 value value=1\n1001 7 kernel_stack 0x1\n1002 7 stack_id 1 gen 1\n' |
	"$MKTRACE" lost.dat
printf 'cpu 0\n1000 7 value value=1\n1001 7 stack_id 1 gen 1\n' | "$MKTRACE" whole.dat
run resolve -f folded -m both.map lost.dat whole.dat first.dat
run resolve -f folded -q -m both.map lost.dat whole.dat first.dat
printf 'cpu 0\n1000 7 signed value=-1\n1001 7 stack_id 1 gen 1\n' > negative
printf '%s\n' 'format test:signed 90 s32:value' | cat - negative | "$MKTRACE" negative.dat
run resolve -f folded --weight value -m both.map negative.dat whole.dat
run resolve --event other -f folded -m both.map whole.dat first.dat
note a name that could steer a terminal
esc=$(printf 'e\033[2Jvil')
cp first.dat "$esc"
run resolve -f folded -m text.map whole.dat "$esc"

note several texts
for text in first second; do
	printf 'a-1 [000] d..2. 1.000001: stack_id: <stack_id %d gen 1>\n' 1 2 > $text
done
run expand -m text.map first second
run expand -m text.map first
run expand -m damaged.stackmap second - < first
run expand -m first.bin first second
note addresses in the maps of texts of two boots: each has symbols of its own
printf 'stack 1 gen 1\n\t0xffffffff81000111 -\n' | "$MKMAP" bin2-le > second.stackmap
cp bare.bin first.stackmap
sed 's,work,other,; s,82,81,' second.kallsyms > other.kallsyms
run expand first second
run expand --kallsyms first.kallsyms first second
run expand --kallsyms first.kallsyms --kallsyms other.kallsyms first second
run expand --kallsyms '' --kallsyms other.kallsyms first second
run expand --kallsyms first.kallsyms first
run expand --kallsyms first.kallsyms --kallsyms other.kallsyms first
note maps that are named are of one kernel
run expand --kallsyms first.kallsyms -m bare.bin first second
run expand --kallsyms first.kallsyms --kallsyms other.kallsyms -m bare.bin first second
note maps of two boots, one kallsyms and no names: it could be of either
for boot in 1 2; do
	"$command" import -o boots.stackmap bare.bin \
		--boot-id $boot$boot$boot$boot$boot$boot$boot$boot-1111-1111-1111-111111111111 \
		> /dev/null
	run show -m boots.stackmap --kallsyms first.kallsyms
done
run expand -m boots.stackmap --kallsyms first.kallsyms first
