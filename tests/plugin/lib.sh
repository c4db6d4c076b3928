# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Sourced by the tests of the plugin. They run stock trace-cmd, which finds the plugin through
# TRACEEVENT_PLUGIN_DIR; with a home that is empty, and no TRACE_STACKMAP.
#
# From Meson: PLUGIN (the file), DATA (tests/data/good), PRELOAD (what a plugin built with
# sanitizers needs, else empty).
set -u -o pipefail

: "${PLUGIN:?}" "${DATA:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/plugins"
ln -s "$PLUGIN" "$work/plugins/plugin_stackmap.so"
export HOME=$work/home TRACEEVENT_PLUGIN_DIR=$work/plugins LC_ALL=C
unset TRACE_STACKMAP
cd "$work" || exit 1

failures=0

skip() { echo "skipped: $*"; exit 77; }
command -v trace-cmd >/dev/null || skip "no trace-cmd"

fail() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

# is WHAT WANTED GOT
is() {
	[ "$2" = "$3" ] && return
	fail "$1"
	printf '  wanted: %s\n  got:    %s\n' "$2" "$3" | head -c 2000
}

# says WHAT PATTERN: a line of standard error has it
says() { grep -q -- "$2" err || { fail "$1"; sed 's/^/  /' err; }; }

silent() { [ ! -s err ] || { fail "$1: standard error is not empty"; sed 's/^/  /' err; }; }

# traced ARGUMENT...: stock trace-cmd, which may leak what it likes
traced() { LD_PRELOAD=${PRELOAD-} ASAN_OPTIONS=detect_leaks=0 trace-cmd "$@"; }

# part_ties: what is in the file said goes into err, but that nothing proves a map, which is said of
# every copy that was made by hand, goes into ties
part_ties()
{
	grep 'nothing proves that it is of this trace' said >ties
	grep -v 'nothing proves that it is of this trace' said >err
	true
}

# report ARGUMENT...: trace-cmd report into the files out and err
report()
{
	traced report "$@" >out 2>said || fail "trace-cmd report $*: status $?"
	part_ties
}

# What trace-cmd says without the plugin, also where the system has it installed.
stock() { env -u TRACEEVENT_PLUGIN_DIR trace-cmd report -n stack_id "$@" >stock 2>/dev/null; }

count() { grep -c -- "$1" "${2-out}" || true; }

# recording FOLDER/NAME [MAP...]: NAME.dat here, with the copies of stack_map beside it
recording() {
	local name=${1##*/}

	cp "$DATA/$1.dat" "$name.dat"
	shift
	[ $# -eq 0 ] || cat "$@" >"$name.dat.stackmap"
}

# expand MAP...: standard input with the frames below each cookie, as the copies of stack_map have
# them; a second opinion that shares nothing with the plugin
expand() {
	awk -v nr_maps=$# '
	BEGIN {
		for (i = 1; i <= nr_maps; i++)
			while ((getline line < ARGV[i]) > 0) {
				if (line ~ /^stack_id [0-9]+ gen /) {
					split(line, word, " ")
					key = "<stack_id " word[2] " gen " word[4] ">"
				} else if (line ~ /^stack_id [0-9]+ \[/) {
					split(line, word, " ")
					key = "<stack_id " word[2] ">"
				} else if (line ~ /^ +=> /) {
					stack[key] = stack[key] "\n" line
				} else if (line ~ /^ +\[[0-9]+\] /) {
					sub(/^ +\[[0-9]+\] /, "", line)
					stack[key] = stack[key] "\n => " line
				}
			}
		for (i = 1; i <= nr_maps; i++)
			ARGV[i] = ""
	}
	{
		frames = ""
		if (match($0, /<stack_id [0-9]+( gen [0-9]+)?>$/))
			frames = stack[substr($0, RSTART)]
		print $0 frames
	}' "$@"
}

# Leave the reasons away that expand does not know.
without_reasons() { sed 's/ \[unresolved: .*\]$//' "$1"; }

# same WHAT WANTED GOT: two files
same() { diff "$2" "$3" >diff.out || { fail "$1"; head -6 diff.out; }; }

done_testing() {
	[ $failures -eq 0 ] && echo "all well" && exit 0
	echo "$failures failures"
	exit 1
}
