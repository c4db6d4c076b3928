#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# window.sh [PICTURE] - a real KernelShark under Xvfb, as an ordinary user (root is greeted with a
# dialog), with the plugin in that user's home, where libtraceevent finds it by itself.
#
# What the window shows can only be seen. So it is asked: KernelShark's text search looks for a
# function in the info column. It marks the row that it finds with its marker's colour, and finds
# none where the map is missing. PICTURE gets the window after the search.
#
# From Meson: PLUGIN, DATA and COMMAND, as tests/plugin/lib.sh has them.
set -u -o pipefail

: "${PLUGIN:?}" "${DATA:?}" "${COMMAND:?}"
picture=${1-}
width=2560 height=760
# In one stack of the recording, which is one row of the table.
function=do_nanosleep
# Marker A, at which a search stands.
marker_colour='#008000'
# Middle of the column's combo box, and of the text field, in a window of this font.
qt5_column_box=(171 293) qt5_text_field=(420 293)
qt6_column_box=(160 270) qt6_text_field=(389 270)

skip() { echo "skipped: $*"; exit 77; }
for program in kernelshark Xvfb xdotool xwd convert setpriv; do
	command -v $program >/dev/null || skip "no $program"
done
[ -z "${PRELOAD-}" ] || skip "built with a sanitizer"

# KernelShark 2.2 is laid out by Qt 5, 2.4 by Qt 6.
column_box=("${qt5_column_box[@]}") text_field=("${qt5_text_field[@]}")
case $(ldd "$(command -v kernelshark)") in
*libQt6*) column_box=("${qt6_column_box[@]}") text_field=("${qt6_text_field[@]}") ;;
esac

work=$(mktemp -d) || exit 1
pids=()
# shellcheck disable=SC2317
cleanup() {
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
chmod 755 "$work"

die() {
	echo "not ok: $*"
	[ ! -f "$work/log" ] || sed 's/^/  /' "$work/log"
	exit 1
}

# An ordinary user: oneself, or nobody.
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

# Without a reset behind the last window, in which it refuses the next one.
start_display() {
	Xvfb -displayfd 3 -screen 0 ${width}x${height}x24 -nolisten tcp -noreset \
		3>"$work/display" 2>"$work/xvfb.log" &
	pids+=($!)
	wait_for 20 test -s "$work/display" || die "Xvfb does not start"
	DISPLAY=:$(cat "$work/display")
	export DISPLAY
}

# start_kernelshark FOLDER: shows FOLDER/sched.dat
start_kernelshark() {
	(cd "$1" && exec "${as_user[@]}" env -i PATH="$PATH" HOME="$1" DISPLAY="$DISPLAY" \
		XDG_RUNTIME_DIR="$1/run" LC_ALL=C kernelshark sched.dat) >"$work/log" 2>&1 &
	kernelshark=$!
	pids+=("$kernelshark")
	wait_for 60 find_window || die "KernelShark shows no window"
	xdotool windowmove "$window" 0 0 windowsize "$window" $width $height
	sleep 2
}

stop_kernelshark() {
	kill "$kernelshark"
	wait "$kernelshark" 2>/dev/null
}

find_window() {
	window=$(xdotool search --onlyvisible --name '^Kernel Shark .sched' | head -1)
	[ -n "$window" ]
}

# search TEXT: in the column "Info"
search() {
	xdotool mousemove "${column_box[@]}" click 1
	sleep 1
	xdotool key End Return
	sleep 1
	xdotool mousemove "${text_field[@]}" click --repeat 3 1
	xdotool type -- "$1"
	xdotool key Return
}

shoot() { xwd -silent -root -out "$1" || die "no picture can be taken"; }

# A row of the table, which fills the lower part, has the marker's colour.
is_marked() {
	local nr

	shoot "$work/now.xwd"
	nr=$(convert "xwd:$work/now.xwd" -crop ${width}x$((height - 320))+0+320 \
		-fill black +opaque "$marker_colour" -fill white -opaque "$marker_colour" \
		-format '%[fx:round(mean*w*h)]' info:) || die "no picture can be read"
	[ "$nr" -gt $width ]
}

finds() {
	search "$1"
	wait_for 60 is_marked || die "$1 is not found $2"
}

# Nothing for a while; that the window still follows, the next search shows.
finds_not() {
	search "$1"
	! wait_for 5 is_marked || die "$1 is found $2"
}

# user_home NAME: with the plugin and the recording
user_home() {
	local home=$work/$1

	mkdir -p "$home/.local/lib/traceevent/plugins" "$home/run" || exit 1
	cp "$PLUGIN" "$home/.local/lib/traceevent/plugins/"
	cp "$DATA/v8/sched.dat" "$home/"
	chmod 700 "$home/run"
	echo "$home"
}

with_map=$(user_home with-map)
without_map=$(user_home without-map)
attached=$(user_home attached)
cp "$DATA/v8/sched.stack_map" "$with_map/sched.dat.stackmap"
"$COMMAND" attach "$attached/sched.dat" "$DATA/v8/sched.stack_map" || die "the map is not attached"
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$with_map" "$without_map" "$attached"

start_display
start_kernelshark "$with_map"
! is_marked || die "a row is marked from the start"
finds_not no_such_function "in the stacks"
finds $function "in the stacks"
[ -z "$picture" ] || convert "xwd:$work/now.xwd" -strip -colors 256 \
	-define png:compression-level=9 "$picture" || die "$picture cannot be written"
stop_kernelshark

start_kernelshark "$without_map"
finds_not $function "without a map"
finds rcu_sched "in the events"
stop_kernelshark

start_kernelshark "$attached"
finds $function "in the stacks, the map being in the trace"
stop_kernelshark
echo "all well"
