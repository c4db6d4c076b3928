#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# watch.sh COMMAND SHIM - what trace-cmd stackmap watch does on a played kernel. COMMAND is
# trace-cmd-stackmap, SHIM the program stackmap-shim (tests/shim/README.md).
#
# Nothing sleeps for luck: a test waits until a line or a state is there, for a minute at most.
set -u

command=$1
shim=$2
failed=0
unset TRACE_STACKMAP NOTIFY_SOCKET
export LC_ALL=C ASAN_OPTIONS=verify_asan_link_order=0

tmp=$(mktemp -d) || exit 1
watch=
trap '[ -z "$watch" ] || kill -KILL "$watch" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
export STACKMAP_SHIM="$tmp/world" TMPDIR="$tmp/elsewhere"

fault()
{
	echo "$name: $*"
	sed 's/^/    out: /' "$tmp/out"
	sed 's/^/    err: /' "$tmp/err"
	failed=1
}

# A new world of series $2 for the test $1, with further settings.
begin()
{
	name=$1
	shift
	rm -rf "$STACKMAP_SHIM" "$tmp/maps" "$TMPDIR"
	mkdir "$TMPDIR"
	: > "$tmp/out"
	: > "$tmp/err"
	"$shim" setup "$STACKMAP_SHIM" "$@" || exit 1
}

record()
{
	"$shim" record-many "$@" > /dev/null
}

# In the background, with these options, by the program $with.
with=
start()
{
	$with "$shim" run "$command" watch -d "$tmp/maps" "$@" >> "$tmp/out" 2>> "$tmp/err" &
	watch=$!
}

# The same, and it takes signals.
run()
{
	nr=$(grep -c '/maps/' "$tmp/out")
	start "$@"
	tells '/maps/' $((nr + 1))
}

# Until COMMAND is true.
until_true()
{
	tries=1200
	until "$@"; do
		tries=$((tries - 1))
		if [ $tries = 0 ]; then
			fault "in vain: $*"
			return 1
		fi
		sleep 0.05
	done
}

# File $1 has $3 (1) lines that match $2.
has_lines()
{
	[ "$(grep -c -- "$2" "$tmp/$1")" -ge "${3-1}" ]
}

tells()
{
	until_true has_lines out "$@"
}

complains()
{
	until_true has_lines err "$@"
}

is_gone()
{
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$watch/status" 2> /dev/null
}

# It ends by itself: its status is in $status.
ended()
{
	until_true is_gone || kill -KILL "$watch"
	wait "$watch" 2> /dev/null
	status=$?
	watch=
}

stop()
{
	kill -TERM "$watch"
	ended
	[ $status = 0 ] || fault "ended with status $status"
}

file()
{
	echo "$tmp"/maps/*.stackmap
}

saves()
{
	"$command" list --json "$(file)" | tr ',' '\n' | grep -c '"offset"'
}

# Every cookie that was recorded resolves from the files to the stack that it was of. $1: so many
# may not.
all_resolve()
{
	maps=
	for one in "$tmp"/maps/*.stackmap "$TMPDIR"/*; do
		[ ! -f "$one" ] || maps="$maps -m $one"
	done
	"$shim" recorded | cut -f 1 | sed 's/^/  task-1 [000] ..... 1.0: stack_id: /' |
		"$command" expand $maps > "$tmp/expanded" 2>> "$tmp/err"
	bad=$(grep -c unresolved "$tmp/expanded")
	[ "$bad" = "${1-0}" ] || fault "$bad cookies are not resolved"
	"$shim" recorded | cut -f 2 | tr ';' '\n' > "$tmp/wanted"
	sed -n 's/^ => //p' "$tmp/expanded" > "$tmp/got"
	[ "${1-0}" != 0 ] || cmp -s "$tmp/wanted" "$tmp/got" || fault "stacks differ"
}

# What was told to be saved is whole.
reported_is_whole()
{
	"$command" verify "$(file)" > "$tmp/verified" 2>&1 || grep -q . "$tmp/verified"
	"$command" list "$(file)" > "$tmp/listed"
	sed -n 's/^generation \([0-9]*\): \([0-9]*\) stack.*/generation \1 with \2 stack/p' \
		"$tmp/out" | grep -v ' 0 stack' > "$tmp/told"
	while read -r line; do
		generation=${line% with*}
		stacks=${line#* with }
		found=$(sed -n "s/.*: $generation with \([0-9]*\) stack.*/\1/p" "$tmp/listed" |
			sort -n | tail -n 1)
		[ "${found:-0}" -ge "${stacks% stack}" ] || fault "$line: not in the file"
	done < "$tmp/told"
}

finish()
{
	[ $failed = 0 ] && echo 'all well'
	exit $failed
}

# ---- by fill, when asked, at the end ----

begin 'a map is rotated at the mark, when asked, and saved at the end' ours bits=10 generation=7 \
	option=1
record 900
run
tells '^generation 7: 900 stacks.*bytes$'
record 20 1000
kill -USR1 "$watch"
tells '^generation 8: 20 stacks'
record 3 2000
stop
has_lines out '^generation 9: 3 stacks, .*goes on' || fault 'the end is not told'
[ ! -s "$tmp/err" ] || fault 'it complains'
case $(file) in
*/[0-9]*T[0-9]*Z-3f2504e0-4f89-41d3-9a0c-0305e82c3301.stackmap) ;;
*) fault "the file is $(file)" ;;
esac
all_resolve

