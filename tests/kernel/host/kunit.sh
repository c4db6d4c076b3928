#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What KUnit said, against the cases and suites that stand in the source.
. "$KERNEL_TESTS/host/lib.sh"

source=$KERNEL_TESTS/../../kernel-patch/src/kernel/trace/trace_stackmap_test.c

# Lines of the log are "[ time]     ok 3 name", of a suite without the blanks before "ok".
sed -n 's/^\[[^]]*\] *\(\(not \)\{0,1\}ok [0-9].*\)$/\1/p' dmesg >said
sed -n -e 's/.*KUNIT_CASE[A-Z_]*(\([a-z0-9_]*\)[,)].*/\1/p' \
	-e 's/.*\.name[[:space:]]*= "\(.*\)".*/\1/p' "$source" | LC_ALL=C sort >wanted
[ -s wanted ] || fail "no case in $source"

if grep -e '^not ok' -e '# SKIP' said; then
	grep -B 8 'not ok' dmesg
	fail 'not all passed'
fi
sed 's/^ok [0-9]* //' said | LC_ALL=C sort >passed
diff wanted passed || fail 'wanted <, passed >'
ok "$(wc -l <passed) cases and suites"
