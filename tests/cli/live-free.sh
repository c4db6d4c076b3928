# SPDX-License-Identifier: GPL-2.0-or-later
# free: saved first, refused where stacks still come.
. "$source_dir/tests/cli/live-world.sh"

for series in ours 8; do
	note series $series
	world $series generation=7 option=1
	record_many 10
	live free
	"$shim" set option=0
	live free -o "$series.stackmap"
	all_resolve "$series.stackmap"
	tracing
	live free
	"$shim" set option=1
	live free
	"$shim" set option=0
	note a map without a stack
	live free --json
	"$shim" set option=1
	record_many 10
	"$shim" set option=0
	live free --no-save
	ls trace.dat.stackmap 2>&1
done
note somebody reads the map: it is out of use all the same
for series in ours 8; do
	world $series option=1
	record_many 10
	"$shim" set option=0
	mkfifo fifo
	"$shim" hold 1 < fifo > held &
	exec 9> fifo
	while [ ! -s held ]; do :; done
	live free --json -o held.stackmap 9>&-
	exec 9>&-
	wait
	rm fifo held held.stackmap
	tracing
done
note what cannot be saved is not freed
world ours option=1
record_many 10
"$shim" set option=0
live free -o missing/x.stackmap
tracing
note what is saved without its names is not freed
world ours option=1
record_many 5
"$shim" set option=0
"$shim" set kallsyms=hidden
"$shim" at -a read stack_map 0 fail EIO
live free -o unnamed.stackmap
"$shim" rules clear
tracing
note series 7
world 7 option=1
"$shim" set option=0
live free
note usage
live free --no-save -o x
live free x
note a machine that is busy: it is freed when it says so
world 8 option=1
record_many 5
"$shim" set option=0
"$shim" at before stack_map free run 'sleep 0.7'
live free --no-save
tracing
