#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The played kernels do what is said of the real ones: abi.md's rules, one check each.
#
#	test-shim.sh STACKMAP_SHIM [fuse]
shim=$(realpath "$1")
is_fuse=${2+yes}
if [ $is_fuse ]; then
	export STACKMAP_SHIM_RUN=fuse
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
T=/sys/kernel/tracing
failed=0
mkfifo "$tmp/fifo" || exit 1
nr=0
a='one+0x1/0x20'
b='two+0x2/0x20'

new()
{
	nr=$((nr + 1))
	STACKMAP_SHIM=$(realpath "$tmp")/world.$nr
	export STACKMAP_SHIM
	"$shim" setup "$STACKMAP_SHIM" "$@" || exit 1
}

in_world()
{
	"$shim" run sh -c "$1" 2>&1
}

# in_python FILE < SCRIPT: with FILE of tracefs as argument
in_python()
{
	timeout 20 "$shim" run python3 - "$T/$1" 2>&1
}

# is WHAT GOT WANTED
is()
{
	[ "$2" = "$3" ] && return
	printf 'not ok: %s\n--- got\n%s\n--- wanted\n%s\n' "$1" "$2" "$3"
	failed=1
}

# has WHAT GOT PATTERN
has()
{
	case $2 in
	*$3*) ;;
	*)
		printf 'not ok: %s\n--- got\n%s\n--- has not\n%s\n' "$1" "$2" "$3"
		failed=1
		;;
	esac
}

# A process that holds the map, until descriptor 9 is closed.
hold()
{
	: > "$tmp/held"
	"$shim" hold 1 < "$tmp/fifo" > "$tmp/held" 9>&- &
	holder=$!
	exec 9>> "$tmp/fifo"
	while [ ! -s "$tmp/held" ]; do
		kill -0 $holder || exit 1
	done
}

cookie()
{
	"$shim" record -s "$1" "$2"
}

# Where there is no right to mount, that is said, and the test is skipped.
new ours
"$shim" run true || exit

for series in 4 5 6 7 8 ours; do
	new $series
	is "$series: empty while no map is allocated" \
		"$(in_world "cat $T/stack_map $T/stack_map_stat")" ''
	is "$series: in full before there is a map" "$("$shim" record $a)" '<stack trace>'
	enabled=$(in_world "cat $T/options/stackmap; echo 1 > $T/options/stackmap
		cat $T/options/stackmap; grep -x stackmap $T/trace_options")
	is "$series: first enable" "$enabled" '0
1
stackmap'
	case $series in
	[4-7])
		is "$series: cookie" "$("$shim" record -n 3 -s 42 $a $b '[FTRACE TRAMPOLINE]')" \
			'<stack_id 42>'
		is "$series: text" "$(in_world "cat $T/stack_map")" "stack_id 42 [ref 3, depth 3]
  [0] one+0x1/0x20
  [1] two+0x2/0x20
  [2] [FTRACE TRAMPOLINE]"
		has "$series: statistics" "$(in_world "cat $T/stack_map_stat")" \
			'entries:      1 / 16384'
		is "$series: bin 1" "$(in_world "head -c 16 $T/stack_map_bin" | od -An -tx4)" \
			' 46534d42 00000001 00000001 00000000'
		is "$series: no free" "$(in_world "echo free > $T/stack_map")" \
			'sh: 1: echo: echo: I/O error'
		;;
	*)
		gen=1
		[ $series = ours ] && gen=24301
		is "$series: cookie" "$("$shim" record -n 3 -s 42 $a $b '[FTRACE TRAMPOLINE]')" \
			"<stack_id 42 gen $gen>"
		is "$series: text" "$(in_world "cat $T/stack_map")" \
			"stack_id 42 gen $gen ref 3 depth 3
 => one+0x1/0x20
 => two+0x2/0x20
 => [FTRACE TRAMPOLINE]"
		has "$series: statistics" "$(in_world "cat $T/stack_map_stat")" \
			"generation: $gen