name='a restart goes on in the same file, with nothing twice'
record 4 3000
run
stop
[ "$(ls "$tmp/maps" | wc -l)" = 1 ] || fault 'there are several files'
"$command" list "$(file)" | grep -c 'generation 9' > "$tmp/nr"
all_resolve

begin 'a restart misses nothing where names are hidden' ours bits=10 generation=7 option=1
record 5
"$shim" set kallsyms=hidden
run
kill -USR1 "$watch"
tells '^generation 7: 5 stacks.*bytes$'
stop
record 5 100
"$shim" set kallsyms=hidden
run
stop
has_lines out '^generation 8: 5 stacks' || fault 'the end is not saved'
has_lines err 'is not saved' && fault 'it misses what is there'
all_resolve

begin 'a map is rotated when its time has come' ours bits=10 generation=1 option=1
record 5
run --every 1s --rotate-at never
tells '^generation 1: 5 stacks.*bytes$'
record 5 100
tells '^generation 2: 5 stacks'
stop
all_resolve

begin 'it waits for a map' ours bits=10 option=0
run
tells 'waiting for the option'
"$shim" set option=1
tells 'there is a map now'
record 5
stop
all_resolve

begin 'SIGINT ends it too, and an empty map leaves no file' ours option=1
run
kill -INT "$watch"
ended
[ $status = 0 ] || fault "status $status"
[ "$(ls "$tmp/maps" | wc -l)" = 0 ] || fault 'there is a file'

# It takes SIGHUP, then SIGUSR1, which is answered.
begin 'nohup keeps it from ending with its terminal' ours generation=1 option=1
record 5
trap '' HUP
run
trap 'exit 1' HUP
kill -HUP "$watch"
kill -USR1 "$watch"
tells '^generation 1: 5 stacks, [0-9]* bytes$'
stop

# Also where nohup runs this test.
begin 'SIGHUP ends it otherwise' ours option=1
with='env --default-signal=HUP'
run
with=
kill -HUP "$watch"
ended
[ $status = 0 ] || fault "status $status"

begin 'one watch uses a folder' ours option=1
run
"$shim" run "$command" watch -d "$tmp/maps" 2>> "$tmp/err" && fault 'another one starts'
has_lines err 'another watch' || fault 'it does not say why'
stop

# As long as one read of the export takes, and a second.
begin 'it ends at once' ours bits=14 generation=1 option=1
record 4000
run --rotate-at never --every never
before=$(date +%s%N)
"$shim" run "$command" show -m /sys/kernel/tracing/stack_map > /dev/null 2>&1
"$shim" run cat /sys/kernel/tracing/stack_map_bin > /dev/null 2>&1
between=$(date +%s%N)
stop
after=$(date +%s%N)
[ $((after - between)) -le $((1000000000 + 4 * (between - before))) ] ||
	fault "the end took $((after - between)) ns, a read $((between - before))"
