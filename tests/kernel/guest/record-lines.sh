#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The two lines that the README begins with, as they stand there, with stock trace-cmd behind the
# front: every cookie has its stack, the trace alone says so, and the map is gone again. Then what
# the recording is told by signals, and rotations while it runs.
#
# boot: cpus=2 mem=1024 timeout=900 append=ftrace_stackmap.bits=10
. ./lib.sh
. ./lib-stackmap.sh
has_ours || skip 'no program of ours for this architecture'

PATH=/usr/local/bin:$PATH
case $(command -v trace-cmd) in
/usr/local/bin/*) ;;
*) fail 'the front is not the first trace-cmd in PATH' ;;
esac
here=$PWD
mkdir /tmp/lines
cd /tmp/lines

# all_shown FILE - in a report, each cookie has a stack below it.
all_shown() {
	cookies=$(nr_lines ' stack_id: ' "$1")
	[ "$cookies" -ge "$2" ] || fail "$1: only $cookies cookies"
	same "$1: cookies with a stack" "$cookies" \
		"$(awk '/ stack_id: / { cookie = 1; next } cookie && /^ => / { n++ } { cookie = 0 }
			END { print n + 0 }' "$1")"
	same "$1: cookies unresolved" 0 "$(nr_lines unresolved "$1")"
}

# The two lines. Ctrl-C is sent by somebody else, to the first process alone.
trace-cmd record -O stackmap -e sched_switch -T >record.log 2>&1 &
recorder=$!
has_stacks() { [ "$(field successes)" -ge 200 ] 2>/dev/null; }
start_load
wait_for 60 has_stacks
stop_load
kill -INT $recorder
status=0
wait $recorder || status=$?
cat record.log
same 'status' 0 $status
trace-cmd report >report 2>report.log
all_shown report 200
same 'files' 'record.log report report.log trace.dat' "$(ls | tr '\n' ' ' | sed 's/ $//')"
same 'the option afterwards' 0 "$(cat "$option")"
same 'the map afterwards' '' "$(cat $map $stat)"
trace-cmd stackmap verify trace.dat || fail 'verify'
cp trace.dat "$here/lines.dat"

# A bad event starts nothing and touches nothing.
echo mine >trace.dat.stackmap
cp trace.dat before.dat
refuses_event() { trace-cmd record -O stackmap -e no:such_event -T; }
refuses 'no:such_event' refuses_event
cmp trace.dat before.dat || fail 'a failed start has changed the trace'
same 'maps that lie there' mine "$(cat trace.dat.stackmap)"
same 'no map' '' "$(cat $stat)"

# Rotations, with a map that is too small. How often it is looked at depends on what a look costs,
# which is a lot in a slow guest: until two have been seen.
cat >/tmp/until-rotated <<'EOF'
stat=$1 generation='' changes=-1 tries=0
while [ $changes -lt 2 ] && [ $tries -lt 600 ]; do
	now=$(sed -n 's/^generation: //p' "$stat")
	[ "$now" = "$generation" ] || changes=$((changes + 1))
	generation=$now
	tries=$((tries + 1))
	sleep 0.5
done
EOF
start_load
trace-cmd record -q -b 8192 --rotate-at 20% -O stackmap -e kmem -e sched -e raw_syscalls -T \
	sh /tmp/until-rotated "$stat" >rotate.log 2>&1 ||
	fail "record with rotations: $(cat rotate.log)"
stop_load
cat rotate.log
trace-cmd stackmap list trace.dat >list
saves=$(grep -c '^save ' list || :)
[ "$saves" -ge 2 ] || fail "only $saves generations: $(cat list)"
ok "$saves generations"
trace-cmd stackmap verify trace.dat >verify || fail "verify: $(cat verify)"
cat verify
same 'the maps of the trace before' mine "$(cat trace.dat.stackmap.old)"
cp trace.dat "$here/rotated.dat"

# -O stackmap and -O nostackmap: the first counts.
trace-cmd record -q -O nostackmap -O stackmap -e sched_switch -T sleep 0.2 >/dev/null 2>&1 ||
	fail 'record -O nostackmap -O stackmap'
trace-cmd report -N -R trace.dat >off 2>/dev/null
same 'nostackmap first: cookies' 0 "$(nr_lines ' stack_id: ' off)"
trace-cmd record -q -O stackmap -O nostackmap -e sched_switch -T sleep 0.2 >/dev/null 2>&1 ||
	fail 'record -O stackmap -O nostackmap'
trace-cmd report -N -R trace.dat >on 2>/dev/null
[ "$(nr_lines ' stack_id: ' on)" -gt 0 ] || fail 'stackmap first: no cookies'
ok 'stackmap first'

# Killed: trace-cmd ends by itself, and the map is still there to be saved.
rm -f trace.dat
trace-cmd record -q -O stackmap -e sched_switch -T >/dev/null 2>&1 &
recorder=$!
wait_for 60 has_stacks
kill -KILL $recorder
wait $recorder 2>/dev/null || :
is_written() { [ -s trace.dat ] && ! pidof trace-cmd >/dev/null; }
wait_for 60 is_written
trace-cmd stackmap verify -m $map trace.dat || fail 'the map is not there any more'
ok 'killed by SIGKILL'
