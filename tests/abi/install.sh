#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# install.sh MESON BUILD PREFIX PLUGINDIR SANITIZE - what `meson install` puts where.
#
# Into a folder of its own (DESTDIR). A program of somebody else has to build with pkg-config
# alone, and nothing may land outside of prefix and plugin folder.
set -eu
meson=$1 build=$2 prefix=$3 plugindir=$4 sanitize=$5
dest=$(mktemp -d)
trap 'rm -rf "$dest"' EXIT

status=0
fault() { echo "$*"; status=1; }

"$meson" install --no-rebuild --quiet -C "$build" --destdir "$dest/root" >"$dest/log" 2>&1 ||
	{ cat "$dest/log"; exit 1; }
root=$dest/root

for file in "$prefix/bin/trace-cmd-stackmap" "$prefix/include/stackmap.h" \
	"$plugindir/plugin_stackmap.so" \
	"$prefix/share/bash-completion/completions/trace-cmd-stackmap"; do
	[ -f "$root$file" ] || fault "$file is not installed"
done
find "$root" ! -type d | sed "s,^$root,," | while read -r file; do
	case $file in
	"$prefix"/* | "$plugindir"/*) ;;
	*) echo "$file" ;;
	esac
done >"$dest/outside"
[ ! -s "$dest/outside" ] || fault "outside of $prefix: $(cat "$dest/outside")"
if grep -rlF -e "$root" -e "$build" "$root$prefix/share"; then
	fault "these name the folder that they were built or installed in"
fi

# Programs and plugin need no library of ours at run time.
for file in "$prefix/bin/trace-cmd-stackmap" "$plugindir/plugin_stackmap.so"; do
	if readelf -d "$root$file" | grep -E 'NEEDED.*libstackmap|R(UN)?PATH'; then
		fault "$file looks for a library of ours"
	fi
done

cat >"$dest/user.c" <<'END'
#include <stackmap.h>
#include <stdio.h>

int main(void)
{
	puts(stackmap_verdict_get_name(STACKMAP_VERDICT_RESOLVED));
	return 0;
}
END
pc=$(dirname "$(find "$root$prefix" -name libstackmap.pc)")
flags=$(PKG_CONFIG_PATH=$pc PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs libstackmap)
if [ "$sanitize" != none ]; then
	flags="$flags -fsanitize=$sanitize"
fi
# The flags are words.
# shellcheck disable=SC2086
cc -o "$dest/user" "$dest/user.c" $flags
said=$(LD_LIBRARY_PATH=$(dirname "$pc") "$dest/user")
[ "$said" = resolved ] || fault "a program that uses the library said '$said'"

exit $status
