#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The front of trace-cmd against stand-ins for the real one, in a PATH of its own.
#
#	front.sh FRONT [SHELL]		SHELL runs the front instead of the one its first line names
set -u

front=$1
shell=${2-}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
timeout=$(command -v timeout)
failed=0
nl='
'

check()
{
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf 'wanted: %s\ngot:    %s\n' "$2" "$3"
		failed=1
	fi
}

# A copy of the front in directory $1, run by $shell where that is given.
install_front()
{
	mkdir -p "$1"
	if [ -n "$shell" ]; then
		{ echo "#!$shell"; tail -n +2 "$front"; } > "$1/trace-cmd"
	else
		cp "$front" "$1/trace-cmd"
	fi
	chmod 755 "$1/trace-cmd"
}

# A program $1 that says that it is $2 and what it was given, each argument in brackets.
install_stand_in()
{
	mkdir -p "${1%/*}"
	cat > "$1" <<-END
	#!/bin/sh
	printf '$2'
	for arg; do
		printf ' [%s]' "\$arg"
	done
	echo
	exit \${STATUS-0}
	END
	chmod 755 "$1"
}

# Runs a command with PATH $1 and nothing else in it.
with_path()
(
	PATH=$1
	export PATH
	shift
	"$@"
)

install_front "$tmp/front"
install_front "$tmp/second"
install_stand_in "$tmp/real/trace-cmd" real
install_stand_in "$tmp/front/trace-cmd-stackmap" ours

# What is handed on.
path=$tmp/front:$tmp/real
check 'all but stackmap goes to the real one' 'real [record] [-e] [sched]' \
	"$(with_path "$path" trace-cmd record -e sched)"
check 'no argument at all' 'real' "$(with_path "$path" trace-cmd)"
check 'stackmap goes to trace-cmd-stackmap, without the word' 'ours [list] [--json]' \
	"$(with_path "$path" trace-cmd stackmap list --json)"
check 'stackmap without more' 'ours' "$(with_path "$path" trace-cmd stackmap)"
check 'stackmap elsewhere is no command' 'real [report] [stackmap]' \
	"$(with_path "$path" trace-cmd report stackmap)"
check 'arguments come through as they are' \
	"real [a  b] [] [*] [\$HOME] [-n] [x${nl}y] [\\n] ['\"]" \
	"$(with_path "$path" trace-cmd 'a  b' '' '*' '$HOME' -n "x${nl}y" '\n' "'\"")"
check 'so they do to stackmap' "ours [a  b] [] [*] [x${nl}y]" \
	"$(with_path "$path" trace-cmd stackmap 'a  b' '' '*' "x${nl}y")"
check 'standard input comes through' 'some text' \
	"$(mkdir "$tmp/catdir" && printf '#!/bin/sh\nexec /bin/cat\n' > "$tmp/catdir/trace-cmd" &&
	   chmod 755 "$tmp/catdir/trace-cmd" &&
	   echo 'some text' | with_path "$tmp/front:$tmp/catdir" trace-cmd)"

# What may leave stacks in the map goes to trace-cmd-stackmap, which is told which one is the real.
cat > "$tmp/front/trace-cmd-stackmap.told" <<'END'
#!/bin/sh
printf '%s %s:' "$TRACE_CMD_REAL" "$0"
printf ' [%s]' "$@"
END
mkdir "$tmp/told"
cp "$tmp/front/trace-cmd" "$tmp/told"
mv "$tmp/front/trace-cmd-stackmap.told" "$tmp/told/trace-cmd-stackmap"
chmod 755 "$tmp/told/trace-cmd-stackmap"
told=$tmp/told:$tmp/real
to="$tmp/real/trace-cmd $tmp/told/trace-cmd-stackmap:"
for name in record start stream profile set; do
	check "$name with stackmap in it" "$to [--front] [$name] [-qTOstackmap] [a  b]" \
		"$(with_path "$told" trace-cmd $name -qTOstackmap 'a  b')"
	check "$name without" "real [$name] [-T]" "$(with_path "$told" trace-cmd $name -T)"
done
check 'extract' "$to [--front] [extract] [-o] [x]" "$(with_path "$told" trace-cmd extract -o x)"
check 'report is left alone' 'real [report] [-O] [stackmap]' \
	"$(with_path "$told" trace-cmd report -O stackmap)"
check 'stackmap record is told' "$to [record] [-T]" \
	"$(with_path "$told" trace-cmd stackmap record -T)"
check 'other commands of stackmap need not be told' " $tmp/told/trace-cmd-stackmap: [list]" \
	"$(with_path "$told" trace-cmd stackmap list)"
check 'without trace-cmd-stackmap all is the real one'\''s' 'real [record] [-O] [stackmap]' \
	"$(with_path "$tmp/second:$tmp/real" trace-cmd record -O stackmap)"
install_stand_in "$tmp/mine/trace-cmd" mine
check 'the real one that the user names' 'mine [report]' \
	"$(TRACE_CMD_REAL=$tmp/mine/trace-cmd with_path "$told" trace-cmd report)"
check 'unless it is a front' 'real [report]' \
	"$(TRACE_CMD_REAL=$tmp/second/trace-cmd with_path "$told" trace-cmd report)"
