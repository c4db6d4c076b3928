#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A map that only nothing proves to be of the trace: one line, and with proof required no stack.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

map=$DATA/v8/sched.stack_map
recording v8/sched "$map"

unproven='sched.dat.stackmap: nothing proves that it is of this trace (unknown: no release'
report sched.dat
is "one line" 1 "$(grep -c "$unproven" ties)"
silent "nothing else"
report -i sched.dat -i sched.dat
is "one line a trace" 2 "$(grep -c "$unproven" ties)"
report -q sched.dat
is "-q: no line" 0 "$(wc -l <ties)"

refused='> \[unresolved: nothing proves that the saved map is of this trace\]'
report -O stackmap:proof sched.dat
is "the option refuses the map" 2636 "$(count "$refused")"
is "no line for what is not used" 0 "$(wc -l <ties)"
says "they are counted" '2636 of 2636 cookies not resolved'
TRACE_STACKMAP_PROOF=1 report sched.dat
is "so does the environment" 2636 "$(count "$refused")"
TRACE_STACKMAP_PROOF=0 report sched.dat
is "0 is no wish" 0 "$(count "$refused")"

done_testing
