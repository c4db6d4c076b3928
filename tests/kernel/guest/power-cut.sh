#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Generation after generation is saved on a disk with a journalled file system. Each time that the
# program has said that it is done, a mark is written past every cache. The host cuts the power at
# any write that the disk saw.
#
# variants: none (its cuts take many minutes; run it by name)
# variants: plain
. ./lib.sh
. ./lib-stackmap.sh

turns=24

# mark WORDS - in a block of its own. It is on the disk when this returns, and nothing else is for
# its sake: the file is as long as it will be and has all its blocks.
marks=0
mark() {
	printf '%-4095s\n' "stackmap mark $1" >/tmp/mark
	dd if=/tmp/mark of=/disk/marks bs=4k seek=$marks oflag=direct conv=notrunc \
		2>/tmp/dd.log || fail "mark: $(cat /tmp/dd.log)"
	marks=$((marks + 1))
}

# save GENERATION - rotate the map without loss, and have the old one made durable.
save() {
	exec 3<>$map
	echo 0 >&3 || fail "reset of generation $1"
	cat <&3 >"maps.$1"
	[ -s "maps.$1" ] || fail "no stack in generation $1"
	trace-cmd-stackmap import -o /disk/maps.stackmap "maps.$1" >/tmp/said 2>&1 ||
		fail "import: $(cat /tmp/said)"
	exec 3>&-
}

mkdir -p /disk
mount -t ext4 /dev/vda /disk
dd if=/dev/zero of=/disk/marks bs=4k count=$((turns + 1)) 2>/dev/null
sync
echo 1 >$option
trace_leaf $tracing

turn=0
while [ $turn -lt $turns ]; do
	stacks $((40 + turn * 90))
	generation=$(field generation)
	save "$generation"
	mark "saved $generation"
	turn=$((turn + 1))
done
ok "$turns generations saved"
sync
mark end
