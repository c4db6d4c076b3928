# SPDX-License-Identifier: GPL-2.0-or-later
# resolve: names of tasks are whole, whatever they hold and wherever they are shown.
cat > made.map <<'END'
stack_id 1 gen 1 ref 9 depth 1
 => do_work+0x1/0x2
END
# Each task has one event with a stack; 0 and 99 are not in saved_cmdlines.
cat > body <<'END'
comm 1 "java main"
comm 2 "HDMI polling ta"
comm 3 " leading"
comm 4 "trailing "
comm 5 "[ET_NET 0]"
comm 6 "x [1"
comm 7 "kworker/u8:0-events"
comm 8 ""
comm 9 "  "
comm 10 "two\nlines"
comm 11 "\x1b[2J"
comm 12 "12 13"
comm 14 "a;b"
cpu 0
END
for pid in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 99; do
	printf '+1000 %d value value=%d\n+1 %d stack_id 1 gen 1\n' $pid $pid $pid
done >> body
made()
{
	printf '%s\n' "$@" | cat - body | "$MKTRACE" made.dat
}
comms()
{
	printf '$ resolve -f json%s\n' "${*:+ $*}"
	"$command" resolve -q -f json -m made.map "$@" made.dat |
		sed -n -E 's/.*"pid":([^,]*),("comm":"[^"]*").*"value":.*/\1 \2/p'
}

note the names in every format
made
run resolve -q -m made.map made.dat
comms
run resolve -q -f folded --prefix comm,pid -m made.map made.dat
note the same in every kind of file
comms | tail -n +2 > first
for kind in 'version 6' 'compression zstd' 'endian big' 'long 4'; do
	made "$kind"
	comms | tail -n +2 | cmp first - && echo "$kind"
done
note a filter is compared with the whole name
made
for comm in 'java main' ' leading' 'leading' 'trailing ' 'trailing' '[[]ET_NET 0]' 'x [[]1' ' *' \
	'HDMI*ta' '*[0-9]-*' '<...>'; do
	comms --comm "$comm"
done
note no names in the file
made 'without cmdlines'
run resolve -q --comm '<...>' -m made.map made.dat | tail -n 2
note two files with a name each for one PID
for comm in ' one' ' two'; do
	printf '%s\n' "comm 7 \"$comm\"" 'cpu 0' '1000 7 value value=7' | "$MKTRACE" "$comm.dat"
done
run resolve -q -f json ' one.dat' ' two.dat'
note a name that no one saved, and an event tells
printf '%s\n' 'cpu 0' \
	'1000 7 sched_switch prev_comm="told" prev_pid=7 prev_state=1 next_comm="next" next_pid=8' \
	'+1000 7 stack_id 1 gen 1' '+1000 8 value value=8' | "$MKTRACE" told.dat
run resolve -q -m made.map told.dat
