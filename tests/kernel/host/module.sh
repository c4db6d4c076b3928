#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The names of a module that is gone, from the text and from the addresses with the symbols of then.
. "$KERNEL_TESTS/host/lib.sh"

# import NAME FILE... - make NAME.stackmap of the copies.
import() {
	name=$1
	shift
	"$TRACE_CMD_STACKMAP" import -o "$name.stackmap" --boot-id "$(cat boot_id)" \
		--release "$(cat release)" "$@" >"$name.import" 2>&1 ||
		fail "import $name: $(cat "$name.import")"
}

# resolve NAME - the trace with its stacks, from NAME.stackmap.
resolve() {
	"$TRACE_CMD_STACKMAP" verify -m "$1.stackmap" trace.dat >"$1.verify" ||
		fail "verify $1: $(cat "$1.verify")"
	"$TRACE_CMD_STACKMAP" resolve -q -m "$1.stackmap" trace.dat >"$1.resolved" ||
		fail "resolve $1"
}

import text stack_map stack_map_stat
import bin stack_map_bin kallsyms
resolve text
resolve bin

# 5 allocations below 0, 1, 2, 3 and 40 calls of itself, and the first call.
steps=$((0 + 1 + 2 + 3 + 40 + 5))
place='+0x[0-9a-f]*/0x[0-9a-f]* \[stackmap_test\]$'
for how in text bin; do
	same "$how: innermost frames of the module" 5 \
		"$(grep -c "^ => stackmap_test_leaf$place" $how.resolved)"
	same "$how: frames that call themselves" $steps \
		"$(grep -c "^ => stackmap_test_step$place" $how.resolved)"
	same "$how: frames without a name" 0 "$(grep -c '^ => 0x' $how.resolved || :)"
done
diff text.resolved bin.resolved || fail 'the text <, the addresses >'
ok 'both say the same of every frame'
