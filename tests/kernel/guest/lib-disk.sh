# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the guest tests with a disk whose power is cut, behind lib.sh: the disk, and marks for
# host/lib-disk.sh.
#
# variants: none (it is not a test)

# shellcheck shell=sh
# mark WORDS - in a block of its own. It is on the disk when this returns, and nothing else is for
# its sake: the file is as long as it will be and has all its blocks.
marks=0
mark() {
	printf '%-4095s\n' "stackmap mark $1" >/tmp/mark
	dd if=/tmp/mark of=/disk/marks bs=4k seek=$marks oflag=direct conv=notrunc \
		2>/tmp/dd.log || fail "mark: $(cat /tmp/dd.log)"
	marks=$((marks + 1))
}

# begin_disk MARKS - with room for so many.
begin_disk() {
	mkdir -p /disk
	mount -t ext4 /dev/vda /disk || fail 'no disk'
	dd if=/dev/zero of=/disk/marks bs=4k count=$(($1 + 1)) 2>/dev/null
	sync
	# QEMU may be killed from now on
	: >ready
}

end_disk() {
	sync
	mark end
}
