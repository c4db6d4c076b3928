#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Generation after generation is saved on a disk with a journalled file system: as it is, then again
# with more in it and reset. Each time that the program has said that it is done, a mark is written
# past every cache. The host cuts the power at any write that the disk saw.
#
# boot: disk=32 timeout=900
# variants: none (its cuts take minutes; run it by name)
. ./lib.sh
. ./lib-stackmap.sh
. ./lib-disk.sh

turns=12
store=/disk/maps.stackmap

# saved GENERATION COMMAND... - run it; then it is marked as saved with so many stacks.
saved() {
	generation=$1
	shift
	stacks=$(nr_lines '^stack_id' "maps.$generation")
	"$@" >/tmp/said 2>&1 || fail "$*: $(cat /tmp/said)"
	mark "saved $generation $stacks"
}

# The copy that the host compares with is whole at every moment.
keep_map() {
	cat $map >maps.new
	mv maps.new "maps.$1"
}

begin_disk $((2 * turns))
echo 1 >$option
trace_leaf $tracing
turn=0
while [ $turn -lt $turns ]; do
	generation=$(field generation)
	stacks $((40 + turn * 90))
	keep_map "$generation"
	saved "$generation" trace-cmd-stackmap save -o $store
	stacks $((60 + turn * 140))
	keep_map "$generation"
	saved "$generation" trace-cmd-stackmap reset -o $store
	turn=$((turn + 1))
done
ok "$turns generations saved twice"
end_disk