entries: 1
capacity: 16384
successes: 3
fallbacks: 0"
		;;
	esac
	is "$series: the option off keeps the map" "$(in_world "echo nostackmap > $T/trace_options
		cat $T/options/stackmap; head -c 11 $T/stack_map")" '0
stack_id 42'
	is "$series: in full with the option off" "$("$shim" record $a)" '<stack trace>'
	"$shim" set option=1 tracing_on=0
	is "$series: nothing while tracing is off" "$("$shim" record $a)" nothing
	in_world "echo 1 > $T/tracing_on"
	in_world "echo 0 > $T/stack_map"
	is "$series: a reset empties it" "$(in_world "cat $T/stack_map")" ''
	has "$series: other words" "$(in_world "echo 1 > $T/stack_map")" error
	has "$series: an instance has none" "$(in_world "mkdir $T/instances/x
		echo > $STACKMAP_SHIM/root/instances/x/trace_options 2>&1
		: > $T/instances/x/trace_options; ls $T/instances")" ''
	has "$series: nothing is made" "$(in_world ": > $T/new")" 'ermission denied'
done

new 8 option=1 page=64
cookie 10 $a > "$tmp/out"
cookie 20 $b >> "$tmp/out"
"$shim" at read stack_map 49 run "'$shim' run sh -c 'echo 0 > $T/stack_map';" \
	"'$shim' record -s 30 $a > /dev/null"
is '8: a reader that a reset overtakes reads two generations' \
	"$(in_world "cat $T/stack_map" | grep stack_id)" 'stack_id 10 gen 1 ref 1 depth 1
stack_id 30 gen 2 ref 1 depth 1'
"$shim" at during stack_map 0 run "'$shim' record $a > '$tmp/during'"
in_world "echo 0 > $T/stack_map"
is '8: in full during a reset' "$(cat "$tmp/during")" '<stack trace>'
has '8: free with the option set' "$(in_world "echo free > $T/stack_map")" error
"$shim" set option=0
hold
{
	in_world "echo free > $T/stack_map"
	echo freed
} > "$tmp/free" 9>&- &
free=$!
"$shim" wait-free || failed=1
is '8: free waits for readers' "$(cat "$tmp/free")" ''
is '8: the map is out of use at once' "$(in_world "cat $T/stack_map")" ''
exec 9>&-
wait $free
is '8: free ends with the last reader' "$(cat "$tmp/free")" freed
"$shim" set option=1
has '8: a free adds to the generation' "$(in_world "cat $T/stack_map_stat")" 'generation: 4'

new 7 option=1 bits=10
"$shim" record-many 200 > /dev/null
"$shim" at read stack_map_bin 4096 run "'$shim' run sh -c 'echo reset > $T/stack_map'"
has '7: a reset overtakes a reader of stack_map_bin' \
	"$(in_world "cat $T/stack_map_bin > /dev/null")" Stale
"$shim" record $a > /dev/null
"$shim" at end stack_map_bin - run "'$shim' run sh -c 'echo 0 > $T/stack_map'"
is '7: one at its end has a normal end' "$(in_world "cat $T/stack_map_bin | wc -c")" 40
"$shim" at during stack_map 0 run "'$shim' run sh -c 'echo 0 > $T/stack_map' 2> '$tmp/busy'"
in_world "echo 0 > $T/stack_map"
has '7: busy while another reset runs' "$(cat "$tmp/busy")" error

new ours generation=7 bits=10 option=1
cookie 10 $a > "$tmp/out"
"$shim" at before stack_map 0 run "'$shim' record -s 20 $b"
"$shim" at during stack_map 0 run "'$shim' record -s 20 $b > '$tmp/during'"
is 'ours: open, reset, read gives the whole old generation' \
	"$(in_world "exec 3<> $T/stack_map; echo 0 >&3; cat <&3" | grep stack_id)" \
	'stack_id 10 gen 7 ref 1 depth 1
stack_id 20 gen 7 ref 1 depth 1'
is 'ours: what comes during a reset is of the next' "$(cat "$tmp/during")" '<stack_id 20 gen 8>'
"$shim" at read stack_map_bin 64 run "'$shim' run sh -c 'echo 0 > $T/stack_map'"
is 'ours: a reader keeps the generation that it opened' \
	"$(in_world "cat $T/stack_map_bin" | od -An -tu4 -j16 -N4 | tr -d ' ')" 8
