# SPDX-License-Identifier: GPL-2.0-or-later
# save: what is written, on each kernel, and what is said.
. "$source_dir/tests/cli/live-world.sh"
a='vfs_read+0x10/0x100'
b='ksys_read+0x6d/0xf0'

for series in 4 7 8 ours; do
	note a kernel of series $series
	world $series generation=7 option=1
	record -n 5 $a $b
	record $b '[FTRACE TRAMPOLINE]' 'f2fs_read+0x4/0x40 [f2fs]'
	record_many 300
	tracing > "$tmp/before"
	live save -o "$series.stackmap"
	tracing | cmp - "$tmp/before" && echo the map is as it was
	case $series in
	[4-7]) run show -m "$series.stackmap" --top 2 ;;
	*) all_resolve "$series.stackmap" ;;
	esac
done

note where trace-cmd report looks for it, and again, fuller
live save
record_many 10 1000
live save
"$command" list trace.dat.stackmap | grep -v origin |
	sed -E 's/[0-9]+ bytes/N bytes/g; s/[0-9]+ in the/N in the/; s/saved .*/saved TIME/'
all_resolve trace.dat.stackmap
put 0 stack_map
record $a
live save --json
live save
all_resolve trace.dat.stackmap

note the binary export fails: the text is saved in its place, where there is one
world ours option=1
"$shim" at -a read stack_map_bin 0 fail EIO
live save -o unread.stackmap
record $a
live save -o unread.stackmap
all_resolve unread.stackmap

note names are hidden: the text has them
world ours option=1 kallsyms=hidden
record $a $b
"$shim" set kallsyms=hidden
live save -o hidden.stackmap
all_resolve hidden.stackmap
note several instances: nothing is made there, nothing goes
"$shim" run mkdir /sys/kernel/tracing/instances/one
live save -o inst.stackmap
"$shim" run ls /sys/kernel/tracing/instances

note nothing to save
world ours
live save -o none.stackmap
"$shim" set option=1
live save -o none.stackmap
ls none.stackmap 2>&1
note usage
live save trace.dat
live save -o -
live save -o ''
live save --output
live save --nonsense
