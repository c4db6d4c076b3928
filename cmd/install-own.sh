#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs a file, but never over one that is not ours: ours has the line MARK among its first
# three.
#
#	install-own.sh --is-foreign MARK TARGET		status 0: TARGET is there and not ours
#	install-own.sh MARK MODE SOURCE TARGET		as Meson calls it, with DESTDIR
set -eu

# Something is there that has not the mark.
is_foreign()
{
	[ -e "$2" ] || [ -h "$2" ] || return 1
	[ -f "$2" ] && head -n 3 -- "$2" 2>/dev/null | grep -qxaF -e "$1" && return 1
	return 0
}

if [ "$1" = --is-foreign ]; then
	is_foreign "$2" "$3"
	exit
fi

mark=$1 mode=$2 source=$3 target=$4
place=${DESTDIR:-}$target
# With DESTDIR the files are meant for $target in the end.
for file in "$place" "$target"; do
	if is_foreign "$mark" "$file"; then
		echo "Left out: $file is there and not ours; it stays as it is"
		exit 0
	fi
done
echo "Installing $source to $place"
mkdir -p -- "${place%/*}"
# Not through a link that stands there, and never half-written.
cp -- "$source" "$place.new"
chmod "$mode" -- "$place.new"
mv -f -- "$place.new" "$place"
