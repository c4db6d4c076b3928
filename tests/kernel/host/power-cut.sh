#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Wherever the power is cut: each generation that was reported as saved is there, whole, and what is
# there of another is whole too. POWER_CUTS in the environment: at so many writes, 16 by default.
. "$KERNEL_TESTS/host/lib.sh"

# With these arguments it looks at one disk after a cut.
if [ "${1-}" = --look ]; then
	disk=$2 marks=$3
	rm -f after.stackmap
	# The journal is brought in as the kernel would at mount.
	e2fsck -fy "$disk" >fsck.log 2>&1 || [ $? -le 1 ] ||
		fail "e2fsck: $(cat fsck.log)"
	debugfs -R 'dump /maps.stackmap after.stackmap' "$disk" >debugfs.log 2>&1
	sed -n 's/^saved //p' "$marks" >reported
	[ -s after.stackmap ] || {
		[ ! -s reported ] || fail "nothing there, but reported: $(paste -sd " " reported)"
		exit 0
	}
	"$TRACE_CMD_STACKMAP" show --json -m after.stackmap >show.json 2>show.log || [ $? -eq 1 ] ||
		fail "cannot be read: $(cat show.log)"
	exec python3 "$KERNEL_TESTS/host/power-cut.py" reported show.json
fi

cuts=${POWER_CUTS:-16}
python3 "$KERNEL_TESTS/cut-power" disk.before disk.log "$cuts" \
	sh "$0" --look >cuts.log 2>&1 || { tail -n 20 cuts.log; fail 'a cut lost what was saved'; }
ok "$(tail -n 1 cuts.log)"
