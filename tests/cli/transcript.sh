#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs commands and compares all that they print with what stands in expect/.
#
#	transcript.sh COMMAND SOURCE_DIR NAME
#
# tests/cli/NAME.sh is read in an empty directory, in which "data" is tests/data. It calls
#
#	run ARGUMENT...		COMMAND with these arguments
#	note WORDS...		a line of its own
#
# What they print goes into one transcript: "$ " and the arguments, standard output as it is, each
# line of standard error behind "! ", and "= STATUS" where that is not 0; control characters are
# made visible, and what newer libraries print is read as tests/tools/as-debian-12 has it. UPDATE=1
# in the environment writes expect/NAME anew, to be looked at before it is committed.
set -u

command=$(realpath "$1")
source_dir=$2
name=$3
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/here" || exit 1
ln -s "$source_dir/tests/data" "$tmp/here/data"
unset TRACE_STACKMAP
LC_ALL=C
TZ=UTC
export LC_ALL TZ

note()
{
	printf '# %s\n' "$*"
}

run()
{
	printf '$ %s\n' "$*"
	"$command" "$@" 2> "$tmp/stderr"
	status=$?
	sed 's/^/! /' "$tmp/stderr"
	[ $status -eq 0 ] || printf '= %d\n' $status
}

cd "$tmp/here" || exit 1
. "$source_dir/tests/cli/$name.sh" > "$tmp/transcript" 2>&1 < /dev/null
cat -v "$tmp/transcript" | "$source_dir/tests/tools/as-debian-12" states > "$tmp/visible"
if [ -n "${UPDATE-}" ]; then
	cp "$tmp/visible" "$source_dir/tests/cli/expect/$name"
fi
diff -u "$source_dir/tests/cli/expect/$name" "$tmp/visible"
