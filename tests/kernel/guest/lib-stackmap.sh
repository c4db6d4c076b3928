# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the guest tests of the map, behind lib.sh: its files, stacks on demand, load.
#
# variants: none (it is not a test)

# shellcheck shell=sh disable=SC2034 # for those who source this
map=$tracing/stack_map
bin=$tracing/stack_map_bin
stat=$tracing/stack_map_stat
option=$tracing/options/stackmap
module=/sys/module/stackmap_test/parameters

# Is there a trace-cmd-stackmap? A guest of another architecture than the host's may have none.
has_ours() { command -v trace-cmd-stackmap >/dev/null; }

# field NAME [FILE] - what stack_map_stat, or a copy of it, says of NAME; nothing without a map.
field() { sed -n "s/^$1: //p" "${2-$stat}"; }

# nr_lines PATTERN FILE - grep -c, which does not fail at 0.
nr_lines() { grep -c -e "$1" "$2" || :; }

# Writing that can fail, for refuses. Not printf, which writes again what could not be written.
write_to() { echo "$2" >"$1"; }
write_fd() { eval "echo \"\$2\" >&$1"; }

# The event kmem:kmalloc of the module's leaf alone, with its stack, in the trace array at $1.
trace_leaf() {
	[ -d /sys/module/stackmap_test ] || insmod /lib/modules/stackmap_test.ko
	echo 'call_site.function == stackmap_test_leaf' >"$1/events/kmem/kmalloc/filter"
	echo 1 >"$1/options/stacktrace"
	echo 1 >"$1/events/kmem/kmalloc/enable"
}

deep() { echo "$1" >$module/depth; }
stacks() { echo "$1" >$module/stacks; }

# stacks_below HEAD FILE - the distinct stacks below lines of FILE that match HEAD, one a line.
stacks_below() {
	awk -v head="$1" '
		function end_stack() { if (stack != "") print stack; stack = "" }
		$0 ~ head { end_stack(); wanted = 1; next }
		wanted && /^ => / { stack = stack substr($0, 5) ";"; next }
		{ end_stack(); wanted = 0 }
		END { end_stack() }' "$2" | sort -u
}

# count_trace [DIR] - set $events, $cookies and $full to what the trace holds of each.
count_trace() {
	cp "${1-$tracing}/trace" /tmp/counted
	events=$(nr_lines ' kmalloc: ' /tmp/counted)
	cookies=$(nr_lines '<stack_id [0-9]* gen [0-9]*>$' /tmp/counted)
	full=$(nr_lines '<stack trace>' /tmp/counted)
}

# Work for a CPU, of all kinds that make events, until /tmp/stop is there.
load() {
	while [ ! -e /tmp/stop ]; do
		read -r line </proc/self/stat
		(read -r line </proc/meminfo)
		ls -l /proc/1 >/dev/null
		dd if=/dev/zero of=/tmp/load.$1 bs=4k count=5 2>/dev/null
		: "$(echo through a pipe | cat)"
	done
}

# A task for each CPU, with what is left of it: what the test itself does goes first. stop_load ends
# them.
start_load() {
	rm -f /tmp/stop
	loads=''
	for cpu in 0 1; do
		load $cpu &
		renice 19 -p $! >/dev/null
		loads="$loads $!"
	done
}

stop_load() {
	: >/tmp/stop
	# shellcheck disable=SC2086 # a list
	wait $loads
}

# start_recording OPTION... - trace-cmd record into /tmp/trace.dat, until stop_recording.
start_recording() {
	rm -f /tmp/recording /tmp/recorded
	trace-cmd record -o /tmp/trace.dat "$@" sh -c \
		': >/tmp/recording; while [ ! -e /tmp/recorded ]; do sleep 0.1; done' \
		>/tmp/trace-cmd.log 2>&1 &
	recorder=$!
	wait_for 120 is_recording
}

is_recording() {
	kill -0 $recorder || fail "trace-cmd record: $(cat /tmp/trace-cmd.log)"
	[ -e /tmp/recording ]
}

# The events first: tracing_off, which trace-cmd uses, can come between an event and its stack.
stop_recording() {
	echo 0 >$tracing/events/enable
	: >/tmp/recorded
	wait $recorder || fail "trace-cmd record: $(cat /tmp/trace-cmd.log)"
	mv /tmp/trace.dat .
	cp /tmp/trace-cmd.log .
}
