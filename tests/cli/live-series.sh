# SPDX-License-Identifier: GPL-2.0-or-later
# Each series there is, and ours: what all commands do that look at the running kernel, and what
# can come in between.
. "$source_dir/tests/cli/live-world.sh"
a='vfs_read+0x10/0x100'
b='ksys_read+0x6d/0xf0'
c='f2fs_read+0x4/0x40 [f2fs]'
another_reset="'$shim' run sh -c 'echo 0 > /sys/kernel/tracing/stack_map'"

# A line of a trace for each cookie that was recorded.
trace()
{
	"$shim" recorded | cut -f 1 | sed 's/^/  task-1 [000] ..... 1.0: stack_id: /'
}

commands()
{
	world $series generation=7 option=1
	record -n 5 $a $b
	live stat
	live save -o out.stackmap
	record -n 3 $b '[FTRACE TRAMPOLINE]' "$c"
	live save -o out.stackmap
	run show -m out.stackmap --top 2
	trace > trace
	live expand --live trace
	live show --live
	live reset -o out.stackmap
	record $a
	live reset --pause -o out.stackmap
	live reset --no-save
	"$shim" at -a before stack_map 0 fail EBUSY
	live reset --no-save
	"$shim" rules clear
	record $a
	live free -o free.stackmap
	"$shim" set option=0
	live free -o free.stackmap
	tracing
	rm -f out.stackmap free.stackmap
}

# What comes in pieces is the same.
short_reads()
{
	"$shim" run "$command" show --live > shown
	"$shim" run "$command" save -o out.stackmap > /dev/null
	"$command" show -m out.stackmap > saved
	for bytes in 1 2 3 7 16 100 4095; do
		for file in stack_map stack_map_bin stack_map_stat; do
			"$shim" at -a read $file - limit $bytes
		done
		"$shim" run "$command" show --live | cmp - shown || echo WRONG by $bytes bytes
		"$shim" run "$command" save -o short.stackmap > /dev/null
		"$command" show -m short.stackmap | cmp - saved || echo WRONG by $bytes bytes
		"$shim" rules clear
		rm short.stackmap
	done
	rm out.stackmap
}

# By another tool, in the middle of what ours read.
overtaken_by_a_reset()
{
	"$shim" at read $export 60 run "$another_reset; '$shim' record -s 30000 $a > /dev/null"
	live show --live
	record $b
	record "$c"
	"$shim" at read $export 60 run "$another_reset; '$shim' record -s 30000 $a > /dev/null"
	live save -o out.stackmap
	run show -m out.stackmap
	rm out.stackmap
}

# What was open is closed, and the next one finds nothing in its way.
killed()
{
	for words in 'show --live' 'save -o killed.stackmap'; do
		"$shim" at read $export 60 run 'kill -9 $SHIM_PID'
		"$shim" run sh -c "'$command' $words; :" > /dev/null 2>&1
		"$shim" state | grep -e open: -e swapped
	done
	"$shim" rules
	live save -o killed.stackmap
	rm killed.stackmap
}

# $export is what is read: the binary one where there is one.
reads()
{
	note "$series: $export"
	world $series generation=7 option=1 page=100
	[ $export = stack_map ] && [ $series != 8 ] && "$shim" set remove=stack_map_bin
	record $b
	record -n 2 $a $b
	record "$c" '[FTRACE TRAMPOLINE]' $b
	short_reads
	"$shim" at -a read $export 60 fail EIO
	live show --live
	live save -o out.stackmap
	"$shim" rules clear
	rm -f out.stackmap
	overtaken_by_a_reset
	record "$c"
	killed
}

told()
{
	until grep -q "$1" told 2> /dev/null; do
		kill -0 $watch || return
		sleep 0.02
	done
}

# BEGUN ROTATED OPTION...: by which lines that is told.
watched()
{
	world $series generation=7 option=1
	record $a
	begun=$1
	rotated=$2
	shift 2
	rm -f told
	"$shim" run "$command" watch -d maps --every never "$@" > told 2>&1 &
	watch=$!
	told "$begun"
	record $b
	kill -USR1 $watch
	told "$rotated"
	record "$c"
	kill -TERM $watch
	wait $watch
	echo "watch = $?"
	{
		cat told
		"$command" verify -m maps/*
	} | hide | sed 's,maps/[^/]*Z-,maps/TIME-,; s,[0-9][0-9]* bytes,N bytes,'
	rm -r maps
}

for series in 4 5 6 7 8 ours; do
	note "series $series"
	commands
	for export in stack_map stack_map_bin; do
		[ $series.$export = 8.stack_map_bin ] || reads
	done
	note "$series: watch"
	[ $series = ours ] || watched 'stackmap$' '2 stacks'
	case $series in
	8) watched 'goes on$' 'bytes$' --pause ;;
	ours) watched 'goes on$' 'bytes$' ;;
	esac
done
