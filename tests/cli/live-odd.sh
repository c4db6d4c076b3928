# SPDX-License-Identifier: GPL-2.0-or-later
# What went wrong for others: stale mounts, odd folders, leftovers, files that are no store.
. "$source_dir/tests/cli/live-world.sh"

fresh()
{
	world ours generation=7 option=1 "$@"
	record_many 10 > /dev/null
}

note from within tracefs, the file elsewhere
fresh
here=$PWD
mkdir "$tmp/in"
"$shim" run sh -c "cd /sys/kernel/tracing && exec '$command' save -o '$here/within.stackmap'" | hide
ls within.stackmap
note from within tracefs, where nobody can make a file
"$shim" at -a open '/*/tracing/.stackmap-*' - fail EACCES
for words in save reset; do
	"$shim" run sh -c "cd /sys/kernel/tracing && '$command' $words 2>&1; echo = \$?" | hide
done
tracing | grep map:
note the current folder is read-only, the file elsewhere
fresh
"$shim" at -a open '/*/in/*.tmp' - fail EROFS
(cd "$tmp/in" && live save -o "$here/readonly.stackmap" | sed "s,$here,HERE,")
(cd "$tmp/in" && live save)
ls -A "$tmp/in"
note a saver that was killed at each step, and the next save
for rule in 'write /*/here/.stackmap* -' 'fsync /*/here/.stackmap* -' \
		'rename /*/here/killed.stackmap -'; do
	note "$rule"
	rm -f killed.stackmap
	fresh
	set -f
	"$shim" at $rule run 'kill -9 $SHIM_PID'
	set +f
	"$shim" run sh -c "'$command' save -o killed.stackmap; :" > /dev/null 2>&1
	live save -o killed.stackmap
	all_resolve killed.stackmap
	ls -A | grep stackmap-
done
note empty, zeros, and another format: never written over
fresh
: > empty.stackmap
live save -o empty.stackmap
head -c 4096 /dev/zero > zeros.stackmap
live save -o zeros.stackmap
live reset -o zeros.stackmap
tracing | grep map:
cmp -n 4096 zeros.stackmap /dev/zero
note the same for who reads them
for damaged in empty zeros; do
	for words in list 'list --json' 'verify -m' 'show -m' 'attach trace.dat' \
			'import -o new.stackmap'; do
		cp data/good/v8/sched.dat trace.dat
		run $words $damaged.stackmap
		cmp trace.dat data/good/v8/sched.dat
		ls new.stackmap 2> /dev/null
	done
	cp $damaged.stackmap trace.dat.stackmap
	run attach
	run verify trace.dat
	cmp trace.dat.stackmap $damaged.stackmap
done
rm trace.dat trace.dat.stackmap
note nobody hears what was saved: that is an error, and it is saved
fresh
for words in 'save -o unheard.stackmap' 'reset -o unheard.stackmap' 'reset --no-save' stat; do
	"$shim" run "$command" $words 2>&1 > /dev/full
	echo "$words = $?"
done
all_resolve unheard.stackmap
