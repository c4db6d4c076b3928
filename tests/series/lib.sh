# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the tests of kernel-patch's programs: an identity, a folder to work in, a base to
# work on.
#
# shellcheck shell=sh
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_COMMITTER_NAME='A Tester' GIT_COMMITTER_EMAIL=tester@example.org
export GIT_AUTHOR_NAME='A Tester' GIT_AUTHOR_EMAIL=tester@example.org
. "$(dirname "$0")/../kernel/lib.sh"
patches=$top/kernel-patch

# work - go to an empty folder, gone when we end.
work() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	cd "$work" || exit 1
}

# refuses WORDS COMMAND... - it has to fail, with these words.
refuses() {
	words=$1
	shift
	if "$@" >said 2>&1; then
		die "succeeded: $*"
	fi
	grep -qF -- "$words" said || die "does not say '$words': $* said '$(cat said)'"
}

# part_of_base BASE DIR - of that kernel, the files that the mails in series/ change. 77 where
# the source is not at hand: nothing is fetched for this.
part_of_base() {
	source=$cache/source/linux-source-$1
	if [ ! -e "$source/.debian-version" ]; then
		echo "no source of $1 at hand"
		exit 77
	fi
	{ sed -n 's,^--- a/,,p' series/*.patch; echo Makefile; } | sort -u >paths
	while read -r path; do
		mkdir -p "$2/$(dirname "$path")"
		cp "$source/$path" "$2/$path" || die "the series changes $path, which $1 has not"
	done <paths
}
