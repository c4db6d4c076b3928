#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# "trace-cmd record -O stackmap" through the front, and "trace-cmd stackmap record", with a
# trace-cmd that is played (record-real) and kernels that are (tests/shim).
#
#	record.sh SOURCE_DIR COMMAND SHIM [PLUGIN_DIR]
#
# With PLUGIN_DIR stock trace-cmd reports what was recorded.
set -u

source_dir=$1
command=$(realpath "$2")
SHIM=$(realpath "$3")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tmp=$(realpath "$tmp")
data=$source_dir/tests/data/good/v8
release=7.2.13+
prefix='trace-cmd stackmap record:'
failed=0
unset TRACE_STACKMAP TRACE_CMD_REAL
LC_ALL=C
TRACE=$data/sched.dat STACKS=$data/sched.stack_map REAL_LOG=$tmp/log STACKMAP_SHIM=$tmp/world
ASAN_OPTIONS=verify_asan_link_order=0
export LC_ALL SHIM TRACE STACKS REAL_LOG STACKMAP_SHIM ASAN_OPTIONS

plugin_dir=${4-}
stock=$(command -v trace-cmd) || plugin_dir=''

mkdir "$tmp/front" "$tmp/real" "$tmp/here" "$tmp/var"
TMPDIR=$tmp/var
export TMPDIR
cp "$source_dir/cmd/trace-cmd" "$tmp/front"
ln -s "$command" "$tmp/front/trace-cmd-stackmap"
cp "$source_dir/tests/cli/record-real" "$tmp/real/trace-cmd"
chmod 755 "$tmp/front/trace-cmd" "$tmp/real/trace-cmd"
PATH=$tmp/front:$tmp/real:$PATH
cd "$tmp/here" || exit 1

check()
{
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf 'wanted: %s\ngot:    %s\n' "$2" "$3"
		failed=1
	fi
}