all_resolve

# ---- kernels that cannot ----

begin 'without generations the map is saved only' 7 bits=10 option=1
record 900
run
tells '^the map: 900 stacks, .*goes on'
complains 'never reset'
stop
has_lines err . 2 && fault 'it is told more than once'
[ "$("$shim" state | sed -n 's/.*entries //p')" = 900 ] || fault 'the map was reset'

begin 'where a reset loses stacks the map is saved only' 8 bits=10 option=1
record 900
run
tells '^generation 1: 900 stacks, .*goes on'
complains 'not reset (but see --pause)'
stop
[ "$("$shim" state | sed -n 's/.*entries //p')" = 900 ] || fault 'the map was reset'
all_resolve

begin 'with a pause it is rotated' 8 bits=10 option=1
record 900
run --pause
tells '^generation 1: 900 stacks, [0-9]* bytes$'
record 5 1000
stop
all_resolve

begin 'a kernel without a stack map is an error' 0
start
ended
[ $status = 2 ] || fault "status $status"
[ "$(wc -l < "$tmp/err")" = 1 ] || fault 'not one line'
[ ! -e "$tmp/maps" ] || fault 'a folder was made'

begin 'a container without /proc is an error' ours proc=no option=1
start
ended
[ $status = 2 ] || fault "status $status"
[ "$(wc -l < "$tmp/err")" = 1 ] || fault 'not one line'

# ---- the bounds of the folder ----

# The name of a file of another boot, the $1-th.
other_boot()
{
	echo "$tmp/maps/2020010${1}T000000Z-00000000-0000-4000-8000-00000000000$1.stackmap"
}

# What it has left. The map is empty then.
save_other_boot()
{
	record 500 "$((1000 * $1))"
	"$shim" run "$command" save -o "$(other_boot "$1")" > /dev/null 2>> "$tmp/err" ||
		fault 'the save of another boot'
	"$shim" run sh -c 'echo 0 > /sys/kernel/tracing/stack_map'
}

# Generations $1 to $2.
rotate()
{
	for nr in $(seq "$1" "$2"); do
		record 5 $((nr * 100))
		kill -USR1 "$watch"
		tells "^generation $nr: .*bytes\$"
	done
}

begin 'what cannot be read costs nothing that can' ours bits=10 generation=1 option=1
mkdir "$tmp/maps"
save_other_boot 2
head -c 200000 /dev/zero > "$(other_boot 1)"
# A store of which nothing is whole behind its header.
{ head -c 32 "$(other_boot 2)"; head -c 200000 /dev/zero; } > "$(other_boot 3)"
run --max-size 100K
rotate 2 4
stop
grep -q '^dropped' "$tmp/out" && fault 'something was dropped'
for nr in 1 2 3; do
	[ -e "$(other_boot $nr)" ] || fault "file $nr is gone"
done
has_lines err 'it stays, and does not count' || fault 'it is not told of'
has_lines err . 2 && fault 'it is told of time and again'
rm "$(other_boot 1)" "$(other_boot 3)"
all_resolve

begin 'the oldest boot goes, and not what cannot be read' ours bits=10 generation=1 option=1
mkdir "$tmp/maps"
save_other_boot 2
save_other_boot 3
head -c 200000 /dev/zero > "$(other_boot 1)"
run --max-size $(($(wc -c < "$(other_boot 2)") + $(wc -c < "$(other_boot 3)") + 50))
rotate 3 5
stop
[ "$(grep -c '^dropped' "$tmp/out")" = 1 ] || fault 'it was not dropped at once'
has_lines out '^dropped the oldest 1 save,' || fault 'not one save was dropped'
[ ! -e "$(other_boot 2)" ] || fault 'the oldest is there'
[ -e "$(other_boot 1)" ] && [ -e "$(other_boot 3)" ] || fault 'another one is gone'

# ---- what goes wrong meanwhile ----

