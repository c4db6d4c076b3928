#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# install-own.sh puts a file only where nothing or one of ours stands.
#
#	install-own.sh SCRIPT FRONT
set -u

script=$1
front=$2
mark='# Front of trace-cmd, part of trace-stackmap.'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

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

install()
{
	DESTDIR=${DESTDIR-} "$script" "$mark" 755 "$front" "$1" > "$tmp/out" 2>&1
	echo $?
}

is_ours()
{
	cmp -s "$front" "$1" && [ -x "$1" ] && echo ours
}

target=$tmp/usr/bin/trace-cmd
check 'into an empty place' 0 "$(install "$target")"
check 'it is the front' ours "$(is_ours "$target")"
check 'nothing else is left there' trace-cmd "$(ls "$tmp/usr/bin")"
echo '# an older one' >> "$target"
check 'over an older one of ours' 0 "$(install "$target")"
check 'it is the new one' ours "$(is_ours "$target")"

printf '#!/bin/sh\necho real\n' > "$target"
check 'over another' 0 "$(install "$target")"
check 'the other stays' 'real' "$(sh "$target")"
check 'and that is said' \
	"Left out: $target is there and not ours; it stays as it is" "$(cat "$tmp/out")"
cp /bin/true "$target"
check 'over a binary' 0 "$(install "$target")"
check 'the binary stays' same "$(cmp -s /bin/true "$target" && echo same)"
rm "$target"
ln -s nowhere "$target"
check 'over a link that leads nowhere' 0 "$(install "$target")"
check 'the link stays' nowhere "$(readlink "$target")"
rm "$target"
cp "$front" "$tmp/copy"
ln -s "$tmp/copy" "$target"
check 'over a link to one of ours' 0 "$(install "$target")"
check 'the link is replaced' 'ours no link' \
	"$(is_ours "$target") $([ -h "$target" ] || echo no link)"
rm "$target"
mkdir "$target"
check 'over a directory' 0 "$(install "$target")"
check 'the directory stays empty' '' "$(ls "$target")"
rmdir "$target"

DESTDIR=$tmp/stage
export DESTDIR
check 'into a staging directory' 0 "$(install /nowhere/bin/trace-cmd)"
check 'it is there' ours "$(is_ours "$tmp/stage/nowhere/bin/trace-cmd")"
check 'with another where it is meant to go in the end' 0 "$(install /bin/true)"
check 'it is left out' "Left out: /bin/true is there and not ours; it stays as it is" \
	"$(cat "$tmp/out")"
check 'and not there' '' "$(ls "$tmp/stage/bin" 2> /dev/null)"
unset DESTDIR

"$script" --is-foreign "$mark" /bin/true
check 'a foreign file is seen' 0 $?
"$script" --is-foreign "$mark" "$front"
check 'one of ours is none' 1 $?
"$script" --is-foreign "$mark" "$tmp/none"
check 'nothing is none' 1 $?

exit $failed
