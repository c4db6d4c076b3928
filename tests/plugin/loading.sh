#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Loaded twice, beside broken libraries, beside other plugins.
# shellcheck source=tests/plugin/lib.sh
. "$(dirname "$0")/lib.sh"

map=$DATA/v8/sched.stack_map
recording v8/sched "$map"
recording dbg/mod "$DATA/dbg/mod.stack_map"
stock sched.dat
expand "$map" <stock >wanted
printf 'cpu 0\n1000 7 value value=1\n' | "$MKTRACE" made.dat
stock made.dat
mv stock wanted-made

works() {
	report sched.dat
	same "$1" wanted out
	silent "$1"
	report -O stackmap:oneline -i sched.dat -i mod.dat
	is "$1: two files in one line" 9283 "$(count '<stack_id [0-9]* gen 1> [^ ]*+0x.* <= ')"
	silent "$1: two files"
}

# Only what libtraceevent asks for is to be seen: it loads plugins RTLD_GLOBAL.
is "exported symbols" "tep_plugin_loader tep_plugin_unloader" \
	"$(nm -D --defined-only "$PLUGIN" | awk '{ print $3 }' | sort | xargs)"

home_plugins=$HOME/.local/lib/traceevent/plugins
mkdir -p "$home_plugins"

ln -s "$PLUGIN" "$home_plugins/plugin_stackmap.so"
works "the same file in two folders"
rm "$home_plugins/plugin_stackmap.so"

cp "$PLUGIN" "$home_plugins/plugin_stackmap.so"
works "a copy in two folders"
rm sched.dat.stackmap
report sched.dat
is "a copy in two folders: one hint" 1 "$(count 'no saved map: put' err)"
is "a copy in two folders: one summary" 1 "$(count 'not resolved' err)"
cp "$map" sched.dat.stackmap

# A copy that is cut off is refused at every length (see plugins/headers-last.py), and named where
# messages are asked for. Without that, ld.so ends with SIGBUS in most of them.
size=$(stat -L -c %s "$PLUGIN")
lengths="0 63 64 500"
[ "$GUARDED" = false ] ||
	lengths="$lengths 1 51 52 65 567 568 569 831 832 833 4095 4096 4097 $((size - 1))
		$(seq 512 512 8192) $(seq 0 $((size / 64 / 512 * 512)) $((size - 1)))"
for len in $lengths; do
	head -c "$len" "$PLUGIN" >"$home_plugins/plugin_stackmap.so"
	report --verbose=warning made.dat
	same "a copy that is cut to $len bytes" wanted-made out
	says "a copy that is cut to $len bytes is named" \
		"could not load plugin.*$home_plugins/*plugin_stackmap.so"
done
works "a copy that is cut to $len bytes"
# Another machine: e_machine says so.
cp "$PLUGIN" "$home_plugins/plugin_stackmap.so"
printf '\xb7\x00' | dd of="$home_plugins/plugin_stackmap.so" bs=1 seek=18 conv=notrunc status=none
[ "$(uname -m)" = aarch64 ] || works "one of another machine"

# libtraceevent names the bad file where its messages are asked for.
report --verbose=warning sched.dat
says "the bad file is named" "could not load plugin.*$home_plugins/*plugin_stackmap.so"
rm "$home_plugins/plugin_stackmap.so"

# Options are listed while the plugin is loaded.
traced list -O >out 2>err
is "options are listed" 7 "$(count 'plugin:.*stackmap')"
traced list -P >out 2>err
is "the plugin is listed" 1 "$(count plugin_stackmap.so)"

done_testing
