# SPDX-License-Identifier: GPL-2.0-or-later
# resolve: arguments and files that are wrong, outputs that fail.
v8=data/good/v8

note arguments
run resolve --nonsense
run resolve --format
run resolve --format xml
run resolve --generation 4294967296
run resolve -m
run resolve --fo=text --weight x
run resolve --one-line -f json
run resolve -f folded --one-line
run resolve --help | head -n 3
run nonsense
run
note files
run resolve
run resolve missing.dat
: > empty
run resolve empty
run resolve data
run resolve data/README.md
run resolve -m missing $v8/func.dat
run resolve -m data/README.md $v8/func.dat
run resolve --kallsyms missing $v8/func.dat
run resolve -m $v8/func.dat $v8/func.dat
printf 'x' > "$(printf 'e\033[2Jvil')"
run resolve "$(printf 'e\033[2Jvil')"
note cut and damaged
size=$(wc -c < $v8/func.dat)
for len in 5 100 5000 300000 600000 $((size - 1)); do
	head -c $len $v8/func.dat > cut.dat
	run resolve -q cut.dat > out
	tail -n 2 out
done
printf 'compression lzma\ncpu 0\n1000 7 value value=1\n' | "$MKTRACE" made.dat
run resolve made.dat
sed 's/flyrecord/latency  /' $v8/v6.dat > latency.dat
run resolve -m $v8/v6.stack_map latency.dat
note a full disk, a closed output, a reader that has enough
to_full()
{
	printf '$ %s > /dev/full\n' "$*"
	"$command" "$@" > /dev/full
	printf '= %d\n' $?
}

to_full resolve $v8/func.dat
for format in text json folded; do
	to_full resolve -f $format -m $v8/sched.stack_map $v8/sched.dat
done
"$command" resolve -q $v8/func.dat >&-
printf '= %d\n' $?
{
	"$command" resolve -m $v8/gens.1.stack_map $v8/gens.dat 2> said
	echo $? > status
} | head -n 1
cat said status
(
	trap '' PIPE
	"$command" resolve -m $v8/gens.1.stack_map $v8/gens.dat 2> said | head -n 1
	cat said
)
