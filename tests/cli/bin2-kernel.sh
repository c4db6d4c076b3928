# SPDX-License-Identifier: GPL-2.0-or-later
# stack_map_bin, format FSM2, as a kernel wrote it: two generations of one recording.
fsm2=data/good/fsm2

note the first one was read to its end behind a reset, with tracing on
run list $fsm2/gens.1.stack_map_bin $fsm2/gens.2.stack_map_bin
note every cookie, in as many stacks as were recorded
run verify -m $fsm2/gens.1.stack_map_bin -m $fsm2/gens.2.stack_map_bin $fsm2/gens.dat
sed -n 's/^successes: //p' $fsm2/gens.1.stack_map_stat $fsm2/gens.2.stack_map_stat
note by its own generation only
run verify -m $fsm2/gens.2.stack_map_bin $fsm2/gens.dat | head -n 4
note the text tells the same stacks
run verify -m $fsm2/gens.1.stack_map -m $fsm2/gens.1.stack_map_bin
both()
{
	"$command" resolve -m "$1" -m $fsm2/gens.2.stack_map_bin $fsm2/gens.dat 2> /dev/null |
		sed 's,+\(0x[0-9a-f]*\)/0x[0-9a-f]*,+\1,'
}
both $fsm2/gens.1.stack_map > text
both $fsm2/gens.1.stack_map_bin | cmp - text
grep -c ' => ' text
note every frame has a name
grep -c ' => 0x' text
note and with the symbols beside it
run import -o a.stackmap $fsm2/gens.1.stack_map_bin $fsm2/kallsyms | sed 's/[0-9]* bytes/N bytes/'
both a.stackmap | cmp - text
