# SPDX-License-Identifier: GPL-2.0-or-later
# For tests on a played kernel: read by them. SHIM in the environment is stackmap-shim, built.
shim=$SHIM
TMPDIR=$tmp
export TMPDIR
worlds=0

# A new one: SERIES SETTING... Files in the current folder stay.
world()
{
	worlds=$((worlds + 1))
	STACKMAP_SHIM=$(realpath "$tmp")/world.$worlds
	export STACKMAP_SHIM
	"$shim" setup "$STACKMAP_SHIM" "$@" || exit 1
}

# What differs from run to run, and from one release of libzstd to the other.
hide()
{
	sed -E "s|$tmp|TMP|g; s/(TMP[^ :]*\.)[0-9a-f]{16}/\1RANDOM/g
		s/, [0-9]+ bytes(;|$)/, N bytes\1/; s/\"bytes\":[0-9]+/\"bytes\":N/"
}

# As run, on the played kernel.
live()
{
	printf '$ %s\n' "$*"
	"$shim" run "$command" "$@" > "$tmp/stdout" 2> "$tmp/stderr"
	status=$?
	hide < "$tmp/stdout"
	hide < "$tmp/stderr" | sed 's/^/! /'
	[ $status -eq 0 ] || printf '= %d\n' $status
}

record()
{
	"$shim" record "$@" > /dev/null
}

record_many()
{
	"$shim" record-many "$@"
}

# What a write to FILE of tracefs does.
put()
{
	"$shim" run sh -c "echo $1 > /sys/kernel/tracing/$2"
}

# Each cookie that was recorded has the frames that were recorded, from the saved maps FILE...
# With "but N": N of them are in none.
all_resolve()
{
	missing=0
	if [ "$1" = but ]; then
		missing=$2
		shift 2
	fi
	maps=
	for map; do
		maps="$maps -m $map"
	done
	"$shim" recorded | sort -u > "$tmp/recorded"
	cut -f 1 "$tmp/recorded" | sed 's/^/ <idle>-0 [001] d..3. 1.0: stack_id: /' > "$tmp/text"
	cut -f 1 "$tmp/recorded" | tr -d '<>' > "$tmp/cookies"
	"$command" expand $maps "$tmp/text" 2> "$tmp/expanded.err" |
		sed -n 's/^ => //p; s/^ <idle>.*\(<stack_id [^>]*>\)\( \[unres.*\)*$/\1\2/p' |
		awk '/^<stack_id/ {
			if (NR > 1) print line
			line = $0 "\t"; sep = ""; next
		}
		{ line = line sep $0; sep = ";" }
		END { print line }' > "$tmp/expanded"
	nr=$(wc -l < "$tmp/recorded")
	same=$(sort "$tmp/expanded" | comm -12 - "$tmp/recorded" | wc -l)
	if [ $same -eq $((nr - missing)) ]; then
		echo "$same of $nr cookies resolve to what was recorded"
	else
		echo "WRONG: $same of $nr cookies resolve to what was recorded"
		sort "$tmp/expanded" | comm -13 - "$tmp/recorded" | head -n 5
		head -n 5 "$tmp/expanded.err"
	fi
}

# What tracing is like, to see that a command left it alone.
tracing()
{
	"$shim" state | grep -v '^open'
}
