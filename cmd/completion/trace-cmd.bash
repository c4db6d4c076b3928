# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of the front of trace-cmd, part of trace-stackmap.
#
# bash-completion takes the first file named trace-cmd or trace-cmd.bash that it finds. This one is
# found before that of trace-cmd, loads it, and adds "stackmap" to what it completes.

# The completion of trace-cmd itself: the first in the places where bash-completion looks that is no
# copy of this file.
_trace_cmd_stackmap_load_next()
{
	local mark='# Completion of the front of trace-cmd, part of trace-stackmap.'
	local -a data dirs
	local dir name second

	IFS=: read -r -a data <<< "${XDG_DATA_DIRS:-/usr/local/share:/usr/share}"
	dir=${BASH_COMPLETION_USER_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/bash-completion}
	dirs=("$dir/completions" "${data[@]/%//bash-completion/completions}" "${BASH_SOURCE[0]%/*}"
		/usr/share/bash-completion/completions)
	for dir in "${dirs[@]}"; do
		for name in trace-cmd trace-cmd.bash _trace-cmd; do
			[[ -f $dir/$name && -r $dir/$name ]] || continue
			{ IFS= read -r _; IFS= read -r second; } < "$dir/$name"
			[[ $second == "$mark" ]] && continue
			. "$dir/$name"
			return
		done
	done
}

_trace_cmd_stackmap_front()
{
	COMPREPLY=()
	if (( COMP_CWORD >= 2 )) && [[ ${COMP_WORDS[1]} == stackmap ]]; then
		_trace_cmd_stackmap "$@"
		return
	fi
	[[ -n $_trace_cmd_stackmap_next ]] && "$_trace_cmd_stackmap_next" "$@"
	if (( COMP_CWORD == 1 )) && [[ stackmap == "${COMP_WORDS[1]}"* ]]; then
		COMPREPLY+=(stackmap)
	fi
}

# Our function in the place of the one that was registered, with the same options.
_trace_cmd_stackmap_register()
{
	local spec

	complete -r trace-cmd 2>/dev/null
	_trace_cmd_stackmap_next=
	_trace_cmd_stackmap_load_next
	spec=$(complete -p trace-cmd 2>/dev/null)
	if [[ $spec =~ ^(complete.*)\ -F\ ([^ ]+)\ (.*)$ ]]; then
		_trace_cmd_stackmap_next=${BASH_REMATCH[2]}
		eval "${BASH_REMATCH[1]} -F _trace_cmd_stackmap_front ${BASH_REMATCH[3]}"
	else
		complete -F _trace_cmd_stackmap_front trace-cmd
	fi
}

. "${BASH_SOURCE[0]%/*}/trace-cmd-stackmap"
_trace_cmd_stackmap_register
