# SPDX-License-Identifier: GPL-2.0-or-later
# expand: pieces, long lines and texts that go on slowly.
m=data/text/map.stack_map

# Far less than the line that it is given.
limit_memory()
{
	[ "${SANITIZE:-none}" != none ] || ulimit -v 45000
}

note the pieces in which a text arrives do not matter
cat data/text/*.txt > all
"$command" expand -m $m all > whole 2> /dev/null
for size in 1 7 4096; do
	dd if=all bs=$size 2> /dev/null | "$command" expand -m $m 2> /dev/null |
		cmp - whole && echo same with $size
done
note what was expanded once stays
"$command" expand -m $m data/text/trace.txt > once 2> /dev/null
"$command" expand -m $m once 2> /dev/null | cmp - once && echo same

note a line without end takes no memory
{
	cat data/text/bare.txt
	head -c 50000000 /dev/zero
	printf ' <stack_id 42 gen 1>\n'
	cat data/text/bare.txt
} > long
(limit_memory; "$command" expand -m $m < long > out; echo "= $?")
grep -av '^ => ' out | cmp - long && echo same
grep -ac '^ => ' out
yes 'x <stack_id 42 gen 1' | head -c 50000000 | tr '\n' ' ' > long
(limit_memory; timeout 60 "$command" expand -m $m < long 2> err > out; echo "= $?")
cmp out long && echo same

note a text that goes on slowly is not held back
mkfifo in out.fifo
"$command" expand -m $m < in > out.fifo &
exec 3> in 4< out.fifo
printf '<stack_id 42 gen 1>\n' >&3
for i in 1 2 3 4; do
	IFS= read -r line <&4
	echo "$line"
done
printf '<stack_id 7 gen 1>\n' >&3
for i in 1 2 3; do
	IFS= read -r line <&4
	echo "$line"
done
exec 3>&-
wait $!
echo "= $?"
exec 4<&-
note frames that come late are waited for where the text has them
{
	printf '<stack_id 42 gen 1>\n => as_it_was\n<stack_id 42 gen 1>\n'
	sleep 2
	printf ' => late\n'
} | "$command" expand -m $m
