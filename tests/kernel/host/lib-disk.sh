# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the host's parts of the tests whose power is cut, behind lib.sh. With "--look DISK
# MARKS" as its arguments such a part looks at one disk after a cut; without, it makes the cuts.
# POWER_CUTS in the environment: at so many writes, 16 by default.

# shellcheck shell=sh
# bring_back DISK FILE... - the journal, as the kernel would at mount; then these files, here. What
# is not there is not here either.
bring_back() {
	disk=$1
	shift
	e2fsck -fy "$disk" >fsck.log 2>&1 || [ $? -le 1 ] || fail "e2fsck: $(cat fsck.log)"
	for file; do
		rm -f "$file"
		debugfs -R "dump /$file $file" "$disk" >debugfs.log 2>&1
		[ -s "$file" ] || rm -f "$file"
	done
}

cut_power() {
	python3 "$KERNEL_TESTS/cut-power" disk.before disk.log "${POWER_CUTS:-16}" \
		sh "$0" --look >cuts.log 2>&1 ||
		{ tail -n 6 cuts.log | cut -c 1-200; fail 'a cut lost what was saved'; }
	ok "$(tail -n 1 cuts.log)"
}