# What it has not looked at yet it does not know.
begin 'others may reset the map' ours bits=10 generation=1 option=1
rm -f "$tmp/looked"
"$shim" at end stack_map_stat - run "touch '$tmp/looked'"
run
until_true [ -e "$tmp/looked" ]
record 5
"$shim" run sh -c 'echo 0 > /sys/kernel/tracing/stack_map'
"$shim" run sh -c 'echo 0 > /sys/kernel/tracing/stack_map'
complains 'generations 1 to 2 are not saved'
stop

begin 'who may read the map only saves it, and is told why once' ours bits=10 generation=1 option=1
"$shim" at -a open stack_map w fail EACCES
"$shim" at -a open stack_map rw fail EACCES
record 900
run
complains 'stack_map: no right to write to it: run as root, or in its group'
for first in 1000 1010; do
	record 10 $first
	stacks=$((900 + first - 990))
	tells "^generation 1: $stacks stacks, .*goes on"
done
stop
has_lines err . 2 && fault 'it is told time and again'
[ "$("$shim" state | sed -n 's/.*entries //p')" = 920 ] || fault 'the map was reset'
all_resolve

# Killed at each of these moments, and started again: all is there that was when it had begun, and
# where it was killed between a reset and the end of its writing, that is told. "reset" and a moment
# is that one after the reset.
killed_at()
{
	while read -r after moment; do
		begin "killed: $after $moment" ours bits=10 generation=3 option=1
		record 900
		kill="kill -9 \$SHIM_PID"
		if [ "$after" = reset ]; then
			rule=$(printf '%s' "'$shim' at $moment run '$kill'")
			"$shim" at before stack_map 0 run "$rule"
		else
			set -f
			"$shim" at $moment run "$kill"
			set +f
		fi
		start
		ended
		if [ $status != 137 ]; then
			fault "not killed: $status"
			continue
		fi
		record 10 1000
		"$shim" rules clear
		run
		stop
		case "$after $moment" in
		'reset fsync'*) ;;
		reset* | *'after stack_map 0')
			has_lines err 'generation 3 is not saved' || fault 'a loss is not told' ;;
		*)
			has_lines err 'is not saved' && fault 'a loss is told of' ;;
		esac
		all_resolve
		reported_is_whole
		[ "$(ls -A "$tmp/maps" | wc -l)" = 1 ] || fault 'something was left over'
	done
}

killed_at <<-MOMENTS
	first opened stack_map_bin r
	first read stack_map_bin 0
	first read stack_map_bin 4096
	first end stack_map_bin -
	first before stack_map 0
	first after stack_map 0
	reset read stack_map_bin 0
	reset read stack_map_bin 4096
	reset end stack_map_bin -
MOMENTS

# ---- what the preloaded library alone plays: a mount that moves, other files ----

[ "${STACKMAP_SHIM_RUN-}" != fuse ] || finish

begin 'tracefs may move' ours bits=10 generation=1 option=1
record 5
run
"$shim" set mount=
complains .
"$shim" set mount=/sys/kernel/debug/tracing
# "can be read again", or "are saved again" where it was just saving
tells ' again$'
record 5 100
stop
all_resolve

# It reads an old file until somebody writes into the fifo, which is when it has ended.
begin 'what ends it does not wait for old maps to be read' ours bits=10 generation=1 option=1
mkdir "$tmp/maps"
save_other_boot 1
record 5
mkfifo "$tmp/go-on"
"$shim" at open '/*/maps/2020*' r run "touch $tmp/reading; read line < $tmp/go-on"
run --max-age 1d
until_true [ -e "$tmp/reading" ]
record 3 100
stop
(: > "$tmp/go-on")
has_lines out '^generation 2: 8 stacks, .*goes on' || fault 'the end is not saved'
rm "$tmp/reading"
record 2 200
"$shim" at open '/*/maps/2*-3f2504e0*' r run "touch $tmp/reading; read line < $tmp/go-on"
start
until_true [ -e "$tmp/reading" ]
stop
(: > "$tmp/go-on")
has_lines out '^generation 2: 10 stacks, .*goes on' || fault 'the end is not saved'
[ "$(ls -A "$tmp/maps" | wc -l)" = 2 ] || fault 'something is left behind'
all_resolve

