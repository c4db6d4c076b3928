#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events that lie about themselves. A trace.dat of version 6 has its formats in plain text: the
# field's place is changed there, the length of the text is not.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

recording v8/v6 "$DATA/v8/v6.stack_map"
field='field:u64 stack_cookie;\toffset:8;\tsize:8;\tsigned:0;'

# change NAME OFFSET SIZE: v6.dat with another place for the field
change() {
	local was now
	was=$(printf '%b' "$field")
	now="field:u64 stack_cookie;offset:$2;size:$3;signed:0;"
	while [ ${#now} -lt ${#was} ]; do now="$now "; done
	[ ${#now} -eq ${#was} ] || { fail "$1 cannot be made"; return; }
	WAS=$was NOW=$now perl -0777 -pe 's/\Q$ENV{WAS}\E/$ENV{NOW}/' v6.dat >"$1"
	cmp -s v6.dat "$1" && fail "$1 is not changed"
	cp v6.dat.stackmap "$1.stackmap"
}

# damaged NAME: each cookie is one line that says so
damaged() {
	report "$1"
	is "$1: each event says so" 543 "$(count '<stack_id: the event is damaged>$')"
	is "$1: no stack" 0 "$(count '^ =>')"
	is "$1: one line on standard error" 1 "$(wc -l <err)"
	says "$1" "$1: 543 of 543 cookies not resolved (the event is damaged: 543)"
}

change same.dat 8 8
report same.dat
is "the field where it was, spelled otherwise" 543 "$(count '<stack_id [0-9]* gen 4>$')"
silent "the field where it was"

for offset in 4000 9 16 12; do
	change "at-$offset.dat" $offset 8
	damaged "at-$offset.dat"
done
change size-4.dat 8 4
damaged size-4.dat
change size-0.dat 8 0
damaged size-0.dat
change size-7.dat 8 7
damaged size-7.dat

done_testing
