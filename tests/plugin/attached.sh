#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Maps that are attached to a trace: the plugin finds them there, and nobody else is disturbed.
# COMMAND is trace-cmd-stackmap.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

stackmap() { "${COMMAND:?}" "$@" >log 2>&1 || fail "$* : $(cat log)"; }

# undisturbed WHAT ARGUMENT...: stock trace-cmd prints for plain.dat and for full.dat the same,
# with a status that is the same
undisturbed() {
	local what=$1 status
	shift
	env -u TRACEEVENT_PLUGIN_DIR trace-cmd "$@" plain.dat >plain.out 2>plain.err
	status=$?
	env -u TRACEEVENT_PLUGIN_DIR trace-cmd "$@" full.dat >full.out 2>full.err
	is "$what: status" $status $?
	sed -i 's/full\.dat/plain.dat/' full.out full.err
	same "$what" plain.out full.out
	same "$what: standard error" plain.err full.err
}

# written WHAT NAME...: files made of both are the same
written() {
	cmp -s "$2" "$3" || fail "$1: $2 and $3 differ"
}

# look RECORDING MAP...: one recording, as plain.dat and with its maps inside
look() {
	local name=$1 part
	shift
	rm -f ./*.dat ./*.split*
	cp "$DATA/$name.dat" plain.dat
	cp plain.dat full.dat
	stackmap attach full.dat "$@"

	stock plain.dat && expand "$@" <stock >wanted
	report full.dat
	same "$name: stacks show" wanted out
	cp full.dat deleted.dat
	silent "$name"

	undisturbed "$name: report" report -N -i
	undisturbed "$name: report of an interval" report --first-event --last-event -i
	undisturbed "$name: events" report --events -N -i
	undisturbed "$name: hist" hist -N -i
	undisturbed "$name: dump of events" dump --ftrace-events -i
	undisturbed "$name: dump of options" dump --options -i
	for name_of in plain full; do
		traced convert -i $name_of.dat -o $name_of.convert.dat >/dev/null 2>&1
		traced convert -i $name_of.dat -o $name_of.zstd.dat --compression zstd \
			>/dev/null 2>&1
		traced split -i $name_of.dat -o $name_of.split >/dev/null 2>&1
	done
	# Newer ones number the parts only where there are several.
	part=.1
	[ -e plain.split.1 ] || part=
	written "$name: convert" plain.convert.dat full.convert.dat
	written "$name: convert to zstd" plain.zstd.dat full.zstd.dat
	written "$name: split" plain.split"$part" full.split"$part"

	# What they wrote has no maps: attached once more they are there again.
	stackmap attach full.zstd.dat full.dat
	report full.zstd.dat
	same "$name: stacks show in a compressed one" wanted out
	stackmap detach --discard full.zstd.dat
	written "$name: detach from a compressed one" plain.zstd.dat full.zstd.dat
	stackmap detach --discard full.dat
	written "$name: detach" plain.dat full.dat
}

look v7/sched "$DATA/v7/sched.stack_map"
look v8/sched "$DATA/v8/sched.stack_map"
look v8/v6 "$DATA/v8/v6.stack_map"
look dbg/mod "$DATA/dbg/mod.stack_map"

# What lies beside a trace may be of an older one of that name.
cp "$DATA/v8/sched.dat" own.dat
stackmap attach own.dat "$DATA/v8/sched.stack_map"
cp "$DATA/v8/gens.1.stack_map" own.dat.stackmap
stock own.dat && expand "$DATA/v8/sched.stack_map" <stock >wanted
report own.dat
same "attached maps come before those beside" wanted out

done_testing
