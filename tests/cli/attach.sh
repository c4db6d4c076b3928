# SPDX-License-Identifier: GPL-2.0-or-later
# attach and detach: maps go inside a trace and come out again, and what refuses them says why.
v8=data/good/v8

sized()
{
	sed -E 's/[0-9]+ bytes$/N bytes/; s/[0-9]+ in the file/N in the file/
		s/[0-9]+ bytes: whole/N bytes: whole/'
}

# whole FILE: the bytes that it had
whole()
{
	cmp "$v8/gens.dat" "$1" && echo "every byte is there"
}

cp $v8/gens.dat trace.dat
chmod 640 trace.dat
run attach
run attach trace.dat missing
run attach trace.dat $v8/gens.1.stack_map $v8/gens.2.stack_map | sized
run attach trace.dat $v8/gens.2.stack_map | sized
run list | sized
run verify | sized
stat -c %a trace.dat

note the next file takes them from there
cp $v8/gens.dat other.dat
ln -s other.dat link.dat
run attach link.dat trace.dat | sized
run detach link.dat
whole other.dat
run detach other.dat

note what is beside counts for what is not attached
cp $v8/gens.3.stack_map trace.dat.stackmap
run list | sized
run verify | sized
rm trace.dat.stackmap

note back in a file, and into one that has some already
run detach
whole trace.dat
cp trace.dat.stackmap before
run attach trace.dat $v8/gens.3.stack_map | sized
run attach | sized
run detach
run list trace.dat.stackmap | grep -c '^save'
run attach | sized
run detach -o x --discard
run detach --discard
whole trace.dat
run detach --discard

note what cannot be written to
mkfifo fifo
run attach fifo before
run attach . before
run attach missing.dat before
run attach before before
head -c 5000 $v8/gens.dat > cut.dat
run attach cut.dat before
(cat $v8/gens.dat; echo something else) > tail.dat
run attach tail.dat before
exec 9>> trace.dat
run attach trace.dat before
run detach trace.dat
exec 9>&-
run attach trace.dat before extra missing
whole trace.dat

note no trace that maps could lie beside
run attach missing.dat
mkdir folder
run attach folder

note what is attached is damaged: detach says so, and keeps each byte
cp $v8/gens.dat damaged.dat
run attach damaged.dat $v8/gens.1.stack_map | sized
printf '\377' | dd of=damaged.dat bs=1 seek=$(($(stat -c %s damaged.dat) - 100)) conv=notrunc \
	2> /dev/null
cp damaged.dat attached.dat
run detach damaged.dat
cmp damaged.dat $v8/gens.dat
tail -c "$(stat -c %s damaged.dat.stackmap)" attached.dat | cmp - damaged.dat.stackmap
run detach damaged.dat