# A kernel of series $1, further settings behind it, and an empty folder to record in.
begin()
{
	rm -rf "$tmp/world" "$tmp/here/"* "$REAL_LOG"
	unset REAL_BEFORE REAL_DURING REAL_AFTER REAL_STATUS
	"$SHIM" setup "$tmp/world" "$1" generation=1 bits=14 || exit 1
	# The kernel that $TRACE is of, whose addresses nobody knows
	if [ -n "$STACKS" ]; then
		sed -i "1s/.*/$release/" "$tmp/world/uname"
		"$SHIM" set kallsyms=hidden
		"$SHIM" set remove=stack_map_bin 2> /dev/null
	fi
	shift
	[ $# -eq 0 ] || "$SHIM" set "$@" || exit 1
}

# trace-cmd as a user calls it; sets $status. What we say is in $said, without what it begins with.
trace_cmd()
{
	"$SHIM" run trace-cmd "$@" > "$tmp/out" 2> "$tmp/err"
	status=$?
	said=$(sed 's/^trace-cmd stackmap[a-z ]*: //' "$tmp/err")
}

# What trace-cmd was given
given()
{
	cat "$REAL_LOG"
}

files()
{
	find . -type f | sed 's,^\./,,' | sort | paste -sd' '
}

# The cookies of a trace by verdict
verdicts()
{
	"$command" verify "$@" 2>&1 | sed -n '/^  tie /d; s/^  //p' | paste -sd,
}
ties()
{
	"$command" verify "$@" 2>&1 | sed -n 's/^  tie //p'
}
all='resolved: 2636, 56 distinct'
maps()
{
	"$SHIM" state | sed -n 's/^map: //p'
}
export REAL_BEFORE='' REAL_DURING='' REAL_AFTER=''

# ---- the two lines ----
begin ours
trace_cmd record -O stackmap -e sched_switch -T
check 'the line: status' 0 $status
check 'the line: trace-cmd gets it as it came' 'record [-O] [stackmap] [-e] [sched_switch] [-T]' \
	"$(given)"
check 'the line: one file' trace.dat "$(files)"
check 'the line: every stack is in it' "$all" "$(verdicts trace.dat)"
check 'the line: the tie' 'proven: trace.dat: recorded with this trace' "$(ties trace.dat)"
if [ -n "$plugin_dir" ]; then
	# Below each cookie its frames
	TRACEEVENT_PLUGIN_DIR=$plugin_dir HOME=$tmp "$stock" report > "$tmp/report" 2> "$tmp/err"
	check 'the other line: every stack is shown' '2636 2636' \
		"$(awk '/ stack_id: / { n++; cookie = 1; next } cookie && /^ => / { shown++ }
			{ cookie = 0 } END { print n + 0, shown + 0 }' "$tmp/report")"
fi
check 'the line: the map is freed' none "$(maps)"
check 'the line: what is said' '1 map with 56 stacks: trace.dat' "$said"

begin ours
trace_cmd stackmap record -q -e sched -T -o x.dat echo -O nostackmap
check 'stackmap record: the option is added' \
	"record [-O] [stackmap] [-q] [-e] [sched] [-T] [-o] [x.dat] [echo] [-O] [nostackmap]" \
	"$(given)"
check 'stackmap record: every stack is in it' "$all" "$(verdicts x.dat)"
check 'stackmap record: -q' '' "$said"
check 'stackmap record: the traced command runs' '-O nostackmap' "$(cat "$tmp/out")"

begin ours option=1
trace_cmd record -O stackmap -e sched_switch
check 'a map that was there stays' 0 "$status"
check 'and is there' 1 "$(maps | grep -c 'entries 56')"

# ---- beside the trace, and what was there before ----
begin ours
echo old > trace.dat.stackmap
echo older > trace.dat.stackmap.old
: > trace.dat
chmod 640 trace.dat
[ "$(id -u)" -ne 0 ] || chown 12:34 trace.dat
trace_cmd record --no-attach -O stackmap -e sched_switch
check 'beside: the option is not handed on' 'record [-O] [stackmap] [-e] [sched_switch]' "$(given)"
check 'beside: all stacks' "$all" "$(verdicts trace.dat)"
check 'beside: the maps before are kept' \
	'trace.dat trace.dat.stackmap trace.dat.stackmap.old trace.dat.stackmap.old.2' "$(files)"
check 'beside: each as it was' 'older old' \
	"$(cat trace.dat.stackmap.old trace.dat.stackmap.old.2 | paste -sd' ')"
check 'beside: owner and mode' "$(stat -c '%a %u %g' trace.dat)" \
	"$(stat -c '%a %u %g' trace.dat.stackmap)"
check 'beside: mode' 640 "$(stat -c %a trace.dat.stackmap)"

# ---- saved again beside it: the copy that was recorded is superseded, then left out ----
for kernel in 8 ours; do
	begin $kernel option=1
	trace_cmd record --no-attach -O stackmap -e sched_switch
	for i in 1 2 3; do
		"$SHIM" run "$command" save -o trace.dat.stackmap > "$tmp/out" 2>&1
		check "$kernel: saved again $i: the tie" \
			'proven: trace.dat.stackmap: recorded with this trace' "$(ties trace.dat)"
	done
	"$command" verify --require-proof trace.dat > "$tmp/out" 2>&1
	check "$kernel: saved again: proven" 0 $?
	check "$kernel: saved again: needless copies are gone" '2 at most' \
		"$("$command" list trace.dat.stackmap | awk '/^save/ { n++ }
			END { print n <= 2 ? "2 at most" : n }')"
done

# ---- trace-cmd fails ----
begin ours
echo old > trace.dat.stackmap
echo trace > trace.dat
REAL_BEFORE='exit 37' trace_cmd record -O stackmap -e nonsense
check 'a start that fails: its status' 37 $status
check 'a start that fails: nothing moved' 'trace.dat trace.dat.stackmap' "$(files)"
check 'a start that fails: nothing said' '' "$said"
check 'a start that fails: no map' none "$(maps)"
REAL_DURING='kill -TERM $$' trace_cmd record -O stackmap -e sched_switch
check 'killed: as it was' 143 $status
check 'killed: nothing moved' 'trace.dat trace.dat.stackmap' "$(files)"
check 'killed: where the stacks are' \
	"no trace was written; the map has its stacks: trace-cmd stackmap save -o FILE" \
	"$(echo "$said" | head -n 1)"
check 'killed: they are' 1 "$(maps | grep -c 'entries 56')"
begin ours
REAL_STATUS=3 trace_cmd record -O stackmap -e sched_switch
check 'a status, and a trace: the status' 3 $status
check 'a status, and a trace: all stacks' "$all" "$(verdicts trace.dat)"

# ---- no map ----
begin 0
trace_cmd record -O stackmap -e sched_switch
check 'no stack map: one line' 1 "$(grep -c 'stack map' "$tmp/err")"
check 'no stack map: no more' 1 "$(wc -l < "$tmp/err")"
check 'no stack map: trace-cmd runs' '0 record [-O] [stackmap] [-e] [sched_switch]' \
	"$status $(given)"
begin 0
trace_cmd stackmap record --no-attach -e sched_switch
check 'no stack map: as it would have' '0 record [-e] [sched_switch]' "$status $(given)"
begin ours
STACKS='' trace_cmd record -O stackmap -e sched_switch
check 'no stack was recorded' \
	'0 no stack was recorded; the option -T records one with each event' "$status $said"
check 'no stack was recorded: no map stays' none "$(maps)"

# ---- where we stay out of the way ----
begin ours
trace_cmd record -e sched_switch -o stackmap true -O stackmap
check 'no option of ours: nothing said' '' "$said"
trace_cmd record -O stackmap -h
trace_cmd record -O nostackmap -O stackmap
trace_cmd record --no-attach -e sched_switch
check 'no option of ours: as it came' \
	"record [-e] [sched_switch] [-o] [stackmap] [true] [-O] [stackmap]
record [-O] [stackmap] [-h]
record [-O] [nostackmap] [-O] [stackmap]
record [--no-attach] [-e] [sched_switch]" "$(given)"
for name in start set stream profile; do
	trace_cmd $name -O stackmap -e sched_switch
	check "$name: one line" '1 1' \
		"$(wc -l < "$tmp/err") $(grep -c 'trace-cmd stackmap save' "$tmp/err")"
	trace_cmd $name -e sched_switch
	check "$name: without it none" '' "$said"
done
begin ours
trace_cmd extract
check 'extract without a map: none' '' "$said"
"$SHIM" set option=1
"$SHIM" record-many 3 > "$tmp/out"
trace_cmd extract -o x
check 'extract: one line' 1 "$(grep -c 'trace-cmd stackmap save' "$tmp/err")"
check 'extract: as it came' 'extract [-o] [x]' "$(given | tail -n 1)"

# ---- the real one, where nobody tells which it is ----
mkdir "$tmp/wrapper"
cat > "$tmp/wrapper/trace-cmd" <<END
#!/bin/sh
echo wrapped >> "$REAL_LOG"
exec "$tmp/front/trace-cmd" "\$@"
END
chmod 755 "$tmp/wrapper/trace-cmd"
begin ours
PATH=$tmp/wrapper:$PATH "$SHIM" run "$command" record -e sched_switch > "$tmp/out" 2>&1
check 'behind the front' 'record [-O] [stackmap] [-e] [sched_switch]' "$(given)"
begin ours
PATH=$tmp/real "$SHIM" run "$command" record -e sched_switch > "$tmp/out" 2>&1
check 'without a front' 'record [-O] [stackmap] [-e] [sched_switch]' "$(given)"
begin ours
PATH=$tmp/front "$SHIM" run "$command" record -e sched_switch > "$tmp/out" 2>&1
check 'none' \
	"2 $prefix trace-cmd is not in PATH; install it, or name it in TRACE_CMD_REAL" \
	"$? $(cat "$tmp/out")"
TRACE_CMD_REAL=$tmp/nowhere "$SHIM" run "$command" record > "$tmp/out" 2>&1
check 'one that cannot be run' \
	"2 $prefix $tmp/nowhere cannot be run: No such file or directory" \
	"$? $(cat "$tmp/out")"

# ---- buffers, remote traces, odd outputs ----
begin ours
trace_cmd record -B one -O stackmap -e sched_switch
check 'a buffer: one line' 1 "$(echo "$said" | grep -c -- '-B one: only the top level')"
check 'a buffer: as it came' 'record [-B] [one] [-O] [stackmap] [-e] [sched_switch]' "$(given)"
begin ours
trace_cmd record -e sched_switch -O stackmap -A guest -O stackmap -e irq
check 'a guest: one line' 1 "$(echo "$said" | grep -c -- '-O stackmap behind guest is the guest')"
check 'a guest: the host has its map' "$all" "$(verdicts trace.dat)"
begin ours
trace_cmd record -A guest -O stackmap -e irq
check 'a guest alone: one line' '0 1' "$status $(echo "$said" | wc -l)"
check 'a guest alone: as it came' 'record [-A] [guest] [-O] [stackmap] [-e] [irq]' "$(given)"
begin ours
trace_cmd record -O stackmap -e sched_switch --daemonize
check 'a daemon: one line' \
	'--daemonize: when it has ended, save the map: trace-cmd stackmap save' "$said"
check 'a daemon: as it came' 'record [-O] [stackmap] [-e] [sched_switch] [--daemonize]' "$(given)"
begin ours
trace_cmd stackmap record -e sched_switch --daemonize
check 'a daemon: the option is added' 'record [-O] [stackmap] [-e] [sched_switch] [--daemonize]' \
	"$(given)"
begin 0
trace_cmd stackmap record -e sched_switch --daemonize
check 'a daemon, where the kernel has no map' \
	'1 line: record [-e] [sched_switch] [--daemonize]' \
	"$(grep -c 'no stack map' "$tmp/err") line: $(given)"
begin ours
trace_cmd record -O stackmap -e sched_switch -V 3:12
check 'to a host: one line' 'the trace is at 3:12, its maps are in trace.stackmap' "$said"
begin ours
echo mine > trace.stackmap
trace_cmd record -O stackmap -e sched_switch -N host:5
check 'remote: one line' 'the trace is at host:5, its maps are in trace.stackmap.2' "$said"
check 'remote: all stacks' "$all" "$(verdicts -m trace.stackmap.2 "$TRACE")"
check 'remote: no tie to a trace that was not seen' consistent \
	"$(ties -m trace.stackmap.2 "$TRACE" | cut -d: -f1)"
check 'remote: nothing written over' mine "$(cat trace.stackmap)"
begin ours
trace_cmd record -O stackmap -e sched_switch -o /dev/null
check 'no file' '0 /dev/null is no file: the map stays in the kernel' "$status $said"
begin ours
trace_cmd stackmap record -e sched_switch -o /dev/null
check 'no file: the option is added' 'record [-O] [stackmap] [-e] [sched_switch] [-o] [/dev/null]' \
	"$(given)"
begin ours
TRACE=$source_dir/README.md trace_cmd record -O stackmap -e sched_switch
check 'a trace that cannot hold maps: they lie beside' 'trace.dat trace.dat.stackmap' "$(files)"
check 'a trace that cannot hold maps: all stacks' "$all" \
	"$(verdicts -m trace.dat.stackmap "$TRACE")"
begin ours
mkdir -p 'a dir/-x'
trace_cmd record -O stackmap -e sched_switch -o 'a dir/-x/t
r.dat'
check 'an odd path' "$all" "$(verdicts 'a dir/-x/t
r.dat')"

# ---- rotation ----
# Records so many stacks, waits until the map has been reset, and records so many more. How long
# that takes depends on what a look at the map costs: with sanitizers, many seconds.
fill='shim record-many $FIRST 0
tries=0
while [ $tries -lt 1200 ] && LD_PRELOAD="" "$SHIM" state | grep -q "entries $FIRST"; do
	sleep 0.05
	tries=$((tries + 1))
done
shim record-many 200 20000'
old_stacks=$STACKS
STACKS='' FIRST=900
export FIRST
begin ours bits=10 generation=5
REAL_DURING=$fill trace_cmd record -O stackmap -e sched_switch
# Without the names of the addresses (a program with sanitizers does not always see the played
# ones) both exports are kept, and that is said.
check 'rotation: in the trace' '0 2 maps with 1100 stacks: trace.dat' \
	"$status $(printf '%s\n' "$said" | grep -v 'addresses cannot be named')"
check 'rotation: freed' none "$(maps)"
check 'rotation: generations' '5 6' \
	"$("$command" list trace.dat | sed -n 's/.*generation \([0-9]*\) .*/\1/p' |
		uniq | paste -sd' ')"
