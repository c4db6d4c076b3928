# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by programs that fetch or build what is too dear to do anew in each checkout: messages,
# the cache, locks.
#
# The cache is outside the checkout, so that a fresh clone finds what another one has built. What
# stands in it under its final name is complete: it was made in $cache/tmp and renamed.

# shellcheck shell=sh
me=${0##*/}
cache=${TRACE_STACKMAP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trace-stackmap}

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$@"; exit 1; }

# cache_lock NAME - hold the lock NAME until this shell ends. The kernel gives it back however it
# ends. What a command started by us should not inherit it with goes through 9>&-.
cache_lock() {
	mkdir -p "$cache/lock" "$cache/tmp"
	exec 9>"$cache/lock/$1"
	flock -n 9 || { say "waiting for another that holds $1"; flock 9; }
}

# scratch - set $scratch to an empty folder on the file system of the cache, gone when we end.
scratch() {
	mkdir -p "$cache/tmp"
	# What was killed could not clean up.
	find "$cache/tmp" -mindepth 1 -maxdepth 1 -mtime +1 -exec rm -rf {} +
	scratch=$(mktemp -d "$cache/tmp/$me.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}