is 'ours: closed is said' \
	"$(in_world "exec 3< $T/stack_map_bin; echo 0 > $T/stack_map; head -c 16 <&3" |
		od -An -tx4)" ' 46534d32 00000002 00000040 00000001'
is 'ours: in the next a reader that has read stays' \
	"$(in_world "exec 3<> $T/stack_map; head -c 1 <&3 > /dev/null; echo 0 >&3
		'$shim' state | grep ^open")" 'open: stack_map map 4 read 0'
hold
"$shim" set option=0
is 'ours: free does not wait with O_NONBLOCK' \
	"$(timeout 20 "$shim" run dd if=/dev/stdin of=$T/stack_map oflag=nonblock status=none \
		conv=notrunc 2>&1 <<-END
		free
		END
		echo $?)" 0
exec 9>&-
wait
new ours option=1 bits=10
"$shim" record-many 2000 0 20 > "$tmp/out"
has 'ours: what does not fit is counted' "$(in_world "cat $T/stack_map_stat")" 'no_space: '
has 'ours: cookies and full stacks' "$(cat "$tmp/out")" ' in full, 0 not'
i=0
holders=
while [ $i -lt 8 ]; do
	hold
	holders="$holders $holder"
	in_world "echo 0 > $T/stack_map"
	i=$((i + 1))
done
has 'ours: eight maps are held: busy' "$(in_world "echo 0 > $T/stack_map; :")" error
kill -9 $holders
exec 9>&-
wait
is 'ours: files of the killed are closed' "$(in_world "echo 0 > $T/stack_map")" ''

new ours option=1
"$shim" at -a open '*' - fail EPERM
has 'lockdown' "$(in_world "cat $T/stack_map")" 'not permitted'
"$shim" rules clear
"$shim" at open stack_map r fail ENODEV
has 'ENODEV' "$(in_world "cat $T/stack_map")" 'No such device'
"$shim" record-many 100 > /dev/null
"$shim" at read stack_map_bin 1000 fail EIO
is 'EIO at a byte' "$(in_world "cat $T/stack_map_bin 2> /dev/null | wc -c")" 1000
"$shim" at -a read stack_map - limit 7
"$shim" at before stack_map 0 fail ENOMEM
has 'ENOMEM' "$(in_world "echo 0 > $T/stack_map")" error
is 'short reads' "$(in_world "dd if=$T/stack_map bs=4096 count=1 status=none | wc -c")" 7
"$shim" rules clear
"$shim" set mount= can_mount=0
has 'not mounted' "$(in_world "ls $T; cat $T/README; cat /proc/mounts")" 'No such file'
"$shim" set mount=/mnt/elsewhere
has 'mounted elsewhere' "$(in_world "cat /mnt/elsewhere/README; stat -f -c %t /mnt/elsewhere")" \
	74726163

new ours option=1 generation=7
cookie 10 $a > "$tmp/out"
"$shim" at read stack_map 34 run 'kill -9 $SHIM_PID'
is 'killed in the middle of a read' "$(in_world "cat $T/stack_map; echo \$?" | tail -n 1)" 137
is 'nothing is open then' "$("$shim" state | grep open)" ''
"$shim" at before stack_map 0 run 'kill -9 $SHIM_PID'
in_world "echo 0 > $T/stack_map" > "$tmp/out"
has 'killed before a reset: it does not come' "$("$shim" state)" 'map: 1 '
"$shim" run sh -c "exec 3< $T/stack_map 4<&0; cat <&4 &" < "$tmp/fifo" > /dev/null 9>&- &
exec 9> "$tmp/fifo"
wait
in_world "echo 0 > $T/stack_map"
has 'an open file lives on in a child' "$("$shim" state)" 'swapped out: 1
open: stack_map map 1'
exec 9>&-
until ! "$shim" state | grep -q open; do
	sleep 0.01
