# SPDX-License-Identifier: GPL-2.0-or-later
# stat: for people and programs, once and time and again.
. "$source_dir/tests/cli/live-world.sh"

for series in 7 8 ours; do
	note series $series
	world $series generation=7
	live stat
	live stat --json
	"$shim" set option=1
	live stat
	record_many 100
	record -n 1000 'vfs_read+0x10/0x100'
	live stat
	live stat --json
done
note full: the map is too small
for series in 8 ours; do
	world $series bits=10 generation=7 option=1
	record_many 2000
	live stat
done
note not too small: recorded in full for another reason
world ours generation=7
"$shim" set option=1
record_many 3 0 1025
record vfs_read+0x10/0x100
live stat
live stat --json
note the option is cleared, the map is there
"$shim" set option=0
live stat
note line by line, over a reset
world 8 option=1
record_many 100
"$shim" at opened stack_map_stat - run "'$shim' record-many 50 1000 > /dev/null"
live stat 10ms 3
live stat --watch --json 10ms 2
"$shim" run "$command" stat 1ms 41 > lines
grep -c generation lines
note usage
live stat 0
live stat 1 x
live stat 1 0
live stat 1 2 3
live stat --top 3
