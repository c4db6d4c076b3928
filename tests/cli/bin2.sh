# SPDX-License-Identifier: GPL-2.0-or-later
# stack_map_bin, format FSM2, wherever a map may stand.
v8=data/good/v8

sized()
{
	sed -E 's/[0-9]+ in the file/N in the file/; s/(saves?|in all), [0-9]+ b/\1, N b/
		s/(stacks), [0-9]+ bytes/\1, N bytes/; s/"(bytes|offset)":[0-9]+/"\1":N/g'
}

# make NAME FORMAT: the description of standard input
make()
{
	"$MKMAP" "$2" > "$1"
}

cat > description <<'END'
map gen 1804289383 stext 0xffffffff81000000 closed successes 1338 fallbacks 5
map build-id a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3 header 72
stack 42 ref 1337
	0xffffffff81000048
	[FTRACE TRAMPOLINE]
	0xffffffffc0001010
skip kind 9 size 24
stack 43
	0xffffffff81000050
END
make le bin2-le < description
make be bin2-be < description
cat > kallsyms <<'END'
ffffffff81000000 T _stext
ffffffff81000040 T schedule
ffffffff81000100 T other
ffffffff81000200 T _etext
ffffffffc0001000 t ext4_sync_file	[ext4]
ffffffffc0001080 t ext4_other	[ext4]
END

note as the kernel gave it
run list le be
run list --json be
run show -m le
run show -m be --kallsyms kallsyms
run show -m le --json 1804289383:42
run verify -m le -m be
note cookies of other generations, and slots that it does not have
run show -m le 1804289383:44 1804289384:42 0:42
note in a saved-map file
run import -o a.stackmap le kallsyms | sized
run list a.stackmap | sized
run show -m a.stackmap
run verify -m a.stackmap | sized
note with what its kernel told beside it
printf '%s: %s\n' generation 1804289383 entries 2 capacity 16384 successes 1400 fallbacks 7 \
	arena_used 240 arena_size 1507328 memory 1769472 swapped_out_maps 1 \
	swapped_out_memory 1769472 too_deep 0 no_capacity 3 no_space 4 no_slot 0 no_map 12 \
	not_watching 9 > le_stat
run import -o b.stackmap le le_stat | sized
run list b.stackmap | sized
run list --json b.stackmap | sized
note symbols of another boot
sed 's/ffffffff81/ffffffff82/' kallsyms > moved
run import -o c.stackmap le moved
run show -m le --kallsyms moved --top 1
note a map without stacks, of a kernel of 32 bits
echo map gen 7 32bit capacity 1024 | make empty bin2-be
run list empty
run show -m empty 7:42
run import -o d.stackmap empty | sized
run verify -m d.stackmap | sized
note not complete
for fault in no-trailer be-cut-in-frame trailer-stacks slots-fall trailing frames-wrap version-3; do
	run verify -m data/bad/bin2-$fault
done
run import -o e.stackmap data/bad/bin2-no-trailer | sized
run list e.stackmap | sized

note a recording: the same stacks as from the text
xz -dc $v8/kallsyms.xz > kallsyms
"$DESCRIBE" kallsyms < $v8/sched.stack_map > description
make text text8 < description
cmp text $v8/sched.stack_map
"$command" resolve -m text $v8/sched.dat > wanted
wc -l < wanted
make map bin2-le < description
"$command" resolve -m map $v8/sched.dat | cmp - wanted
run verify -m map $v8/sched.dat
"$command" import -o f.stackmap map kallsyms | tail -n 4 | sized
"$command" resolve -m f.stackmap $v8/sched.dat | cmp - wanted
note and not those of another kernel, generation or boot
make map bin2-be < description
run verify -m map $v8/sched.dat
sed 's/gen 1/gen 2/' description | make map bin2-le
run verify -m map $v8/sched.dat
sed -E 's/^map stext .*/map stext 0xffffffff9ba00000/' description | make map bin2-le
run verify -m map $v8/sched.dat