begin ours bits=10 generation=5
# Once the map, as it is by then, was looked at.
looked=$tmp/looked
export looked
other='LD_PRELOAD="" "$SHIM" at end stack_map_stat - run "touch $looked"
tries=0
until [ -e "$looked" ] || [ $tries -eq 1200 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
rm "$looked"
shim run sh -c "echo 0 > /sys/kernel/tracing/stack_map"'
REAL_DURING="shim record-many 300 0; $other" trace_cmd record -O stackmap
check 'reset by another: said, and in the status' '2 1' \
	"$status $(echo "$said" | grep -c '^another program reset the map meanwhile')"
check 'reset by another: nothing else' 1 "$(echo "$said" | wc -l)"
begin ours bits=10 generation=5
REAL_DURING="shim record-many 300 0; $other; shim record-many 5 9000" trace_cmd record -O stackmap
check 'reset by another, and more: said, and in the status' '2 1' \
	"$status $(echo "$said" | grep -c '^another program reset the map meanwhile')"
begin ours bits=10 generation=5
"$SHIM" at -a write '/*stackmap*' 100 fail ENOSPC
until_reset='tries=0
while [ $tries -lt 1200 ] && ! LD_PRELOAD="" "$SHIM" state | grep -q "generation 6"; do
	sleep 0.05
	tries=$((tries + 1))
done'
REAL_DURING="shim record-many 900 0; $until_reset" trace_cmd record -O stackmap
check 'rotated, and nowhere to write: said' '2 1' \
	"$status $(echo "$said" | grep -c '^generation 5 with 900 stacks, which the kernel has no')"
check 'rotated, and nowhere to write: lost' 1 "$(echo "$said" | grep -c '^that is lost; what came')"
begin ours bits=10 generation=5
"$SHIM" at -a write '/*stackmap*' 100 fail ENOSPC
REAL_DURING="shim record-many 900 0; $until_reset; shim rules clear" trace_cmd record -O stackmap
check 'rotated, and written at the end: nothing left' '' "$(ls -A "$tmp/var")"
check 'rotated, and written at the end' '0 1 map with 900 stacks: trace.dat' \
	"$status $(echo "$said" | tail -n 1)"
# It cannot be written to files like $2, which is told as $3, until trace-cmd fails.
rotated_without_trace()
{
	begin ours bits=10 generation=5
	"$SHIM" at -a write "$2" 100 fail ENOSPC
	REAL_DURING="shim record-many 900 0; $until_reset
		until grep -q '$3' $tmp/err; do sleep 0.05; done
		shim rules clear; exit 1" trace_cmd record -O stackmap
	check "$1, and no trace: written all the same" '1 trace.dat.stackmap.new 5 ' \
		"$status $(files) $("$command" list trace.dat.stackmap.new |
			sed -n 's/.*generation \([0-9]*\) .*/\1/p' | uniq) $(ls "$tmp/var")"
	check "$1, and no trace: said" 1 "$(echo "$said" |
		grep -c 'the maps that were rotated are in trace.dat.stackmap.new$')"
}
rotated_without_trace 'rotated, and nowhere to write' '/*stackmap*' 'not written'
rotated_without_trace 'rotated, and saved elsewhere' '/*/here/*stackmap*' 'had to be saved in'
begin ours bits=10 mount=
REAL_BEFORE='shim set mount=/sys/kernel/tracing' REAL_DURING=$fill trace_cmd record -O stackmap
check 'tracefs mounted by trace-cmd: rotated' '0 2 maps with 1100 stacks: trace.dat' \
	"$status $(echo "$said" | tail -n 1)"