done
is 'and ends with it' "$("$shim" state | tail -n 1)" 'swapped out: 0'
cookie 10 $a > "$tmp/out"
is 'from the start again' "$(in_python stack_map <<-'END'
	import os, sys
	fd = os.open(sys.argv[1], os.O_RDONLY)
	first = os.read(fd, 20)
	os.lseek(fd, 0, 0)
	again = os.read(fd, 9000)
	print(again[:20] == first, len(again), os.read(fd, 9000))
	END
	)" "True 49 b''"
has 'ours: stack_map_bin goes on only' "$(in_python stack_map_bin <<-'END'
	import os, sys
	fd = os.open(sys.argv[1], os.O_RDONLY)
	os.read(fd, 20)
	os.lseek(fd, 0, 0)
	END
	)" 'Illegal seek'
hold
is 'not to wait can be said later' "$(in_python stack_map <<-'END'
	import fcntl, os, sys
	fd = os.open(sys.argv[1], os.O_WRONLY)
	fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
	with open(os.path.dirname(sys.argv[1]) + '/options/stackmap', 'w') as option:
	    option.write('0')
	print(os.write(fd, b'free'))
	END
	)" 4
exec 9>&-
wait

if [ ! $is_fuse ]; then
	"$shim" at write '/*/full' 5 fail ENOSPC
	is 'a full disk' "$(in_world "dd if=/dev/zero of='$tmp/full' bs=100 count=1 2> /dev/null
		wc -c < '$tmp/full'")" 5
	"$shim" at fsync '/*/full' - fail EIO
	has 'a disk that fails' "$(in_world "dd if=/dev/zero of='$tmp/full' count=1 conv=fsync")" \
		'Input/output error'
	exit $failed
fi

# ---- a file system only ----

new 8 option=1
is 'uname' "$("$shim" run uname -r)" 6.12.0-played
is 'an exit status' "$(in_world 'exit 5'; echo $?)" 5
is 'statfs(2) elsewhere is as it was' "$("$shim" run stat -f -c %t /)" "$(stat -f -c %t /)"
is 'nobody else sees it' "$(ls -A $T)" "$("$shim" run true; ls -A $T)"
if command -v bash > "$tmp/out"; then
	cookie 10 $a > "$tmp/out"
	is 'echo of bash' "$("$shim" run bash -c "echo 0 > $T/stack_map; cat $T/stack_map")" ''
	has 'which is a reset' "$("$shim" state)" 'generation 2 entries 0'
fi
other='setpriv --reuid=1 --regid=1 --clear-groups'
has 'who has no right to read it' "$(in_world "$other cat $T/stack_map")" 'ermission denied'
has 'who may look' "$(in_world "$other ls -l $T")" 'stack_map'
"$shim" at before stack_map 0 run "echo 0 > $T/stack_map"
in_world "echo 0 > $T/stack_map"
has 'a rule that uses the same mount' "$("$shim" state)" 'generation 4'
"$shim" set option=0
hold
is 'one that waits stops nobody' "$(timeout 20 "$shim" run sh -c "echo free > $T/stack_map &
	free=\$!
	'$shim' wait-free && echo 0 > $T/stack_map && cat $T/stack_map && kill -9 \$free
	wait \$free; echo \$?" 2> "$tmp/out")" 137
is 'and it has gone' "$("$shim" state | grep freeing)" ''
"$shim" set option=1 option=0
"$shim" run sh -c "trap 'echo caught' USR1; echo free > $T/stack_map; echo freed" \
	> "$tmp/free" 9>&- &
free=$!
"$shim" wait-free || failed=1
kill -USR1 $free
is 'a signal that is caught does not end it' "$("$shim" wait-free; echo $?; cat "$tmp/free")" 0
exec 9>&-
wait $free
is 'but comes behind it' "$(cat "$tmp/free")" 'caught
freed'
"$shim" run sh -c 'kill -9 $$' 2> "$tmp/out"
is 'killed' $? 137
until [ -z "$(ls "$STACKMAP_SHIM/servers")" ]; do
	sleep 0.01
done
exit $failed
