#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Wherever the power is cut: each generation that was reported as saved is there, whole, and what is
# there of another is whole too.
. "$KERNEL_TESTS/host/lib.sh"
. "$KERNEL_TESTS/host/lib-disk.sh"

if [ "${1-}" != --look ]; then
	cut_power
	exit
fi
bring_back "$2" maps.stackmap
sed -n 's/^saved //p' "$3" >reported
if [ ! -e maps.stackmap ] || ! "$TRACE_CMD_STACKMAP" list -m maps.stackmap | grep -q '^save '; then
	[ ! -s reported ] || fail "nothing there, but reported: $(paste -sd ' ' reported)"
	exit 0
fi
"$TRACE_CMD_STACKMAP" show --json -m maps.stackmap >show.json 2>show.log || [ $? -eq 1 ] ||
	fail "cannot be read: $(cat show.log)"
python3 "$KERNEL_TESTS/host/power-cut.py" reported show.json
# The next save goes through, whatever is left.
"$TRACE_CMD_STACKMAP" import -o maps.stackmap "$(ls maps.[0-9]* | head -n 1)" >import.log 2>&1 ||
	fail "the next save: $(cat import.log)"
