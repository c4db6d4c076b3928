# SPDX-License-Identifier: GPL-2.0-or-later
# Where something is missing or in the way: one line, and tracing as it was found.
. "$source_dir/tests/cli/live-world.sh"

# All commands say the same.
all_commands()
{
	tracing > "$tmp/before"
	live save -o out.stackmap
	for words in 'reset -o out.stackmap' 'free -o out.stackmap' stat 'show --live' \
			'expand --live' 'watch -d maps'; do
		"$shim" run "$command" $words > "$tmp/stdout" 2> "$tmp/stderr" < /dev/null
		status=$?
		if [ $status -ne 2 ] || [ $(wc -l < "$tmp/stderr") -ne 1 ] ||
				[ -s "$tmp/stdout" ]; then
			echo "$words: status $status"
			sed 's/^/! /' "$tmp/stderr"
		fi
	done
	tracing | cmp - "$tmp/before"
	[ -e out.stackmap ] && echo out.stackmap was made
	[ -e maps ] && echo maps was made
	cat "$STACKMAP_SHIM/mounts" 2> /dev/null
}

fresh()
{
	world ours generation=7 option=1 "$@"
	record_many 10 > /dev/null
}

note not root
fresh uid=1000
"$shim" at -a open '*' - fail EACCES
"$shim" at -a stat '*' - fail EACCES
all_commands
note a member of the group of stack_map: reading is enough for what only reads
fresh
"$shim" at -a open stack_map w fail EACCES
"$shim" at -a open stack_map rw fail EACCES
live save -o group.stackmap
live stat | sed -n 2p
live reset -o group2.stackmap
ls group2.stackmap 2>&1
live reset --no-save
"$shim" set option=0
live free -o group2.stackmap
"$shim" set option=1
tracing
note lockdown
fresh
"$shim" at -a open '*' - fail EPERM
all_commands
note tracing is disabled
fresh
"$shim" at -a open '*' - fail ENODEV
all_commands
note not mounted, and nobody mounts it
fresh mount=
all_commands
note mounted elsewhere, and under debugfs
fresh mount=/mnt/elsewhere
live save -o elsewhere.stackmap
fresh mount=/sys/kernel/debug/tracing
live save -o debug.stackmap
fresh mount=/mnt/debug/tracing
live save -o debug2.stackmap
fresh mount='/mnt/a b/tracing'
live save -o blank.stackmap
note several instances: nothing is made there, nothing goes
fresh
for instance in one two; do
	"$shim" run mkdir /sys/kernel/tracing/instances/$instance
done
live save -o instances.stackmap
live stat | sed -n 2p
live show --live | tail -n 1
live reset -o instances.stackmap
live reset --no-save
"$shim" set option=0
live free --no-save
"$shim" run ls /sys/kernel/tracing/instances
note a kernel without a stack map
world 0
all_commands
note a container without /proc
fresh proc=no
live save -o noproc.stackmap
live stat | sed -n 2p
fresh proc=no mount=
all_commands
note the option is not set, no map, an empty one
world ours
live save -o out.stackmap
live show --live
"$shim" set option=1
live save -o out.stackmap
live reset -o out.stackmap
live show --live
ls out.stackmap 2>&1

note the file
fresh
live save -o missing/out.stackmap
live save -o data
: > empty
live save -o empty
cp data/text/prose.txt other
live save -o other
cmp other data/text/prose.txt
live save -o /dev/full
live save -o "$(printf 'e\033[2Jvil.stackmap')"
mkdir dir
(cd dir && live save -o ../relative.stackmap && live save -o ./../dir/.//here.stackmap &&
	ls -A . ..)
ln -s "$PWD/dir/target.stackmap" link.stackmap
live save -o link.stackmap
live save -o link.stackmap
ls -A dir
note tracefs fails
fresh
record_many 100 100 > /dev/null
for rule in 'read stack_map_bin 1000 fail EIO' 'read stack_map_stat 0 fail EIO' \
		'open stack_map_bin - fail EIO'; do
	"$shim" rules clear
	"$shim" at -a $rule
	live save -o eio.stackmap
	ls eio.stackmap 2> /dev/null
	rm -f eio.stackmap
done
"$shim" rules clear
note interrupted and short reads are none
"$shim" at -n 3 read stack_map_bin - fail EINTR
"$shim" at -a read stack_map_bin - limit 100
live save -o short.stackmap
all_resolve short.stackmap
note a store of another boot: it holds both
"$shim" set boot_id=11111111-2222-4333-8444-555555555555
live save -o short.stackmap
"$command" list short.stackmap | grep -c '^save'