begin ours
REAL_DURING='shim record-many 5 0; shim set mount=/mnt/elsewhere' trace_cmd record -O stackmap
check 'tracefs moves meanwhile: saved' '0 1 map with 5 stacks: trace.dat' "$status $said"
begin ours
REAL_DURING='shim record-many 5 0' REAL_AFTER='shim set mount=' trace_cmd record -O stackmap
check 'tracefs is gone at the end: status, and said' '2 1 1' \
	"$status $(echo "$said" | grep -c '^tracefs is not mounted') $(echo "$said" |
		grep -c '^the map is still in the kernel: ')"
"$SHIM" set mount=/sys/kernel/tracing
check 'tracefs is gone at the end: it is' 1 "$(maps | grep -c 'entries 5')"
begin ours
"$SHIM" at -a read stack_map 0 fail EIO
REAL_DURING='shim record-many 5 0; shim set kallsyms=hidden' trace_cmd record -O stackmap
check 'names are lost: said, in the status, and the map stays' '2 1 1' \
	"$status $(echo "$said" | grep -c 'without names for some frames') $(maps |
		grep -c 'entries 5')"
begin ours mount=
trace_cmd record -O stackmap
check 'no tracefs at all: said, and nothing of a map' '1 0' \
	"$(echo "$said" | grep -c 'tracefs is not mounted') $(echo "$said" |
		grep -c 'still in the kernel')"
