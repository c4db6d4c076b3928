#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which trace.dat is ours, and which maps are its own.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

sched_map=$DATA/v8/sched.stack_map
mod_map=$DATA/dbg/mod.stack_map
recording v8/sched "$sched_map"
recording dbg/mod "$mod_map"
stock sched.dat && expand "$sched_map" <stock >sched.wanted
stock mod.dat && expand "$mod_map" <stock >mod.wanted

# resolves WHAT ARGUMENT...: sched.dat's stacks come out
resolves() {
	local what=$1
	shift
	report "$@"
	same "$what" sched.wanted out
	silent "$what"
}

resolves "a map beside the file" sched.dat
resolves "a file given by its whole path" -i "$work/sched.dat"
mkdir default
ln sched.dat default/trace.dat
resolves "a file in another folder" -i default/../sched.dat
cp "$sched_map" default/trace.dat.stackmap
cp sched.wanted default/
cd default || exit 1
resolves "trace.dat, without being named"
cd ..

# Addresses, which the symbols of the trace name.
cp "$DATA/v8/sched.dat" bin2.dat
xz -dc "$DATA/v8/kallsyms.xz" >kallsyms
"$SOURCE/tests/tools/describe-map" kallsyms <"$sched_map" | "$MKMAP" bin2-le >bin2.dat.stackmap
resolves "a copy of stack_map_bin, format FSM2" bin2.dat

# Both have generation 1 and share slots with different stacks.
report -i sched.dat -i mod.dat
awk '/^ *[a-z]+\.dat: / { file = $1; sub(/^ *[a-z.]+: /, "") } file { print >file "got" }' out
same "two files: the first" <(grep -v '^cpus' sched.wanted) <(grep -v '^cpus' sched.dat:got)
same "two files: the second" <(grep -v '^cpus' mod.wanted) <(grep -v '^cpus' mod.dat:got)
silent "two files"

# Only one of two has a map: the other one's cookies stay as they are, with one hint.
cp "$DATA/v8/raw.dat" .
report -i sched.dat -i raw.dat
is "one of two files has no map: its cookies" 683 "$(count '^ *raw.dat:.*<stack_id .*>$')"
is "one of two files has no map: stacks" "$(count '^ =>' sched.wanted)" "$(count '^ =>')"
is "one hint" 1 "$(count 'raw.dat: no saved map' err)"
is "no hint for the other" 0 "$(count sched.dat err)"

# The same file twice is one file to give a hint for.
report -i raw.dat -i raw.dat
is "the same file twice: one hint" 1 "$(count 'no saved map: put' err)"

# Symbolic links: the map may lie beside the file or beside the link.
mkdir links
ln -s ../sched.dat links/link.dat
resolves "a link, the map beside its target" links/link.dat
mkdir bare
cp sched.dat bare/bare.dat
ln -s ../bare/bare.dat links/other.dat
cp "$sched_map" links/other.dat.stackmap
resolves "a link, the map beside the link" links/other.dat
resolves "a link, the map beside the link, with -i" -i links/other.dat

# The file goes away, or gets another name, while it is being read.
cp sched.dat gone.dat
cp "$sched_map" gone.dat.stackmap
exec 9<gone.dat
rm gone.dat
resolves "a deleted file, whose map is still there" -i /proc/self/fd/9
cp mod.dat gone.dat
report -i /proc/self/fd/9
is "a deleted file whose place another one has taken: bare" 0 "$(count '^ =>')"
says "a deleted file whose place another one has taken: hint" "no saved map"
exec 9<&-

cp sched.dat before.dat
exec 9<before.dat
mv before.dat after.dat
cp "$sched_map" after.dat.stackmap
resolves "a renamed file" -i /proc/self/fd/9
exec 9<&-

cp sched.dat 'odd (deleted)'
cp "$sched_map" 'odd (deleted).stackmap'
resolves "a file that is named as if it were deleted" -i 'odd (deleted)'

name=$'esc\e[31m.dat'
cp raw.dat "$name"
report -i "$name"
is "control characters of a name stay off the terminal" 0 "$(count $'\e' err)"
says "a name with control characters is told" 'esc\\x1b\[31m.dat'

# An unreadable or wrong map: one line, and the report goes on.
cp raw.dat wrong.dat
head -c 100 /dev/urandom >wrong.dat.stackmap
report wrong.dat
stock wrong.dat
same "a map that is none" stock out
says "a map that is none" "wrong.dat.stackmap"

done_testing