check 'unless it is not there' 'real [report]' \
	"$(TRACE_CMD_REAL=$tmp/nowhere/trace-cmd with_path "$told" trace-cmd report)"

# Status and signals.
STATUS=42 with_path "$path" trace-cmd report > "$tmp/out"
check 'the exit status is the real one'\''s' 42 $?
STATUS=7 with_path "$path" trace-cmd stackmap > "$tmp/out"
check 'that of stackmap too' 7 $?
mkdir "$tmp/killed"
printf '#!/bin/sh\nkill -TERM $$\n' > "$tmp/killed/trace-cmd"
chmod 755 "$tmp/killed/trace-cmd"
with_path "$tmp/front:$tmp/killed" "$tmp/front/trace-cmd" record 2> "$tmp/err"
check 'death by a signal is seen as such' 143 $?
mkdir "$tmp/pid"
printf '#!/bin/sh\necho $$\n' > "$tmp/pid/trace-cmd"
chmod 755 "$tmp/pid/trace-cmd"
check 'no process stands between' same \
	"$(with_path "$tmp/front:$tmp/pid" /bin/sh -c 'echo $$; exec trace-cmd' |
	   { read -r a; read -r b; [ "$a" ] && [ "$a" = "$b" ] && echo same; })"

# Finding the real one.
check 'another copy of the front is passed over' 'real' \
	"$(with_path "$tmp/front:$tmp/second:$tmp/real" trace-cmd)"
mkdir "$tmp/links"
ln -s "$tmp/second/trace-cmd" "$tmp/links/trace-cmd"
check 'a link to a copy too' 'real' "$(with_path "$tmp/links:$tmp/front:$tmp/real" trace-cmd)"
ln -s "$tmp/front" "$tmp/same"
check 'the own directory under another name too' 'real' \
	"$(with_path "$tmp/front:$tmp/same:$tmp/real" trace-cmd)"
check 'called by its path' 'real' "$(with_path "$tmp/real:$tmp/front" "$tmp/front/trace-cmd")"
check 'called by its path, in no directory of PATH' 'real' \
	"$(with_path "$tmp/real" "$tmp/front/trace-cmd")"
check 'called by a link' 'real' \
	"$(ln -s "$tmp/front/trace-cmd" "$tmp/link" && with_path "$path" "$tmp/link")"
check 'and stackmap is found beside what the link means' 'ours [x]' \
	"$(with_path "$tmp/real" "$tmp/link" stackmap x 2>&1; :)"
mkdir "$tmp/noexec" "$tmp/dir"
echo text > "$tmp/noexec/trace-cmd"
mkdir "$tmp/dir/trace-cmd"
check 'what cannot be run is passed over' 'real' \
	"$(with_path "$tmp/front:$tmp/noexec:$tmp/dir:$tmp/missing:$tmp/real" trace-cmd)"
check 'an empty element means the current directory' 'real' \
	"$(cd "$tmp/real" && with_path "$tmp/front:" trace-cmd)"
check 'so does one in the middle' 'real' \
	"$(cd "$tmp/real" && with_path "$tmp/front::$tmp/missing" trace-cmd)"
install_stand_in "$tmp/a dir/trace-cmd" spaced
check 'directories with blanks' 'spaced' "$(with_path "$tmp/front:$tmp/a dir:$tmp/real" trace-cmd)"
check 'directories with a star' 'star' \
	"$(install_stand_in "$tmp/st*r/trace-cmd" star; with_path "$tmp/front:$tmp/st*r" trace-cmd)"
mkdir "$tmp/wrapper"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$tmp/front/trace-cmd" > "$tmp/wrapper/trace-cmd"
chmod 755 "$tmp/wrapper/trace-cmd"
check 'a wrapper that calls the front is not called back' 'real [x]' \
	"$(with_path "$tmp/wrapper:$tmp/front:$tmp/real" "$timeout" 5 trace-cmd x 2>&1; :)"
mkdir "$tmp/binary"
cp /bin/true "$tmp/binary/trace-cmd"
with_path "$tmp/front:$tmp/binary:$tmp/real" trace-cmd x
check 'a binary is run' 0 $?

# Nothing there.
check 'no real one' \
	"127 trace-cmd: the real trace-cmd is not in PATH, only the front of trace-stackmap" \
	"$(with_path "$tmp/front:$tmp/second:$tmp/links" trace-cmd x > "$tmp/out" 2>&1
	   echo "$? $(cat "$tmp/out")")"
check 'no stackmap' \
	"127 trace-cmd: trace-cmd-stackmap is not installed beside this trace-cmd, nor in PATH" \
	"$(with_path "$tmp/second:$tmp/real" trace-cmd stackmap > "$tmp/out" 2>&1
	   echo "$? $(cat "$tmp/out")")"
install_stand_in "$tmp/elsewhere/trace-cmd-stackmap" elsewhere
check 'stackmap in PATH' 'elsewhere [a]' \
	"$(with_path "$tmp/second:$tmp/elsewhere" trace-cmd stackmap a)"
check 'the one beside it comes first' 'ours [a]' \
	"$(with_path "$tmp/elsewhere:$tmp/front" trace-cmd stackmap a)"

exit $failed