begin ours bits=10 generation=5
mkdir "$tmp/elsewhere"
"$SHIM" at write '/*/here/*.stackmap.new' - fail ENOSPC
TMPDIR=$tmp/elsewhere REAL_DURING=$fill trace_cmd record -O stackmap -e sched_switch
check 'rotation to a full disk: elsewhere' 1 \
	"$(echo "$said" | grep -c 'a map that was reset had to be saved in')"
check 'rotation to a full disk: all of it is in the trace' '5 6' \
	"$("$command" list trace.dat | sed -n 's/.*generation \([0-9]*\) .*/\1/p' |
		sort -u | paste -sd' ')"
check 'rotation to a full disk: one file' trace.dat "$(files)$(ls -A "$tmp/elsewhere")"
begin ours bits=10
REAL_DURING='shim record-many 900 0; sleep 0.5' trace_cmd record --no-rotate -O stackmap
check 'rotation: not where it is not wanted' '1 map with 900 stacks: trace.dat' "$said"
begin 8 bits=10
REAL_DURING='shim record-many 900 0; sleep 0.5' trace_cmd record --rotate-at 50% -O stackmap
check 'series 8: not rotated' 1 "$(echo "$said" | grep -c '^1 map with 900 stacks: trace.dat')"
check 'series 8: said' 1 "$(echo "$said" | grep -c -- '--rotate-at needs --pause')"
begin 8 bits=10
REAL_DURING='shim record-many 1200 0' trace_cmd record -O stackmap
check 'series 8: a full map' 1 "$(echo "$said" | grep -c 'what did not fit was recorded in full')"
begin 8 bits=10
REAL_DURING=$fill trace_cmd record --rotate-at 50% --pause -O stackmap
check 'series 8: with --pause' '2 maps with 1100 stacks: trace.dat' "$said"
begin 7 bits=10
REAL_DURING='shim record-many 900 0; sleep 0.5' trace_cmd record --pause -O stackmap
check 'series 7: not rotated' 1 "$(echo "$said" | grep -c 'the map is not rotated')"
check 'series 7: saved' 1 "$(echo "$said" | grep -c '^1 map with 900 stacks: trace.dat')"
check 'series 7: never reset' 1 "$(maps | grep -c 'entries 900')"
begin ours bits=10 generation=5
REAL_DURING="$fill; exit 9" trace_cmd record -O stackmap -e sched_switch
check 'rotated, and no trace: status' 9 $status
check 'rotated, and no trace: kept' trace.dat.stackmap.new "$(files)"
check 'rotated, and no trace: said' 1 \
	"$(echo "$said" | grep -c 'the maps that were rotated are in trace.dat.stackmap.new')"
