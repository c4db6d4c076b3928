#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where `meson install` puts the plugin: where stock libtraceevent looks, which is below its own
# libdir whatever our prefix, or in the user's home. SOURCE is the source tree.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

command -v meson >/dev/null || skip "no meson"
libdir=$(pkg-config --variable=libdir libtraceevent)
mkdir "$work/user"

# place OPTION...: the plugin's, with these options of meson setup
place() {
	rm -rf b
	HOME=$work/user meson setup b "${SOURCE:?}" -Dtests=disabled -Dman=disabled "$@" \
		>log 2>&1 || { tail -3 log; return; }
	meson introspect b --installed | grep -o '"[^"]*/plugin_stackmap.so"}*' | tr -d '"}' |
		grep -v "^$work/b/"
}

is "/usr" "$libdir/traceevent/plugins/plugin_stackmap.so" "$(place --prefix=/usr)"
is "/usr/local" "$libdir/traceevent/plugins/plugin_stackmap.so" "$(place --prefix=/usr/local)"
is "the home" "$work/user/.local/lib/traceevent/plugins/plugin_stackmap.so" \
	"$(place "--prefix=$work/user/.local")"
is "a private prefix" /opt/own/lib/traceevent/plugins/plugin_stackmap.so \
	"$(place --prefix=/opt/own --libdir=lib)"
is "by hand" /opt/plugins/plugin_stackmap.so \
	"$(place --prefix=/usr -Dplugindir=/opt/plugins)"

# libtraceevent itself says where it looks.
library=$(ldd "$(command -v trace-cmd)" | awk '/libtraceevent/ { print $3 }')
is "where stock libtraceevent looks" 1 "$(grep -c "$libdir/traceevent/plugins" "$library")"

done_testing
