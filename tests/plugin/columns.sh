#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The ways of trace-cmd report to lay out an event: with each of them, stock output with the same
# lines below each cookie, which begin in the first column. And those that leave the plugin out.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

map=$DATA/v8/sched.stack_map
recording v8/sched "$map"
recording dbg/mod "$DATA/dbg/mod.stack_map"

for options in '' '-l' '-t' '-l -t' '-t --ts-diff' '--cpu 1' '-q' '-l -q' '-L' '--raw-ts' '-w'; do
	# shellcheck disable=SC2086
	{
		stock $options sched.dat
		report $options sched.dat
	}
	expand "$map" <stock >wanted
	same "report $options" wanted out
	silent "report $options"
done

# -R: the raw field, and the plugin has nothing to say, whatever is missing.
for options in '-R' '-R -l' '-R -t'; do
	rm -f sched.dat.stackmap
	# shellcheck disable=SC2086
	{
		stock $options sched.dat
		report $options sched.dat
	}
	same "report $options" stock out
	silent "report $options"
	is "report $options: cookies" 2636 "$(count 'stack_id: *stack_cookie=')"
done
cp "$map" sched.dat.stackmap

# One event raw, or without its handler.
report -r stack_id sched.dat
is "report -r stack_id" 0 "$(count '^ =>')"
report -n stack_id sched.dat
is "report -n stack_id" 0 "$(count '^ =>')"

# Without plugins.
report -N sched.dat
is "report -N: bare cookies" 2636 "$(count '<stack_id [0-9]* gen 1>$')"
is "report -N: no stack" 0 "$(count '^ =>')"
silent "report -N"
report -N -i sched.dat -i mod.dat
is "report -N, two files: bare cookies" 9283 "$(count '<stack_id [0-9]* gen 1>$')"
is "report -N, two files: no stack" 0 "$(count '^ =>')"
silent "report -N, two files"

# A filter of trace-cmd's drops the cookies, and with them every stack: none is shown below an event
# that it is not of.
report -F 'sched_switch: prev_pid == 53' sched.dat
is "report -F: no stack of a hidden event" 0 "$(count '^ =>')"
is "report -F: the events" 1 "$(($(count sched_switch:) > 0))"

# -q: no hint, no summary.
rm sched.dat.stackmap
stock sched.dat
report -q sched.dat
same "report -q without a map" stock out
silent "report -q without a map"
report sched.dat
is "a hint and a summary without -q" 2 "$(wc -l <err)"
says "the hint" "sched.dat: no saved map: "
says "the summary" "sched.dat: 2636 of 2636 cookies not resolved (no saved map: 2636)"

# No cookie is shown: nothing is said.
report --cpus sched.dat
silent "report --cpus"
report -F 'sched_switch: prev_pid == 53' sched.dat
silent "no cookie is shown"

# Whatever the output goes to.
recording v8/sched "$map"
report sched.dat
head -3 out >wanted
(traced report sched.dat 2>said || true) | head -3 >got
part_ties
same "into head" wanted got
silent "into head"

done_testing