trace_cmd record -O stackmap -e sched_switch
check 'what is left of that is told' 1 \
	"$(echo "$said" | grep -c '^trace.dat.stackmap.new has the maps of a recording')"
check 'and stays' 'trace.dat trace.dat.stackmap.new' "$(files)"
STACKS=$old_stacks

# ---- interrupted, and disks ----
begin ours
echo old > trace.dat.stackmap
"$SHIM" at fsync '/*/here/.stackmap-*' - run 'kill -INT $SHIM_PID'
trace_cmd record -O stackmap -e sched_switch
check 'Ctrl-C while saving: it goes on' "0 $all" "$status $(verdicts trace.dat)"
check 'Ctrl-C while saving: says so' 1 \
	"$(echo "$said" | grep -c '^saving the stack map; interrupt again to give up$')"
check 'Ctrl-C while saving: it came' '' "$("$SHIM" rules)"
begin ours
echo old > trace.dat.stackmap
"$SHIM" at fsync '/*/here/.stackmap-*' - run 'kill -INT $SHIM_PID; sleep 0.2; kill -INT $SHIM_PID'
trace_cmd record -O stackmap -e sched_switch
check 'Ctrl-C twice: status' 2 $status
check 'Ctrl-C twice: the old data' old "$(cat trace.dat.stackmap.old)"
check 'Ctrl-C twice: the map is still there' 1 "$(maps | grep -c 'entries 56')"
check 'Ctrl-C twice: says so' 1 \
	"$(echo "$said" | grep -c '^given up; the map is still in the kernel')"
begin ours
"$SHIM" at fsync '/*/here/trace.dat' - run 'kill -INT $SHIM_PID; sleep 0.2; kill -INT $SHIM_PID'
trace_cmd record -O stackmap -e sched_switch
check 'Ctrl-C twice while attaching: status, and it resolves' "2 $all" \
	"$status $(verdicts trace.dat)"
check 'Ctrl-C twice while attaching: says so' 1 \
	"$(echo "$said" | grep -c '^given up; the maps lie beside the trace$')"
begin ours
"$SHIM" at -a fsync '/*/here/.stackmap-*' - fail ENOSPC
trace_cmd record -O stackmap -e sched_switch
check 'a full disk: status' 2 $status
check 'a full disk: said' 1 "$(echo "$said" | grep -c 'No space left')"
check 'a full disk: the map is still there' 1 "$(maps | grep -c 'entries 56')"

exit $failed
