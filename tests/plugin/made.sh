#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces that no machine at hand records, made from text by mktrace (its name in MKTRACE).
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

# make_trace NAME LINE...: NAME.dat of the lines
make_trace() {
	local name=$1
	shift
	printf '%s\n' "$@" | "${MKTRACE:?}" "$name.dat" || fail "$name.dat cannot be made"
}

# shown FILE: what stands behind "stack_id:", and the frames, without columns
shown() { sed -n 's/.*[0-9]: stack_id: *//p; /^ => /p' "$1"; }

# shows WHAT LINE...: the output has these cookies and frames
shows() {
	local what=$1
	shift
	printf '%s\n' "$@" >wanted
	shown out >got
	same "$what" wanted got
}

cat >map <<'END'
stack_id 42 gen 1 ref 1 depth 2
 => schedule+0x48/0xc0
 => vfs_read+0x1c/0x30 [ext4]
stack_id 43 gen 1 ref 2147483647 depth 1
 => [FTRACE TRAMPOLINE]
stack_id 44 gen 1 ref 1 depth 5
 => schedule+0x48/0xc0
 => [FTRACE TRAMPOLINE]
 => 0xffffffffffffffff
 => __x64_sys_read.cold+0x0/0x10
 => do_syscall_64+0x46/0x310
END
cat >map4 <<'END'
stack_id 42 [ref 1, depth 2]
  [0] schedule+0x48/0xc0
  [1] vfs_read+0x1c/0x30 [ext4]

END
frames42=(' => schedule+0x48/0xc0' ' => vfs_read+0x1c/0x30 [ext4]')

# The field is found by its name, wherever the recording kernel puts it.
for version in 6 7; do
	for endian in little big; do
		for long in 4 8; do
			for common in 8 12; do
				what="version $version, $endian, $long, $common"
				lines=("version $version" "endian $endian" "long $long"
					"common $common" 'comm 7 "java main"')
				make_trace made "${lines[@]}" 'cpu 0' '1000 7 stack_id 42 gen 1'
				report -O stackmap:file=map made.dat
				shows "series 8, $what" '<stack_id 42 gen 1>' "${frames42[@]}"
				silent "series 8, $what"
				make_trace made4 "${lines[@]}" 'series 4' 'cpu 0' \
					'1000 7 stack_id 42'
				report -O stackmap:file=map4 made4.dat
				shows "series 4, $what" '<stack_id 42>' "${frames42[@]}"
				silent "series 4, $what"
			done
		done
	done
done

# Every form of frame, as it was saved.
make_trace forms 'cpu 0' '1000 7 stack_id 43 gen 1' '+1 7 stack_id 44 gen 1'
report -O stackmap:file=map forms.dat
shows "forms of frames" '<stack_id 43 gen 1>' ' => [FTRACE TRAMPOLINE]' '<stack_id 44 gen 1>' \
	' => schedule+0x48/0xc0' ' => [FTRACE TRAMPOLINE]' ' => 0xffffffffffffffff' \
	' => __x64_sys_read.cold+0x0/0x10' ' => do_syscall_64+0x46/0x310'

printf 'stack_id 42 gen 1 ref 1 depth 1\n => bad\033[31m\tname+0x1/0x2\n' >map.control
report -O stackmap:file=map.control made.dat
is "control characters of a frame" 0 "$(count $'\e')"

# Verdicts stand behind the cookie.
make_trace verdicts 'cpu 0' '1000 7 stack_id 42 gen 2' '+1 7 stack_id 45 gen 1'
report -O stackmap:file=map verdicts.dat
is "verdicts: generation" 1 "$(count '<stack_id 42 gen 2> \[unresolved: .*generation')"
is "verdicts: slot" 1 "$(count '<stack_id 45 gen 1> \[unresolved: .*not in')"
is "verdicts: no stack" 0 "$(count '^ =>')"
reasons='generation not saved: 1, not in the saved map: 1'
says "verdicts: summary" "verdicts.dat: 2 of 2 cookies not resolved ($reasons)"
make_trace other 'kallsyms ffffffff81000000 T schedule' 'kallsyms ffffffff81000100 T vfs_read' \
	'kallsyms ffffffff81000140 T _etext' 'cpu 0' '1000 7 stack_id 42 gen 1'
