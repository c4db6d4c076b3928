# SPDX-License-Identifier: GPL-2.0-or-later
# The file to save in: a disk that fails, and what comes while it is written.
. "$source_dir/tests/cli/live-world.sh"

fresh()
{
	world ours generation=7 option=1
	record_many 10 > /dev/null
}

note a full disk, one that fails, one that is read-only: first of save, then of reset
for rule in 'write /*/here/* 100 fail ENOSPC' 'fsync /*/here/.stack* - fail EIO' \
		'fsync /*/here - fail EIO' 'open /*/here/*.tmp - fail EROFS' \
		'rename /*/here/disk.stackmap - fail EDQUOT'; do
	note "$rule"
	rm -f disk.stackmap
	fresh
	set -f
	"$shim" at -a $rule
	set +f
	live save -o disk.stackmap
	tracing | grep map:
	live reset -o disk.stackmap
	tracing | grep map:
	ls -A | grep -e disk -e tmp
	rm -f "$tmp"/disk.stackmap.*
done
note the same where a store is
fresh
rm -f disk.stackmap
live save -o disk.stackmap
record_many 100 100
cp disk.stackmap before
"$shim" at -a fsync '/*/disk.stackmap*' - fail ENOSPC
live save -o disk.stackmap
cmp disk.stackmap before && echo as it was
"$shim" rules clear
note series 8: what comes between copy and reset is counted
world 8 option=1
record_many 300
live reset -o eight.stackmap
for more in '' --json; do
	record_many 10
	"$shim" at fsync '/*/eight.stackmap' - run "'$shim' record-many 5 1000 > /dev/null"
	live reset -o eight.stackmap $more
	[ "$more" ] || all_resolve but 5 eight.stackmap
done
