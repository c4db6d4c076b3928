# SPDX-License-Identifier: GPL-2.0-or-later
# resolve with filters: a stack follows its event through every one of them.
v8=data/good/v8

"$MKTRACE" made.dat <<'END'
comm 7 "java main"
comm 8 "other"
cpu 0
1000000 7 value value=1
1001000 7 stack_id 1 gen 1
2000000 8 sched_switch prev_comm="other" prev_pid=8 next_comm="x" next_pid=9
2001000 8 stack_id 2 gen 1
3000000 8 value value=3
4000400 7 value value=4
4001000 7 kernel_stack 0xffffffff81000010
missed 5
5000000 7 stack_id 1 gen 1
cpu 1
1500000 7 value value=5
1501000 7 stack_id 3 gen 1
cpu 5
1600000 8 value value=6
1601000 8 stack_id 2 gen 1
END
cat > made.map <<'END'
stack_id 1 gen 1 ref 1 depth 2
 => vfs_read+0x1/0x2
 => ksys_read+0x1/0x2
stack_id 2 gen 1 ref 1 depth 1
 => schedule+0x1/0x2
END

filtered()
{
	run resolve -q -m made.map made.dat "$@"
}

filtered
filtered --event value
filtered --event 'sched:*'
filtered --event 'ftrace:*' --event sched_switch
filtered --pid 8
filtered --pid 1-3,7
filtered --comm 'java*'
filtered --cpu 1,5-9
filtered --time 0.0015..0.002
filtered --time ..0.001
filtered --time 0.004..
filtered --time 0.0040005..
filtered --frame vfs_read
filtered --frame 'sche*' --pid 8
filtered --frame nothing
note in every format
run resolve -q -f json --frame vfs_read -m made.map made.dat
run resolve -q -f folded --comm other -m made.map made.dat
note what a filter on frames hides was still looked at
run resolve --frame vfs_read -m made.map made.dat | tail -n 2
note a real one
for frame in kernel_wait4 'do_*'; do
	run resolve -q --frame "$frame" -m $v8/sched.stack_map $v8/sched.dat | grep -c stack_id:
	run resolve -q -f json --frame "$frame" -m $v8/sched.stack_map $v8/sched.dat |
		grep -c '"cookie"'
	run resolve -q -f folded --frame "$frame" -m $v8/sched.stack_map $v8/sched.dat |
		awk '{ n += $NF } END { print n }'
done
note wrong ones
run resolve --time 5
run resolve --time a..b
run resolve --pid x
run resolve --pid 7,
run resolve --cpu 99999999999
run resolve --pid 9-7
run resolve --cpu 0,5-1
run resolve --time 8..7
run resolve --time 0.2..0.1
run resolve --time ..
run resolve --comm ''
run resolve --event ''
run resolve --frame ''
note names that no event has
filtered --event nosuch --event sched:nosuch --event nosuch:value
filtered --event value --event nosuch --cpu 0
