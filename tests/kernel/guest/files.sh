#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The files of the map, as programs for series 8 of the map know them and as ours need them.
#
# programs: fdop
. ./lib.sh
. ./lib-stackmap.sh

same 'modes' '640 440 440' "$(stat -c %a $map $bin $stat | tr '\n' ' ' | sed 's/ $//')"
same 'no map: nothing to read' '' "$(cat $map $bin $stat)"

trace_leaf $tracing
echo 1 >$option
stacks 300
deep 150
deep 151
# Again, so that refs differ
deep 150
echo 0 >$option

same 'stack_map_stat' 'generation entries capacity successes fallbacks' \
	"$(sed -n '1,5s/: [0-9]*$//p' $stat | tr '\n' ' ' | sed 's/ $//')"
same 'lines that are no "name: number"' 0 "$(grep -vc '^[a-z_]*: [0-9]*$' $stat || :)"
same 'successes' 303 "$(field successes)"
same 'entries' 302 "$(field entries)"

cat $map >stack_map
cat $stat >stack_map_stat
dd if=$bin of=stack_map_bin bs=64k 2>/dev/null
cat /proc/kallsyms >kallsyms
generation=$(field generation)
awk -v gen="$generation" -v entries="$(field entries)" '
	function bad(why) { print "FAIL: line " NR ": " why ": " $0; failed = 1; exit 1 }
	/^stack_id [0-9]+ gen [0-9]+ ref [0-9]+ depth [0-9]+$/ {
		if (frames != depth)
			bad("frames of the stack before: " frames)
		if (NR > 1 && $2 <= slot)
			bad("slots do not rise")
		if ($4 != gen)
			bad("generation")
		slot = $2; depth = $8; frames = 0; records++; refs += $6
		next
	}
	/^ => [^ ]+\+0x[0-9a-f]+\/0x[0-9a-f]+( \[[a-z_]+\])?$/ { frames++; next }
	/^ => (0x[0-9a-f]+|\[FTRACE TRAMPOLINE\])$/ { frames++; next }
	{ bad("no frame") }
	END {
		if (failed)
			exit 1
		if (records != entries || refs != 303 || frames != depth)
			bad(records " records, " refs " uses")
		print "ok: " records " records"
	}' stack_map || exit 1

# By any size of reads the same bytes come.
for size in 1 7 23 24 1000 100000; do
	for file in stack_map stack_map_bin; do
		[ $size -gt 1 ] || [ $file = stack_map_bin ] || continue
		dd if=$tracing/$file bs=$size 2>/dev/null | cmp - $file ||
			fail "$file read by $size"
		ok "$file read by $size"
	done
done

# A read ends where a record does: with its header, where the first stack has no more room.
same 'stack_map_bin, a read of 70 bytes' 64 "$(dd if=$bin bs=70 count=1 2>/dev/null | wc -c)"

# stack_map_bin cannot be sought in; stack_map can, as seq_file does it.
refuses 'Illegal seek' ./fdop pread 64 <$bin
dd if=$map bs=1 skip=1000 count=200 2>/dev/null >/tmp/part
dd if=stack_map bs=1 skip=1000 count=200 2>/dev/null | cmp - /tmp/part ||
	fail 'stack_map from 1000 on'
ok 'stack_map from 1000 on'

for text in 1 '' ' ' reset 00 0x0 -0 fre freed 'free free' 12345678 '0 0' '0       0' 'free   0'; do
	refuses 'Invalid argument' write_to $map "$text"
done
with_nul() { printf '0\0' | dd of=$map 2>&1; }
refuses 'Invalid argument' with_nul
too_much() { seq 1 5000 | dd of=$map bs=16k iflag=fullblock 2>&1; }
refuses 'Invalid argument' too_much
same 'nothing changed' "$(cat stack_map_stat)" "$(cat $stat)"
for text in ' 0' '0 ' 'free '; do
	echo "$text" >$map || fail "'$text' is refused"
done
same 'freed' '' "$(cat $map $bin $stat)"
