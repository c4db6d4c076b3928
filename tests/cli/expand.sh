# SPDX-License-Identifier: GPL-2.0-or-later
# expand: which maps, options, input that is none, and how output ends.
m=data/text/map.stack_map
old=data/text/map4.stack_map

note several maps, and a generation that is in none
run expand -m data/good/v8/gens.1.stack_map -m $m data/text/bare.txt
note standard input, named or not
run expand -m $m < data/text/bare.txt
run expand -m $m - < data/text/bare.txt
note a map on standard input
run expand -m - data/text/bare.txt < $m
run expand -m - < $m
note several texts
run expand -m $m data/text/bare.txt data/text/no-last-newline.txt data/text/bare.txt
note the map beside the text
cp data/text/bare.txt text
cp $m text.stackmap
run expand text
TRACE_STACKMAP=data/good/v8/gens.1.stack_map run expand text
unset TRACE_STACKMAP
note no map
rm text.stackmap
run expand text
run expand data/text/no-cookies.txt

note spelling
run expand -m $m --names-only text
run expand -m $m --max-frames 1 text

note no generation in the text
run expand -m $old data/text/no-generation.txt
run expand -m $old < data/text/no-generation.txt
note the map lacks one
run expand -m $old data/text/no-generation-more.txt
note a pipe cannot be read twice
cat data/text/no-generation.txt | run expand -m $old
cat data/text/no-generation-more.txt | run expand -m $old --generation 1
note two maps, the same frames in one slot
sed 's/do_nanosleep/another/' $old > other.stack_map
run expand -m $old -m other.stack_map data/text/no-generation.txt
run expand -m $old -m other.stack_map --generation 2 data/text/no-generation.txt

note no trace
run expand -m $m data/text/prose.txt
run expand -m $m data/text/prose-with-time.txt
: > empty
run expand -m $m empty
run expand -m $m data/good/v8/raw.dat
run expand -m $m data/text/atrace-z.bin
gzip -c data/text/bare.txt > bare.gz
run expand -m $m bare.gz
note nothing there
run expand -m $m missing data/text/bare.txt
run expand -m missing data/text/bare.txt
run expand -m data/text/prose.txt data/text/bare.txt
run expand -m $m data
esc=$(printf 'e\033[2Jvil')
run expand -m "$esc" text
run expand -m $m "$esc"
note usage
run expand --bad
run expand -m
run expand --generation x
run expand --max-frames -1

note output that fails
printf 'to /dev/full\n'
"$command" expand -m $m text > /dev/full
echo "= $?"
texts=$(for i in 1 2 3 4 5 6 7 8 9; do echo data/text/*.txt; done)
"$command" expand -m $m $texts 2>&1 > /dev/full | sort -u
note a reader that goes away
yes '<stack_id 7 gen 1>' | "$command" expand -m $m 2> said | head -n 2
cat said
note what a terminal gets
script -qec true /dev/null >/dev/null || note "there is no terminal to try: is /dev/pts mounted?"
script -qec "'$command' expand -m $m data/text/control.txt data/text/crlf.txt" /dev/null

note a map with a damaged part
"$command" import -o parts.stackmap data/text/map.stack_map > /dev/null
printf 'something else' >> parts.stackmap
printf 'a-1 [000] d..2. 1.000001: stack_id: <stack_id 7 gen 1>\n' > parts
run expand -m parts.stackmap parts
run expand parts
run expand --kallsyms a --kallsyms b -m data/text/map.stack_map data/text/prose.txt
note a map that is named and holds nothing: the one beside the text is not asked
"$command" import -o none.stackmap data/text/map.stack_map > /dev/null
printf XXXX | dd of=none.stackmap bs=1 seek=70 conv=notrunc 2> /dev/null
cp data/text/map.stack_map text.stackmap
run expand -m none.stackmap text
