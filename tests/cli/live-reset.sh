# SPDX-License-Identifier: GPL-2.0-or-later
# reset: nothing is lost that need not be, and what can be is said.
. "$source_dir/tests/cli/live-world.sh"
a='vfs_read+0x10/0x100'
b='ksys_read+0x6d/0xf0'

note ours: stacks that come until the reset are saved, those behind it are in the next
world ours generation=7 option=1
record_many 300
"$shim" at before stack_map 0 run "'$shim' record-many 5 1000"
"$shim" at during stack_map 0 run "'$shim' record-many 5 2000"
live reset -o ours.stackmap
"$shim" rules
record $a
live save -o ours.stackmap
all_resolve ours.stackmap
live reset -o ours.stackmap --json
all_resolve ours.stackmap
live reset -o ours.stackmap
note without saving
record $b
live reset --no-save
live reset --no-save --json
live reset --no-save --pause
live reset --no-save -o x
live reset x
note without saving, while other programs hold all maps that there may be
"$shim" at -n 3 before stack_map 0 fail EBUSY
live reset --no-save
"$shim" rules
"$shim" at -a before stack_map 0 fail EBUSY
live reset --no-save
note series 8
world 8 option=1
record_many 300
live reset -o eight.stackmap
note in the moment of the reset, which no counter tells
record_many 10
"$shim" at before stack_map 0 run "'$shim' record-many 5 2000 > /dev/null"
live reset -o eight.stackmap
note paused: recording goes on behind it
record_many 10
"$shim" at before stack_map 0 run "'$shim' record-many 5 3000"
live reset -o eight.stackmap --pause
tracing
note series 7 refuses
world 7 option=1
record_many 10
tracing > "$tmp/before"
live reset -o seven.stackmap
tracing | cmp - "$tmp/before" && echo nothing has changed
ls seven.stackmap 2>&1
live save -o seven.stackmap
live reset --no-save
tracing
note the kernel does not reset: the old data stays
world ours option=1 generation=7
record_many 10
"$shim" at -a before stack_map 0 fail ENOMEM
live reset -o busy.stackmap
tracing
"$shim" rules clear
live reset -o busy.stackmap
all_resolve busy.stackmap
note a tool that resets behind our back
record_many 10 100
"$shim" at before stack_map 0 run "'$shim' run sh -c 'echo 0 > /sys/kernel/tracing/stack_map'"
live reset -o back.stackmap
note the kernel fails to reset: what is saved by then is said, and that nothing is reset
for series in 8 ours; do
	world $series option=1
	record_many 10
	"$shim" at -a before stack_map 0 fail EIO
	live reset -o refused.$series.stackmap
	live reset --no-save
	tracing
	ls refused.$series.stackmap 2>&1
done
note the binary export cannot be read: the text is what is saved
world ours option=1
record_many 10
"$shim" at -a read stack_map_bin 0 fail EIO
live reset -o unread.stackmap
all_resolve unread.stackmap
note no map
for series in 7 8 ours; do
	world $series
	live reset --no-save
done
note one that was reset, and nothing since
world ours option=1
record $a
live reset -o since.stackmap
live save -o since.stackmap
