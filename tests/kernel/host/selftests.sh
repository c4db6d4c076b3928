#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# As many tests passed as the series has, none with another result.
. "$KERNEL_TESTS/host/lib.sh"

folder=$KERNEL_TESTS/../../kernel-patch/selftests
wanted=$(find "$folder" -name '*.tc' | wc -l)
[ "$wanted" -gt 0 ] || fail "no test in $folder"
same 'tests that passed' "$wanted" "$(sed -n 's/^# of passed: *//p' results)"
for result in failed unresolved untested unsupported xfailed; do
	same "tests that are $result" 0 "$(sed -n "s/^# of $result: *//p" results)"
done
