# SPDX-License-Identifier: GPL-2.0-or-later
# expand and show with the map of the running kernel.
. "$source_dir/tests/cli/live-world.sh"
a='vfs_read+0x10/0x100'
b='ksys_read+0x6d/0xf0'

# A line of a trace with cookie $1.
event()
{
	echo "          <idle>-0       [001] d..3. 1.947104: $1"
}

for series in 7 8 ours; do
	note series $series
	world $series generation=7 option=1
	one=$("$shim" record -n 3 -s 17 $a $b)
	event "$one" > trace
	live expand --live trace
	live show --live
	live show --live 17
	live show --live --json
	live expand --live < trace
done
note several texts
live expand --live trace trace
note what comes while the text is read: looked for again
two=$("$shim" record -s 18 $b)
{
	event "$one"
	event "$two"
	echo '    bash-7 [000] ..... 2.0: x: <stack_id 99 gen 7>'
} > trace
mkfifo pipe
"$shim" run "$command" expand --live < pipe > out &
exec 9> pipe
cat trace >&9
until grep -q ksys_read out; do
	kill -0 $! || break
done
event "$("$shim" record -s 19 $a)" | tee -a trace >&9
exec 9>&-
wait
cat out
note with saved maps of generations before
live reset -o old.stackmap
event "$("$shim" record -s 18 $a)" >> trace
live expand --live -m old.stackmap trace
live show --live -m old.stackmap --by-generation
