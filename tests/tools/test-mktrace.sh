#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What mktrace writes is a trace.dat to others too: stock trace-cmd report shows the events of every
# kind of file, and the same ones whatever the version, byte order and compression.
#
#	test-mktrace.sh MKTRACE
set -eu
mktrace=$1
as_debian_12=$(dirname "$0")/as-debian-12
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

command -v trace-cmd > /dev/null || exit 77

cat > "$dir/events" <<'END'
kallsyms ffffffff81000000 T schedule
kallsyms ffffffff81000100 T vfs_read
kallsyms ffffffff81000200 T _end
comm 7 "java main"
comm 8 "x"
format my:thing 500 u8:a u64:b char:name[16]
cpu 0
1000000 7 sched_switch prev_comm="java main" prev_pid=7 prev_state=1 next_comm="x" next_pid=8
+1000 7 stack_id 42 gen 3
+500000000 8 value value=123456789012
+1000 8 kernel_stack 0xffffffff81000048 0xffffffff81000120
+1000 8 thing a=3 b=0x100000000 name="abc"
padding 40
+1000 8 raw 400 "\x00\x00\x00\x00\x00\x00\x00\x00"
cpu 1
1000500 8 value value=1
missed 3
+1000 8 stack_id 43 gen 2
time-stamp 700000000
+5 8 stack_id 44 gen 2
buffer "inst"
cpu 1
2000000 8 value value=3
END

cat > "$dir/expected" <<'END'
cpus=2
java main-7 [000] 0.001000: sched_switch: prev_comm=java main prev_pid=7 prev_prio=0 prev_state=S ==> next_comm=x next_pid=8 next_prio=0
x-8 [001] 0.001001: value: value=1
java main-7 [000] 0.001001: stack_id: <stack_id 42 gen 3>
CPU:1 [3 EVENTS DROPPED]
x-8 [001] 0.001002: stack_id: <stack_id 43 gen 2>
inst: x-8 [001] 0.002000: value: value=3
x-8 [000] 0.501001: value: value=123456789012
x-8 [000] 0.501002: kernel_stack: => schedule
=> vfs_read
x-8 [000] 0.501003: thing: a=3 b=4294967296 name=abc
x-8 [000] 0.501004: value: value=0
x-8 [001] 0.700000: stack_id: <stack_id 44 gen 2>
END

check() {
	printf '%s\n' "$@" | cat - "$dir/events" | "$mktrace" "$dir/trace.dat"
	# Columns are as wide as the longest name; only what stands in them is compared.
	trace-cmd report -N -i "$dir/trace.dat" 2> "$dir/errors" | "$as_debian_12" flags |
		sed 's/[[:space:]][[:space:]]*/ /g; s/^ //; s/ $//' > "$dir/shown"
	if ! diff -u "$dir/expected" "$dir/shown"; then
		echo "with: $*" >&2
		cat "$dir/errors" >&2
		exit 1
	fi
}

compressions="none zstd"
# Debian's trace-cmd knows zstd only.
! trace-cmd list -c 2> /dev/null | grep -q zlib || compressions="$compressions zlib"

for endian in little big; do
	check "version 6" "endian $endian"
	check "version 0" "endian $endian"
	for compression in $compressions; do
		check "endian $endian" "compression $compression"
		check "endian $endian" "compression $compression" "page 16K" "common 12"
		check "endian $endian" "compression $compression" "without printk uname"
	done
done
