# SPDX-License-Identifier: GPL-2.0-or-later
# resolve: how large an address of a full stack is, the file says; never this machine.
cat > body <<'END'
kallsyms 81000000 T schedule
kallsyms 81000100 T do_work
kallsyms 81000200 T _etext
cpu 0
1000 7 value value=1
1001 7 kernel_stack 0x81000010 0x81000110 0x81000020
1002 7 value value=2
1003 7 kernel_stack 0x81000120
END
made()
{
	printf '%s\n' "$@" | cat - body | "$MKTRACE" made.dat
}
for command_line in 'resolve -q made.dat' 'resolve -q -f json made.dat'; do
	note "$command_line"
	made 'long 8'
	run $command_line
	run $command_line > first
	note the same with words of another size or order, whatever long was to trace-cmd
	for version in 6 7; do
		for long in 4 8; do
			for line in 'endian little' 'endian big' 'initial-long 4' \
				'initial-long 8'; do
				made "version $version" "long $long" "$line"
				run $command_line | cmp first - || echo "$version $long $line"
			done
		done
	done
done
note sizes that contradict each other, or are none
for lines in 'initial-long 16' 'initial-long 2' 'without header_page' \
	'without header_info' 'without header_info,initial-long 4'; do
	made "$(printf '%s' "$lines" | tr , '\n')"
	run resolve made.dat
done
for type in u32 u16; do
	made 'no-format kernel_stack' "format ftrace:kernel_stack 4 s32:size $type:caller[8]"
	run resolve made.dat
	run verify made.dat
	run resolve -q -f json made.dat
	run resolve -q -f folded made.dat
done
made 'no-format kernel_stack' 'long 4' 'format ftrace:kernel_stack 4 s32:size u32:caller[8]'
run resolve -q made.dat
