# SPDX-License-Identifier: GPL-2.0-or-later
# An interrupt while something is saved is told what goes on; a second one gives up.
. "$source_dir/tests/cli/live-world.sh"

once='kill -INT $SHIM_PID'
# The second one once the first was noticed: two at once can be one.
twice="kill -INT \$SHIM_PID; until grep -q again '$tmp/stderr'; do :; done; kill -INT \$SHIM_PID"

world ours generation=7 option=1
record_many 300
live save
cp trace.dat.stackmap before
record_many 300 1000
note once, while it is read: the save goes on
"$shim" at read stack_map_bin 64 run "$once"
live save -o once.stackmap
all_resolve once.stackmap
note twice, before anything is written, and while it is
"$shim" at read stack_map_bin 64 run "$twice"
live save
cmp trace.dat.stackmap before && echo the file is as it was
tracing
"$shim" at fsync '/*/trace.dat.stackmap' - run "$twice"
live save
note a new file
"$shim" at read stack_map_bin 64 run "$twice"
live save -o new.stackmap
ls -A | grep -v '^data$'
note a reset, before it and behind it
"$shim" at before stack_map 0 run "$twice"
live reset -o reset.stackmap
tracing
note series 8
world 8 option=1
record_many 300
"$shim" at read stack_map 4096 run "$twice"
live reset -o eight.stackmap
tracing
live reset -o eight.stackmap
all_resolve eight.stackmap
note ended by a signal that is ignored: not at all
"$shim" at read stack_map 4096 run "kill -HUP \$SHIM_PID"
record_many 300
(trap '' HUP; live save -o nohup.stackmap)
note who reads the messages has gone
world ours generation=7 option=1
record_many 300
"$shim" set kallsyms=hidden
"$shim" at before stack_map 0 run 'sleep 0.2'
"$shim" run sh -c "'$command' reset -o pipe.stackmap; echo \$? > status" 2>&1 | :
until [ -s status ]; do sleep 0.05; done
cat status
all_resolve pipe.stackmap
note killed while tracing is paused: it is switched on all the same
world 8 option=1
record_many 300
live save -o paused.stackmap > /dev/null
record_many 10 1000
"$shim" at fsync '/*/paused.stackmap' - run 'kill -9 $SHIM_PID'
"$shim" run sh -c "'$command' reset --pause -o paused.stackmap; :" > /dev/null 2>&1
tries=0
until "$shim" state | grep -q 'tracing_on: 1' || [ $tries -ge 200 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
tracing
live reset --pause -o paused.stackmap
all_resolve paused.stackmap
tracing
