#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The memory that the largest map takes.
#
# boot: mem=512 append=ftrace_stackmap.bits=18
# variants: plain
. ./lib.sh
. ./lib-stackmap.sh

# What the kernel has allocated as such a map is, of which MemFree would tell less: it takes pages
# that are kept at hand for used.
used_kb() { sed -n 's/^VmallocUsed: *\([0-9]*\) kB/\1/p' /proc/meminfo; }

before=$(used_kb)
echo 1 >"$option"
taken=$(($(used_kb) - before))
same 'capacity' 262144 "$(field capacity)"
memory=$(field memory)
mib=$(awk "BEGIN { printf \"%.2f\", $memory / 1048576 }")
echo "  MiB of a map for 262144 stacks: $mib of at most 28"
[ "$memory" -le $((28 * 1024 * 1024)) ] || fail "$memory bytes"
# Beside it what is taken meanwhile for other ends: up to 68 KiB were seen
[ $taken -ge $((memory / 1024 - 128)) ] && [ $taken -le $((memory / 1024 + 128)) ] ||
	fail "memory says $memory bytes, and $taken KiB are gone"
ok "memory says what is gone, $taken KiB"
