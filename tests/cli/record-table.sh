#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table that "trace-cmd stackmap record" reads trace-cmd's options by, against trace-cmd: what
# its help listed when it was recorded (record-help/VERSION, one option a line), and how the one
# that is installed takes each option.
#
#	record-table.sh COMMAND SOURCE_DIR
set -u

command=$1
source_dir=$2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail()
{
	echo "not ok - $*"
	failed=1
}

# The options that a help text lists.
listed()
{
	sed -n 's/^ \{10\}\(--\{0,1\}[A-Za-z][A-Za-z0-9-]*\) .*/\1/p' "$1"
}

# Does trace-cmd $1 have what came with $2?
has_since()
{
	[ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# What is in the table for version $1, one a line.
known()
{
	while IFS='	' read -r letter name arg since; do
		has_since "$1" "$since" && printf '%s\n' "$letter" "$name"
	done < "$tmp/table" | grep -v '^-$'
}

"$command" --record-table > "$tmp/table" || exit 1
[ "$(wc -l < "$tmp/table")" -gt 50 ] || fail 'the table has no 50 rows'

for file in "$source_dir"/tests/cli/record-help/*; do
	version=${file##*/}
	known "$version" | sort > "$tmp/known"
	grep -v "^#" "$file" > "$tmp/recorded"
	missing=$(sort "$tmp/recorded" | comm -23 - "$tmp/known" | paste -sd" ")
	if [ -n "$missing" ]; then
		fail "trace-cmd $version has options that are not in the table: $missing"
	else
		echo "ok - $(wc -l < "$tmp/recorded") options of trace-cmd $version"
	fi
done

# The one that is installed, without the front.
real=$(command -v trace-cmd) || {
	echo 'skip: no trace-cmd is installed; what was recorded of it agrees'
	exit $((failed ? 1 : 77))
}
"$real" record -h > "$tmp/help" 2>&1
version=$(sed -n 's/^trace-cmd version \([0-9.]*[0-9]\).*/\1/p' "$tmp/help")
listed "$tmp/help" > "$tmp/listed"
[ "$(wc -l < "$tmp/listed")" -gt 40 ] || fail "trace-cmd record -h lists no 40 options"
recorded=$source_dir/tests/cli/record-help/$version
if [ -e "$recorded" ]; then
	grep -v "^#" "$recorded" | cmp -s - "$tmp/listed" ||
		fail "what was recorded of $version is not what it lists"
fi
awk -F'\t' '{ print $1; print $2 }' "$tmp/table" | sort > "$tmp/known"
missing=$(sort "$tmp/listed" | comm -23 - "$tmp/known" | paste -sd' ')
[ -z "$missing" ] || fail "trace-cmd $version lists options that are not in the table: $missing"

# How it takes them: one that wants an argument misses it, a long one without one takes none, and
# behind a letter without one another letter can follow.
takes_argument()
{
	"$real" record "$1" < /dev/null 2>&1 | grep -q 'requires an argument'
}
takes_none()
{
	case $1 in
	--*)	"$real" record "$1=x" < /dev/null 2>&1 | grep -q "doesn't allow an argument" ;;
	*)	"$real" record "$1h" < /dev/null 2>&1 | grep -q '^usage:' ;;
	esac
}

while IFS='	' read -r letter name arg since; do
	has_since "$version" "$since" || continue
	for option in $letter $name; do
		[ "$option" != - ] || continue
		case $arg in
		ARG | FILE) takes_argument "$option" || fail "$option takes no argument" ;;
		-)	takes_none "$option" || fail "$option takes an argument" ;;
		*)	! takes_argument "$option" && ! takes_none "$option" ||
				fail "the argument of $option can be left out or not" ;;
		esac
	done
done < "$tmp/table"
[ $failed -ne 0 ] || echo "ok - trace-cmd $version takes all of them so"
exit $failed
