#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The bash completion, installed beside one of trace-cmd's own, as the shell would call it.
#
#	completion.sh SOURCE_DIR COMMAND	COMMAND: trace-cmd-stackmap, built
set -u

source_dir=$1
command=$(realpath "$2")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

check()
{
	if [[ $2 == "$3" ]]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf 'wanted: %s\ngot:    %s\n' "$2" "$3"
		failed=1
	fi
}

# Installed as meson does it, with the completion of trace-cmd further down the list of places.
ours=$tmp/ours/bash-completion/completions
theirs=$tmp/theirs/bash-completion/completions
mkdir -p "$ours" "$theirs" "$tmp/bin" "$tmp/files" "$tmp/home"
cp "$source_dir/cmd/completion/trace-cmd.bash" "$ours/trace-cmd"
cp "$source_dir/cmd/completion/trace-cmd-stackmap.bash" "$ours/trace-cmd-stackmap"
cp "$source_dir/cmd/trace-cmd" "$tmp/bin/trace-cmd"
ln -s "$command" "$tmp/bin/trace-cmd-stackmap"
cat > "$theirs/trace-cmd.bash" <<'END'
_their_function()
{
	COMPREPLY=($(compgen -W 'record report stream' -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o nosort -F _their_function trace-cmd
END
touch "$tmp/files/one.stackmap" "$tmp/files/two words.txt"

export PATH=$tmp/bin:$PATH HOME=$tmp/home XDG_DATA_DIRS=$tmp/ours:$tmp/theirs
unset XDG_DATA_HOME BASH_COMPLETION_USER_DIR

# What the words given are completed to, on one line; the last word is the one begun.
complete_words()
{
	local program=${1##*/} function
	unset -f _their_function
	complete -r
	unset _trace_cmd_stackmap_next
	. "$ours/$program"
	function=$(complete -p "$program")
	[[ $function =~ \ -F\ ([^ ]+) ]]
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMP_LINE="$*"
	COMP_POINT=${#COMP_LINE}
	COMPREPLY=()
	"${BASH_REMATCH[1]}" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	(IFS=,; printf '%s\n' "${COMPREPLY[*]}")
}

# The commands, and the options of command $1, as --help shows them; of record trace-cmd's too.
commands=$("$command" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | paste -sd,)
options_of()
{
	{
		"$command" "$1" --help |
			sed -n '/^Options:/,$s/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p'
		[[ $1 != record ]] || "$command" --record-table | cut -f2 | grep '^--'
	} | sort -u | paste -sd,
}
only_long()
{
	tr , '\n' | grep '^--' | sort -u | paste -sd,
}

cd "$tmp/files" || exit 1
check 'commands of trace-cmd-stackmap' "$commands" "$(complete_words trace-cmd-stackmap '')"
check 'commands of trace-cmd stackmap' "$commands" "$(complete_words trace-cmd stackmap '')"
check 'a command begun' 'verify' "$(complete_words trace-cmd stackmap ver)"
check 'the command by its path' 'verify' "$(complete_words "$tmp/bin/trace-cmd" stackmap ver)"
check 'options of the program' '--help,--version' "$(complete_words trace-cmd-stackmap --)"
for name in ${commands//,/ }; do
	check "options of $name" "$(options_of "$name")" \
		"$(complete_words trace-cmd stackmap "$name" -- | only_long)"
done
check 'an option begun' '--generation' "$(complete_words trace-cmd stackmap expand --gen)"
check 'a file after an option that takes one' 'one.stackmap' \
	"$(complete_words trace-cmd-stackmap list -m on)"
check 'a file after an equals sign' 'one.stackmap' \
	"$(complete_words trace-cmd-stackmap list --map=on)"
check 'an equals sign that is a word of its own' 'one.stackmap' \
	"$(complete_words trace-cmd-stackmap list --map = on)"
check 'and nothing behind it yet' 'text,json,folded' \
	"$(complete_words trace-cmd-stackmap resolve --format =)"
check 'a number is not completed' '' "$(complete_words trace-cmd-stackmap show --top '')"
check 'a file with a blank is one word' 'two words.txt' \
	"$(complete_words trace-cmd stackmap expand tw)"
check 'the words that an option can have' 'text,json,folded' \
	"$(complete_words trace-cmd stackmap resolve --format '')"
check 'one of them' 'folded' "$(complete_words trace-cmd stackmap resolve --format f)"

check 'options of trace-cmd record' '--rotate-at' \
	"$(complete_words trace-cmd stackmap record -O stackmap --rot)"
check 'a file behind -o' 'one.stackmap' \
	"$(complete_words trace-cmd stackmap record -o on)"
check 'a letter of trace-cmd' '-T' "$(complete_words trace-cmd-stackmap record -T)"
check 'the command to trace' 'trace-cmd-stackmap' \
	"$(complete_words trace-cmd-stackmap record trace-cmd-stackm)"

check 'stackmap is added to the commands of trace-cmd' 'stream,stackmap' \
	"$(complete_words trace-cmd st)"
check 'other commands of it are left alone' 'record,report' "$(complete_words trace-cmd re)"
check 'and so is what follows them' 'stream' "$(complete_words trace-cmd record st)"
check 'options of its registration are kept' \
	'complete -o nosort -F _trace_cmd_stackmap_front trace-cmd' \
	"$(complete_words trace-cmd '' > /dev/null; complete -p trace-cmd)"
mkdir -p "$tmp/copy/bash-completion/completions"
cp "$ours/trace-cmd" "$tmp/copy/bash-completion/completions"
check 'another copy of ours is not taken for theirs' 'stream,stackmap' \
	"$(XDG_DATA_DIRS=$tmp/ours:$tmp/copy:$tmp/theirs; complete_words trace-cmd st)"

# As bash-completion finds it.
lib=/usr/share/bash-completion/bash_completion
if [[ -r $lib ]]; then
	check 'bash-completion finds it by name' 'trace-cmd trace-cmd-stackmap' "$(
		shopt -s extglob progcomp
		. "$lib" 2> /dev/null
		complete -r
		for name in trace-cmd trace-cmd-stackmap; do
			if declare -F __load_completion > /dev/null; then
				__load_completion "$name"
			else
				_comp_load "$name"
			fi
		done
		complete -p trace-cmd trace-cmd-stackmap | sed 's/.* //' | paste -sd' ')"
fi

exit $failed