report -O stackmap:file=map other.dat
is "a map of another kernel" 1 "$(count '<stack_id 42 gen 1> \[unresolved: .*schedule')"
is "a map of another kernel: no stack" 0 "$(count '^ =>')"

# Events that are too short, or say that the cookie is elsewhere.
make_trace short 'cpu 0' '1000 7 stack_id 42 gen 1 @8' '+1 7 stack_id 42 gen 1 @12' \
	'+1 7 stack_id 42 gen 1'
report -O stackmap:file=map short.dat
shows "short events" '<stack_id: the event is damaged>' '<stack_id: the event is damaged>' \
	'<stack_id 42 gen 1>' "${frames42[@]}"
says "short events" "short.dat: 2 of 3 cookies not resolved (the event is damaged: 2)"
make_trace far 'cookie-offset 4000' 'cpu 0' '1000 7 stack_id 42 gen 1 @8'
report -O stackmap:file=map far.dat
shows "a cookie at offset 4000" '<stack_id: the event is damaged>'

# An event that no format describes is none of ours.
make_trace unknown 'no-format stack_id' 'cpu 0' '1000 7 stack_id 42 gen 1' '+1 7 value value=1'
report -O stackmap:file=map unknown.dat
is "no format: the other event" 1 "$(count 'value: *value=1')"
is "no format: no stack" 0 "$(count '^ =>')"

# A field that a later series could have: printed as the format itself says.
make_trace later 'no-format stack_id' 'format ftrace:stack_id 900 u64:stack_name' 'cpu 0' \
	'1000 7 raw 900 "\x4d\x00\x00\x00\x00\x00\x00\x00"'
report -O stackmap:file=map later.dat
is "a later form of the event" 1 "$(count 'stack_id: *stack_name=77')"
is "a later form of the event: no stack" 0 "$(count '^ =>')"

# 2 and 64 CPUs, the same cookie, each with its own stack.
cpus64=()
for cpu in {0..63}; do cpus64+=("cpu $cpu" "$((2000 + cpu)) 7 stack_id 42 gen 1"); done
make_trace two 'cpu 0' '1000 7 stack_id 42 gen 1' 'cpu 1' '1001 7 stack_id 42 gen 1'
make_trace many "${cpus64[@]}"
cp map two.dat.stackmap
printf 'stack_id 42 gen 1 ref 1 depth 1\n => other+0x1/0x2\n' >many.dat.stackmap
report -i two.dat -i many.dat
is "2 CPUs" 2 "$(count '^ => vfs_read')"
is "64 CPUs" 64 "$(count '^ => other')"
is "both: each stack below its own cookie" 64 \
	"$(grep -A1 '^ *many.dat: .*<stack_id' out | grep -c '^ => other')"
silent "2 and 64 CPUs"

# Instances share the handle of their file.
make_trace instance 'cpu 0' '1000 7 stack_id 42 gen 1' 'buffer "inst"' 'cpu 0' \
	'1001 7 stack_id 43 gen 1'
report -O stackmap:file=map instance.dat
is "an instance: its own" 1 "$(count '^ => \[FTRACE')"
is "an instance: the top level" 1 "$(count '^ => vfs_read')"
silent "an instance"

# Lost events, and time that jumps back, change nothing.
make_trace jump 'cpu 0' '1000 7 value value=1' 'missed 3' '+1 7 stack_id 42 gen 1' \
	'time-stamp 500' '+1 7 stack_id 43 gen 1'
report -O stackmap:file=map jump.dat
is "lost events are told" 1 "$(count '3 EVENTS DROPPED')"
is "lost events: both stacks" 2 "$(count '^ => vfs_read\|^ => \[FTRACE')"

# A hidden event's stack does not appear below a shown one, as with an interrupt.
make_trace hidden 'cpu 0' '1000 7 value value=1' '+1 7 value value=2' '+1 7 stack_id 43 gen 1' \
	'+1 7 stack_id 42 gen 1'
report -O stackmap:file=map -F 'value: value == 1' hidden.dat
is "a filter: the event" 1 "$(count 'value=1')"
is "a filter: no stack" 0 "$(count '^ =>')"

done_testing
