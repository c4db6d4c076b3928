# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of trace-cmd-stackmap and of "trace-cmd stackmap", for bash.
#
# What there is to complete is asked of the program itself: its hidden option --tables prints the
# tables that --help is made from. Rows are "COMMAND <tab> summary" and "COMMAND <tab> --long <tab>
# -l <tab> ARG <tab> values".

# Options of command $1, a row each without the command; what follows is the program that prints the
# tables.
_trace_cmd_stackmap_options()
{
	local command=$1 row_command long letter arg values
	shift

	while IFS=$'\t' read -r row_command long letter arg values; do
		[[ $row_command == "$command" && $long == --* ]] || continue
		printf '%s\t%s\t%s\t%s\n' "$long" "$letter" "$arg" "$values"
	done < <("$@" --tables 2>/dev/null)
	# Those of trace-cmd record are options of record, too.
	[[ $command == record ]] || return
	while IFS=$'\t' read -r letter long arg values; do
		printf '%s\t%s\t%s\t-\n' "$long" "$letter" "$arg"
	done < <("$@" --record-table 2>/dev/null)
}

_trace_cmd_stackmap_commands()
{
	local command rest

	while IFS=$'\t' read -r command rest; do
		[[ $rest == --* ]] || printf '%s\n' "$command"
	done < <("$@" --tables 2>/dev/null)
}

_trace_cmd_stackmap_files()
{
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
	compopt -o filenames 2>/dev/null
}

_trace_cmd_stackmap_from()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# The argument $2, begun, of an option whose row has $3 (ARG) and $4 (values).
_trace_cmd_stackmap_argument()
{
	if [[ $4 != - ]]; then
		_trace_cmd_stackmap_from "$4" "$2"
	elif [[ $3 == FILE ]]; then
		_trace_cmd_stackmap_files "$2"
	elif [[ $3 == DIR ]]; then
		mapfile -t COMPREPLY < <(compgen -d -- "$2")
		compopt -o filenames 2>/dev/null
	fi
}

# Completes word $1 ($3 before it) of command $2; what follows is the program.
_trace_cmd_stackmap_of_command()
{
	local cur=$1 command=$2 prev=$3 long letter arg values all='' option=$3 value=$1
	shift 3

	if [[ $cur == --*=* ]]; then
		option=${cur%%=*}
		value=${cur#*=}
	fi
	while IFS=$'\t' read -r long letter arg values; do
		if [[ $arg != - && ( $option == "$long" || $option == "$letter" ) ]]; then
			_trace_cmd_stackmap_argument "$option" "$value" "$arg" "$values"
			return
		fi
		[[ $long == - ]] || all+="$long "
		[[ $letter == - ]] || all+="$letter "
	done < <(_trace_cmd_stackmap_options "$command" "$@")
	if [[ $cur == -* ]]; then
		_trace_cmd_stackmap_from "$all" "$cur"
	else
		case $command in
		record) mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u) ;;
		show | save | reset | free | stat) ;;
		*) _trace_cmd_stackmap_files "$cur" ;;
		esac
	fi
}

_trace_cmd_stackmap()
{
	local cur prev cword program at=1
	local -a words
	COMPREPLY=()

	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur prev words cword
	else
		words=("${COMP_WORDS[@]}")
		cword=$COMP_CWORD
		cur=${words[cword]}
		prev=${words[cword - 1]}
		# "--map=x" arrives as three words
		if [[ $cur == = ]]; then
			cur=
		elif [[ $prev == = ]]; then
			prev=${words[cword - 2]}
		fi
	fi
	program=("${words[0]/#\~\//$HOME/}")
	if [[ ${program[0]##*/} != trace-cmd-stackmap ]]; then
		program+=(stackmap)
		at=2
	fi
	if (( cword > at )); then
		_trace_cmd_stackmap_of_command "$cur" "${words[at]}" "$prev" "${program[@]}"
	elif [[ $cur == -* ]]; then
		_trace_cmd_stackmap_from '--help --version' "$cur"
	else
		_trace_cmd_stackmap_from "$(_trace_cmd_stackmap_commands "${program[@]}")" "$cur"
	fi
}

complete -F _trace_cmd_stackmap trace-cmd-stackmap
