# SPDX-License-Identifier: GPL-2.0-or-later
# import: what it finds, what it writes, what it refuses.
v8=data/good/v8
v7=data/good/v7

# Sizes depend on the release of libzstd.
run_sized()
{
	run "$@" |
		sed -E "s/[0-9]+ in the file/N in the file/; s/in all, [0-9]+ b/in all, N b/
			s/offset [0-9]+, [0-9]+ bytes/offset N, N bytes/"
}

note one export, where the plugin looks for it
run_sized import $v8/sched.stack_map
ls
note appended to, with its origin and its statistics
run_sized import --boot-id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 --release 7.2.13 --machine x86_64 \
	--kernel-version '#1 SMP' $v8/sched.stack_map $v8/sched.stack_map_stat
note several generations
run_sized import -o gens.stackmap $v8/gens.*.stack_map*
run verify -m gens.stackmap | sed -E "s/, [0-9]+ bytes:/, N bytes:/"
note series 4 to 7, text and binary, standard input
run_sized import -o old.stackmap - $v7/gens.2.stack_map_bin < $v7/gens.1.stack_map
note symbols for a binary export
xz -dc $v7/kallsyms.xz > kallsyms
run_sized import --output sym.stackmap $v7/sched.stack_map_bin kallsyms $v7/sched.stack_map_stat
sed 's/^[0-9a-f]*/0000000000000000/' kallsyms > hidden
run_sized import -o hidden.stackmap $v7/sched.stack_map_bin hidden

note records that are not as they should be
head -c 1000 $v8/sched.stack_map > cut
run_sized import -o cut.stackmap cut
{
	cat $v8/sched.stack_map $v8/sched.stack_map
	printf 'stack_id 257 gen 1 ref 1 depth 1\n => other+0x0/0x1\n'
} > twice
run_sized import -o twice.stackmap twice

note nothing to import
: > empty
run import -o none.stackmap empty
run import -o none.stackmap $v8/sched.stack_map_stat
run import -o none.stackmap
run import -o none.stackmap missing
run import -o none.stackmap data
run import -o none.stackmap data/text/prose.txt
run import -o none.stackmap gens.stackmap
run import -o none.stackmap $v8/raw.dat
run import -o none.stackmap - - < empty
run import -o none.stackmap $v8/sched.stack_map $v7/gens.1.stack_map_stat $v7/gens.2.stack_map_stat
run import --boot-id 17 $v8/sched.stack_map
ls none.stackmap 2>&1

note places that take nothing
run import -o - $v8/sched.stack_map
run import -o missing/x.stackmap $v8/sched.stack_map
run import -o data $v8/sched.stack_map
cp data/text/prose.txt other
run import -o other $v8/sched.stack_map
cmp other data/text/prose.txt && echo the other file is untouched
run import -o /dev/full $v8/sched.stack_map
note names that could steer a terminal
cp $v8/sched.stack_map "$(printf 'e\033[2Jvil')"
run_sized import -o "$(printf 's\033[2J')" "$(printf 'e\033[2Jvil')"
run import "$(printf 'm\033[2Jissing')"
note standard output that fails: the maps are saved
"$command" import -o full.stackmap $v8/sched.stack_map > /dev/full
echo "= $?"
run verify -m full.stackmap | sed -E 's/, [0-9]+ bytes:/, N bytes:/'

note faults of an export, and a file that was damaged before
for fault in bin1-be-cut-between-records bin1-trailing text8-cut-in-header; do
	run_sized import -o faulty.stackmap data/bad/$fault > said
	grep -v '^save\|^  ' said
	rm faulty.stackmap
done
"$command" import -o torn.stackmap data/text/map.stack_map > /dev/null
printf 'something else' >> torn.stackmap
run_sized import -o torn.stackmap data/text/map.stack_map