# By a process that is stopped while it saves. All is still in the kernel.
begin 'a file that another process keeps locked does not hold it up' ours bits=10 generation=1 \
	option=1
run
record 3
kill -USR1 "$watch"
tells '^generation 1: 3 stacks'
mkfifo "$tmp/unlock"
flock "$(file)" sh -c "touch $tmp/locked; read line < $tmp/unlock" &
until_true [ -e "$tmp/locked" ]
record 4 100
kill -TERM "$watch"
ended
[ $status = 2 ] || fault "ended with status $status"
complains 'another process has had it locked for 1 s'
(: > "$tmp/unlock")
wait
run
kill -USR1 "$watch"
tells '^generation 2: 4 stacks'
stop
all_resolve

# Nothing tells how old the ring buffer is: all of this boot stays, and is not read time and again.
begin 'a folder that cannot be made smaller is not read for each save' ours bits=14 generation=1 \
	option=1
echo 'local [tai]' > "$STACKMAP_SHIM/root/trace_clock"
run --max-size 64K --rotate-at never
record 9000
kill -USR1 "$watch"
tells '^generation 1: 9000 stacks, [0-9]* bytes$'
complains 'more than --max-size'
"$shim" at -a open '/*/maps/2*' r run "echo >> $tmp/opened"
rotate 2 9
stop
[ ! -e "$tmp/opened" ] || fault "read $(wc -l < "$tmp/opened") times"
all_resolve

begin 'a full disk costs nothing' ours bits=10 generation=1 option=1
"$shim" at -n 3 write '/*/maps/*' - fail ENOSPC
record 900
run
complains .
record 50 1000
tells 'saved again'
stop
has_lines err . 4 && fault 'it complains time and again'
all_resolve

# A generation of 905 stacks that was reset and can be written nowhere.
keep_in_memory()
{
	run --every never
	record 5
	tells '^generation 1: 5 stacks'
	for files in '/*/maps/*' '/*.stackmap-*'; do
		"$shim" at -a write "$files" - fail ENOSPC
	done
	record 900 100
	complains '905 stacks of it are not written'
}

begin 'what waits in memory is written as soon as that works' ours bits=10 generation=1 option=1
keep_in_memory
kill -USR1 "$watch"
until_true sh -c "'$shim' state | grep -q 'entries 0'"
"$shim" rules clear
tells 'saved again'
has_lines out 'nothing to save' && fault 'it takes it for nothing'
has_lines err 'is not saved' && fault 'it misses what it has'
record 5 2000
stop
[ -z "$(ls "$TMPDIR")" ] || fault 'something is elsewhere'
all_resolve

begin 'what waits in memory needs no tracefs' ours bits=10 generation=1 option=1
keep_in_memory
"$shim" set mount=
"$shim" rules clear
kill -TERM "$watch"
ended
[ $status = 2 ] || fault "ended with status $status"
has_lines out '^generation 1: 905 stacks' || fault 'it is not written'
"$shim" set mount=/sys/kernel/tracing
all_resolve

begin 'where it went elsewhere is told' ours bits=10 generation=1 option=1
run --every never
record 5
tells '^generation 1: 5 stacks'
"$shim" at -n 3 write '/*/maps/*' - fail ENOSPC
record 900 100
complains "generation 1 is in $TMPDIR/.* until it can"
record 5 2000
tells 'saved again'
tells '^generation 2: 5 stacks'
record 5 3000
kill -USR1 "$watch"
complains "what is in $TMPDIR/.* is in .*\.stackmap now"
[ -z "$(ls "$TMPDIR")" ] || fault 'it is still elsewhere'
stop
has_lines err 'is not saved' && fault 'it misses what it has'
all_resolve

killed_at <<-MOMENTS
	first write /*/maps/* 0
	first fsync /*/maps/* -
	first rename /*/maps/* -
	reset write /*/maps/* -
	reset write /*/maps/* 8192
	reset fsync /*/maps/* -
MOMENTS

finish
