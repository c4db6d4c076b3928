#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ./demo, the first thing that a newcomer runs: in a tree that nothing was built in, it prints the
# stack below every cookie. SOURCE is the source tree.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

command -v meson >/dev/null || skip "no meson"
mkdir tree
for file in "${SOURCE:?}"/*; do
	case ${file##*/} in
	build*) ;;
	demo) cp "$file" tree/ ;;
	*) ln -s "$file" tree/ ;;
	esac
done
tree/demo >report 2>log || { tail -5 log; exit 1; }

cookies=$(grep -c '<stack_id ' report)
stacks=$(grep -A 1 '<stack_id ' report | grep -c '^ => ')
is "cookies of the recording" 2636 "$cookies"
is "cookies with a stack below" "$cookies" "$stacks"

done_testing
