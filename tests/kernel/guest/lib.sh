# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the guest tests: how one says what holds and what does not. It begins with
#
#	. ./lib.sh
#
# and runs in the folder that the host sees as well; what it leaves there is looked at by
# host/NAME.sh. It passed where it ends with 0.
set -eu

# shellcheck disable=SC2034 # for those who source this
tracing=/sys/kernel/tracing

ok() { echo "ok: $*"; }
fail() { echo "FAIL: $*"; exit 1; }
# The machine cannot show it: 77 counts as skipped, never as passed.
skip() { echo "skip: $*"; exit 77; }

# same WHAT WANTED GOT
same() {
	[ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"
	ok "$1"
}

# refuses ERROR COMMAND... - COMMAND has to fail, and say ERROR.
refuses() {
	error=$1
	shift
	if said=$("$@" 2>&1); then
		fail "'$*' went through"
	fi
	case $said in
	*"$error"*) ok "$* refused: $error" ;;
	*) fail "'$*' wanted '$error', said '$said'" ;;
	esac
}

# wait_for SECONDS COMMAND... - until COMMAND succeeds.
wait_for() {
	left=$(($1 * 10))
	shift
	while ! "$@"; do
		[ $left -gt 0 ] || fail "never came: $*"
		left=$((left - 1))
		sleep 0.1
	done
}
