# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced after lib.sh: an apt with lists of its own, for packages of another suite or another
# architecture.
#
# It is in the cache; of the system's apt only the mirror and the way through the network are asked
# for. The archive's signature is checked with the keys of debian-archive-keyring.

# shellcheck shell=sh
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The mirror of Debian itself in the machine's own configuration, whichever format that has.
mirror() {
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		sed -n '\,/debian/*$,{p;q;}'
}

# private_apt TOOL ARGUMENT... - run one of apt's tools on the lists in $apt.
private_apt() {
	tool=$1
	shift
	"$tool" -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::Etc::trusted=/dev/null -o Dir::Etc::trustedparts=/dev/null \
		-o Dir::State="$apt" -o Dir::State::status="$apt/status" \
		-o Dir::Cache="$apt/cache" -o APT::Architecture="$apt_arch" \
		-o APT::Architectures="$apt_arch" -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Debug::NoLocking=true "$@" </dev/null
}

# use_suite SUITE ARCHITECTURE - have private_apt know what SUITE holds for ARCHITECTURE.
use_suite() {
	apt=$cache/apt/$1-$2
	apt_arch=$2
	uri=$(mirror)
	[ -n "$uri" ] || die 'apt knows no mirror of Debian'
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$1" >"$apt/sources.list"
	private_apt apt-get update >&2
}
