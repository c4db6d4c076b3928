# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by apply and mkseries: what the series is made of.
#
#   topics/NN-NAME.txt	a patch of the series: its subject, the files that it brings, its message,
#			and below a line "---" the notes that do not go into the history
#   topics/cover-letter.txt	the same for the letter before them
#   BASE/NN-NAME.patch	what it changes in files that the kernel of that base has already
#   src/		the files that it brings, by their path in the kernel; they are the same on
#			every base. Two kinds have their home elsewhere, see source_of().
#
# shellcheck shell=sh
me=${0##*/}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)

selftests=tools/testing/selftests/ftrace/test.d/stackmap

# A repository that we happen to be called from, as by a hook of it, is not ours.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX

die() {
	printf '%s: %s\n' "$me" "$*" >&2
	exit 1
}

# scratch - set $scratch to an empty folder, gone when we end. Git takes it for what it is, even
# where the folder for such things lies in a repository.
scratch() {
	scratch=$(CDPATH='' cd -- "$(mktemp -d)" && pwd -P)
	export GIT_CEILING_DIRECTORIES="${scratch%/*}"
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

bases() {
	(cd "$here" && printf '%s ' [0-9]*.[0-9]*)
}

is_base() {
	case " $(bases)" in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

topics() {
	(cd "$here/topics" && printf '%s\n' [0-9]*.txt) | sed 's/\.txt$//'
}

# field TOPIC NAME - each value that the head of a topic has under NAME.
field() {
	sed -n -e '/^$/q' -e "s/^$2: //p" "$here/topics/$1.txt"
}

message() {
	sed -e '1,/^$/d' -e '/^---$/,$d' "$here/topics/$1.txt"
}

notes() {
	sed -e '1,/^---$/d' "$here/topics/$1.txt"
}

# source_of PATH - where we keep what has that path in the kernel.
source_of() {
	case $1 in
	include/uapi/linux/*) printf '%s\n' "$here/../lib/uapi/${1##*/}" ;;
	"$selftests"/*) printf '%s\n' "$here/selftests/${1##*/}" ;;
	*) printf '%s\n' "$here/src/$1" ;;
	esac
}

# new_files TOPIC - the paths of the files that it brings. A folder stands for all that is in it.
new_files() {
	field "$1" Adds | while read -r path; do
		case $path in
		*/) (cd "$(source_of "$path")" && find . -type f ! -name '.*') |
			sed "s,^\./,$path," | LC_ALL=C sort ;;
		*) printf '%s\n' "$path" ;;
		esac
	done
}

# new_file PATH - the diff that brings it.
new_file() {
	source=$(source_of "$1")
	[ -f "$source" ] || die "there is no $1"
	mkdir -p "$scratch/new/$(dirname "$1")"
	cp "$source" "$scratch/new/$1"
	chmod 644 "$scratch/new/$1"
	# Status 1 says that the two differ
	(cd "$scratch/new" && git diff --no-index --no-color --no-ext-diff --no-textconv \
		--src-prefix=a/ --dst-prefix=b/ -- /dev/null "$1") || [ $? -eq 1 ]
}

# topic_diff BASE TOPIC - all that it does to the kernel of that base.
topic_diff() {
	if [ -f "$here/$1/$2.patch" ]; then
		cat "$here/$1/$2.patch"
	fi
	new_files "$2" >"$scratch/paths"
	while read -r path; do
		new_file "$path"
	done <"$scratch/paths"
}
